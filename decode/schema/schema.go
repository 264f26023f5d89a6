// Package schema holds Kafka's messages as data: tables generated from the notation files beside
// it (one per API), and what is known about each API and error code.
package schema

// Versions is a closed range of versions; None where Min > Max.
type Versions struct{ Min, Max int16 }

// None is the empty range.
var None = Versions{0, -1}

// Forever is the Max of a range that has no end ("3+").
const Forever = 32767

// Has says whether v lies in the range.
func (r Versions) Has(v int16) bool { return r.Min <= v && v <= r.Max }

// Type is the type of a field.
type Type uint8

// The types of Apache's message definitions.
const (
	Bool Type = iota + 1
	Int8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Float64
	String
	UUID
	Bytes
	Records
	Struct
)

// Field is one field of a message or struct, over all versions.
type Field struct {
	Name     string   // Kafka's name, UpperCamelCase as in its definitions
	JSON     string   // the same in lowerCamelCase, as Apache's converters print it
	Type     Type     // of the field, or of an array's elements
	Array    bool     // []Type
	Versions Versions // versions that have the field (for tagged-only fields: the tagged ones)
	Nullable Versions
	Tagged   Versions // versions in which the field is tagged; None for most
	Tag      uint32
	Flexible Versions // None for the rare field that stays inflexible (client id in request header 2)
	Default  string   // as in the definition; "" is the type's zero value; "null"
	// EmptyDefault marks a JSON null default: an empty struct or array, and null is written out.
	EmptyDefault bool
	MapKey       bool
	Entity       string  // topicName, groupId, transactionalId, brokerId, producerId; "" where none
	Fields       []Field // of Struct
}

// Message is the layout of one kind of message over all versions.
type Message struct {
	Name     string // ProduceRequest
	Valid    Versions
	Flexible Versions
	Fields   []Field
}

// API is one request-response pair.
type API struct {
	Key      int16
	Name     string // Produce
	Request  *Message
	Response *Message
	// RequestHeader and ResponseHeader give the header version by API version.
	// (functions or tables: see headers.go)
	Listeners []string // broker, controller, zkBroker
	Removed   Versions // versions that Kafka 4 no longer has
	Unstable  int16    // latest version is unstable (-1 where none)
}
