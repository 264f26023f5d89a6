// Package audit says where a client or broker breaks the protocol of Kafka, and what will break with a
// newer one. A Rule is data; a look is a small function that finds where it is broken. README.md says
// how to add one.
package audit

// Rule is what is known of a rule. Its text is for people: findings and "ksniff explain" print it.
type Rule struct {
	ID       string // KS2018
	Title    string // at most 60 characters, without a full stop
	Severity Severity
	Most     Severity // the highest that its findings may have; 0: Severity
	Who      Who
	Since    string // Kafka release that the rule holds from
	Source   string // class, KIP or document that it rests on
	Explain  string // what is wrong, what it leads to, what to do
	Example  string // what traffic that breaks it looks like
	// Needs is what the capture must have for a finding to be proof; without it the rule is silent.
	Needs Needs
	// Once says how often the rule reports; further ones are only counted.
	Once Once
	// Times is how often it must be seen of a client before it is reported; 0 is 1.
	Times int

	index int
}

// Severity of a finding.
type Severity uint8

// The severities: legal but worth knowing, legal but harmful, against the specification or always rejected.
const (
	Info Severity = iota + 1
	Warning
	Error
)

var severityNames = [...]string{"", "info", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// SeverityNamed is the severity with that name, 0 where there is none.
func SeverityNamed(name string) Severity {
	for s := Info; s <= Error; s++ {
		if severityNames[s] == name {
			return s
		}
	}
	return 0
}

// Who says whose fault it is.
type Who uint8

// The parties. Either is the sender of the frame that is looked at.
const (
	Client Who = iota + 1
	Broker
	Either
)

var whoNames = [...]string{"", "client", "broker", "either"}

func (w Who) String() string { return whoNames[w] }

// Needs are the guards of a rule, as a set.
type Needs uint8

// The guards. G0 of the catalogue needs no mark: only frames that are whole and known are looked at.
const (
	Start Needs = 1 << iota // S: the connection is seen from its beginning
	Both                    // D: both directions are captured
	NoGap                   // N: nothing is missing between request and response; elsewhere, on the connection so far
	Deep                    // Z: record batches are decompressed
	// Proved is S where it takes no more than that requests and answers are surely paired: from the beginning of
	// the connection, or from the second answer that was paired with its request by another correlation id than the first.
	Proved
	// AllBrokers (X) makes an error a warning, and says so, unless the capture has every broker of the cluster.
	AllBrokers
	// Apache (P) says in the message that Apache Kafka does otherwise: the peer may be a proxy.
	Apache

	silent = Start | Both | NoGap | Deep | Proved // those without which a rule says nothing
)

var needNames = [...]struct {
	need Needs
	lack string
}{
	{Start, "the connection's beginning was not captured"},
	{Both, "only one direction was captured"},
	{NoGap, "packets are missing in the capture"},
	{Deep, "it takes --deep"},
	{Proved, "too little of the connection was captured before"},
}

// Once says how often a rule reports.
type Once uint8

// How often a rule reports: each time, or once per client, connection, client with API and version, or broker.
const (
	Always Once = iota
	PerClient
	PerConnection
	PerVersion
	PerBroker
)

// String names it as a Line does, "" for Always.
func (o Once) String() string { return [...]string{"", "client", "connection", "version", "broker"}[o] }

// Words says what a rule needs, for people.
func (n Needs) Words() []string {
	words := []string{}
	for _, w := range [...]struct {
		need Needs
		word string
	}{
		{Start, "the beginning of the connection"}, {Proved, "the beginning of the connection, or two exchanges before"}, {Both, "both directions"}, {NoGap, "no missing packets"}, {Deep, "--deep"},
		{AllBrokers, "all brokers of the cluster, else an error is a warning"}, {Apache, "a peer that is Apache Kafka: others may differ"},
	} {
		if n&w.need != 0 {
			words = append(words, w.word)
		}
	}
	return words
}

// LeftOut is a rule of the catalogue that is not there, and why.
type LeftOut struct{ ID, Title, Why string }
