package audit

import (
	"slices"

	"ksniff/decode"
	"ksniff/decode/legacy"
	"ksniff/reassembly"
)

var ks1019 = Rule{ID: "KS1019", Title: "FETCH offset is not on a boundary", Severity: Error, Who: Client, Since: "0.6",
	Source:  "the 0.7 guide (offsets are bytes of the log); Log.read does not check",
	Explain: "Offsets of 0.6 and 0.7 are positions in the log, and only the beginning of a message is one. The broker sends what is there, which cannot be read. The usual cause is an offset inside a compressed message.",
	Example: "FETCH at 10 where messages begin at 0 and 25",
	Needs:   NoGap} // what was served before shows the boundaries, and that both directions were captured

var ks1026 = Rule{ID: "KS1026", Title: "the end of the log went back", Severity: Warning, Who: Broker, Since: "0.6",
	Source:  "0.7.2 Log.getOffsetsBefore, highWaterMark",
	Explain: "The broker served messages beyond what it now calls the end of the log, or serves some from before its beginning: data was lost, or the log was made anew.",
	Example: "OFFSETS -1 gives 100 after a FETCH was served up to 200",
	Needs:   Both | NoGap | AllBrokers}

// logKey names a log.
type logKey struct {
	broker    reassembly.Endpoint
	topic     string
	partition int32
}

// boundaries are where messages of a log begin, as far as they were served, and the ranges that this covers.
type boundaries struct {
	at     []int64    // ascending
	ranges [][2]int64 // in between all boundaries are known
	begins int64      // of the log, as an answer to OFFSETS said last; 0 unknown
}

// Bounds of what is remembered.
const (
	maxLogs       = 200
	maxBoundaries = 4096
)

type logs = bounded[logKey, boundaries]

var logsSlot = newAuditSlot[logs]()

// log gives what is known of a log; nil where nothing is and it is not to be made.
func logOf(c *Ctx, p *legacy.Part, make bool) *boundaries {
	if c.Conn.Broker == nil {
		return nil
	}
	key, all := logKey{c.Conn.Broker.End, string(p.Topic), p.Partition}, logsSlot.of(c)
	if make {
		return all.at(key, maxLogs)
	}
	return all.get(key)
}

// inside says that an offset lies in a range that is known, and on no boundary.
func (b *boundaries) inside(offset int64) (before, after int64, wrong bool) {
	i, found := slices.BinarySearch(b.at, offset)
	if found || i == 0 || i == len(b.at) {
		return 0, 0, false
	}
	for _, r := range b.ranges {
		if offset > r[0] && offset < r[1] {
			return b.at[i-1], b.at[i], true
		}
	}
	return 0, 0, false
}

// add notes a boundary.
func (b *boundaries) add(offset int64) {
	if len(b.at) >= maxBoundaries {
		*b = boundaries{}
	}
	if i, found := slices.BinarySearch(b.at, offset); !found {
		b.at = slices.Insert(b.at, i, offset)
	}
}

// cover notes that all boundaries between two are known.
func (b *boundaries) cover(from, to int64) {
	for i := range b.ranges {
		if r := &b.ranges[i]; from <= r[1] && to >= r[0] {
			r[0], r[1] = min(r[0], from), max(r[1], to)
			return
		}
	}
	if len(b.ranges) < 256 {
		b.ranges = append(b.ranges, [2]int64{from, to})
	}
}

func lookFetchOffset(c *Ctx) {
	eachPart(decode.Request, c.Key, c.Body, func(_ int, p *legacy.Part) {
		b := logOf(c, p, false)
		if b == nil {
			return
		}
		if before, after, wrong := b.inside(p.Offset); wrong {
			c.Find(&ks1019).Byte(-1, "offset").Say("offset %d lies in the message that begins at %d; the next begins at %d", p.Offset, before, after).
				With("offset", p.Offset).With("before", before).With("after", after)
		}
	})
}

// lookFetchedMessages learns where messages begin, and looks at those that are served from a boundary.
func lookFetchedMessages(c *Ctx) {
	parts := askedParts(c)
	eachPart(decode.Response, c.Key, c.Body, func(i int, p *legacy.Part) {
		if i >= len(parts) || p.SetSize <= 0 || p.Error != 0 {
			return
		}
		asked := &parts[i]
		set := c.Body[p.Set : p.Set+p.SetSize]
		first, _ := nextMessage(set, 0)
		b := logOf(c, asked, asked.Offset == 0 || first.sound()) // a log begins with a message
		if b == nil {
			return
		}
		if _, on := slices.BinarySearch(b.at, asked.Offset); !on && asked.Offset != 0 && !first.sound() {
			return // it begins in the middle of a message
		}
		lookMessages(c, p.Set, p.SetSize)
		if asked.Offset < b.begins && first.sound() {
			c.Find(&ks1026).Byte(p.Set, "messages").Say("messages are served from offset %d, and the log was said to begin at %d", asked.Offset, b.begins).
				With("begin", b.begins).With("served", asked.Offset).With("topic", string(asked.Topic)).With("partition", asked.Partition)
			b.begins = 0
		}
		pos := 0
		for {
			m, ok := nextMessage(set, pos)
			if !ok || !m.sound() {
				break
			}
			b.add(asked.Offset + int64(pos))
			pos += 4 + m.length
		}
		if pos > 0 {
			b.add(asked.Offset + int64(pos))
			b.cover(asked.Offset, asked.Offset+int64(pos))
		}
	})
}

// lookLogOffset looks at the i-th offset of an answer to OFFSETS.
func lookLogOffset(c *Ctx, asked *legacy.Part, offset int64, i int) {
	b := logOf(c, asked, true)
	if b == nil {
		return
	}
	if asked.Offset == -1 && i == 0 && offset > 0 && len(b.at) > 0 {
		if last := b.at[len(b.at)-1]; offset < last {
			c.Find(&ks1026).Byte(6, "offsets").Say("the log ends at %d, messages were served up to %d", offset, last).
				With("end", offset).With("served", last).With("topic", string(asked.Topic)).With("partition", asked.Partition)
			*b = boundaries{}
		}
	}
	if asked.Offset == -2 && i == 0 {
		b.begins = offset
	}
	b.add(offset)
}
