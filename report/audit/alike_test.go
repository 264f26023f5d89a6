package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// unlikeSink hands frames to an audit without saying that they are like those before them.
type unlikeSink struct {
	*Audit
	likes *int
	tell  bool
}

func (u unlikeSink) Frame(f *session.Frame) {
	if f.Like != nil {
		*u.likes++
	}
	if !u.tell {
		f.Like = nil
	}
	u.Audit.Frame(f)
}

// randomTalk plays producers that mostly do the same again, some of it wrong, and gives what was found.
func randomTalk(t *testing.T, seed uint64, tell, large bool) (found []string, likes int) {
	k := newTalk(t, Config{PerGroup: 1000})
	k.large = large
	k.sess = session.New(k.audit.SessionConfig(), unlikeSink{k.audit, &likes, tell})
	k.tcp = reassembly.New(k.sess.Streams(), reassembly.Config{})
	r := rand.New(rand.NewPCG(seed, 1))
	one := func(of ...int) int { return of[r.IntN(len(of))] }
	peers := []*peer{k.conn(), k.conn()}
	version, topic, acks, timeout, transactional := int16(7), "t", -1, 1000, any(nil)
	sequence, epoch, partition, code := 0, 0, 0, 0
	for range 1500 {
		p := peers[r.IntN(2)]
		switch r.IntN(60) {
		case 0:
			version, acks, timeout = int16(one(2, 7, 8, 9, 11)), one(-1, -1, 1, 2), one(0, 1000, 1000)
		case 1:
			topic = []string{"t", "u", "v"}[r.IntN(3)]
		case 2:
			if transactional = nil; r.IntN(2) == 0 {
				transactional = "tx"
			}
		case 3:
			p.client = []string{"app", "other", "no/name"}[r.IntN(3)]
		case 4:
			p.offers(map[int16][2]int16{0: {0, int16(one(8, 11))}, 3: {0, 9}, 18: {0, 3}})
		case 5:
			p.lose(one(0, 1), 10)
		case 6:
			epoch = one(0, 1)
		}
		if r.IntN(8) == 0 { // else an error repeats, and a retry of the same records may follow
			code, partition = one(0, 0, 7, 10, 47, 87), one(0, 0, 1)
		}
		if code == 0 || r.IntN(6) == 0 {
			sequence += one(1, 1, 1, 1, 2, -1)
		}
		if r.IntN(3) == 0 {
			k.wait(time.Duration(one(1, 30, 2000)) * time.Millisecond)
		}
		set := batchOf(func(b *v2) {
			b.first = noon + int64(sequence)*2
			b.most = b.first
			if r.IntN(20) == 0 {
				b.first += int64(one(2, -200)) * 3600_000
				b.most = b.first + int64(one(0, 1))
			}
			if r.IntN(4) > 0 {
				b.pid, b.epoch, b.seq = 4000, epoch, max(sequence, 0)
			}
			b.attributes = one(0, 0, 0, 0, 0, 0, 8, 0x10, 0x20)
		}, rec{key: []byte("k"), value: []byte("v")})
		if version < 3 && r.IntN(2) == 0 {
			set = old(byte(one(0, 1)), 0, noon, []byte("k"))
		}
		req := fields{"TransactionalId": transactional, "Acks": acks, "TimeoutMs": timeout,
			"TopicData": list{fields{"Name": topic, "PartitionData": list{fields{"Index": partition, "Records": set}}}}}
		p.exchange(keyProduce, version, req, fields{"ThrottleTimeMs": one(0, 0, 0, 0, 50),
			"Responses": list{fields{"Name": topic, "PartitionResponses": list{fields{"Index": partition, "ErrorCode": code}}}}})
	}
	k.end()
	for i := range k.found {
		f := &k.found[i]
		found = append(found, fmt.Sprintf("%s %d %s %d %s %s", f.Rule.ID, f.At.Packet, f.Severity, f.Offset, f.Field, f.Message))
	}
	return found, likes
}

// TestAlike holds that in requests and answers that are like the one before the same is found as where each is looked at
// anew.
func TestAlike(t *testing.T) {
	rules := map[string]bool{}
	likes := 0
	for seed := range uint64(12) {
		large := seed%3 == 2
		want, _ := randomTalk(t, seed, false, large)
		got, n := randomTalk(t, seed, true, large)
		likes += n
		if !slices.Equal(got, want) {
			for i := range got {
				if i >= len(want) || got[i] != want[i] {
					t.Fatalf("seed %d: %d findings, want %d; the first that differs: %s", seed, len(got), len(want), got[i])
				}
			}
			t.Fatalf("seed %d: %d findings, want %d", seed, len(got), len(want))
		}
		for _, f := range got {
			rules[f[:6]] = true
		}
	}
	if likes < 5000 {
		t.Errorf("%d frames were like the one before", likes)
	}
	for _, id := range []string{"KS3019", "KS4001", "KS4024", "KS4007", "KS4008", "KS4009", "KS7003", "KS7006", "KS7007", "KS9012"} {
		if !rules[id] {
			t.Errorf("nothing of %s was found", id)
		}
	}
	t.Logf("%d frames like the one before, %d rules broken", likes, len(rules))
}
