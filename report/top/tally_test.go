package top

import (
	"fmt"
	"sync"
	"testing"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report/filter"
)

const start = 1_700_000_000 // second of the first frame: 22:13:20 UTC

// move is a Produce (api 0) or Fetch (api 1) exchange about one partition.
type move struct {
	second    int64
	api       int16
	topic     string
	partition int32
	client    string
	messages  int64
	bytes     int64
	millis    int64
	errorCode int16
}

// exchange makes the request at the beginning of the second, and its response so many milliseconds later.
func exchange(clients map[string]*session.Client, m move) (request, response *session.Frame) {
	client := clients[m.client]
	if client == nil {
		client = &session.Client{ID: m.client}
		client.Addr[10], client.Addr[11], client.Addr[12], client.Addr[15] = 0xff, 0xff, 10, byte(len(clients)+1)
		clients[m.client] = client
	}
	topic := &session.Topic{Name: m.topic}
	at := (start+m.second)*1e9 + 1
	q := &session.Request{Key: m.api, Version: 9, Generation: session.Modern, Client: client, Acks: -1, MaxWait: -1, MinBytes: -1, Replica: -1,
		Topics: []*session.Topic{topic}, Time: at}
	sets := session.Records{Bytes: m.bytes, Batches: 1, Messages: m.messages, Uncompressed: -1}
	frame := func(kind decode.Kind, at int64, sets session.Records, code int16) *session.Frame {
		return &session.Frame{
			Frame:      reassembly.Frame{Conn: &reassembly.Conn{}, Length: 96, Last: reassembly.Moment{Time: at}},
			Generation: session.Modern, Kind: kind, API: schema.Lookup(m.api), Key: m.api, Version: 9, HasHeader: true, Client: client, Request: q,
			Parts:    []session.Part{{Topic: topic, Partition: m.partition, Error: code, Offset: -1, HighWatermark: -1, Sets: sets}},
			Throttle: -1,
		}
	}
	asked, answered := sets, session.Records{}
	if m.api == 1 {
		asked, answered = answered, asked
	}
	return frame(decode.Request, at, asked, 0), frame(decode.Response, at+m.millis*1e6, answered, m.errorCode)
}

func send(t *Tally, clients map[string]*session.Client, m move) {
	request, response := exchange(clients, m)
	t.Frame(request)
	t.Frame(response)
}

// busy is a minute of traffic: orders grows, clicks is steady, payments has errors.
func busy() *Tally {
	t := New(1 << 20)
	clients := map[string]*session.Client{}
	for s := range int64(30) {
		send(t, clients, move{s, 0, "orders", int32(s % 3), "shop", 10 + s, 1000 * (s + 1), 3, 0})
		send(t, clients, move{s, 0, "clicks", 0, "web", 200, 40_000, 1, 0})
		send(t, clients, move{s, 1, "clicks", 0, "dashboard-of-the-sales-department", 200, 40_000, 12, 0})
		if s%2 == 0 {
			send(t, clients, move{s, 0, "payments", 0, "shop", 1, 100, 250, 6})
		}
	}
	t.Tell(Status{Source: "eth0", Live: true, Packets: 12345, Completeness: .987, Gap: 4096, Dropped: 7})
	return t
}

func row(t *testing.T, s Snapshot, name string) Row {
	t.Helper()
	for _, r := range s.Rows {
		if r.Name == name {
			return r
		}
	}
	t.Errorf("table %d has no row %q", s.Query.Table, name)
	return Row{}
}

// The last five whole seconds are 24 to 28: second 29 is still open.
func TestRatesAndTotals(t *testing.T) {
	s := busy().Snapshot(Query{Table: Topics})
	if len(s.Rows) != 3 || s.Seconds != 5 || s.Elapsed != 29 || s.Now != start+29 {
		t.Fatalf("%d rows, window %d, elapsed %d, now %d", len(s.Rows), s.Seconds, s.Elapsed, s.Now)
	}
	orders := row(t, s, "orders")
	if want := int64(25+26+27+28+29) * 1000; orders.Recent.BytesIn != want || orders.Recent.Requests != 5 || orders.Recent.MessagesIn != 10*5+24+25+26+27+28 {
		t.Errorf("orders: %+v, want %d bytes", orders.Recent, want)
	}
	if want := int64(30*31/2) * 1000; orders.Total.BytesIn != want || orders.Total.Requests != 30 || orders.Total.Answers != 30 || orders.Total.Latency != 30*3e6 {
		t.Errorf("orders: %+v, want %d bytes", orders.Total, want)
	}
	if len(orders.Trend) != 29 || orders.Trend[0] != 1000 || orders.Trend[28] != 29_000 {
		t.Errorf("trend of orders: %v", orders.Trend)
	}
	clicks := row(t, s, "clicks")
	if clicks.Recent.BytesIn != 200_000 || clicks.Recent.BytesOut != 200_000 || clicks.Recent.Requests != 10 || clicks.Recent.Slowest != 12e6 {
		t.Errorf("clicks: %+v", clicks.Recent)
	}
	if payments := row(t, s, "payments"); payments.Recent.Errors != 3 || payments.Total.Errors != 15 {
		t.Errorf("payments: %+v", payments)
	}
	if s.All.BytesIn != orders.Recent.BytesIn+200_000+300 || s.All.BytesOut != 200_000 {
		t.Errorf("all: %+v", s.All)
	}
}

