package audit

import (
	"encoding/base64"

	"ksniff/decode"
	"ksniff/decode/records"
	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Ctx is what a look looks at. Everything in it is valid during the call only, but for pointers to
// Conn, Client, Topic and Broker.
type Ctx struct {
	*session.Frame // nil where it is no frame that is looked at (onUnanswered and later)
	Audit          *Audit
	Conn           *Conn
	Body           []byte // of the frame, where all of it is there in one piece
	Head           []byte // the beginning of the frame, to where its records begin at least; nil where it is not there
	Fault          decode.Fault
	misread        misread // of onFault

	// Of a batch.
	Batch     *records.Batch
	Raw       []byte   // the batch's bytes, 80 at least or all; of onSet, those of what is left of the set
	Left      int      // of onSet: where in the set that begins
	IEEE      uint32   // of a batch of format 2 not all of whose bytes are in Raw: CRC-32 of its bytes, 0 unknown
	Computed  uint32   // what its checksum should be
	Set       int      // where its record set begins in the frame
	SetBytes  int      // how long the set is
	Seen      *setSeen // what was seen of the set
	Records   *records.Sums
	Topic     *session.Topic
	Partition int32
	Part      int // index in Parts

	Event Event // of what is no frame

	marks    marks
	kept     *kept
	decoded  bool // the frame's own tree was made
	askedFor bool // that of its request was made
	guards   Needs
}

// Event is what is known where it is no frame that is looked at.
type Event struct {
	At     reassembly.Moment
	Why    session.Why           // onUnanswered
	Side   int                   // onLost, onBadLength, onEnded
	Length int32                 // onBadLength
	Ending reassembly.Ending     // onEnded
	First  bool                  // onEnded: the other side has not ended yet
	Sides  *[2]reassembly.Window // onKnown
}

// Opening says that it is the first batch of its set that is looked at.
func (c *Ctx) Opening() bool { return c.Seen.batches == 0 }

// Tree is the tree of the frame, nil where it has none: of a legacy frame, a token, or a response that
// could not be named. That of a Produce or Fetch frame is made here, so that looks that do without
// (c.Parts, c.Batch) save the time.
func (c *Ctx) Tree() *decode.Tree {
	f := c.Frame
	if f.Tree != nil || f.API == nil || f.Generation == session.Legacy || f.Token {
		return f.Tree
	}
	if !c.decoded {
		c.decoded = true
		c.Audit.own.Decode(decode.Frame{Length: f.Length, Runs: f.Runs, Missing: f.Missing > 0}, f.Key, f.Version, f.Kind)
	}
	return &c.Audit.own
}

// Req is the tree of the request: the frame's own, or that of the request that the frame answers
// (without record sets). It is empty, never nil, where it was not kept.
func (c *Ctx) Req() *decode.Tree {
	if c.Frame != nil && c.Kind == decode.Request {
		return c.Tree()
	}
	if !c.askedFor {
		c.askedFor = true
		t := &c.Audit.asked
		if c.kept == nil || c.kept.frame.Length == 0 {
			*t = decode.Tree{Nodes: t.Nodes[:0], Faults: t.Faults[:0]}
		} else {
			t.Decode(c.kept.frame, c.kept.req.Key, c.kept.req.Version, decode.Request)
		}
	}
	return &c.Audit.asked
}

// Resp is the tree of the response.
func (c *Ctx) Resp() *decode.Tree { return c.Tree() }

// Asked is the body of the legacy request that a legacy response answers, nil where it was not kept.
func (c *Ctx) Asked() []byte {
	if c.kept == nil || len(c.kept.frame.Runs) != 1 {
		return nil
	}
	return c.kept.frame.Runs[0].Bytes
}

// Request is the request of the frame, or that the frame answers, or that got no answer; nil where
// there is none.
func (c *Ctx) Request() *session.Request {
	switch {
	case c.Frame != nil:
		return c.Frame.Request
	case c.kept != nil:
		return c.kept.req
	}
	return nil
}

// Now is the packet at which it happened: of a frame, its last.
func (c *Ctx) Now() reassembly.Moment {
	if c.Frame != nil {
		return c.Frame.Last
	}
	return c.Event.At
}

// Outstanding are the requests that wait for their answer, the oldest first; of a response, with the
// one that it answers.
func (c *Ctx) Outstanding() int { return len(c.Conn.out) }

// Oldest is the oldest request that waits for its answer, nil where there is none.
func (c *Ctx) Oldest() *session.Request {
	if len(c.Conn.out) == 0 {
		return nil
	}
	return c.Conn.out[0].req
}

// Offer is what the broker offered on this connection or, where it did not, on another one.
func (c *Ctx) Offer() *Offer {
	if c.Conn.Offer != nil || c.Conn.Broker == nil {
		return c.Conn.Offer
	}
	return c.Conn.Broker.Offer
}

// TopicName is the name for messages: the id where there is no name.
func TopicName(t *session.Topic) string {
	switch {
	case t == nil:
		return "?"
	case t.Name != "":
		return t.Name
	}
	return uuidText(t.ID)
}

// uuidText writes an id as Kafka does.
func uuidText(id [16]byte) string { return base64.RawURLEncoding.EncodeToString(id[:]) }

// errorName is the name of an error code of the modern protocol.
func errorName(code int16) string { return schema.ErrorName(code) }
