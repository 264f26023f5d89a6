package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly/session"
	"ksniff/report/jsonschema"
)

var heartbeatAPI = &schema.API{Key: 12, Name: "Heartbeat"}

// users feeds w: writer produces to a (twice in v9, once in v10) and, once, to a topic whose name is told
// later; reader fetches a and b through a session, and heartbeats.
func users(w *Who) {
	a, b, late := &session.Topic{Name: "a"}, &session.Topic{Name: "b"}, &session.Topic{ID: [16]byte{7}}
	writer := &session.Client{ID: "writer", Software: "lib/1.2", Addr: [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: 1}}
	reader := &session.Client{ID: "reader", Addr: [16]byte{15: 1}}
	for _, version := range []int16{9, 10, 9} {
		w.Frame(frame(decode.Request, produceAPI, version, 0, request(writer, 0, -1, a), part(a, 0, 1, 10, 0)))
	}
	w.Frame(frame(decode.Request, produceAPI, 13, 0, request(writer, 0, -1, late)))
	w.Frame(frame(decode.Request, fetchAPI, 12, 0, request(reader, 0, noAcks, a, b)))
	w.Frame(frame(decode.Response, fetchAPI, 12, 1, request(reader, 0, noAcks, a, b)))
	w.Frame(frame(decode.Request, heartbeatAPI, 4, 0, request(reader, 0, noAcks)))
	late.Name = "told-late"
}

func TestWho(t *testing.T) {
	w := NewWho(0)
	users(w)
	res := w.Result(Capture{})
	if len(res.Clients) != 2 || res.Other != nil {
		t.Fatalf("%+v", res)
	}
	reader, writer := res.Clients[0], res.Clients[1]
	check := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: %s, want %s", what, g, w)
		}
	}
	check("writer", []any{writer.ClientID, writer.Address, writer.Software, writer.Requests}, []any{"writer", "10.0.0.1", "lib/1.2", 4})
	check("reader", []any{reader.ClientID, reader.Address, reader.Software, reader.Requests}, []any{"reader", "::1", "", 2})
	check("topics of writer", []any{writer.Topics[0].Topic, writer.Topics[1].Topic}, []any{"a", "told-late"})
	check("versions of a", writer.Topics[0].APIs[0].Versions, map[string]int64{"9": 2, "10": 1})
	check("requests of a", writer.Topics[0].APIs[0].Requests, 3)
	check("topics of reader", []any{reader.Topics[0].Topic, reader.Topics[1].Topic}, []any{"a", "b"})
	check("without a topic", []any{*reader.APIs[0].API, reader.APIs[0].Versions}, []any{"Heartbeat", map[string]int64{"4": 1}})
	check("nothing without a topic", len(writer.APIs), 0)
}

// Where the memory ends, clients are counted together and it is said.
func TestWhoIsBounded(t *testing.T) {
	w := NewWho(10 * (clientCost + useCost))
	topic := &session.Topic{Name: "a"}
	for i := range 1000 {
		c := &session.Client{ID: fmt.Sprint("client-", i)}
		w.Frame(frame(decode.Request, produceAPI, 9, 0, request(c, 0, 1, topic)))
	}
	res := w.Result(Capture{})
	listed := int64(0)
	for _, c := range res.Clients {
		listed += c.Requests
	}
	if len(res.Clients) == 0 || len(res.Clients) > 20 || res.Other == nil || listed+res.Other.Requests != 1000 {
		t.Fatalf("%d clients with %d requests, other %+v", len(res.Clients), listed, res.Other)
	}
	if n := int64(1000 - len(res.Clients)); res.Other.Clients < n*95/100 || res.Other.Clients > n*105/100 {
		t.Errorf("about %d clients are left out, it was %d", res.Other.Clients, n)
	}
}

func TestWhoJSONSchema(t *testing.T) {
	text, err := os.ReadFile("../docs/schema/who.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema, doc map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	w := NewWho(3 * (clientCost + useCost))
	users(w)
	w.Frame(frame(decode.Request, produceAPI, 9, 0, nil))
	var b bytes.Buffer
	if err := JSON(&b, w.Result(Capture{})); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for _, problem := range jsonschema.Check(schema, doc) {
		t.Error(problem)
	}
}

func TestWhoGolden(t *testing.T) {
	w := NewWho(0)
	users(w)
	evil := &session.Client{ID: "=1+1|\x1b[2J", Software: "<b>"}
	w.Frame(frame(decode.Request, produceAPI, 9, 0, request(evil, 0, 1, &session.Topic{Name: "a|b,\"c\"\n"})))
	res := w.Result(Capture{Sources: []string{"x.pcap"}, Seconds: 2})
	golden(t, "who.txt", func(out io.Writer) error { return Table(out, res, TableStyle{}) })
	golden(t, "who.csv", func(out io.Writer) error { return CSV(out, res) })
	golden(t, "who.md", func(out io.Writer) error { return Markdown(out, res) })
	golden(t, "who.json", func(out io.Writer) error { return JSON(out, res) })
}

func TestWhoAllocatesNothing(t *testing.T) {
	w := NewWho(0)
	f := frame(decode.Request, produceAPI, 9, 0, request(&session.Client{ID: "c"}, 0, 1, &session.Topic{Name: "a"}))
	if n := testing.AllocsPerRun(100, func() { w.Frame(f) }); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// A client without an id and one whose id is empty look alike: their order, and which id a topic has that was
// deleted and made again, came from a map.
func TestClientsThatLookAlikeChangePlaces(t *testing.T) {
	for range 50 {
		w, r := NewWho(0), newReport(t, Config{})
		old, again := &session.Topic{Name: "again", ID: [16]byte{1}}, &session.Topic{Name: "again", ID: [16]byte{2}}
		for _, k := range []*session.Client{{NullID: true}, {}} {
			topics := []*session.Topic{{Name: "a"}}
			if k.NullID {
				topics = []*session.Topic{old, again}
			}
			f := frame(decode.Request, fetchAPI, 12, 0, request(k, 0, noAcks, topics...))
			w.Frame(f)
			r.Frame(f)
		}
		users := w.Result(Capture{}).Clients
		if got := users[0].Topics[0]; got.Topic != "again" || *got.TopicID != uuidText(again.ID) || users[1].Topics[0].Topic != "a" {
			t.Fatalf("who: %+v with %s, want the client without an id first, and the greater id", users, *got.TopicID)
		}
		if clients := r.Result(Ledger{}, Connections{}, Capture{}).Clients; clients[0].Topics[0] != "again" || clients[1].Topics[0] != "a" {
			t.Fatalf("report: %+v, want the client without an id first", clients)
		}
	}
}
