package audit

import (
	"slices"

	"ksniff/reassembly/session"
)

// look is a function that looks at some of the traffic for one rule, or for several that share what
// they know. Looks run in the order of the list.
type look struct {
	on    on
	keys  []int16 // API keys or legacy request types; nil: all
	rules []*Rule // which it may find; it does not run where none of them is wanted
	when  marks   // it runs only where one of these holds; 0: always
	do    func(c *Ctx)
}

// family is a group of rules with their looks.
type family struct {
	name  string // KS2
	title string
	rules []*Rule
	looks []look
	left  []LeftOut // rules of the catalogue that are not there
}

// on says at what a look looks.
type on uint8

// What there is to look at. Frames of the first eight are whole and could be read (G0); tolerated faults
// are possible. Of all others a look must see for itself.
const (
	onRequest        on = iota // a modern request: c.Req()
	onExchange                 // a modern response with its request: c.Resp(), c.Req(): empty of Produce, unless a topic has neither name nor id
	onBatch                    // a batch of a Produce request or of a Fetch or ShareFetch response: c.Batch, c.Raw, c.Topic, c.Partition
	onBatchEnd                 // the records of a batch that is not compressed or, with --deep, of any were read, as far as they are: c.Records
	onSet                      // a record set was read to its end: c.Set
	onLegacyRequest            // c.Body
	onLegacyExchange           // c.Body is the response, c.Asked() the request's body
	onFault                    // a frame of which the peer broke the form: c.Fault; also one with a fault that was tolerated
	onUnmatched                // a response without request
	onToken                    // a raw SASL token; c.Kind
	onUnanswered               // c.Event.Why; c.Req() where the request was whole
	onKnown                    // it is known what a connection speaks: c.Conn.Speaks; c.Event.Sides
	onLost                     // bytes are missing: c.Event.Side
	onBadLength                // c.Event.Length, c.Event.Side
	onEnded                    // a side ended: c.Event.Side, c.Event.Ending
	onClosed                   // both did
	onFinish                   // the end of the capture; c.Conn is nil
	onCount
)

// cell holds the looks at one kind of frame, and how often it was seen under which guards.
type cell struct {
	looks   []*look
	when    marks             // of all looks that name marks
	picked  marks             // those that held last
	picks   []*look           // the looks that run then
	judged  [silent + 1]int64 // by the guards that held
	skipped [skips]int64
}

// skip says why a frame could not be looked at.
type skip uint8

const (
	skipIncomplete skip = iota
	skipUnknown
	skipLimit
	skipBroken
	skips
)

var skipNames = [...]string{"frames are not whole in the capture", "frames of an unknown version", "frames beyond a limit of ksniff", "frames that could not be read to their end"}

// maxKey bounds the API keys that are told apart.
const maxKey = 128

// table is the dispatch: cells by what happens and key+1, 0 for no key. Nil where nobody looks.
type table [onCount][maxKey + 1]*cell

// build fills the table with the looks that the wanted rules need.
func (t *table) build(wanted []bool) {
	for _, f := range families {
		for i := range f.looks {
			l := &f.looks[i]
			some := len(l.rules) == 0
			for _, r := range l.rules {
				some = some || wanted[r.index]
			}
			if !some {
				continue
			}
			if l.keys != nil {
				for _, key := range l.keys {
					t.add(l, int(key)+1)
				}
				continue
			}
			for k := range maxKey + 1 {
				t.add(l, k)
			}
		}
	}
}

func (t *table) add(l *look, key int) {
	c := &t[l.on][key]
	if *c == nil {
		*c = &cell{}
	}
	(*c).looks = append((*c).looks, l)
	if (*c).when |= l.when; l.when == 0 {
		(*c).picks = append((*c).picks, l)
	}
}

// run calls the looks of a cell.
func (c *cell) run(x *Ctx) {
	c.judged[x.guards&silent]++
	m := x.marked() & c.when
	if m != c.picked {
		c.pick(m)
	}
	if m == 0 {
		for _, l := range c.picks {
			l.do(x)
		}
		return
	}
	for _, l := range c.picks {
		if l.do(x); x.marked()&c.when != m { // a look may set marks for those after it
			c.rest(x, l)
			return
		}
	}
}

// pick finds the looks that run where these marks hold: mostly they are those of the frame before.
func (c *cell) pick(m marks) {
	c.picked, c.picks = m, c.picks[:0]
	for _, l := range c.looks {
		if l.when == 0 || l.when&m != 0 {
			c.picks = append(c.picks, l)
		}
	}
}

// rest runs those behind a look that changed the marks.
func (c *cell) rest(x *Ctx, after *look) {
	for _, l := range c.looks[slices.Index(c.looks, after)+1:] {
		if l.when == 0 || l.when&x.marked() != 0 {
			l.do(x)
		}
	}
}

func (t *table) cell(o on, key int16) *cell {
	if key < -1 || key >= maxKey {
		key = -1
	}
	return t[o][key+1]
}

// API keys that looks name.
const (
	keyProduce            int16 = 0
	keyFetch              int16 = 1
	keyListOffsets        int16 = 2
	keyMetadata           int16 = 3
	keyLeaderAndIsr       int16 = 4
	keyControlledShutdown int16 = 7
	keyOffsetCommit       int16 = 8
	keyOffsetFetch        int16 = 9
	keyFindCoordinator    int16 = 10
	keyJoinGroup          int16 = 11
	keyHeartbeat          int16 = 12
	keyLeaveGroup         int16 = 13
	keySyncGroup          int16 = 14
	keyListGroups         int16 = 16
	keySaslHandshake      int16 = 17
	keyApiVersions        int16 = 18
	keyCreateTopics       int16 = 19
	keyInitProducerId     int16 = 22
	keyAddPartitionsToTxn int16 = 24
	keyAddOffsetsToTxn    int16 = 25
	keyEndTxn             int16 = 26
	keyTxnOffsetCommit    int16 = 28
	keyCreateAcls         int16 = 30
	keyDescribeConfigs    int16 = 32
	keyAlterConfigs       int16 = 33
	keySaslAuthenticate   int16 = 36
	keyConsumerHeartbeat  int16 = 68
	keyShareFetch         int16 = 78
	keyShareAcknowledge   int16 = 79
	legacyProduce               = session.PRODUCE
	legacyFetch                 = session.FETCH
	legacyMultiFetch            = session.MULTIFETCH
	legacyMultiProduce          = session.MULTIPRODUCE
	legacyOffsets               = session.OFFSETS
)
