// Package report adds up what the frames of a capture say, and renders it: who moves how much
// through which topic, how fast, with which errors, and how complete that picture is.
package report

import (
	"time"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Config says what a Report adds up.
type Config struct {
	By       []string      // dimensions of the rows: names in Dimensions
	Interval time.Duration // width of the series; 0: none
	Auto     bool          // a series whose width grows with the capture (for pictures)
	Top      int           // topics, clients and rows that are shown, the rest in `other`; 0: all
	Sort     string        // what comes first: a name in SortKeys; "" is bytes
	Deep     bool          // record sets were opened: uncompressed bytes are known
	// Memory bounds the aggregates, in bytes; 0 is 32 MiB. What does not fit is added up in `other`.
	Memory int64
}

// Report is a session.Sink that adds up. In steady state it allocates nothing. It is made for one goroutine.
type Report struct {
	cfg      Config
	budget   budget
	now      int64 // time of the frame at hand
	stamp    uint64
	frames   frameCounts
	faults   map[decode.Code]int64
	apis     apis
	topics   topics
	clients  clients
	rows     rows
	series   series
	polls    polls
	errors   errorFinder
	aborted  int64 // transactions that their producers gave up
	silences []Silence
	total    flow // requests and latencies, each once; what the topics add up is not in it
}

type frameCounts struct{ requests, responses, unmatched, unanswered, inferred, tokenRequests, tokenResponses int64 }

// New makes an empty Report.
func New(cfg Config) (*Report, error) {
	r := &Report{cfg: cfg, budget: budget{left: cfg.Memory}, faults: map[decode.Code]int64{}}
	r.polls = newPolls(func(t *session.Topic) marks { return r.topics.of(t, &r.budget).marks })
	if cfg.Memory <= 0 {
		r.budget.left = 32 << 20
	}
	r.topics.init()
	r.clients.init()
	r.series.init(cfg)
	if err := sortBy(cfg.Sort); err != nil {
		return nil, err
	}
	return r, r.rows.init(cfg.By)
}

// Overflow tells the Topic that stands for all those that the session could not keep apart; it is
// counted under `other`. Call it before the first frame.
func (r *Report) Overflow(t *session.Topic) { r.topics.overflow = t }

// Frame adds one frame.
func (r *Report) Frame(f *session.Frame) {
	r.stamp++
	r.now = f.Last.Time
	if f.Faulty && !ofSet(f) {
		r.faults[f.Fault.Code]++
	}
	side := sideOf(f)
	if f.Kind == decode.Request {
		r.request(f, side)
	} else {
		r.response(f, side)
	}
}

// Unanswered counts a request that should have had an answer.
func (r *Report) Unanswered(c *reassembly.Conn, q *session.Request, why session.Why) {
	delete(r.rows.groups.pending, q)
	r.polls.forget(q)
	if why != session.Silent {
		r.frames.unanswered++
		r.silence(c, q, why)
	}
}

func (r *Report) request(f *session.Frame, s side) {
	r.frames.requests++
	if f.Token {
		r.frames.tokenRequests++
		return
	}
	api := r.apis.of(f)
	api.requests++
	if f.Version >= 0 {
		api.versions.add(int32(f.Version))
	}
	if b := r.series.beat(r, r.now); b != nil {
		b.requests++
	}
	if f.Key == endTxn && f.Tree != nil && f.Generation == session.Modern {
		if c := f.Tree.Body().Field("Committed"); c.OnWire() && !c.Bool() {
			r.aborted++
		}
	}
	client := r.clients.of(f.Client, &r.budget)
	client.requests++
	r.rows.request(r, f, api, s)
	if s == neither {
		return
	}
	r.total.request(s, f.Request)
	if f.Request == nil { // its topics are those of its parts
		for i := range f.Parts {
			r.name(f.Parts[i].Topic, client, s, nil)
		}
	} else {
		for _, t := range f.Request.Topics {
			r.name(t, client, s, f.Request)
		}
	}
	if s == produce && cutShort(f) {
		r.cutShort(f, s, nil)
	}
	if s == produce {
		r.records(f, s, false)
	} else {
		r.polls.ask(f)
	}
}

// name counts a request for a topic that it names, once however often it does.
func (r *Report) name(t *session.Topic, c *client, s side, q *session.Request) {
	topic := r.topics.of(t, &r.budget)
	if topic.stamp == r.stamp {
		return
	}
	topic.stamp = r.stamp
	topic.request(s, q)
	c.topic(t, &r.budget)
}

// records adds the record sets of a frame.
func (r *Report) records(f *session.Frame, s side, replica bool) {
	slot := r.series.slot(r, r.now)
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Sets.Faulty {
			r.faults[p.Sets.Fault.Code]++
		}
		if p.Sets.Bytes == 0 && p.HighWatermark < 0 {
			continue
		}
		topic := r.topics.of(p.Topic, &r.budget)
		topic.marks.part(s, p, &r.budget)
		if p.Sets.Bytes == 0 {
			continue
		}
		topic.side(s).records(&p.Sets, replica)
		topic.partitions.add(p.Partition, &r.budget)
		if slot >= 0 {
			r.series.add(r, topic, slot, s, &p.Sets)
		}
	}
}

