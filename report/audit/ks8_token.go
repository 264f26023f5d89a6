package audit

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"ksniff/decode"
)

var ks8001 = Rule{ID: "KS8001", Title: "password in clear", Severity: Warning, Who: Client, Since: "0.10",
	Source:  "RFC 4616",
	Explain: "PLAIN sends the password as it is, and the connection is not encrypted: everybody on the network can read it. Use TLS, or SCRAM.",
	Example: "SaslHandshake with PLAIN, SaslAuthenticate, without TLS"}

var ks8002 = Rule{ID: "KS8002", Title: "bearer token in clear", Severity: Warning, Who: Client, Since: "2.0",
	Source:  "KIP-255; RFC 7628",
	Explain: "Who reads the token can use it until it expires, and the connection is not encrypted. Use TLS.",
	Example: "SaslHandshake with OAUTHBEARER, SaslAuthenticate, without TLS"}

var ks8003 = Rule{ID: "KS8003", Title: "SCRAM without TLS", Severity: Info, Most: Warning, Who: Client, Since: "0.10.2",
	Source:  "ScramMechanism: at least 4096 iterations",
	Explain: "The password is not sent, but who records the exchange can guess it without asking the broker. Each guess costs as many rounds as the server's iteration count; below 4096 that is too cheap: a warning.",
	Example: "SaslHandshake with SCRAM-SHA-256, SaslAuthenticate, without TLS"}

func lookAuthenticate(c *Ctx) {
	if l := loginSlot.of(c.Conn); l.rounds == 0 {
		lookToken(c, l.named(), c.Req().Body().Field("AuthBytes"))
	}
}

// named is the mechanism of the handshake, answered or not.
func (l *login) named() string {
	if l.mechanism != "" {
		return l.mechanism
	}
	return l.asked
}

// lookToken looks at the first token of a client, nothing of which is kept but the names in it.
func lookToken(c *Ctx, mechanism string, place decode.Ref) {
	token := place.Bytes()
	if place.Offset() < 0 {
		token = c.Body
	}
	if !inClear(c) || len(token) == 0 {
		return
	}
	at := func(f *Finding) *Finding {
		if place.Offset() < 0 {
			return f.Byte(0, "")
		}
		return f.Place(place)
	}
	switch mechanism {
	case "PLAIN":
		if parts := bytes.Split(token, []byte{0}); len(parts) == 3 {
			at(c.Find(&ks8001)).Say("a password without TLS").With("user", string(parts[1][:min(len(parts[1]), 256)]))
		}
	case "OAUTHBEARER":
		if _, bearer, ok := bytes.Cut(token, []byte("auth=Bearer ")); ok {
			f := at(c.Find(&ks8002)).Say("a bearer token without TLS")
			issuer, expires := claimsOf(bearer)
			if issuer != "" {
				f.With("issuer", issuer)
			}
			if expires != 0 {
				f.With("expires", expires)
			}
		}
	case "SCRAM-SHA-256", "SCRAM-SHA-512":
		at(c.Find(&ks8003)).Say("%s without TLS", mechanism).With("mechanism", mechanism)
	}
}

// claimsOf reads issuer and end of a JWT.
func claimsOf(token []byte) (issuer string, expires float64) {
	parts := bytes.SplitN(token, []byte{'.'}, 3)
	if len(parts) != 3 || len(parts[1]) > 16<<10 {
		return "", 0
	}
	var claims struct {
		Issuer  string  `json:"iss"`
		Expires float64 `json:"exp"`
	}
	b := make([]byte, base64.RawURLEncoding.DecodedLen(len(parts[1])))
	n, err := base64.RawURLEncoding.Decode(b, bytes.TrimRight(parts[1], "="))
	if err != nil || json.Unmarshal(b[:n], &claims) != nil {
		return "", 0
	}
	return claims.Issuer[:min(len(claims.Issuer), 256)], claims.Expires
}

func lookAuthenticated(c *Ctx) {
	lookIterations(c, loginSlot.of(c.Conn), c.Resp().Body().Field("AuthBytes").Bytes(), c.Resp().Body().Field("AuthBytes").Offset())
}

// lookIterations reads the server's first message of SCRAM: r=nonce,s=salt,i=iterations.
func lookIterations(c *Ctx, l *login, token []byte, at int) {
	if !inClear(c) || l.iterations || len(l.named()) < 5 || l.named()[:5] != "SCRAM" || !bytes.HasPrefix(token, []byte("r=")) {
		return
	}
	l.iterations = true
	for _, part := range bytes.Split(token, []byte{','}) {
		if text, ok := bytes.CutPrefix(part, []byte("i=")); ok {
			if n, err := strconv.Atoi(string(text)); err == nil && n < 4096 {
				c.Find(&ks8003).Byte(at, "").Say("only %d iterations, and no TLS", n).With("iterations", n).Graded(Warning).By(Broker)
			}
		}
	}
}

// lookRawToken looks at what follows SaslHandshake 0.
func lookRawToken(c *Ctx) {
	l := loginSlot.of(c.Conn)
	if c.Kind == decode.Response {
		lookIterations(c, l, c.Body, 0)
		return
	}
	if l.tokens++; l.tokens == 1 {
		lookToken(c, l.named(), decode.Ref{})
	}
}
