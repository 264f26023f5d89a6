package schema

// Framing says what precedes a record's message.
type Framing uint8

// The framings (vectors: "inner" messages).
const (
	Bare        Framing = iota + 1 // nothing: the message's first field is its version, an int16
	VersionWord                    // int16 version
	TypeWord                       // key: int16 record type, then version 0; value: int16 version
	Varints                        // unsigned varints: frame version (1), record type, version
	Long                           // nothing: the message's first field is its version, an int32 (Kafka Streams)
)

var framingNames = [...]string{Bare: "bare", VersionWord: "version", TypeWord: "type", Varints: "varints", Long: "long"}

func (f Framing) String() string { return framingNames[f] }

// FramingNamed is the framing that the notation calls so, 0 where there is none.
func FramingNamed(name string) Framing {
	for f, s := range framingNames {
		if s == name && s != "" {
			return Framing(f)
		}
	}
	return 0
}

// Record is a message that lies inside a field, a record or a file: coordinator and metadata
// records, control records, the consumer protocol.
type Record struct {
	Name    string // OffsetCommit
	Family  string // consumer-offsets, transaction-state, share-state, metadata, remote-log, consumer-protocol, data, …
	Type    int16  // record type within the family, -1 where the family has none
	Framing Framing
	Key     *Message // nil where there is none
	Value   *Message
}

// LookupRecord finds a record by family and type, nil where there is none.
func LookupRecord(family string, typ int16) *Record {
	for i := range InnerRecords {
		if r := &InnerRecords[i]; r.Family == family && r.Type == typ {
			return r
		}
	}
	return nil
}

// LookupInner finds an inner message by its name (OffsetCommitValue, LeaderChangeMessage), with
// the record that it belongs to; nil where there is none.
func LookupInner(name string) (*Record, *Message) {
	for i := range InnerRecords {
		r := &InnerRecords[i]
		if r.Key != nil && r.Key.Name == name {
			return r, r.Key
		}
		if r.Value.Name == name {
			return r, r.Value
		}
	}
	return nil, nil
}
