package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ksniffWith runs the program with a standard input and gives what it printed.
func ksniffWith(t *testing.T, in string, args ...string) (out string, code int) {
	t.Helper()
	var o, e strings.Builder
	code = run(args, strings.NewReader(in), &o, &e)
	if code != 0 && e.Len() == 0 {
		t.Errorf("%v ends with %d and says nothing", args, code)
	}
	return o.String(), code
}

// The frames were put together by hand from the protocol's definition.
func TestDecodeJSON(t *testing.T) {
	const metadata = `{"topics":[{"name":"a"}]}`
	const header = `{"requestApiKey":3,"requestApiVersion":1,"correlationId":7,"clientId":"c"}`
	const rest = `"batches":[],"records":[],"trailing_partial_bytes":0,"trailing_bytes":0,"fault":null}`
	want := `{"kind":"request","api":"Metadata","key":3,"version":1,"header":` + header + `,"body":` + metadata + `,` + rest
	for _, line := range []string{
		"000300010000000700016300000001000161",         // without length
		"00000012000300010000000700016300000001000161", // with
		"0x00 0x03 00:01,00 00 00 07 0001 63 0000 0001 0001 61",
		`{"kind":"request","key":3,"version":1,"hex":"0003 0001 0000 0007 0001 63 0000 0001 0001 61"}`,
		`{"kind":"request","hex":"000300010000000700016300000001000161","note":"key and version are in the frame"}`,
	} {
		if out, code := ksniffWith(t, line+"\n", "decode", "-o", "json", "-"); code != 0 || out != want+"\n" {
			t.Errorf("%s:\n%s\nwant\n%s", line, out, want)
		}
	}
}

func TestDecodeFaults(t *testing.T) {
	for _, c := range []struct{ line, code, class, path string }{
		{"00030001000000070001630000000100016100", "trailing_bytes", "broken", "MetadataRequest"},
		{"0003000100000007000163000000010005", "truncated", "broken", "MetadataRequest.Topics[0].Name"},
		{"00000064000300010000000700016300000001", "truncated", "incomplete", "MetadataRequest.Topics[0].Name"}, // the length says 100
		{"03e70001000000070001", "truncated", "broken", "RequestHeader.ClientId"},
		{"03e7000100000007ffff", "unknown_key", "unknown", "RequestHeader.RequestApiKey"},
		{"0003006300000007ffff", "unknown_version", "unknown", "RequestHeader.RequestApiVersion"},
		{"hello", "bad_input", "unknown", ""},
		{"", "bad_input", "unknown", ""},
		{"123", "bad_input", "unknown", ""},
		{`{"kind":"response","hex":"00"}`, "bad_input", "unknown", ""},
		{`{"kind":"nonsense","hex":"00"}`, "bad_input", "unknown", ""},
		{`{"kind":"request","key":"x"}`, "bad_input", "unknown", ""},
		{`{"kind":"request","key":99999,"version":0,"hex":""}`, "bad_input", "unknown", ""},
		{`{"kind":"request","type":null,"hex":"00000000"}`, "bad_frame_size", "broken", ""},
		{`{"kind":"records","hex":"0000000000000000000000020000"}`, "bad_length", "broken", ""},
		{`[1,2]`, "bad_input", "unknown", ""},
	} {
		out, code := ksniffWith(t, c.line+"\n", "decode", "-o", "json")
		exit := exitDone
		if c.code == "bad_input" && c.line != "" {
			exit = exitIO
		}
		if code != exit || strings.Count(out, "\n") != 1 {
			t.Fatalf("%s: exit %d, %s", c.line, code, out)
		}
		var answer struct {
			Fault struct{ Code, Class, Path, Message string }
		}
		if err := json.Unmarshal([]byte(out), &answer); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if f := answer.Fault; f.Code != c.code || f.Class != c.class || f.Path != c.path || f.Message == "" {
			t.Errorf("%s: fault %+v, want %s, %s in %q", c.line, f, c.code, c.class, c.path)
		}
	}
}

// TestDecodePlain shows the tree with offsets, and hides no secret: the user already has the frame.
func TestDecodePlain(t *testing.T) {
	out, code := ksniffWith(t, "0003000100000007000163000000010005\n", "decode")
	for _, want := range []string{
		"line 1: Metadata request v1, 17 B\n",
		"      11       6  MetadataRequest\n",
		"      15       2        name: not whole\n",
		"truncated (broken) at byte 17 (0x11) in MetadataRequest.Topics[0].Name: 5 bytes needed, 0 left in the frame\n",
	} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, out)
		}
	}
	if !strings.Contains(out, "\nhex alone is read as a request; a response needs JSON") {
		t.Errorf("no hint in\n%s", out)
	}
	// SaslAuthenticate 0: auth bytes "hunter2".
	out, _ = ksniffWith(t, "0024000000000001ffff00000007 68756e74657232\n", "decode")
	if !strings.Contains(out, "aHVudGVyMg==") {
		t.Errorf("no token in\n%s", out)
	}
}

func TestDecodeFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(file, []byte("00\n\n0003"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := ksniffWith(t, "", "decode", "-o", "json", file, file); code != exitIO || strings.Count(out, "\n") != 6 {
		t.Errorf("exit %d, want 6 answers:\n%s", code, out)
	}
	if _, code := ksniffWith(t, "", "decode", file+".missing"); code != exitIO {
		t.Errorf("a missing file ends with %d", code)
	}
	if _, code := ksniffWith(t, "", "decode", "-o", "xml"); code != exitUsage {
		t.Errorf("an unknown format ends with %d", code)
	}
}
