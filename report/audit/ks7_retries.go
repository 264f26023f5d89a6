package audit

import (
	"hash/maphash"
	"slices"

	"ksniff/decode/schema"
)

var ks7003 = Rule{ID: "KS7003", Title: "retries without a pause", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "retry.backoff.ms, 100 ms by default; KIP-580",
	Explain: "The same request goes out again less than 20 ms after an error that may pass, three times and more. It loads a broker that already has a problem. Wait, and wait longer each time.",
	Example: "a Heartbeat 1 ms after each COORDINATOR_LOAD_IN_PROGRESS",
	Needs:   Both}

var ks7006 = Rule{ID: "KS7006", Title: "retries after an error that is final", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "Errors: exceptions that are not a RetriableException",
	Explain: "The same request was sent five times and more although the answer was an error that does not pass by itself: too large, not authorised, not valid, not supported.",
	Example: "the same CreateTopics, answered TOPIC_AUTHORIZATION_FAILED each time",
	Needs:   Both}

// finalErrors do not pass by themselves.
var finalErrors = []int16{10, 17, 18, 29, 30, 31, 32, 35, 42, 43, 44, 53, 87}

// refusal is the latest answer with an error to a kind of request on a connection.
type refusal struct {
	key    int16
	code   int16
	what   uint64 // the request, without its header
	at     int64  // when it was answered
	packet uint64
	hasty  int  // retries without a pause, in a row
	again  int  // times that it was sent after a final error
	open   bool // the request that is on its way is the same
}

// refusals are those of the latest kinds of requests.
type refusals struct {
	list [4]refusal
	next int
}

func (r *refusals) of(key int16) *refusal {
	for i := range r.list {
		if r.list[i].key == key && r.list[i].packet != 0 {
			return &r.list[i]
		}
	}
	return nil
}

var refusalsSlot = newConnSlot[refusals]()

// lookRetries compares a request with the one that was refused.
func lookRetries(c *Ctx) {
	all := refusalsSlot.seen(c.Conn)
	if all == nil || c.kept == nil {
		return
	}
	r := all.of(c.Key)
	if r == nil {
		return
	}
	r.open = r.what == c.print()
	if !r.open {
		return
	}
	switch pause := float64(moment(c)-r.at) / 1e6; {
	case slices.Contains(finalErrors, r.code):
		r.again++
		if r.again == 5 {
			c.Find(&ks7006).Byte(0, "Request").Say("the same request, %d times, after %s", r.again, errorName(r.code)).
				With("answer", errorName(r.code)).With("times", r.again)
		}
	case pause < shortest(r.code) && !unknownTime(c.Now()):
		r.hasty++
		if r.hasty >= 3 {
			c.Find(&ks7003).Byte(0, "Request").Say("%.1f ms after %s, %d times in a row", pause, errorName(r.code), r.hasty).
				With("answer", errorName(r.code)).With("pause_ms", pause).With("times", r.hasty)
		}
	default:
		r.hasty = 0
	}
}

// shortest is how many ms a client is to wait at least before it asks again. Transactions that end go on after 20 ms
// (AddPartitionsToTxnHandler), by clocks that count milliseconds.
func shortest(code int16) float64 {
	if code == 51 {
		return 15
	}
	return 20
}

// noteRefusals takes the answers with errors.
func noteRefusals(c *Ctx) {
	code := anyError(c)
	all := refusalsSlot.seen(c.Conn)
	if code == 0 {
		if all != nil {
			if r := all.of(c.Key); r != nil && r.what == c.print() {
				*r = refusal{}
			}
		}
		return
	}
	e := schema.LookupError(code)
	final := slices.Contains(finalErrors, code)
	if e == nil || !e.Retriable && !final || c.kept == nil {
		return
	}
	if all == nil {
		all = refusalsSlot.of(c.Conn)
	}
	r, what := all.of(c.Key), c.print()
	switch {
	case r == nil:
		r = &all.list[all.next]
		all.next = (all.next + 1) % len(all.list)
		*r = refusal{key: c.Key}
	case r.what != what || r.code != code:
		*r = refusal{key: c.Key}
	}
	r.code, r.what, r.at, r.packet = code, what, moment(c), c.Last.Packet
}

// print is what tells a request from others: a hash of its body, but see kept.print.
func (c *Ctx) print() uint64 {
	k := c.kept
	switch {
	case k == nil:
		return 0
	case k.frame.Length == 0 || k.print != 0:
		return k.print
	}
	var h maphash.Hash
	h.SetSeed(printSeed)
	skip := 8 // key, version, correlation id
	for _, run := range k.frame.Runs {
		b := run.Bytes
		n := min(skip, len(b))
		h.Write(b[n:])
		skip -= n
	}
	return h.Sum64()
}
