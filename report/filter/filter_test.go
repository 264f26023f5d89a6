package filter

import (
	"net/netip"
	"strings"
	"testing"
	"time"
)

// record is a Subject made by hand: the values of a frame by field.
type record struct {
	values map[Field][]Value
	body   map[string][]Value // by path from the top, lower case
	asked  int                // how often the body was asked for
}

func (r *record) Any(f Field, test func(Value) bool) bool {
	for _, v := range r.values[f] {
		if test(v) {
			return true
		}
	}
	return false
}

func (r *record) AnyAt(_ Field, path []string, test func(Value) bool) bool {
	r.asked++
	for name, values := range r.body {
		if !endsWith(strings.Split(name, "."), path) {
			continue
		}
		for _, v := range values {
			if test(v) {
				return true
			}
		}
	}
	return false
}

func ints(ii ...int64) (vv []Value) {
	for _, i := range ii {
		vv = append(vv, Value{Int: i})
	}
	return vv
}

func texts(ss ...string) (vv []Value) {
	for _, s := range ss {
		vv = append(vv, Value{Kind: Text, Text: s})
	}
	return vv
}

func addresses(ss ...string) (vv []Value) {
	for _, s := range ss {
		a := netip.MustParseAddrPort(s)
		vv = append(vv, Value{Addr: a.Addr().As16(), Int: int64(a.Port())})
	}
	return vv
}

var noon = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

// sample is an answer to a Produce: partition 1 of orders failed.
func sample() *record {
	return &record{values: map[Field][]Value{
		API: {{Kind: Text, Text: "Produce", Int: 0}}, Key: ints(0), Version: ints(9), KindOf: texts("response"),
		IsRequest: ints(0), IsResponse: ints(1), GenerationOf: texts("modern"), Client: texts("billing-1"),
		Topic: texts("orders", "orders.eu"), Partition: ints(0, 1), ErrorCode: {{Kind: Text, Int: 6, Text: "NOT_LEADER_OR_FOLLOWER"}},
		Acks: ints(-1), Size: ints(1500), Latency: ints(int64(120 * time.Millisecond)), LatencyMS: {{Kind: Real, Float: 120}},
		Time: ints(noon.UnixNano()), Codec: texts("lz4"), Src: addresses("10.0.0.7:9092"), Dst: addresses("[2001:db8::1]:50000"),
		Host: addresses("10.0.0.7:9092", "[2001:db8::1]:50000"), Port: ints(9092, 50000), Offset: ints(1<<53 + 1),
	}, body: map[string][]Value{
		"responses.name": texts("orders", "orders.eu"), "responses.partitionresponses.errorcode": ints(0, 6),
		"throttletimems": ints(0),
	}}
}

