package session

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/reassembly"
)

// maxGathered is the largest frame that is gathered whole; of a larger one the beginning is kept.
const maxGathered = 32 << 20

// Begin implements reassembly.Judge.
func (j *judge) Begin(f *reassembly.Frame) reassembly.Step {
	of(f.Conn).seen[f.Side] = true
	if f.Length <= maxGathered {
		return reassembly.Step{Need: f.Length}
	}
	return reassembly.Step{Need: 64 << 10}
}

// Feed implements reassembly.Judge.
func (j *judge) Feed(f *reassembly.Frame, off int, b []byte) reassembly.Step {
	return reassembly.Step{Next: f.Length, Keep: true}
}

// Lose implements reassembly.Judge.
func (j *judge) Lose(f *reassembly.Frame, off, n int) reassembly.Step {
	return reassembly.Step{Next: f.Length}
}

// Done implements reassembly.Judge: a frame that is not there from end to end.
func (j *judge) Done(f *reassembly.Frame) reassembly.Fate {
	s, c := j.session(), of(f.Conn)
	if c.gen != Modern || len(f.Runs) == 0 || f.Runs[0].Off != 0 || len(f.Runs[0].Bytes) < 4 {
		return reassembly.Pending
	}
	head := f.Runs[0].Bytes
	body := decode.Frame{Length: f.Length, Runs: f.Runs, Missing: true}
	if int8(f.Side) == c.client {
		if len(head) < 8 {
			return reassembly.Pending
		}
		out, r := s.beginRequest(c, f, head)
		s.decode(out, body, r)
		s.incomplete(out)
		return s.endRequest(c, out, r)
	}
	r := s.answered(c, int32(binary.BigEndian.Uint32(head)))
	if r == nil {
		out := s.fresh(c, f)
		out.Kind, out.Client = decode.Response, c.ident
		out.CorrelationID, out.HasHeader = int32(binary.BigEndian.Uint32(head)), true
		s.incomplete(out)
		s.sink.Frame(out)
		return reassembly.Undecodable
	}
	out := s.beginResponse(c, f, r)
	s.decode(out, body, r)
	s.incomplete(out)
	return s.endResponse(c, out, r)
}

// incomplete sets the fault of a frame that the capture lacks bytes of.
func (s *Session) incomplete(f *Frame) {
	if f.Faulty && f.Fault.Class == decode.Incomplete {
		return
	}
	have := 0
	for _, run := range f.Runs {
		have += len(run.Bytes)
	}
	f.Fault = decode.Fault{Code: decode.Truncated, Class: decode.Incomplete, Offset: have, Need: f.Length, Have: f.Length - f.Missing, Node: -1}
	f.Faulty = true
}
