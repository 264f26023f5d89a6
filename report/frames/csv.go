package frames

import (
	"strconv"

	"ksniff/report/escape"
)

// csvHeader names the columns; they are the fields of the JSON, with several topics joined by spaces
// (no topic's name has one).
const csvHeader = "packet,time,connection,src,dst,kind,generation,api,key,version,correlation_id,client_id,length,latency_ms,topics,error,inferred,fault,fault_class,fault_offset\n"

// appendCSV appends the frame as a row; what is not there is an empty cell.
func (p *Printer) appendCSV(b []byte) []byte {
	f := &p.frame
	ends := p.ends.of(f.Conn)
	b = append(strconv.AppendUint(b, f.Last.Packet, 10), ',')
	if f.Last.Time != noTime {
		b = p.clock.appendRFC3339(b, f.Last.Time)
	}
	b = strconv.AppendInt(append(b, ','), int64(f.Conn.ID), 10)
	b = append(append(b, ','), ends[f.Side]...)
	b = append(append(b, ','), ends[1-f.Side]...)
	b = append(append(b, ','), f.Kind.String()...)
	b = append(append(b, ','), generation(f.Generation)...)
	b = append(append(b, ','), f.Name()...)
	b = appendIf(append(b, ','), int64(f.Key), f.Key >= 0 && !f.Token)
	b = appendIf(append(b, ','), int64(f.Version), f.Version >= 0)
	b = appendIf(append(b, ','), int64(f.CorrelationID), f.HasHeader)
	id, _ := p.clientID()
	b = escape.CSV(append(b, ','), id)
	b = strconv.AppendInt(append(b, ','), int64(f.Length), 10)
	b = append(b, ',')
	if ns, ok := f.Latency(); ok {
		b = appendMillis(b, ns)
	}
	b = append(b, ',')
	p.text = p.text[:0]
	for i, name := range p.topics.names {
		if i > 0 {
			p.text = append(p.text, ' ')
		}
		p.text = append(p.text, name...)
	}
	b = escape.CSV(b, string(p.text))
	b = append(append(b, ','), p.errors.name...)
	b = strconv.AppendBool(append(b, ','), f.Inferred)
	if fault, _, ok := p.fault(); ok {
		b = append(append(b, ','), fault.Code.String()...)
		b = append(append(b, ','), fault.Class.String()...)
		b = strconv.AppendInt(append(b, ','), int64(fault.Offset), 10)
	} else {
		b = append(b, ",,,"...)
	}
	return append(b, '\n')
}

// appendIf appends n where it is there.
func appendIf(b []byte, n int64, there bool) []byte {
	if there {
		b = strconv.AppendInt(b, n, 10)
	}
	return b
}
