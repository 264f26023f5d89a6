package audit

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// talk builds a capture: connections with frames, one packet each, and audits it.
type talk struct {
	t      testing.TB
	audit  *Audit
	tcp    *reassembly.Assembler
	sess   *session.Session
	packet uint64
	now    time.Time
	port   uint16
	found  []Finding
	large  bool // frames with record sets get one of 5 KB more
	pieces int  // bytes of a segment, 0: a frame is one
}

func newTalk(t testing.TB, cfg Config) *talk {
	k := &talk{t: t, now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), port: 40000}
	cfg.Found = func(f *Finding) {
		copied := *f
		copied.Evidence = append([]Fact(nil), f.Evidence...)
		k.found = append(k.found, copied)
	}
	k.audit = New(cfg)
	k.sess = session.New(k.audit.SessionConfig(), k.audit)
	k.tcp = reassembly.New(k.sess.Streams(), reassembly.Config{})
	return k
}

// end ends the capture.
func (k *talk) end() {
	k.tcp.Flush()
	k.audit.Finish()
}

// wait lets time pass.
func (k *talk) wait(d time.Duration) { k.now = k.now.Add(d) }

// peer is a connection. Requests and answers are paired by the peer, in order.
type peer struct {
	k       *talk
	ends    [2]reassembly.Endpoint
	seq     [2]uint32
	client  any // client id: a string, or nil
	next    int32
	waiting []asked
}

type asked struct {
	key, version int16
	id           int32
}

// conn opens a connection with its handshake, from 10.0.0.1 to the broker 10.0.0.9:9092.
func (k *talk) conn() *peer { return k.connTo(9, 9092) }

// connTo opens a connection to the broker 10.0.0.host:port.
func (k *talk) connTo(host byte, port uint16) *peer {
	p := k.mid(host, port)
	p.segment(0, synFlag, nil)
	p.segment(1, synFlag|ackFlag, nil)
	return p
}

// mid is a connection whose beginning was not captured.
func (k *talk) mid(host byte, port uint16) *peer {
	k.port++
	p := &peer{k: k, client: "app", next: 1, seq: [2]uint32{1000, 5000}}
	p.ends[0] = reassembly.Endpoint{Addr: [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: 1}, Port: k.port}
	p.ends[1] = reassembly.Endpoint{Addr: [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: host}, Port: port}
	return p
}

const (
	finFlag = 1
	synFlag = 2
	rstFlag = 4
	ackFlag = 16
)

// segment sends one TCP segment.
func (p *peer) segment(side int, flags uint8, payload []byte) {
	k := p.k
	k.packet++
	k.now = k.now.Add(time.Millisecond)
	from, to := p.ends[side], p.ends[1-side]
	k.tcp.Segment(&reassembly.Segment{Packet: k.packet, Time: k.now.UnixNano(), Src: from.Addr, Dst: to.Addr, SrcPort: from.Port, DstPort: to.Port,
		Seq: p.seq[side], Ack: p.seq[1-side], Flags: flags | ackFlag&^((flags&synFlag)<<3>>uint(side*3)), Window: 65535, Wire: len(payload), Payload: payload})
	p.seq[side] += uint32(len(payload))
	if flags&(synFlag|finFlag) != 0 {
		p.seq[side]++
	}
}

// bytes sends bytes as they are; side 0 is the client.
func (p *peer) bytes(side int, b []byte) { p.segment(side, ackFlag, b) }

// frame sends a frame with this body.
func (p *peer) frame(side int, body []byte) {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	for now := p.k.now; p.k.pieces > 0 && len(b) > p.k.pieces; b = b[p.k.pieces:] {
		p.bytes(side, b[:p.k.pieces])
		p.k.now = now
	}
	p.bytes(side, b)
}

// lose makes the capture lack n bytes of a side.
func (p *peer) lose(side int, n uint32) { p.seq[side] += n }

// fin and rst end a side, or the connection.
func (p *peer) fin(side int) { p.segment(side, finFlag|ackFlag, nil) }
func (p *peer) rst(side int) { p.segment(side, rstFlag|ackFlag, nil) }

// request sends a request built from the tables.
func (p *peer) request(key, version int16, body fields) *peer {
	p.frame(0, encodeRequest(key, version, p.next, p.client, p.k.enlarged(key, version, "TopicData", "PartitionData", body)))
	p.waiting = append(p.waiting, asked{key, version, p.next})
	p.next++
	return p
}

// unseen sends a request of which the capture lacks the last packet.
func (p *peer) unseen(key, version int16, body fields) *peer {
	b := encodeRequest(key, version, p.next, p.client, body)
	b = append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
	p.bytes(0, b[:len(b)-2])
	p.lose(0, 2)
	p.waiting = append(p.waiting, asked{key, version, p.next})
	p.next++
	return p
}

// silent sends a request that gets no answer.
func (p *peer) silent(key, version int16, body fields) *peer {
	p.request(key, version, body)
	p.waiting = p.waiting[:len(p.waiting)-1]
	return p
}

// answer sends the response to the oldest request that waits, built from the tables.
func (p *peer) answer(body fields) *peer {
	a := p.waiting[0]
	p.waiting = p.waiting[1:]
	p.frame(1, encodeResponse(a.key, a.version, a.id, p.k.enlarged(a.key, a.version, "Responses", "Partitions", body)))
	return p
}

