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

// answersAlone says whether one side sent responses, where nothing was captured of the other.
func (s *Session) answersAlone(sides *[2]reassembly.Window, skip [2]int, last bool) bool {
	side := 0
	if sides[0].Seen == 0 {
		side = 1
	}
	w := &sides[side]
	b := w.Bytes[min(skip[side], len(w.Bytes)):]
	if sides[1-side].Seen > 0 || !last && len(b) < aloneBytes {
		return false
	}
	frames, looks, named, keeper, before := 0, 0, false, true, int32(0)
	for ; len(b) >= 8; frames++ {
		length, id := int(int32(be32(b))), int32(be32(b[4:]))
		if length < 4 || length > maxRequest || id < 0 || frames > 0 && (id == before || id-before > aloneStep || before-id > aloneStep) {
			return false
		}
		if len(b) < 4+length {
			break
		}
		body := b[4 : 4+length]
		keeper = keeper && zooKeeperAnswer(body)
		if length >= minInferred && length <= maxInferred && looks < aloneLooks && s.inferences < maxInferences {
			s.inferences++
			looks++
			n, _, _ := s.readings(body)
			if n == 0 {
				return false
			}
			named = named || n == 1 || frames == 0 && s.isVersions(body)
		}
		before, b = id, b[4+length:]
	}
	return frames >= aloneFrames && named && !keeper
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
