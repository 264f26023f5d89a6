package session

import (
	"ksniff/decode"
	"ksniff/reassembly"
)

// Responses alone prove Kafka where at least aloneFrames of them follow each other without a break, their
// correlation ids go up in small steps, the first aloneLooks of them that are neither short nor long each
// read as some response, and one can be nothing else. It is looked at when aloneBytes are there or no more
// will come.
const (
	aloneFrames = 3
	aloneStep   = 64
	aloneLooks  = 8
	aloneBytes  = 16 << 10
)

// answersAlone says whether one side sent responses, where nothing was captured of the other. In mid-stream
// they begin with some packet.
func (s *Session) answersAlone(sides *[2]reassembly.Window, skip [2]int, last bool) bool {
	side := 0
	if sides[0].Seen == 0 {
		side = 1
	}
	w := &sides[side]
	from := min(skip[side], len(w.Bytes))
	if sides[1-side].Seen > 0 || !last && len(w.Bytes)-from < aloneBytes {
		return false
	}
	if w.Start {
		k := s.answersFrom(w.Bytes[from:])
		return k.frames >= aloneFrames && k.named
	}
	for _, m := range w.Marks[:min(len(w.Marks), firstAnswered)] {
		if k := s.answersFrom(w.Bytes[m.Off:]); k.frames >= aloneFrames && k.named {
			return true
		}
	}
	return false
}

// chain is what follows each other without a break like responses: how many, how many of them that were looked at
// read as some response, and whether one can be nothing else.
type chain struct {
	frames, looks int
	named         bool
	length        int // of all
}

// answersFrom follows the responses that b begins with. What does not fit makes them none.
func (s *Session) answersFrom(b []byte) (k chain) {
	keeper := true
	for before := int32(0); len(b) >= 8; k.frames++ {
		length, id := int(int32(be32(b))), int32(be32(b[4:]))
		if length < 4 || length > maxRequest || id < 0 || k.frames > 0 && (id == before || id-before > aloneStep || before-id > aloneStep) {
			return chain{}
		}
		if len(b) < 4+length {
			break
		}
		body := b[4 : 4+length]
		keeper = keeper && zooKeeperAnswer(body)
		if length >= minInferred && length <= maxInferred && k.looks < aloneLooks && s.inferences < maxInferences {
			s.inferences++
			n, _, _ := s.readings(body)
			if n == 0 {
				return chain{}
			}
			k.looks++
			k.named = k.named || n == 1 || k.frames == 0 && s.isVersions(body)
		}
		before, b = id, b[4+length:]
		k.length += 4 + length
	}
	if keeper {
		return chain{}
	}
	return k
}

// findAlone searches a response where no request was captured: it begins with a packet, and others follow it.
func (s *Session) findAlone(w *reassembly.Window, last bool) (int, bool) {
	if !last && len(w.Bytes)-w.Tried < aloneBytes {
		return 0, false
	}
	w.Tried = len(w.Bytes)
	for _, m := range w.Marks {
		if m.Off < w.Searched || m.Inside {
			continue
		}
		if k := s.answersFrom(w.Bytes[m.Off:]); k.frames >= aloneFrames && k.looks > 0 {
			return m.Off, true
		}
	}
	if !last {
		w.Searched = max(0, len(w.Bytes)-4*aloneBytes) // what a few answers need may come yet
	} else {
		w.Searched = len(w.Bytes)
	}
	return w.Searched, false
}

// isVersions says whether a body reads as a response to ApiVersions, in any version.
func (s *Session) isVersions(body []byte) bool {
	for v := int16(0); v <= 4 && len(body) > 64; v++ {
		s.tree.Decode(decode.Whole(body), keyApiVersions, v, decode.Response)
		if _, bad := s.tree.Fault(); !bad {
			return true
		}
	}
	return false
}

// zooKeeperAnswer says whether a body is as ZooKeeper answers: xid, zxid with its epoch, an error of its own.
func zooKeeperAnswer(b []byte) bool {
	return len(b) >= 16 && be32(b[4:]) > 0 && be32(b[4:]) < 1<<16 && int32(be32(b[12:])) <= 0 && int32(be32(b[12:])) > -200
}
