package frames

import (
	"slices"
	"strconv"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

// jsonRoom is room for a usual line, so that it is made once.
const jsonRoom = 1 << 10

// jsonEnd is how nearly all lines end.
const jsonEnd = `],"error":null,"inferred":false,"fault":null`

// appendJSON appends the frame as one line of JSON (DESIGN, section 6).
func (p *Printer) appendJSON(b []byte, l *line) []byte {
	c := p.conns.of(l.conn)
	b = slices.Grow(b, jsonRoom)
	b = appendUint(append(b, `{"packet":`...), l.packet)
	if l.time == noTime {
		b = append(b, `,"time":null`...)
	} else {
		b = append(p.clock.appendRFC3339(append(b, `,"time":"`...), l.time), '"')
	}
	b = append(b, c.prefix(l)...)
	if l.header {
		b = appendInt(b, int64(l.id))
	} else {
		b = append(b, "null"...)
	}
	b = appendInt(append(b, c.who(l)...), int64(l.length))
	b = append(b, `,"latency_ms":`...)
	if l.latency >= 0 {
		b = appendMillis(b, l.latency)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"topics":[`...)
	for i, name := range p.lines.topicsOf(l) {
		if i > 0 {
			b = append(b, ',')
		}
		b = decode.AppendString(b, name)
	}
	if l.error == "" && !l.inferred && l.fault < 0 && l.doubt == noDoubt {
		b = append(b, jsonEnd...)
	} else {
		b = p.appendWrong(b, l)
	}
	if p.options.Tree {
		b = p.appendMessage(b)
	}
	return append(b, '}', '\n')
}

// appendWrong appends what jsonEnd says of other frames.
func (p *Printer) appendWrong(b []byte, l *line) []byte {
	b = append(b, `],"error":`...)
	if l.error == "" {
		b = append(b, "null"...)
	} else {
		b = decode.AppendString(b, l.error)
	}
	b = strconv.AppendBool(append(b, `,"inferred":`...), l.inferred)
	b = p.appendFault(append(b, `,"fault":`...), l)
	if l.doubt != noDoubt {
		b = append(append(append(b, `,"doubt":"`...), doubts[l.doubt][0]...), '"')
	}
	return b
}

// clientID is the client id that the line shows, "" also where it has none.
func (l *line) clientID() string {
	if l.client == nil {
		return ""
	}
	return l.client.ID
}

func generation(g session.Generation) string {
	switch g {
	case session.Modern:
		return "modern"
	case session.Legacy:
		return "legacy"
	}
	return "unknown"
}

// appendNumber appends n, or null where it is not there.
func appendNumber(b []byte, n int64, there bool) []byte {
	if !there {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, n, 10)
}

func (p *Printer) appendFault(b []byte, l *line) []byte {
	if l.fault < 0 {
		return append(b, "null"...)
	}
	f := &p.lines.faults[l.fault]
	b = append(append(b, `{"code":"`...), f.Code.String()...)
	b = append(append(b, `","class":"`...), f.Class.String()...)
	b = strconv.AppendInt(append(b, `","offset":`...), int64(f.Offset), 10)
	b = decode.AppendString(append(b, `,"path":`...), f.path)
	b = strconv.AppendInt(append(b, `,"need":`...), int64(f.Need), 10)
	b = strconv.AppendInt(append(b, `,"have":`...), int64(f.Have), 10)
	return append(decode.AppendString(append(b, `,"message":`...), f.Message()), '}')
}
