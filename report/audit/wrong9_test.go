package audit

import (
	"encoding/binary"
	"time"

	"ksniff/reassembly"
)

// quiet produces with acks=0, and does ask for metadata before.
func quiet(k *talk) *peer {
	return k.conn().exchange(18, 0, fields{}, fields{}).silent(0, 7, into(0, batchOf(nil, one...)))
}

// cutWrongs are captures that lack something: it may be what would show that all is well.
var cutWrongs = []wrong{
	{name: "ApiVersions was cut", rule: "KS9006", build: func(k *talk) {
		for range 4 {
			p := k.conn()
			p.cut(0, encodeRequest(18, 3, 1, "app", fields{"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"}), 20)
			p.next++
			p.exchange(3, 1, fields{}, fields{})
		}
	}},
	{name: "ApiVersions may be missing", rule: "KS9006", build: func(k *talk) {
		for range 4 {
			p := k.conn().exchange(3, 1, fields{}, fields{})
			p.lose(0, 100)
			p.request(3, 1, fields{})
			p.fin(0)
			p.fin(1)
		}
	}},
	{name: "the client's FIN is missing", rule: "KS4003", build: func(k *talk) {
		p := quiet(k)
		p.lose(0, 1)
		p.fin(1)
		p.segment(0, ackFlag, nil)
	}},
	{name: "the client closed after the broker", rule: "KS4003", want: 1, build: func(k *talk) {
		p := quiet(k)
		p.fin(1)
		p.fin(0)
	}},
	{name: "the client's FIN and what is before it came late", rule: "KS4003", build: func(k *talk) {
		p := quiet(k)
		frame := encodeRequest(0, 7, p.next, "app", into(0, batchOf(nil, one...)))
		frame = append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
		before := p.seq[0]
		p.seq[0] += 20
		p.segment(0, finFlag|ackFlag, frame[20:])
		p.fin(1)
		after := p.seq[0]
		p.seq[0] = before
		p.bytes(0, frame[:20])
		p.seq[0] = after
		p.segment(0, ackFlag, nil)
	}},
	{name: "an answer is missing", rule: "KS4003", build: func(k *talk) {
		p := quiet(k)
		p.request(3, 1, fields{})
		p.lose(1, 40)
		p.fin(1)
		p.fin(0)
	}},
	{name: "the LeaveGroup may be missing", rule: "KS6022", build: func(k *talk) {
		p := k.conn().joins().syncs()
		p.exchange(12, 4, fields{"GroupId": "g", "GenerationId": 5, "MemberId": "m"}, fields{})
		p.lose(0, 60)
		p.fin(0)
		p.fin(1)
		k.wait(time.Minute)
		k.from(2).joins(fields{"GroupId": "other"})
	}},
	{name: "a connection that began before is seen after the join", rule: "KS6022", want: 1, build: func(k *talk) {
		k.conn().joins().syncs()
		k.mid(9, 9092).exchange(3, 1, fields{}, fields{}).exchange(3, 1, fields{}, fields{})
		leavesSilently(nil, nil, nil)(k)
	}},
	{name: "the LeaveGroup may be missing on another connection", rule: "KS6022", build: func(k *talk) {
		q := k.conn().exchange(3, 1, fields{}, fields{})
		leavesSilently(nil, nil, nil)(k)
		q.lose(0, 60)
		q.exchange(3, 1, fields{}, fields{})
	}},
	{name: "the answer is missing", rule: "KS6010", build: func(k *talk) {
		f, p := k.conn(), k.conn().joins()
		f.reads(0)
		f.request(1, 4, fetch("t"))
		f.lose(1, 100)
		p.commitsOf(5, 0, 20, 0).commitsOf(5, 0, 20, 0).commitsOf(5, 0, 20, 0)
	}},
}

// cut sends a frame of which the capture has the first bytes only.
func (p *peer) cut(side int, body []byte, have int) {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	k := p.k
	k.packet++
	k.now = k.now.Add(time.Millisecond)
	from, to := p.ends[side], p.ends[1-side]
	k.tcp.Segment(&reassembly.Segment{Packet: k.packet, Time: k.now.UnixNano(), Src: from.Addr, Dst: to.Addr, SrcPort: from.Port, DstPort: to.Port,
		Seq: p.seq[side], Ack: p.seq[1-side], Flags: ackFlag, Window: 65535, Wire: len(b), Payload: b[:have]})
	p.seq[side] += uint32(len(b))
}
