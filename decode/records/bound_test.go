package records

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"runtime"
	"testing"

	"github.com/golang/snappy"

	"ksniff/decode"
)

// allocated is how many bytes a call allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// batchV2 builds a batch of format 2 around data.
func batchV2(codec Codec, count int, data []byte) []byte {
	b := make([]byte, headV2, headV2+len(data))
	b[magicAt], b[22] = 2, byte(codec)
	binary.BigEndian.PutUint32(b[8:], uint32(headV2-setHead+len(data)))
	binary.BigEndian.PutUint32(b[23:], uint32(count-1))
	binary.BigEndian.PutUint32(b[57:], uint32(count))
	b = append(b, data...)
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], castagnoli))
	return b
}

// wrapper builds a message of format 1 around a value.
func wrapper(codec Codec, value []byte) []byte {
	b := make([]byte, 34, 34+len(value))
	binary.BigEndian.PutUint32(b[8:], uint32(22+len(value)))
	b[16], b[17] = 1, byte(codec)
	binary.BigEndian.PutUint32(b[26:], 0xffffffff)
	binary.BigEndian.PutUint32(b[30:], uint32(len(value)))
	b = append(b, value...)
	binary.BigEndian.PutUint32(b[12:], crc32.ChecksumIEEE(b[16:]))
	return b
}

// zeros are n bytes in zstd, as blocks of one byte repeated 128 KiB times, after the length of a record of 512 MiB.
func zeros(n int) []byte {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 5 << 3, 0, 0, 0x80, 0x80, 0x80, 0x80, 4} // window of 2 MiB, a raw block
	for ; n > 0; n -= 128 << 10 {
		last := uint32(0)
		if n <= 128<<10 {
			last = 1
		}
		h := last | 1<<1 | uint32(min(n, 128<<10))<<3
		b = append(b, byte(h), byte(h>>8), byte(h>>16), 0)
	}
	return b
}

// Many batches that decompress to 64 MiB each, in one set: the work is bounded, and so is the memory.
func TestBombs(t *testing.T) {
	one := batchV2(Zstd, 1, zeros(1<<30))
	legacySet := func(inner []byte) []byte {
		z := gzipped(inner)
		b := binary.BigEndian.AppendUint32(nil, uint32(6+len(z)))
		b = binary.BigEndian.AppendUint32(append(b, 1, byte(Gzip)), crc32.ChecksumIEEE(z))
		return append(b, z...)
	}
	big := make([]byte, 100<<20)
	for name, c := range map[string]struct {
		set  []byte
		opt  Options
		code decode.Code
	}{
		"zstd":          {one, Options{Deep: true}, decode.TooLarge},
		"zstd x60":      {bytes.Repeat(one, 60), Options{Deep: true}, decode.TooLarge},
		"gzip wrapper":  {wrapper(Gzip, gzipped(big)), Options{}, decode.BadLength}, // zeros are no messages
		"legacy gzip":   {legacySet(big), Options{Legacy: true}, decode.BadLength},
		"gzip in gzip":  {batchV2(Gzip, 1, gzipped(gzipped(big))), Options{Deep: true}, decode.BadRecord},
		"v2 inside v2":  {batchV2(Gzip, 1, gzipped(batchV2(None, 1, []byte{12, 0, 0, 0, 1, 1, 0}))), Options{Deep: true}, decode.BadRecord},
		"snappy 60 MB":  {batchV2(Snappy, 1, snappy.Encode(nil, big[:60<<20])), Options{Deep: true}, decode.BadRecord},
		"nothing in it": {wrapper(Gzip, gzipped(nil)), Options{}, 0},
	} {
		var s Summary
		used := allocated(func() { s = scan(t, c.set, c.opt, len(c.set)) })
		const head = 61 // bytes of a v2 batch in front of its records
		if s.Uncompressed > (MaxBatch+head)*int64(max(s.Batches, 1)) {
			t.Errorf("%s: %d bytes out of %d batches", name, s.Uncompressed, s.Batches)
		}
		limit := 32 << 20
		if c.code == decode.BadRecord {
			limit = MaxBatch // a raw snappy block has to be decoded in one piece
		}
		if used > limit {
			t.Errorf("%s allocated %d MiB", name, used>>20)
		}
		if s.Fault.Code != c.code {
			t.Errorf("%s: %v %v", name, s.Fault.Code, s.Fault)
		}
	}
}

