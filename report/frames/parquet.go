package frames

import (
	"io"
	"unicode/utf8"

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
}

func newParquet(w io.Writer) *parquet.Writer { return parquet.New(w, parquetColumns) }

// addRow adds the frame as a row of the Parquet file.
func (p *Printer) addRow() error {
	f, w := &p.frame, p.rows
	ends := p.ends.of(f.Conn)
	w.Int(colPacket, int64(f.Last.Packet))
	timed := f.Last.Time != noTime
	p.intIf(colTime, floorMicros(f.Last.Time), timed)
	p.intIf(colTimeNS, f.Last.Time, timed)
	w.Int(colConnection, int64(f.Conn.ID))
	w.Text(colSrc, text(ends[f.Side]))
	w.Text(colDst, text(ends[1-f.Side]))
	w.Text(colKind, f.Kind.String())
	w.Text(colGeneration, generation(f.Generation))
	p.textIf(colAPI, f.Name(), f.Name() != "")
	p.intIf(colKey, int64(f.Key), f.Key >= 0 && !f.Token)
	p.intIf(colVersion, int64(f.Version), f.Version >= 0)
	p.intIf(colCorrelationID, int64(f.CorrelationID), f.HasHeader)
	id, named := p.clientID()
	p.textIf(colClientID, id, named)
	w.Int(colLength, int64(f.Length))
	if ns, ok := f.Latency(); ok {
		w.Float(colLatencyMS, float64(ns)/1e6)
	} else {
		w.Null(colLatencyMS)
	}
	for i, name := range p.topics.names {
		p.topics.names[i] = valid(name)
	}
	w.Texts(colTopics, p.topics.names)
	p.textIf(colError, p.errors.name, p.errors.name != "")
	w.Bool(colInferred, f.Inferred)
	p.textIf(colFault, f.Fault.Code.String(), f.Faulty)
	class := ""
	if f.Faulty {
		class = f.Fault.Class.String()
	}
	p.textIf(colFaultClass, class, f.Faulty)
	p.intIf(colFaultOffset, int64(f.Fault.Offset), f.Faulty)
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