func TestMatch(t *testing.T) {
	for expression, want := range map[string]bool{
		"":                           true,
		"api == Produce":             true,
		"api == produce":             true,
		"api == 0":                   true,
		"api == Fetch":               false,
		"api != Fetch":               true,
		"api != Produce":             false,
		"api in {Fetch, Produce}":    true,
		"api not in {Fetch Produce}": false,
		`api ~ "^Prod"`:              true,
		"key == 0 and version < 10":  true,
		"version<4":                  false,
		"version in {0..3, 9}":       true,
		"version in {10..12}":        false,
		"version in {0,1}":           false,
		"kind == response":           true,
		"response && !request":       true,
		"request":                    false,
		"not response":               false,
		"request == false":           true,
		`topic == "orders"`:          true,
		"topic == orders":            true,
		"topic == Orders":            false,
		"topic != orders":            false, // one of them is
		"topic != other":             true,
		`topic ~ "^orders$"`:         true,
		`topic ~ "\.eu$"`:            true,
		`topic !~ "^orders"`:         false,
		`topic !~ "^bill"`:           true,
		"topic contains eu":          true,
		"topic matches eu":           true,
		"group":                      false,
		`group != "x"`:               false, // it has none
		`!(group == "x")`:            true,
		"error != 0":                 true,
		"error":                      true,
		"error == 0":                 false,
		"error == 6":                 true,
		"error == NOT_LEADER_OR_FOLLOWER && error == not_leader_or_follower": true,
		"acks == -1":                                        true,
		"acks==-1||acks==0":                                 true,
		"size > 1kB":                                        true,
		"size >= 1.5kB and size <= 1500":                    true,
		"size > 1.5KiB":                                     false,
		"size > 1MB":                                        false,
		"size == 0x5dc":                                     true,
		"latency > 100ms":                                   true,
		"latency > 0.12s":                                   false,
		"latency >= 0.12s":                                  true,
		"latency < 1m30s":                                   true,
		"latency_ms > 119.5":                                true,
		`time > "11:59:59"`:                                 true,
		"time >= 12:00:00 and time < 12:00:01":              true,
		"time > 12:00":                                      false,
		"time == 2025-06-01T12:00:00Z":                      true,
		"time == 2025-06-01T14:00:00+02:00":                 true,
		`time < "2025-06-01 12:00:00"`:                      false,
		"time > 2025-05-31":                                 true,
		"time == 1748779200":                                true,
		"codec == LZ4":                                      true,
		"codec in {gzip, zstd}":                             false,
		"src == 10.0.0.7":                                   true,
		"src == 10.0.0.7:9092":                              true,
		"src == 10.0.0.7:9093":                              false,
		"src == 10.0.0.0/8 and dst != 10.0.0.0/8":           true,
		"host == 2001:db8::1":                               true,
		"host == [2001:db8::1]:50000":                       true,
		"port == 50000":                                     true,
		"port != 9092":                                      false,
		"offset == 9007199254740993":                        true,
		"offset == 9007199254740992":                        false,
		`body.responses.name == "orders"`:                   true,
		"body.name == orders":                               true,
		"BODY.Responses.Name == orders":                     true,
		"body.errorCode != 0":                               false,
		"body.errorCode == 6":                               true,
		"body.partitionResponses.errorCode in {5..7}":       true,
		"body.throttleTimeMs == 0":                          true,
		"body.groupId":                                      false,
		"request or response and request":                   false, // and binds more tightly
		"(request or response) and request":                 false,
		"response or request and request":                   true,
		"not request and response":                          true,
		"!(request or topic == other)":                      true,
		`api == Produce && topic ~ "^orders" && error != 0`: true,
		`'api' == Produce`:                                  false, // is an error, see below
		"api eq Produce AND version ge 9 And version le 9 && version gt 8 && size ne 3": true,
	} {
		f, err := Compile(expression)
		if strings.HasPrefix(expression, "'") {
			if err == nil {
				t.Errorf("%s: no error", expression)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got := f.Match(sample()); got != want {
			t.Errorf("%s: %v", expression, got)
		}
	}
}

func TestErrorsPointAtTheColumn(t *testing.T) {
	for expression, want := range map[string]struct {
		column int
		part   string
	}{
		`tpoic == "a"`:                         {1, "did you mean topic?"},
		"version < 4 && cleint == x":           {16, "did you mean client?"},
		"api == Produse":                       {8, "did you mean Produce?"},
		"error == NOT_LEADER_OR_FOLOWER":       {10, "did you mean NOT_LEADER_OR_FOLLOWER?"},
		"api = Produce":                        {5, "=="},
		"api == Produce & request":             {16, "&&"},
		"latency > 100":                        {11, "which unit?"},
		"size > 1MX":                           {8, "1MB"},
		"size > MB":                            {8, "1MB"},
		"version < four":                       {11, "a number"},
		"version ~ 4":                          {11, "no text"},
		`topic ~ "("`:                          {9, "missing closing )"},
		`topic == "a`:                          {10, "closing \""},
		"topic":                                {},
		"topic a":                              {7, "an operator"},
		"topic ==":                             {9, "a value expected"},
		"(topic == a":                          {12, ")"},
		"topic == a)":                          {11, "not )"},
		"topic == a and":                       {15, "field"},
		"topic in a":                           {10, "{"},
		"topic in {}":                          {10, "empty"},
		"topic in {a":                          {12, "}"},
		"kind == respons":                      {9, "did you mean response?"},
		"time > 25:00":                         {8, "not a time"},
		"src == 10.0.0":                        {8, "not an address"},
		"api < Fetch":                          {7, "order"},
		"kind in {request..response}":          {10, "ranges"},
		"fault == trunctated":                  {10, "did you mean truncated?"},
		"inferred == maybe":                    {13, "true or false"},
		"topic not a":                          {11, "in expected"},
		"topic == é and body.topics.nmae == 1": {28, "did you mean name?"},
		"body.topics.groupId == 1":             {1, "within each other"},
		"100ms < latency":                      {1, "100ms"},
		"request and produce":                  {13, "did you mean api == produce?"},
		"NOT_COORDINATOR":                      {1, "did you mean error == NOT_COORDINATOR?"},
		strings.Repeat("!", 200) + "request":   {101, "deep"},
	} {
		_, err := Compile(expression)
		if want.column == 0 {
			if err != nil {
				t.Errorf("%s: %v", expression, err)
			}
			continue
		}
		e, ok := err.(*Error)
		if !ok {
			t.Errorf("%s: no error", expression)
			continue
		}
		if e.Column() != want.column || !strings.Contains(e.Message, want.part) {
			t.Errorf("%s: column %d: %s; want %d … %s", expression, e.Column(), e.Message, want.column, want.part)
		}
	}
}

func TestErrorShowsTheExpressionWithACaret(t *testing.T) {
	_, err := Compile("request && tpoic == a")
	want := "filter, column 12: no field is called tpoic; did you mean topic?\n" +
		"  request && tpoic == a\n" +
		"             ^~~~~"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// The body is decoded only where what every frame has does not decide.
func TestCheapTestsComeFirst(t *testing.T) {
	f, err := Compile("body.name == orders and api == Fetch")
	if err != nil {
		t.Fatal(err)
	}
	s := sample()
	if f.Match(s) || s.asked != 0 {
		t.Errorf("the body was asked for %d times", s.asked)
	}
	for expression, want := range map[string]bool{"api == Fetch and latency > 1s": false, "request or body.name == x": true, "error": true} {
		if f, _ := Compile(expression); f.NeedsBody() != want {
			t.Errorf("%s: NeedsBody %v", expression, !want)
		}
	}
}

// A time of day is one of the capture's first day, so it does not come again after midnight.
func TestTimeOfDayIsOfTheFirstDay(t *testing.T) {
	f, err := Compile("request and time >= 23:00")
	if err != nil {
		t.Fatal(err)
	}
	s := sample()
	for hour, want := range map[int]bool{10: false, 11: true, 13: true} { // after noon: 22, 23 and 1 the next day
		f.midnight = NoTime
		s.values[IsRequest] = ints(0)
		f.Match(s)
		s.values[IsRequest], s.values[Time] = ints(1), ints(noon.Add(time.Duration(hour)*time.Hour).UnixNano())
		if got := f.Match(s); got != want {
			t.Errorf("%d hours after noon: %v", hour, got)
		}
		s.values[Time] = ints(noon.UnixNano())
	}
}

func TestMatchAllocatesNothing(t *testing.T) {
	f, err := Compile(`api == Produce && topic ~ "^orders" && error != 0 && size > 1kB && src == 10.0.0.0/8 && partition in {1..3, 7}`)
	if err != nil {
		t.Fatal(err)
	}
	s := sample()
	if n := testing.AllocsPerRun(100, func() {
		if !f.Match(s) {
			t.Fatal("no match")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzFilter(f *testing.F) {
	for _, s := range []string{
		`api == Produce && topic ~ "^orders" && error != 0`, "latency > 100ms", `time > "12:00:01" or size > 1MiB`,
		"partition in {0,1..5} and not (acks == 0)", `body.topics.name == "a"`, "src == 10.0.0.0/8", "!(inferred)", `topic contains 'a\'b'`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := Compile(s)
		if err == nil {
			c.Match(sample())
			if _, err := Compile("(" + s + "\n) and (request or response)"); err != nil && strings.TrimSpace(s) != "" && !strings.Contains(err.Error(), "deep") {
				t.Fatalf("%q compiles, but not in parentheses: %v", s, err)
			}
			return
		}
		e := err.(*Error)
		if e.From < 0 || e.From > e.To || e.To > len(s) || e.Message == "" || e.Error() == "" {
			t.Fatalf("%q: %+v", s, e)
		}
	})
}
