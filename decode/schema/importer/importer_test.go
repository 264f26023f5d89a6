package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ksniff/decode/schema/notation"
)

func releases(t *testing.T, dirs ...string) (out []release) {
	for _, dir := range dirs {
		r, err := readRelease(dir)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func text(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const talk = `api Talk 7
listeners broker controller
versions 0-3
flexible 2+
removed 0
unstable 3

request
    Old    int8     0
    Words  []Word   null 1+
        Text  string   topicName  key
        Loud  bool     1+
        Hint  string?  2+  tag 0  = null
    From   Place?   3+  = null
    To     Place    3+

struct Place
    Port  uint16  3+  = 9092

response
    ErrorCode  int16

early-response 2
    ErrorCode  int16
    Gone       int32
`

// Two releases of a protocol that was made up for this test; what comes out was written by hand.
func TestTwoReleasesBecomeOneFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := update(dir, releases(t, "testdata/1.0", "testdata/2.0")); err != nil {
		t.Fatal(err)
	}
	if got := text(t, dir+"/api/Talk.txt"); normal(got) != normal(talk) {
		t.Errorf("got\n%s\nwant\n%s", got, talk)
	}
	const member = `record TalkMember 3 in consumer-offsets
framing type

key TalkMemberKey 0
    group  string  groupId

value TalkMemberValue 0-1 flexible 1+
    Extra  Extra?  1+  tag 4  = empty
        Weight  float64
`
	if got := text(t, dir+"/inner/consumer-offsets/TalkMember.txt"); got != member {
		t.Errorf("got\n%s\nwant\n%s", got, member)
	}
}

// normal leaves out how much space stands between words.
func normal(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(out, "\n")
}

func TestTheNextReleaseKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	if _, err := update(dir, releases(t, "testdata/1.0", "testdata/2.0")); err != nil {
		t.Fatal(err)
	}
	path := dir + "/api/Talk.txt"
	mine := text(t, path)
	mine = strings.Replace(mine, "\nrequest\n", "request-header-0 0\n\nhistory\n    0  0.9  KIP-5 by hand\n\n# of the request\nrequest\n", 1)
	mine = strings.Replace(mine, "topicName  key\n", "topicName  key  # the words\n", 1)
	if err := os.WriteFile(path, []byte(mine), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := update(dir, releases(t, "testdata/3.0")); err != nil {
		t.Fatal(err)
	}
	got := text(t, path)
	for _, want := range []string{"versions 0-4\n", "removed 0-2\n", "listeners broker\n", "request-header-0 0\n", "KIP-5 by hand\n", "# of the request\nrequest\n",
		"# the words\n", "Old    int8    0\n", "uuid     4+\n", "early-response 2\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "unstable") || strings.Contains(got, "early-request") {
		t.Errorf("too much in\n%s", got)
	}
	if changed, err := update(dir, releases(t, "testdata/3.0")); err != nil || len(changed) > 0 {
		t.Errorf("a second time changes %v, %v", changed, err)
	}
}

func TestFaultsAreNamed(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`{"apiKey": 1, "type": "request"`, "A.json"},
		{`{"apiKey": 1, "type": "request", "name": "ARequest", "validVersions": "x", "fields": []}`, `"x" is no range`},
		{`{"apiKey": 1, "type": "request", "name": "ARequest", "validVersions": "0", "fields": [{"name": "F", "type": "Gone", "versions": "0+"}]}`, "no struct Gone"},
		{`{"apiKey": 1, "type": "request", "name": "ARequest", "validVersions": "0", "fields": [{"name": "F", "type": "int8", "versions": "0+"}]}`, "response is missing"},
		{`{"apiKey": 1, "type": "request", "name": "ARequest", "validVersions": "none"}`, "no version in any release"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/A.json", []byte(c.json), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := readRelease(dir)
		if err == nil {
			_, err = update(t.TempDir(), []release{r})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.json, err, c.want)
		}
	}
}

// With Apache's files the notation is as it should be: importing them again changes nothing.
func TestApachesFilesChangeNothing(t *testing.T) {
	shared := os.Getenv("KSNIFF_SHARED")
	if shared == "" {
		shared = "../../../../shared"
	}
	from := releases(t, existing(t, shared+"/kafka-messages/3.9"), existing(t, shared+"/kafka-messages/4.4"))
	dir := t.TempDir()
	for _, sub := range []string{"api", "header", "inner"} {
		if err := os.CopyFS(filepath.Join(dir, sub), os.DirFS("../"+sub)); err != nil {
			t.Fatal(err)
		}
	}
	changed, err := update(dir, from)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changed {
		t.Errorf("%s changes", c)
	}
	// From nothing: the same but for what was added by hand.
	scratch := t.TempDir()
	if changed, err = update(scratch, from); err != nil || len(changed) < 160 {
		t.Fatalf("%d files, %v", len(changed), err)
	}
	for _, path := range changed {
		rel, _ := filepath.Rel(scratch, path)
		ours, err := notation.Parse(rel, []byte(text(t, "../"+rel)))
		if err != nil {
			t.Error(err)
			continue
		}
		theirs, err := notation.Parse(rel, []byte(text(t, path)))
		if err != nil {
			t.Error(err)
			continue
		}
		ours.Notes, theirs.Notes = nil, nil
		if a, b := ours.API, theirs.API; a != nil {
			if a.Versions() != b.Versions() {
				t.Logf("%s: has versions that the definitions lack", rel)
				continue
			}
			b.History, b.Header0, b.ResponseHeader0 = a.History, a.Header0, a.ResponseHeader0
			b.Request.Early, b.Response.Early = a.Request.Early, a.Response.Early
		}
		if got, want := string(notation.Format(theirs)), string(notation.Format(ours)); got != want {
			t.Errorf("%s from nothing:\n%s", rel, got)
		}
	}
}

func existing(t *testing.T, dir string) string {
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no message files of Apache's: ", err)
	}
	return dir
}