func TestTables(t *testing.T) {
	tally := busy()
	const shop = "shop 10.0.0.1"
	for _, c := range []struct {
		query Query
		row   string
		want  Counts
	}{
		{Query{Table: Partitions}, "orders 2", Counts{Requests: 10, MessagesIn: 10*10 + 2 + 5 + 8 + 11 + 14 + 17 + 20 + 23 + 26 + 29, BytesIn: 165_000, Answers: 10, Latency: 30e6, Slowest: 3e6}},
		{Query{Table: Clients}, shop, Counts{Requests: 45, Errors: 15, MessagesIn: 300 + 435 + 15, BytesIn: 465_000 + 1500, Answers: 45, Latency: 90e6 + 15*250e6, Slowest: 250e6}},
		{Query{Table: APIs}, "Produce", Counts{Requests: 75, Errors: 15, BytesIn: 7500, BytesOut: 7500, Answers: 75, Latency: 90e6 + 30e6 + 15*250e6, Slowest: 250e6}},
		{Query{Table: APIs}, "Fetch", Counts{Requests: 30, BytesIn: 3000, BytesOut: 3000, Answers: 30, Latency: 360e6, Slowest: 12e6}},
		{Query{Table: Errors}, "NOT_LEADER_OR_FOLLOWER", Counts{Errors: 15}},
		{Query{Clients, InTopic, "payments"}, shop, Counts{Requests: 15, Errors: 15, MessagesIn: 15, BytesIn: 1500, Answers: 15, Latency: 15 * 250e6, Slowest: 250e6}},
		{Query{Partitions, InTopic, "payments"}, "payments 0", Counts{Requests: 15, Errors: 15, MessagesIn: 15, BytesIn: 1500, Answers: 15, Latency: 15 * 250e6, Slowest: 250e6}},
		{Query{Errors, InTopic, "payments"}, "NOT_LEADER_OR_FOLLOWER", Counts{Errors: 15}},
		{Query{Topics, InClient, shop}, "payments", Counts{Requests: 15, Errors: 15, MessagesIn: 15, BytesIn: 1500, Answers: 15, Latency: 15 * 250e6, Slowest: 250e6}},
		{Query{Errors, InClient, shop}, "NOT_LEADER_OR_FOLLOWER", Counts{Errors: 15}},
	} {
		if got := row(t, tally.Snapshot(c.query), c.row).Total; got != c.want {
			t.Errorf("%v %s:\n got %+v\nwant %+v", c.query, c.row, got, c.want)
		}
	}
	if s := tally.Snapshot(Query{Clients, InTopic, "orders"}); len(s.Rows) != 1 {
		t.Errorf("clients of orders: %d rows, want 1", len(s.Rows))
	}
}

// What is silent leaves the window, and the trend moves to the left.
func TestSilence(t *testing.T) {
	tally := busy()
	tally.Advance((start + 40) * 1e9)
	r := row(t, tally.Snapshot(Query{}), "clicks")
	if r.Recent != (Counts{}) || r.Total.BytesIn != 30*40_000 || len(r.Trend) != 40 || r.Trend[29] != 80_000 || r.Trend[30] != 0 {
		t.Errorf("%+v", r)
	}
	tally.Advance((start + 4000) * 1e9)
	for _, v := range row(t, tally.Snapshot(Query{}), "clicks").Trend {
		if v != 0 {
			t.Fatal("the trend of an hour ago is shown")
		}
	}
	tally.Advance(-5) // clocks go back
	if s := tally.Snapshot(Query{}); s.Now != start+4000 {
		t.Errorf("now is %d", s.Now)
	}
}

// However many topics there are, memory is bounded, and the view says that rows are missing.
func TestBound(t *testing.T) {
	tally := New(200 * cellCost)
	clients := map[string]*session.Client{}
	for i := range 1000 {
		send(tally, clients, move{0, 0, fmt.Sprint("t", i), 0, "c", 1, 1, 1, 0})
	}
	if s := tally.Snapshot(Query{}); !s.Full || len(tally.cells) > 200 {
		t.Errorf("%d cells, full %v", len(tally.cells), s.Full)
	}
	send(tally, clients, move{2 * Trend, 0, "late", 0, "c", 1, 1, 1, 0})
	row(t, tally.Snapshot(Query{}), "late") // the silent ones made room
}

