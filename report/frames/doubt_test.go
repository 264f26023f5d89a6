package frames

import (
	"encoding/json"
	"strings"
	"testing"

	"ksniff/reassembly/session"
)

// TestDoubt: an answer without latency says why, in each format; one with latency, and a request, say nothing.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		spoil      func(ask, answer *session.Frame)
		doubt, say string
	}{
		{func(_, _ *session.Frame) {}, "", ""},
		{func(_, a *session.Frame) { a.Unseen = true }, "packet", "packet not captured"},
		{func(_, a *session.Frame) { a.Request.Unseen = true }, "request_packet", "packet of the request not captured"},
		{func(_, a *session.Frame) { a.Request.Unseen, a.Guessed = true, true }, "request", "request guessed"},
		{func(_, a *session.Frame) { a.Last.Time = a.Request.Time - 1 }, "order", "captured before the request"},
		{func(_, a *session.Frame) { a.Request.Time = noTime }, "", ""},
		{func(_, a *session.Frame) { a.Request = nil }, "", ""},
		{func(ask, _ *session.Frame) { ask.Unseen = true }, "packet", "packet not captured"},
	} {
		ask, answer := metadata()
		c.spoil(ask, answer)
		shown := answer
		if ask.Unseen {
			shown = ask
		}
		var line struct {
			Doubt   *string
			Latency *float64 `json:"latency_ms"`
		}
		if err := json.Unmarshal([]byte(printed(Options{Format: JSON}, shown)), &line); err != nil {
			t.Fatal(err)
		}
		if got := line.Doubt; (got != nil) != (c.doubt != "") || got != nil && (*got != c.doubt || line.Latency != nil) {
			t.Errorf("%q: JSON has %v", c.doubt, got)
		}
		if row := printed(Options{Format: CSV}, shown); !strings.HasSuffix(row, ","+c.doubt+"\n") {
			t.Errorf("%q: CSV is %s", c.doubt, row)
		}
		if text := printed(Options{}, shown); !strings.HasSuffix(text, c.say+"\n") || c.say == "" && strings.Contains(text, "captured") {
			t.Errorf("%q: text is %s", c.doubt, text)
		}
	}
}
