package audit

import (
	"slices"
	"strconv"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

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
