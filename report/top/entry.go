package top

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
	"ksniff/report"
)

// entry is one frame on its way into the cells.
type entry struct {
	t                  *Tally
	f                  *session.Frame
	facts              report.Facts
	api, client, group string
}

// own is what a frame counts whatever it is about.
func (x *entry) own() (d Counts) {
	if x.f.Kind == decode.Request {
		d.Requests = 1
	} else if x.facts.Latency >= 0 && !x.facts.LongPoll {
		d.Answers, d.Latency, d.Slowest = 1, x.facts.Latency, x.facts.Latency
	}
	return d
}

// whole counts the frame as such, and the errors in it.
func (x *entry) whole() {
	d := x.own()
	d.Errors = int64(len(x.facts.Errors))
	x.t.add(key{table: Clients, name: x.client}, &d, 0)
	x.t.add(key{table: Groups, name: x.group}, &d, 0)
	x.t.add(key{table: Groups, within: InClient, of: x.client, name: x.group}, &d, 0)
	if x.f.Kind == decode.Request {
		d.BytesIn = int64(4 + x.f.Length)
	} else {
		d.BytesOut = int64(4 + x.f.Length)
	}
	x.t.add(key{table: APIs, name: x.api}, &d, float32(d.Requests))
	x.t.add(key{table: APIs, within: InClient, of: x.client, name: x.api}, &d, float32(d.Requests))
	for _, code := range x.facts.Errors {
		name := report.ErrorName(x.f.Generation, code)
		one := Counts{Errors: 1}
		x.t.add(key{table: Errors, name: name}, &one, 1)
		x.t.add(key{table: Errors, within: InClient, of: x.client, name: name}, &one, 1)
	}
}

// topics counts the request, or the latency of its answer, for each topic that it names.
func (x *entry) topics() {
	if x.f.Request == nil || !x.facts.Produces && !x.facts.Fetches {
		return
	}
	d := x.own()
	for _, t := range x.f.Request.Topics {
		x.topic(x.t.topicName(t), &d)
	}
}

// topic adds to a topic, and to what is shown within it.
func (x *entry) topic(name string, d *Counts) {
	weight := float32(d.BytesIn + d.BytesOut)
	x.t.add(key{table: Topics, name: name}, d, weight)
	x.t.add(key{table: Topics, within: InClient, of: x.client, name: name}, d, weight)
	x.t.add(key{table: Clients, within: InTopic, of: name, name: x.client}, d, weight)
	x.t.add(key{table: Groups, within: InTopic, of: name, name: x.group}, d, weight)
	x.t.add(key{table: APIs, within: InTopic, of: name, name: x.api}, d, float32(d.Requests))
}

// parts counts what moved through each partition and, summed up, its topic, client and group.
func (x *entry) parts() {
	var all, topic Counts
	for i := range x.f.Parts {
		p := &x.f.Parts[i]
		d := x.part(p)
		name := x.t.topicName(p.Topic)
		x.partition(name, p, d)
		topic.add(&d)
		if i+1 == len(x.f.Parts) || x.f.Parts[i+1].Topic != p.Topic {
			x.topic(name, &topic)
			all.add(&topic)
			topic = Counts{}
		}
	}
	if all == (Counts{}) {
		return
	}
	all.Errors = 0 // counted with the frame
	weight := float32(all.BytesIn + all.BytesOut)
	x.t.add(key{table: Clients, name: x.client}, &all, weight)
	x.t.add(key{table: Groups, name: x.group}, &all, weight)
	x.t.add(key{table: Groups, within: InClient, of: x.client, name: x.group}, &all, weight)
}

func (x *entry) part(p *session.Part) (d Counts) {
	switch {
	case x.facts.Produces && x.f.Kind == decode.Request:
		d.MessagesIn, d.BytesIn = p.Sets.Messages, p.Sets.Bytes
	case x.facts.Fetches && x.f.Kind == decode.Response:
		d.MessagesOut, d.BytesOut = p.Sets.Messages, p.Sets.Bytes
	}
	if x.f.Kind == decode.Response && p.Error != 0 {
		d.Errors = 1
	}
	return d
}

func (x *entry) partition(topic string, p *session.Part, d Counts) {
	weight := float32(d.BytesIn + d.BytesOut)
	if d.Errors > 0 {
		x.t.add(key{table: Errors, within: InTopic, of: topic, name: report.ErrorName(x.f.Generation, p.Error)}, &Counts{Errors: 1}, 1)
	}
	own := x.own()
	d.Requests, d.Answers, d.Latency, d.Slowest = own.Requests, own.Answers, own.Latency, own.Slowest
	x.t.add(key{table: Partitions, partition: p.Partition, name: topic}, &d, weight)
	x.t.add(key{table: Partitions, within: InTopic, of: topic, partition: p.Partition, name: topic}, &d, weight)
	x.t.add(key{table: Partitions, within: InClient, of: x.client, partition: p.Partition, name: topic}, &d, weight)
}

var _ session.Sink = (*Tally)(nil)
