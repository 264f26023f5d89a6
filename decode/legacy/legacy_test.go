package legacy

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ksniff/decode"
	"ksniff/decode/records"
)

// vector is a line of legacy.jsonl: a frame of 0.7 with its fields, most made by 0.7.2's own classes and broker.
type vector struct {
	Name      string         `json:"name"`
	Kind      string         `json:"kind"`
	Type      *string        `json:"type"`
	Hex       string         `json:"hex"`
	Fields    map[string]any `json:"fields"`
	Expect    string         `json:"expect"`
	Tolerated bool           `json:"tolerated"`
	frame     []byte
	kind      decode.Kind
}

func vectorsOf(t testing.TB, path string) []vector {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skip("the vectors lie outside of the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var v vector
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		v.frame, _ = hex.DecodeString(v.Hex)
		if v.Kind == "response" {
			v.kind = decode.Response
		}
		all = append(all, v)
	}
	return all
}

func samples(t testing.TB) []vector { return vectorsOf(t, "testdata/samples.jsonl") }

func shared(t testing.TB) []vector {
	root := os.Getenv("KSNIFF_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	return vectorsOf(t, filepath.Join(root, "vectors/legacy.jsonl"))
}

// read decodes a framed vector as a user of the package does.
func read(v vector, payload bool) (text []byte, f decode.Fault, faulty bool) {
	body, f, ok := Body(v.frame)
	if !ok {
		return []byte("{}"), f, true
	}
	var typ int16
	if v.Type != nil {
		typ, _ = Type(*v.Type)
	} else if typ, f, ok = FindType(v.kind, body); !ok {
		return []byte("{}"), f, true
	}
	j := JSON{Payload: payload}
	return j.Append(nil, v.kind, typ, body, len(body))
}

// without drops what is said in words beside the fields.
func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			if strings.HasSuffix(name, "_why") {
				delete(v, name)
			} else {
				v[name] = without(field)
			}
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return v
}

func testVectors(t *testing.T, all []vector) {
	for _, v := range all {
		text, f, faulty := read(v, true)
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var got map[string]any
		if err := d.Decode(&got); err != nil {
			t.Errorf("%s: no JSON: %v\n%s", v.Name, err, text)
			continue
		}
		code := ""
		if faulty {
			code = f.Code.String()
		}
		want, _, _ := strings.Cut(v.Expect, " ")
		if want == "ok" {
			want = ""
		}
		// A broker cuts its answers at maxSize: that is said, but it is no fault.
		if want == "truncated" && v.Tolerated && v.kind == decode.Response && code == "" {
			want = ""
		}
		if code != want {
			t.Errorf("%s: fault %q, want %q", v.Name, code, v.Expect)
		}
		if v.Fields != nil && !reflect.DeepEqual(any(got), without(v.Fields)) {
			t.Errorf("%s:\ngot  %s\nwant %v", v.Name, text, v.Fields)
		}
		if hidden, _, _ := read(v, false); bytes.Contains(hidden, []byte("_hex")) {
			t.Errorf("%s shows payload: %s", v.Name, hidden)
		}
	}
}

func TestSamples(t *testing.T) { testVectors(t, samples(t)) }
func TestVectors(t *testing.T) { testVectors(t, shared(t)) }

// Each request is found to be one, however it comes in; so is each answer, as far as bytes can tell.
func TestFindType(t *testing.T) {
	for _, v := range samples(t) {
		body, _, ok := Body(v.frame)
		if !ok || v.Type == nil || v.Expect != "" && !strings.HasPrefix(v.Expect, "ok") {
			continue
		}
		typ, _, ok := FindType(v.kind, body)
		if v.kind == decode.Response && len(body) == 2 {
			continue // two bytes of error: an empty FETCH or MULTIFETCH answer
		}
		if !ok || Name(typ) != *v.Type {
			t.Errorf("%s: found %s", v.Name, Name(typ))
		}
	}
}

// views runs a View over a body in pieces and tells its parts as text.
func views(t *testing.T, v vector, typ int16, body []byte, piece int) string {
	var view View
	view.Begin(v.kind, typ, len(body))
	var out []string
	show := piece
	for at, calls := 0, 0; ; calls++ {
		if calls > 4*len(body)+10 {
			t.Fatalf("%s: no progress", v.Name)
		}
		advance, need, state := view.Next(body[min(at, len(body)):min(len(body), at+show)])
		at += advance
		switch state {
		case More:
			if need > len(body)-at {
				t.Fatalf("%s: wants %d bytes of %d", v.Name, need, len(body)-at)
			}
			show = max(need, piece)
		case Entry:
			p := view.Part
			if p.SetSize >= 0 && p.Set != at {
				t.Fatalf("%s: set at %d, position %d", v.Name, p.Set, at)
			}
			at += max(p.SetSize, 0)
			out = append(out, fmt.Sprintf("%s %d %d %d %d %d %d", p.Topic, p.Partition, p.Offset, p.Max, p.Error, p.Set, p.SetSize))
		case Done:
			return fmt.Sprint(out, view.ErrorCode, view.Count, view.Unused, view.Fault, view.Faulty)
		}
	}
}

func TestViewInPieces(t *testing.T) {
	for _, v := range samples(t) {
		body, _, ok := Body(v.frame)
		if !ok || v.Type == nil {
			continue
		}
		typ, _ := Type(*v.Type)
		whole := views(t, v, typ, body, len(body))
		for _, piece := range []int{1, 7} {
			if got := views(t, v, typ, body, piece); got != whole {
				t.Errorf("%s in pieces of %d: %s\nwhole: %s", v.Name, piece, got, whole)
			}
		}
	}
}

