package decode

import (
	"encoding/binary"
	"testing"
)

// produce20k is a Produce 9 request of 20 KB: 4 topics of 5 partitions, 1000 record bytes each.
func produce20k() []byte {
	b := binary.BigEndian.AppendUint16(nil, 0)
	b = append(binary.BigEndian.AppendUint16(b, 9), 0, 0, 0, 1, 0, 6, 'c', 'l', 'i', 'e', 'n', 't', 0)
	b = append(b, 0, 0xff, 0xff, 0, 0, 0x75, 0x30, 4+1)
	for topic := range 4 {
		b = append(b, 7, 't', 'o', 'p', 'i', 'c', byte('0'+topic), 5+1)
		for p := range 5 {
			b = binary.AppendUvarint(append(b, 0, 0, 0, byte(p)), 1000+1)
			b = append(append(b, make([]byte, 1000)...), 0)
		}
		b = append(b, 0)
	}
	return append(b, 0)
}

func BenchmarkTree(b *testing.B) {
	body := produce20k()
	frame := Whole(body)
	var tree Tree
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		tree.Decode(frame, 0, 9, Request)
	}
	if _, bad := tree.Fault(); bad || !tree.Whole() {
		b.Fatal("fault")
	}
}

func BenchmarkView(b *testing.B) {
	body := produce20k()
	var view View
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	partitions := 0
	for b.Loop() {
		h, _, _ := ParseRequestHeader(body)
		view.Begin(h.Key, h.Version, Request, h.Length, len(body))
		partitions = 0
		for s := Topic; s < End; {
			if _, s = view.Next(body, 0); s == Partition {
				partitions++
			}
		}
	}
	if _, bad := view.Fault(); bad || partitions != 20 {
		b.Fatal("fault")
	}
}

func BenchmarkJSON(b *testing.B) {
	body := produce20k()
	var tree Tree
	tree.Decode(Whole(body), 0, 9, Request)
	var text []byte
	b.ReportAllocs()
	for b.Loop() {
		text = (&JSON{}).Append(text[:0], tree.Body())
	}
}

// BenchmarkVectors decodes one frame of each (API, kind, version).
func BenchmarkVectors(b *testing.B) {
	all := sample(b)
	frames := make([]Frame, len(all))
	for i := range all {
		frames[i] = Whole(all[i].bytes(b))
	}
	var tree Tree
	b.ReportAllocs()
	nodes := 0
	for b.Loop() {
		nodes = 0
		for i, v := range all {
			tree.Decode(frames[i], v.Key, v.Version, v.kind())
			nodes += len(tree.Nodes)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/frame")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*nodes), "ns/node")
}
