package report

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

// partNote is what is needed of a session.Part, or of several.
type partNote struct {
	topic             *session.Topic
	bytes, batches    int64
	messages, control int64
	uncompressed      int64
	coded             int64 // batches of codec or, where that is several, the place in Notes.codecs
	sets              int64 // record sets: 1 or, of several parts, more
	partition         int32 // or, where spread is set, the place in Notes.spreads
	error             int16
	codec             int8
	fault             decode.Code
	faulty, cut       bool // fault is set; the record set is not all there
	spread            bool
}

// several is the codec of batches that have not all the same.
const several = -1

// spread is a set of partitions, by their number.
type spread [4]uint64

// part notes a part.
func (s *Notes) part(p *session.Part) {
	if n := len(s.parts); n < cap(s.parts) {
		s.parts = s.parts[:n+1]
	} else {
		s.parts = append(s.parts, partNote{})
	}
	x, sets := &s.parts[len(s.parts)-1], &p.Sets
	x.topic, x.partition, x.spread, x.error, x.sets = p.Topic, p.Partition, false, p.Error, 1
	x.bytes, x.batches, x.messages, x.control, x.uncompressed = sets.Bytes, sets.Batches, sets.Messages, sets.Control, sets.Uncompressed
	x.faulty, x.cut, x.codec, x.coded = false, false, 0, 0
	if sets.Faulty {
		x.fault, x.faulty, x.cut = sets.Fault.Code, true, sets.Fault.Class == decode.Incomplete
	}
	if sets.Bytes == 0 {
		return
	}
	all, codec := int64(0), 0
	for i, n := range &sets.Codecs {
		if all += n; n != 0 {
			codec = i
		}
	}
	if x.coded = sets.Codecs[codec]; x.coded == all {
		x.codec = int8(codec)
		return
	}
	x.codec, x.coded = several, int64(len(s.codecs))
	s.codecs = append(s.codecs, sets.Codecs)
}
