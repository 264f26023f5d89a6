package decode

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// An event is one thing that a View tells, or that the tree says it should.
type event struct {
	status Status
	name   string
	item   Item // without Name, Need
}

// byView reads a message with a View, giving it at first no bytes and then as few as it asks for, or all.
func byView(v *View, key, version int16, kind Kind, offset int, body []byte, step bool) (events []event, s Status) {
	if !v.Begin(key, version, kind, offset, len(body)) {
		return nil, Bad
	}
	have := offset
	if !step {
		have = len(body)
	}
	for {
		base := min(v.Pos(), have)
		item, status := v.Next(body[base:have], base)
		switch status {
		case End, Bad:
			return events, status
		case More:
			have = v.Pos() + item.Need
			if item.Need <= 0 || have > len(body) {
				panic(fmt.Sprintf("needs %d bytes at %d of %d", item.Need, v.Pos(), len(body)))
			}
		default:
			e := event{status: status, name: string(item.Name), item: item}
			e.item.Name, e.item.Need = nil, 0
			events = append(events, e)
		}
	}
}

// byTree is what a View should tell, taken from the tree.
func byTree(t *Tree) (events []event) {
	body := t.Body()
	response := t.Kind == Response
	topics, partitions, index := "Topics", "Partitions", "Partition"
	switch {
	case t.Key == 0 && response:
		topics, partitions, index = "Responses", "PartitionResponses", "Index"
	case t.Key == 0:
		topics, partitions, index = "TopicData", "PartitionData", "Index"
	case response:
		topics, index = "Responses", "PartitionIndex"
	case t.Key == 78:
		index = "PartitionIndex"
	}
	topic := func(r Ref, s Status) bool {
		for _, name := range []string{"Name", "Topic", "TopicId"} {
			f := r.Field(name)
			if f.OK() && !f.OnWire() {
				return false
			}
			if f.OnWire() {
				events = append(events, event{status: s, name: f.String(), item: Item{ID: f.UUID()}})
			}
		}
		return true
	}
	for r := range body.Field(topics).Elements() {
		if !topic(r, Topic) {
			return
		}
		for p := range r.Field(partitions).Elements() {
			records := p.Field("Records")
			if records.OK() && !records.OnWire() || !records.OK() && p.Cut() {
				return
			}
			number := func(name string, absent int64) int64 {
				if f := p.Field(name); f.OK() {
					return f.Int()
				}
				return absent
			}
			e := event{status: Partition, item: noPartition}
			e.item.Index = int32(number(index, 0))
			e.item.ErrorCode = int16(number("ErrorCode", 0))
			e.item.FetchOffset = number("FetchOffset", -1)
			e.item.LogStartOffset = number("LogStartOffset", -1)
			e.item.HighWatermark = number("HighWatermark", -1)
			if !response {
				e.item.HighWatermark = -1
			}
			e.item.LastStableOffset = number("LastStableOffset", -1)
			e.item.BaseOffset = number("BaseOffset", -1)
			if t.Key == 1 {
				e.item.MaxBytes = int32(number("PartitionMaxBytes", 0))
			}
			if records.OK() {
				x := records.Records()
				e.item.Records, e.item.Length = x.Offset, x.Length
				if x.Length < 0 {
					e.item.Records = records.Offset() + records.Length()
				}
			}
			events = append(events, e)
		}
	}
	for r := range body.Field("ForgottenTopicsData").Elements() {
		if !topic(r, ForgottenTopic) {
			return
		}
		for p := range r.Field("Partitions").Elements() {
			if !p.OnWire() {
				return
			}
			events = append(events, event{status: Forgotten, item: Item{Index: int32(p.Int())}})
		}
	}
	return
}

// compareView checks a View against the tree of the same frame.
func compareView(t *testing.T, name string, tree *Tree, v *View, body []byte) {
	t.Helper()
	if tree.Body().Node() < 0 {
		return
	}
	want := byTree(tree)
	fault, faulty := tree.Fault()
	if faulty {
		fault.Node = -1
	}
	for _, step := range []bool{false, true} {
		got, s := byView(v, tree.Key, tree.Version, tree.Kind, tree.Body().Offset(), body, step)
		if !slices.EqualFunc(got, want, sameEvent) {
			i := 0
			for i < min(len(got), len(want)) && sameEvent(got[i], want[i]) {
				i++
			}
			t.Fatalf("%s: %d items, the tree has %d; from %d on:\n%+v\nthe tree:\n%+v", name, len(got), len(want), i, got[i:], want[i:])
		}
		if f, bad := v.Fault(); bad != faulty || f != fault || (s == Bad) == tree.Whole() {
			t.Fatalf("%s: view has fault %+v (status %d), the tree %+v", name, f, s, fault)
		}
		if s == End && (v.Tolerant != tree.Tolerant-headerFaults(tree) || v.Trailing != tree.Trailing) {
			t.Fatalf("%s: view tolerated %d, the tree %d", name, v.Tolerant, tree.Tolerant)
		}
		compareTop(t, name, tree, v)
	}
	compareStraight(t, name, tree, v, body)
}

