package audit

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Finding is one violation. A nil Finding takes all its methods and does nothing, so that looks need
// not ask whether anybody wants to hear of it.
type Finding struct {
	Rule        *Rule
	Severity    Severity
	Who         Who               // never Either
	At          reassembly.Moment // of the packet that completed the frame it is about
	Connection  int
	Client      *session.Client // nil where unknown
	Peer        [2]reassembly.Endpoint
	API         string // "" where there is none
	Version     int16  // -1 where there is none
	Correlation int32
	HasHeader   bool
	Offset      int // in the frame, after its length word; -1 where it is not about a place
	Field       string
	Message     string
	Evidence    []Fact
	Topic       string

	used  bool
	group *Group
	once  onceKey // rule nil: it is reported always
	topic *session.Topic
	asked *decode.Tree      // of the request that the frame looked at answers
	sent  reassembly.Moment // of that request; without packet where there is none
}

// Fact is a piece of evidence: a name with a number, string, bool or list of these. Never a key, a
// value, or a secret.
type Fact struct {
	Name  string
	Value any
}

// Find reports a violation of a rule, unless a guard does not hold or nobody wants to hear of it: then
// it gives nil.
func (c *Ctx) Find(r *Rule) *Finding {
	a := c.Audit
	a.finds++
	if !a.wanted[r.index] {
		return nil
	}
	if r.Needs&silent&^c.guards != 0 {
		a.held++
		return nil
	}
	if max(r.Severity, r.Most) < a.cfg.Least {
		return nil
	}
	if a.cfg.Show != nil && c.Frame != nil && !a.cfg.Show(c.Frame) {
		return nil
	}
	a.flush()
	api, version := "", int16(-1)
	if req := c.Request(); req != nil {
		api, version = apiName(req.Generation, req.Key), req.Version
	} else if c.Frame != nil && c.API != nil {
		api, version = c.API.Name, c.Version
	}
	var client *session.Client
	if c.Conn != nil {
		client = c.Conn.Client
	}
	if c.Frame != nil && c.Client != nil {
		client = c.Client
	}
	if r.Once == PerBroker {
		client = nil // whoever asked, it is the broker's
	}
	now := c.Now()
	g := a.groups.of(a, r, client, api)
	g.note(now)
	if g.Count < int64(r.Times) {
		return nil
	}
	if a.cfg.Counted != nil && !g.ignored {
		a.cfg.Counted(r)
	}
	var key onceKey
	if r.Once != Always {
		first := false
		if key, first = a.first(c, r, client, api, version); !first {
			return nil
		}
	}
	if g.ignored {
		return nil
	}
	if g.reported >= a.cfg.PerGroup {
		return nil
	}
	f := &a.found
	*f = Finding{Rule: r, Severity: r.Severity, Who: r.Who, At: now, Client: client, API: api, Version: version,
		Offset: -1, Evidence: f.Evidence[:0], used: true, group: g, once: key}
	if c.Conn != nil {
		f.Connection, f.Peer = c.Conn.TCP.ID, c.Conn.TCP.Ends
	}
	if r.Who == Either {
		f.Who = Client
		if c.Frame != nil && c.Kind == decode.Response || c.Frame == nil && c.Conn != nil && c.Event.Side != c.Conn.Side {
			f.Who = Broker
		}
	}
	if c.Frame != nil {
		if req := c.Frame.Request; req != nil && c.Kind == decode.Response {
			f.asked, f.sent = &a.asked, reassembly.Moment{Packet: req.Packet, Time: req.Time}
		}
		f.Correlation, f.HasHeader = c.CorrelationID, c.HasHeader
	} else if req := c.Request(); req != nil {
		f.Correlation, f.HasHeader = req.CorrelationID, req.Generation == session.Modern
	}
	if r.Needs&AllBrokers != 0 && a.partial() {
		f.Severity = min(f.Severity, Warning)
	}
	return f
}

// first says that what a rule reports once is seen for the first time.
func (a *Audit) first(c *Ctx, r *Rule, client *session.Client, api string, version int16) (onceKey, bool) {
	key := onceKey{rule: r, client: client}
	switch r.Once {
	case PerConnection:
		key = onceKey{rule: r, conn: c.Conn.TCP.ID}
	case PerBroker:
		key = onceKey{rule: r}
		if c.Conn != nil && c.Conn.Broker != nil {
			key.broker = c.Conn.Broker.End
		}
	case PerVersion:
		key.api, key.version = api, version
	}
	if a.once.get(key) != nil {
		return key, false
	}
	a.once.at(key, maxOnce)
	return key, true
}

