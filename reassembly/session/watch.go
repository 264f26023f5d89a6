package session

import "ksniff/reassembly"

// Watcher is told what happens to connections between their frames, in the order of the capture.
type Watcher interface {
	// Known is called once for each connection, when it is known what it speaks, or that this will
	// not be known. client is the side that sends requests, -1 where there is none. sides is what
	// both sent so far, valid during the call: of TLS, the hellos as far as they were captured.
	Known(c *reassembly.Conn, what Speech, client int, sides *[2]reassembly.Window)
	// Lost says that bytes of a side are missing or were skipped, so that frames may be missing.
	Lost(c *reassembly.Conn, side int, at reassembly.Moment)
	// BadLength says that where a frame should begin there is a length that no frame has; Lost follows.
	BadLength(c *reassembly.Conn, side int, at reassembly.Moment, length int32)
	// Ended says that a side has ended, and how.
	Ended(c *reassembly.Conn, side int, at reassembly.Moment, why reassembly.Ending)
	// Closed says that both sides have ended, after all that was Unanswered.
	Closed(c *reassembly.Conn)
}

// Speech is what a connection speaks.
type Speech uint8

// What connections speak.
const (
	Foreign Speech = iota // not Kafka, or too little was sent to tell
	Kafka
	TLS
	ZooKeeper
)

// nobody is the Watcher where there is none.
type nobody struct{}

func (nobody) Known(*reassembly.Conn, Speech, int, *[2]reassembly.Window) {}
func (nobody) Lost(*reassembly.Conn, int, reassembly.Moment)              {}
func (nobody) BadLength(*reassembly.Conn, int, reassembly.Moment, int32)  {}
func (nobody) Ended(*reassembly.Conn, int, reassembly.Moment, reassembly.Ending) {
}
func (nobody) Closed(*reassembly.Conn) {}
