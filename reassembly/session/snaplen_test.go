package session_test

import (
	"fmt"
	"testing"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// stamp is when a frame was complete, and how long after its request, -1 where that is not known.
type stamp struct {
	at      reassembly.Moment
	unseen  bool
	latency int64
}

// stamps writes down the stamps of a session's frames by sender, receiver and sequence number.
type stamps struct {
	by    map[string]stamp
	pairs int
}

func (n *stamps) Frame(f *session.Frame) {
	x := stamp{f.Last, f.Unseen, -1}
	if f.Kind == decode.Response && f.Request != nil {
		n.pairs++
		if !f.Unseen && !f.Request.Unseen {
			x.latency = f.Last.Time - f.Request.Time
		}
	}
	c := f.Conn
	n.by[fmt.Sprintf("%x:%d to %x:%d, sequence number %d", c.Ends[f.Side].Addr[12:], c.Ends[f.Side].Port, c.Ends[1-f.Side].Addr[12:], c.Ends[1-f.Side].Port,
		c.Seq[f.Side]+uint32(f.Offset))] = x
}

func (n *stamps) Unanswered(*reassembly.Conn, *session.Request, session.Why) {}

// once leaves out payload that was sent before: where the first copy is left out, the second one counts.
func once(segments []reassembly.Segment) (list []reassembly.Segment) {
	type direction struct {
		src, dst         [16]byte
		srcPort, dstPort uint16
	}
	next := map[direction]uint32{}
	for _, s := range segments {
		d := direction{s.Src, s.Dst, s.SrcPort, s.DstPort}
		const syn = 2
		if end, ok := next[d]; ok && s.Wire > 0 && s.Flags&syn == 0 && int32(s.Seq-end) < 0 {
			continue
		}
		next[d] = s.Seq + uint32(s.Wire)
		if s.Flags&syn != 0 {
			next[d]++
		}
		list = append(list, s)
	}
	return list
}

// stamped reads segments of which the snap length left so many bytes of the payload, and none of those that lost says.
func stamped(segments []reassembly.Segment, snap int, lost func(i int) bool) *stamps {
	n := &stamps{by: map[string]stamp{}}
	s := session.New(session.Config{}, n)
	a := reassembly.New(s.Streams(), reassembly.Config{})
	for i, x := range segments {
		if lost != nil && lost(i) {
			continue
		}
		x.Payload = x.Payload[:min(len(x.Payload), snap)]
		a.Segment(&x)
	}
	a.Flush()
	return n
}

var stampedCaptures = []string{"quickstart.pcap", "group.pcap", "transactions.pcap", "share.pcap", "fetch-sessions.pcap", "kafka-0.8.pcap",
	"sasl.pcap", "admin.pcap", "errors.pcap", "legacy.pcap"}

// TestCutFramesKeepTheirTime was written when frames that the snap length cut got the number and the time of the next packet
// of their direction: they are complete when they are in the uncut capture.
func TestCutFramesKeepTheirTime(t *testing.T) {
	for _, name := range stampedCaptures {
		all := segments(t, name)
		for _, first := range []int{0, len(all) / 3, len(all) / 2} { // in the middle: nothing is proven by a SYN
			segments := all[first:]
			whole := stamped(segments, 1<<30, nil)
			for _, snap := range []int{60, 96, 128, 200} {
				cut := stamped(segments, snap, nil)
				wrong := 0
				for place, got := range cut.by {
					if want, ok := whole.by[place]; !ok || got != want && !(got.at == want.at && !got.unseen && got.latency == -1) {
						if wrong++; wrong < 4 {
							t.Errorf("%s from segment %d, %d bytes: %s is %+v, want %+v", name, first, snap, place, got, want)
						}
					}
				}
				t.Logf("%s from segment %d, %d bytes: %d of %d frames, %d of %d pairs", name, first, snap, len(cut.by), len(whole.by), cut.pairs, whole.pairs)
				if name != "legacy.pcap" && len(cut.by) < len(whole.by)*9/10 {
					t.Errorf("%s from segment %d, %d bytes: %d of %d frames", name, first, snap, len(cut.by), len(whole.by))
				}
			}
		}
	}
}

// TestNoLatencyWithoutItsPackets leaves out packets: what ended in one of them is not as late as the next one.
func TestNoLatencyWithoutItsPackets(t *testing.T) {
	unseen := 0
	for _, name := range stampedCaptures {
		segments := once(segments(t, name))
		whole := stamped(segments, 1<<30, nil)
		for _, snap := range []int{200, 1 << 30} {
			for from := range 5 {
				got := stamped(segments, snap, func(i int) bool { return i > 40 && i%5 == from })
				wrong := 0
				for place, x := range got.by {
					want, ok := whole.by[place]
					if x.unseen {
						unseen++
					}
					if ok && (!x.unseen && x.at != want.at || x.latency != -1 && x.latency != want.latency) {
						if wrong++; wrong < 4 {
							t.Errorf("%s, %d bytes, without packets: %s is %+v, want %+v", name, snap, place, x, want)
						}
					}
				}
			}
		}
	}
	if unseen == 0 {
		t.Error("no frame ended in a packet that was left out")
	}
}
