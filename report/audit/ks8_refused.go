package audit

import "ksniff/reassembly"

var ks8012 = Rule{ID: "KS8012", Title: "repeated login failures", Severity: Warning, Who: Client, Since: "0.10",
	Source:  "SASL_AUTHENTICATION_FAILED, UNSUPPORTED_SASL_MECHANISM",
	Explain: "Five logins and more from one address failed within five minutes: wrong credentials in a client that tries again and again, or somebody who guesses.",
	Example: "SaslAuthenticate answered 58 five times in a minute"}

// failures are the times of the latest failed logins of an address.
type failures struct {
	at [5]int64
	n  int
}

var failuresSlot = newAuditSlot[bounded[[16]byte, failures]]()

func lookRefusedLogin(c *Ctx) {
	if c.ErrorCode == 58 || c.ErrorCode == 33 {
		loginFailed(c, c.Last, loginSlot.of(c.Conn).named(), errorName(c.ErrorCode))
	}
}

// lookClosedLogin counts connections that the broker ends after raw tokens, before anything else.
func lookClosedLogin(c *Ctx) {
	l := loginSlot.seen(c.Conn)
	if l == nil || l.tokens == 0 || l.business || c.Conn.Side < 0 {
		return
	}
	if c.Event.Side != c.Conn.Side && c.Event.First && (c.Event.Ending == reassembly.Fin || c.Event.Ending == reassembly.Rst) {
		loginFailed(c, c.Event.At, l.named(), "closed")
	}
	l.tokens = 0
}

func loginFailed(c *Ctx, at reassembly.Moment, mechanism, how string) {
	if c.Conn.Side < 0 || unknownTime(at) {
		return
	}
	f := failuresSlot.of(c).at(c.Conn.TCP.Ends[c.Conn.Side].Addr, maxClients)
	f.at[f.n%len(f.at)] = at.Time
	f.n++
	if f.n < len(f.at) {
		return
	}
	if first := f.at[f.n%len(f.at)]; at.Time-first < 300e9 {
		c.Find(&ks8012).Say("%d logins failed within %d ms, the latest: %s", len(f.at), ms(first, at.Time), how).
			With("address", addrText(c.Conn.TCP.Ends[c.Conn.Side].Addr)).With("failures", f.n).With("mechanism", mechanism)
	}
}