// headerFaults counts the tolerated faults of the header, which a View does not see.
func headerFaults(tree *Tree) (n int) {
	for _, f := range tree.Faults {
		if f.Offset < tree.Body().Offset() {
			n++
		}
	}
	return
}

func sameEvent(a, b event) bool {
	a.item.Name, b.item.Name = nil, nil
	if a.status != b.status || a.name != b.name {
		return false
	}
	x, y := a.item, b.item
	return x.ID == y.ID && x.Index == y.Index && x.ErrorCode == y.ErrorCode && x.FetchOffset == y.FetchOffset &&
		x.LogStartOffset == y.LogStartOffset && x.HighWatermark == y.HighWatermark && x.LastStableOffset == y.LastStableOffset &&
		x.BaseOffset == y.BaseOffset && x.MaxBytes == y.MaxBytes && x.Records == y.Records && x.Length == y.Length
}

// compareTop compares what stands outside the topics.
func compareTop(t *testing.T, name string, tree *Tree, v *View) {
	t.Helper()
	body := tree.Body()
	check := func(field string, got int64, absent int64) {
		t.Helper()
		want := absent
		r := body.Field(field)
		if field == "ReplicaId" && !r.OnWire() {
			r = body.Field("ReplicaState").Field("ReplicaId")
		}
		if r.OnWire() {
			want = r.Int()
		}
		if got != want {
			t.Errorf("%s: %s is %d in the view, %d in the tree", name, field, got, want)
		}
	}
	epoch := "SessionEpoch"
	if tree.Key == 78 {
		epoch = "ShareSessionEpoch"
	}
	check("Acks", int64(v.Acks), -128)
	check("ReplicaId", int64(v.ReplicaID), -1)
	check("MaxWaitMs", int64(v.MaxWaitMs), -1)
	check("MinBytes", int64(v.MinBytes), -1)
	check("MaxBytes", int64(v.MaxBytes), math.MaxInt32)
	check("IsolationLevel", int64(v.IsolationLevel), 0)
	check("SessionId", int64(v.SessionID), 0)
	check(epoch, int64(v.SessionEpoch), -1)
	check("ErrorCode", int64(v.ErrorCode), 0)
	check("ThrottleTimeMs", int64(v.ThrottleTimeMs), -1)
	if r := body.Field("TransactionalId"); v.Transactional != (r.OnWire() && !r.IsNull()) {
		t.Errorf("%s: Transactional is %v", name, v.Transactional)
	}
}

// viewed are the vectors that have a View.
func viewed(t testing.TB) (some []vector) {
	for _, v := range vectors(t) {
		if v.Key == 0 || v.Key == 1 || v.Key == 78 {
			some = append(some, v)
		}
	}
	if len(some) == 0 {
		t.Fatal("no vectors")
	}
	return
}

// TestView compares each View with the tree: whole frames, every truncation, and every byte changed.
func TestView(t *testing.T) {
	var tree Tree
	var view View
	for i, v := range viewed(t) {
		name := fmt.Sprintf("%d %s %s v%d", i, v.API, v.Kind, v.Version)
		body := v.bytes(t)
		check := func(how string, at int, b []byte) {
			tree.Decode(Whole(b), v.Key, v.Version, v.kind())
			if len(tree.Faults) > 0 && tree.Faults[0].Offset < v.HeaderBytes {
				return
			}
			compareView(t, fmt.Sprintf("%s %s %d", name, how, at), &tree, &view, b)
		}
		check("whole", 0, body)
		for n := v.HeaderBytes; n < len(body); n++ {
			check("cut at", n, body[:n])
		}
		if len(body) > 500 {
			continue
		}
		for at := v.HeaderBytes; at < len(body); at++ {
			old := body[at]
			for _, b := range []byte{0, 0x7f, 0x80, 0xff, old ^ 0x10} {
				body[at] = b
				check(fmt.Sprintf("byte %02x at", b), at, body)
			}
			body[at] = old
		}
	}
}

// TestViewEveryVersion makes sure that each version of each message with a sketch has a View, shallow enough.
func TestViewEveryVersion(t *testing.T) {
	for _, key := range []int16{0, 1, 78} {
		for _, kind := range []Kind{Request, Response} {
			for version := range int16(19) {
				var view View
				known := headerVersion(key, version, kind) >= 0
				if view.Begin(key, version, kind, 0, 100) != known {
					t.Errorf("%d v%d %s: want %v", key, version, kind, known)
				}
			}
		}
	}
	for name, sketch := range sketches {
		for path := range sketch {
			if strings.Count(path, ".") > 2 {
				t.Errorf("%s.%s is deeper than topics and partitions", name, path)
			}
		}
	}
}
