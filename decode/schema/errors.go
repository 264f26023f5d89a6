package schema

import (
	"strconv"
	"strings"
)

// Error is an error code with what a client should do about it.
type Error struct {
	Code      int16
	Name      string // NOT_LEADER_OR_FOLLOWER
	Retriable bool   // the Java client retries it (its exception is a RetriableException)
	Advice    string // what a client should do, in our words
}

// ErrorName is the name of an error code of the modern protocol; one that no release has is written
// as UNKNOWN(999).
func ErrorName(code int16) string {
	if e := LookupError(code); e != nil {
		return e.Name
	}
	return "UNKNOWN(" + strconv.Itoa(int(code)) + ")"
}

// LookupError finds an error code of the modern protocol, nil where no release has it.
func LookupError(code int16) *Error { return lookupError(Errors, code) }

// LookupLegacyError finds an error code of 0.6 and 0.7, nil where there is none.
func LookupLegacyError(code int16) *Error { return lookupError(LegacyErrors, code) }

// lookupError relies on tables that ascend from -1 without holes; the generator makes sure of it.
func lookupError(table []Error, code int16) *Error {
	if i := int(code) + 1; i >= 0 && i < len(table) {
		return &table[i]
	}
	return nil
}

// LookupErrorName finds an error of the modern protocol by its name in any case, nil where there is none.
func LookupErrorName(name string) *Error {
	for i := range Errors {
		if strings.EqualFold(Errors[i].Name, name) {
			return &Errors[i]
		}
	}
	return nil
}
