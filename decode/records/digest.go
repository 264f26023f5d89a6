package records

import "hash/crc32"

// Digest is what is kept of a batch whose bytes are not.
type Digest struct {
	Set  int // where its set begins, as it was given to Begin
	Pos  int // of its first byte in the set
	Size int // its bytes
	Head [digestHead]byte
	Sum  uint32 // what its checksum should be
	IEEE uint32 // the same by the other polynomial, 0 unless Digester.Both
	// Left marks what is left of the set from Pos on and cannot be taken batch by batch: it is no batch.
	// Its bytes are kept unless it is a partial batch, or one with an impossible length or format.
	Left bool
	// Summed says that the batch is not compressed, and Sums what its records are.
	Summed bool
	Sums   Sums
}

// digestHead covers the head of a batch and that of an lz4 frame.
const digestHead = 80

// maxDigests bounds those of a frame: batches after them are not kept.
const maxDigests = 1 << 17

// First are the first bytes of the batch: 80, or all. Of what is left they are 61.
func (d *Digest) First() []byte {
	if d.Left {
		return d.Head[:min(d.Size, headV2)]
	}
	return d.Head[:min(d.Size, digestHead)]
}

// Batch reads the head.
func (d *Digest) Batch() (b Batch) {
	b.parse(d.First(), d.Pos)
	return b
}

// Digester is a Scanner (neither Legacy nor Deep) for those who want to know of each batch what takes all its bytes, of
// sets that come in pieces: it computes checksums as the bytes pass. Only batches that are not compressed are wanted
// in one piece, and what is no batch of format 2.
type Digester struct {
	Scanner
	Digests []Digest // of all sets since it was emptied
	Both    bool     // checksums are computed by both polynomials: somebody mistakes one for the other
	at      int      // of the set
	open    int      // bytes of the open batch to come
	whole   bool     // it is wanted in one piece
	sum     uint32   // of its bytes so far
	dropped bool     // it is not kept
	reader  Reader
}

// Begin starts on a set of size bytes that begins at an offset of the frame.
func (d *Digester) Begin(at, size int, opt Options) {
	d.Scanner.Begin(size, opt)
	d.at, d.open, d.dropped = at, 0, false
}

// Next is as a Scanner's; keep says that of the bytes that advance covers the caller must keep those that it was shown.
func (d *Digester) Next(b []byte) (advance, need int, keep, done bool) {
	for {
		here := b[min(advance, len(b)):]
		switch {
		case d.open > 0:
			if d.whole && len(here) < d.open {
				return advance, d.open, false, false
			}
			if len(here) == 0 {
				return advance, 1, false, false
			}
			n := min(d.open, len(here))
			d.pass(here[:n])
			advance += n
		case d.done || d.pos == d.size:
			d.Scanner.finish()
			return advance, 0, false, true
		default:
			rest := d.size - d.pos
			if want := min(rest, headV2); len(here) < want {
				return advance, want, false, false
			}
			size, _, bad := edge(here, rest, d.pos)
			if !bad && size >= headV2 && here[magicAt] == 2 && size <= MaxOpen {
				d.begin(here, size)
				d.Scanner.Next(here[:headV2])
				continue
			}
			keep = !bad && size > 0                        // else it ends here
			if keep && (advance > 0 || len(here) < rest) { // all of it, and nothing before it
				return advance, rest, false, false
			}
			d.left(here, rest)
			step, _, done := d.Scanner.Next(here)
			return advance + step, 0, keep, done
		}
	}
}

// begin starts on a batch of format 2.
func (d *Digester) begin(b []byte, size int) {
	d.open, d.sum, d.whole = size, 0, Codec(b[22]&7) == None
	d.dropped = len(d.Digests) >= maxDigests
	if !d.dropped {
		d.Digests = append(d.Digests, Digest{Set: d.at, Pos: d.pos, Size: size})
		copy(d.Digests[len(d.Digests)-1].Head[:], b[:headV2])
	}
}

// pass takes bytes of the open batch.
func (d *Digester) pass(b []byte) {
	if d.dropped {
		d.open -= len(b)
		return
	}
	x := &d.Digests[len(d.Digests)-1]
	done := x.Size - d.open
	if done < digestHead {
		copy(x.Head[done:], b)
	}
	if skip := max(21-done, 0); skip < len(b) {
		d.sum = crc32.Update(d.sum, castagnoli, b[skip:])
		if d.Both {
			x.IEEE = crc32.Update(x.IEEE, crc32.IEEETable, b[skip:])
		}
	}
	if d.open -= len(b); d.open > 0 {
		return
	}
	x.Sum = d.sum
	batch := x.Batch()
	if d.Both = d.Both || batch.CRC != x.Sum; !d.whole {
		return
	}
	if batch.CRC != x.Sum {
		x.IEEE = crc32.ChecksumIEEE(b[21:])
	}
	x.Summed = true
	if !SumStraight(&batch, b, &x.Sums) {
		d.reader.Reset(b, len(b), Options{Plain: true})
		d.reader.NextBatch()
		d.reader.Batch.Pos = x.Pos
		d.reader.Sum(&x.Sums)
		d.reader.Close()
	}
}

// left notes what is left of the set.
func (d *Digester) left(b []byte, rest int) {
	if len(d.Digests) < maxDigests {
		x := Digest{Set: d.at, Pos: d.pos, Size: rest, Left: true}
		copy(x.First(), b)
		d.Digests = append(d.Digests, x)
	}
}

// Missing is as a Scanner's: of the bytes that were asked for, n are not in the capture. The batch is given up.
func (d *Digester) Missing(n int) (advance int, done bool) {
	if d.open > 0 {
		if advance, d.open = d.open, 0; !d.dropped {
			d.Digests = d.Digests[:len(d.Digests)-1]
		}
		return advance, d.pos == d.size
	}
	return d.Scanner.Missing(n)
}
