package records

import (
	"encoding/binary"
	"testing"
)

// equalSums compares what SumStraight says of each batch of a set with what the Reader says, and gives how many it read.
func equalSums(t testing.TB, set []byte) (straight int) {
	var r Reader
	r.Reset(set, len(set), Options{Plain: true})
	defer r.Close()
	for r.NextBatch() {
		if !r.Opened || r.Batch.Codec != None || r.Batch.Magic != 2 {
			if whole := set[r.Batch.Pos:min(len(set), r.Batch.Pos+r.Batch.Size)]; SumStraight(&r.Batch, whole, new(Sums)) {
				t.Errorf("a batch of format %d, codec %s, was read", r.Batch.Magic, r.Batch.Codec)
			}
			continue
		}
		var quick, plain Sums
		ok := SumStraight(&r.Batch, set[r.Batch.Pos:r.Batch.Pos+r.Batch.Size], &quick)
		if r.Sum(&plain); ok != (plain.Fault.Code == 0) || ok && quick != plain {
			t.Errorf("%v %+v, a Reader says %+v", ok, quick, plain)
		}
		if ok {
			straight++
		}
	}
	return straight
}

func TestSumStraight(t *testing.T) {
	n := 0
	for _, v := range samples(t) {
		n += equalSums(t, v.set)
		for at := range v.set {
			equalSums(t, v.set[:at])
			if at < 400 {
				changed := append([]byte(nil), v.set...)
				changed[at] ^= 1 << (at % 8)
				equalSums(t, changed)
			}
		}
	}
	if n == 0 {
		t.Error("no batch was read straight")
	}
}

// What the sums are of three records is written here, byte by byte.
func TestSums(t *testing.T) {
	records := [][]byte{
		{0, 4, 0, 1, 1, 0},                    // 2 ms later, no key, no value
		{2, 1, 4, 2, 'k', 0, 2, 2, 'h', 2, 5}, // 1 ms earlier, delta 2, key k, a header h
		{0, 0, 4, 0, 1, 2, 2, 'h', 1},         // the key is empty, the header null
	}
	set := batchOf(records, 1000)
	var b Batch
	b.parse(set, 0)
	var s Sums
	if !SumStraight(&b, set, &s) {
		t.Fatal("gave up")
	}
	if want := (Sums{Read: 3, Disorder: 1, Keyless: 0, Timeless: 0, First: 1002, Most: 1002, Bits: 2}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	set = batchOf(records[:1], -3)
	b.parse(set, 0)
	if SumStraight(&b, set, &s); s.Timeless != 1 || s.First != -1 {
		t.Errorf("%+v: the record's timestamp is -1", s)
	}
	if n := testing.AllocsPerRun(100, func() { SumStraight(&b, set, &s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// batchOf joins records to a batch of format 2 with this base timestamp. Its checksum is 0.
func batchOf(records [][]byte, base int64) []byte {
	b := make([]byte, headV2)
	b[magicAt] = 2
	binary.BigEndian.PutUint32(b[23:], uint32(len(records)-1))
	binary.BigEndian.PutUint64(b[27:], uint64(base))
	binary.BigEndian.PutUint32(b[57:], uint32(len(records)))
	for _, r := range records {
		b = append(binary.AppendVarint(b, int64(len(r))), r...)
	}
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-setHead))
	return b
}

func BenchmarkSums(b *testing.B) {
	var records [][]byte
	for range 100 {
		records = append(records, append([]byte{0, 0, 0, 1, 120}, make([]byte, 61)...))
	}
	set := batchOf(records, 1000)
	var head Batch
	head.parse(set, 0)
	b.Run("straight", func(b *testing.B) {
		var s Sums
		for b.Loop() {
			if !SumStraight(&head, set, &s) {
				b.Fatal("gave up")
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(100*b.N), "ns/record")
	})
	b.Run("Reader", func(b *testing.B) {
		var s Sums
		var r Reader
		for b.Loop() {
			for r.Reset(set, len(set), Options{Plain: true}); r.NextBatch(); {
				r.Sum(&s)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(100*b.N), "ns/record")
	})
}
