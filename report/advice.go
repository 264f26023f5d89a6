package report

import (
	"fmt"
	"slices"
	"strings"
)

// Completeness says in one line how much of the Kafka traffic the numbers rest on.
func (r *Result) Completeness() string {
	l := r.Ledger
	switch {
	case l.TCPPayload == 0 && l.Gap == 0:
		return "no Kafka: no TCP payload was captured"
	case l.clear() == 0 && l.Foreign == 0:
		return "no Kafka could be read: all is encrypted (TLS)"
	case l.clear() == 0 && l.Encrypted == 0:
		return "no Kafka: nothing captured is proved to be Kafka"
	case l.clear() == 0:
		return "no Kafka could be read: all is encrypted (TLS) or not proved to be Kafka"
	}
	s := "completeness " + percent(l.Completeness)
	var parts []string
	for _, p := range []struct {
		n    int64
		what string
	}{
		{l.Gap, "missing"}, {l.Skipped, "skipped until a frame could be proved"}, {l.Undecodable, "undecodable"},
		{l.Pending, "of frames that are not whole"},
	} {
		if p.n > 0 {
			parts = append(parts, size(float64(p.n))+" "+p.what)
		}
	}
	lack := ""
	if missing := r.missing(); missing != "" {
		lack = " of what was captured; " + missing
	}
	if len(parts) == 0 && lack != "" {
		return s + lack
	}
	if len(parts) == 0 {
		return s + ": every byte of Kafka is decoded"
	}
	return s + lack + ": " + size(float64(l.Decoded)) + " decoded, " + strings.Join(parts, ", ")
}

// missing says which direction was not captured, "" where there are both. Of a part of the frames nothing is known.
func (r *Result) missing() string {
	f := r.Frames
	switch {
	case r.Capture.DisplayFilter != "" || r.Capture.FrameLimit > 0:
	case f.Responses == 0 && f.Unanswered > 0:
		return "no responses were captured"
	case f.Requests == 0 && f.Responses > 0:
		return "no requests were captured"
	case r.Ledger.Gap == 0 && f.Unanswered > 0 && f.Responses > 0 && f.Responses == f.Unmatched+f.Inferred:
		return "no request was captured together with its response"
	}
	return ""
}

