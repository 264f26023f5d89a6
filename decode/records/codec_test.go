package records

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"ksniff/decode"
)

// text is n bytes that compress, but not to nothing.
func text(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, 0, n+20)
	for len(b) < n {
		b = append(b, "offset partition topic consumer producer broker "[r.IntN(20):20+r.IntN(28)]...)
	}
	return b[:n]
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func zstandard(b []byte, opts ...zstd.EOption) []byte {
	w, _ := zstd.NewWriter(nil, opts...)
	return w.EncodeAll(b, nil)
}

func xerialed(b []byte, block int) []byte {
	out := append([]byte("\x82SNAPPY\x00"), 0, 0, 0, 1, 0, 0, 0, 1)
	for len(b) > 0 {
		n := min(block, len(b))
		s := snappy.Encode(nil, b[:n])
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(s))), s...)
		b = b[n:]
	}
	return out
}

func lz4ed(b []byte, opts ...lz4.Option) []byte {
	var out bytes.Buffer
	w := lz4.NewWriter(&out)
	w.Apply(opts...)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// forms are ways in which the libraries, and the clients that use them, write data.
func forms(b []byte) map[string]struct {
	codec Codec
	data  []byte
} {
	type form = struct {
		codec Codec
		data  []byte
	}
	return map[string]form{
		"gzip":                 {Gzip, gzipped(b)},
		"gzip of two members":  {Gzip, append(gzipped(b[:len(b)/2]), gzipped(b[len(b)/2:])...)},
		"gzip with junk after": {Gzip, append(gzipped(b), "junk"...)},
		"snappy":               {Snappy, snappy.Encode(nil, b)},
		"snappy xerial":        {Snappy, xerialed(b, 32<<10)},
		"snappy xerial twice":  {Snappy, append(xerialed(b[:len(b)/3], 1000), xerialed(b[len(b)/3:], 32<<10)...)},
		"lz4":                  {LZ4, lz4ed(b, lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false))},
		"lz4 checksums":        {LZ4, lz4ed(b, lz4.BlockSizeOption(lz4.Block4Mb), lz4.BlockChecksumOption(true), lz4.ChecksumOption(true))},
		"lz4 sized":            {LZ4, lz4ed(b, lz4.SizeOption(uint64(len(b))))},
		"zstd":                 {Zstd, zstandard(b)},
		"zstd checksum":        {Zstd, zstandard(b, zstd.WithEncoderCRC(true), zstd.WithEncoderLevel(zstd.SpeedFastest))},
		"zstd single segment":  {Zstd, zstandard(b, zstd.WithSingleSegment(true))},
		"zstd window 64 MiB":   {Zstd, zstandard(b, zstd.WithWindowSize(64<<20))},
		"zstd of two frames":   {Zstd, append(zstandard(b[:len(b)/2]), zstandard(b[len(b)/2:])...)},
	}
}

func TestCodecs(t *testing.T) {
	for _, n := range []int{1, 5, 100, 4096, 70_000, 300_000, 9 << 20} {
		b := text(n)
		for name, f := range forms(b) {
			got, code := Inflate(nil, f.data, f.codec, 2, MaxBatch)
			if code != 0 || !bytes.Equal(got, b) {
				t.Errorf("%s of %d bytes: %v, %d bytes", name, n, code, len(got))
			}
			if n > 70_000 {
				continue
			}
			// A cut is a cut, whatever came before it; junk after the end is not always told from it.
			if got, code = Inflate(nil, f.data[:len(f.data)-1], f.codec, 2, MaxBatch); name != "gzip with junk after" && (code != decode.Truncated || !bytes.HasPrefix(b, got)) {
				t.Errorf("%s of %d bytes, cut: %v, %d bytes", name, n, code, len(got))
			}
		}
	}
}

