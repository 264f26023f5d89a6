package session_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ksniff/reassembly/session"
)

// A talk is what two sides of another protocol say in turn; a line that begins with `<` is the second's.
type talk []string

func (d *talk) ask(b ...any) { *d = append(*d, ">"+hex.EncodeToString(wire(b...))) }
func (d *talk) say(b ...any) { *d = append(*d, "<"+hex.EncodeToString(wire(b...))) }

// wire puts integers (big-endian), text and bytes behind each other.
func wire(parts ...any) (b []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b = append(b, p...)
		case []byte:
			b = append(b, p...)
		case le32:
			b = binary.LittleEndian.AppendUint32(b, uint32(p))
		case int:
			b = append(b, byte(p))
		case int16:
			b = binary.BigEndian.AppendUint16(b, uint16(p))
		case int32:
			b = binary.BigEndian.AppendUint32(b, uint32(p))
		case int64:
			b = binary.BigEndian.AppendUint64(b, uint64(p))
		default:
			panic(fmt.Sprintf("%T", p))
		}
	}
	return b
}

type le32 uint32

// sized puts a length of four bytes in front.
func sized(parts ...any) []byte {
	b := wire(parts...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// foreigners are conversations in other protocols, as their specifications have them.
var foreigners = map[string]func(r *rand.Rand, d *talk){
	"HTTP/2": func(r *rand.Rand, d *talk) {
		d.ask("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, 0, 0, 4, 0, int32(0))
		d.say(0, 0, 6, 4, 0, int32(0), int16(3), int32(100))
		for id := int32(1); id < 40; id += 2 {
			d.ask(0, 0, 5, 1, 4, id, "\x83\x86\x45\x01/", 0, 0, 12, 0, 1, id, 0, int32(7), "\x0a\x05hello")
			d.say(0, 0, 1, 1, 4, id, 0x88, 0, 0, 12, 0, 0, id, 0, int32(7), "\x0a\x05world")
		}
	},
	"RESP3": func(r *rand.Rand, d *talk) {
		d.ask("*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n")
		d.say("%2\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n")
		for i := range 30 {
			d.ask(fmt.Sprintf("*2\r\n$3\r\nGET\r\n$3\r\nk%02d\r\n", i))
			d.say("_\r\n")
		}
	},
	"PostgreSQL": func(r *rand.Rand, d *talk) {
		d.ask(sizedAll(int32(196608), "user\x00app\x00database\x00app\x00\x00"))
		d.say("R", int32(8), int32(0), "Z", int32(5), "I")
		for i := range 30 {
			d.ask("Q", sizedAll(fmt.Sprintf("select %d\x00", i)))
			d.say("T", sizedAll(int16(1), "?column?\x00", int32(0), int16(0), int32(23), int16(4), int32(-1), int16(0)), "D", sizedAll(int16(1), int32(2), "17"), "C", sizedAll("SELECT 1\x00"), "Z", int32(5), "I")
		}
	},
	"MongoDB": func(r *rand.Rand, d *talk) {
		for i := range uint32(30) {
			d.ask(le32(37), le32(i), le32(0), le32(2013), le32(0), 0, le32(16), "\x10ping\x00\x01\x00\x00\x00\x00")
			d.say(le32(38), le32(i+1000), le32(i), le32(2013), le32(0), 0, le32(17), "\x01ok\x00\x00\x00\x00\x00\x00\x00\xf0\x3f\x00")
		}
	},
	"MySQL": func(r *rand.Rand, d *talk) {
		d.say("\x4a\x00\x00\x00\x0a8.0.33\x00", le32(12), "abcdefgh\x00\xff\xff\x08\x02\x00\xff\xc7\x15", make([]byte, 10), "ijklmnopqrst\x00mysql_native_password\x00")
		d.ask("\x24\x00\x00\x01", le32(0xa685), le32(1<<24), 8, make([]byte, 23), "app\x00\x00")
		for range 20 {
			d.ask("\x09\x00\x00\x00\x03select 1")
			d.say("\x01\x00\x00\x01\x01\x02\x00\x00\x02\x01\x31\x07\x00\x00\x03\xfe\x00\x00\x02\x00\x00\x00")
		}
	},
	"CQL": func(r *rand.Rand, d *talk) {
		for i := range int16(40) {
			d.ask(4, 0, i, 7, sized(sized("select * from t"), int16(1), 0))
			d.say(0x84, 0, i, 8, sized(int32(1)))
		}
	},
	"NATS": func(r *rand.Rand, d *talk) {
		d.say("INFO {\"server_id\":\"N\",\"max_payload\":1048576}\r\n")
		d.ask("CONNECT {\"verbose\":false}\r\nPING\r\n")
		d.say("PONG\r\n")
		d.ask("PUB a.b 5\r\nhello\r\n")
	},
	"AMQP 1.0": func(r *rand.Rand, d *talk) {
		d.ask("AMQP\x00\x01\x00\x00")
		d.say("AMQP\x00\x01\x00\x00")
		for i := range int16(20) {
			d.ask(int32(25), 2, 0, i, "\x00\x53\x10\xc0\x0c\x04\xa1\x01c\xa1\x01h\x60\xff\xff\x40")
			d.say(int32(8), 2, 0, i)
		}
	},
	"AMQP 0.9.1": func(r *rand.Rand, d *talk) {
		d.ask("AMQP\x00\x00\x09\x01")
		for range 20 {
			d.say(1, int16(1), sized(int16(60), int16(60), 0, int64(7), 0, "\x01x\x01y"), 0xce)
			d.ask(1, int16(1), sized(int16(60), int16(80), int64(7), 0), 0xce, 8, int16(0), int32(0), 0xce)
		}
	},
	"memcached": func(r *rand.Rand, d *talk) {
		for i := range int32(30) {
			d.ask(0x80, 0, int16(5), 0, 0, int16(0), int32(5), i, int64(0), "Hello")
			d.say(0x81, 0, int16(0), 4, 0, int16(0), int32(9), i, int64(1), int32(0xbeef), "World")
		}
	},
	"ZooKeeper election": func(r *rand.Rand, d *talk) {
		d.ask(int64(-65536), int64(1), sized("10.0.0.1:3888"))
		for i := range int64(30) {
			d.say(sized(int32(i%4), int64(i%3), i<<32, i, i, int32(2), int32(0)))
			d.ask(sized(int32(0), int64(2), i, i, int64(1)))
		}
	},
	"ZooKeeper quorum": func(r *rand.Rand, d *talk) {
		for i := range int64(30) {
			d.ask(int32(5), i, int32(-1), int32(-1))
			d.say(int32(2), i<<32, sized(int64(1), int32(5), int32(1), i), int32(0))
		}
	},
	"ZooKeeper in mid-stream": func(r *rand.Rand, d *talk) {
		for xid := range int32(60) {
			d.ask(sized(xid, []int32{1, 3, 4, 5, 8, 12, 14}[xid%7], sized("/brokers/ids"), xid&1, -1))
			d.say(sized(xid, int64(xid)<<32, int32(0), sized("data"), make([]byte, 68)))
		}
	},
	"DNS": func(r *rand.Rand, d *talk) {
		for i := range int16(40) {
			flags := i & 1 << 8
			d.ask(int16(29), i<<8|7, flags, int16(1), int16(0), int32(0), "\x07example\x03com\x00", int16(1), int16(1))
			d.say(int16(45), i<<8|7, flags|-0x8000, int16(1), int16(1), int32(0), "\x07example\x03com\x00", int16(1), int16(1), int16(-0x3ff4), int16(1), int16(1), int32(60), int16(4), int32(0x0a000001))
		}
	},
	"SMB2": func(r *rand.Rand, d *talk) {
		for i := range uint32(30) {
			d.ask(sized("\xfeSMB\x40\x00\x00\x00", le32(0), le32(i%19), le32(0), le32(0), le32(i), make([]byte, 60)))
			d.say(sized("\xfeSMB\x40\x00\x00\x00", le32(0), le32(i%19), le32(1), le32(0), le32(i), make([]byte, 80)))
		}
	},
	"NetBIOS": func(r *rand.Rand, d *talk) {
		d.ask(int32(-0x7effffbc), "\x20EKEDFEEIEDCACACA\x00", make([]byte, 34))
		d.say(int32(-0x7e000000))
		for range 20 {
			d.ask(sized("\xffSMBr", make([]byte, 27), 0, int16(2), "\x02NT LM 0.12\x00"))
			d.say(int32(0)) // keep-alive
		}
	},
	"LDAP": func(r *rand.Rand, d *talk) {
		for i := range 30 {
			d.ask(0x30, 0x0c, 2, 1, i, 0x60, 7, 2, 1, 3, 4, 0, 0x80, 0)
			d.say(0x30, 0x0c, 2, 1, i, 0x61, 7, 10, 1, 0, 4, 0, 4, 0)
		}
	},
	"Thrift": func(r *rand.Rand, d *talk) {
		for i := range int32(30) {
			d.ask(sized(int32(-0x7ffeffff), sized("ping"), i, 0))
			d.say(sized(int32(-0x7ffefffe), sized("ping"), i, 0))
		}
	},
	"Thrift of old": func(r *rand.Rand, d *talk) {
		for i := range int32(30) {
			d.ask(sized(sized("getAll"), 1, i, "\x0b\x00\x01", sized("key"), 0))
			d.say(sized(sized("getAll"), 2, i, "\x0b\x00\x00", sized("value"), 0))
		}
	},
	"Thrift compact": func(r *rand.Rand, d *talk) {
		for i := range 30 {
			d.ask(sized(0x82, 0x21, i, "\x04ping\x00"))
			d.say(sized(0x82, 0x41, i, "\x04ping\x00"))
		}
	},
	"protobuf": func(r *rand.Rand, d *talk) {
		for i := range 30 {
			d.ask(sized("\x08", i, "\x12\x05hello\x1a\x00"))
			d.say(sized("\x08", i, "\x10\x00\x1a\x05world"))
		}
	},
	"Pulsar": func(r *rand.Rand, d *talk) {
		for i := range 30 {
			d.ask(sized(sized("\x08\x06\x32", 4+i%4, "\x08\x00\x10", make([]byte, i%4), i)))
			d.say(sized(sized("\x08\x07\x3a\x06\x08\x00\x10", i, "\x1a\x00")))
		}
	},
	"RocketMQ": func(r *rand.Rand, d *talk) {
		for i := range 30 {
			d.ask(sized(sized(fmt.Sprintf(`{"code":34,"opaque":%d}`, i)), "body"))
			d.say(sized(sized(fmt.Sprintf(`{"code":0,"flag":1,"opaque":%d}`, i))))
		}
	},
	"RMI": func(r *rand.Rand, d *talk) {
		d.ask("JRMI\x00\x02\x4b")
		d.say("\x4e\x00\x0910.0.0.19", int32(40000))
		d.ask(sized("10.0.0.18")[2:], int32(0), "\x50\xac\xed\x00\x05\x77\x22", make([]byte, 34))
		d.say("\x51\xac\xed\x00\x05\x77\x0f\x01", make([]byte, 14))
	},
	"iSCSI": func(r *rand.Rand, d *talk) {
		for i := range int32(30) {
			d.ask(i%2, 0x80, int16(0), int32(0), int64(0), i, int32(-1), i, i, make([]byte, 16))
			d.say(0x20, 0x80, int16(0), int32(0), int64(1)<<(i*2), i, int32(-1), i, i, i, make([]byte, 12))
		}
	},
	"BGP": func(r *rand.Rand, d *talk) {
		marker := strings.Repeat("\xff", 16)
		d.ask(marker, int16(29), "\x01\x04", int16(6501), int16(180), int32(0x0a000001), 0)
		for range 20 {
			d.say(marker, int16(19), 4)
			d.ask(marker, int16(23), 2, int32(0))
		}
	},
	"Modbus": func(r *rand.Rand, d *talk) {
		for i := range int16(40) {
			d.ask(i, int16(0), int16(6), 0, 3, int16(0), int16(10))
			d.say(i, int16(0), int16(23), 0, 3, 20, make([]byte, 20))
		}
	},
	"Diameter": func(r *rand.Rand, d *talk) {
		for i := range int32(20) {
			d.ask(1, 0, 0, 32, 0, 0, 1, 24, int32(0), i, i, int32(264), int32(0x4000000c), int32(1))
			d.say(1, 0, 0, 32, 0, 0, 1, 24, int32(0), i, i, int32(268), int32(0x4000000c), int32(2001))
		}
	},
	"DCE/RPC": func(r *rand.Rand, d *talk) {
		for i := range int32(20) {
			d.ask(5, 0, 0, 3, int32(0), int16(32), int16(0), i, int32(8), int16(0), i, int64(1))
			d.say(5, 0, 2, 3, int32(0), int16(32), int16(0), i, int32(8), int16(0), i, int64(0))
		}
	},
	"RTMP": func(r *rand.Rand, d *talk) {
		d.ask(3, int32(0x100), int32(0), noise(r, 1528))
		d.say(3, int32(0x200), int32(0), noise(r, 1528))
	},
	"type, id and text": func(r *rand.Rand, d *talk) {
		for i := range int32(30) {
			d.ask(sized(i%13+1, i, int16(5), "hello", int32(0)))
			d.say(sized(i%13+1, i, int16(5), "world", int32(0)))
		}
	},
	"id and text": func(r *rand.Rand, d *talk) {
		for i := range int32(60) {
			d.ask(sized(i, sized("a question")))
			d.say(sized(i, sized("an answer")))
		}
	},
	"frames of noise": func(r *rand.Rand, d *talk) {
		for range 40 {
			d.ask(sized(noise(r, 8+r.IntN(200))))
			d.say(sized(noise(r, 4+r.IntN(200))))
		}
	},
	"frames of small numbers": func(r *rand.Rand, d *talk) {
		for range 200 {
			d.ask(sized(small(r, 2+r.IntN(10))))
			d.say(sized(small(r, 1+r.IntN(10))))
		}
	},
	"noise": func(r *rand.Rand, d *talk) {
		for range 40 {
			d.ask(noise(r, 1+r.IntN(1460)))
			d.say(noise(r, 1+r.IntN(1460)))
		}
	},
}

// sizedAll is sized with a length that counts itself.
func sizedAll(parts ...any) []byte {
	b := wire(parts...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b)+4)), b...)
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// small gives n numbers of four bytes, most of them zero or nearly.
func small(r *rand.Rand, n int) (b []byte) {
	for range n {
		b = binary.BigEndian.AppendUint32(b, uint32(r.IntN(1+r.IntN(20))))
	}
	return b
}

// TestForeign: no other protocol on Kafka's port gives a frame, seen from its start, in mid-stream, or of
// one side only; all its bytes are foreign.
func TestForeign(t *testing.T) {
	for name, generate := range foreigners {
		var d talk
		generate(rand.New(rand.NewPCG(5, 9)), &d)
		abroad(t, name, d)
	}
	for word := range uint32(64) { // patterns
		for _, pattern := range []uint32{word, word << 8, word << 16, word<<24 | word<<16 | word<<8 | word, word<<16 | word} {
			var d talk
			for range 12 {
				b := binary.BigEndian.AppendUint32(nil, pattern)
				d.ask([]byte(strings.Repeat(string(b), 10)))
				d.say([]byte(strings.Repeat(string(b), 7)))
			}
			abroad(t, fmt.Sprintf("%08x repeated", pattern), d)
		}
	}
}

// abroad plays a talk in several ways.
func abroad(t *testing.T, name string, d talk) {
	t.Helper()
	var one, other talk
	for _, line := range d {
		if line[0] == '>' {
			one = append(one, line)
		} else {
			other = append(other, line)
		}
	}
	for how, lines := range map[string]talk{"both": d, "one side": one, "the other side": other} {
		if len(lines) == 0 {
			continue
		}
		text := strings.Join(lines, "\n")
		for _, begin := range []string{"syn\n", ""} {
			played := script(t, begin+text)
			for _, size := range []int{1 << 20, 7} {
				n := newNotes()
				s := session.New(session.Config{}, n)
				recut(played, size).play(s)
				balanced(t, s, played)
				l := s.Ledger()
				if len(n.frames) > 0 || l.Foreign != l.Payload {
					t.Errorf("%s, %s, %q, pieces of %d: %d frames %.3q, %+v", name, how, begin, size, len(n.frames), n.frames, l)
				}
			}
		}
	}
}
