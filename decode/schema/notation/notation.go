// Package notation reads and writes the text form of Kafka's messages: one file per API or record,
// over its whole version history. The README of package schema describes it.
package notation

import (
	"fmt"
	"strconv"
	"strings"

	"ksniff/decode/schema"
)

// File is one notation file. Exactly one of API, Record and Header is set.
type File struct {
	API    *schema.API
	Record *schema.Record
	Header *schema.Message
	// Notes are the file's comments by the path of the line that they belong to: "" is the file's
	// first line, "request", "request/Topics/Topic", "struct request/Cursor".
	Notes map[string]Note
}

// Note is the comments of one line: whole lines above it and the rest of the line after '#'.
type Note struct {
	Above []string
	After string
}

// Name is the name of what the file describes: Fetch, OffsetCommit, RequestHeader.
func (f *File) Name() string {
	switch {
	case f.API != nil:
		return f.API.Name
	case f.Record != nil:
		return f.Record.Name
	}
	return f.Header.Name
}

// Error says where a file breaks the notation. Lines and columns count from 1; columns are bytes.
type Error struct {
	File      string
	Line, Col int
	Message   string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Message) }

// entities are Apache's entity types.
var entities = map[string]bool{"topicName": true, "groupId": true, "transactionalId": true, "brokerId": true, "producerId": true}

// all is the range of a field that every version has.
var all = schema.Versions{Min: 0, Max: schema.Forever}

// ParseVersions reads a range: "3", "0-4", "2+", "none".
func ParseVersions(s string) (schema.Versions, bool) {
	if s == "none" {
		return schema.None, true
	}
	if from, ok := strings.CutSuffix(s, "+"); ok {
		n, ok := version(from)
		return schema.Versions{Min: n, Max: schema.Forever}, ok
	}
	from, to, dash := strings.Cut(s, "-")
	if !dash {
		to = from
	}
	a, ok := version(from)
	b, ok2 := version(to)
	return schema.Versions{Min: a, Max: b}, ok && ok2 && a <= b
}

func version(s string) (int16, bool) {
	n, err := strconv.ParseUint(s, 10, 15)
	return int16(n), err == nil && (s == "0" || s[0] != '0')
}

// FormatVersions is the text of a range, as ParseVersions reads it.
func FormatVersions(r schema.Versions) string {
	switch {
	case r.Empty():
		return "none"
	case r.Max == schema.Forever:
		return fmt.Sprintf("%d+", r.Min)
	case r.Min == r.Max:
		return fmt.Sprint(r.Min)
	}
	return fmt.Sprintf("%d-%d", r.Min, r.Max)
}

// JSONName is the name that Apache's converters print for a field: its first letter in lower case.
func JSONName(name string) string { return strings.ToLower(name[:1]) + name[1:] }
