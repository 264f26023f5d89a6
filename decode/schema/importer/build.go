package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"ksniff/decode/schema"
	"ksniff/decode/schema/notation"
)

// build makes the file of one API, record or header from its definitions by part, oldest first.
// old is the file so far, nil where there is none.
func build(old *notation.File, at string, parts map[string][]*definition) (*notation.File, error) {
	f := &notation.File{}
	if old == nil {
		old = &notation.File{}
	}
	f.Notes = old.Notes
	messages := map[string]*schema.Message{}
	newest := map[string]*schema.Message{}
	for part, ds := range parts {
		var releases []*schema.Message
		for _, d := range ds {
			m, err := d.message()
			if err != nil {
				return nil, err
			}
			newest[part] = m
			if !m.Valid.Empty() {
				releases = append(releases, m)
			}
		}
		if len(releases) == 0 {
			return nil, fmt.Errorf("%s: no version in any release", part)
		}
		m, err := merge(partOf(old, part), releases)
		if err != nil {
			return nil, err
		}
		m.Name = ds[len(ds)-1].Name
		messages[part] = m
	}
	switch kind, rest, _ := strings.Cut(at, "/"); kind {
	case "api":
		if messages["request"] == nil || messages["response"] == nil {
			return nil, fmt.Errorf("request or response is missing")
		}
		f.API = api(old.API, parts["request"], messages)
		f.API.Removed = removed(messages["request"].Valid, newest["request"].Valid)
	case "header":
		f.Header = messages["fields"]
	case "inner":
		f.Record = record(path.Dir(rest), path.Base(rest), parts, messages)
	}
	return f, nil
}

func partOf(f *notation.File, part string) *schema.Message {
	switch {
	case f.API != nil && part == "request":
		return f.API.Request
	case f.API != nil && part == "response":
		return f.API.Response
	case f.Record != nil && part == "key":
		return f.Record.Key
	case f.Record != nil && part == "value":
		return f.Record.Value
	case part == "fields":
		return f.Header
	}
	return nil
}

// removed is what the newest release lacks of all versions.
func removed(valid, newest schema.Versions) schema.Versions {
	if newest.Empty() {
		return valid
	}
	return schema.Versions{Min: valid.Min, Max: newest.Min - 1}.And(valid)
}

func api(old *schema.API, requests []*definition, messages map[string]*schema.Message) *schema.API {
	d := requests[len(requests)-1]
	a := &schema.API{Key: *d.APIKey, Name: strings.TrimSuffix(d.Name, "Request"), Request: messages["request"],
		Response: messages["response"], Header0: schema.None, ResponseHeader0: schema.None, Unstable: -1}
	if old != nil {
		a.Header0, a.ResponseHeader0, a.History = old.Header0, old.ResponseHeader0, old.History
	}
	for _, r := range requests {
		if len(r.Listeners) > 0 {
			a.Listeners = slices.Sorted(slices.Values(r.Listeners))
		}
	}
	if d.Unstable {
		a.Unstable = a.Request.Valid.Max
	}
	return a
}

// record makes an inner message. Those of "data" whose first field is their own version have
// nothing before them.
func record(family, name string, parts map[string][]*definition, messages map[string]*schema.Message) *schema.Record {
	r := &schema.Record{Name: name, Family: family, Type: -1, Key: messages["key"], Value: messages["value"]}
	ds := parts["value"]
	if d := ds[len(ds)-1]; d.APIKey != nil {
		r.Type = *d.APIKey
	}
	first := schema.Field{}
	if len(r.Value.Fields) > 0 {
		first = r.Value.Fields[0]
	}
	switch {
	case r.Key != nil:
		r.Framing = schema.TypeWord
	case family == "metadata" || family == "remote-log":
		r.Framing = schema.Varints
		if r.Type < 0 { // in the same jar, but no record: ProducerSnapshot
			r.Framing = schema.VersionWord
		}
	case family == "data" && first.Name == "Version" && first.Type == schema.Int16:
		r.Framing = schema.Bare
	default:
		r.Framing = schema.VersionWord
	}
	return r
}
