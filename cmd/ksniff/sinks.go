package main

import (
	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report/filter"
)

// filtered hands on the frames for which the display filter is true.
type filtered struct {
	next  session.Sink
	match *filter.Filter
	frame filter.Frame
}

func (f *filtered) Frame(frame *session.Frame) {
	f.frame.Set(frame)
	if f.match.Match(&f.frame) {
		f.next.Frame(frame)
	}
}

func (f *filtered) Unanswered(c *reassembly.Conn, r *session.Request, why session.Why) {
	f.next.Unanswered(c, r, why)
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
	l.next.Unanswered(c, r, why)
}

func (l *limited) enough() bool { return l.left == 0 }
