package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
)

// ng builds pcapng blocks in one byte order.
type ng struct{ binary.AppendByteOrder }

func (o ng) join(parts ...any) (b []byte) {
	for _, part := range parts {
		switch v := part.(type) {
		case string:
			b = append(b, v...)
		case []byte:
			b = append(b, v...)
		case uint16:
			b = o.AppendUint16(b, v)
		case uint32:
			b = o.AppendUint32(b, v)
		case uint64:
			b = o.AppendUint64(b, v)
		}
	}
	return b
}

func (o ng) block(kind uint32, parts ...any) []byte {
	body := o.join(parts...)
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	n := uint32(len(body) + 12)
	return o.join(kind, n, body, n)
}

func (o ng) option(code uint16, value []byte) []byte {
	b := o.join(code, uint16(len(value)), value)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func (o ng) section() []byte {
	return o.block(blockSection, uint32(0x1a2b3c4d), uint16(1), uint16(0), uint64(math.MaxUint64))
}

func (o ng) iface(link uint16, options ...[]byte) []byte {
	return o.block(blockInterface, link, uint16(0), uint32(0), slices.Concat(options...), uint32(0))
}

func (o ng) packet(iface uint32, ticks uint64, data []byte, options ...[]byte) []byte {
	n := uint32(len(data))
	return o.block(blockEnhanced, iface, uint32(ticks>>32), uint32(ticks), n, n, data, make([]byte, -n&3), slices.Concat(options...))
}

var (
	le = ng{binary.LittleEndian}
	bg = ng{binary.BigEndian}
)

func TestPcapng(t *testing.T) {
	data := three[0] // 57 bytes: padded by 3
	var secrets []byte
	file := slices.Concat(
		le.section(),
		le.iface(1),
		le.iface(101, le.option(9, []byte{9}), le.option(14, le.join(uint64(100)))),
		le.block(4, "name resolution"), le.block(0xbad, "custom"), le.block(0x77777777, make([]byte, 300_000)),
		le.block(blockSecrets, uint32(0x544c534b), uint32(5), "key 1"),
		le.packet(1, 7_000_000_005, data[14:]),
		le.packet(0, 9_000_005, data, le.option(1, []byte("a comment"))),
		le.block(blockSimplePacket, uint32(len(data)+10), data),
		le.block(blockPacket, uint16(0), uint16(0), uint32(0), uint32(11_000_000), uint32(len(data)), uint32(len(data)+1), data),
		le.packet(0, 12_000_000, append(slices.Clone(data), "FCS!"...), le.option(2, le.join(uint32(4<<5)))),
		le.block(blockStatistics, uint32(1), uint64(0), le.option(5, le.join(uint64(30))), le.option(7, le.join(uint64(12)))),
		bg.section(),
		bg.iface(1, bg.option(9, []byte{0x80 | 10}), bg.option(13, []byte{4}), bg.option(2, []byte("eth7"))),
		bg.packet(0, 13<<10|512, append(slices.Clone(data), "FCS!"...)),
		bg.block(blockStatistics, uint32(0), uint64(0), bg.option(5, bg.join(uint64(100)))),
	)
	r := mustRead(t, file)
	r.OnSecrets = func(kind uint32, b []byte) { secrets = append(binary.BigEndian.AppendUint32(secrets, kind), b...) }
	got, err := readAll(t, r)
	if err != nil {
		t.Fatal(err)
	}
	n := len(data)
	want := []Packet{
		{1, 107_000_000_005, 101, 1, n - 14, data[14:]},
		{2, 9_000_005_000, 1, 0, n, data},
		{3, NoTime, 1, 0, n + 10, append(slices.Clone(data), 0, 0, 0)},
		{4, 11e9, 1, 0, n + 1, data},
		{5, 12e9, 1, 0, n, data},
		{6, 13.5e9, 1, 2, n, data},
	}
	if len(got) != len(want) {
		t.Fatalf("%d packets", len(got))
	}
	for i, w := range want {
		g := got[i]
		same := bytes.Equal(g.Data, w.Data)
		if !same || g.Number != w.Number || g.Time != w.Time || g.Link != w.Link || g.Iface != w.Iface || g.Wire != w.Wire {
			t.Errorf("got  %+v\nwant %+v", g, w)
		}
	}
	if a, b, c := r.InterfaceName(1), r.InterfaceName(2), r.InterfaceName(3); a != "" || b != "eth7" || c != "" {
		t.Errorf("names %q, %q, %q", a, b, c)
	}
	if string(secrets) != "TLSKkey 1" {
		t.Errorf("secrets %q", secrets)
	}
	if r.Dropped() != 142 {
		t.Errorf("%d dropped", r.Dropped())
	}
}

func TestPcapngDamage(t *testing.T) {
	data := three[0]
	start := slices.Concat(le.section(), le.iface(1), le.packet(0, 1, data))
	long := le.packet(0, 1, data)
	binary.LittleEndian.PutUint32(long[20:], 1<<31)
	trailer := le.packet(0, 1, data)
	trailer[len(trailer)-4]++
	for _, c := range []struct {
		name    string
		file    []byte
		packets int
		reason  Reason
	}{
		{"no interface", slices.Concat(start, le.packet(1, 1, data)), 1, Damaged},
		{"captured length", slices.Concat(start, long), 1, Damaged},
		{"trailer", slices.Concat(start, trailer), 1, Damaged},
		{"length 0", slices.Concat(start, le.join(uint32(6), uint32(0), make([]byte, 40))), 1, Damaged},
		{"length 8", slices.Concat(start, le.join(uint32(6), uint32(8), make([]byte, 40))), 1, Damaged},
		{"length 4 GB", slices.Concat(start, le.join(uint32(6), uint32(1<<32-4), make([]byte, 40))), 1, Damaged},
		{"unknown block of 4 GB", slices.Concat(start, le.join(uint32(99), uint32(1<<32-4), make([]byte, 40))), 1, Cut},
		{"short packet block", slices.Concat(start, le.block(6, uint32(0))), 1, Damaged},
		{"second byte order", slices.Concat(start, le.block(blockSection, uint32(0), uint64(0), uint64(0))), 1, Damaged},
		{"byte order", le.block(blockSection, uint32(0), uint64(0), uint64(0)), 0, Unreadable},
		{"cut header", le.section()[:10], 0, Unreadable},
		{"cut", start[:len(start)-3], 0, Cut},
		{"no known link type", slices.Concat(le.section(), le.iface(9999), le.packet(0, 1, data)), 1, Unsupported},
	} {
		r, err := NewReader(bytes.NewReader(c.file), c.name)
		var got []Packet
		if err == nil {
			got, err = readAll(t, r)
		}
		var e *Error
		if len(got) != c.packets || !errors.As(err, &e) || e.Reason != c.reason {
			t.Errorf("%s: %d packets, %v", c.name, len(got), err)
		}
	}
	for _, file := range [][]byte{le.section(), slices.Concat(le.section(), le.iface(9999)), slices.Concat(start, le.iface(9999), le.packet(1, 1, data))} {
		if _, err := readAll(t, mustRead(t, file)); err != nil {
			t.Error(err)
		}
	}
}

func TestClock(t *testing.T) {
	for _, c := range []struct {
		clock clock
		ticks uint64
		want  int64
	}{
		{clock{6, false, 0}, 1_700_000_000_123_456, 1_700_000_000_123_456_000},
		{clock{9, false, 0}, 5, 5}, {clock{0, false, 0}, 3, 3e9}, {clock{12, false, 0}, 7999, 7},
		{clock{28, false, 0}, 1e19, 1}, {clock{127, false, 0}, math.MaxUint64, 0}, {clock{29, false, 0}, math.MaxUint64, 0},
		{clock{20, true, 0}, 3 << 19, 1.5e9}, {clock{63, true, 0}, 1 << 63, 1e9}, {clock{64, true, 0}, 1 << 63, 5e8},
		{clock{93, true, 0}, math.MaxUint64, 1}, {clock{127, true, 0}, math.MaxUint64, 0}, {clock{0, true, 0}, 2, 2e9},
		{clock{6, false, 0}, math.MaxUint64, math.MaxInt64}, {clock{0, true, 0}, math.MaxUint64, math.MaxInt64},
		{clock{9, false, -1}, 2e9, 1e9}, {clock{9, false, math.MinInt64}, 0, -9e18},
		{clock{9, false, math.MaxInt64}, 9e18, math.MaxInt64}, {clock{9, false, 0}, math.MaxInt64, math.MaxInt64},
	} {
		if got := c.clock.time(c.ticks); got != c.want {
			t.Errorf("%+v of %d: %d, want %d", c.clock, c.ticks, got, c.want)
		}
	}
}

func TestPcapngAllocatesNothing(t *testing.T) {
	file := slices.Concat(le.section(), le.iface(1), bytes.Repeat(le.packet(0, 1, three[0], le.option(2, make([]byte, 4))), 5000))
	r := mustRead(t, file)
	var p Packet
	if n := testing.AllocsPerRun(4000, func() {
		if err := r.Next(&p); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkReadPcapng(b *testing.B) {
	file := slices.Concat(le.section(), le.iface(1), bytes.Repeat(le.packet(0, 1, make([]byte, 1514)), 40000))
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		r := mustRead(b, file)
		var p Packet
		for r.Next(&p) == nil {
		}
	}
}
