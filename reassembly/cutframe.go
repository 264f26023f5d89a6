package reassembly

import "unsafe"

// part is a frame that comes in pieces.
type part struct {
	frame Frame
	pos   int    // body offset of the next byte to come
	next  int    // body offset of the next wanted byte
	need  int    // wanted from there in one piece
	carry []byte // bytes [next, pos), where next < pos
	kept  []byte // what the frame's Runs point into, by ranges of keeps
	keeps []keep
	held  int64
}

// keep is a range of a body that is kept: [off, off+n), the next n bytes of part.kept.
type keep struct{ off, n int }

// begin starts a frame of which not all is there.
func (t *Cutter) begin(f *cutConn, side, length int) {
	s := &f.sides[side]
	var p *part
	if n := len(t.parts); n > 0 {
		p = t.parts[n-1]
		t.parts = t.parts[:n-1]
		*p = part{kept: p.kept[:0], keeps: p.keeps[:0], frame: Frame{Runs: p.frame.Runs[:0]}}
	} else {
		p = &part{}
	}
	p.frame = Frame{Conn: f.conn, Side: side, Offset: s.offset, First: s.first, Length: length, Runs: p.frame.Runs[:0]}
	s.offset += 4
	s.part, s.state = p, inFrame
	p.want(t.judge.Begin(&p.frame))
}

// want sets what is wanted next; never backwards, never past the end.
func (p *part) want(s Step) {
	p.next = min(max(s.Next, p.next), p.frame.Length)
	p.need = min(max(s.Need, 1), p.frame.Length-p.next)
}

// inside takes bytes within a frame and returns those after it.
func (t *Cutter) inside(f *cutConn, s *cutSide, at Moment, b []byte) []byte {
	p := s.part
	if p.pos == 0 && p.next == 0 && len(b) >= p.frame.Length {
		n := p.frame.Length
		p.pos, s.offset = n, s.offset+int64(n)
		t.doneWhole(f, s, at, b[:n])
		return b[n:]
	}
	for len(b) > 0 && p.pos < p.frame.Length {
		if len(p.carry) == 0 {
			if p.next > p.pos { // skipped: nobody needs them
				n := min(p.next-p.pos, len(b))
				p.pos, b, s.offset = p.pos+n, b[n:], s.offset+int64(n)
				continue
			}
			window := b[:min(len(b), p.frame.Length-p.pos)]
			if len(window) >= p.need {
				used := t.feed(p, window)
				p.pos, b, s.offset = p.pos+used, b[used:], s.offset+int64(used)
				continue
			}
			p.carry = t.buffer(p.need)
		}
		n := min(p.need-len(p.carry), len(b))
		if len(p.carry)+n > cap(p.carry) {
			t.grown(p, n)
		}
		p.carry = append(p.carry, b[:n]...)
		p.pos, b, s.offset = p.pos+n, b[n:], s.offset+int64(n)
		if len(p.carry) >= p.need {
			t.feedCarry(p)
		}
	}
	if p.pos == p.frame.Length && f.proof == nil {
		t.done(f, s, at)
	} else {
		t.account(f, p)
	}
	return b
}

// grown makes room in the carry for n more bytes: for all that is wanted once a quarter of it is there,
// else for four times as much, so that little is copied and no length on the wire is believed.
func (t *Cutter) grown(p *part, n int) {
	room := max(min(p.need, 4*(len(p.carry)+n)), len(p.carry)+n)
	bigger := t.buffer(room)
	if cap(bigger) < room {
		t.release(bigger)
		bigger = make([]byte, 0, room)
	}
	bigger = append(bigger, p.carry...)
	t.release(p.carry)
	p.carry = bigger
}

// feed hands out window, which begins at p.next, and returns how many of its bytes are done with.
func (t *Cutter) feed(p *part, window []byte) int {
	off := p.next
	step := t.judge.Feed(&p.frame, off, window)
	used := min(max(step.Next-off, 0), len(window))
	if used == 0 && (step.Need <= len(window) || off+len(window) == p.frame.Length) { // nothing more to learn
		step = Step{Next: p.frame.Length}
		used = len(window)
	}
	if step.Keep && used > 0 {
		p.kept = append(p.kept, window[:used]...)
		p.keeps = append(p.keeps, keep{off, used})
	}
	p.want(step)
	return used
}

// feedCarry hands out what was gathered, as often as there is enough of it.
func (t *Cutter) feedCarry(p *part) {
	for len(p.carry) > 0 && len(p.carry) >= p.need {
		if p.next == 0 && len(p.carry) == p.frame.Length {
			return // goes to Whole
		}
		used := t.feed(p, p.carry)
		p.carry = p.carry[:copy(p.carry, p.carry[used:])]
		if used == 0 {
			return
		}
	}
	if len(p.carry) == 0 {
		t.release(p.carry)
		p.carry = nil
	}
}

