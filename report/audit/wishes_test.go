package audit

import "testing"

// wished audits what build builds with a configuration, and gives what is found of a rule.
func wished(t *testing.T, cfg Config, rule string, build func(k *talk)) (found []Finding) {
	k := newTalk(t, cfg)
	build(k)
	k.end()
	for _, f := range k.found {
		if f.Rule.ID == rule {
			found = append(found, f)
		}
	}
	return found
}

// controls is a controller that speaks to a broker of 4.x.
func controls(k *talk) {
	k.conn().request(6, 5, fields{})
	k.conn().offers(map[int16][2]int16{0: {0, 12}}).request(6, 5, fields{})
}

// outdated uses Fetch 3 before and after it is known that the broker is a 4.x.
func outdated(k *talk) {
	k.conn().request(1, 3, fields{})
	k.conn().offers(map[int16][2]int16{0: {0, 12}, 1: {4, 17}}).request(1, 3, fields{})
}

// TestSeverityHidesNothingWorse: of a rule whose findings differ in severity, those at or above --severity stay.
func TestSeverityHidesNothingWorse(t *testing.T) {
	for rule, build := range map[string]func(k *talk){"KS9002": controls, "KS9001": outdated} {
		if found := wished(t, Config{Least: Error}, rule, build); len(found) != 1 || found[0].Severity != Error {
			t.Errorf("%s: %v", rule, messages(found))
		}
	}
	iterations := func(k *talk) {
		k.conn().handshake(1, "SCRAM-SHA-256").token("n,,n=eve,r=1", "r=12,s=c2FsdA==,i=1000", 0)
	}
	if found := wished(t, Config{Least: Warning}, "KS8003", iterations); len(found) != 1 {
		t.Errorf("KS8003: %v", messages(found))
	}
}

// TestIgnoredTopicHidesNoOther: a rule that speaks once speaks about the next topic where the first is ignored.
func TestIgnoredTopicHidesNoOther(t *testing.T) {
	ignore := Config{IgnoreTopic: func(topic string) bool { return topic == "t" }}
	both := func(k *talk) {
		at := k.now.UnixMilli()
		k.conn().request(0, 2, produce("t", old(1, 0, at, nil))).request(0, 2, produce("u", old(1, 0, at, nil)))
	}
	if found := wished(t, ignore, "KS9003", both); len(found) != 1 || found[0].Topic != "u" {
		t.Errorf("KS9003: %v", messages(found))
	}
}

// TestIgnoredTopicOfCommits: rules that know a topic by its name only hear of it, too.
func TestIgnoredTopicOfCommits(t *testing.T) {
	back := func(topic string) func(k *talk) {
		return func(k *talk) {
			p := k.conn().joins()
			for _, offset := range []int{10, 3} {
				p.commitsIn(8, fields{"Name": topic}, 0, offset)
			}
		}
	}
	ignore := Config{IgnoreTopic: func(topic string) bool { return topic == "t" }}
	if found := wished(t, ignore, "KS6009", back("t")); len(found) != 0 {
		t.Errorf("ignored: %v", messages(found))
	}
	if found := wished(t, ignore, "KS6009", back("u")); len(found) != 1 {
		t.Errorf("not ignored: %v", messages(found))
	}
}

// TestTheEndIsNoTraffic: a rule that looks again at the end is not judged, or not to be judged, by that.
func TestTheEndIsNoTraffic(t *testing.T) {
	k := newTalk(t, Config{})
	k.lives()
	k.end()
	for _, u := range k.audit.Summary().Unjudged {
		if u.Rule == &ks6010 || u.Rule == &ks6022 {
			t.Errorf("%s: %v", u.Rule.ID, u.Reasons)
		}
	}
	empty := newTalk(t, Config{})
	empty.end()
	if s := empty.audit.Summary(); s.Judged != 0 || s.Idle != s.Rules {
		t.Errorf("%d judged, %d of %d have no traffic", s.Judged, s.Idle, s.Rules)
	}
}
