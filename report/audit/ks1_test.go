package audit

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"time"
)

// Requests and answers of 0.6 and 0.7, built by hand as NOTES of the protocol have them.

func i16(n int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(n)) }
func i32(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
func i64(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// legacyMsg is a message of magic 1 with its length; edits change it behind the length, before or after
// the checksum as they like.
func legacyMsg(attributes byte, payload string, edits ...func(m []byte)) []byte {
	m := join([]byte{1, attributes}, i32(int(crc32.ChecksumIEEE([]byte(payload)))), []byte(payload))
	for _, edit := range edits {
		edit(m)
	}
	return join(i32(len(m)), m)
}

func topicOf(name string) []byte { return join(i16(len(name)), []byte(name)) }

func produceTo(topic string, partition int, set []byte) []byte {
	return join(i16(0), topicOf(topic), i32(partition), i32(len(set)), set)
}

func fetchFrom(topic string, partition, offset, most int) []byte {
	return join(i16(1), topicOf(topic), i32(partition), i64(offset), i32(most))
}

func offsetsOf(topic string, when, most int) []byte {
	return join(i16(4), topicOf(topic), i32(0), i64(when), i32(most))
}

func offsetsAnswer(offsets ...int) []byte {
	b := join(i16(0), i32(len(offsets)))
	for _, o := range offsets {
		b = append(b, i64(o)...)
	}
	return b
}

func multiFetch(count int, parts ...[]byte) []byte {
	b := join(i16(2), i16(count))
	for _, p := range parts {
		b = append(b, p[2:]...)
	}
	return b
}

func setOf(code int, set []byte) []byte { return join(i32(2+len(set)), i16(code), set) }

// legacyTalk is a connection that is proven legacy by a good PRODUCE, then has these frames: requests,
// and answers where the first byte of the pair says so.
func legacyTalk(frames ...sent) func(k *talk) { return func(k *talk) { legacyOn(k, frames...) } }

type sent struct {
	side int
	body []byte
}

func ask(b []byte) sent   { return sent{0, b} }
func reply(b []byte) sent { return sent{1, b} }

func legacyOn(k *talk, frames ...sent) *peer {
	p := k.conn()
	p.frame(0, produceTo("t", 0, legacyMsg(0, "hello")))
	for _, f := range frames {
		p.frame(f.side, f.body)
	}
	return p
}

func zipped(b []byte) string { return string(gzipped(b)) }

var twoMessages = join(legacyMsg(0, "hello"), legacyMsg(0, "world")) // 15 bytes each

// closing has the broker close the connection after a PRODUCE.
func closing(after time.Duration) func(k *talk) {
	return func(k *talk) {
		p := legacyOn(k)
		k.wait(after)
		p.fin(1)
	}
}

var ks1Cases = []ruleCase{
	{rule: "KS1001",
		hit: func(k *talk) {
			p := k.conn()
			p.exchange(18, 0, fields{}, fields{})
			p.bytes(0, join(i32(-2), i64(7)))
		},
		miss: func(k *talk) {
			p := k.conn()
			p.exchange(18, 0, fields{}, fields{})
			p.lose(0, 4)
			p.bytes(0, join(i32(-2), i64(7)))
		}},
	{rule: "KS1002",
		hit: func(k *talk) {
			p := k.conn()
			p.exchange(18, 0, fields{}, fields{})
			p.bytes(0, join(i32(104857601), i64(7)))
		},
		miss: func(k *talk) {
			p := k.conn()
			p.exchange(18, 0, fields{}, fields{})
			p.bytes(0, join(i32(104857600), encodeHeader(0, 3, 2, "app")))
		}},
	{rule: "KS1002", severity: Error, // the broker shows that the limit is as it is by default
		hit: func(k *talk) {
			p := k.conn()
			p.exchange(18, 0, fields{}, fields{})
			p.bytes(0, join(i32(104857601), i64(7)))
			p.rst(1)
		},
		miss: func(k *talk) {
			p := k.conn()
			p.exchange(18, 0, fields{}, fields{})
			p.bytes(0, join(i32(104857600), encodeHeader(0, 3, 2, "app")))
			p.rst(1)
		}},
	{rule: "KS1002", // tokens in SaslAuthenticate requests have the smaller limit too
		hit:  func(k *talk) { k.conn().request(36, 0, fields{"AuthBytes": make([]byte, 524288)}) },
		miss: func(k *talk) { k.conn().request(36, 0, fields{"AuthBytes": make([]byte, 524200)}) }},
	{rule: "KS1003", hit: legacyTalk(ask(join(i16(7), topicOf("t"), i32(0)))), miss: legacyTalk(ask(offsetsOf("t", -1, 1)))},
	{rule: "KS1004", hit: legacyTalk(ask(fetchFrom("t", 0, 0, 100)[:20])), miss: legacyTalk(ask(fetchFrom("t", 0, 0, 100)))},
	{rule: "KS1004", severity: Warning,
		hit:  legacyTalk(ask(join(fetchFrom("t", 0, 0, 100), []byte{1, 2, 3}))),
		miss: legacyTalk(ask(fetchFrom("t", 0, 0, 100)))},
	{rule: "KS1005", hit: legacyTalk(reply(join(i16(0), i32(0)))), miss: legacyTalk(ask(fetchFrom("t", 0, 0, 100)), reply(i16(0)))},
	{rule: "KS1006",
		hit:  legacyTalk(ask(offsetsOf("t", -1, 2)), reply(join(offsetsAnswer(30, 0), i64(0)))),
		miss: legacyTalk(ask(offsetsOf("t", -1, 2)), reply(offsetsAnswer(30, 0)))},
	{rule: "KS1007", hit: closing(100 * time.Millisecond), miss: closing(2 * time.Second)},
	{rule: "KS1007", // also by RST, and where the broker has answered other requests
		hit: func(k *talk) {
			legacyOn(k, ask(offsetsOf("t", -1, 1)), reply(offsetsAnswer(0)), ask(produceTo("t", 9, legacyMsg(0, "x")))).rst(1)
		},
		miss: func(k *talk) { // a broker that goes down
			p := legacyOn(k, ask(produceTo("t", 0, legacyMsg(0, "x"))))
			q := legacyOn(k, ask(produceTo("t", 0, legacyMsg(0, "x"))))
			p.fin(1)
			q.fin(1)
		}},
	{rule: "KS1006", // an answer with an error needs no body
		hit:  legacyTalk(ask(offsetsOf("t", -1, 1)), reply(join(i16(0), i32(2), i64(1)))),
		miss: legacyTalk(ask(offsetsOf("t", -1, 1)), reply(i16(3)))},
	{rule: "KS1008", // a log begins with a message, also where nothing else is known of it
		hit:  legacyTalk(ask(fetchFrom("t", 0, 0, 100)), reply(join(i16(0), legacyMsg(0, "x", func(m []byte) { m[0] = 7 })))),
		miss: legacyTalk(ask(fetchFrom("t", 0, 9, 100)), reply(join(i16(0), legacyMsg(0, "x", func(m []byte) { m[0] = 7 }))))},
	{rule: "KS1011", // an answer that may be another request's, since bytes are missing
		hit: legacyTalk(ask(fetchFrom("t", 0, 0, 100)), reply(join(i16(0), i32(0), i32(0)))),
		miss: func(k *talk) {
			p := legacyOn(k, ask(offsetsOf("t", -1, 1)), reply(offsetsAnswer(0)), ask(fetchFrom("t", 0, 0, 100)))
			p.lose(1, 30)
			p.lose(0, 30) // OFFSETS
			p.frame(1, offsetsAnswer())
		}},
	{rule: "KS1010", deep: true, // messages in a compressed one have checksums of their own
		hit:  legacyTalk(ask(produceTo("t", 0, legacyMsg(1, zipped(join(legacyMsg(0, "x"), legacyMsg(0, "y", func(m []byte) { m[5]++ }))))))),
		miss: legacyTalk(ask(produceTo("t", 0, legacyMsg(1, zipped(join(legacyMsg(0, "x"), legacyMsg(0, "y")))))))},
	{rule: "KS1019", // the boundaries are known from another connection
		hit: func(k *talk) {
			legacyOn(k, ask(fetchFrom("t", 0, 0, 100)), reply(join(i16(0), twoMessages)))
			legacyOn(k, ask(fetchFrom("t", 0, 3, 100)))
		},
		miss: func(k *talk) {
			legacyOn(k, ask(fetchFrom("t", 0, 0, 100)), reply(join(i16(0), twoMessages)))
			legacyOn(k, ask(fetchFrom("u", 0, 3, 100)))
		}},
	{rule: "KS1026", // served from before the log's beginning
		hit:  legacyTalk(ask(offsetsOf("t", -2, 1)), reply(offsetsAnswer(50)), ask(fetchFrom("t", 0, 0, 100)), reply(join(i16(0), twoMessages))),
		miss: legacyTalk(ask(offsetsOf("t", -2, 1)), reply(offsetsAnswer(50)), ask(fetchFrom("t", 0, 50, 100)), reply(join(i16(0), twoMessages)))},
	{rule: "KS1008",
		hit:  legacyTalk(ask(produceTo("t", 0, legacyMsg(0, "x", func(m []byte) { m[0] = 2 })))),
		miss: legacyTalk(ask(produceTo("t", 0, legacyMsg(0, "x"))))},
	{rule: "KS1009", hit: legacyTalk(ask(produceTo("t", 0, legacyMsg(3, "x")))), miss: legacyTalk(ask(produceTo("t", 0, legacyMsg(1, zipped(legacyMsg(0, "x"))))))},
	{rule: "KS1009", severity: Warning, hit: legacyTalk(ask(produceTo("t", 0, legacyMsg(4, "x")))), miss: legacyTalk(ask(produceTo("t", 0, legacyMsg(0, "x"))))},
	{rule: "KS1010",
		hit:  legacyTalk(ask(produceTo("t", 0, legacyMsg(0, "x", func(m []byte) { m[5]++ })))),
		miss: legacyTalk(ask(produceTo("t", 0, legacyMsg(0, ""))))},
	{rule: "KS1010", // served from a boundary
		hit: legacyTalk(ask(fetchFrom("t", 0, 0, 100)), reply(join(i16(0), twoMessages)), ask(fetchFrom("t", 0, 15, 100)),
			reply(join(i16(0), legacyMsg(0, "world", func(m []byte) { m[5]++ })))),
		miss: legacyTalk(ask(fetchFrom("t", 0, 3, 100)), reply(join(i16(0), twoMessages[3:])))},
	{rule: "KS1011",
		hit:  legacyTalk(ask(produceTo("t", 0, join(i32(5), []byte{1, 0, 0, 0, 0})))),
		miss: legacyTalk(ask(produceTo("t", 0, join(i32(5), []byte{0, 0, 0, 0, 0}))))},
	{rule: "KS1012",
		hit:  legacyTalk(ask(produceTo("t", 0, twoMessages[:29]))),
		miss: legacyTalk(ask(produceTo("t", 0, twoMessages)))},
	{rule: "KS1013",
		hit:  legacyTalk(ask(fetchFrom("t", 0, 0, 10)), reply(join(i16(0), twoMessages[:10]))),
		miss: legacyTalk(ask(fetchFrom("t", 0, 0, 20)), reply(join(i16(0), twoMessages[:20])))},
	{rule: "KS1014",
		hit:  legacyTalk(ask(offsetsOf("t", -1, 2)), reply(offsetsAnswer(30, 15, 0))),
		miss: legacyTalk(ask(offsetsOf("t", -1, 3)), reply(offsetsAnswer(30, 15, 0)))},
	{rule: "KS1014", // not descending
		hit:  legacyTalk(ask(offsetsOf("t", -1, 2)), reply(offsetsAnswer(0, 30))),
		miss: legacyTalk(ask(offsetsOf("t", -1, 2)), reply(offsetsAnswer(30, 0)))},
	{rule: "KS1015", hit: legacyTalk(ask(offsetsOf("t", -3, 1))), miss: legacyTalk(ask(offsetsOf("t", -2, 1)))},
	{rule: "KS1015", severity: Error, hit: legacyTalk(ask(offsetsOf("t", -1, -1))), miss: legacyTalk(ask(offsetsOf("t", -1, 1)))},
	{rule: "KS1016", hit: legacyTalk(ask(fetchFrom("t", -1, 0, 100))), miss: legacyTalk(ask(fetchFrom("t", 0, 0, 100)))},
	{rule: "KS1016", severity: Info, hit: legacyTalk(ask(produceTo("t", -1, twoMessages))), miss: legacyTalk(ask(produceTo("t", 1, twoMessages)))},
	{rule: "KS1017", hit: legacyTalk(ask(produceTo("a/b", 0, twoMessages))), miss: legacyTalk(ask(produceTo("a.b", 0, twoMessages)))},
	{rule: "KS1018",
		hit:  legacyTalk(ask(join(i16(1), i16(4), []byte("café"), i32(0), i64(0), i32(100)))),
		miss: legacyTalk(ask(join(i16(1), i16(5), []byte("café"), i32(0), i64(0), i32(100))))},
	{rule: "KS1019",
		hit:  legacyTalk(ask(fetchFrom("t", 0, 0, 100)), reply(join(i16(0), twoMessages)), ask(fetchFrom("t", 0, 10, 100))),
		miss: legacyTalk(ask(fetchFrom("t", 0, 0, 100)), reply(join(i16(0), twoMessages)), ask(fetchFrom("t", 0, 15, 100)), reply(i16(0)), ask(fetchFrom("t", 0, 40, 100)))},
	{rule: "KS1020", hit: legacyTalk(ask(fetchFrom("t", 0, 0, 100)), reply(i16(6))), miss: legacyTalk(ask(fetchFrom("t", 0, 0, 100)), reply(i16(3)))},
	{rule: "KS1021",
		hit: legacyTalk(ask(multiFetch(2, fetchFrom("t", 0, 0, 100), fetchFrom("t", 1, 0, 100))), reply(join(i16(0), setOf(0, twoMessages)))),
		miss: legacyTalk(ask(multiFetch(2, fetchFrom("t", 0, 0, 100), fetchFrom("t", 1, 0, 100))),
			reply(join(i16(0), setOf(0, twoMessages), setOf(0, nil))))},
	{rule: "KS1022", hit: legacyTalk(ask(multiFetch(-1))), miss: legacyTalk(ask(multiFetch(1, fetchFrom("t", 0, 0, 100))))},
	{rule: "KS1022", severity: Warning, hit: legacyTalk(ask(multiFetch(0))), miss: legacyTalk(ask(multiFetch(1, fetchFrom("t", 0, 0, 100))))},
	{rule: "KS1023",
		hit:  legacyTalk(ask(fetchFrom("t", 0, 0, 29)), reply(join(i16(0), twoMessages))),
		miss: legacyTalk(ask(fetchFrom("t", 0, 0, 30)), reply(join(i16(0), twoMessages)))},
	{rule: "KS1024",
		hit:  legacyTalk(ask(produceTo("t", 0, legacyMsg(0, string(make([]byte, 1000001)))))),
		miss: legacyTalk(ask(produceTo("t", 0, legacyMsg(0, string(make([]byte, 1000000))))))},
	{rule: "KS1025", deep: true,
		hit:  legacyTalk(ask(produceTo("t", 0, legacyMsg(1, zipped(legacyMsg(1, zipped(legacyMsg(0, "x")))))))),
		miss: legacyTalk(ask(produceTo("t", 0, legacyMsg(1, zipped(legacyMsg(0, "x"))))))},
	{rule: "KS1026",
		hit: legacyTalk(ask(fetchFrom("t", 0, 0, 100)), reply(join(i16(0), twoMessages)), ask(offsetsOf("t", -1, 1)), reply(offsetsAnswer(15))),
		miss: legacyTalk(ask(fetchFrom("t", 0, 0, 100)), reply(join(i16(0), twoMessages)), ask(offsetsOf("t", -1, 1)), reply(offsetsAnswer(30)),
			ask(offsetsOf("t", -1, 1)), reply(offsetsAnswer(0)))},
}
