package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"ksniff/decode"
	"ksniff/decode/inner"
	"ksniff/decode/legacy"
	"ksniff/decode/records"
	"ksniff/decode/schema"
	"ksniff/report/escape"
)

// A decoder answers questions. Its parts are used again for the next one.
type decoder struct {
	json       bool
	out        *bufio.Writer
	errs       io.Writer
	unreadable int // how much could not be read
	dump       *dump
	caption    caption
	packets    packets
	tree       decode.Tree
	sets       records.JSON
	legacy     legacy.JSON
	inner      *inner.Decoder
	fields     decode.JSON
	text       []byte // of an answer
	line       int    // of all input
}

func newDecoder(json bool) *decoder {
	d := &decoder{json: json, inner: inner.New(), sets: records.JSON{Records: true, Payload: true}}
	d.legacy.Payload = true
	d.inner.ShowSecrets = true
	d.inner.AnswerKey = -1
	d.inner.Records = d.set
	d.fields = decode.JSON{Records: d.set, Inner: d.inner.Inner}
	return d
}

// set writes the record set of a field, with all records.
func (d *decoder) set(dst []byte, r decode.Ref) []byte {
	d.inner.RecordsOf(topicOf(r), &d.sets)
	d.sets.Exact = r.Tree().Key == keyProduce
	extent := r.Records()
	set, _ := extent.Bytes()
	return d.sets.AppendSet(dst, set, extent.Length)
}

// mostComplaints is how many lines that cannot be read are told one by one.
const mostComplaints = 20

// keyAPIVersions is the API whose answers have a form for every version.
const keyAPIVersions = 18

// keyProduce is the API whose record sets must end with a whole batch.
const keyProduce = 0

// metadataTopicID is the id that Kafka gives the topic of its own metadata.
var metadataTopicID = [16]byte{15: 1}

// topicOf is the name of the topic that a record set is of, "" where the frame does not say.
func topicOf(r decode.Ref) string {
	topic := r.Parent().Parent().Parent() // partition, partitions, topic
	for _, name := range [...]string{"Name", "Topic"} {
		if f := topic.Field(name); f.OnWire() {
			return f.String()
		}
	}
	if topic.Field("TopicId").UUID() == metadataTopicID {
		return "__cluster_metadata"
	}
	return ""
}

// An answer is what a line of output says, in the order of the design. The texts are JSON.
type answer struct {
	api          string
	key, version int16
	named        bool // key and version are there
	header, body []byte
	lists        []byte // "batches", "records" and "trailing_partial_bytes" of a record set
	trailing     int
	fault        decode.Fault
	path         string
	faulty       bool
	complaint    string // about the line itself
	tree         bool   // the decoder's tree has the frame
}

// answer writes what a question gets, if it could be read: a line of JSON, or lines for people.
func (d *decoder) answer(q *question, unread error) {
	var a answer
	if unread != nil {
		a.complaint = unread.Error()
	} else {
		d.decode(q, &a)
	}
	if a.complaint != "" && !q.nothing {
		if d.unreadable++; d.unreadable <= mostComplaints {
			d.out.Flush()
			fmt.Fprintf(d.errs, "ksniff: line %d: %s\n", q.line, escape.Text(nil, a.complaint))
		}
	}
	switch {
	case d.json:
		d.text = a.append(d.text[:0], q.Kind)
	case a.complaint != "":
		return
	default:
		d.text = d.plain(d.text[:0], q, &a)
	}
	d.out.Write(d.text)
}

func (d *decoder) decode(q *question, a *answer) {
	switch {
	case q.Kind == "records":
		d.records(q, a)
	case q.token: // raw bytes of a login, which no schema describes
	case q.Type != nil && q.bodyOnly:
		d.legacyBody(q, a, q.body)
	case q.Kind == "request" && q.Type != nil, q.Kind == "response" && q.Type != nil:
		d.legacyFrame(q, a)
	case q.Kind == "request", q.Kind == "response":
		d.message(q, a)
	case q.Kind == "inner":
		d.payload(q, a)
	default:
		a.complaint = "kind must be request, response, records or inner"
	}
}

