package decode

import (
	"encoding/binary"
	"testing"
)

// produce20k is a Produce 9 request of 20 KB of record bytes in so many topics and partitions.
func produce20k(topics, partitions int) []byte {
	size := 20_000 / topics / partitions
	b := binary.BigEndian.AppendUint16(nil, 0)
	b = append(binary.BigEndian.AppendUint16(b, 9), 0, 0, 0, 1, 0, 6, 'c', 'l', 'i', 'e', 'n', 't', 0)
	b = append(b, 0, 0xff, 0xff, 0, 0, 0x75, 0x30, byte(topics+1))
	for topic := range topics {
		b = append(b, 7, 't', 'o', 'p', 'i', 'c', byte('0'+topic), byte(partitions+1))
		for p := range partitions {
			b = binary.AppendUvarint(append(b, 0, 0, 0, byte(p)), uint64(size+1))
			b = append(append(b, make([]byte, size)...), 0)
		}
		b = append(b, 0)
	}
	return append(b, 0)
}

// shapes are one topic with 2 partitions, as of a client that batches, and 4 topics with 5 each.
var shapes = []struct {
	name               string
	topics, partitions int
}{{"2", 1, 2}, {"20", 4, 5}}

func BenchmarkTree(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			body := produce20k(shape.topics, shape.partitions)
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
		})
	}
}

func BenchmarkView(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			body := produce20k(shape.topics, shape.partitions)
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
			if _, bad := view.Fault(); bad || partitions != shape.topics*shape.partitions {
				b.Fatal("fault")
			}
		})
	}
}

func BenchmarkJSON(b *testing.B) {
	var tree Tree
	tree.Decode(Whole(produce20k(4, 5)), 0, 9, Request)
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
