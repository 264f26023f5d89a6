package main

import (
	"runtime"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// apart is a sink that notes of each frame what is needed and leaves the rest of the work to a goroutine of its own.
type apart[B any] struct {
	lane *lane[B]
	now  *B // being filled
	note noter[B]
	done chan struct{}
}

// noter fills batches; full says that one should be worked off.
type noter[B any] interface {
	Note(f *session.Frame, into *B) (full bool)
	NoteUnanswered(c *reassembly.Conn, r *session.Request, why session.Why, into *B) (full bool)
}

// notes is how many batches there are between the two.
const notes = 4

// newApart makes a sink whose batches work takes, in order, until close.
func newApart[B any](note noter[B], work func(*B)) *apart[B] {
	a := &apart[B]{lane: newLane[B](notes), note: note, done: make(chan struct{})}
	a.now = a.lane.fresh()
	go func() {
		defer close(a.done)
		for b, more := a.lane.take(); more; b, more = a.lane.take() {
			work(b)
			a.lane.back(b)
		}
	}()
	return a
}

// Frame implements session.Sink.
func (a *apart[B]) Frame(f *session.Frame) {
	if a.note.Note(f, a.now) {
		a.hand()
	}
}

// Unanswered implements session.Sink.
func (a *apart[B]) Unanswered(c *reassembly.Conn, r *session.Request, why session.Why) {
	if a.note.NoteUnanswered(c, r, why, a.now) {
		a.hand()
	}
}

// Follow implements follower.
func (a *apart[B]) Follow(f *session.Frame) {
	if note, ok := a.note.(follower); ok {
		note.Follow(f)
	}
}

// Forget implements follower.
func (a *apart[B]) Forget(r *session.Request) {
	if note, ok := a.note.(follower); ok {
		note.Forget(r)
	}
}

func (a *apart[B]) hand() {
	a.lane.give(a.now)
	a.now = a.lane.fresh()
}

// close waits until all is worked off.
func (a *apart[B]) close() {
	a.lane.give(a.now)
	a.lane.end()
	<-a.done
}

// mayWorkApart says whether a second goroutine may work off what is found: nobody waits for what is there so far, and
// there is a processor for it.
func (in *input) mayWorkApart(args []string) bool {
	return in.files(args) && in.frames == 0 && in.write.file == "" && runtime.GOMAXPROCS(0) > 1
}
