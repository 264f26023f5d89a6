package mask

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"ksniff/capture"
	"ksniff/decode"
	"ksniff/decode/legacy"
	"ksniff/decode/records"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// hidden collects what no masked capture may show: keys, values, header values, secrets.
type hidden struct {
	found  [][]byte
	blank  int // compressed batches that cannot be opened
	frames int
}

func (h *hidden) add(b []byte) {
	if len(b) > 0 {
		h.found = append(h.found, bytes.Clone(b))
	}
}

func (h *hidden) Unanswered(*reassembly.Conn, *session.Request, session.Why) {}

func (h *hidden) Frame(f *session.Frame) {
	h.frames++
	switch {
	case f.Token:
		h.add(f.Runs[0].Bytes)
	case f.Generation == session.Legacy && f.Missing == 0:
		h.legacyFrame(f)
	case f.Tree != nil && f.Missing == 0:
		for i := range f.Tree.Nodes {
			r := f.Tree.At(int32(i))
			if set, ok := r.Records().Bytes(); ok {
				h.set(set)
			} else if decode.Secret(r) {
				h.add(r.Bytes())
			}
		}
	}
}

func (h *hidden) set(set []byte) {
	var r records.Reader
	r.Reset(set, len(set), records.Options{Deep: true})
	defer r.Close()
	for r.NextBatch() {
		before := len(h.found)
		for r.NextRecord() {
			if r.Batch.Control() {
				continue
			}
			h.add(r.Record.Key)
			h.add(r.Record.Value)
			for _, value := range r.Record.AllHeaders() {
				h.add(value)
			}
		}
		if f, bad := r.Fault(); bad && f.Code != decode.CRCMismatch && r.Batch.Codec != records.None && len(h.found) == before {
			h.blank++
		}
	}
}

func (h *hidden) legacyFrame(f *session.Frame) {
	b := f.Runs[0].Bytes
	var v legacy.View
	v.Begin(f.Kind, f.Key, len(b))
	for at := 0; ; {
		n, _, state := v.Next(b[at:])
		at += n
		if state != legacy.Entry {
			return
		}
		if v.Part.SetSize > 0 {
			h.legacySet(b[at : at+v.Part.SetSize])
			at += v.Part.SetSize
		}
	}
}

func (h *hidden) legacySet(set []byte) {
	for len(set) >= 4 {
		n := int(binary.BigEndian.Uint32(set))
		if n < 6 || n > len(set)-4 {
			return
		}
		m := set[4 : 4+n]
		payload := m[5+int(m[0]&1):]
		if m[0] == 1 && m[1]&3 != 0 {
			if plain, code := records.Inflate(nil, payload, records.Codec(m[1]&3), 1, 1<<20); code == 0 {
				h.legacySet(plain)
			} else {
				h.blank++
			}
		} else {
			h.add(payload)
		}
		set = set[4+n:]
	}
}

// follow runs packets through reassembly and session to a sink. take, if any, sees each first.
func follow(t *testing.T, source capture.Source, cfg session.Config, sink session.Sink, m *Masker) {
	t.Helper()
	cfg.Whole = true
	s := session.New(cfg, sink)
	streams := s.Streams()
	if m != nil {
		streams = m.Streams(streams)
	}
	a := reassembly.New(streams, reassembly.Config{})
	var parser capture.Parser
	var packet capture.Packet
	var segment capture.Segment
	for {
		err := source.Next(&packet)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		tcp := parser.Parse(&packet, &segment)
		if m != nil {
			m.Take(&packet, &segment, tcp)
		}
		if tcp {
			a.Segment((*reassembly.Segment)(&segment))
		}
	}
	a.Flush()
}

func open(t *testing.T, name string) capture.Source {
	t.Helper()
	r, err := capture.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// masked masks a capture and gives it as pcapng, with what was hidden in the original.
func masked(t *testing.T, source capture.Source, cfg Config) ([]byte, *hidden, Counts) {
	t.Helper()
	var file bytes.Buffer
	w := capture.NewWriter(&file)
	original := &hidden{}
	m := New(cfg, original, func(p *capture.Packet, _ *capture.Segment, _ bool) error { return w.Write(p) })
	follow(t, source, session.Config{Watch: m.Watch(nil)}, m, m)
	if err := errors.Join(m.Flush(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), original, m.Counts
}

// least is the length from which a value is no coincidence when it is found somewhere.
const least = 8

func TestNothingHiddenIsLeft(t *testing.T) {
	names, err := filepath.Glob("../../pcaps/*.pcap")
	if err != nil || len(names) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	values := 0
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file, original, counts := masked(t, open(t, name), Config{})
			r, err := capture.NewReader(bytes.NewReader(file), name)
			if err != nil {
				t.Fatal(err)
			}
			after := &hidden{}
			follow(t, r, session.Config{}, after, nil)
			if after.frames != original.frames || len(after.found) != len(original.found) || after.blank > original.blank+int(counts.Blank) {
				t.Fatalf("%d frames, %d values, %d batches that cannot be opened; the original has %d, %d, %d",
					after.frames, len(after.found), after.blank, original.frames, len(original.found), original.blank)
			}
			for i, b := range after.found {
				if len(b) != len(original.found[i]) || len(bytes.Trim(b, string(rune(fill)))) != 0 {
					t.Fatalf("value %d is %q, of %d bytes; it was %q", i, b, len(b), original.found[i])
				}
			}
			values += len(original.found)
			slices.SortFunc(original.found, bytes.Compare)
			for _, b := range slices.CompactFunc(original.found, bytes.Equal) {
				if len(b) >= least && len(bytes.Trim(b, string(rune(fill)))) > 0 && bytes.Contains(file, b) {
					t.Errorf("%q is in the masked capture", b)
				}
			}
		})
	}
	if values < 10_000 {
		t.Errorf("the captures showed %d values only", values)
	}
}