func TestFilterAndPause(t *testing.T) {
	tally := busy()
	tally.Pause(true)
	clients := map[string]*session.Client{}
	send(tally, clients, move{31, 0, "orders", 0, "shop", 1, 1, 1, 0})
	if got := row(t, tally.Snapshot(Query{}), "orders").Total.Requests; got != 30 {
		t.Errorf("paused: %d requests, want 30", got)
	}
	tally.Pause(false)
	if got := row(t, tally.Snapshot(Query{}), "orders").Total.Requests; got != 31 {
		t.Errorf("no longer paused: %d requests, want 31", got)
	}
	only, err := filter.Compile("topic == clicks")
	if err != nil {
		t.Fatal(err)
	}
	if tally.Filter(only) {
		t.Error("a source that cannot be read twice says that it is")
	}
	for s := range int64(3) {
		send(tally, clients, move{40 + s, 0, "orders", 0, "shop", 1, 1, 1, 0})
		send(tally, clients, move{40 + s, 0, "clicks", 0, "shop", 1, 1, 1, 0})
	}
	if s := tally.Snapshot(Query{}); len(s.Rows) != 1 || s.Rows[0].Name != "clicks" || s.Rows[0].Total.Requests != 3 {
		t.Errorf("filtered: %+v", s.Rows)
	}
}

// The view looks while the capture counts (go test -race looks for conflicts).
func TestLookWhileCounting(t *testing.T) {
	tally := New(1 << 20)
	done := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
				tally.Snapshot(Query{Table: Table(i % int(tables))})
				tally.Pause(i%3 == 0)
			}
		}
	})
	clients := map[string]*session.Client{}
	for i := range int64(3000) {
		send(tally, clients, move{i / 100, int16(i % 2), fmt.Sprint("t", i%7), 0, "c", 1, 10, 1, 0})
	}
	close(done)
	looking.Wait()
	tally.Pause(false)
	if got := row(t, tally.Snapshot(Query{Table: Clients}), "c 10.0.0.1").Total; got.Requests != 3000 || got.BytesIn+got.BytesOut != 30_000 {
		t.Errorf("%+v", got)
	}
}

// A topic goes by its id until its name is known; then what was counted is under the name.
func TestLateName(t *testing.T) {
	tally := New(1 << 20)
	clients := map[string]*session.Client{}
	topic := &session.Topic{ID: [16]byte{15: 1}}
	const text = "AAAAAAAAAAAAAAAAAAAAAQ" // Kafka's text of that id
	named := func(second int64) {
		request, response := exchange(clients, move{second, 0, "", 4, "c", 2, 100, 1, 6})
		request.Request.Topics[0], request.Parts[0].Topic, response.Parts[0].Topic = topic, topic, topic
		tally.Frame(request)
		tally.Frame(response)
	}
	named(0)
	row(t, tally.Snapshot(Query{}), text)
	topic.Name = "late"
	named(0) // in the same second there are two rows
	named(1)
	for _, q := range []Query{{}, {Table: Topics, Within: InClient, Of: "c 10.0.0.1"}} {
		s := tally.Snapshot(q)
		if r := row(t, s, "late"); len(s.Rows) != 1 || r.Total.Requests != 3 || r.Total.BytesIn != 300 || r.Trend[0] != 200 {
			t.Errorf("%+v: %+v", q, s.Rows)
		}
	}
	for _, q := range []Query{{Table: Partitions}, {Partitions, InTopic, "late"}} {
		if r := row(t, tally.Snapshot(q), "late 4"); r.Total.MessagesIn != 6 || r.Topic != "late" {
			t.Errorf("%+v: %+v", q, r)
		}
	}
	if r := row(t, tally.Snapshot(Query{Clients, InTopic, "late"}), "c 10.0.0.1"); r.Total.Errors != 3 {
		t.Errorf("%+v", r)
	}
}

func TestNoAllocationPerFrame(t *testing.T) {
	tally := New(1 << 20)
	request, response := exchange(map[string]*session.Client{}, move{0, 0, "t", 3, "c", 1, 10, 1, 6})
	frames := func() { tally.Frame(request); tally.Frame(response) }
	frames()
	if n := testing.AllocsPerRun(100, frames); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkExchange(b *testing.B) {
	tally := New(1 << 20)
	request, response := exchange(map[string]*session.Client{}, move{0, 0, "topic-name", 3, "client", 1, 10, 1, 0})
	for b.Loop() {
		tally.Frame(request)
		tally.Frame(response)
	}
}
