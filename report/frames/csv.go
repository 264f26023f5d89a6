package frames

import (
	"strconv"

	"ksniff/report/escape"
)

// csvHeader names the columns; they are the fields of the JSON, with several topics joined by spaces
// (no topic's name has one).
const csvHeader = "packet,time,connection,src,dst,kind,generation,api,key,version,correlation_id,client_id,length,latency_ms,topics,error,inferred,fault,fault_class,fault_offset,doubt\n"

// appendCSV appends the frame as a row; what is not there is an empty cell.
func (p *Printer) appendCSV(b []byte, l *line) []byte {
	ends := p.conns.of(l.conn).ends
	b = append(strconv.AppendUint(b, l.packet, 10), ',')
	if l.time != noTime {
		b = p.clock.appendRFC3339(b, l.time)
	}
	b = strconv.AppendInt(append(b, ','), int64(l.conn.ID), 10)
	b = append(append(b, ','), ends[l.side]...)
	b = append(append(b, ','), ends[1-l.side]...)
	b = append(append(b, ','), l.kind.String()...)
	b = append(append(b, ','), generation(l.generation)...)
	b = append(append(b, ','), l.name...)
	b = appendIf(append(b, ','), int64(l.key), l.key >= 0 && !l.token)
	b = appendIf(append(b, ','), int64(l.version), l.version >= 0)
	b = appendIf(append(b, ','), int64(l.id), l.header)
	b = escape.CSV(append(b, ','), l.clientID())
	b = strconv.AppendInt(append(b, ','), int64(l.length), 10)
	b = append(b, ',')
	if l.latency >= 0 {
		b = appendMillis(b, l.latency)
	}
	b = append(b, ',')
	p.text = p.text[:0]
	for i, name := range p.lines.topicsOf(l) {
		if i > 0 {
			p.text = append(p.text, ' ')
		}
		p.text = append(p.text, name...)
	}
	b = escape.CSV(b, text(p.text))
	b = append(append(b, ','), l.error...)
	b = strconv.AppendBool(append(b, ','), l.inferred)
	if l.fault >= 0 {
		fault := &p.lines.faults[l.fault]
		b = append(append(b, ','), fault.Code.String()...)
		b = append(append(b, ','), fault.Class.String()...)
		b = strconv.AppendInt(append(b, ','), int64(fault.Offset), 10)
	} else {
		b = append(b, ",,,"...)
	}
	return append(append(append(b, ','), doubts[l.doubt][0]...), '\n')
}

// appendIf appends n where it is there.
func appendIf(b []byte, n int64, there bool) []byte {
	if there {
		b = strconv.AppendInt(b, n, 10)
	}
	return b
}
