package report

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

// flow is what moved through a topic (or any other thing that rows are about), both ways.
type flow struct{ produce, fetch ops }

func (f *flow) side(s side) *ops {
	if s == produce {
		return &f.produce
	}
	return &f.fetch
}

// request counts a request; q is nil where nothing is known of it.
func (f *flow) request(s side, q *session.Request) {
	o := f.side(s)
	o.requests++
	if q == nil {
		return
	}
	if s == produce {
		switch {
		case q.Acks >= -1 && q.Acks <= 1:
			o.acks[q.Acks+1]++
		case q.Acks != noAcks:
			o.acks[len(o.acks)-1]++
		}
	} else if q.Replica >= 0 {
		o.replicaRequests++
	}
}

func (f *flow) merge(o *flow) {
	f.produce.merge(&o.produce)
	f.fetch.merge(&o.fetch)
}

// clone is a copy that can be added to.
func (f *flow) clone() flow {
	var c flow
	c.merge(f)
	return c
}

// noAcks is the Acks of a request that has none.
const noAcks = -128

// ops adds up one way of a flow.
type ops struct {
	requests, batches, messages, bytes, control int64
	uncompressed                                int64
	opaque                                      int64 // record sets whose uncompressed size is not known
	// What follower replicas fetched, of the numbers above: the same records once more.
	replicaRequests, replicaMessages, replicaBytes int64
	codecs                                         [8]int64 // batches
	acks                                           [4]int64 // requests with acks -1, 0, 1, any other
	// What the capture does not hold all of: record sets and frames.
	cutSets, cutFrames int64
	errors             tally
	latencies
}

func (o *ops) records(s *session.Records, replica bool) {
	o.batches += s.Batches
	o.messages += s.Messages
	o.bytes += s.Bytes
	o.control += s.Control
	for i, n := range &s.Codecs {
		o.codecs[i] += n
	}
	if s.Uncompressed >= 0 {
		o.uncompressed += s.Uncompressed
	} else {
		o.opaque++
	}
	if s.Faulty && s.Fault.Class == decode.Incomplete {
		o.cutSets++
	}
	if replica {
		o.replicaMessages += s.Messages
		o.replicaBytes += s.Bytes
	}
}

func (o *ops) merge(p *ops) {
	o.requests += p.requests
	o.replicaRequests += p.replicaRequests
	o.cutFrames += p.cutFrames
	for i := range o.acks {
		o.acks[i] += p.acks[i]
	}
	o.latencies.merge(&p.latencies)
	o.moved(p)
}

// moved adds what record sets and partition answers say, each of which is counted in one place only,
// so that sums of it are true: no request and no latency, which belong to several topics at once.
func (o *ops) moved(p *ops) {
	o.batches += p.batches
	o.messages += p.messages
	o.bytes += p.bytes
	o.control += p.control
	o.cutSets += p.cutSets
	o.uncompressed += p.uncompressed
	o.opaque += p.opaque
	o.replicaMessages += p.replicaMessages
	o.replicaBytes += p.replicaBytes
	for i := range o.codecs {
		o.codecs[i] += p.codecs[i]
	}
	o.errors.merge(&p.errors)
}
