package audit

import (
	"strings"
	"testing"
)

// A line that stands for several findings says so: three connections of a client that never asks, and a fourth.
func TestLineSaysWhatItStandsFor(t *testing.T) {
	once := map[string]string{}
	k := newTalk(t, Config{})
	for range 4 {
		p := k.conn().exchange(3, 1, fields{}, fields{}).request(1, 5, fields{"ReplicaId": -1})
		p.fin(0)
		p.fin(1)
	}
	k.end()
	for i := range k.found {
		l, err := k.found[i].Line()
		if err != nil {
			t.Fatal(err)
		}
		if l.Once != nil {
			once[l.Rule] = *l.Once
		}
		if row := string(l.AppendCSV(nil)); !strings.HasSuffix(row, ","+once[l.Rule]+"\r\n") {
			t.Errorf("CSV: %s", row)
		}
	}
	if once["KS9006"] != "client" || once["KS2004"] != "client" {
		t.Errorf("%v", once)
	}
	groups, _ := k.audit.Groups()
	for _, g := range groups {
		if g.Rule.ID == "KS9006" && (g.Count != 2 || g.First.Packet > g.Last.Packet) {
			t.Errorf("count %d, packets %d to %d", g.Count, g.First.Packet, g.Last.Packet)
		}
	}
}
