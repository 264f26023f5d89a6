package notation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ksniff/decode/schema"
)

// files calls f with each notation file of the repository.
func files(t *testing.T, f func(t *testing.T, path string, text []byte)) {
	n := 0
	for _, dir := range []string{"api", "header", "inner"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			n++
			f(t, path, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 160 {
		t.Fatalf("only %d files", n)
	}
}

func TestEveryFileIsInCanonicalForm(t *testing.T) {
	files(t, func(t *testing.T, path string, text []byte) {
		f, err := Parse(path, text)
		if err != nil {
			t.Error(err)
			return
		}
		if got := string(Format(f)); got != string(text) {
			t.Errorf("%s: format it; want\n%s", path, got)
		}
	})
}

// The tables hold all that a file says: written back from them, only comments are missing.
func TestTablesWriteTheFiles(t *testing.T) {
	apis, inner := map[string]*schema.API{}, map[string]*schema.Record{}
	for _, a := range schema.APIs {
		apis[a.Name] = a
	}
	for i := range schema.InnerRecords {
		inner[schema.InnerRecords[i].Name] = &schema.InnerRecords[i]
	}
	headers := map[string]*schema.Message{"RequestHeader": schema.RequestHeaders, "ResponseHeader": schema.ResponseHeaders}
	seen := 0
	files(t, func(t *testing.T, path string, text []byte) {
		f, err := Parse(path, text)
		if err != nil {
			t.Error(err)
			return
		}
		f.Notes = nil
		want := string(Format(f))
		fromTables := &File{}
		switch {
		case f.API != nil:
			fromTables.API = apis[f.API.Name]
		case f.Record != nil:
			fromTables.Record = inner[f.Record.Name]
		default:
			fromTables.Header = headers[f.Header.Name]
		}
		if got := string(Format(fromTables)); got != want {
			t.Errorf("%s: run go generate; the tables say\n%s", path, got)
		}
		seen++
	})
	if want := len(apis) + len(inner) + len(headers); seen != want {
		t.Errorf("%d files, %d tables", seen, want)
	}
}

const example = `# above the head

# and more
api Example 99  # beside it
listeners broker controller
versions 0-4
flexible 3+
removed 0
unstable 4
request-header-0 0
response-header-0 3+

# what came when
history
    0   0.9       KIP-1 first
    2   -         KIP-2 KIP-3
    4   4.4

request
    # of the topic
    Topic   string?   1+  null 2-3  = ""  topicName  key  # comment
    Id      uuid
    Cursor  Cursor?
    Items   []Item?   2+  tag 7 3+  = empty
        Port   uint16   = 9092
        Where  Cursor
    Old     string    0  inflexible
    Old     int64     1+  = -1

struct Cursor
    Name  string?  = null
    Rest  []Leaf
        Value  float64  = 0.5
        Size   int32    = 0x7fffffff

response
    ErrorCode  int16

early-response 0
    Records  records?
`

func TestParseReadsAllForms(t *testing.T) {
	text := strings.Replace(example, "string?   1+  null 2-3", "string    1+  null 2-3", 1)
	f, err := Parse("example", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a := f.API
	if a.Key != 99 || a.Name != "Example" || a.Removed != (schema.Versions{Min: 0, Max: 0}) || a.Unstable != 4 || len(a.Listeners) != 2 ||
		a.Header0 != (schema.Versions{}) || a.ResponseHeader0.Min != 3 || a.Versions() != (schema.Versions{Min: 0, Max: 4}) {
		t.Errorf("%+v", a)
	}
	history := []schema.Change{{Version: 0, Release: "0.9", KIP: "1", Note: "first"}, {Version: 2, KIP: "2 3"}, {Version: 4, Release: "4.4"}}
	if !reflect.DeepEqual(a.History, history) {
		t.Errorf("%+v", a.History)
	}
	forever, leaf := schema.Versions{Min: 0, Max: schema.Forever}, func(name string, t schema.Type, def string) schema.Field {
		return schema.Field{Name: name, JSON: strings.ToLower(name[:1]) + name[1:], Type: t, Versions: schema.Versions{Min: 0, Max: schema.Forever},
			Nullable: schema.None, Tagged: schema.None, Flexible: schema.Versions{Min: 0, Max: schema.Forever}, Default: def}
	}
	from1 := schema.Versions{Min: 1, Max: schema.Forever}
	name := leaf("Name", schema.String, "null")
	name.Nullable = forever
	rest := leaf("Rest", schema.Struct, "")
	rest.Array, rest.Struct, rest.Fields = true, "Leaf", []schema.Field{leaf("Value", schema.Float64, "0.5"), leaf("Size", schema.Int32, "0x7fffffff")}
	topic, cursor, items, where, oldText, old := leaf("Topic", schema.String, ""), leaf("Cursor", schema.Struct, ""), leaf("Items", schema.Struct, ""),
		leaf("Where", schema.Struct, ""), leaf("Old", schema.String, ""), leaf("Old", schema.Int64, "-1")
	topic.Versions, topic.Nullable, topic.Entity, topic.MapKey = from1, schema.Versions{Min: 2, Max: 3}, "topicName", true
	cursor.Nullable, cursor.Struct, cursor.Fields = forever, "Cursor", []schema.Field{name, rest}
	where.Struct, where.Fields = "Cursor", cursor.Fields
	port := leaf("Port", schema.Uint16, "9092")
	items.Array, items.Struct, items.Fields, items.EmptyDefault, items.Tag = true, "Item", []schema.Field{port, where}, true, 7
	items.Versions = schema.Versions{Min: 2, Max: schema.Forever}
	items.Nullable, items.Tagged = items.Versions, schema.Versions{Min: 3, Max: schema.Forever}
	port.Versions, where.Versions = items.Versions, items.Versions
	items.Fields = []schema.Field{port, where}
	oldText.Versions, oldText.Flexible, old.Versions = schema.Versions{}, schema.None, from1
	want := []schema.Field{topic, leaf("Id", schema.UUID, ""), cursor, items, oldText, old}
	if !reflect.DeepEqual(a.Request.Fields, want) {
		t.Errorf("fields\n%+v, want\n%+v", a.Request.Fields, want)
	}
	if e := a.Response.Early; e == nil || e.Valid != (schema.Versions{}) || e.Fields[0].Type != schema.Records {
		t.Errorf("early form %+v", e)
	}
}

func TestFormatKeepsCommentsAndIsStable(t *testing.T) {
	text := strings.Replace(example, "string?   1+  null 2-3", "string    1+  null 2-3", 1)
	f, err := Parse("example", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	once := Format(f)
	for _, comment := range []string{"# above the head", "# and more", "# beside it", "# what came when", "# of the topic", "# comment"} {
		if strings.Count(string(once), comment) != 1 {
			t.Errorf("%q is not there once:\n%s", comment, once)
		}
	}
	again, err := Parse("example", once)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, again) {
		t.Errorf("read back differs:\n%s", once)
	}
	if twice := Format(again); string(once) != string(twice) {
		t.Errorf("%s\nthen\n%s", once, twice)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	const head = "api A 1\nversions 0-3\n"
	const tail = "\nresponse\n    E  int16\n"
	for _, c := range []struct {
		name, text string
		line, col  int
		message    string
	}{
		{"empty", "", 1, 1, "empty file"},
		{"only comments", "# nothing\n\n", 1, 1, "empty file"},
		{"unknown head", "\nmessage A 1\n", 2, 1, `"message"`},
		{"indented head", "  api A 1\n", 1, 3, "not indented"},
		{"no key", "api A\n", 1, 6, "missing key"},
		{"key no number", "api A x\n", 1, 7, `"x" is no key`},
		{"key too large", "api A 32768\n", 1, 7, "no key"},
		{"word too much", "api A 1 2\n", 1, 9, `unexpected "2"`},
		{"tab", "api A 1\nversions\t0\n", 2, 9, "a tab"},
		{"no versions", "api A 1\nrequest\n", 2, 1, `"versions 0-4"`},
		{"versions backwards", "api A 1\nversions 3-1\n", 2, 10, `"3-1" is no range`},
		{"versions twice", head + "versions 0\n", 3, 1, "comes twice"},
		{"version too large", "api A 1\nversions 0-40000\n", 2, 10, "no range"},
		{"no response", head + "request\n    F  int8\n", 4, 1, `needs "request" and "response"`},
		{"response first", head + "early-response 0\n    F  int8\n", 3, 1, "unexpected"},
		{"request twice", head + "request\n    F  int8\nrequest\n", 5, 1, "unexpected"},
		{"no type", head + "request\n    F\n", 4, 6, "missing type"},
		{"bad type", head + "request\n    F  int9\n", 4, 8, `"int9" is no type`},
		{"bad name", head + "request\n    F-1  int8\n", 4, 5, "no name of a field"},
		{"struct is missing", head + "request\n    F  []Gone\n" + tail, 4, 8, `no "struct Gone"`},
		{"struct in itself", head + "request\n    F  Loop\n\nstruct Loop\n    G  Loop\n" + tail, 7, 8, "holds itself"},
		{"struct twice", head + "request\n    F  S\n\nstruct S\n    G  int8\n\nstruct S\n    G  int8\n", 9, 8, "comes twice"},
		{"struct without fields", head + "request\n    F  S\n\nstruct S\n" + tail, 6, 8, "no fields"},
		{"nested in no struct", head + "request\n    F  int8\n        G  int8\n", 5, 9, "F is no struct"},
		{"wrong indentation", head + "request\n   F  int8\n", 4, 4, "unexpected"},
		{"deeper indentation", head + "request\n      F  int8\n", 4, 7, "indent by 4 spaces, not 6"},
		{"field twice", head + "request\n    F  int8  0-2\n    F  int16  2+\n", 5, 5, "F comes twice in version 2"},
		{"bad field versions", head + "request\n    F  int8  1..2\n", 4, 14, "no range"},
		{"unknown word", head + "request\n    F  int8  1+  optional\n", 4, 18, `unexpected "optional"`},
		{"tag without number", head + "request\n    F  int8  1+  tag x\n", 4, 22, `"x" is no number of a tag`},
		{"tag missing", head + "request\n    F  int8  1+  tag\n", 4, 21, "missing number"},
		{"default of another type", head + "request\n    F  int8  = abc\n", 4, 16, `"abc" is no default for int8`},
		{"default null", head + "request\n    F  string  = null\n", 4, 18, "never null"},
		{"default of an array", head + "request\n    F  []int8  = 3\n", 4, 18, "no default"},
		{"string not closed", head + "request\n    F  string  = \"abc\n", 4, 18, "closing quote"},
		{"history not ascending", head + "history\n    1  1.0\n    0  0.9\n", 5, 5, "comes after"},
		{"history without release", head + "history\n    1\n", 4, 6, "missing release"},
		{"record without family", "record A 1\n", 1, 11, `missing "in FAMILY"`},
		{"record without framing", "record A 1 in f\nvalue AValue 0\n", 1, 1, "framing"},
		{"unknown framing", "record A 1 in f\nframing none\n", 2, 9, "framing is"},
		{"key after value", "record A 1 in f\nframing bare\nvalue V 0\n    F  int8\nkey K 0\n", 5, 1, "unexpected"},
		{"header without fields", "header H\nversions 0\n", 2, 1, `"fields" expected`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Parse("file", []byte(c.text))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%+v, %v", f, err)
			}
			if e.Line != c.line || e.Col != c.col || !strings.Contains(e.Message, c.message) {
				t.Errorf("%v, want %d:%d with %q", e, c.line, c.col, c.message)
			}
		})
	}
}

func TestErrorTablesSayWhere(t *testing.T) {
	for _, c := range []struct {
		text      string
		line, col int
		message   string
	}{
		{"0 NONE final nothing", 1, 1, "comes first"},
		{"errors modern\n0 NONE final nothing", 2, 1, "code 0 where -1 follows"},
		{"errors modern\n-1 X maybe nothing", 2, 6, `"maybe"`},
		{"errors modern\n\n-1 X retry", 3, 11, "missing advice"},
		{"errors modern\nx X retry it", 2, 1, "no error code"},
	} {
		_, err := ParseErrors("file", []byte(c.text))
		var e *Error
		if !errors.As(err, &e) || e.Line != c.line || e.Col != c.col || !strings.Contains(e.Message, c.message) {
			t.Errorf("%q: %v, want %d:%d with %q", c.text, err, c.line, c.col, c.message)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("record A 1 in f\nframing bare\nkey K 0\n    F  S\n\nstruct S\n    G  S\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse("file", text)
		if err != nil {
			return
		}
		again, err := Parse("file", Format(file))
		if err != nil {
			t.Fatalf("%v in\n%s", err, Format(file))
		}
		if string(Format(again)) != string(Format(file)) {
			t.Fatalf("not stable:\n%s", Format(file))
		}
	})
}

// TestStructInItself: a struct written where it is used, and one that stands apart, hold each other. Their fields were
// shared while they were filled in, which ended the program: it called itself without end.
func TestStructInItself(t *testing.T) {
	for _, text := range []string{
		"api A 0\nversions 0\nrequest\n    B  S\n        C  T\n\nstruct T\n    D  S\n\nresponse\n    E  int8\n",
		"api A 0\nversions 0\nrequest\n    B  S\n        C  S\n\nresponse\n    E  int8\n",
		"api A 0\nversions 0\nrequest\n    B  S\n\nstruct S\n    C  T\n    D  T\n\nstruct T\n    E  S\n    F  S\n\nresponse\n    G  int8\n",
	} {
		if _, err := Parse("file", []byte(text)); err == nil || !strings.Contains(err.Error(), "holds itself") {
			t.Errorf("%v for\n%s", err, text)
		}
	}
}

// TestStructsTooDeep: each holds two of the next, twice as many fields with each step.
func TestStructsTooDeep(t *testing.T) {
	text := "api A 0\nversions 0\nrequest\n    B  S0\n"
	for i := range 40 {
		text += fmt.Sprintf("\nstruct S%d\n    C  S%d\n    D  S%d\n", i, i+1, i+1)
	}
	text += "\nstruct S40\n    E  int8\n\nresponse\n    F  int8\n"
	if _, err := Parse("file", []byte(text)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Error(err)
	}
}
