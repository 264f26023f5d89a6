package audit

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"ksniff/decode"
)

// set joins batches.
func set(batches ...[]byte) []byte { return bytes.Join(batches, nil) }

// attr gives a batch these attributes.
func attr(bits int) func(b *v2) { return func(b *v2) { b.attributes |= bits } }

var ks3Cases = []ruleCase{
	{rule: "KS3001",
		hit:  produces(7, batchOf(func(b *v2) { b.crc = 1 }, two...)),
		miss: produces(7, batchOf(nil, two...))},
	{rule: "KS3001", // real traffic, one bit flipped
		hit:  func(k *talk) { k.play(flipped(real(k.t, "quickstart.pcap"))) },
		miss: func(k *talk) { k.play(real(k.t, "quickstart.pcap")) }},
	{rule: "KS3002",
		hit:  fetches(2, patched(message(1, 0, 0, nil, []byte("value")), 12, 7)),
		miss: fetches(2, message(1, 0, 0, nil, []byte("value")))},
	{rule: "KS3002", deep: true, // an inner message
		hit:  produces(2, message(1, 1, 0, nil, gzipped(patched(message(1, 0, 0, nil, []byte("value")), 12, 7)))),
		miss: produces(2, message(1, 1, 0, nil, gzipped(message(1, 0, 0, nil, []byte("value")))))},
	{rule: "KS3003",
		hit:  produces(7, batchOf(func(b *v2) { b.length = 1 }, two...)), // beyond the set
		miss: fetches(7, set(batchOf(nil, two...), batchOf(func(b *v2) { b.base, b.length = 2, 1 }, two...)))},
	{rule: "KS3003",
		hit:  produces(7, batchOf(func(b *v2) { b.records, b.length = nil, -1 }, two...)), // 48
		miss: produces(7, batchOf(func(b *v2) { b.records = nil }, two...))},
	{rule: "KS3003",
		hit:  produces(1, patched(message(0, 0, 0, nil, nil), 11, 13)),
		miss: produces(1, message(0, 0, 0, nil, nil))},
	{rule: "KS3003",
		hit:  fetches(2, set(message(1, 0, 0, nil, nil), patched(message(0, 0, 1, nil, []byte("v")), 16, 1))),
		miss: fetches(2, message(1, 0, 0, nil, nil))},
	{rule: "KS3004",
		hit:  produces(7, patched(batchOf(nil, two...), 16, 3)),
		miss: fetches(7, batchOf(nil, two...)[:16])},
	{rule: "KS3005",
		hit:  produces(3, message(1, 0, 0, nil, []byte("v"))),
		miss: produces(2, message(1, 0, 0, nil, []byte("v")))},
	{rule: "KS3006",
		hit:  produces(3, set(batchOf(nil, one...), batchOf(nil, one...))),
		miss: produces(3, batchOf(nil, one...), batchOf(nil, one...))},
	{rule: "KS3006",
		hit:  produces(3, []byte{}),
		miss: produces(2, []byte{})},
	{rule: "KS3006", severity: Warning,
		hit:  produces(3, nil),
		miss: produces(2, nil)},
	{rule: "KS3007",
		hit:  produces(6, batchOf(attr(4), one...)),
		miss: produces(7, batchOf(attr(4), one...))},
	{rule: "KS3008",
		hit:  fetches(9, batchOf(attr(4), one...)),
		miss: fetches(10, batchOf(attr(4), one...))},
	{rule: "KS3009",
		hit:  produces(2, message(1, 4, 0, nil, []byte("v"))),
		miss: produces(7, batchOf(attr(4), one...))},
	{rule: "KS3010",
		hit:  produces(7, batchOf(attr(5), one...)),
		miss: produces(7, batchOf(attr(4), one...))},
	{rule: "KS3010",
		hit:  produces(1, message(0, 4, 0, nil, []byte("v"))),
		miss: produces(1, message(0, 3, 0, nil, []byte("v")))},
	{rule: "KS3011",
		hit:  produces(7, batchOf(func(b *v2) { b.base = 5 }, one...)),
		miss: fetches(7, batchOf(func(b *v2) { b.base = 5 }, one...))},
	{rule: "KS3012",
		hit:  produces(7, batchOf(func(b *v2) { b.last = 2 }, two...)),
		miss: fetches(7, batchOf(func(b *v2) { b.last = 2 }, two...))},
	{rule: "KS3012",
		hit:  produces(7, batchOf(nil)),
		miss: fetches(7, batchOf(nil))},
	{rule: "KS3013",
		hit:  fetches(7, batchOf(func(b *v2) { b.count, b.last = 3, 2 }, two...)),
		miss: fetches(7, batchOf(func(b *v2) { b.last = 2 }, two...))},
	{rule: "KS3013", // bytes remain
		hit:  fetches(7, batchOf(func(b *v2) { b.count = 1 }, two...)),
		miss: fetches(7, batchOf(func(b *v2) { b.last = 40 }, two...))},
	{rule: "KS3013", deep: true,
		hit:  fetches(7, batchOf(func(b *v2) { b.attributes, b.count, b.last, b.compress = 1, 3, 2, gzipped }, two...)),
		miss: fetches(7, batchOf(func(b *v2) { b.attributes, b.compress = 1, gzipped }, two...))},
	{rule: "KS3014",
		hit:  produces(7, batchOf(nil, rec{value: []byte("v"), tail: []byte{0}})),
		miss: produces(7, batchOf(nil, rec{value: []byte("v\x00")}))},
	{rule: "KS3014", deep: true, // no gzip
		hit:  produces(7, batchOf(attr(1), one...)),
		miss: produces(7, batchOf(func(b *v2) { b.attributes, b.compress = 1, gzipped }, one...))},
	{rule: "KS3015",
		hit:  produces(7, batchOf(nil, one[0], one[0])),
		miss: fetches(7, batchOf(func(b *v2) { b.last = 9 }, one[0], rec{delta: 9}))},
	{rule: "KS3016",
		hit:  produces(7, batchOf(func(b *v2) { b.most = 0 }, two...)),
		miss: produces(7, batchOf(nil, one[0], rec{delta: 1, ms: 7}))},
	{rule: "KS3016",
		hit:  produces(7, batchOf(nil, rec{ms: 3}, rec{delta: 1, ms: 3})),
		miss: produces(7, batchOf(nil, rec{}, rec{delta: 1, ms: -3}))},
	{rule: "KS3017",
		hit:  produces(7, batchOf(attr(8), one...)),
		miss: fetches(7, batchOf(attr(8), one...))},
	{rule: "KS3018",
		hit:  func(k *talk) { produce3(k, batchOf(func(b *v2) { b.first, b.most = -1, -1 }, two...)) },
		miss: func(k *talk) { produce3(k, batchOf(func(b *v2) { b.first, b.most = 0, 0 }, two...)) }},
	{rule: "KS3019",
		hit:  produces(7, batchOf(func(b *v2) { b.first, b.most = noon+3601_000, noon+3601_000 }, one...)),
		miss: produces(7, batchOf(func(b *v2) { b.first, b.most = noon+3599_000, noon+3599_000 }, one...))},
	{rule: "KS3019",
		hit:  produces(7, batchOf(func(b *v2) { b.first, b.most = noon/1000, noon/1000 }, one...)), // seconds
		miss: produces(7, batchOf(func(b *v2) { b.first, b.most = noon-6*24*3600_000, noon }, one...))},
	{rule: "KS3019", severity: Error, // refused
		hit:  skewed(32),
		miss: func(k *talk) { produces(7, batchOf(nil, one...))(k) }},
	{rule: "KS3020",
		hit:  produces(7, batchOf(attr(0x100), one...)),
		miss: produces(7, batchOf(attr(0x40), one...))},
	{rule: "KS3020",
		hit:  fetches(7, batchOf(nil, rec{attributes: 1})),
		miss: fetches(7, batchOf(attr(0x10), one...))},
	{rule: "KS3020",
		hit:  produces(2, message(1, 0x10, 0, nil, nil)),
		miss: produces(2, message(1, 0x08, 0, nil, nil))},
	{rule: "KS3021",
		hit:  produces(7, batchOf(attr(0x40), one...)),
		miss: fetches(7, batchOf(attr(0x40), one...))},
	{rule: "KS3022",
		hit:  produces(7, batchOf(attr(0x20), one...)),
		miss: fetches(7, batchOf(attr(0x20), one...))},
	{rule: "KS3023",
		hit:  produces(2, set(message(0, 0, 0, nil, nil), message(1, 0, 1, nil, nil))),
		miss: fetches(2, set(message(0, 0, 0, nil, nil), message(1, 0, 1, nil, nil)))},
	{rule: "KS3023", deep: true,
		hit:  produces(1, message(0, 1, 0, nil, gzipped(message(1, 0, 0, nil, nil)))),
		miss: produces(1, message(0, 1, 0, nil, gzipped(message(0, 0, 0, nil, nil))))},
	{rule: "KS3024", deep: true,
		hit:  produces(2, message(1, 1, 0, nil, gzipped(message(1, 1, 0, nil, gzipped(message(1, 0, 0, nil, nil)))))),
		miss: produces(2, message(1, 1, 0, nil, gzipped(message(1, 0, 0, nil, gzipped(nil)))))},
	{rule: "KS3024", deep: true,
		hit:  produces(2, message(1, 1, 0, nil, nil)),
		miss: produces(2, message(1, 0, 0, nil, nil))},
	{rule: "KS3024", deep: true,
		hit:  produces(2, message(1, 1, 0, nil, gzipped(nil))),
		miss: fetches(2, message(1, 0, 0, nil, []byte{}))},
	{rule: "KS3025", deep: true,
		hit:  produces(2, message(1, 1, 1, nil, gzipped(set(message(1, 0, 0, nil, nil), message(1, 0, 0, nil, nil))))),
		miss: produces(2, message(1, 1, 1, nil, gzipped(set(message(1, 0, 0, nil, nil), message(1, 0, 1, nil, nil)))))},
	{rule: "KS3026", // known from DescribeConfigs
		hit:  func(k *talk) { compact(k, "compact,delete"); k.conn().silent(0, 7, into(0, keylessBatch)) },
		miss: func(k *talk) { compact(k, "delete"); k.conn().silent(0, 7, into(0, keylessBatch)) }},
	{rule: "KS3026", // refused for it
		hit:  refused(87),
		miss: refused(10)},
	{rule: "KS3027",
		hit:  produces(1, message(0, 3, 0, nil, lz4ed(0)(message(0, 0, 0, nil, nil)))),
		miss: produces(1, message(0, 3, 0, nil, lz4ed(0x82^0x9c)(message(0, 0, 0, nil, nil))))},
	{rule: "KS3027",
		hit:  produces(7, batchOf(func(b *v2) { b.attributes, b.compress = 3, lz4ed(1) }, one...)),
		miss: produces(7, batchOf(func(b *v2) { b.attributes, b.compress = 3, lz4ed(0) }, one...))},
	{rule: "KS3028", deep: true,
		hit:  produces(7, batchOf(bomb(65<<20), one...)),
		miss: produces(7, batchOf(bomb(63<<20), one...))},
	{rule: "KS3029",
		hit:  fetches(7, set(batchOf(func(b *v2) { b.base = 5 }, two...), batchOf(func(b *v2) { b.base = 6 }, one...))),
		miss: fetches(7, set(batchOf(func(b *v2) { b.base = 5 }, two...), batchOf(func(b *v2) { b.base = 7 }, one...)))},
	{rule: "KS3030",
		hit:  fetches(3, batchOf(nil, one...)),
		miss: fetches(4, batchOf(nil, one...))},
	{rule: "KS3030",
		hit:  fetches(1, message(1, 0, 0, nil, nil)),
		miss: fetches(2, message(1, 0, 0, nil, nil))},
}

