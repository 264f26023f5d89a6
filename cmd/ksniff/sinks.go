package main

import (
	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report/filter"
)

// filtered hands on the frames for which the display filter is true, and of the requests among them
// which got no answer.
type filtered struct {
	next  session.Sink
	match *filter.Filter
	frame filter.Frame
	asked map[*session.Request]struct{} // handed on, without an answer so far
}

func (f *filtered) Frame(frame *session.Frame) {
	f.frame.Set(frame)
	match := f.match.Match(&f.frame)
	if r := frame.Request; r != nil {
		if frame.Kind == decode.Response {
			delete(f.asked, r)
		} else if match {
			f.asked[r] = struct{}{}
		}
	}
	if match {
		f.next.Frame(frame)
	} else if next, ok := f.next.(follower); ok {
		next.Follow(frame)
	}
}

func (f *filtered) Unanswered(c *reassembly.Conn, r *session.Request, why session.Why) {
	if _, asked := f.asked[r]; asked {
		delete(f.asked, r)
		f.next.Unanswered(c, r, why)
	} else if next, ok := f.next.(follower); ok {
		next.Forget(r)
	}
}

// follower is a sink that also wants to see the frames, and requests without an answer, that it does not get: what they
// tell of those that it gets.
type follower interface {
	Follow(f *session.Frame)
	Forget(r *session.Request)
}

// both hands frames to two sinks.
type both struct{ first, second session.Sink }

func (b both) Frame(f *session.Frame) {
	b.first.Frame(f)
	b.second.Frame(f)
}

func (b both) Unanswered(c *reassembly.Conn, r *session.Request, why session.Why) {
	b.first.Unanswered(c, r, why)
	b.second.Unanswered(c, r, why)
}

func (b both) Follow(f *session.Frame) {
	for _, s := range []session.Sink{b.first, b.second} {
		if s, ok := s.(follower); ok {
			s.Follow(f)
		}
	}
}

func (b both) Forget(r *session.Request) {
	for _, s := range []session.Sink{b.first, b.second} {
		if s, ok := s.(follower); ok {
			s.Forget(r)
		}
	}
}

// limited hands on the first frames and no more.
type limited struct {
	next session.Sink
	left uint64
}

func (l *limited) Frame(frame *session.Frame) {
	if l.left == 0 {
		return
	}
	l.left--
	l.next.Frame(frame)
}

func (l *limited) Unanswered(c *reassembly.Conn, r *session.Request, why session.Why) {
	if l.left > 0 { // afterwards nobody looked for answers
		l.next.Unanswered(c, r, why)
	}
}

func (l *limited) Follow(f *session.Frame) {
	if next, ok := l.next.(follower); ok && l.left > 0 {
		next.Follow(f)
	}
}

func (l *limited) Forget(r *session.Request) {
	if next, ok := l.next.(follower); ok {
		next.Forget(r)
	}
}

func (l *limited) enough() bool { return l.left == 0 }
