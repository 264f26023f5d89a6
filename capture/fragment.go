package capture

import (
	"math/bits"
	"slices"
)

const (
	// maxDatagrams and maxFragmentBytes bound what is kept of IP packets that are not whole.
	maxDatagrams     = 256
	maxFragmentBytes = 4 << 20
	// fragmentTime is how long, by the packets' own times, fragments wait for the rest; systems wait
	// 30 s, but at a high rate the 16-bit ids of IPv4 come again much earlier.
	fragmentTime = 5e9
	// repeatTime is how long fragments that come again (a bridge captured on both sides) are
	// recognised after their packet was whole.
	repeatTime = 100e6
)

// datagramKey is what fragments of one IP packet have in common.
type datagramKey struct {
	src, dst [16]byte
	id       uint32 // with IPv4 also the protocol
}

// datagram is an IP packet in the making. Fragments begin at multiples of 8 bytes: a bit says which
// blocks are there.
type datagram struct {
	key      datagramKey
	time     int64
	data     []byte
	have     [65536 / 8 / 64]uint64
	total    int  // bytes in all; -1 until the last fragment was seen
	cut      int  // first byte that the snap length took
	protocol byte // of the first fragment
	dead     bool // fragments contradict each other: nothing will come of it, as in any receiver
	done     bool // it was given
}

// fragments puts IP fragments together, in bounded memory: the oldest packets are forgotten first.
type fragments struct {
	byKey map[datagramKey]*datagram
	queue []*datagram // oldest first
	free  []*datagram
	bytes int // capacity of all data in queue
}

// fragment takes in the fragment that is the rest of the packet, and walks on when its packet is whole.
func (h *headers) fragment(id uint32, protocol byte, place uint16, more bool) step {
	begin, end := int(place)*8, int(place)*8+h.wire
	if h.wire == 0 || more && h.wire%8 != 0 || end > 65535 {
		return h.end(malformed)
	}
	d := h.frags.find(datagramKey{h.seg.Src, h.seg.Dst, id}, h.pkt.Time)
	if d.done || d.dead {
		return h.end(fragment)
	}
	if place == 0 {
		d.protocol = protocol
	}
	if !more {
		if d.total >= 0 && d.total != end {
			d.dead = true
			return h.end(fragment)
		}
		d.total = end
	}
	h.frags.add(d, begin, h.data, h.wire)
	if !d.whole() {
		return h.end(fragment)
	}
	d.done, h.apart = true, true
	h.rest = rest{d.data[:min(d.cut, d.total)], d.total}
	return h.protocol(d.protocol)
}

// find returns the packet that a fragment of this time belongs to.
func (f *fragments) find(key datagramKey, now int64) *datagram {
	if d := f.byKey[key]; d != nil {
		age := now - d.time
		if age < 0 {
			age = -age
		}
		if now == NoTime || d.time == NoTime || age < repeatTime || age < fragmentTime && !d.done {
			return d
		}
		f.drop(slices.Index(f.queue, d))
	}
	for len(f.queue) >= maxDatagrams || f.bytes > maxFragmentBytes {
		f.drop(0)
	}
	if f.byKey == nil {
		f.byKey = make(map[datagramKey]*datagram)
	}
	var d *datagram
	if n := len(f.free); n > 0 {
		d, f.free = f.free[n-1], f.free[:n-1]
	} else {
		d = new(datagram)
	}
	*d = datagram{key: key, time: now, data: d.data[:0], total: -1, cut: 1 << 16}
	f.bytes += cap(d.data)
	f.queue = append(f.queue, d)
	f.byKey[key] = d
	return d
}

func (f *fragments) drop(i int) {
	d := f.queue[i]
	f.queue = slices.Delete(f.queue, i, i+1)
	f.bytes -= cap(d.data)
	delete(f.byKey, d.key)
	if f.bytes+cap(d.data) <= maxFragmentBytes {
		f.free = append(f.free, d)
	}
}

// add copies a fragment of wire bytes, of which data was captured. What is there already stays;
// where it differs, the packet is dead.
func (f *fragments) add(d *datagram, begin int, data []byte, wire int) {
	if need := begin + len(data); need > len(d.data) {
		before := cap(d.data)
		d.data = slices.Grow(d.data, need-len(d.data))[:need]
		f.bytes += cap(d.data) - before
	}
	for at := 0; at < wire; at += 8 {
		block := (begin + at) / 8
		word, bit := &d.have[block/64], uint64(1)<<(block%64)
		piece := data[min(at, len(data)):min(at+8, len(data))]
		if *word&bit == 0 {
			*word |= bit
			copy(d.data[min(begin+at, len(d.data)):], piece)
			if len(piece) < min(8, wire-at) {
				d.cut = min(d.cut, begin+at+len(piece))
			}
		} else if upto := begin + at + len(piece); len(piece) > 0 && upto <= d.cut && string(d.data[upto-len(piece):upto]) != string(piece) {
			d.dead = true
			return
		}
	}
}

// whole says whether no block of the packet is missing, and none is there behind its end.
func (d *datagram) whole() bool {
	if d.total < 0 || d.dead {
		return false
	}
	n := 0
	for _, word := range d.have {
		n += bits.OnesCount64(word)
	}
	return n == (d.total+7)/8
}
