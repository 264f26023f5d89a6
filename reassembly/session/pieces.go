package session

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/reassembly"
)

// A frame up to smallFrame is gathered before it is read; of a larger one that has a view only what the
// reader wants is. Frames of other APIs are gathered up to maxGathered.
const (
	smallFrame  = 4 << 10
	maxGathered = 16 << 20
)

// Begin implements reassembly.Judge.
func (j *judge) Begin(f *reassembly.Frame) reassembly.Step {
	c := of(f.Conn)
	c.seen[f.Side] = true
	if f.Length <= smallFrame || c.gen != Modern {
		return gather(f)
	}
	if j.session().digests() {
		return reassembly.Step{Need: smallFrame} // in which what is wrong with the form of a frame mostly shows
	}
	return reassembly.Step{Need: 14}
}

func gather(f *reassembly.Frame) reassembly.Step {
	if f.Length <= maxGathered {
		return reassembly.Step{Need: f.Length}
	}
	return reassembly.Step{Need: 64 << 10}
}

// Feed implements reassembly.Judge.
func (j *judge) Feed(f *reassembly.Frame, off int, b []byte) reassembly.Step {
	s, c := j.session(), of(f.Conn)
	rd := c.readers[f.Side]
	if rd == nil {
		if s.cfg.Whole && f.Length <= maxGathered {
			if off == 0 {
				return gather(f)
			}
			next := off + len(b) // between two holes
			return reassembly.Step{Next: next, Need: f.Length - next, Keep: true}
		}
		if off > 0 || len(b) >= 64<<10 || c.gen != Modern {
			return reassembly.Step{Next: f.Length, Keep: true}
		}
		need := 0
		if int8(f.Side) == c.client {
			rd, need = s.readRequest(c, f, b)
		} else {
			rd, need = s.readResponse(c, f, b)
		}
		if need > 0 {
			return reassembly.Step{Need: need}
		}
		if rd == nil {
			return gather(f)
		}
		c.readers[f.Side] = rd
		if rd.digest {
			step := rd.digests(b, 0)
			if rd.strange(b) { // all its bytes tell more
				s.forget(c, f.Side)
				return gather(f)
			}
			return step
		}
	}
	if rd.digest {
		return rd.digests(b, off)
	}
	next, need := rd.run(b, off)
	// What is not skipped are headers, unless batches are opened: kept for those who want to see all.
	return reassembly.Step{Next: next, Need: need, Keep: s.cfg.Whole && len(b) <= 64<<10}
}

// readRequest begins to read a request of which the beginning is there. A nil reader: gather it.
func (s *Session) readRequest(c *conn, f *reassembly.Frame, b []byte) (*reader, int) {
	h, need, fault := decode.ParseRequestHeader(b)
	if need > 0 && need <= f.Length && need < 64<<10 {
		return nil, need
	}
	if c.tokens || need > 0 || fault.Code != 0 || s.cfg.Keep && f.Length <= maxGathered || s.gathers(f, h.Key == keyProduce) {
		return nil, 0
	}
	rd := s.reader()
	if !rd.begin(s, h.Key, h.Version, decode.Request, h.Length, f.Length) {
		s.readers = append(s.readers, rd)
		return nil, 0
	}
	rd.beginDigests(f)
	rd.head, rd.client = h, s.client(c, h.ClientID)
	rd.head.ClientID = nil
	return rd, 0
}

// readResponse begins to read a response of which the beginning is there. A nil reader: gather it.
func (s *Session) readResponse(c *conn, f *reassembly.Frame, b []byte) (*reader, int) {
	if len(b) < 4 || s.gathers(f, true) {
		return nil, 0
	}
	r := s.pendingFor(c, b)
	if r == nil || c.repeats && r != c.pending.youngest(r.CorrelationID) {
		return nil, 0
	}
	h, need, fault := decode.ParseResponseHeader(b, r.Key, r.Version)
	if need > 0 && need <= f.Length && need < 64<<10 {
		return nil, need
	}
	if need > 0 || fault.Code != 0 || s.gathers(f, r.Key != keyProduce) {
		return nil, 0
	}
	rd := s.reader()
	if !rd.begin(s, r.Key, r.Version, decode.Response, h.Length, f.Length) {
		s.readers = append(s.readers, rd)
		return nil, 0
	}
	if rd.req = s.answered(c, r.CorrelationID, b, f.Length); rd.req == nil {
		s.readers = append(s.readers, rd)
		return nil, 0
	}
	rd.beginDigests(f)
	return rd, 0
}

// reader lends a reader for a frame in pieces.
func (s *Session) reader() *reader {
	if n := len(s.readers); n > 0 {
		rd := s.readers[n-1]
		s.readers = s.readers[:n-1]
		return rd
	}
	return &reader{}
}

// Lose implements reassembly.Judge.
func (j *judge) Lose(f *reassembly.Frame, off, n int) reassembly.Step {
	s, c := j.session(), of(f.Conn)
	if rd := c.readers[f.Side]; rd != nil {
		next, need := rd.lose(off, off+n)
		return reassembly.Step{Next: next, Need: need}
	}
	if (s.cfg.Whole || s.cfg.Bytes) && f.Length <= maxGathered {
		return reassembly.Step{Next: off + n, Need: f.Length - off - n}
	}
	return reassembly.Step{Next: f.Length}
}

