package session_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

// Requests that brokers bear, with what they answer. The client id is "me".
var (
	askTrailing  = frame("0012 0000 00000007 0002 6d65 00000000") // ApiVersions v0 and four bytes more
	saidTrailing = frame("00000007 0000 00000001 0012 0000 0003")
	askNull      = frame("0003 0001 00000007 0002 6d65 00000001 ffff") // Metadata v1: a topic whose name is null
	saidNull     = frame("00000007 00000000 00000001 00000000")
	shutdown     = frame("0007 0000 00000000 00000003") // ControlledShutdown v0 has no client id
	shutDown     = frame("00000000 0000 00000000")
	newFetch     = func(id int) string { return frame(fmt.Sprintf("0001 0013 %08x 0002 6d65 00 01020304 05", id)) } // Fetch v19
	newKey       = func(id int) string { return frame(fmt.Sprintf("0064 0001 %08x 0002 6d65 00 01020304 05", id)) } // API 100 v1
	said         = func(id int) string { return frame(fmt.Sprintf("%08x 00 01020304 0506", id)) }
)

// TestBorne: a frame with a fault that brokers bear, or of a version that nobody knows, made foreigners of
// connections that the answers prove to be Kafka.
func TestBorne(t *testing.T) {
	newer := ">" + newFetch(5) + "\n<" + said(5) + "\n>" + newFetch(6) + "\n<" + said(6)
	keys := ">" + newKey(5) + "\n<" + said(5) + "\n>" + newKey(6) + "\n<" + said(6)
	for _, c := range []struct {
		name, text, want, speaks string
	}{
		{"bytes behind ApiVersions", "syn\n>" + askTrailing + "\n<" + saidTrailing, "q18.0:trailing_bytes p18.0", "modern"},
		{"the same in mid-stream", ">" + askTrailing + "\n<" + saidTrailing, "q18.0:trailing_bytes p18.0", "modern"},
		{"the same, answered by another id", "syn\n>" + askTrailing + "\n<" + versions, "", "foreign"},
		{"the same, answered by another protocol", "syn\n>" + askTrailing + "\n<\"-ERR unknown command\\r\\n\"", "", "foreign"},
		{"the same, after the answer to an older one", "<" + frame("00000006 00000000 00000000") + "\n>" + askTrailing + "\n<" + saidTrailing, "q18.0:trailing_bytes p18.0", "modern"},
		{"the same, alone", ">" + askTrailing + "\neof", "q18.0:trailing_bytes", "modern"},
		{"the same, hung up on", "syn\n>" + askTrailing, "", "foreign"}, // by a broker of 0.7
		{"null that may not be", "syn\n>" + askNull + "\n<" + saidNull, "q3.1:null_not_allowed p3.1", "modern"},
		{"null in mid-stream", ">" + askNull + "\n<" + saidNull, "q3.1:null_not_allowed p3.1", "modern"},
		{"no client id in mid-stream", ">" + shutdown + "\n<" + shutDown, "q7.0 p7.0", "modern"},
		{"ApiVersions of a new version in mid-stream", ">" + askVersion99 + "\n<" + refused, "q18.99:unknown_version p18.99", "modern"},
		{"a new version of Fetch", "syn\n" + newer, "q1.19:unknown_version p1.19:unknown_version q1.19:unknown_version p1.19:unknown_version", "modern"},
		{"the same in mid-stream", newer, "q1.19:unknown_version p1.19:unknown_version q1.19:unknown_version p1.19:unknown_version", "modern"},
		{"the same, one exchange", "syn\n>" + newFetch(5) + "\n<" + said(5), "", "foreign"},
		{"the same, other answers", "syn\n>" + newFetch(5) + "\n<" + said(6) + "\n>" + newFetch(6) + "\n<" + said(7), "", "foreign"},
		{"the same, client only", ">" + newFetch(5) + "\n>" + newFetch(6) + "\n>" + newFetch(7), "q1.19:unknown_version q1.19:unknown_version q1.19:unknown_version", "modern"},
		{"a new API", "syn\n" + keys, "q100.1:unknown_key p100.1:unknown_key q100.1:unknown_key p100.1:unknown_key", "modern"},
		{"the same in mid-stream", keys, "q100.1:unknown_key p100.1:unknown_key q100.1:unknown_key p100.1:unknown_key", "modern"},
		{"a new version after a loss", "syn\n>" + askVersions + "\n<" + versions + "\n>?40\n<?40\n>" + newFetch(6) + "\n<" + said(6) + "\n>" + newFetch(7) + "\n<" + said(7),
			"q18.0 p18.0 q1.19:unknown_version p1.19:unknown_version q1.19:unknown_version p1.19:unknown_version", "modern"},
	} {
		played := script(t, c.text)
		n := &faults{}
		s := session.New(session.Config{}, n)
		played.play(s)
		balanced(t, s, played)
		if got := strings.Join(n.frames, " "); got != c.want {
			t.Errorf("%s: frames %q, want %q", c.name, got, c.want)
		}
		if k := s.Connections; (k.Modern == 1) != (c.speaks == "modern") || (k.Foreign == 1) != (c.speaks == "foreign") {
			t.Errorf("%s: %+v", c.name, k)
		}
	}
}

