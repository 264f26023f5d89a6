// Package report adds up what the frames of a capture say, and renders it: who moves how much
// through which topic, how fast, with which errors, and how complete that picture is.
package report

import (
	"slices"
	"time"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Config says what a Report adds up.
type Config struct {
	By       []string      // dimensions of the rows: names in Dimensions; partition brings topic with it
	Interval time.Duration // width of the series; 0: none
	Auto     bool          // a series whose width grows with the capture (for pictures)
	Top      int           // topics, clients and rows that are shown, the rest in `other`; 0: all
	Sort     string        // what comes first: a name in SortKeys; "" is bytes
	Deep     bool          // record sets were opened: uncompressed bytes are known
	// Memory bounds the aggregates, in bytes; 0 is 32 MiB. What does not fit is added up in `other`.
	Memory int64
}

// Report is a session.Sink that adds up. In steady state it allocates nothing. It is made for one goroutine, or for two
// of which one calls Note and NoteUnanswered and the other one Add.
type Report struct {
	cfg      Config
	budget   budget
	now      int64 // time of the frame at hand
	stamp    uint64
	frames   frameCounts
	faults   map[decode.Code]int64
	faulty   map[decode.Code]int64 // frames, each once
	apis     apis
	topics   topics
	clients  clients
	rows     rows
	series   series
	aborted  int64 // transactions that their producers gave up
	silences []Silence
	total    flow   // requests and latencies, each once; what the topics add up is not in it
	notes    *Notes // at hand

	// What Note needs.
	errors errorFinder
	polls  polls
	noted  int // silences
	lumps  []*lump
	own    Notes
	frame  *session.Frame // at hand, where one goroutine does all
}

type frameCounts struct{ requests, responses, unmatched, unanswered, inferred, tokenRequests, tokenResponses int64 }

// New makes an empty Report.
func New(cfg Config) (*Report, error) {
	if i := slices.Index(cfg.By, "partition"); i >= 0 && !slices.Contains(cfg.By, "topic") {
		cfg.By = slices.Insert(slices.Clone(cfg.By), i, "topic") // a number alone names no partition
	}
	r := &Report{cfg: cfg, budget: budget{left: cfg.Memory}, faults: map[decode.Code]int64{}, faulty: map[decode.Code]int64{}}
	if cfg.Memory <= 0 {
		r.budget.left = 32 << 20
	}
	r.polls = newPolls(r.budget.left / 4)
	r.budget.left -= r.budget.left / 4
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
	r.frame = f
	if r.Note(f, &r.own); len(r.own.list) >= fewNotes || r.rows.dims != 0 {
		r.Add(&r.own)
	}
}

// fewNotes stay in the cache nearest to the processor.
const fewNotes = 64

// Unanswered counts a request that should have had an answer.
func (r *Report) Unanswered(c *reassembly.Conn, q *session.Request, why session.Why) {
	delete(r.rows.groups.pending, q)
	if r.NoteUnanswered(c, q, why, &r.own); len(r.own.list) >= fewNotes || r.rows.dims != 0 {
		r.Add(&r.own)
	}
}

// add adds a frame.
func (r *Report) add(n *note) {
	r.stamp++
	r.now = n.time
	if n.faulty {
		r.faulty[n.fault]++
		if !n.within {
			r.faults[n.fault]++
		}
	}
	if n.kind == decode.Request {
		r.request(n)
	} else {
		r.response(n)
	}
}

// partsOf, topicsOf, codesOf and answersOf are those of the note at hand.
func (r *Report) partsOf(n *note) []partNote        { return r.notes.parts[n.parts.from:n.parts.to] }
func (r *Report) topicsOf(n *note) []*session.Topic { return r.notes.topics[n.topics.from:n.topics.to] }
func (r *Report) codesOf(n *note) []int16           { return r.notes.codes[n.codes.from:n.codes.to] }
func (r *Report) answersOf(n *note) []answer        { return r.notes.answers[n.answers.from:n.answers.to] }

func (r *Report) request(n *note) {
	r.frames.requests += n.times
	if n.token {
		r.frames.tokenRequests++
		return
	}
	api := r.apis.of(n)
	api.requests += n.times
	if n.version >= 0 {
		api.versions.addN(int32(n.version), n.times)
	}
	if b := r.series.beat(r, r.now); b != nil {
		b.requests += n.times
	}
	if n.aborted {
		r.aborted++
	}
	client := r.clients.of(n.client, &r.budget)
	client.requests += n.times
	if r.rows.dims != 0 {
		r.rows.request(r, r.frame, api, n)
	}
	if n.side == neither {
		return
	}
	r.total.request(n)
	if !n.asked { // its topics are those of its parts
		for i := range r.partsOf(n) {
			r.name(r.partsOf(n)[i].topic, client, n)
		}
	} else {
		for _, t := range r.topicsOf(n) {
			r.name(t, client, n)
		}
	}
	if n.side == produce && n.cut {
		r.cutShort(n)
	}
	if n.side == produce {
		r.records(n, false)
	}
}

// name counts a request for a topic that it names, once however often it does.
func (r *Report) name(t *session.Topic, c *client, n *note) {
	topic := r.topics.of(t, &r.budget)
	if topic.stamp == r.stamp {
		return
	}
	topic.stamp = r.stamp
	topic.request(n)
	c.topic(t, &r.budget)
}

// records adds the record sets of a frame.
func (r *Report) records(n *note, replica bool) {
	slot := r.series.slot(r, r.now)
	parts := r.partsOf(n)
	for i := range parts {
		p := &parts[i]
		if p.faulty {
			r.faults[p.fault]++
		}
		if p.bytes == 0 {
			continue
		}
		topic := r.topics.of(p.topic, &r.budget)
		topic.side(n.side).records(p, r.notes.codecs, replica)
		if p.spread {
			topic.partitions.addAll(&r.notes.spreads[p.partition], &r.budget)
		} else {
			topic.partitions.add(p.partition, &r.budget)
		}
		if slot >= 0 {
			r.series.add(r, topic, slot, n.side, p)
		}
	}
}

func (r *Report) response(n *note) {
	r.frames.responses += n.times
	switch {
	case n.token: // what it answers is a token too
		r.frames.tokenResponses++
	case n.inferred:
		r.frames.inferred++
	case !n.asked:
		r.frames.unmatched++
	}
	if n.token || n.key < 0 {
		return
	}
	api := r.apis.of(n)
	api.responses += n.times
	codes, answers := r.codesOf(n), r.answersOf(n)
	for _, code := range codes {
		api.errors.addError(n.generation, code)
	}
	for _, f := range r.notes.failures[n.failures.from:n.failures.to] {
		api.failing.add(f, &r.budget)
	}
	api.add(answers, &r.budget)
	if r.rows.dims != 0 {
		r.rows.response(r, r.frame, api, n, answers)
	}
	if b := r.series.beat(r, r.now); b != nil {
		b.errors += int64(len(codes))
		if n.side != neither {
			b.add(n.side, answers, &r.budget)
		}
	}
	if n.side == neither {
		return
	}
	r.total.side(n.side).add(answers, &r.budget)
	for _, t := range r.topicsOf(n) {
		r.topics.of(t, &r.budget).side(n.side).add(answers, &r.budget)
	}
	if len(codes) > 0 {
		parts := r.partsOf(n)
		for i := range parts {
			if p := &parts[i]; p.error != 0 {
				r.topics.of(p.topic, &r.budget).side(n.side).errors.addError(n.generation, p.error)
			}
		}
	}
	if n.side == fetch {
		if n.cut {
			r.cutShort(n)
		}
		r.records(n, n.replica)
	}
}

// cutShort notes a frame that brings records, for each topic that it is known to be about: those of its
// parts or, of an answer, those that its request named.
func (r *Report) cutShort(n *note) {
	r.total.side(n.side).cutFrames++
	r.stamp++
	note := func(t *session.Topic) {
		if topic := r.topics.of(t, &r.budget); topic.stamp != r.stamp {
			topic.stamp = r.stamp
			topic.side(n.side).cutFrames++
		}
	}
	for i := range r.partsOf(n) {
		note(r.partsOf(n)[i].topic)
	}
	if n.kind == decode.Response {
		for _, t := range r.topicsOf(n) {
			note(t)
		}
	}
}

var _ session.Sink = (*Report)(nil)
