package session

import (
	"bytes"
	"encoding/binary"

	"ksniff/decode"
	"ksniff/decode/legacy"
	"ksniff/decode/schema"
	"ksniff/reassembly"
)

// Prove implements reassembly.Judge. Which side is the client, its requests prove; ports and SYNs are
// no proof. One request with a client id that decodes to its last byte proves Kafka; one without needs
// a second, or its response, or that nothing else was ever sent.
func (j *judge) Prove(rc *reassembly.Conn, sides *[2]reassembly.Window, last bool) reassembly.Proof {
	s, c := j.session(), of(rc)
	proof := s.prove(c, rc, sides, last)
	switch {
	case proof.Speaks == reassembly.Frames:
		c.speech = Kafka
	case proof.Speaks == reassembly.Undecided && !last:
		return proof
	}
	s.cfg.Watch.Known(rc, c.speech, int(c.client), sides)
	return proof
}

func (s *Session) prove(c *conn, rc *reassembly.Conn, sides *[2]reassembly.Window, last bool) reassembly.Proof {
	if yes, told := s.told(rc); told {
		if !yes {
			return s.other(c, reassembly.Foreign, &s.Connections.Foreign)
		}
		return s.force(c, rc)
	}
	var skip [2]int
	for i := range sides {
		n, ok := preamble(&sides[i], &sides[1-i])
		if !ok && !last {
			return reassembly.Proof{}
		}
		skip[i] = min(n, len(sides[i].Bytes))
	}
	behind := [2]reassembly.Window{sides[0].Behind(skip[0]), sides[1].Behind(skip[1])}
	if isTLS(&behind[0]) || isTLS(&behind[1]) {
		if !last && awaitsHello(&behind) {
			return reassembly.Proof{}
		}
		*sides = behind
		c.speech = TLS
		proof := s.other(c, reassembly.Encrypted, &s.Connections.TLS)
		proof.Skip = skip
		return proof
	}
	var claims [2]claim
	for i := range sides {
		claims[i] = s.claim(c, rc.Ends[1-i], sides, i, skip, last)
	}
	proof := s.decide(c, rc, sides, claims, skip, last)
	if p := c.presume; p != nil {
		proof.Refused[p.side] = claims[p.side].refused || proof.Speaks == reassembly.Frames && p.side != int(c.client)
		if proof.Speaks == reassembly.Frames && !proof.Refused[p.side] {
			c.presume = nil
		}
	}
	return proof
}

// decide gives the verdict on what both sides claim to be.
func (s *Session) decide(c *conn, rc *reassembly.Conn, sides *[2]reassembly.Window, claims [2]claim, skip [2]int, last bool) reassembly.Proof {
	client := 0
	if claims[1].grade > claims[0].grade {
		client = 1
	}
	best := claims[client]
	switch {
	case best.grade == not && s.answersAlone(sides, skip, last):
		c.gen, c.client, c.alone = Modern, 0, true
		if sides[0].Seen > 0 {
			c.client = 1
		}
		s.Connections.Modern++
		return reassembly.Proof{Speaks: reassembly.Frames, Skip: skip}
	case best.grade == sure || last && best.grade == fits:
		c.gen, c.client, c.stands = best.gen, int8(client), best.stands
		s.brokers.add(rc.Ends[1-client], c.gen)
		if c.gen == Modern {
			s.Connections.Modern++
		} else {
			s.Connections.Legacy++
		}
		return reassembly.Proof{Speaks: reassembly.Frames, Skip: skip}
	case isZooKeeper(&sides[0]) || isZooKeeper(&sides[1]):
		c.speech = ZooKeeper
		return s.other(c, reassembly.Foreign, &s.Connections.ZooKeeper)
	case last && (best.grade == open || best.grade == named):
		proof := s.other(c, reassembly.Pending, new(int64))
		if len(sides[1-client].Bytes) > 0 {
			proof.Fate[1-client] = reassembly.Foreign
		}
		return proof
	case last || claims[0].grade == not && claims[1].grade == not && begun(&sides[0], skip[0]) && begun(&sides[1], skip[1]):
		if sides[0].Seen+sides[1].Seen == 0 {
			return s.other(c, reassembly.Foreign, new(int64))
		}
		return s.other(c, reassembly.Foreign, &s.Connections.Foreign)
	}
	return reassembly.Proof{}
}

// claim is what a side fits, and how well.
type claim struct {
	gen    Generation
	grade  grade
	stands uint64 // see conn
	// refused says that what was presumed is no request.
	refused bool
}

// begun says that the stream's first bytes are there, enough to tell that they are no request.
func begun(w *reassembly.Window, skip int) bool { return w.Start && len(w.Bytes) >= skip+12 }

// told says what the user told about the ports of a connection.
func (s *Session) told(rc *reassembly.Conn) (kafka, told bool) {
	for _, end := range rc.Ends {
		if yes, ok := s.cfg.DecodeAs[end.Port]; ok {
			return yes, true
		}
	}
	return false, false
}

// force takes a connection for Kafka because the user says so; who has the port is the broker.
func (s *Session) force(c *conn, rc *reassembly.Conn) reassembly.Proof {
	c.gen, c.client = Modern, 0
	if s.cfg.DecodeAs[rc.Ends[0].Port] {
		c.client = 1
	}
	s.Connections.Modern++
	return reassembly.Proof{Speaks: reassembly.Frames}
}

