package session

import (
	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
)

// conn is what is known of a connection. What each frame asks for comes first: it takes two lines of the processor's cache.
type conn struct {
	model   *model // nil where there is none yet
	gen     Generation
	client  int8    // side that sends requests, -1 unknown
	seen    [2]bool // something was captured of the side
	gapped  [2]bool // something is missing of the side, since the last answer
	hasCorr bool
	alone   bool    // nothing was captured of the client
	repeats bool    // the client gives several requests one correlation id
	tokens  bool    // the client sends raw SASL tokens, and answers counts those that are due
	frames  uint8   // Produce and Fetch frames so far that could be a model
	sought  [2]bool // the side's first frame had to be searched
	corr    int32   // of the latest request, and of the first
	first   int32
	answers int
	tcp     *reassembly.Conn
	ident   *Client // of the latest request
	pending pending
	older   *conn // in the list of those that have requests that wait, see enlist
	newer   *conn
	held    []*heldResponse // responses that wait for their request, the oldest first

	byID    *Topic // that was asked for last by its id; and by its name
	byName  *Topic
	turns   turns
	stands  uint64 // packet that begins with a request beyond doubt, 0 where none is known
	presume *presumed
	fetch   *fetchSession
	readers [2]*reader // of the frames that come in pieces
	end     [2]reassembly.Ending
	speech  Speech
	bad     [2]bool // a length at a boundary was refused, and length is it
	length  [2]int32
}

// maxRequest is the largest request: the broker's socket.request.max.bytes. The answer to a known request
// may be larger, as far as clients could still take it.
const (
	maxRequest  = 100 << 20
	maxResponse = 1 << 30
)

func of(c *reassembly.Conn) *conn { return c.Judged.(*conn) }

// Open implements reassembly.Judge.
func (j *judge) Open(c *reassembly.Conn) {
	j.Connections.Total++
	c.Judged = &conn{tcp: c, client: -1}
}

// Plausible implements reassembly.Judge.
func (j *judge) Plausible(rc *reassembly.Conn, side int, length int32) bool {
	c := of(rc)
	ok := c.plausible(side, length)
	c.bad[side], c.length[side] = !ok, length
	return ok
}

func (c *conn) plausible(side int, length int32) bool {
	switch {
	case c.gen == Legacy:
		return length >= 2 && (int8(side) != c.client || length <= maxRequest)
	case int8(side) == c.client:
		return length >= 8 && length <= maxRequest || c.tokens && length >= 0 && length <= maxToken
	}
	if uint32(length)>>16 == 0x1503 { // not 336 MB, but a TLS alert: the port speaks TLS
		return false
	}
	if length > maxRequest && (c.pending.len() == 0 || length > maxResponse) {
		return false
	}
	return length >= 4 || c.answers > 0 && length >= 0
}

// Lost implements reassembly.Judge.
func (j *judge) Lost(rc *reassembly.Conn, side int, at reassembly.Moment) {
	c := of(rc)
	c.gapped[side] = true
	c.turns.lost(int8(side) != c.client && !c.bad[side])
	if c.bad[side] {
		c.bad[side] = false
		j.cfg.Watch.BadLength(rc, side, at, c.length[side])
	}
	j.cfg.Watch.Lost(rc, side, at)
}

// End implements reassembly.Judge.
func (j *judge) End(rc *reassembly.Conn, side int, at reassembly.Moment, why reassembly.Ending) {
	of(rc).end[side] = why
	j.cfg.Watch.Ended(rc, side, at, why)
}

// Close implements reassembly.Judge.
func (j *judge) Close(rc *reassembly.Conn) {
	s, c := j.session(), of(rc)
	for len(c.held) > 0 {
		s.giveUp(c)
	}
	why := Closed
	switch {
	case c.client < 0:
	case !c.seen[1-c.client] || c.gapped[1-c.client]:
		why = Lost
	case c.end[0] == reassembly.EOF || c.end[1] == reassembly.EOF:
		why = EOF
	}
	for r := s.next(c); r != nil; r = s.next(c) {
		s.sink.Unanswered(rc, r, why)
		s.recycle(r)
	}
	c.pending = pending{}
	c.delist()
	s.leave(c)
	s.leaveModel(c)
	s.cfg.Watch.Closed(rc)
}

// fresh empties the frame that is handed to the sink, but for what the Cutter says about it: that is there already
// where it lies in one piece. Field by field: together they take longer, and mostly there was no fault.
func (s *Session) fresh(c *conn, f *reassembly.Frame) *Frame {
	out := &s.out
	s.likes = false
	if f != &out.Frame {
		out.Frame = *f
	}
	if out.Faulty {
		out.Fault, out.Faulty = decode.Fault{}, false
	}
	out.Generation, out.API, out.Key, out.Version = c.gen, nil, -1, -1
	out.Token, out.Inferred, out.Guessed, out.HasHeader, out.CorrelationID = false, false, false, false, 0
	out.Client, out.Request, out.Tree, out.Parts = nil, nil, nil, out.Parts[:0]
	out.Forgotten, out.Like = nil, nil
	out.Digests = out.Digests[:0]
	out.ErrorCode, out.SessionID, out.Throttle = 0, 0, -1
	return out
}

// name sets what a key and version say.
func (f *Frame) name(key, version int16) {
	f.Key, f.Version, f.API = key, version, schema.Lookup(key)
}