// flipped changes a bit near the end of each Produce request.
func flipped(frames []*wire) []*wire {
	for _, f := range frames {
		if f.kind == decode.Request && f.key == keyProduce {
			f.body[len(f.body)-8] ^= 1
		}
	}
	return frames
}

// produce3 sends the same set in three requests.
func produce3(k *talk, set []byte) {
	p := k.conn()
	for range 3 {
		p.exchange(keyProduce, 7, into(1, set), wrote(0))
	}
}

// skewed produces a record of tomorrow, answered by this error.
func skewed(code int) func(k *talk) {
	return func(k *talk) {
		set := batchOf(func(b *v2) { b.first, b.most = noon+86400_000, noon+86400_000 }, one...)
		k.conn().exchange(keyProduce, 7, into(1, set), wrote(code))
	}
}

var keylessBatch = batchOf(nil, one[0], rec{delta: 1, value: []byte("v")})

// compact lets a broker say which cleanup.policy topic t has.
func compact(k *talk, policy string) {
	k.conn().exchange(keyDescribeConfigs, 1, fields{"Resources": list{fields{"ResourceType": 2, "ResourceName": "t", "ConfigurationKeys": nil}}},
		fields{"Results": list{fields{"ResourceType": 2, "ResourceName": "t", "Configs": list{fields{"Name": "cleanup.policy", "Value": policy}}}}})
}

