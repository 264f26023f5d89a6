package report

import (
	"fmt"
	"strings"

	"ksniff/reassembly/session"
)

// Dimensions are the names that --by knows, in the order in which they are shown.
var Dimensions = []string{"topic", "partition", "client", "api", "error", "group", "connection"}

// dims is a set of dimensions, by their index in Dimensions.
type dims uint8

const (
	byTopic dims = 1 << iota
	byPartition
	byClient
	byAPI
	byError
	byGroup
	byConnection
)

// rowKey is what a row is about; what its dimensions do not name is zero.
type rowKey struct {
	topic     *session.Topic
	client    *session.Client
	conn      int
	partition int32
	api       *api
	error     int32
	group     *string         // that the frame names, or
	member    *session.Client // who may be in one
}

func (k *rowKey) hash() hash {
	h := newHash.topic(k.topic).client(k.client).client(k.member)
	h = h.number(int64(k.conn)).number(int64(k.partition)).number(int64(k.error))
	if k.api != nil {
		h = h.number(int64(k.api.generation)).number(int64(k.api.key))
	}
	if k.group != nil {
		h = h.text(*k.group)
	}
	return h
}

// notYet is the error of a request: its outcome is in the row of its answer.
const notYet = int32(1) << 30

type row struct {
	flow
	stamp    uint64 // of the last frame that was counted here
	cut      uint64 // of the last one that is not whole
	requests int64  // of any API
	errors   tally
	latencies
}

const endsTextCost = 120 // the ends of a connection and their place in the map, bytes

const rowCost = 700 // a row and its place in the map, bytes

// rows are the aggregates that --by asks for. Records that a frame moves, and each request, are
// counted in exactly one row, but a request that names several topics or partitions in one of each.
type rows struct {
	dims   dims
	byKey  map[rowKey]*row
	other  row
	left   crowd
	groups groups
	ends   map[int]string // of connections
}

func (r *rows) init(by []string) error {
	for _, name := range by {
		i := 0
		for i < len(Dimensions) && Dimensions[i] != name {
			i++
		}
		if i == len(Dimensions) {
			return fmt.Errorf("--by knows %s, but not %q", strings.Join(Dimensions, ", "), name)
		}
		if r.dims&(1<<i) != 0 {
			return fmt.Errorf("--by has %q twice", name)
		}
		r.dims |= 1 << i
	}
	r.byKey, r.ends = map[rowKey]*row{}, map[int]string{}
	r.groups.init()
	return nil
}

// key is the part of a row's key that a frame gives.
func (r *rows) key(p *Report, f *session.Frame, a *api) rowKey {
	var k rowKey
	if r.dims&byClient != 0 {
		k.client = f.Client
		if k.client == nil && f.Request != nil {
			k.client = f.Request.Client
		}
	}
	if r.dims&byAPI != 0 {
		k.api = a
	}
	if r.dims&byGroup != 0 {
		if k.group = r.groups.of(f); k.group == nil {
			k.member = f.Client
		}
	}
	if r.dims&byConnection != 0 && f.Conn != nil {
		k.conn = f.Conn.ID
		if _, known := r.ends[k.conn]; !known && p.budget.take(endsTextCost) {
			r.ends[k.conn] = endsText(f.Conn)
		}
	}
	return k
}

// at completes a key with a partition's and gives its row.
func (r *rows) at(p *Report, k rowKey, t *session.Topic, partition, err int32) *row {
	if r.dims&byTopic != 0 {
		k.topic = t
	}
	if r.dims&byPartition != 0 {
		k.partition = partition
	}
	if r.dims&byError != 0 {
		k.error = err
	}
	a := r.byKey[k]
	if a == nil {
		if !p.budget.take(rowCost) {
			r.left.add(k.hash())
			return &r.other
		}
		a = &row{}
		r.byKey[k] = a
	}
	return a
}

// named says whether rows are about topics or partitions, so that other APIs have none.
func (r *rows) named() bool { return r.dims&(byTopic|byPartition) != 0 }

func (r *rows) request(p *Report, f *session.Frame, a *api, n *note) {
	s := n.side
	k := r.key(p, f, a)
	count := func(a *row) {
		if a.stamp != p.stamp {
			a.stamp = p.stamp
			a.requests++
			if s != neither {
				a.flow.request(n)
			}
		}
	}
	switch {
	case !r.named():
		count(r.at(p, k, nil, 0, notYet))
	case s != neither && r.dims&byPartition == 0 && f.Request != nil:
		for _, t := range f.Request.Topics {
			count(r.at(p, k, t, 0, notYet))
		}
	}
	cut, parts := n.cut, p.partsOf(n)
	for i := range f.Parts {
		q := &f.Parts[i]
		a := r.at(p, k, q.Topic, q.Partition, notYet)
		count(a)
		if s == produce {
			a.produce.records(&parts[i], p.notes.codecs, false)
			if cut && a.cut != p.stamp {
				a.cut = p.stamp
				a.produce.cutFrames++
			}
		}
	}
}

func (r *rows) response(p *Report, f *session.Frame, a *api, n *note, answers []answer) {
	s := n.side
	k := r.key(p, f, a)
	answer := func(a *row) {
		if a.stamp != p.stamp {
			a.stamp = p.stamp
			a.latencies.add(answers, &p.budget)
			if s != neither {
				a.side(s).add(answers, &p.budget)
			}
		}
	}
	if !r.named() {
		codes, parts := p.errors.of(f)
		if len(codes) == 0 && len(f.Parts) == 0 {
			answer(r.at(p, k, nil, 0, errorKey(f.Generation, 0)))
		}
		for _, code := range codes[:parts] {
			a := r.at(p, k, nil, 0, errorKey(f.Generation, code))
			answer(a)
			a.errors.addError(f.Generation, code)
		}
	}
	replica := f.Request != nil && f.Request.Replica >= 0
	cut, sets := s == fetch && n.cut, p.partsOf(n)
	if cut && len(f.Parts) == 0 && !r.named() {
		r.at(p, k, nil, 0, errorKey(f.Generation, 0)).fetch.cutFrames++
	}
	for i := range f.Parts {
		q := &f.Parts[i]
		a := r.at(p, k, q.Topic, q.Partition, errorKey(f.Generation, q.Error))
		answer(a)
		a.errors.addError(f.Generation, q.Error)
		a.side(s).errors.addError(f.Generation, q.Error)
		if s == fetch {
			a.fetch.records(&sets[i], p.notes.codecs, replica)
			if cut && a.cut != p.stamp {
				a.cut = p.stamp
				a.fetch.cutFrames++
			}
		}
	}
	if f.Request != nil && r.dims&(byTopic|byPartition|byError) == byTopic {
		for _, t := range f.Request.Topics { // those that a fetch session left out of the answer
			answer(r.at(p, k, t, 0, 0))
		}
	}
}

func (a *row) merge(o *row) {
	a.flow.merge(&o.flow)
	a.requests += o.requests
	a.errors.merge(&o.errors)
	a.latencies.merge(&o.latencies)
}