// exchange sends a request and its response.
func (p *peer) exchange(key, version int16, req, resp fields) *peer {
	return p.request(key, version, req).answer(resp)
}

// offers exchanges ApiVersions 3: the broker offers these APIs as {key: {min, max}}.
func (p *peer) offers(versions map[int16][2]int16) *peer {
	var keys list
	for key := int16(0); key < maxKey; key++ {
		if v, ok := versions[key]; ok {
			keys = append(keys, fields{"ApiKey": int(key), "MinVersion": int(v[0]), "MaxVersion": int(v[1])})
		}
	}
	return p.exchange(18, 3, fields{"ClientSoftwareName": "test", "ClientSoftwareVersion": "1.0"}, fields{"ApiKeys": keys})
}

// wire is a frame of a real capture.
type wire struct {
	conn, side   int
	body         []byte
	key, version int16 // -1 unknown
	kind         decode.Kind
	time         int64
}

// tape records the frames of a capture.
type tape struct{ frames []*wire }

func (t *tape) Frame(f *session.Frame) {
	if len(f.Runs) == 1 && f.Runs[0].Off == 0 && len(f.Runs[0].Bytes) == f.Length {
		t.frames = append(t.frames, &wire{f.Conn.ID, f.Side, append([]byte(nil), f.Runs[0].Bytes...), f.Key, f.Version, f.Kind, f.Last.Time})
	}
}

func (t *tape) Unanswered(*reassembly.Conn, *session.Request, session.Why) {}

// real gives the frames of a capture in pcaps/, in order. Clients are side 0 of their connection.
func real(t testing.TB, name string) []*wire {
	b, err := os.ReadFile(filepath.Join("..", "..", "pcaps", name))
	if err != nil {
		t.Fatal(err)
	}
	to := &tape{}
	sess := session.New(session.Config{Whole: true}, to)
	tcp := reassembly.New(sess.Streams(), reassembly.Config{})
	packets(t, b, tcp)
	tcp.Flush()
	return to.frames
}

// play sends frames of a capture, each connection as one of ours, with the times that they have.
func (k *talk) play(frames []*wire) {
	peers := map[int]*peer{}
	clients := map[int]int{}
	for _, f := range frames {
		if f.kind == decode.Request {
			clients[f.conn] = f.side
		}
	}
	if k.packet == 0 && len(frames) > 0 {
		k.now = time.Unix(0, frames[0].time)
	}
	for i, f := range frames {
		p := peers[f.conn]
		if p == nil {
			p = k.conn()
			peers[f.conn] = p
		}
		if i > 0 && f.time > frames[i-1].time {
			k.now = k.now.Add(time.Duration(f.time - frames[i-1].time))
		}
		side := 0
		if f.side != clients[f.conn] {
			side = 1
		}
		p.frame(side, f.body)
	}
}

// replaced changes bytes wherever they are in the frames, to as many others.
func replaced(frames []*wire, before, after string) []*wire {
	for _, f := range frames {
		f.body = bytes.ReplaceAll(f.body, []byte(before), []byte(after))
	}
	return frames
}

// packets hands the TCP segments of an Ethernet, raw or Linux cooked pcap file to an assembler.
func packets(t testing.TB, b []byte, tcp *reassembly.Assembler) {
	le := binary.LittleEndian
	if len(b) < 24 || le.Uint32(b)|0x1000 != 0xa1b2d3d4&^0x2000|0x1000 && le.Uint32(b) != 0xa1b23c4d && le.Uint32(b) != 0xa1b2c3d4 {
		t.Fatal("not a pcap file")
	}
	nano := le.Uint32(b) == 0xa1b23c4d
	skip := map[uint32]int{1: 14, 101: 0, 12: 0, 113: 16, 276: 20, 0: 4, 228: 0}
	link, ok := skip[le.Uint32(b[20:])]
	if !ok {
		t.Fatalf("link type %d", le.Uint32(b[20:]))
	}
	n := uint64(0)
	for at := 24; at+16 <= len(b); {
		sec, frac, size, wire := int64(le.Uint32(b[at:])), int64(le.Uint32(b[at+4:])), int(le.Uint32(b[at+8:])), int(le.Uint32(b[at+12:]))
		if !nano {
			frac *= 1000
		}
		p := b[at+16 : at+16+size]
		at += 16 + size
		n++
		if len(p) < link+40 || p[link]>>4 != 4 {
			continue
		}
		ip := p[link:]
		total, head := int(binary.BigEndian.Uint16(ip[2:])), int(ip[0]&15)*4
		if ip[9] != 6 {
			continue
		}
		if total == 0 {
			total = wire - link
		}
		seg := ip[head:]
		off := int(seg[12]>>4) * 4
		s := reassembly.Segment{Packet: n, Time: sec*1e9 + frac, SrcPort: binary.BigEndian.Uint16(seg), DstPort: binary.BigEndian.Uint16(seg[2:]),
			Seq: binary.BigEndian.Uint32(seg[4:]), Ack: binary.BigEndian.Uint32(seg[8:]), Flags: seg[13], Window: binary.BigEndian.Uint16(seg[14:]),
			Wire: total - head - off, Payload: seg[min(off, len(seg)):min(len(seg), total-head)]}
		s.Src[10], s.Src[11], s.Dst[10], s.Dst[11] = 0xff, 0xff, 0xff, 0xff
		copy(s.Src[12:], ip[12:16])
		copy(s.Dst[12:], ip[16:20])
		tcp.Segment(&s)
	}
}