// refused answers a batch whose second record has no key.
func refused(code int) func(k *talk) {
	return func(k *talk) {
		k.conn().exchange(keyProduce, 8, into(-1, keylessBatch), fields{"Responses": list{fields{"Name": "t",
			"PartitionResponses": list{fields{"Index": 0, "ErrorCode": code, "RecordErrors": list{fields{"BatchIndex": 1}}}}}}})
	}
}

// bomb makes the records decompress to n zeros more.
func bomb(n int) func(b *v2) {
	return func(b *v2) {
		b.attributes, b.compress = 1, gzipped
		b.records = append(binary.AppendVarint(nil, int64(n)), make([]byte, n)...)
	}
}

// What is reported when the answer is there stands in the request: packet and offset go together.
func TestPacketIsThatOfTheFrameWithTheField(t *testing.T) {
	for _, c := range []struct {
		rule  *Rule
		build func(p *peer)
	}{
		{&ks2020, func(p *peer) {
			p.exchange(1, 13, fields{"Topics": list{fields{"Partitions": list{fields{}}}}},
				fields{"Responses": list{fields{"Partitions": list{fields{"ErrorCode": 100}}}}})
		}},
		{&ks3019, func(p *peer) {
			p.exchange(0, 7, into(-1, batchOf(func(b *v2) { b.first, b.most = 0, 0 }, one...)), wrote(32))
		}},
	} {
		k := newTalk(t, Config{})
		p := k.conn().exchange(18, 0, fields{}, fields{})
		sent := k.packet + 1
		c.build(p)
		k.end()
		at := slices.IndexFunc(k.found, func(f Finding) bool { return f.Rule == c.rule })
		if at < 0 {
			t.Errorf("%s was not found", c.rule.ID)
		} else if f := k.found[at]; f.At.Packet != sent || f.Offset < 0 {
			t.Errorf("%s: packet %d offset %d, the request is packet %d", f.Rule.ID, f.At.Packet, f.Offset, sent)
		}
	}
}

// What is behind a length that is too small is not taken for a batch, and a codec that does not exist is not a
// record that is broken; the attributes begin at byte 21 of a batch.
func TestOneMistakeIsOneFinding(t *testing.T) {
	short := batchOf(nil, one...)
	copy(short[8:], i32(40))
	for _, c := range []struct {
		rule *Rule
		set  []byte
		at   int
	}{
		{&ks3003, set(short, batchOf(nil, one...)), 8},
		{&ks3010, batchOf(attr(5), one...), 21},
		{&ks3020, batchOf(attr(0x4000), one...), 21},
	} {
		k := newTalk(t, Config{Deep: true})
		fetches(11, c.set)(k)
		k.end()
		found := slices.DeleteFunc(k.found, func(f Finding) bool { return f.Rule.ID[:3] != "KS3" })
		want := bytes.Index(encodeResponse(1, 11, 1, served(c.set)), c.set) + c.at
		if len(found) != 1 || found[0].Rule != c.rule || found[0].Offset != want {
			t.Errorf("%s at %d: %d findings", c.rule.ID, want, len(found))
			for _, f := range found {
				t.Errorf("  %s at %d: %s", f.Rule.ID, f.Offset, f.Message)
			}
		}
	}
}
