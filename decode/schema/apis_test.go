package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ksniff/decode/schema"
)

func TestAPIsEqualKafkas(t *testing.T) {
	type release struct {
		Min     *int16 `json:"min_version"`
		Max     *int16 `json:"max_version"`
		Valid   string `json:"valid_versions"`
		Name    string
		Removed string `json:"removed_in"`
	}
	var want []struct {
		release
		Key             int16
		Listeners       []string
		Unstable        bool             `json:"latestVersionUnstable"`
		RequestHeaders  map[string]int16 `json:"request_header_versions"`
		ResponseHeaders map[string]int16 `json:"response_header_versions"`
		Kafka39         *release
		Only39          []int16 `json:"versions_only_in_39"`
	}
	if err := json.Unmarshal(shared(t, "vectors/apis.json"), &want); err != nil {
		t.Fatal(err)
	}
	if len(want) != len(schema.APIs) || len(want) != 95 {
		t.Fatalf("%d APIs, want %d", len(schema.APIs), len(want))
	}
	for i, w := range want {
		a := schema.Lookup(w.Key)
		if a != schema.APIs[i] || a.Name != w.Name || schema.LookupName(w.Name) != a {
			t.Errorf("key %d: %+v, want %s", w.Key, a, w.Name)
			continue
		}
		// the header maps name each version that 3.9 or 4.4 declares
		last := int16(-1)
		for text := range w.RequestHeaders {
			var v int16
			fmt.Sscan(text, &v)
			if last = max(last, v); !a.Versions().Has(v) {
				t.Errorf("%s lacks version %d", a.Name, v)
			}
		}
		if a.Versions().Max > last {
			t.Logf("%s: %d is of a later release", a.Name, a.Versions().Max)
		}
		for v := a.Versions().Min; v <= last; v++ {
			if got, want := a.RequestHeaderVersion(v), w.RequestHeaders[fmt.Sprint(v)]; got != want {
				t.Errorf("%s %d: request header %d, want %d", a.Name, v, got, want)
			}
			if got, want := a.ResponseHeaderVersion(v), w.ResponseHeaders[fmt.Sprint(v)]; got != want {
				t.Errorf("%s %d: response header %d, want %d", a.Name, v, got, want)
			}
			if got, want := a.Removed.Has(v), slices.Contains(w.Only39, v); got != want {
				t.Errorf("%s %d: removed %v, want %v", a.Name, v, got, want)
			}
		}
		if (a.Unstable >= 0) != w.Unstable || w.Unstable && a.Unstable != last {
			t.Errorf("%s: unstable %d", a.Name, a.Unstable)
		}
		if w.Valid != "none" && !slices.Equal(a.Listeners, w.Listeners) {
			t.Errorf("%s: listeners %q, want %q", a.Name, a.Listeners, w.Listeners)
		}
	}
}

func TestCoverage(t *testing.T) {
	triples := 0
	for line := range strings.Lines(string(shared(t, "vectors/coverage.tsv"))) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if columns[0] == "key" {
			continue
		}
		a := schema.LookupName(columns[1])
		if a == nil {
			t.Errorf("no API %s", columns[1])
			continue
		}
		m := a.Request
		if columns[2] == "response" {
			m = a.Response
		}
		for _, v := range strings.Split(columns[7]+","+columns[8], ",") {
			var n int16
			if _, err := fmt.Sscan(v, &n); err == nil {
				triples++
				if !m.Valid.Has(n) {
					t.Errorf("%s has no version %d", m.Name, n)
				}
			}
		}
	}
	if triples != 736 {
		t.Errorf("%d triples, want 736", triples)
	}
}

func TestAPIsAscendByKey(t *testing.T) {
	for i, a := range schema.APIs {
		if schema.Lookup(a.Key) != a || i > 0 && schema.APIs[i-1].Key >= a.Key {
			t.Errorf("%s: key %d at %d", a.Name, a.Key, i)
		}
	}
	if len(schema.APIs) < 95 {
		t.Errorf("%d APIs", len(schema.APIs))
	}
}

