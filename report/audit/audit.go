package audit

import (
	"math"
	"strings"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Config says what to look for.
type Config struct {
	Rules    func(*Rule) bool // which rules; nil: all
	Least    Severity         // the least severity that is reported; 0: all
	Deep     bool             // decompress record batches
	Usage    bool             // count which versions are used (Uses, Matrix, Readiness)
	PerGroup int              // how many findings of a rule and client are reported; the others are counted. 0: 100
	// Ignore says which findings nobody wants to hear of: known ones, or of a client. It is asked once
	// for each rule, client and API.
	Ignore func(rule *Rule, client *session.Client, api string) bool
	// Show says whether findings in a frame are reported; nil: all. What is no frame goes unasked.
	Show func(f *session.Frame) bool
	// IgnoreTopic is asked for findings that name a topic.
	IgnoreTopic func(topic string) bool
	// Counted is called for each violation, also of those that are not reported since there are too many.
	Counted func(rule *Rule)
	// Found takes the findings as they come. A Finding is valid during the call.
	Found func(f *Finding)
}

// Audit is the Sink and Watcher that applies the rules. It is made for one goroutine. Its session must
// keep whole frames (SessionConfig).
type Audit struct {
	cfg     Config
	wanted  []bool
	table   table
	serving [][]*cell        // see table.serving, nil before it is asked for
	bodies  [maxKey + 1]bool // requests of these keys are kept for their answers
	legacy  [8]bool          // the same for legacy types
	brokers bounded[reassembly.Endpoint, BrokerSeen]
	cluster cluster
	usage   usage
	free    []*kept
	slots   []any
	ctx     Ctx
	own     decode.Tree // of a Produce or Fetch frame
	asked   decode.Tree // of the request that a response answers
	sets    sets
	groups  groups
	once    bounded[onceKey, struct{}]
	found   Finding
	frames  int64
	gaps    int64 // of all connections
	torn    int64 // the same, without what is from before the capture
	held    int64 // findings that a guard withheld
	finds   int64 // that looks wanted to make, withheld or not
	marks   marks
}

// Bounds of what an Audit remembers.
const (
	maxBrokers = 4096
	maxOnce    = 1 << 16
	maxGroups  = 10_000
)

// New makes an Audit.
func New(cfg Config) *Audit {
	if cfg.PerGroup <= 0 {
		cfg.PerGroup = 100
	}
	a := &Audit{cfg: cfg, wanted: make([]bool, len(Rules))}
	for i, r := range Rules {
		a.wanted[i] = cfg.Rules == nil || cfg.Rules(r)
	}
	a.table.build(a.wanted)
	for key := range maxKey {
		cells := [...]*cell{a.table[onExchange][key+1], a.table[onUnanswered][key+1]}
		for _, c := range cells {
			for i := 0; c != nil && i < len(c.looks); i++ {
				a.bodies[key+1] = a.bodies[key+1] || c.looks[i].keys != nil
			}
		}
		if c := a.table[onLegacyExchange][key+1]; c != nil && key < len(a.legacy) {
			a.legacy[key] = true
		}
	}
	a.ctx.Audit = a
	return a
}

// SessionConfig is how the session must be configured whose Sink is the audit.
func (a *Audit) SessionConfig() session.Config {
	return session.Config{Bytes: true, Digests: !a.cfg.Deep, Watch: a}
}

// conn gives what is known of a connection.
func (a *Audit) conn(c *reassembly.Conn) *Conn {
	k, ok := c.Heard.(*Conn)
	if !ok {
		k = &Conn{TCP: c, Side: -1, First: math.MinInt64, Answered: math.MinInt64, gaps: &a.gaps, marks: atDoor}
		c.Heard = k
	}
	return k
}

func clone(s string) string { return strings.Clone(s) }
