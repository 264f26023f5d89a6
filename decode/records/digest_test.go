package records

import (
	"bytes"
	"testing"
)

// digest gives a set to a Digester in pieces of step bytes, or as many as it wants, and what it asked to keep.
func digest(t testing.TB, d *Digester, set []byte, step int, exact bool) (kept []byte) {
	d.Digests = d.Digests[:0]
	d.Begin(7, len(set), Options{Exact: exact})
	pos, have := 0, 0
	for {
		b := set[min(pos, have):have]
		advance, need, keep, done := d.Next(b)
		if advance < 0 || !done && advance == 0 && need <= len(b) {
			t.Fatalf("no way on: %d bytes, advance %d, need %d", len(b), advance, need)
		}
		if keep {
			kept = append(kept, b[:min(advance, len(b))]...)
		}
		if pos += advance; done {
			if pos != len(set) {
				t.Fatalf("%d bytes of %d", pos, len(set))
			}
			return kept
		}
		if have = max(have, pos, min(pos+max(need, step), len(set))); pos+need > len(set) {
			t.Fatalf("%d bytes wanted at %d of %d", need, pos, len(set))
		}
	}
}

// compareDigests compares a Digester with a Scanner and a Reader.
func compareDigests(t testing.TB, set []byte) {
	var d Digester
	for _, step := range []int{1, 100, len(set)} {
		for _, exact := range []bool{false, true} {
			kept := digest(t, &d, set, step, exact)
			var s Scanner
			if s.Begin(len(set), Options{Exact: exact}); len(set) > 0 {
				s.Next(set)
			}
			if d.Summary != s.Summary {
				t.Fatalf("in pieces of %d: %+v\na Scanner says %+v", step, d.Summary, s.Summary)
			}
			var r Reader
			r.Reset(set, len(set), Options{Plain: true, Exact: exact})
			for i := range d.Digests {
				x := &d.Digests[i]
				if x.Set != 7 {
					t.Fatalf("the set begins at %d", x.Set)
				}
				if x.Left {
					if left := set[x.Pos:]; x.Size != len(left) || !bytes.HasPrefix(left, x.First()) || kept != nil && !bytes.Equal(kept, left) || i+1 != len(d.Digests) {
						t.Fatalf("left at %d: %d bytes, %d kept", x.Pos, x.Size, len(kept))
					}
					break
				}
				var sums Sums
				if !r.NextBatch() {
					t.Fatal("more batches than a Reader has")
				}
				whole, head := set[r.Batch.Pos:r.Batch.Pos+r.Batch.Size], r.Batch
				if x.Summed != (r.Batch.Codec == None) || x.Batch() != head || !bytes.HasPrefix(whole, x.First()) || x.Sum != head.checksum(whole) {
					t.Fatalf("%+v\na Reader says %+v", x, head)
				}
				if r.Sum(&sums); x.Summed && x.Sums.Fault.Code == 0 != (sums.Fault.Code == 0) {
					t.Fatalf("%+v\na Reader says %+v", x.Sums, sums)
				}
				if sums.Fault, x.Sums.Fault = r.fault, r.fault; x.Summed && x.Sums != sums {
					t.Fatalf("%+v\na Reader says %+v", x.Sums, sums)
				}
			}
			if len(d.Digests) == 0 && r.NextBatch() {
				t.Fatal("no digest of a batch")
			}
			r.Close()
		}
	}
}

func TestDigester(t *testing.T) {
	for _, v := range samples(t) {
		compareDigests(t, v.set)
		if len(v.set) < 2000 {
			for n := 0; n < len(v.set); n += 7 {
				compareDigests(t, v.set[:n])
			}
		}
		for at := 0; at < min(len(v.set), 300); at++ {
			changed := append([]byte(nil), v.set...)
			changed[at] ^= 1 << (at % 8)
			compareDigests(t, changed)
		}
	}
}

// A batch with bytes that the capture lacks is given up; those around it are not.
func TestDigesterMissing(t *testing.T) {
	one := batchOf([][]byte{{0, 0, 0, 1, 1, 0}}, 5)
	packed := append([]byte(nil), one...)
	packed[22] = byte(Zstd)
	set := append(append(append([]byte(nil), one...), packed...), one...)
	var d Digester
	d.Begin(0, len(set), Options{})
	at := 0
	for _, b := range [][]byte{one, packed[:65]} {
		advance, _, _, _ := d.Next(b)
		at += advance
	}
	advance, done := d.Missing(1)
	if at += advance; done || at != 2*len(one) {
		t.Fatalf("at %d, %v", at, done)
	}
	if _, _, _, done := d.Next(set[at:]); !done || len(d.Digests) != 2 || d.Digests[1].Pos != 2*len(one) || d.Summary.Messages != 3 {
		t.Errorf("done %v: %+v %+v", done, d.Digests, d.Summary)
	}
}

func TestDigesterAllocatesNothing(t *testing.T) {
	set := bytes.Repeat(batchOf([][]byte{{0, 0, 0, 1, 1, 0}}, 5), 10)
	var d Digester
	if n := testing.AllocsPerRun(100, func() { digest(t, &d, set, 40, false) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
