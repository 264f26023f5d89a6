package capture

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every hostile file ends as its table says: with an error where it must, with the payload bytes
// that it says where no packet comes twice.
func TestHostileFiles(t *testing.T) {
	dir := filepath.Join(shared(t), "torture", "hostile")
	table, err := os.ReadFile(filepath.Join(dir, "EXPECT.tsv"))
	if err != nil {
		t.Skip(err)
	}
	checked := 0
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		row := strings.Split(line, "\t")
		name, payload, must := row[0], row[2], row[3]
		if strings.HasPrefix(name, "large/") {
			continue
		}
		s := OpenAll(filepath.Join(dir, name))
		var pkt Packet
		var seg Segment
		var p Parser
		sum := 0
		for err = s.Next(&pkt); err == nil; err = s.Next(&pkt) {
			if p.Parse(&pkt, &seg) && seg.Flags&4 == 0 {
				sum += len(seg.Payload)
			}
		}
		s.Close()
		var e *Error
		if err != io.EOF && !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
		if fails := strings.Contains(must, "exit 3") && !strings.Contains(must, "or the rest"); fails && err == io.EOF {
			t.Errorf("%s: no error, but %s", name, must)
		}
		if payload == "88" {
			checked++
			if sum != 88 {
				t.Errorf("%s: %d payload bytes, want 88: %s (%+v)", name, sum, must, p.Stats)
			}
		}
	}
	if checked < 15 {
		t.Errorf("only %d payloads checked", checked)
	}
}
