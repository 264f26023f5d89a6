package main

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Frames that -Y takes away still tell which Fetches waited for data, and which group a client joined.
func TestReportFilterKeepsPollsAndGroups(t *testing.T) {
	type row struct {
		By       map[string]any `json:"by"`
		Requests int64          `json:"requests"`
		Prompt   map[string]any `json:"latency_ms"`
		Polls    map[string]any `json:"long_poll_ms"`
	}
	fetches := func(args ...string) (found []row) {
		out, _ := ksniff(t, 0, append([]string{"report", "-o", "json"}, args...)...)
		var r struct{ Rows []row }
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Rows {
			if x.By["api"] == "Fetch" {
				found = append(found, x)
			}
		}
		return found
	}
	for _, name := range []string{"quickstart", "group", "transactions", "fetch-sessions"} {
		for _, by := range []string{"api", "api,group"} {
			all := fetches(pcap(name), "--by", by)
			if got := fetches(pcap(name), "--by", by, "-Y", "api == Fetch"); len(all) == 0 || !reflect.DeepEqual(got, all) {
				t.Errorf("%s by %s: %+v with the filter, %+v without", name, by, got, all)
			}
		}
	}
}