func TestLimitStopsEveryCodec(t *testing.T) {
	b := text(300_000)
	for name, f := range forms(b) {
		if got, code := Inflate(nil, f.data, f.codec, 2, 100_000); code != decode.TooLarge || len(got) > 100_000 || !bytes.HasPrefix(b, got) {
			t.Errorf("%s: %v, %d bytes", name, code, len(got))
		}
	}
}

// Values of XXH32 as the documentation of python-xxhash and the test suite of xxHash have them.
func TestXXH32(t *testing.T) {
	for in, want := range map[string]uint32{
		"": 0x02cc5d05, "a": 0x550d7456, "abc": 0x32d153ff, "Nobody inspects the spammish repetition": 0xe2293b2f,
	} {
		if got := checksum32([]byte(in)); got != want {
			t.Errorf("%q: %08x, want %08x", in, got, want)
		}
		var x xxh32
		x.reset()
		for i := range in {
			x.write([]byte(in[i : i+1]))
		}
		if x.sum() != want {
			t.Errorf("%q byte by byte: %08x", in, x.sum())
		}
	}
}

// The frame header 60 40 has checksum 82; brokers and clients of format 0 write 1a (KAFKA-3160). Both are read
// everywhere; a checksum that does not belong is told.
func TestLZ4HeaderChecksum(t *testing.T) {
	right := lz4ed([]byte("hello"), lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false))
	if !bytes.Equal(right[4:7], []byte{0x60, 0x40, 0x82}) {
		t.Fatalf("%x", right[:7])
	}
	for _, c := range []struct {
		sum   byte
		magic int8
		odd   decode.Code
	}{{0x82, 0, 0}, {0x82, 1, 0}, {0x82, 2, 0}, {0x1a, 0, 0}, {0x1a, 1, decode.LZ4HeaderChecksum}, {0x1a, 2, decode.LZ4HeaderChecksum}, {0x55, 0, decode.LZ4HeaderChecksum}} {
		data := bytes.Clone(right)
		data[6] = c.sum
		var f inflater
		f.reset(LZ4, c.magic, data, MaxBatch)
		if got := f.next(); string(got) != "hello" || f.odd != c.odd {
			t.Errorf("%02x in format %d: %q, odd %v", c.sum, c.magic, got, f.odd)
		}
		if f.next() != nil || f.code != 0 {
			t.Errorf("%02x in format %d: %v", c.sum, c.magic, f.code)
		}
	}
}

// Kafka's own lz4 writer has independent blocks only, the format allows others.
func TestLZ4DependentBlocks(t *testing.T) {
	data, _ := hex.DecodeString("04224d18" + "4040" + "c0" + // version 1, dependent, blocks to 64 KiB
		"10000080" + hex.EncodeToString([]byte("0123456789abcdef")) + // stored
		"09000000" + "04" + "0800" + "50" + hex.EncodeToString([]byte("vwxyz")) + // 8 bytes from 8 before, then 5
		"00000000")
	data[6] = byte(checksum32(data[4:6]) >> 8)
	if got, code := Inflate(nil, data, LZ4, 2, MaxBatch); code != 0 || string(got) != "0123456789abcdef89abcdefvwxyz" {
		t.Errorf("%v %q", code, got)
	}
}

func TestWrongChecksumsOfCodecs(t *testing.T) {
	b := text(1000)
	spoil := func(data []byte, at int) []byte {
		data = bytes.Clone(data)
		data[at] ^= 1
		return data
	}
	all := forms(b)
	for _, c := range []struct {
		name string
		end  int // of the checksum, from the end
	}{{"gzip", 5}, {"lz4 checksums", 1}, {"zstd checksum", 1}} {
		f := all[c.name]
		if _, code := Inflate(nil, spoil(f.data, len(f.data)-c.end), f.codec, 2, MaxBatch); code != decode.CodecChecksum {
			t.Errorf("%s: %v", c.name, code)
		}
	}
}

