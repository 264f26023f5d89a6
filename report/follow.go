package report

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

// Follower knows of a frame what only the frames before it tell: its latency, whether its answer
// waited for data, its consumer group. It is for those who add up otherwise than a Report does, and
// tells the same as one. In steady state it allocates nothing.
type Follower struct {
	polls  polls
	groups groups
	errors errorFinder
}

// Facts are what a Follower tells of a frame.
type Facts struct {
	Produces, Fetches bool    // which way the API moves records; neither of most
	Latency           int64   // of a response, ns; -1 where it is not known
	LongPoll          bool    // the answer to a Fetch that may have waited for data
	Errors            []int16 // codes in a response that are not 0; valid until the next frame
}

// NewFollower makes a Follower that takes about so many bytes; 0 is 8 MiB. Beyond that more Fetches
// count as long polls, and groups are not told apart.
func NewFollower(memory int64) *Follower {
	if memory <= 0 {
		memory = 8 << 20
	}
	f := &Follower{polls: newPolls(memory)}
	f.groups.init()
	return f
}

// Frame follows a frame: each one, once, in order.
func (f *Follower) Frame(frame *session.Frame) Facts {
	side := sideOf(frame)
	facts := Facts{Produces: side == produce, Fetches: side == fetch, Latency: -1}
	answer := frame.Kind == decode.Response && !frame.Token && frame.Key >= 0
	if answer {
		facts.Errors, _ = f.errors.of(frame)
	}
	if ns, poll := f.polls.follow(frame, side); answer {
		facts.Latency, facts.LongPoll = ns, poll
	}
	return facts
}

// Unanswered ends a request that gets no response.
func (f *Follower) Unanswered(q *session.Request) {
	f.polls.forget(q)
	delete(f.groups.pending, q)
}

// Group is the consumer group that a frame belongs to, "" where none is known: what the frame names
// or, of other frames, what its client joined before. Asked of each frame, once, in order.
func (f *Follower) Group(frame *session.Frame) string {
	if name := f.groups.name(f.groups.of(frame), frame.Client); name != nil {
		return *name
	}
	return ""
}

// Faults calls yield with each fault of a frame and of its record sets, as a Report counts them.
func Faults(f *session.Frame, yield func(*decode.Fault)) {
	if f.Faulty && !ofSet(f) {
		yield(&f.Fault)
	}
	for i := range f.Parts {
		if s := &f.Parts[i].Sets; s.Faulty {
			yield(&s.Fault)
		}
	}
}
