package audit

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func (p *peer) handshake(version int16, mechanism string) *peer {
	return p.exchange(17, version, fields{"Mechanism": mechanism}, fields{})
}

func (p *peer) token(request, response string, code int) *peer {
	return p.exchange(36, 1, fields{"AuthBytes": []byte(request)}, fields{"AuthBytes": []byte(response), "ErrorCode": code})
}

func (p *peer) plain() *peer { return p.handshake(1, "PLAIN").token("\x00eve\x00hidden-word", "", 0) }

const jwt = "n,,\x01auth=Bearer e30.eyJpc3MiOiJodHRwczovL2lkIiwiZXhwIjoxNzAwMDAwMDAwfQ.c2ln\x01\x01"

// serverHello is a TLS record with a ServerHello.
func serverHello(version, suite uint16) []byte {
	be := binary.BigEndian
	b := be.AppendUint16(nil, version)
	b = append(append(b, make([]byte, 32)...), 32)
	b = be.AppendUint16(append(b, make([]byte, 32)...), suite)
	b = append(b, 0)
	b = append([]byte{2, 0, 0, byte(len(b))}, b...)
	return append(be.AppendUint16([]byte{22, 3, 1}, uint16(len(b))), b...)
}

var clientHello = append([]byte{22, 3, 1, 0, 64, 1, 0, 0, 60, 3, 3}, make([]byte, 58)...)

func tlsTalk(version, suite uint16) func(k *talk) {
	return func(k *talk) {
		p := k.connTo(9, 9093)
		p.bytes(0, clientHello)
		p.bytes(1, serverHello(version, suite))
	}
}

// spnego is a frame with a GSSAPI token, with a length that is off by more.
func spnego(k *talk, more byte) {
	k.lives()
	p := k.conn()
	p.frame(0, append([]byte{0x60, 18 + more, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 2}, make([]byte, 7)...))
	p.fin(0)
	p.fin(1)
}

func config(name string, value any) fields {
	return fields{"Resources": list{fields{"ResourceType": 4, "ResourceName": "1", "Configs": list{fields{"Name": name, "Value": value}}}}}
}

func acl(principal string) fields {
	return fields{"Creations": list{fields{"ResourceType": 2, "ResourceName": "*", "Principal": principal, "Host": "*", "Operation": 3, "PermissionType": 3}}}
}

func sensitive(yes bool) func(k *talk) {
	return func(k *talk) {
		k.lives().exchange(32, 1, fields{}, fields{"Results": list{fields{"Configs": list{fields{"Name": "ssl.key.password", "Value": "hidden-word", "IsSensitive": yes}}}}})
	}
}

// closedLogins are logins with raw tokens that the broker, or the client, ends.
func closedLogins(k *talk, side int) {
	k.every(5, time.Second, func() {
		p := k.conn().handshake(0, "PLAIN")
		p.frame(0, []byte("\x00eve\x00hidden-word"))
		p.fin(side)
		p.fin(1 - side)
	})
}