// What a few bytes claim is not allocated.
func TestClaims(t *testing.T) {
	for name, c := range map[string]struct {
		codec Codec
		hex   string
	}{
		"snappy of 4 GB":             {Snappy, "ffffffff0f0c61626364"},
		"snappy of 60 MB":            {Snappy, "8080ce1c0c61626364"},
		"xerial chunk of 2 GB":       {Snappy, "82534e41505059000000000100000001" + "7fffffff61"},
		"xerial chunk of -1":         {Snappy, "82534e41505059000000000100000001" + "ffffffff00000000"},
		"xerial chunks of 0":         {Snappy, "82534e41505059000000000100000001" + "00000000"},
		"zstd window of 3.75 TB":     {Zstd, "28b52ffd00ff01000061"},
		"zstd window of 2 GB":        {Zstd, "28b52ffd00a8210000616263"},
		"zstd window of 128 MB":      {Zstd, "28b52ffd0088210000616263"},
		"zstd content of 2^62":       {Zstd, "28b52ffde00000000000000040210000616263"},
		"zstd content of 60 MB":      {Zstd, "28b52ffda00000a003210000616263"},
		"zstd of nothing":            {Zstd, ""},
		"lz4 block over its maximum": {LZ4, "04224d1860408200000071"},
		"lz4 of nothing":             {LZ4, ""},
		"gzip of nothing":            {Gzip, ""},
		"snappy of nothing":          {Snappy, ""},
	} {
		data, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(name, err)
		}
		Inflate(nil, data, c.codec, 2, MaxBatch) // pooled decoders
		before := allocated(func() { _, code := Inflate(nil, data, c.codec, 2, MaxBatch); _ = code })
		if before > 18<<20 {
			t.Errorf("%s: %d bytes allocated", name, before)
		}
		if got, code := Inflate(nil, data, c.codec, 2, MaxBatch); len(got) > 4 || code == 0 && name != "zstd window of 128 MB" {
			t.Errorf("%s: %v, %d bytes", name, code, len(got))
		}
	}
}

func FuzzCodecs(f *testing.F) {
	for _, form := range forms(text(300)) {
		f.Add(uint8(form.codec), int8(2), form.data)
	}
	f.Fuzz(func(t *testing.T, codec uint8, magic int8, data []byte) {
		const limit = 1 << 20
		if got, _ := Inflate(nil, data, Codec(codec&7), magic, limit); len(got) > limit {
			t.Errorf("%d bytes", len(got))
		}
	})
}

func BenchmarkCodecs(b *testing.B) {
	plain := text(1 << 20)
	for name, f := range forms(plain) {
		if name != "gzip" && name != "snappy xerial" && name != "lz4" && name != "zstd" {
			continue
		}
		b.Run(name, func(b *testing.B) {
			o := newOpener(1 << 30)
			l := o.level(0)
			b.SetBytes(int64(len(plain)))
			b.ReportAllocs()
			for b.Loop() {
				l.inf.reset(f.codec, 2, f.data, MaxBatch)
				for l.inf.next() != nil {
				}
			}
		})
		b.Run(name+" library alone", func(b *testing.B) {
			b.SetBytes(int64(len(plain)))
			out := make([]byte, len(plain))
			z, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
			r, _ := gzip.NewReader(bytes.NewReader(gzipped(plain)))
			for b.Loop() {
				switch f.codec {
				case Gzip:
					r.Reset(bytes.NewReader(f.data))
					for n, err := 0, error(nil); err == nil; {
						n, err = r.Read(out)
						_ = n
					}
				case Snappy:
					for s := f.data[16:]; len(s) > 0; {
						n := binary.BigEndian.Uint32(s)
						snappy.Decode(out, s[4:4+n])
						s = s[4+n:]
					}
				case LZ4:
					lz4.NewReader(bytes.NewReader(f.data)).Read(out)
				case Zstd:
					z.DecodeAll(f.data, out[:0])
				}
			}
		})
	}
}
