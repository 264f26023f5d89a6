// Package legacy reads the protocol of Kafka 0.6 and 0.7: five request types without version, correlation id or
// client id, and their answers, which carry no type and are told by the order of the requests.
//
// Offsets count in the frame's body, from the byte after the length word.
package legacy

import "ksniff/decode"

// The request types.
const (
	Produce int16 = iota
	Fetch
	MultiFetch
	MultiProduce
	Offsets
)

var typeNames = [...]string{"PRODUCE", "FETCH", "MULTIFETCH", "MULTIPRODUCE", "OFFSETS"}

// Name is the guide's name of a request type, "" where there is no such type.
func Name(typ int16) string {
	if typ < 0 || int(typ) >= len(typeNames) {
		return ""
	}
	return typeNames[typ]
}

// Type is the request type of that name.
func Type(name string) (typ int16, ok bool) {
	for i, n := range typeNames {
		if n == name {
			return int16(i), true
		}
	}
	return -1, false
}

// Answered says whether a broker answers requests of the type.
func Answered(typ int16) bool { return typ == Fetch || typ == MultiFetch || typ == Offsets }

// MaxFrame is the largest length that a 0.7 broker takes (max.socket.request.bytes).
const MaxFrame = 100 << 20

// ErrorName is the name of an error code, "" for one that is none. A 0.7 broker sends 0, 1, 3 and -1 only.
func ErrorName(code int16) string {
	switch code {
	case -1:
		return "Unknown"
	case 0:
		return "NoError"
	case 1:
		return "OffsetOutOfRange"
	case 2:
		return "InvalidMessage"
	case 3:
		return "WrongPartition"
	case 4:
		return "InvalidFetchSize"
	}
	return ""
}

func broken(code decode.Code, offset, need, have int) decode.Fault {
	return decode.Fault{Code: code, Class: decode.Broken, Offset: offset, Need: need, Have: have, Node: -1}
}