func TestPlausible(t *testing.T) {
	for _, v := range samples(t) {
		body, _, ok := Body(v.frame)
		if !ok || v.kind == decode.Response {
			continue
		}
		proven, need := Plausible(body, len(body))
		if need > 0 {
			t.Errorf("%s: needs %d of %d", v.Name, need, len(body))
		}
		if proven && (v.Expect == "trailing_bytes" || v.Fields == nil) {
			t.Errorf("%s is no proof", v.Name)
		}
		for n := 0; n < len(body) && proven; n++ {
			ok, need := Plausible(body[:n], len(body))
			if !ok && (need <= n || need > len(body)) {
				t.Errorf("%s: %d bytes shown, asks for %d", v.Name, n, need)
			}
			if ok, _ := Plausible(body[:n], n); ok && *v.Type != "PRODUCE" {
				t.Errorf("%s cut at %d still is a request", v.Name, n)
			}
		}
	}
	for _, c := range []struct {
		hex  string
		want bool
	}{
		{"0001000174000000000000000000000000" + "00100000", true},           // FETCH of t, 0, 0, 1 MiB
		{"0000000174" + "00000000" + "0000000f", false},                     // a set that is not there
		{"000300000000000100096b736e6966660000" + "00000000", false},        // modern Metadata v0 of client ksniff
		{"00000000000000010003613132" + "ffff00000001" + "00000000", false}, // modern Produce v0
		{"00120003000000010004746573740000", false},                         // modern ApiVersions
		{"00020000", false}, // MULTIFETCH of nothing proves nothing
	} {
		body, _ := hex.DecodeString(c.hex)
		if ok, need := Plausible(body, len(body)); ok != c.want || need != 0 {
			t.Errorf("%s: %v, needs %d", c.hex, ok, need)
		}
	}
}

func TestEveryTruncation(t *testing.T) {
	for _, v := range samples(t) {
		body, _, ok := Body(v.frame)
		if !ok || v.Type == nil {
			continue
		}
		typ, _ := Type(*v.Type)
		for n := range body {
			j := JSON{Payload: true}
			if text, _, _ := j.Append(nil, v.kind, typ, body[:n], n); !json.Valid(text) {
				t.Errorf("%s cut at %d: %s", v.Name, n, text)
			}
			text, f, faulty := j.Append(nil, v.kind, typ, body[:n], len(body))
			if !json.Valid(text) || !faulty {
				t.Errorf("%s, capture cut at %d: %v %s", v.Name, n, f, text)
			}
		}
	}
}

func TestViewAllocatesNothing(t *testing.T) {
	for _, v := range samples(t) {
		body, _, ok := Body(v.frame)
		if !ok || v.Type == nil {
			continue
		}
		typ, _ := Type(*v.Type)
		var view View
		if n := testing.AllocsPerRun(5, func() {
			view.Begin(v.kind, typ, len(body))
			for at, state := 0, More; state != Done; {
				var advance int
				advance, _, state = view.Next(body[at:])
				at += advance + max(view.Part.SetSize, 0)
				view.Part.SetSize = 0
			}
			Plausible(body, len(body))
		}); n != 0 {
			t.Errorf("%s: %v allocations", v.Name, n)
		}
	}
}

func FuzzLegacy(f *testing.F) {
	for _, v := range samples(f) {
		if body, _, ok := Body(v.frame); ok {
			f.Add(body, v.kind == decode.Response)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, response bool) {
		kind := decode.Request
		if response {
			kind = decode.Response
		}
		Plausible(body, len(body))
		typ, _, ok := FindType(kind, body)
		if !ok {
			return
		}
		j := JSON{Payload: true}
		if text, _, _ := j.Append(nil, kind, typ, body, len(body)); !json.Valid(text) {
			t.Errorf("no JSON: %s", text)
		}
	})
}

// leaves counts the messages in a vector's list that are no wrappers.
func leaves(list any) (n int64) {
	for _, m := range list.([]any) {
		m := m.(map[string]any)
		if nested, ok := m["nested"]; ok {
			n += leaves(nested)
		} else if m["codec"] == "none" {
			n++
		}
	}
	return n
}

// The scanner that sessions use counts what 0.7.2's classes find in a set.
func TestScannerCounts(t *testing.T) {
	checked := 0
	for _, v := range samples(t) {
		body, _, ok := Body(v.frame)
		list, there := v.Fields["messages"]
		if !ok || !there || v.Type == nil {
			continue
		}
		typ, _ := Type(*v.Type)
		var view View
		view.Begin(v.kind, typ, len(body))
		at, _, state := view.Next(body)
		if state != Entry {
			t.Errorf("%s: %v", v.Name, view.Fault)
			continue
		}
		for _, deep := range []bool{false, true} {
			var s records.Scanner
			s.Begin(view.Part.SetSize, records.Options{Legacy: true, Deep: deep, Exact: v.kind == decode.Request})
			s.Next(body[at:])
			checked++
			if got := s.Summary; got.Messages != leaves(list) || got.Faulty && !got.Fault.Tolerated && v.Expect == "" {
				t.Errorf("%s, deep %v: %+v, want %d messages", v.Name, deep, got, leaves(list))
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d sets", checked)
	}
}