// Forget implements reassembly.Judge.
func (j *judge) Forget(f *reassembly.Frame) {
	c := of(f.Conn)
	j.session().forget(c, f.Side)
	c.unpresume()
}

// forget gives up what was read of the frame in pieces of a side. A request that it would have answered
// waits again.
func (s *Session) forget(c *conn, side int) {
	rd := c.readers[side]
	if rd == nil {
		return
	}
	c.readers[side] = nil
	s.readers = append(s.readers, rd)
	if rd.req != nil {
		c.pending.unpop(rd.req)
		s.enlist(c, 1)
	}
}

// Done implements reassembly.Judge: a frame that was read in pieces, or is not there from end to end.
func (j *judge) Done(f *reassembly.Frame) reassembly.Fate {
	s, c := j.session(), of(f.Conn)
	if len(c.held) > 0 {
		s.expire(c, int8(f.Side) == c.client, f.Last)
	}
	rd := c.readers[f.Side]
	if f.Cut { // not delimited: no frame
		s.forget(c, f.Side)
		return reassembly.Pending
	}
	if int8(f.Side) != c.client {
		c.turns.heard = f.Last.Packet
	}
	if rd != nil {
		return s.doneReading(c, f, rd)
	}
	if c.gen == Legacy {
		return s.legacyPiece(c, f)
	}
	if len(f.Runs) == 0 || f.Runs[0].Off != 0 || len(f.Runs[0].Bytes) < 4 {
		if f.Dropped { // nobody hears of it
			s.cfg.Watch.Lost(f.Conn, f.Side, f.Last)
		}
		c.turns.lost(int8(f.Side) != c.client)
		return reassembly.Pending
	}
	head := f.Runs[0].Bytes
	body := decode.Frame{Length: f.Length, Runs: f.Runs, Missing: true}
	if int8(f.Side) == c.client {
		if c.tokens && s.grade(head, f.Length) < named {
			return s.token(c, f, decode.Request)
		}
		if len(head) < 8 {
			c.turns.lost(false)
			return reassembly.Pending
		}
		out, r, header := s.beginRequest(c, f, head)
		s.decode(c, out, body, header, r)
		s.incomplete(out)
		s.endRequest(c, out, r)
		return reassembly.Undecodable
	}
	if c.answers > 0 && s.pendingFor(c, head) == nil {
		return s.token(c, f, decode.Response)
	}
	r := s.answered(c, int32(binary.BigEndian.Uint32(head)), head, f.Length)
	if r == nil {
		c.turns.lost(false)
		out := s.fresh(c, f)
		out.Kind, out.Client = decode.Response, c.ident
		out.CorrelationID, out.HasHeader = int32(binary.BigEndian.Uint32(head)), true
		s.incomplete(out)
		s.sink.Frame(out)
		return reassembly.Undecodable
	}
	out := s.beginResponse(c, f, r)
	h, need, fault := decode.ParseResponseHeader(head, r.Key, r.Version)
	if need > 0 || fault.Code != 0 {
		h.Length = 0
	}
	s.decode(c, out, body, h.Length, r)
	s.incomplete(out)
	s.endResponse(c, out, r)
	return reassembly.Undecodable
}

// doneReading hands on a frame that was read in pieces.
func (s *Session) doneReading(c *conn, f *reassembly.Frame, rd *reader) reassembly.Fate {
	c.readers[f.Side] = nil
	if rd.kind == decode.Request {
		out, r := s.openRequest(c, f, rd.head.Key, rd.head.Version, rd.head.CorrelationID, rd.client)
		s.grow(out)
		rd.finish(c, out, r)
		s.incompleteIf(out)
		s.readers = append(s.readers, rd)
		return s.endRequest(c, out, r)
	}
	out := s.beginResponse(c, f, rd.req)
	s.grow(out)
	rd.finish(c, out, rd.req)
	s.incompleteIf(out)
	r := rd.req
	s.readers = append(s.readers, rd)
	return s.endResponse(c, out, r)
}

// grow decodes the tree of a frame that was read in pieces, with holes in its record sets, for those who
// want to see all.
func (s *Session) grow(f *Frame) {
	if s.cfg.Whole && len(f.Runs) > 0 {
		s.tree.Decode(decode.Frame{Length: f.Length, Runs: f.Runs, Missing: f.Missing > 0}, f.Key, f.Version, f.Kind)
		f.Tree = &s.tree
	}
}

func (s *Session) incompleteIf(f *Frame) {
	if f.Missing > 0 || f.Cut || f.Dropped {
		s.incomplete(f)
	}
}

// incomplete sets the fault of a frame that is not whole in the capture, or was too large to be gathered,
// unless it has such a fault.
func (s *Session) incomplete(f *Frame) {
	if f.Missing == 0 && !f.Dropped && !f.Cut {
		f.Fault = decode.Fault{Code: decode.TooLarge, Class: decode.Limit, Need: maxGathered, Have: f.Length, Node: -1}
		f.Faulty = true
		return
	}
	if f.Faulty && f.Fault.Class == decode.Incomplete {
		return
	}
	have := 0
	if len(f.Runs) > 0 && f.Runs[0].Off == 0 {
		have = len(f.Runs[0].Bytes)
	}
	f.Fault = decode.Fault{Code: decode.Truncated, Class: decode.Incomplete, Offset: have, Need: f.Length, Have: f.Length - f.Missing, Node: -1}
	f.Faulty = true
}
