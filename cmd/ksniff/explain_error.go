package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"ksniff/decode/schema"
)

// errorFacts is an error code in JSON.
type errorFacts struct {
	Kind       string      `json:"kind"`
	Generation string      `json:"generation"`
	Code       int16       `json:"code"`
	Name       string      `json:"name"`
	Retriable  bool        `json:"retriable"`
	Advice     string      `json:"advice"`
	Legacy     *errorFacts `json:"legacy,omitempty"` // the same code in Kafka 0.7
}

func errorFact(e *schema.Error, generation string) errorFacts {
	return errorFacts{Kind: "error", Generation: generation, Code: e.Code, Name: e.Name, Retriable: e.Retriable, Advice: e.Advice}
}

func retries(e *schema.Error) string {
	if e.Retriable {
		return "yes"
	}
	return "no"
}

func allErrors() article {
	var all []errorFacts
	var rows [][]string
	for i := range schema.Errors {
		e := &schema.Errors[i]
		all = append(all, errorFact(e, "modern"))
		rows = append(rows, []string{fmt.Sprint(e.Code), e.Name, retries(e), e.Advice})
	}
	return article{all, func(w io.Writer) { columns(w, rows, "CODE", "NAME", "RETRY", "WHAT TO DO") }}
}

// findError finds an error by code or name.
func findError(text string) (article, error) {
	code, err := strconv.ParseInt(text, 10, 16)
	if err != nil {
		if e := schema.LookupErrorName(text); e != nil {
			return errorArticle(e, "modern"), nil
		}
		for i := range schema.LegacyErrors {
			if e := &schema.LegacyErrors[i]; strings.EqualFold(e.Name, text) {
				return errorArticle(e, "legacy"), nil
			}
		}
		return article{}, usage("no error %q%s", text, suggest(text))
	}
	e := schema.LookupError(int16(code))
	if e == nil {
		return article{}, usage("no error code %s: the codes are %d to %d", text, schema.Errors[0].Code, schema.Errors[len(schema.Errors)-1].Code)
	}
	return errorArticle(e, "modern"), nil
}

func errorArticle(e *schema.Error, generation string) article {
	f := errorFact(e, generation)
	legacy := schema.LookupLegacyError(e.Code)
	if generation == "modern" && legacy != nil {
		l := errorFact(legacy, "legacy")
		f.Legacy = &l
	}
	return article{f, func(w io.Writer) {
		kafka := ""
		if generation == "legacy" {
			kafka = " of Kafka 0.6 and 0.7"
		}
		fmt.Fprintf(w, "%s, error code %d%s\n\n", e.Name, e.Code, kafka)
		columns(w, [][]string{{"client retries", retries(e)}, {"what to do", e.Advice}})
		if f.Legacy != nil {
			fmt.Fprintf(w, "\nIn Kafka 0.6 and 0.7, code %d is %s: %s.\n", legacy.Code, legacy.Name, legacy.Advice)
		}
	}}
}