// other counts a connection that is not cut.
func (s *Session) other(c *conn, fate reassembly.Fate, count *int64) reassembly.Proof {
	*count++
	return reassembly.Proof{Speaks: reassembly.Other, Fate: [2]reassembly.Fate{fate, fate}}
}

// claim says how well side i, which speaks to peer, fits a client. At the stream's start only its first
// frame counts.
func (s *Session) claim(c *conn, peer reassembly.Endpoint, sides *[2]reassembly.Window, i int, skip [2]int, last bool) claim {
	w := &sides[i]
	if c.presume != nil && c.presume.side == i {
		return s.presumption(c, sides, last)
	}
	if !w.Start {
		if packet, ok := s.talks(w, &sides[1-i], s.brokers[peer] == Modern, last); ok {
			return claim{gen: Modern, grade: sure, stands: packet}
		}
		return s.midstream(w, last)
	}
	b := w.Bytes[min(skip[i], len(w.Bytes)):]
	if len(b) == 0 || b[0] > 0x06 {
		return claim{}
	}
	if len(b) < 4 {
		return claim{gen: Modern, grade: open}
	}
	length := int(int32(be32(b)))
	g, l := s.modern(w, b, &sides[1-i], skip[1-i], last), legacyGrade(b[4:], length)
	whole := length <= len(b)-4
	switch s.brokers[peer] { // what is sent to a broker need not be right
	case Legacy:
		if g < sure && whole && length >= 2 && b[4] == 0 && b[5] <= byte(OFFSETS) {
			g, l = not, sure
		}
	case Modern:
		if l < sure && whole && length >= 10 && s.addressed(b[4:4+length]) {
			g = sure
		}
	}
	if l > g && g != named && g != fits {
		return claim{gen: Legacy, grade: l}
	}
	return claim{gen: Modern, grade: g}
}

// modern says how well b, at the start of a stream, fits a modern client; o is the other side.
func (s *Session) modern(w *reassembly.Window, b []byte, o *reassembly.Window, skip int, last bool) grade {
	length := int(int32(be32(b)))
	g := s.grade(b[4:], length)
	if g == not || g == sure {
		return g
	}
	request, rest := b[4:min(len(b), 4+length)], b[min(len(b), 4+length):]
	answer := o.Bytes[min(skip, len(o.Bytes)):]
	if g == odd || g == newer {
		return s.borne(g, b, answer, o, last)
	}
	if len(answer) >= 8 && len(request) >= 8 {
		switch {
		case s.answers(request, answer) && (g != open || len(answer) >= 4+int(int32(be32(answer)))):
			return sure
		case o.Start && (g == fits || g == open && !bytes.Equal(request[4:8], answer[4:8])):
			return not
		}
	}
	if g == named && (w.Ended || last) && (o.Seen == 0 && !s.likeFetched(request) || o.Seen > 0 && w.Began < o.Began) {
		return sure // a long or cut frame that begins well; clients speak first
	}
	if g != fits {
		return g
	}
	handshake := request[1] == keySaslHandshake && request[3] == 0
	if len(rest) >= 12 && !handshake {
		next := s.grade(rest[4:], int(int32(be32(rest))))
		if next == not {
			return not
		}
		if next >= fits {
			return sure
		}
	}
	return fits
}

// likeFetched says whether a request, just graded, that is not all there may be the answer to a Fetch whose
// request is lost. That begins like a Produce: its topic like a client id, its partition like a timeout.
func (s *Session) likeFetched(request []byte) bool {
	h, need, _ := decode.ParseRequestHeader(request)
	if need > 0 || h.Key != keyProduce {
		return h.Key == keyProduce
	}
	timeout := s.tree.Body().Field("TimeoutMs")
	return !timeout.OnWire() || timeout.Int() < 1000 || timeout.Int()&0xffff == 0
}

// addressed says whether a frame to a known broker has the header of a request, known or not.
func (s *Session) addressed(b []byte) bool {
	h, need, fault := decode.ParseRequestHeader(b)
	return need == 0 && fault.Code == 0 && h.Key >= 0 && h.Key < 1024 && h.Version >= 0 && h.Version < 128 && printable(h.ClientID) &&
		(len(h.ClientID) > 0 || schema.Lookup(h.Key) != nil)
}

// brokers are the ends of connections that proved to be brokers: what else is sent to them is meant for
// a broker too.
type brokers map[reassembly.Endpoint]Generation

// maxBrokers bounds them.
const maxBrokers = 4096

func (b brokers) add(end reassembly.Endpoint, gen Generation) {
	if len(b) < maxBrokers {
		b[end] = gen
	}
}

// legacyGrade says how well b, the beginning or all of a body of the given length, fits a legacy request.
func legacyGrade(b []byte, length int) grade {
	ok, need := legacy.Plausible(b[:min(len(b), max(length, 0))], length)
	switch {
	case ok:
		return sure
	case need > 0:
		return open
	}
	return not
}

// midstream says whether a request lies in a window that does not begin at the stream's start.
func (s *Session) midstream(w *reassembly.Window, last bool) claim {
	from := w.Searched
	at, found := s.findRequest(nil, w, last)
	if found {
		return claim{gen: Modern, grade: sure}
	}
	modern := w.Searched
	w.Searched = from
	if _, found = s.findLegacyRequest(w, last); found {
		return claim{gen: Legacy, grade: sure}
	}
	w.Searched = min(at, modern, w.Searched)
	return claim{}
}

func be32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