// Place says which field it is about: of the frame that is looked at, or of the request that it answers.
func (f *Finding) Place(r decode.Ref) *Finding {
	if f != nil {
		f.Offset, f.Field = r.Offset(), r.Path()
		if f.asked != nil && r.Tree() == f.asked {
			f.Asked()
		}
	}
	return f
}

// Asked says that it is about the request that the frame looked at answers, so that its packet and time
// are those of the request. Place sees that by itself, Byte does not.
func (f *Finding) Asked() *Finding {
	if f != nil && f.sent.Packet != 0 {
		f.At = f.sent
	}
	return f
}

// Byte says which byte of the frame it is about, and the name of the field there.
func (f *Finding) Byte(offset int, field string) *Finding {
	if f != nil {
		f.Offset, f.Field = offset, field
	}
	return f
}

// Say gives the message: one line, what was seen against what is right.
func (f *Finding) Say(format string, args ...any) *Finding {
	if f != nil {
		f.Message = fmt.Sprintf(format, args...)
	}
	return f
}

// With adds a piece of evidence.
func (f *Finding) With(name string, value any) *Finding {
	if f != nil {
		f.Evidence = append(f.Evidence, Fact{name, value})
	}
	return f
}

// Graded sets another severity than the rule's.
func (f *Finding) Graded(s Severity) *Finding {
	if f != nil {
		f.Severity = s
	}
	return f
}

// By says who it was.
func (f *Finding) By(w Who) *Finding {
	if f != nil {
		f.Who = w
	}
	return f
}

// About names the topic and partition.
func (f *Finding) About(t *session.Topic, partition int32) *Finding {
	if f != nil {
		f.topic = t
		f.With("topic", TopicName(t)).With("partition", partition)
	}
	return f
}

// Answered quotes the error code of the answer: it turns suspicion into proof.
func (f *Finding) Answered(code int16) *Finding {
	if f != nil {
		f.With("answer", errorName(code))
		f.Message += fmt.Sprintf("; the broker answered %s (%d)", errorName(code), code)
	}
	return f
}

// flush hands out the finding that was made last.
func (a *Audit) flush() {
	f := &a.found
	if !f.used {
		return
	}
	f.used = false
	if f.topic != nil {
		f.Topic = TopicName(f.topic)
	} else if i := slices.IndexFunc(f.Evidence, func(e Fact) bool { return e.Name == "topic" }); i >= 0 {
		f.Topic, _ = f.Evidence[i].Value.(string)
	}
	if f.Topic != "" && a.cfg.IgnoreTopic != nil && a.cfg.IgnoreTopic(f.Topic) {
		a.unsay(f)
		return
	}
	if f.Rule.Needs&AllBrokers != 0 && a.partial() {
		f.Message += " (partial view: the capture lacks brokers)"
	}
	if f.Rule.Needs&Apache != 0 {
		f.Message += " (Apache Kafka never does)"
	}
	if f.Severity < a.cfg.Least {
		a.unsay(f)
		return
	}
	f.group.reported++
	f.group.Severity = max(f.group.Severity, f.Severity)
	if f.group.Message == "" {
		f.group.Message = f.Message
	}
	if a.cfg.Found != nil {
		a.cfg.Found(f)
	}
}

// unsay takes back what nobody wants to hear of. The next of its kind may be about another topic, or worse.
func (a *Audit) unsay(f *Finding) {
	f.group.forget()
	if f.once.rule != nil {
		a.once.drop(f.once)
	}
}

func apiName(g session.Generation, key int16) string {
	if g == session.Legacy {
		if key >= 0 && int(key) < len(legacyNames) {
			return legacyNames[key]
		}
		return ""
	}
	if a := schema.Lookup(key); a != nil {
		return a.Name
	}
	return strconv.Itoa(int(key))
}

var legacyNames = [...]string{"PRODUCE", "FETCH", "MULTIFETCH", "MULTIPRODUCE", "OFFSETS"}

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
