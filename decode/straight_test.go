package decode

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
)

// told gives what a Straight read as a View's events, as far as a Straight is asked for it.
func told(s *Straight, body []byte) (events []event) {
	last := int32(-1)
	topic := func(x *Piece) {
		if x.Topic == last {
			return
		}
		e := event{status: Topic, name: string(x.Name(body))}
		if x.Size < 0 {
			e.item.ID = *x.ID(body)
		}
		last = x.Topic
		events = append(events, e)
	}
	for i := range s.Parts {
		x := &s.Parts[i]
		topic(x)
		events = append(events, event{status: Partition, item: Item{
			Index: x.Index, ErrorCode: x.ErrorCode, FetchOffset: x.FetchOffset, HighWatermark: x.HighWatermark,
			LastStableOffset: x.LastStableOffset, MaxBytes: x.MaxBytes, Records: int(x.Records), Length: int(x.Length),
		}})
	}
	for i := range s.Drops {
		topic(&s.Drops[i])
		events = append(events, event{status: Forgotten, item: Item{Index: s.Drops[i].Index}})
	}
	return events
}

// compareStraight checks that what a Straight reads to the end a View reads alike, without any fault, and that it
// gives up nothing but what has faults, tagged fields or error messages. It says whether it read to the end.
func compareStraight(t *testing.T, name string, tree *Tree, v *View, body []byte) bool {
	t.Helper()
	var s Straight
	if !s.Read(tree.Key, tree.Version, tree.Kind, body, tree.Body().Offset()) {
		_, faulty := tree.Fault()
		if plain := !faulty && tree.Key <= 1 && !slices.ContainsFunc(tree.Nodes[tree.body:], unusual); plain {
			t.Fatalf("%s: given up after %+v, the tree has nothing unusual %x at %d", name, told(&s, body), body, tree.Body().Offset())
		}
		return false
	}
	want, ended := byView(v, tree.Key, tree.Version, tree.Kind, tree.Body().Offset(), body, false)
	got, plain := told(&s, body), want[:0]
	for i, e := range want { // a Straight tells topics only where a partition follows, and not all of partitions
		switch {
		case e.status == Topic || e.status == ForgottenTopic:
			if i+1 == len(want) || want[i+1].status != Partition && want[i+1].status != Forgotten {
				continue
			}
			e.status = Topic
		case e.status == Partition:
			e.item.LogStartOffset, e.item.BaseOffset = 0, 0
		}
		plain = append(plain, e)
	}
	if _, faulty := v.Fault(); faulty || ended != End || v.Trailing != 0 {
		t.Fatalf("%s: read straight to the end, but the view has a fault", name)
	}
	if !slices.EqualFunc(got, plain, sameEvent) || s.Facts != v.Facts {
		t.Fatalf("%s: straight\n%+v %+v\nthe view\n%+v %+v", name, got, s.Facts, plain, v.Facts)
	}
	return true
}

// unusual says whether a node makes a Straight give up.
func unusual(n Node) bool {
	switch {
	case n.Kind == Tags:
		return n.Length > 1
	case n.Field == nil:
		return false
	case n.Field.Name == "RecordErrors":
		return n.Length > 4 || n.Length > 1 && n.Length < 4 // not of no elements
	case n.Field.Name == "ErrorMessage":
		return n.Length > 2 || n.Length == 1
	}
	return false
}

// plainMessage writes a message as nearly all are: so many elements in each array, no tagged fields, no errors. With
// one, what is seldom there is not: one topic and partition is all.
func plainMessage(p *plan, i int32, b []byte, elements int) []byte {
	for _, o := range p.blocks[i] {
		name := ""
		if o.field != nil {
			name = o.field.Name
		}
		size := func(n int) {
			switch {
			case o.compact:
				b = binary.AppendUvarint(b, uint64(n+1))
			case o.kind == String:
				b = binary.BigEndian.AppendUint16(b, uint16(n))
			default:
				b = binary.BigEndian.AppendUint32(b, uint32(n))
			}
		}
		switch {
		case o.do == readFixed:
			for range o.size {
				b = append(b, byte(len(b)))
			}
		case o.do == readTags:
			b = append(b, 0)
		case o.do == readStruct:
			b = plainMessage(p, o.block, b, elements)
		case name == "ErrorMessage":
			size(-1)
		case name == "RecordErrors", elements == 1 && (name == "AbortedTransactions" || name == "ForgottenTopicsData"):
			size(0)
		case o.do == readArray:
			size(elements)
			for range elements {
				b = plainMessage(p, o.block, b, elements)
			}
		case o.kind == String:
			size(6)
			b = append(b, "größ"...)
		default:
			size(200)
			b = append(b, make([]byte, 200)...)
		}
	}
	return b
}

// TestStraight reads a plain message of each version, whole and cut, and the vectors that have a View.
func TestStraight(t *testing.T) {
	var tree Tree
	var view View
	for key, last := range map[int16]int16{0: 13, 1: 18} {
		for version := range last + 1 {
			for _, kind := range []Kind{Request, Response} {
				body := make([]byte, 11) // a header: of a request without a client id, or nearly one of a response
				body[1], body[3], body[8], body[9] = byte(key), byte(version), 0xff, 0xff
				at := map[[2]int16]int{{0, 1}: 10, {0, 2}: 11, {1, 0}: 4, {1, 1}: 5}[[2]int16{int16(kind), headerVersion(key, version, kind)}]
				if kind == Response {
					body[4] = 0
				}
				whole := plainMessage(viewPlan(key, version, kind), 0, body[:at], 2)
				name := fmt.Sprintf("%d v%d %s", key, version, kind)
				for n := at; n <= len(whole); n++ {
					tree.Decode(Whole(whole[:n]), key, version, kind)
					if compareStraight(t, fmt.Sprintf("%s cut at %d", name, n), &tree, &view, whole[:n]) != (n == len(whole)) {
						t.Errorf("%s: %d of %d bytes read to the end, or not", name, n, len(whole))
					}
				}
			}
		}
	}
	took, all := 0, 0
	for _, v := range viewed(t) {
		if v.Key > 1 {
			continue
		}
		body := v.bytes(t)
		tree.Decode(Whole(body), v.Key, v.Version, v.kind())
		all++
		if compareStraight(t, v.API, &tree, &view, body) {
			took++
		}
	}
	if took*2 < all {
		t.Errorf("only %d of %d vectors were read", took, all)
	}
}

func BenchmarkStraight(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			body := produce20k(shape.topics, shape.partitions)
			var s Straight
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				h, _, _ := ParseRequestHeader(body)
				s.Read(h.Key, h.Version, Request, body, h.Length)
			}
			if len(s.Parts) != shape.topics*shape.partitions {
				b.Fatal("given up")
			}
		})
	}
}
