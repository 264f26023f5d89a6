package session

import (
	"bytes"
	"encoding/binary"

	"ksniff/decode"
	"ksniff/reassembly"
)

// Prove implements reassembly.Judge. Which side is the client, its requests prove; ports and SYNs are
// no proof. One request with a client id that decodes to its last byte proves Kafka; one without needs
// a second, or its response, or that nothing else was ever sent.
func (j *judge) Prove(rc *reassembly.Conn, sides *[2]reassembly.Window, last bool) reassembly.Proof {
	s, c := j.session(), of(rc)
	if yes, told := s.told(rc); told {
		if !yes {
			return s.other(c, reassembly.Foreign, &s.Connections.Foreign)
		}
		return s.force(c, rc)
	}
	if isTLS(&sides[0]) || isTLS(&sides[1]) {
		return s.other(c, reassembly.Encrypted, &s.Connections.TLS)
	}
	var skip [2]int
	for i := range sides {
		n, ok := preamble(&sides[i])
		if !ok && !last {
			return reassembly.Proof{}
		}
		skip[i] = n
	}
	best, client := not, -1
	var grades [2]grade
	for i := range sides {
		grades[i] = s.side(sides, i, skip, last)
		if grades[i] > best {
			best, client = grades[i], i
		}
	}
	switch {
	case best == sure || last && best == fits:
		c.gen, c.client = Modern, int8(client)
		s.Connections.Modern++
		return reassembly.Proof{Speaks: reassembly.Frames, Skip: skip}
	case isZooKeeper(&sides[0]) || isZooKeeper(&sides[1]):
		return s.other(c, reassembly.Foreign, &s.Connections.ZooKeeper)
	case last && best >= open:
		proof := s.other(c, reassembly.Pending, new(int64))
		if len(sides[1-client].Bytes) > 0 {
			proof.Fate[1-client] = reassembly.Foreign
		}
		return proof
	case last || grades[0] == not && grades[1] == not && begun(&sides[0], skip[0]) && begun(&sides[1], skip[1]):
		if sides[0].Seen+sides[1].Seen == 0 {
			return s.other(c, reassembly.Foreign, new(int64))
		}
		return s.other(c, reassembly.Foreign, &s.Connections.Foreign)
	}
	return reassembly.Proof{}
}

// begun says that the stream's first bytes are there, enough to tell that they are no request.
func begun(w *reassembly.Window, skip int) bool { return w.Start && len(w.Bytes) >= skip+12 }

// told says what the user told about the ports of a connection.
func (s *Session) told(rc *reassembly.Conn) (kafka, told bool) {
	for _, end := range rc.Ends {
		if yes, ok := s.cfg.DecodeAs[end.Port]; ok {
			return yes, true
		}
	}
	return false, false
}

// force takes a connection for Kafka because the user says so; who has the port is the broker.
func (s *Session) force(c *conn, rc *reassembly.Conn) reassembly.Proof {
	c.gen, c.client = Modern, 0
	if s.cfg.DecodeAs[rc.Ends[0].Port] {
		c.client = 1
	}
	s.Connections.Modern++
	return reassembly.Proof{Speaks: reassembly.Frames}
}

// other counts a connection that is not cut.
func (s *Session) other(c *conn, fate reassembly.Fate, count *int64) reassembly.Proof {
	*count++
	return reassembly.Proof{Speaks: reassembly.Other, Fate: [2]reassembly.Fate{fate, fate}}
}

// side says how well side i fits a client. At the stream's start only its first frame counts.
func (s *Session) side(sides *[2]reassembly.Window, i int, skip [2]int, last bool) grade {
	w := &sides[i]
	if !w.Start {
		return s.midstream(w, last)
	}
	b := w.Bytes[skip[i]:]
	if len(b) == 0 {
		return not
	}
	if len(b) < 4 {
		if b[0] > 0x06 {
			return not
		}
		return open
	}
	length := int(int32(be32(b)))
	g := s.grade(b[4:], length)
	if g != fits {
		if g == named && last && len(b) > 4096 {
			return sure // a long frame that was not kept to its end
		}
		return g
	}
	rest := b[4+length:]
	if len(rest) >= 12 {
		next := s.grade(rest[4:], int(int32(be32(rest))))
		if next == not {
			return not
		}
		if next >= fits {
			return sure
		}
	}
	o := &sides[1-i]
	answer := o.Bytes[min(skip[1-i], len(o.Bytes)):]
	if len(answer) < 8 {
		return fits
	}
	if s.answers(b[4:4+length], answer) {
		return sure
	}
	if o.Start {
		return not
	}
	return fits
}

// answers says whether a begins with a frame that answers the request.
func (s *Session) answers(request, a []byte) bool {
	length := int(int32(be32(a)))
	if length < 4 || !bytes.Equal(a[4:8], request[4:8]) {
		return false
	}
	have := a[4:min(len(a), 4+length)]
	t := &s.tree
	t.Decode(decode.Frame{Length: length, Runs: []decode.Run{{Off: 0, Bytes: have}}, Missing: len(have) < length},
		int16(binary.BigEndian.Uint16(request)), int16(binary.BigEndian.Uint16(request[2:])), decode.Response)
	f, bad := t.Fault()
	return !bad || len(have) < length && f.Class == decode.Incomplete
}

// midstream says whether a request lies in a window that does not begin at the stream's start.
func (s *Session) midstream(w *reassembly.Window, last bool) grade {
	at, found := s.findRequest(nil, w, last)
	if found {
		return sure
	}
	w.Searched = max(w.Searched, at)
	return not
}

// preamble gives the length of what a proxy puts before the protocol: a PROXY line or header
// (HAProxy), or an HTTP CONNECT and its answer. False: not all of it is there.
func preamble(w *reassembly.Window) (int, bool) {
	b := w.Bytes
	if !w.Start {
		return 0, true
	}
	switch {
	case bytes.HasPrefix(b, []byte("PROXY ")):
		return upTo(b, "\r\n", 107)
	case bytes.HasPrefix(b, []byte("\r\n\r\n\x00\r\nQUIT\n")):
		if len(b) < 16 {
			return 0, false
		}
		n := 16 + int(binary.BigEndian.Uint16(b[14:]))
		return n, len(b) >= n
	case bytes.HasPrefix(b, []byte("CONNECT ")), bytes.HasPrefix(b, []byte("HTTP/1.")) && len(b) > 12 && b[9] == '2':
		return upTo(b, "\r\n\r\n", 4096)
	}
	return 0, true
}

func upTo(b []byte, mark string, most int) (int, bool) {
	if i := bytes.Index(b[:min(len(b), most)], []byte(mark)); i >= 0 {
		return i + len(mark), true
	}
	return 0, len(b) >= most
}

func be32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