func (r *Report) response(f *session.Frame, s side) {
	r.frames.responses++
	q := f.Request
	switch {
	case f.Token: // what it answers is a token too
		r.frames.tokenResponses++
	case f.Inferred:
		r.frames.inferred++
	case q == nil:
		r.frames.unmatched++
	}
	if f.Token || f.Key < 0 {
		return
	}
	api := r.apis.of(f)
	api.responses++
	codes, _ := r.errors.of(f)
	for _, code := range codes {
		api.errors.addError(f.Generation, code)
	}
	if len(f.Parts) == 0 && len(codes) > 0 {
		for n := range errorNodes(f.Tree) {
			api.failing.add(failure{errorKey(f.Generation, int16(n.Int())), topicOf(n)}, &r.budget)
		}
	}
	ns, poll := int64(-1), false
	if q != nil {
		ns = latency(q, f)
		if s == fetch {
			poll = r.polls.answer(q, f, ns)
		}
	}
	api.answer(poll, ns, &r.budget)
	r.rows.response(r, f, api, s, ns, poll)
	if b := r.series.beat(r, r.now); b != nil {
		b.errors += int64(len(codes))
		if s != neither && !poll {
			b.answer(s, ns, &r.budget)
		}
	}
	if s == neither {
		return
	}
	r.total.side(s).answer(poll, ns, &r.budget)
	if q != nil {
		for _, t := range q.Topics {
			r.topics.of(t, &r.budget).side(s).answer(poll, ns, &r.budget)
		}
	}
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Error != 0 {
			r.topics.of(p.Topic, &r.budget).side(s).errors.addError(f.Generation, p.Error)
		}
	}
	if s == fetch && cutShort(f) {
		r.cutShort(f, s, q)
	}
	if s == fetch {
		r.records(f, s, q != nil && q.Replica >= 0)
	}
}

// cutShort says whether a frame may name more partitions than could be read.
func cutShort(f *session.Frame) bool {
	return f.Faulty && !f.Fault.Tolerated && f.Fault.Class == decode.Incomplete && !ofSet(f)
}

// cutShort notes a frame that brings records, for each topic that it is known to be about: those of its
// parts or, of an answer, those that its request named.
func (r *Report) cutShort(f *session.Frame, s side, q *session.Request) {
	r.total.side(s).cutFrames++
	r.stamp++
	note := func(t *session.Topic) {
		if topic := r.topics.of(t, &r.budget); topic.stamp != r.stamp {
			topic.stamp = r.stamp
			topic.side(s).cutFrames++
		}
	}
	for i := range f.Parts {
		note(f.Parts[i].Topic)
	}
	if q != nil {
		for _, t := range q.Topics {
			note(t)
		}
	}
}

var _ session.Sink = (*Report)(nil)
