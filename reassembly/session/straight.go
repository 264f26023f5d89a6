package session

import (
	"ksniff/decode"
	"ksniff/decode/records"
)

// readStraight reads a message behind a header that lies in one piece and is as nearly all are: see
// decode.Straight. False: begin and all must read it. What both can read both read alike.
func (rd *reader) readStraight(s *Session, c *conn, out *Frame, body []byte, header int) bool {
	if out.Key != keyProduce && out.Key != keyFetch {
		return false
	}
	rd.start(s, out.Key, out.Version, out.Kind, len(body))
	rd.simple, rd.over = true, true
	rd.conn, rd.body = c, body
	whole := rd.straight.Read(out.Key, out.Version, out.Kind, body, header, (*told)(rd))
	rd.body = nil
	return whole
}

// told is the reader as a Straight sees it.
type told reader

// Topic implements decode.Told. Most connections tell of the same topic again and again.
func (x *told) Topic(name []byte, id *[16]byte) {
	s, c := x.session, x.conn
	switch {
	case id != nil && *id != [16]byte{}:
		if c.byID == nil || c.byID.ID != *id {
			c.byID = s.topicByID(*id)
		}
		x.topic = c.byID
	default:
		if c.byName == nil || c.byName.Name == "" || c.byName.Name != string(name) {
			c.byName = s.topic(name)
		}
		x.topic = c.byName
	}
}

// Partition implements decode.Told.
func (x *told) Partition(item *decode.Item) {
	rd := (*reader)(x)
	p := rd.partition(item)
	if item.Length > 0 && !rd.opt.Deep {
		set := rd.body[item.Records : item.Records+item.Length]
		if batches, messages, control, codec, ok := records.Plain(set); ok {
			r := &p.Sets
			r.At, r.Bytes, r.Batches, r.Messages, r.Control, r.Codecs[codec&7] = item.Records, int64(item.Length), batches, messages, control, batches
			return
		}
	}
	if rd.beginSet(item); rd.inSet {
		rd.scan.Next(rd.body[item.Records : item.Records+item.Length])
		rd.endSet()
	}
}

// Forgotten implements decode.Told.
func (x *told) Forgotten(index int32) {
	if len(x.drops) < maxSession {
		x.drops = append(x.drops, partition{x.topic, index})
	}
}