func TestHeaderVersionsAgainstTheRule(t *testing.T) {
	for _, c := range []struct {
		key, version, request, response int16
	}{
		{0, 8, 1, 0}, {0, 9, 2, 1}, // KIP-482
		{7, 0, 0, 0}, {7, 1, 1, 0}, {7, 3, 2, 1}, // ControlledShutdown 0 has no client id
		{18, 2, 1, 0}, {18, 3, 2, 0}, {18, 5, 2, 0}, // ApiVersions: a client reads it before it knows the broker (KIP-511)
		{17, 1, 1, 0}, {47, 0, 1, 0}, // never flexible
	} {
		a := schema.Lookup(c.key)
		if got := a.RequestHeaderVersion(c.version); got != c.request {
			t.Errorf("%s %d: request header %d, want %d", a.Name, c.version, got, c.request)
		}
		if got := a.ResponseHeaderVersion(c.version); got != c.response {
			t.Errorf("%s %d: response header %d, want %d", a.Name, c.version, got, c.response)
		}
	}
	for _, key := range []int16{-1, -32768, 95, 32767} {
		if a := schema.Lookup(key); a != nil {
			t.Errorf("key %d: %s", key, a.Name)
		}
	}
}

// The definitions of Kafka 3.6.0 (ConsumerGroupHeartbeat) and 3.9.1 (ReadShareGroupStateSummary).
func TestEarlyForms(t *testing.T) {
	heartbeat, summary := schema.LookupName("ConsumerGroupHeartbeat"), schema.LookupName("ReadShareGroupStateSummary")
	for m, want := range map[*schema.Message]string{
		heartbeat.Request: "GroupId MemberId MemberEpoch InstanceId RackId RebalanceTimeoutMs SubscribedTopicNames SubscribedTopicRegex ServerAssignor " +
			"ClientAssignors(Name MinimumVersion MaximumVersion Reason MetadataVersion MetadataBytes) TopicPartitions(TopicId Partitions)",
		heartbeat.Response: "ThrottleTimeMs ErrorCode ErrorMessage MemberId MemberEpoch ShouldComputeAssignment HeartbeatIntervalMs " +
			"Assignment(Error AssignedTopicPartitions(TopicId Partitions) PendingTopicPartitions(TopicId Partitions) MetadataVersion MetadataBytes)",
		summary.Response: "Results(TopicId Partitions(Partition ErrorCode ErrorMessage StateEpoch StartOffset))",
	} {
		e := m.Early
		if e == nil || e.Name != m.Name || e.Valid != (schema.Versions{}) || !e.Flexible.Has(0) {
			t.Errorf("%s: early form %+v", m.Name, e)
			continue
		}
		if got := fieldNames(e.Fields); got != want {
			t.Errorf("%s: %s, want %s", m.Name, got, want)
		}
	}
	for _, a := range schema.APIs {
		if a.Request.Early != nil && a != heartbeat || a.Response.Early != nil && a != heartbeat && a != summary {
			t.Errorf("%s has an early form", a.Name)
		}
	}
}

func fieldNames(fields []schema.Field) string {
	var names []string
	for _, f := range fields {
		name := f.Name
		if len(f.Fields) > 0 {
			name += "(" + fieldNames(f.Fields) + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// Which release had which versions is known for 2.8, 3.9 and 4.4 (the jars' own tables).
func TestHistoryAgreesWithReleases(t *testing.T) {
	var want []struct {
		Key              int16
		Kafka28, Kafka39 *struct {
			Max      int16 `json:"max_version"`
			Unstable bool  `json:"latestVersionUnstable"`
		}
	}
	if err := json.Unmarshal(shared(t, "vectors/apis.json"), &want); err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		a := schema.Lookup(w.Key)
		next := a.Versions().Min
		for _, c := range a.History {
			if c.Version != next {
				t.Errorf("%s: version %d where %d follows", a.Name, c.Version, next)
			}
			next = c.Version + 1
			if c.Release == "" {
				continue
			}
			if known := w.Kafka28; (known != nil && c.Version <= known.Max) != !later(c.Release, "2.8") {
				t.Errorf("%s %d: since %s, 2.8 has %+v", a.Name, c.Version, c.Release, known)
			}
			known := w.Kafka39
			in39 := known != nil && c.Version <= known.Max && !(known.Unstable && c.Version == known.Max)
			if in39 != !later(c.Release, "3.9") {
				t.Errorf("%s %d: since %s, 3.9 has %+v", a.Name, c.Version, c.Release, known)
			}
		}
		if next != a.Versions().Max+1 {
			t.Errorf("%s: history ends before version %d", a.Name, next)
		}
	}
}

func later(a, b string) bool {
	var a1, a2, b1, b2 int
	fmt.Sscanf(a, "%d.%d", &a1, &a2)
	fmt.Sscanf(b, "%d.%d", &b1, &b2)
	return a1 > b1 || a1 == b1 && a2 > b2
}