var ks8Cases = []ruleCase{
	{rule: "KS8001",
		hit:  func(k *talk) { k.conn().plain() },
		miss: func(k *talk) { k.conn().handshake(1, "GSSAPI").token("\x00eve\x00hidden-word", "", 0) }},
	{rule: "KS8001", // raw tokens
		hit: func(k *talk) {
			k.conn().handshake(0, "PLAIN").frame(0, []byte("\x00eve\x00hidden-word"))
		},
		miss: func(k *talk) { k.play(real(k.t, "quickstart.pcap")) }},
	{rule: "KS8002",
		hit:  func(k *talk) { k.conn().handshake(1, "OAUTHBEARER").token(jwt, "", 0) },
		miss: func(k *talk) { k.conn().handshake(1, "OAUTHBEARER").token("\x01", "", 58) }},
	{rule: "KS8003",
		hit: func(k *talk) {
			k.conn().handshake(1, "SCRAM-SHA-256").token("n,,n=eve,r=1", "r=12,s=c2FsdA==,i=4096", 0)
		},
		miss: func(k *talk) { k.conn().plain() }},
	{rule: "KS8004",
		hit: func(k *talk) { k.lives() },
		miss: func(k *talk) {
			p := k.mid(9, 9092)
			p.ends[0].Addr, p.ends[1].Addr = [16]byte{10: 0xff, 11: 0xff, 12: 127, 15: 1}, [16]byte{10: 0xff, 11: 0xff, 12: 127, 15: 1}
			p.segment(0, synFlag, nil)
			p.segment(1, synFlag|ackFlag, nil)
			p.exchange(3, 1, fields{}, fields{})
		}},
	{rule: "KS8005",
		hit: func(k *talk) { k.conn().plain(); k.conn().request(3, 1, fields{}).request(3, 1, fields{}) },
		miss: func(k *talk) { // a listener that takes no handshake has no SASL
			k.conn().exchange(17, 1, fields{"Mechanism": "PLAIN"}, fields{"ErrorCode": 34})
			k.lives()
		}},
	{rule: "KS8006",
		hit: func(k *talk) { k.conn().handshake(1, "PLAIN").request(18, 0, fields{}) },
		miss: func(k *talk) {
			k.conn().exchange(18, 0, fields{}, fields{}).plain().exchange(18, 0, fields{}, fields{})
		}},
	{rule: "KS8006", // twice
		hit: func(k *talk) {
			k.conn().plain()
			k.conn().exchange(18, 0, fields{}, fields{}).request(18, 0, fields{})
		},
		miss: func(k *talk) { k.conn().exchange(18, 0, fields{}, fields{}).exchange(18, 0, fields{}, fields{}) }},
	{rule: "KS8007",
		hit:  func(k *talk) { k.conn().handshake(1, "PLAIN").request(3, 1, fields{}) },
		miss: func(k *talk) { k.conn().plain().request(3, 1, fields{}) }},
	{rule: "KS8007", // SCRAM is over with the server's signature
		hit: func(k *talk) {
			k.conn().handshake(1, "SCRAM-SHA-256").token("n,,n=eve,r=1", "r=12,s=c2FsdA==,i=4096", 0).request(3, 1, fields{})
		},
		miss: func(k *talk) {
			k.conn().handshake(1, "SCRAM-SHA-256").token("n,,n=eve,r=1", "r=12,s=c2FsdA==,i=4096", 0).token("c=biws,r=12,p=x", "v=x", 0).request(3, 1, fields{})
		}},
	{rule: "KS8008",
		hit:  func(k *talk) { k.conn().handshake(0, "PLAIN") },
		miss: func(k *talk) { k.conn().handshake(1, "PLAIN") }},
	{rule: "KS8008", // real traffic
		hit:  func(k *talk) { k.play(real(k.t, "sasl.pcap")) },
		miss: func(k *talk) { k.play(real(k.t, "secrets.pcap")) }},
	{rule: "KS8009",
		hit:  func(k *talk) { spnego(k, 0) },
		miss: func(k *talk) { spnego(k, 1) }},
	{rule: "KS8010",
		hit:  func(k *talk) { outlives(k, 3*time.Second) },
		miss: func(k *talk) { outlives(k, 1900*time.Millisecond) }},
	{rule: "KS8011",
		hit:  func(k *talk) { k.conn().plain().handshake(1, "SCRAM-SHA-256") },
		miss: func(k *talk) { k.conn().plain().handshake(1, "PLAIN") }},
	{rule: "KS8012",
		hit: func(k *talk) { k.every(5, time.Minute, func() { k.conn().handshake(1, "PLAIN").token("x", "", 58) }) },
		miss: func(k *talk) {
			k.every(5, 80*time.Second, func() { k.conn().handshake(1, "PLAIN").token("x", "", 58) })
		}},
	{rule: "KS8012", // raw tokens
		hit:  func(k *talk) { closedLogins(k, 1) },
		miss: func(k *talk) { closedLogins(k, 0) }},
	{rule: "KS8013", hit: tlsTalk(0x0302, 0xc02f), miss: tlsTalk(0x0303, 0xc02f)},
	{rule: "KS8013", hit: tlsTalk(0x0303, 0x000a), miss: tlsTalk(0x0303, 0x1301)},
	{rule: "KS8014",
		hit: func(k *talk) {
			k.lives()
			p := k.conn()
			p.bytes(0, clientHello)
			p.fin(1)
			p.fin(0)
		},
		miss: func(k *talk) { // another port
			k.lives()
			p := k.connTo(9, 9093)
			p.bytes(0, clientHello)
			p.fin(1)
			p.fin(0)
		}},
	{rule: "KS8014",
		hit: func(k *talk) {
			p := k.conn().request(18, 3, fields{"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"})
			p.bytes(1, []byte{21, 3, 3, 0, 2, 2, 80})
			p.fin(1)
		},
		miss: func(k *talk) {
			p := k.conn().request(18, 3, fields{"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"})
			p.bytes(1, []byte{0, 0, 0, 2, 2, 80})
			p.fin(1)
		}},
	{rule: "KS8015",
		hit:  func(k *talk) { k.lives().request(44, 1, config("listener.name.x.ssl.keystore.key", "hidden-word")) },
		miss: func(k *talk) { k.lives().request(44, 1, config("listener.name.x.ssl.keystore.type", "PEM")) }},
	{rule: "KS8015",
		hit:  func(k *talk) { k.play(real(k.t, "secrets.pcap")) },
		miss: func(k *talk) { k.lives().request(44, 1, config("ssl.key.password", nil)) }},
	{rule: "KS8016", hit: sensitive(true), miss: sensitive(false)},
	{rule: "KS8017",
		hit:  func(k *talk) { k.lives().exchange(38, 1, fields{}, fields{"Hmac": []byte("hidden-word")}) },
		miss: func(k *talk) { k.lives().exchange(38, 1, fields{}, fields{"ErrorCode": 61}) }},
	{rule: "KS8017",
		hit: func(k *talk) {
			k.lives().request(51, 0, fields{"Upsertions": list{fields{"Name": "eve", "SaltedPassword": []byte("hidden-word")}}})
		},
		miss: func(k *talk) { k.lives().request(51, 0, fields{"Deletions": list{fields{"Name": "eve"}}}) }},
	{rule: "KS8018",
		hit:  func(k *talk) { k.lives().request(30, 1, acl("User:*")) },
		miss: func(k *talk) { k.lives().request(30, 1, acl("User:eve")) }},
}

// outlives uses a session of a second.
func outlives(k *talk, after time.Duration) {
	p := k.conn().handshake(1, "PLAIN").exchange(36, 1, fields{"AuthBytes": []byte("\x00eve\x00hidden-word")}, fields{"SessionLifetimeMs": 1000})
	k.wait(after)
	p.request(3, 1, fields{})
}

// TestNoSecrets: what the cases call hidden-word, and the token, is in no finding.
func TestNoSecrets(t *testing.T) {
	n := 0
	for _, c := range ks8Cases {
		k := newTalk(t, Config{})
		c.hit(k)
		k.end()
		for i := range k.found {
			b, err := json.Marshal(&k.found[i])
			if err != nil {
				t.Fatal(err)
			}
			n++
			for _, secret := range []string{"hidden-word", "aGlkZGVuLXdvcmQ", "eyJ", "c2FsdA"} {
				if strings.Contains(string(b), secret) {
					t.Errorf("%s shows a secret: %s", k.found[i].Rule.ID, b)
				}
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d findings", n)
	}
}
