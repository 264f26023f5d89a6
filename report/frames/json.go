package frames

import (
	"strconv"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly/session"
	"ksniff/report/escape"
	"ksniff/report/filter"
)

// appendJSON appends the frame as one line of JSON (DESIGN, section 6).
func (p *Printer) appendJSON(b []byte) []byte {
	f := &p.frame
	b = strconv.AppendUint(append(b, `{"packet":`...), f.Last.Packet, 10)
	b = append(b, `,"time":`...)
	if f.Last.Time == noTime {
		b = append(b, "null"...)
	} else {
		b = append(p.clock.appendRFC3339(append(b, '"'), f.Last.Time), '"')
	}
	b = append(b, p.ends.json(f)...)
	b = append(b, p.kinds.json(f)...)
	b = appendNumber(append(b, `,"correlation_id":`...), int64(f.CorrelationID), f.HasHeader)
	b = append(b, `,"client_id":`...)
	if id, ok := p.clientID(); ok {
		b = escape.JSON(b, id)
	} else {
		b = append(b, "null"...)
	}
	b = strconv.AppendInt(append(b, `,"length":`...), int64(f.Length), 10)
	b = append(b, `,"latency_ms":`...)
	if ns, ok := f.Latency(); ok {
		b = appendMillis(b, ns)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"topics":[`...)
	for i, name := range p.topics.names {
		if i > 0 {
			b = append(b, ',')
		}
		b = escape.JSON(b, name)
	}
	b = append(b, `],"error":`...)
	if p.errors.name == "" {
		b = append(b, "null"...)
	} else {
		b = escape.JSON(b, p.errors.name)
	}
	b = strconv.AppendBool(append(b, `,"inferred":`...), f.Inferred)
	b = p.appendFault(append(b, `,"fault":`...))
	if p.options.Tree {
		b = p.appendMessage(b)
	}
	return append(b, '}', '\n')
}

// kindTexts keeps what lines of JSON say of the API, for the latest request and response: nearly all frames of a
// connection are of one or two kinds.
type kindTexts [2]struct {
	key, version int16
	generation   session.Generation
	token        bool
	api          *schema.API
	text         []byte
}

// json gives the part of a line from the kind to the version.
func (k *kindTexts) json(f *filter.Frame) []byte {
	t := &k[f.Kind&1]
	if t.text != nil && t.key == f.Key && t.version == f.Version && t.generation == f.Generation && t.token == f.Token && t.api == f.API {
		return t.text
	}
	t.key, t.version, t.generation, t.token, t.api = f.Key, f.Version, f.Generation, f.Token, f.API
	b := append(append(t.text[:0], `,"kind":"`...), f.Kind.String()...)
	b = append(append(b, `","generation":"`...), generation(f.Generation)...)
	b = append(b, `","api":`...)
	if name := f.Name(); name == "" {
		b = append(b, "null"...)
	} else {
		b = append(append(append(b, '"'), name...), '"')
	}
	b = appendNumber(append(b, `,"key":`...), int64(f.Key), f.Key >= 0 && !f.Token)
	t.text = appendNumber(append(b, `,"version":`...), int64(f.Version), f.Version >= 0)
	return t.text
}

// clientID is the client id of the frame or its request, where there is one.
func (p *Printer) clientID() (string, bool) {
	f := &p.frame
	if f.Generation != session.Modern || f.Client == nil || f.Client.NullID {
		return "", false
	}
	return f.Client.ID, true
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

// fault gives the fault of the frame with the path of the field it is in.
func (p *Printer) fault() (f decode.Fault, path string, ok bool) {
	if !p.frame.Faulty {
		return f, "", false
	}
	f = p.frame.Fault
	if t := p.frame.Tree(); t != nil {
		for _, own := range t.Faults { // the session may have found it without a tree
			if own.Code == f.Code && own.Offset == f.Offset {
				return own, own.Path(t), true
			}
		}
	}
	return f, "", true
}

func (p *Printer) appendFault(b []byte) []byte {
	f, path, ok := p.fault()
	if !ok {
		return append(b, "null"...)
	}
	b = append(append(b, `{"code":"`...), f.Code.String()...)
	b = append(append(b, `","class":"`...), f.Class.String()...)
	b = strconv.AppendInt(append(b, `","offset":`...), int64(f.Offset), 10)
	b = escape.JSON(append(b, `,"path":`...), path)
	b = strconv.AppendInt(append(b, `,"need":`...), int64(f.Need), 10)
	b = strconv.AppendInt(append(b, `,"have":`...), int64(f.Have), 10)
	return append(escape.JSON(append(b, `,"message":`...), f.Message()), '}')
}
