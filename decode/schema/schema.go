// Package schema holds Kafka's messages as data: tables generated from the notation files beside
// it (one per API), and what is known about each API and error code. Everything in it is static
// data: nothing runs at start-up, and nothing may be changed.
package schema

//go:generate go run ./gen

// Versions is a closed range of versions; None where Min > Max.
type Versions struct{ Min, Max int16 }

// None is the empty range.
var None = Versions{0, -1}

// Forever is the Max of a range that has no end ("3+").
const Forever = 32767

// Has says whether v lies in the range.
func (r Versions) Has(v int16) bool { return r.Min <= v && v <= r.Max }

// Empty says whether no version lies in the range.
func (r Versions) Empty() bool { return r.Min > r.Max }

// And is the range of the versions that lie in both.
func (r Versions) And(o Versions) Versions {
	r = Versions{max(r.Min, o.Min), min(r.Max, o.Max)}
	if r.Empty() {
		return None
	}
	return r
}

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

var typeNames = [...]string{Bool: "bool", Int8: "int8", Int16: "int16", Uint16: "uint16", Int32: "int32", Uint32: "uint32",
	Int64: "int64", Float64: "float64", String: "string", UUID: "uuid", Bytes: "bytes", Records: "records", Struct: "struct"}

func (t Type) String() string { return typeNames[t] }

// TypeNamed is the type with that name in Apache's definitions, 0 where there is none.
func TypeNamed(name string) Type {
	for t := Bool; t < Struct; t++ {
		if typeNames[t] == name {
			return t
		}
	}
	return 0
}

// Field is one field of a message or struct, over all versions. A name may come twice, as two
// fields with different versions, where its form changed.
type Field struct {
	Name     string   // Kafka's name, UpperCamelCase as in its definitions
	JSON     string   // the same in lowerCamelCase, as Apache's converters print it
	Type     Type     // of the field, or of an array's elements
	Array    bool     // []Type
	Versions Versions // versions that have the field (for tagged-only fields: the tagged ones)
	Nullable Versions
	Tagged   Versions // versions in which the field is tagged; None for most
	Tag      uint32
	Flexible Versions // None for the rare field that stays inflexible (client id in request header 2), else all
	Default  string   // as in the definition; "" is the type's zero value; "null"
	// EmptyDefault marks a JSON null default: an empty struct or array, and null is written out.
	EmptyDefault bool
	MapKey       bool
	Entity       string  // topicName, groupId, transactionalId, brokerId, producerId; "" where none
	Struct       string  // name of the struct type, "" where Type is not Struct
	Fields       []Field // of Struct
}

// Message is the layout of one kind of message over all versions. A version that Valid has but a
// field's Versions lack does not have the field.
type Message struct {
	Name     string // ProduceRequest
	Valid    Versions
	Flexible Versions
	Fields   []Field
	// Early is another form of some of the versions, as brokers of an early-access release wrote
	// it. Nothing on the wire tells which one it is: the form that tiles the frame is right.
	Early *Message
}

// API is one request-response pair.
type API struct {
	Key      int16
	Name     string // Produce
	Request  *Message
	Response *Message
	// Header0 and ResponseHeader0 are the API versions whose request and response have header
	// version 0 against the rule (see headers.go).
	Header0         Versions
	ResponseHeader0 Versions
	Listeners       []string // broker, controller, zkBroker
	Removed         Versions // versions that Kafka 4 no longer has
	Unstable        int16    // latest version is unstable (-1 where none)
	History         []Change // ascending by version, what is known
}

// Change says what came with a version.
type Change struct {
	Version int16
	Release string // first Kafka release that has it (2.4), "" where unknown
	KIP     string // "98", "516 890"; "" where none is known
	Note    string // "" where there is nothing to say
}
