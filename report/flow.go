package report

// flow is what moved through a topic (or any other thing that rows are about), both ways.
type flow struct{ produce, fetch ops }

func (f *flow) side(s side) *ops {
	if s == produce {
		return &f.produce
	}
	return &f.fetch
}

// request counts a request, or several.
func (f *flow) request(n *note) {
	o := f.side(n.side)
	o.requests += n.times
	if !n.asked { // nothing is known of it
		return
	}
	if n.side == produce {
		switch {
		case n.acks >= -1 && n.acks <= 1:
			o.acks[n.acks+1] += n.times
		case n.acks != noAcks:
			o.acks[len(o.acks)-1] += n.times
		}
	} else if n.replica {
		o.replicaRequests += n.times
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

// records adds a record set, or several; codecs are those of the notes at hand.
func (o *ops) records(p *partNote, codecs [][8]int64, replica bool) {
	o.batches += p.batches
	o.messages += p.messages
	o.bytes += p.bytes
	o.control += p.control
	if p.codec != several {
		o.codecs[p.codec] += p.coded
	} else {
		for i, n := range &codecs[p.coded] {
			o.codecs[i] += n
		}
	}
	if p.uncompressed >= 0 {
		o.uncompressed += p.uncompressed
	} else {
		o.opaque += p.sets
	}
	if p.cut {
		o.cutSets++
	}
	if replica {
		o.replicaMessages += p.messages
		o.replicaBytes += p.bytes
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
