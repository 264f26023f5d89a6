package audit

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"ksniff/reassembly/session"
)

// results audits real traffic of which the truth is known: one illegal topic name (packet 26).
func results(t *testing.T) *Results {
	r := &Results{Tool: "test", Sources: []string{"dir/a b.pcap"}}
	k := newTalk(t, Config{})
	k.audit.cfg.Found = r.Add
	k.play(real(t, "admin.pcap"))
	k.end()
	r.Close(k.audit)
	return r
}

// What SARIF 2.1.0's schema demands of the parts that are written (OASIS, section 3).
func TestSARIF(t *testing.T) {
	var out bytes.Buffer
	if err := SARIF(&out, results(t)); err != nil {
		t.Fatal(err)
	}
	var log map[string]any
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log["version"] != "2.1.0" {
		t.Errorf("version %v", log["version"])
	}
	run := log["runs"].([]any)[0].(map[string]any)
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	if driver["name"] == "" {
		t.Error("tool.driver.name is required")
	}
	rules := driver["rules"].([]any)
	ids := map[string]bool{}
	for _, r := range rules {
		r := r.(map[string]any)
		if id := r["id"].(string); ids[id] {
			t.Errorf("rule %s twice", id)
		} else {
			ids[id] = true
		}
		for _, text := range []string{"shortDescription", "fullDescription", "help"} {
			if r[text].(map[string]any)["text"] == "" {
				t.Errorf("%v has no %s.text", r["id"], text)
			}
		}
		level(t, r["defaultConfiguration"].(map[string]any)["level"])
	}
	if len(rules) != len(Rules) {
		t.Errorf("%d rules of %d", len(rules), len(Rules))
	}
	found := run["results"].([]any)
	names := 0
	for _, r := range found {
		r := r.(map[string]any)
		level(t, r["level"])
		index := int(r["ruleIndex"].(float64))
		if rules[index].(map[string]any)["id"] != r["ruleId"] {
			t.Errorf("ruleIndex %d is not %v", index, r["ruleId"])
		}
		if r["message"].(map[string]any)["text"] == "" {
			t.Error("message.text is required")
		}
		uri := r["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)["artifactLocation"].(map[string]any)["uri"]
		if uri != "dir/a%20b.pcap" {
			t.Errorf("uri %v", uri)
		}
		if r["ruleId"] == "KS2021" {
			names++
		}
	}
	if names != 1 {
		t.Errorf("KS2021 %d times", names)
	}
	for _, i := range run["invocations"].([]any) {
		if _, ok := i.(map[string]any)["executionSuccessful"].(bool); !ok {
			t.Error("executionSuccessful is required")
		}
	}
}

func level(t *testing.T, l any) {
	t.Helper()
	if !slices.Contains([]any{"none", "note", "warning", "error"}, l) {
		t.Errorf("level %v", l)
	}
}

// JUnit's report as CI systems read it: the counts are those of the cases, a case has one outcome.
func TestJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := JUnit(&out, results(t), Warning); err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Skipped  int    `xml:"skipped,attr"`
			Cases    []struct {
				Name    string    `xml:"name,attr"`
				Class   string    `xml:"classname,attr"`
				Skipped *struct{} `xml:"skipped"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Type    string `xml:"type,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &suites); err != nil {
		t.Fatal(err)
	}
	tests, failures := 0, 0
	for _, s := range suites.Suites {
		failed, skipped := 0, 0
		for _, c := range s.Cases {
			if c.Name == "" || c.Class == "" {
				t.Error("a case without name or class")
			}
			if c.Failure != nil {
				failed++
				if c.Skipped != nil {
					t.Errorf("%s failed and was skipped", c.Name)
				}
				if !strings.HasPrefix(c.Name, "KS2021") && !strings.HasPrefix(c.Name, "KS8017") {
					t.Errorf("%s failed: %s", c.Name, c.Failure.Message)
				}
			}
			if c.Skipped != nil {
				skipped++
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failed || s.Skipped != skipped {
			t.Errorf("suite %s counts %d/%d/%d, has %d/%d/%d", s.Name, s.Tests, s.Failures, s.Skipped, len(s.Cases), failed, skipped)
		}
		tests, failures = tests+s.Tests, failures+failed
	}
	if suites.Tests != tests || suites.Failures != failures || tests != len(Rules) || failures != 2 {
		t.Errorf("%d tests, %d failures; counted %d, %d", suites.Tests, suites.Failures, tests, failures)
	}
}

func TestHTMLIsEscaped(t *testing.T) {
	r := results(t)
	r.Groups[0].Message = "<script>alert(1)</script>"
	var out bytes.Buffer
	if err := HTML(&out, r); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.Contains(s, "<script>") || !strings.Contains(s, "KS2021") {
		t.Error("a message is not escaped, or KS2021 is missing")
	}
}

// The JSON has the fields of DESIGN section 6, in its order.
func TestJSONFields(t *testing.T) {
	var line []byte
	k := newTalk(t, Config{})
	k.audit.cfg.Found = func(f *Finding) {
		if f.Rule.ID == "KS2021" {
			line, _ = json.Marshal(f)
		}
	}
	k.play(real(t, "admin.pcap"))
	k.end()
	at := 0
	for _, name := range []string{"rule", "severity", "title", "packet", "time", "connection", "who", "client_id", "api", "version", "correlation_id", "offset", "field", "message", "evidence", "once"} {
		i := bytes.Index(line[at:], []byte(`"`+name+`":`))
		if i < 0 {
			t.Fatalf("no %s after byte %d of %s", name, at, line)
		}
		at += i
	}
	if !bytes.Contains(line, []byte(`"who":"client","client_id":"admin-all","api":"CreateTopics","version":7,"correlation_id":6,"offset":21,"field":"CreateTopicsRequest.Topics[0].Name"`)) {
		t.Errorf("%s", line)
	}
}

func TestBaselineAndIgnored(t *testing.T) {
	audit := func(known *Known) (lines []string, ids []string) {
		k := newTalk(t, Config{Ignore: known.Ignore, IgnoreTopic: known.IgnoreTopic})
		k.audit.cfg.Found = func(f *Finding) {
			b, _ := json.Marshal(f)
			lines, ids = append(lines, string(b)), append(ids, f.Rule.ID)
		}
		k.play(real(t, "admin.pcap"))
		k.end()
		return lines, ids
	}
	all, _ := audit(&Known{})
	if len(all) < 2 {
		t.Fatalf("%d findings", len(all))
	}
	known := &Known{}
	if err := known.Read(strings.NewReader(strings.Join(all, "\n"))); err != nil {
		t.Fatal(err)
	}
	if rest, _ := audit(known); len(rest) != 0 {
		t.Errorf("known findings are reported: %v", rest)
	}
	if _, ids := audit(&Known{Clients: []string{"admin-a*"}}); slices.Contains(ids, "KS2021") {
		t.Error("a finding of an ignored client is reported")
	}
	if err := known.Read(strings.NewReader("hello")); err == nil {
		t.Error("a baseline that is none was taken")
	}
}

// The number of findings per rule, client and API is bounded; the count goes on.
func TestFindingsAreCapped(t *testing.T) {
	k := newTalk(t, Config{PerGroup: 3})
	p := k.conn()
	p.exchange(18, 0, fields{}, fields{})
	for range 10 {
		p.exchange(3, 10, fields{"Topics": list{fields{"Name": nil, "TopicId": [16]byte{1}}}}, fields{})
	}
	k.end()
	n := 0
	for _, f := range k.found {
		if f.Rule == &ks2019 {
			n++
		}
	}
	groups, _ := k.audit.Groups()
	i := slices.IndexFunc(groups, func(g *Group) bool { return g.Rule == &ks2019 })
	if n != 3 || groups[i].Count != 10 {
		t.Errorf("%d reported, %d counted", n, groups[i].Count)
	}
}

// A rule that lacks what it needs says nothing, and the summary says why.
func TestUnjudgedRulesSayWhy(t *testing.T) {
	k := newTalk(t, Config{})
	p := k.mid(9, 9092) // the connection's beginning is not there
	p.exchange(3, 1, fields{}, fields{})
	p.request(3, 1, fields{}).request(3, 1, fields{})
	p.waiting[0], p.waiting[1] = p.waiting[1], p.waiting[0]
	p.answer(fields{}).answer(fields{}) // KS2006, were it known what came before
	k.end()
	for _, f := range k.found {
		if f.Rule == &ks2006 {
			t.Error("a finding without proof")
		}
	}
	for _, u := range k.audit.Summary().Unjudged {
		if u.Rule == &ks2006 && u.All && u.Reasons[len(u.Reasons)-1].Why == "too little of the connection was captured before" {
			return
		}
	}
	t.Error("the summary does not say that KS2006 was not judged")
}

// Nothing is allocated for a frame in which nothing is wrong.
func TestNothingIsAllocated(t *testing.T) {
	k := newTalk(t, Config{})
	p := k.conn()
	p.offers(map[int16][2]int16{0: {3, 11}, 18: {0, 3}})
	request := encodeRequest(0, 9, 7, "app", produce("t", batch(0, k.now.UnixMilli(), 3)))
	answer := encodeResponse(0, 9, 7, fields{"Responses": list{fields{"Name": "t", "PartitionResponses": list{fields{"Index": 0}}}}})
	one := func() {
		p.frame(0, request)
		p.frame(1, answer)
	}
	for range 100 {
		one()
	}

	own := testing.AllocsPerRun(200, func() { // what the test's own frames cost
		_ = append([]byte(nil), request...)
		_ = append([]byte(nil), answer...)
	})
	if n := testing.AllocsPerRun(200, one); n > 2*own+1 {
		t.Errorf("%.1f allocations for a request and its answer, %.1f of them are the test's", n, 2*own)
	}
}

func TestReadiness(t *testing.T) {
	k := newTalk(t, Config{Usage: true})
	k.play(real(t, "kafka-0.8.pcap"))
	p := k.conn()
	p.client = "new"
	p.offers(map[int16][2]int16{0: {0, 13}, 1: {4, 17}}).exchange(1, 4, fetch("t"), fields{})
	k.end()
	ready := map[string]Readiness{}
	for _, r := range k.audit.Readiness(ProfileNamed("kafka-4.0")) {
		ready[r.Client.ID] = r
	}
	if ready["new"].Verdict != Ready || !ready["new"].Seen.Whole() || ready["new"].Requests != 2 {
		t.Errorf("new: %+v", ready["new"])
	}
	if r := ready["oc-1"]; r.Verdict != NotReady || len(r.Gone) != 2 || r.Gone[0].What != "Fetch" || r.Gone[0].Oldest != 4 || r.Gone[0].Since != "0.11.0" {
		t.Errorf("oc-1: %+v", r)
	}
	for _, r := range k.audit.Readiness(ProfileNamed("legacy")) {
		if r.Verdict != Ready {
			t.Errorf("%s is not ready for 0.8", r.Client.ID)
		}
	}
	for _, c := range k.audit.Matrix() {
		if c.Client.ID == "new" && c.API == "Fetch" && (c.Offered.Min != 4 || c.CouldUse != 17 || c.Unoffered || c.Used[0] != 4) {
			t.Errorf("matrix: %+v", c)
		}
	}
}

// oldBroker is a client that uses Fetch with a broker of 0.10, which has Fetch 0 to 2 and says so.
func oldBroker(k *talk, asks bool, version int16) {
	p, other := k.conn(), k.conn()
	other.client = "other"
	if asks {
		other = p
	}
	other.offers(map[int16][2]int16{1: {0, 2}, 18: {0, 0}})
	p.exchange(1, version, fetch("t"), fields{})
}

// A verdict says no more than what was seen shows.
func TestGroundsOfAVerdict(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict Verdict
		whole   bool
		build   func(k *talk)
	}{
		{"from the beginning", Ready, true, func(k *talk) { k.conn().exchange(1, 4, fetch("t"), fields{}) }},
		{"from mid-stream", ReadySo, false, func(k *talk) {
			k.mid(9, 9092).exchange(1, 4, fetch("t"), fields{}).exchange(1, 4, fetch("t"), fields{})
		}},
		{"with packets missing", ReadySo, false, func(k *talk) {
			p := k.conn().exchange(1, 4, fetch("t"), fields{})
			p.lose(0, 60)
			p.exchange(1, 4, fetch("t"), fields{}).exchange(1, 4, fetch("t"), fields{})
		}},
		{"one of two connections from mid-stream", NotReady, false, func(k *talk) {
			k.conn().exchange(1, 3, fetch("t"), fields{})
			k.mid(9, 9092).exchange(1, 4, fetch("t"), fields{}).exchange(1, 4, fetch("t"), fields{})
		}},
		{"the newest that an old broker has", NotShown, true, func(k *talk) { oldBroker(k, true, 2) }},
		{"older than what it has", NotReady, true, func(k *talk) { oldBroker(k, true, 1) }},
		{"the newest, by chance", NotReady, true, func(k *talk) { oldBroker(k, false, 2) }},
	} {
		k := newTalk(t, Config{Usage: true})
		c.build(k)
		k.end()
		for _, r := range k.audit.Readiness(ProfileNamed("kafka-4.0")) {
			if r.Client.ID == "app" && (r.Verdict != c.verdict || r.Seen.Whole() != c.whole || !slices.Contains(r.APIs, "Fetch")) {
				t.Errorf("%s: %s, whole %v, %v", c.name, r.Verdict, r.Seen.Whole(), r.APIs)
			}
		}
	}
}

// The true list of what Kafka 4.0 removed: KIP-896's table, as the catalogue has it.
func TestProfilesFollowKIP896(t *testing.T) {
	p, next := ProfileNamed("kafka-4.0"), ProfileNamed("kafka-4.1")
	for _, c := range []struct {
		key, version int16
		gone         bool
	}{{0, 2, true}, {0, 3, false}, {1, 3, true}, {1, 4, false}, {2, 0, true}, {2, 1, false}, {3, 0, false}, {8, 1, true}, {8, 2, false}, {9, 0, true},
		{10, 0, false}, {11, 0, false}, {17, 0, false}, {19, 1, true}, {20, 0, true}, {23, 1, true}, {27, 0, true}, {29, 0, true}, {30, 0, true}, {31, 0, true},
		{32, 0, true}, {34, 0, true}, {35, 0, true}, {38, 0, true}, {41, 0, true}, {42, 0, false}, {56, 1, true}, {56, 2, false}, {4, 7, true}, {7, 3, true}, {78, 0, false}} {
		if got := p.gone(&Use{Client: &session.Client{}, Key: c.key, Version: c.version, Format: -1}); got != c.gone {
			t.Errorf("API %d version %d: gone %v", c.key, c.version, got)
		}
	}
	if !next.gone(&Use{Key: 78, Version: 0, Format: -1}) {
		t.Error("4.1 ended the early access of ShareFetch 0")
	}
}
