package capture

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
)

// be joins its arguments into bytes: integers big-endian in their own size, strings and slices as they are.
func be(parts ...any) []byte {
	var b []byte
	for _, part := range parts {
		switch v := part.(type) {
		case string:
			b = append(b, v...)
		default:
			var err error
			if b, err = binary.Append(b, binary.BigEndian, v); err != nil {
				panic(err)
			}
		}
	}
	return b
}

// tcpBytes is a TCP segment 1000→9092 with sequence number 7, ack 9, PSH ACK, window 512.
func tcpBytes(payload string) []byte {
	return be(uint16(1000), uint16(9092), uint32(7), uint32(9), byte(5<<4), byte(0x18), uint16(512), uint32(0), payload)
}

// ip4 is an IPv4 packet 10.0.0.1→10.0.0.2 with a right checksum.
func ip4(protocol byte, payload []byte) []byte { return ip4Fragment(protocol, 1, 0, payload) }

// ip4Fragment is a fragment with this id and fragment word (flags and offset in 8 bytes).
func ip4Fragment(protocol byte, id, word uint16, payload []byte) []byte {
	b := be(byte(0x45), byte(0), uint16(20+len(payload)), id, word, byte(64), protocol, uint16(0),
		[]byte{10, 0, 0, 1}, []byte{10, 0, 0, 2}, payload)
	binary.BigEndian.PutUint16(b[10:], checksum(b[:20]))
	return b
}

// ip6 is an IPv6 packet fd00::1→fd00::2.
func ip6(next byte, payload []byte) []byte {
	from, to := [16]byte{0xfd, 15: 1}, [16]byte{0xfd, 15: 2}
	return be(uint32(6<<28), uint16(len(payload)), next, byte(64), from, to, payload)
}

var macs = string([]byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2})

func ether(etherType uint16, payload []byte) []byte { return be(macs, etherType, payload) }

// pcapFile is a little-endian microsecond pcap file with one record for each packet, one second apart.
func pcapFile(link uint32, packets ...[]byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0xa1b2c3d4)
	b = le.AppendUint16(b, 2)
	b = le.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...)
	b = le.AppendUint32(b, 262144)
	b = le.AppendUint32(b, link)
	for i, p := range packets {
		b = le.AppendUint32(b, uint32(1000+i))
		b = le.AppendUint32(b, 5)
		b = le.AppendUint32(b, uint32(len(p)))
		b = le.AppendUint32(b, uint32(len(p)))
		b = append(b, p...)
	}
	return b
}

// readAll gives copies of all packets of a source, and the error that ended it (nil for io.EOF).
func readAll(t testing.TB, s Source) ([]Packet, error) {
	t.Helper()
	var all []Packet
	for {
		var p Packet
		if err := s.Next(&p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return all, err
		}
		p.Data = bytes.Clone(p.Data)
		all = append(all, p)
	}
}

func mustRead(t testing.TB, file []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), "test")
	if err != nil {
		t.Fatal(err)
	}
	return r
}
