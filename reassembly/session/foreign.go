package session

import (
	"encoding/binary"

	"ksniff/reassembly"
)

// isTLS recognises TLS: a handshake at the start, or records one after the other in mid-stream.
func isTLS(w *reassembly.Window) bool {
	b := w.Bytes
	if w.Start {
		return tlsRecord(b) && b[0] == 22
	}
	for _, m := range w.Marks[:min(len(w.Marks), 64)] {
		i := m.Off
		if !tlsRecord(b[i:]) {
			continue
		}
		for at, n := i, 0; ; n++ {
			if n >= 3 || n >= 1 && at == len(b) {
				return true
			}
			if at+5 > len(b) || !tlsRecord(b[at:]) {
				break
			}
			at += 5 + int(binary.BigEndian.Uint16(b[at+3:]))
		}
	}
	return false
}

// awaitsHello says that a TLS client has begun and the server's hello is not there yet: what it chose is
// worth the wait, as long as a hello is likely to come.
func awaitsHello(sides *[2]reassembly.Window) bool {
	for i := range sides {
		o := &sides[1-i]
		if sides[i].Start && isTLS(&sides[i]) && (o.Start || o.Seen == 0) && !o.Ended && len(o.Bytes) < serverHello && sides[i].Seen < 16<<10 {
			return len(o.Bytes) == 0 || tlsHandshake(o.Bytes)
		}
	}
	return false
}

// serverHello is how much of a server's first record tells its version and cipher suite: the record and
// handshake heads, version, random, session id, suite.
const serverHello = 5 + 4 + 2 + 32 + 1 + 32 + 2

func tlsHandshake(b []byte) bool { return b[0] == 22 }

// tlsRecord says whether b begins like a TLS record.
func tlsRecord(b []byte) bool {
	if len(b) < 5 || b[0] < 20 || b[0] > 23 || b[1] != 3 || b[2] > 4 {
		return false
	}
	n := binary.BigEndian.Uint16(b[3:])
	return n > 0 && n <= 16384+2048
}

// isZooKeeper recognises ZooKeeper: the connect request or its answer at the start, a ping in
// mid-stream, or a four-letter word.
func isZooKeeper(w *reassembly.Window) bool {
	for _, m := range w.Marks[:min(len(w.Marks), 64)] {
		if isPing(w.Bytes[m.Off:]) {
			return true
		}
	}
	b := w.Bytes
	if len(b) == 4 && w.Start {
		switch string(b) {
		case "ruok", "srvr", "stat", "mntr", "conf", "cons", "dump", "envi", "isro", "wchs", "wchc", "wchp", "crst", "srst":
			return true
		}
	}
	if len(b) < 12 {
		return false
	}
	length := be32(b)
	if w.Start && be32(b[4:]) == 0 { // protocol version 0
		switch {
		case length == 44 || length == 45: // zxid, timeout, session, password of 16 bytes
			return len(b) >= 32 && be32(b[28:]) == 16
		case length == 36 || length == 37:
			return len(b) >= 24 && be32(b[20:]) == 16
		}
	}
	return false
}

// isPing recognises ZooKeeper's ping and its answer: xid -2, and type 11 or a zxid.
func isPing(b []byte) bool {
	return len(b) >= 12 && be32(b[4:]) == 0xfffffffe && (be32(b) == 8 && be32(b[8:]) == 11 || be32(b) == 16)
}
