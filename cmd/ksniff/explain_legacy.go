package main

import (
	"fmt"
	"io"
	"strings"

	"ksniff/decode/schema"
)

// legacyRequest describes a request of Kafka 0.6 and 0.7. Such requests have no version.
type legacyRequest struct {
	Kind       string     `json:"kind"`
	Generation string     `json:"generation"`
	Name       string     `json:"name"`
	Key        int16      `json:"key"`
	Request    []wireFact `json:"request"`
	Response   []wireFact `json:"response"` // null: the broker never answers
	Notes      []string   `json:"notes"`
}

func fact(name, wire string, fields ...wireFact) wireFact {
	return wireFact{Name: name, Wire: wire, Fields: fields}
}

const (
	legacyString = "int16 length, bytes"
	legacySet    = "message set, to the end"
)

// legacyHead is what each request of that time starts with.
func legacyHead(fields ...wireFact) []wireFact {
	return append([]wireFact{fact("length", "int32, of what follows"), fact("type", "int16")}, fields...)
}

// legacyAnswer is what each answer starts with.
func legacyAnswer(fields ...wireFact) []wireFact {
	return append([]wireFact{fact("length", "int32, of what follows"), fact("errorCode", "int16")}, fields...)
}

var (
	legacyFetch = []wireFact{fact("topic", legacyString), fact("partition", "int32"), fact("offset", "int64, a byte position in the log"),
		fact("maxSize", "int32")}
	legacyProduce = []wireFact{fact("topic", legacyString), fact("partition", "int32, -1: the broker chooses"), fact("messagesLength", "int32"),
		fact("messages", "message set")}
)

var legacyRequests = []legacyRequest{
	{Name: "PRODUCE", Key: 0, Request: legacyHead(legacyProduce...),
		Notes: []string{"The broker never answers; it closes the connection where something is wrong."}},
	{Name: "FETCH", Key: 1, Request: legacyHead(legacyFetch...), Response: legacyAnswer(fact("messages", legacySet)),
		Notes: []string{"An entry at position p of the answer to a fetch at offset o has offset o+p; offsets are not on the wire.",
			"The last message may be cut at maxSize."}},
	{Name: "MULTIFETCH", Key: 2, Request: legacyHead(fact("count", "int16"), fact("fetches", "count times", legacyFetch...)),
		Response: legacyAnswer(fact("sets", "one for each fetch, in order", fact("size", "int32, with the error code"), fact("errorCode", "int16"), fact("messages", "message set"))),
		Notes:    []string{"The outer error code is always 0.", "Topics and partitions stand in the request only."}},
	{Name: "MULTIPRODUCE", Key: 3, Request: legacyHead(fact("count", "int16"), fact("produces", "count times", legacyProduce...)),
		Notes: []string{"The broker never answers. It stores what comes before a bad entry, then closes the connection."}},
	{Name: "OFFSETS", Key: 4, Request: legacyHead(fact("topic", legacyString), fact("partition", "int32"),
		fact("time", "int64, -1 latest, -2 earliest"), fact("maxNumOffsets", "int32")),
		Response: legacyAnswer(fact("count", "int32"), fact("offsets", "int64 each, descending")),
		Notes:    []string{"Offsets are byte positions: the log's end, then the starts of its segments."}},
}

func findLegacy(name string) *legacyRequest {
	for i := range legacyRequests {
		if l := &legacyRequests[i]; strings.EqualFold(l.Name, name) {
			return l
		}
	}
	return nil
}

// allLegacy lists the requests of that time and their error codes.
func allLegacy() article {
	var all []legacyRequest
	var requests, errors [][]string
	for _, l := range legacyRequests {
		l.Kind, l.Generation = "legacy", "legacy"
		all = append(all, l)
		requests = append(requests, []string{fmt.Sprint(l.Key), l.Name, l.Notes[0]})
	}
	var codes []errorFacts
	for i := range schema.LegacyErrors {
		e := &schema.LegacyErrors[i]
		codes = append(codes, errorFact(e, "legacy"))
		errors = append(errors, []string{fmt.Sprint(e.Code), e.Name, e.Advice})
	}
	value := struct {
		Kind     string          `json:"kind"`
		Requests []legacyRequest `json:"requests"`
		Errors   []errorFacts    `json:"errors"`
	}{"legacy", all, codes}
	return article{value, func(w io.Writer) {
		columns(w, requests, "TYPE", "REQUEST", "NOTE")
		fmt.Fprintln(w)
		columns(w, errors, "CODE", "ERROR", "WHAT TO DO")
	}}
}

func legacyArticle(l *legacyRequest) article {
	f := *l
	f.Kind, f.Generation = "legacy", "legacy"
	return article{f, func(w io.Writer) {
		fmt.Fprintf(w, "%s, request type %d of Kafka 0.6 and 0.7\n\nrequest\n", l.Name, l.Key)
		wireTable(w, l.Request)
		if l.Response != nil {
			fmt.Fprintf(w, "\nresponse, paired by order\n")
			wireTable(w, l.Response)
		}
		fmt.Fprintln(w)
		for _, n := range l.Notes {
			fmt.Fprintln(w, n)
		}
	}}
}
