package audit

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// Time is when it happened, "" where the packet has no time.
func (f *Finding) Time() string {
	if f.At.Time == math.MinInt64 {
		return ""
	}
	return time.Unix(0, f.At.Time).UTC().Format("2006-01-02T15:04:05.000000000Z")
}

// ClientID is the client's id, "" where it has none.
func (f *Finding) ClientID() string {
	if f.Client == nil {
		return ""
	}
	return f.Client.ID
}

// Line is a finding as "audit -o json" prints it (DESIGN section 6). What is not known is null.
type Line struct {
	Rule        string          `json:"rule"`
	Severity    string          `json:"severity"`
	Title       string          `json:"title"`
	Packet      uint64          `json:"packet"`
	Time        *string         `json:"time"`
	Connection  int             `json:"connection"`
	Who         string          `json:"who"`
	ClientID    *string         `json:"client_id"`
	API         *string         `json:"api"`
	Version     *int16          `json:"version"`
	Correlation *int32          `json:"correlation_id"`
	Offset      *int            `json:"offset"`
	Field       string          `json:"field"`
	Message     string          `json:"message"`
	Evidence    json.RawMessage `json:"evidence"`
	// Once says what the line stands for, where the rule reports once: further findings of that client, connection, client
	// with API and version, or broker are no lines. Null: each is one.
	Once *string `json:"once"`
}

// Line makes a Line of a finding. It shares nothing with it.
func (f *Finding) Line() (Line, error) {
	l := Line{Rule: f.Rule.ID, Severity: f.Severity.String(), Title: f.Rule.Title, Packet: f.At.Packet, Connection: f.Connection,
		Who: f.Who.String(), Field: f.Field, Message: f.Message}
	if t := f.Time(); t != "" {
		l.Time = &t
	}
	if f.Client != nil && !f.Client.NullID {
		id := f.Client.ID
		l.ClientID = &id
	}
	if once := f.Rule.Once.String(); once != "" {
		l.Once = &once
	}
	if f.API != "" {
		api := f.API
		l.API = &api
	}
	if version := f.Version; version >= 0 {
		l.Version = &version
	}
	if id := f.Correlation; f.HasHeader {
		l.Correlation = &id
	}
	if at := f.Offset; at >= 0 {
		l.Offset = &at
	}
	var err error
	l.Evidence, err = evidence(f.Evidence)
	return l, err
}

// MarshalJSON writes the finding as "audit -o json" does.
func (f *Finding) MarshalJSON() ([]byte, error) {
	l, err := f.Line()
	if err != nil {
		return nil, err
	}
	return json.Marshal(l)
}

// evidence writes facts as an object, in their order.
func evidence(facts []Fact) (json.RawMessage, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, fact := range facts {
		if i > 0 {
			b.WriteByte(',')
		}
		v, err := json.Marshal(fact.Value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", fact.Name, v)
	}
	b.WriteByte('}')
	return json.RawMessage(b.String()), nil
}