// Advice says what the reader should know before believing the numbers, and what to do about it:
// short sentences, the most important first.
func (r *Result) Advice() []string {
	var a []string
	say := func(format string, args ...any) { a = append(a, fmt.Sprintf(format, args...)) }
	l, f := r.Ledger, r.Frames
	if r.Capture.Dropped > 0 {
		say("%s lost while capturing: use a bigger buffer (tcpdump -B, ksniff -B) or a narrower filter (-f).", plural(r.Capture.Dropped, "packet"))
	}
	if r.Capture.Strained > 0 {
		say("%s counted without looking into record sets, since ksniff could not keep up: use a bigger buffer (-B), a narrower filter (-f), or ask for less.", plural(r.Capture.Strained, "packet"))
	}
	if r.Capture.Cut > 0 {
		say("%s cut by the snap length: capture whole packets (tcpdump -s 0).", plural(r.Capture.Cut, "packet"))
	}
	part := r.Capture.DisplayFilter != "" || r.Capture.FrameLimit > 0 // then the rest of the frames may hold what lacks
	missing := r.missing()
	oneWay := missing != ""
	if oneWay {
		say("Only one direction was captured, %s: capture both, or latencies, errors and names are missing.", missing)
	}
	if l.Gap > 0 && r.Capture.Cut == 0 && r.Capture.Dropped == 0 {
		say("%s missing from the capture: packets were lost while capturing. Use a bigger buffer (tcpdump -B 65536) or a narrower filter.", size(float64(l.Gap)))
	}
	if l.Skipped > 0 {
		say("%s skipped: connections that were open before the capture began, or the way back after a loss.", size(float64(l.Skipped)))
	}
	if l.Conflicts > 0 {
		say("%s came again with other bytes: the first copy counted. Something on the way changes packets, or injects them.", plural(l.Conflicts, "segment"))
	}
	if l.Encrypted > 0 {
		say("%s encrypted (TLS), not looked into.", size(float64(l.Encrypted)))
	}
	if l.Foreign > 0 {
		say("%s not counted%s.", size(float64(l.Foreign)), r.others())
		if r.Connections.Foreign > 0 && (oneWay || f.Requests+f.Responses == 0) {
			say("If that is Kafka: capture both directions, from the start, or say so with -d tcp.port==9092,kafka.")
		}
	}
	if len(f.Faulty) > 0 {
		say("Frames with faults: %s. `ksniff frames -Y fault` shows them.", countsText(f.Faulty))
	}
	if f.Unmatched > 0 {
		say("%s without a request in the capture, so that nothing tells how to decode them: undecodable. `ksniff frames -Y unmatched` shows them.",
			plural(f.Unmatched, "response"))
	}
	if f.Unanswered > 0 && !oneWay {
		say("%s without a response in the capture.", plural(f.Unanswered, "request"))
	}
	if f.Inferred > 0 {
		say("%s decoded without the request, by the only API and version that fit.", plural(f.Inferred, "response"))
	}
	if p, f := r.Totals.Produce.Incomplete, r.Totals.Fetch.Incomplete; p != f || p != (Incomplete{}) {
		say("≥ is at least, ? not known: of %s with records not all was captured. A batch counts if its head was.",
			plural(max(p.Frames+f.Frames, p.Sets+f.Sets), "frame"))
	}
	if t := r.Totals.Fetch; (l.Gap > 0 || l.Skipped > 0 || r.Capture.Cut > 0) && t.Latency.Count+t.LongPoll.Count > 0 {
		say("Fetch latencies may have long polls among them, and the other way round: what tells them apart is missing in part.")
	}
	if part && r.Capture.DisplayFilter != "" {
		say("Completeness and connections are those of all frames, not only of -Y.")
	}
	if n := r.Totals.Fetch.ReplicaMessages; n > 0 {
		say("%s of those fetched went to follower replicas: the same records once more.", plural(n, "message"))
	}
	if r.Aborted > 0 {
		say("%s aborted: their messages count as produced and, where they were fetched, as fetched.", plural(r.Aborted, "transaction"))
	}
	for i := range r.APIs {
		if a := &r.APIs[i]; a.Generation == "modern" && a.Key == shareFetch && a.Responses > 0 {
			say("Share groups: a message that is delivered again counts as fetched again.")
		}
	}
	if m := r.Limits; m != nil {
		say("The bound on memory cost %s: use a larger --memory.", m)
	}
	if n := r.unnamed(); n > 0 {
		say("%s shown by id: no response in the capture tells the name.", plural(n, "topic"))
	}
	if o := r.Other; o != nil {
		var what []string
		if o.Topics > 0 {
			what = append(what, plural(o.Topics, "topic"))
		}
		if o.Clients > 0 {
			what = append(what, plural(o.Clients, "client"))
		}
		if o.Rows != nil {
			what = append(what, plural(o.Rows.Rows, "row"))
		}
		say("Left out by --top or the bound on memory: %s. Their sums are in (other).", strings.Join(what, ", "))
	}
	return a
}

// others names what the foreign bytes are, as far as it is known.
func (r *Result) others() string {
	var parts []string
	if n := r.Connections.ZooKeeper; n > 0 {
		parts = append(parts, plural(n, "connection")+" of ZooKeeper")
	}
	if n := r.Connections.Foreign; n > 0 {
		parts = append(parts, plural(n, "connection")+" that nothing proves to be Kafka")
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func (m *Limits) String() string {
	var parts []string
	for _, p := range []struct {
		n    int64
		what string
	}{
		{m.Connections, "connection"}, {m.Unfinished, "unfinished frame"}, {m.Gaps, "late segment"}, {m.Requests, "waiting request"},
		{m.Responses, "early response"}, {m.Topics, "topic name"}, {m.Clients, "client name"},
		{m.Partitions, "session partition"},
	} {
		if p.n > 0 {
			parts = append(parts, plural(p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

func (r *Result) unnamed() int64 {
	n := int64(0)
	for _, t := range r.Topics {
		if t.Topic == "" && t.TopicID != nil {
			n++
		}
	}
	return n
}

// countsText writes counts by name, the largest first: NAME 3, OTHER 1.
func countsText(m map[string]int64) string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if m[a] != m[b] {
			return int(min(max(m[b]-m[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = name + " " + grouped(m[name])
	}
	return strings.Join(names, ", ")
}
