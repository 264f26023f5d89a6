package frames

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
	"ksniff/report/filter"
)

// doubt is what is not certain about a frame beside its fault: then its packet and time are only near, or there is no
// latency though there is a request.
type doubt uint8

const (
	noDoubt      doubt = iota
	aboutPacket        // the packet that completed it was not captured
	aboutAsking        // that of its request was not captured
	aboutRequest       // which request it answers is a guess
	aboutOrder         // it was captured before its request
)

// doubts has the words of the JSON and those for people.
var doubts = [...][2]string{
	aboutPacket:  {"packet", "packet not captured"},
	aboutAsking:  {"request_packet", "packet of the request not captured"},
	aboutRequest: {"request", "request guessed"},
	aboutOrder:   {"order", "captured before the request"},
}

// doubtOf says what is not certain about a frame without latency.
func doubtOf(f *session.Frame) doubt {
	answers := f.Kind == decode.Response && f.Request != nil
	switch {
	case answers && f.Guessed:
		return aboutRequest
	case f.Unseen:
		return aboutPacket
	case !answers:
		return noDoubt
	case f.Request.Unseen:
		return aboutAsking
	case f.Last.Time != filter.NoTime && f.Request.Time != filter.NoTime:
		return aboutOrder
	}
	return noDoubt
}