// partCost is what a frame in pieces costs beside its bytes, here and in the Judge; keepCost each range that is kept of it.
const (
	partCost = 2 << 10
	keepCost = int64(unsafe.Sizeof(keep{}))
)

// account keeps the count of held bytes right.
func (t *Cutter) account(f *cutConn, p *part) {
	if p.frame.Dropped {
		return
	}
	if n := int64(cap(p.carry)+cap(p.kept)) + int64(cap(p.keeps))*keepCost + partCost; n != p.held {
		t.hold(f, n-p.held)
		p.held = n
	}
}

// gapInside takes a hole within a frame and returns how much of it lies after the frame.
func (t *Cutter) gapInside(f *cutConn, s *cutSide, at Moment, n int64, unseen bool) int64 {
	p := s.part
	g := int(min(n, int64(p.frame.Length-p.pos)))
	if g > 0 {
		off := p.pos
		p.frame.Missing += g
		p.frame.Unseen = unseen && p.pos+g == p.frame.Length
		p.pos += g
		s.offset += int64(g)
		if p.next < p.pos {
			t.loseCarry(p, max(off, p.next), p.pos)
		}
		t.account(f, p)
	}
	if p.pos == p.frame.Length && f.proof == nil {
		t.done(f, s, at)
	}
	return n - int64(g)
}

// loseCarry hands out what was gathered before a hole at [off, end), and asks how to go on after it.
func (t *Cutter) loseCarry(p *part, off, end int) {
	if len(p.carry) > 0 {
		p.keep(p.next, p.carry)
		step := t.judge.Feed(&p.frame, p.next, p.carry)
		t.release(p.carry)
		p.carry = nil
		if step.Next >= end {
			p.want(step)
			return
		}
	}
	step := t.judge.Lose(&p.frame, off, end-off)
	step.Next = max(step.Next, end)
	p.want(step)
}

func (p *part) keep(off int, b []byte) {
	p.kept = append(p.kept, b...)
	p.keeps = append(p.keeps, keep{off, len(b)})
}

// giveUp forgets what is held of a frame; its end is still known.
func (t *Cutter) giveUp(f *cutConn, s *cutSide) {
	p := s.part
	t.release(p.carry)
	p.carry, p.kept, p.keeps = nil, nil, p.keeps[:0]
	p.frame.Dropped = true
	p.next, p.need = p.frame.Length, 0
	t.judge.Forget(&p.frame)
	t.hold(f, -p.held)
	p.held = 0
}

// done closes the frame in pieces of a side, whole or not.
func (t *Cutter) done(f *cutConn, s *cutSide, at Moment) {
	p := s.part
	if p.next == 0 && len(p.carry) == p.frame.Length {
		t.doneWhole(f, s, at, p.carry)
		return
	}
	if len(p.carry) > 0 { // cut: what was gathered last is still worth a look
		p.keep(p.next, p.carry)
		t.judge.Feed(&p.frame, p.next, p.carry)
	}
	p.runs()
	p.frame.Last = at
	fate := t.judge.Done(&p.frame)
	if p.frame.Cut || p.frame.Dropped || p.frame.Missing > 0 {
		fate = Pending
	}
	t.Ledger.add(fate, int64(4+p.pos-p.frame.Missing))
	t.free(f, s)
}

// doneWhole hands on a frame that came in pieces and lies in one now.
func (t *Cutter) doneWhole(f *cutConn, s *cutSide, at Moment, body []byte) {
	p := s.part
	p.frame.Last, p.frame.Cut = at, false
	p.frame.Runs = append(p.frame.Runs[:0], Run{Off: 0, Bytes: body})
	t.Ledger.add(t.judge.Whole(&p.frame), int64(4+len(body)))
	t.free(f, s)
}

// free ends the part of a side.
func (t *Cutter) free(f *cutConn, s *cutSide) {
	p := s.part
	t.release(p.carry)
	t.hold(f, -p.held)
	if cap(p.kept) > 64<<10 {
		p.kept = nil
	}
	s.part, s.state = nil, atBoundary
	t.parts = append(t.parts, p)
}

// runs makes the frame's Runs of what was kept; ranges that touch are one.
func (p *part) runs() {
	runs, at := p.frame.Runs[:0], 0
	for _, k := range p.keeps {
		b := p.kept[at : at+k.n : at+k.n]
		if n := len(runs); n > 0 && runs[n-1].Off+len(runs[n-1].Bytes) == k.off {
			runs[n-1].Bytes = p.kept[at-len(runs[n-1].Bytes) : at+k.n]
		} else {
			runs = append(runs, Run{Off: k.off, Bytes: b})
		}
		at += k.n
	}
	p.frame.Runs = runs
}