// message decodes a modern frame.
func (d *decoder) message(q *question, a *answer) {
	key, version, err := q.api()
	if err != nil {
		a.complaint = err.Error()
		return
	}
	a.key, a.version, a.named = key, version, true
	f := decode.Whole(q.body)
	if q.length != len(q.body) {
		f.Length, f.Missing = q.length, true
	}
	if q.runs != nil {
		f.Runs, f.Missing = q.runs, q.missing
	}
	t := &d.tree
	t.Decode(f, key, version, q.frameKind())
	if fault, _ := t.Fault(); key == keyAPIVersions && q.Kind == "response" && fault.Code == decode.UnknownVersion {
		t.Decode(f, key, 0, decode.Response) // what a broker answers to a version that it does not know either
	}
	if q.bare && !t.Whole() {
		if old, _ := legacy.Plausible(q.body, q.length); old {
			*a = answer{}
			d.legacyBody(q, a, q.body)
			return
		}
	}
	a.tree = true
	if t.API != nil {
		a.api = t.API.Name
	}
	if h := t.Header(); h.OK() && d.json {
		a.header = d.fields.Append(nil, h)
	}
	if b := t.Body(); b.OK() && d.json {
		a.body = d.fields.Append(nil, b)
	}
	a.trailing = t.Trailing
	if a.fault, a.faulty = t.Fault(); a.faulty {
		a.path = a.fault.Path(t)
	} else if q.missing { // what is hidden lies in record sets, which the walker does not look into
		a.faulty, a.fault = true, decode.Fault{Code: decode.Truncated, Class: decode.Incomplete, Need: q.length, Node: -1}
		for i, run := range q.runs {
			if i == 0 && run.Off == 0 {
				a.fault.Offset = len(run.Bytes)
			}
			a.fault.Have += len(run.Bytes)
		}
	}
}

// records decodes a record set.
func (d *decoder) records(q *question, a *answer) {
	d.inner.RecordsOf("", &d.sets)
	d.sets.Exact = false
	a.lists, a.fault, a.faulty = d.sets.AppendLists(nil, q.body)
}

// payload decodes a message that lies in a field or a record.
func (d *decoder) payload(q *question, a *answer) {
	if _, known := schema.LookupInner(q.What); known == nil {
		a.complaint = fmt.Sprintf("no message inside fields or records is called %q", q.What)
		return
	}
	version := int16(-1)
	if q.Version != nil {
		version = *q.Version
	}
	a.api = q.What
	a.body, a.fault, a.faulty = d.inner.Append(nil, q.What, version, q.body)
	if a.faulty && a.fault.Code == decode.TrailingBytes {
		a.trailing = a.fault.Have
	}
}

// legacyFrame decodes a frame of 0.6 or 0.7.
func (d *decoder) legacyFrame(q *question, a *answer) {
	body, f, ok := legacy.Body(q.body)
	if !ok {
		a.fault, a.faulty = f, true
		return
	}
	d.legacyBody(q, a, body)
}

func (d *decoder) legacyBody(q *question, a *answer, body []byte) {
	typ, ok := legacyType(q)
	if !ok {
		var f decode.Fault
		if typ, f, ok = legacy.FindType(q.frameKind(), body); !ok {
			a.fault, a.faulty = f, true
			return
		}
	}
	a.api = legacy.Name(typ)
	a.body, a.fault, a.faulty = d.legacy.Append(nil, q.frameKind(), typ, body, len(body))
	if a.faulty && a.fault.Code == decode.TrailingBytes {
		a.trailing = a.fault.Have
	}
}

func legacyType(q *question) (int16, bool) {
	name, err := strconv.Unquote(string(bytes.TrimSpace(q.Type)))
	if err != nil {
		return 0, false
	}
	return legacy.Type(name)
}

// append writes the line.
func (a *answer) append(dst []byte, kind string) []byte {
	dst = appendText(append(dst, `{"kind":`...), kind)
	dst = appendText(append(dst, `,"api":`...), a.api)
	dst = append(dst, `,"key":`...)
	if a.named {
		dst = strconv.AppendInt(dst, int64(a.key), 10)
		dst = strconv.AppendInt(append(dst, `,"version":`...), int64(a.version), 10)
	} else {
		dst = append(dst, `null,"version":null`...)
	}
	dst = appendValue(append(dst, `,"header":`...), a.header)
	dst = appendValue(append(dst, `,"body":`...), a.body)
	if dst = append(dst, ','); a.lists != nil {
		dst = append(dst, a.lists...)
	} else {
		dst = append(dst, `"batches":[],"records":[],"trailing_partial_bytes":0`...)
	}
	dst = strconv.AppendInt(append(dst, `,"trailing_bytes":`...), int64(a.trailing), 10)
	dst = append(dst, `,"fault":`...)
	switch {
	case a.complaint != "":
		dst = append(dst, `{"code":"bad_input","class":"unknown","offset":0,"path":"","need":0,"have":0,"message":`...)
		dst = append(decode.AppendString(dst, a.complaint), '}')
	case a.faulty:
		dst = decode.AppendFault(dst, a.fault, a.path)
	default:
		dst = append(dst, "null"...)
	}
	return append(dst, '}', '\n')
}

// appendText writes a string, null where it is empty.
func appendText(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return decode.AppendString(dst, s)
}

// appendValue writes JSON, null where there is none.
func appendValue(dst, json []byte) []byte {
	if json == nil {
		return append(dst, "null"...)
	}
	return append(dst, json...)
}
