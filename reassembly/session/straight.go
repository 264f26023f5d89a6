package session

import (
	"ksniff/decode"
	"ksniff/decode/records"
)

// readStraight reads a message behind a header that lies in one piece and is as nearly all are: see
// decode.Straight. False: begin and all must read it. What both can read both read alike.
func (rd *reader) readStraight(s *Session, c *conn, out *Frame, body []byte, header int) bool {
	if !rd.straight.Begin(out.Key, out.Version, out.Kind, body, header) {
		return false
	}
	rd.reading = reading{session: s, key: out.Key, version: out.Version, kind: out.Kind, length: len(body), simple: true, over: true,
		opt: records.Options{Deep: s.cfg.Deep, Exact: out.Kind == decode.Request}, parts: rd.parts[:0], drops: rd.drops[:0]}
	item := &rd.item // here, since it would escape
	for {
		switch rd.straight.Next(item) {
		case decode.Partition:
			rd.partition(item)
			rd.wholeSet(item, body)
		case decode.Topic, decode.ForgottenTopic:
			rd.topic = c.named(s, item)
		case decode.Forgotten:
			if len(rd.drops) < maxSession {
				rd.drops = append(rd.drops, partition{rd.topic, item.Index})
			}
		case decode.End:
			return true
		default:
			return false
		}
	}
}

// wholeSet reads the record set of the latest partition, all of which is in body.
func (rd *reader) wholeSet(item *decode.Item, body []byte) {
	if item.Length > 0 && !rd.opt.Deep {
		if c, ok := records.Plain(body[item.Records : item.Records+item.Length]); ok {
			r := &rd.parts[len(rd.parts)-1].Sets
			r.At, r.Bytes, r.Batches, r.Messages, r.Control, r.Codecs = item.Records, int64(item.Length), c.Batches, c.Messages, c.Control, c.Codecs
			return
		}
	}
	if rd.beginSet(item); rd.inSet {
		rd.scan.Next(body[item.Records : item.Records+item.Length])
		rd.endSet()
	}
}

// named is Session.named with a memory: most connections tell of the same topic again and again.
func (c *conn) named(s *Session, item *decode.Item) *Topic {
	if item.ID != [16]byte{} {
		if t := c.byID; t == nil || t.ID != item.ID {
			c.byID = s.topicByID(item.ID)
		}
		return c.byID
	}
	if t := c.byName; t == nil || t.Name == "" || t.Name != string(item.Name) {
		c.byName = s.topic(item.Name)
	}
	return c.byName
}