// faults notes frames with their faults.
type faults struct{ kinds }

func (n *faults) Frame(f *session.Frame) {
	n.kinds.Frame(f)
	if f.Faulty {
		n.frames[len(n.frames)-1] += ":" + f.Fault.Code.String()
	}
}

// TestNewerVersions makes all requests of an API newer than any that is known, in captures that begin
// anywhere: the connections are Kafka, and no frame appears that was not there.
func TestNewerVersions(t *testing.T) {
	for _, c := range []struct {
		name         string
		key, version int16
	}{{"group.pcap", 1, 19}, {"group.pcap", 3, 14}, {"fetch-sessions.pcap", 1, 21}, {"quickstart.pcap", 0, 14}, {"quickstart.pcap", 3, 16}} {
		played := record(t, c.name)
		plain, was := run(t, played, session.Config{})
		edited := append(tape(nil), played...)
		changed := 0
		for i, o := range edited {
			if o.do != 'd' || len(o.b) < 14 || binary.BigEndian.Uint16(o.b[4:]) != uint16(c.key) || o.b[6] != 0 || int(binary.BigEndian.Uint32(o.b)) != len(o.b)-4 {
				continue
			}
			if h, need, _ := decode.ParseRequestHeader(o.b[4:]); need > 0 || len(h.ClientID) == 0 || h.CorrelationID < 0 || h.CorrelationID > 1<<20 {
				continue
			}
			o.b = bytes.Clone(o.b)
			o.b[7] = byte(c.version)
			edited[i] = o
			changed++
		}
		if changed == 0 {
			t.Fatalf("%s: no request of API %d", c.name, c.key)
		}
		got, now := run(t, edited, session.Config{})
		if now.Connections.Modern != was.Connections.Modern || len(got.frames) != len(plain.frames) {
			t.Errorf("%s, API %d v%d: %d of %d frames, %+v, not %+v", c.name, c.key, c.version, len(got.frames), len(plain.frames), now.Connections, was.Connections)
		}
		for skip := 40; skip < len(edited); skip += len(edited) / 5 {
			got, _ := run(t, tail(edited, skip), session.Config{})
			as, _ := run(t, tail(played, skip), session.Config{})
			if len(got.frames) < len(as.frames)*9/10 {
				t.Errorf("%s, API %d v%d from %d on: %d frames, %d of a known version", c.name, c.key, c.version, skip, len(got.frames), len(as.frames))
			}
		}
	}
}

// tail begins a capture later.
func tail(played tape, skip int) (out tape) {
	for i, o := range played {
		if i >= skip || o.do == 'o' || o.do == 'e' {
			out = append(out, o)
		}
	}
	return out
}
