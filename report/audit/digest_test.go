package audit

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// enlarged puts a record set of 5 KB before the others of the first topic, where talks are to have large frames.
func (k *talk) enlarged(key, version int16, topics, partitions string, body fields) fields {
	all, ok := body[topics].(list)
	if !k.large || key > 1 || !ok || len(all) == 0 {
		return body
	}
	topic := all[0].(fields)
	parts, ok := topic[partitions].(list)
	if !ok {
		return body
	}
	set := batchOf(func(b *v2) { b.base = 0 }, rec{value: make([]byte, 5000)})
	if key == 0 && version < 3 || key == 1 && version < 4 {
		set = message(1, 0, 0, nil, make([]byte, 5000))
	}
	first := fields{"PartitionIndex": 99, "HighWatermark": 1000, "LastStableOffset": 1000, "Records": set}
	if key == 0 {
		first = fields{"Index": 99, "Records": set}
	}
	topic = copied(topic)
	topic[partitions] = append(list{first}, parts...)
	body = copied(body)
	body[topics] = append(list{topic}, all[1:]...)
	return body
}

func copied(f fields) fields {
	c := fields{}
	for name, v := range f {
		c[name] = v
	}
	return c
}

// found is what was found, but for the packets.
func (k *talk) texts() (texts []string) {
	for i := range k.found {
		f := &k.found[i]
		evidence := slices.Clone(f.Evidence)
		for i := range evidence {
			if strings.Contains(evidence[i].Name, "packet") {
				evidence[i].Value = nil
			}
		}
		texts = append(texts, fmt.Sprintf("%s %s %s %d %s %d %v", f.Rule.ID, f.Severity, f.API, f.Offset, f.Field, f.Correlation, evidence))
	}
	return texts
}

// TestPieces: what is found in a large frame is the same whether it comes in one segment, so that all its bytes are there,
// or in many, so that its record sets are not kept.
func TestPieces(t *testing.T) {
	found, digests := 0, 0
	for _, c := range slices.Concat(ks2Cases, ks3Cases, ks4Cases, ks5Cases, ks7Cases) {
		if c.deep {
			continue
		}
		for what, build := range map[string]func(*talk){"hit": c.hit, "miss": c.miss} {
			var want []string
			for _, pieces := range []int{0, 700, 61} {
				k := newTalk(t, Config{})
				sink := &counted{Audit: k.audit}
				k.sess = session.New(k.audit.SessionConfig(), sink)
				k.tcp = reassembly.New(k.sess.Streams(), reassembly.Config{})
				k.large, k.pieces = true, pieces
				build(k)
				k.end()
				if pieces == 0 {
					want = k.texts()
					found += len(want)
					continue
				}
				digests += sink.digests
				if got := k.texts(); !slices.Equal(got, want) {
					t.Errorf("%s %s in segments of %d bytes:\n%v\nin one:\n%v", c.rule, what, pieces, got, want)
				}
			}
		}
	}
	if found < 100 || digests < 100 {
		t.Errorf("%d findings, %d batches whose bytes were not kept", found, digests)
	}
}

// counted counts the batches whose bytes were not kept.
type counted struct {
	*Audit
	digests int
}

func (c *counted) Frame(f *session.Frame) {
	c.digests += len(f.Digests)
	c.Audit.Frame(f)
}

// What had to be forgotten for the memory limit is a gap: the answer that comes next is not out of order.
func TestForgottenIsAGap(t *testing.T) {
	k := newTalk(t, Config{})
	cfg := k.audit.SessionConfig()
	cfg.Memory = 1 << 20
	k.sess = session.New(cfg, k.audit)
	k.tcp = reassembly.New(k.sess.Streams(), reassembly.Config{})
	p := k.conn()
	p.exchange(keyMetadata, 1, fields{}, fields{})
	p.request(keyMetadata, 1, fields{}).request(keyMetadata, 1, fields{})
	large := make([]byte, 4+3<<20)
	copy(large, encodeResponse(keyMetadata, 1, 2, fields{}))
	k.pieces = 1000
	p.frame(1, large)
	k.pieces = 0
	p.waiting = p.waiting[1:]
	p.answer(fields{})
	k.end()
	if k.sess.Evictions() == 0 {
		t.Fatal("nothing was forgotten")
	}
	for _, f := range k.found {
		if f.Rule.ID == "KS2006" {
			t.Errorf("%s: %s", f.Rule.ID, f.Message)
		}
	}
}

// TestPiecesAllocateNothing: nor does a large frame that comes in pieces, once all is known of its connection.
func TestPiecesAllocateNothing(t *testing.T) {
	k := newTalk(t, Config{})
	p := k.conn()
	packed := batchOf(func(b *v2) { b.attributes = 4 }, rec{value: make([]byte, 9000)})
	asks := asking(0, 0)
	for _, part := range asks["Topics"].(list)[0].(fields)["Partitions"].(list) {
		part.(fields)["PartitionMaxBytes"] = 1 << 20
	}
	asks["MaxBytes"] = 1 << 20
	body := [2][]byte{
		encodeRequest(keyFetch, 12, 0, "app", asks),
		encodeResponse(keyFetch, 12, 0, served(packed, batchOf(nil, rec{value: make([]byte, 4000)}))),
	}
	var frames [2][]byte
	for i, b := range body {
		frames[i] = append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
	}
	round := func() {
		binary.BigEndian.PutUint32(frames[0][8:], uint32(p.next))
		binary.BigEndian.PutUint32(frames[1][4:], uint32(p.next))
		p.next++
		for i, b := range frames {
			for ; len(b) > 1000; b = b[1000:] {
				p.bytes(i, b[:1000])
			}
			p.bytes(i, b)
		}
	}
	for range 300 {
		round()
	}
	before := k.audit.frames
	if n := testing.AllocsPerRun(200, round); n != 0 {
		t.Errorf("%v allocations for 2 frames", n)
	}
	if got := k.audit.frames - before; got != 201*2 {
		t.Fatalf("%d frames were read, %d were sent", got, 201*2)
	}
	k.end()
	for _, f := range k.found {
		if f.Severity > Info {
			t.Errorf("%s: %s", f.Rule.ID, f.Message)
		}
	}
}