func TestNestingIsBounded(t *testing.T) {
	message := []byte{0, 0, 0, 6, 1, 0, 0, 0, 0, 0}
	for depth := range 50 {
		z := gzipped(message)
		b := binary.BigEndian.AppendUint32(nil, uint32(6+len(z)))
		b = binary.BigEndian.AppendUint32(append(b, 1, byte(Gzip)), crc32.ChecksumIEEE(z))
		message = append(b, z...)
		s := scan(t, message, Options{Legacy: true, Deep: true}, len(message))
		if depth < MaxDepth && (s.Faulty || s.Messages != 1 || s.Uncompressed != 10) {
			t.Fatalf("%d wrappers: %+v", depth+1, s)
		}
		if depth >= MaxDepth && (s.Fault.Code != decode.TooDeep || s.Fault.Class != decode.Limit) {
			t.Fatalf("%d wrappers: %+v", depth+1, s)
		}
	}
	// Formats 0 and 1 allow one level; what is deeper is counted and told.
	plain := wrapper(None, []byte("x"))
	once := wrapper(Gzip, gzipped(plain))
	twice := wrapper(Gzip, gzipped(once))
	if s := scan(t, once, Options{}, 1000); s.Faulty || s.Messages != 1 {
		t.Errorf("%+v", s)
	}
	if s := scan(t, twice, Options{}, 1000); s.Fault.Code != decode.BadRecord || s.Messages != 1 {
		t.Errorf("%+v", s)
	}
}

// A gap inside a batch whose head is there costs nothing; a gap over a head ends the set.
func TestMissing(t *testing.T) {
	body := text(5000)
	set := append(batchV2(Snappy, 7, body), batchV2(None, 3, body)...)
	size := len(set) / 2
	for _, c := range []struct {
		from, to          int // missing
		batches, messages int64
		code              decode.Code
	}{
		{100, 4000, 2, 10, 0},
		{size - 10, size, 2, 10, 0},
		{size + 61, size + 62, 2, 10, 0},
		{size - 10, size + 1, 1, 7, decode.Truncated},
		{30, 40, 0, 0, decode.Truncated},
		{size + 20, 2 * size, 1, 7, decode.Truncated},
	} {
		var s Scanner
		s.Begin(len(set), Options{})
		pos, done := 0, false
		for !done {
			shown := set[min(pos, len(set)):]
			if pos <= c.from {
				shown = set[pos:c.from]
			} else if pos < c.to {
				shown = nil
			}
			advance, need, end := s.Next(shown)
			pos, done = pos+advance, end
			if !done && need > 0 && pos+need > c.from && pos < c.to {
				advance, done = s.Missing(c.to - max(c.from, pos))
				pos += advance
			}
		}
		if pos != len(set) || s.Summary.Batches != c.batches || s.Summary.Messages != c.messages || s.Summary.Fault.Code != c.code ||
			c.code != 0 && s.Summary.Fault.Class != decode.Incomplete {
			t.Errorf("%d to %d missing: at %d of %d, %+v", c.from, c.to, pos, len(set), s.Summary)
		}
	}
}

// The head's count is not believed where it cannot be true.
func TestImpossibleCount(t *testing.T) {
	for _, count := range []uint32{0x7fffffff, 0xffffffff, 3} {
		b := batchV2(None, 1, []byte{12, 0, 0, 0, 1, 1, 0})
		binary.BigEndian.PutUint32(b[57:], count)
		s := scan(t, b, Options{}, len(b))
		if s.Fault.Code != decode.CountMismatch || s.Batches != 1 || s.Messages != 0 {
			t.Errorf("count %x: %+v", count, s)
		}
	}
}

func TestScannerAllocatesNothing(t *testing.T) {
	for i, v := range samples(t) {
		for _, deep := range []bool{false, true} {
			scan(t, v.set, Options{Deep: deep}, len(v.set))
			if n := testing.AllocsPerRun(20, func() { scan(t, v.set, Options{Deep: deep}, len(v.set)) }); n >= 1 {
				t.Errorf("sample %d (magic %d %s), deep %v: %v allocations", i, v.Magic, v.Codec, deep, n)
			}
		}
	}
}

func FuzzRecords(f *testing.F) {
	for _, v := range samples(f) {
		f.Add(v.set, false)
	}
	f.Add([]byte{0, 0, 0, 6, 1, 0, 0, 0, 0, 0, 0, 0}, true)
	f.Fuzz(func(t *testing.T, set []byte, legacy bool) {
		for _, deep := range []bool{false, true} {
			opt := Options{Deep: deep, Legacy: legacy}
			if whole, pieces := scan(t, set, opt, len(set)), scan(t, set, opt, 1); whole != pieces {
				t.Errorf("whole %+v\nin pieces %+v", whole, pieces)
			}
		}
		answer(t, set)
		equalSums(t, set)
		compareDigests(t, set)
	})
}

func BenchmarkScanner(b *testing.B) {
	set := bytes.Repeat(batchV2(LZ4, 100, text(16<<10)), 16)
	var s Scanner
	b.ReportAllocs()
	for b.Loop() {
		s.Begin(len(set), Options{})
		s.Next(set)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(16*b.N), "ns/batch")
}

func BenchmarkPlain(b *testing.B) {
	set := bytes.Repeat(batchV2(LZ4, 100, text(16<<10)), 16)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, _, _, ok := Plain(set); !ok {
			b.Fatal("given up")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(16*b.N), "ns/batch")
}
