package audit

import "ksniff/reassembly/session"

// marks say what is out of the ordinary in a frame, its request, its connection, or a batch. Nearly all looks have
// something to say of such traffic only: they name the marks (look.when), and the others do not cost a call.
// Each slot of a connection or request has a mark of its own, which holds once there is something in it.
type marks uint64

// The marks of frames, requests and connections.
const (
	// unheard: a request whose API and version the client has not sent on this connection before, or not since the
	// offer is what it is, or which broke a rule. What depends on nothing else needs to be looked at only then.
	unheard          marks = 1 << iota
	mute                   // a request that gets no answer
	pipelined              // a request while others wait for their answer
	overtaken              // a response while an older request waits
	failed                 // a response with an error code or, but for Produce and Fetch, one that may have some
	throttled              // a response that asks the client to pause
	hollow                 // a partition has no records
	several                // there is more than one partition
	nameless               // a topic has neither name nor id
	atDoor                 // of a connection: its login may not be over, or ends some time
	compactedKnown         // of the audit: a topic is known to be compacted
	fatalKnown             // of the audit: a producer got a fatal error
	leaderLost             // of the audit: a client was told that a broker does not lead a partition
	topicForgotten         // of the audit: that a topic holds records of format 2 was known, and is no longer
	transactionKnown       // of the audit: some producer has transactions
	unlike                 // a request that is not like one (session.Like) that broke no rule
)

// The marks of batches and record sets.
const (
	badSum     marks = 1 << (iota + 16) // the checksum is wrong
	oddHead                             // the head is not as in nearly all batches of requests, or of answers
	named                               // it names a producer
	dated                               // of a request: its times may not be near that of its frame
	elsewhere                           // another topic than that of the latest batch of its connection
	later                               // it is not the first one of its set
	badRecords                          // the reading of its records ended by a fault
	oddRecords                          // they do not fit the head, or each other
	keylessOne                          // one has no key
	oddSet                              // not one batch, or there is more than batches
)

// batchMarks are those of a batch.
const batchMarks = badSum | oddHead | named | dated | elsewhere | later | badRecords | oddRecords | keylessOne

// slotMarks is where those of slots begin.
const slotMarks = 26

// slotMark takes a mark for a slot.
func slotMark() (m marks) {
	m = nextMark
	if nextMark <<= 1; m == 0 {
		panic("audit: more slots than marks")
	}
	return m
}

var nextMark marks = 1 << slotMarks

// marked gives the marks of what is looked at.
func (c *Ctx) marked() marks {
	m := c.marks | c.Audit.marks
	if c.Conn != nil {
		m |= c.Conn.marks
	}
	if c.kept != nil {
		m |= c.kept.marks
	}
	return m
}

// mark sets the marks of a frame; of the tree only what is there without it.
func (c *Ctx) mark() {
	f, m := c.Frame, marks(0)
	if f.Like != nil { // Produce or Fetch, one part, a topic with a name or an id
		p := &f.Parts[0]
		if f.ErrorCode|p.Error != 0 {
			m = failed
		}
		if f.Throttle > 0 {
			m |= throttled
		}
		if p.Sets.Bytes == 0 {
			m |= hollow
		}
		c.marks = m
		return
	}
	if f.ErrorCode != 0 || f.Key != keyProduce && f.Key != keyFetch {
		m |= failed
	}
	if f.Throttle > 0 {
		m |= throttled
	}
	if len(f.Parts) > 1 {
		m |= several
	}
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Error != 0 {
			m |= failed
		}
		if p.Sets.Bytes == 0 {
			m |= hollow
		}
		if p.Topic != nil && p.Topic.Name == "" && p.Topic.ID == [16]byte{} {
			m |= nameless
		}
	}
	c.marks = m
}

// heard are the latest kinds of requests that a client has sent on a connection without breaking a rule.
type heard struct {
	client *session.Client
	offer  *Offer
	kinds  [4]kind
	next   uint8
}

// kind is an API with a version; the zero one is none.
type kind struct {
	known        bool
	key, version int16
}

// has says that a request is like one before it.
func (h *heard) has(f *session.Frame, offer *Offer) bool {
	if h.client != f.Client || h.offer != offer {
		*h = heard{client: f.Client, offer: offer}
		return false
	}
	for i := range h.kinds {
		if k := &h.kinds[i]; k.key == f.Key && k.version == f.Version && k.known {
			return true
		}
	}
	return false
}

// add adds a request that broke no rule.
func (h *heard) add(f *session.Frame) {
	h.kinds[h.next] = kind{true, f.Key, f.Version}
	h.next = (h.next + 1) % uint8(len(h.kinds))
}

// alike is what is known of the latest requests of a connection that are like one another (session.Like).
type alike struct {
	like   *session.Like
	round  uint32
	calm   bool   // they break no rule: looks that ask for no more than what they have in common, and for the offer, need not ask again
	offer  *Offer // that held then
	around uint64 // see kept.around, 0 where it is not known
}

// is says that a request is one of them.
func (l *alike) is(f *session.Frame) bool {
	return f.Like != nil && l.like == f.Like && l.round == f.Like.Round
}

// begin forgets those that a request is not like.
func (l *alike) begin(f *session.Frame) {
	if !l.is(f) {
		*l = alike{like: f.Like, round: f.Like.Round}
	}
}
