package frames

import (
	"io"
	"unicode/utf8"

	"ksniff/decode"
	"ksniff/report/parquet"
)

// The columns of the Parquet file: the fields of the JSON line. time is in microseconds, as all
// programs read it; time_ns is exact.
const (
	colPacket = iota
	colTime
	colTimeNS
	colConnection
	colSrc
	colDst
	colKind
	colGeneration
	colAPI
	colKey
	colVersion
	colCorrelationID
	colClientID
	colLength
	colLatencyMS
	colTopics
	colError
	colInferred
	colFault
	colFaultClass
	colFaultOffset
	colDoubt
)

var parquetColumns = []parquet.Column{
	colPacket:        {Name: "packet", Type: parquet.Int64},
	colTime:          {Name: "time", Type: parquet.Timestamp, Optional: true},
	colTimeNS:        {Name: "time_ns", Type: parquet.Int64, Optional: true},
	colConnection:    {Name: "connection", Type: parquet.Int64},
	colSrc:           {Name: "src", Type: parquet.Text},
	colDst:           {Name: "dst", Type: parquet.Text},
	colKind:          {Name: "kind", Type: parquet.Text},
	colGeneration:    {Name: "generation", Type: parquet.Text},
	colAPI:           {Name: "api", Type: parquet.Text, Optional: true},
	colKey:           {Name: "key", Type: parquet.Int32, Optional: true},
	colVersion:       {Name: "version", Type: parquet.Int32, Optional: true},
	colCorrelationID: {Name: "correlation_id", Type: parquet.Int32, Optional: true},
	colClientID:      {Name: "client_id", Type: parquet.Text, Optional: true},
	colLength:        {Name: "length", Type: parquet.Int64},
	colLatencyMS:     {Name: "latency_ms", Type: parquet.Double, Optional: true},
	colTopics:        {Name: "topics", Type: parquet.Text, List: true},
	colError:         {Name: "error", Type: parquet.Text, Optional: true},
	colInferred:      {Name: "inferred", Type: parquet.Bool},
	colFault:         {Name: "fault", Type: parquet.Text, Optional: true},
	colFaultClass:    {Name: "fault_class", Type: parquet.Text, Optional: true},
	colFaultOffset:   {Name: "fault_offset", Type: parquet.Int64, Optional: true},
	colDoubt:         {Name: "doubt", Type: parquet.Text, Optional: true},
}

func newParquet(w io.Writer) *parquet.Writer { return parquet.New(w, parquetColumns) }

// addRow adds a frame as a row of the Parquet file.
func (p *Printer) addRow(l *line) error {
	w := p.rows
	ends := p.conns.of(l.conn).ends
	w.Int(colPacket, int64(l.packet))
	timed := l.time != noTime
	p.intIf(colTime, floorMicros(l.time), timed)
	p.intIf(colTimeNS, l.time, timed)
	w.Int(colConnection, int64(l.conn.ID))
	w.Text(colSrc, text(ends[l.side]))
	w.Text(colDst, text(ends[1-l.side]))
	w.Text(colKind, l.kind.String())
	w.Text(colGeneration, generation(l.generation))
	p.textIf(colAPI, l.name, l.name != "")
	p.intIf(colKey, int64(l.key), l.key >= 0 && !l.token)
	p.intIf(colVersion, int64(l.version), l.version >= 0)
	p.intIf(colCorrelationID, int64(l.id), l.header)
	p.textIf(colClientID, l.clientID(), l.client != nil)
	w.Int(colLength, int64(l.length))
	if l.latency >= 0 {
		w.Float(colLatencyMS, float64(l.latency)/1e6)
	} else {
		w.Null(colLatencyMS)
	}
	topics := p.lines.topicsOf(l)
	for i, name := range topics {
		topics[i] = valid(name)
	}
	w.Texts(colTopics, topics)
	p.textIf(colError, l.error, l.error != "")
	w.Bool(colInferred, l.inferred)
	f := decode.Fault{}
	if l.fault >= 0 {
		f = p.lines.faults[l.fault].Fault
	}
	p.textIf(colFault, f.Code.String(), l.fault >= 0)
	p.textIf(colFaultClass, f.Class.String(), l.fault >= 0)
	p.intIf(colFaultOffset, int64(f.Offset), l.fault >= 0)
	p.textIf(colDoubt, doubts[l.doubt][0], l.doubt != noDoubt)
	return w.EndRow()
}

func (p *Printer) intIf(column int, v int64, there bool) {
	if there {
		p.rows.Int(column, v)
	} else {
		p.rows.Null(column)
	}
}

func (p *Printer) textIf(column int, v string, there bool) {
	if there {
		p.rows.Text(column, valid(v))
	} else {
		p.rows.Null(column)
	}
}

// valid puts the replacement character in place of each byte that is no UTF-8, as JSON has it.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// floorMicros gives the microsecond that ns lies in.
func floorMicros(ns int64) int64 {
	if ns%1000 < 0 {
		return ns/1000 - 1
	}
	return ns / 1000
}
