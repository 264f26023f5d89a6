package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// eachCapture calls with each capture of the repository, and with all under KSNIFF_SHARED where that is set.
func eachCapture(use func(name string)) {
	for _, root := range []string{"../pcaps", os.Getenv("KSNIFF_SHARED")} {
		filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.Contains(name, ".pcap") {
				use(name)
			}
			return nil
		})
	}
}

// FuzzReader: whatever the bytes, a reader ends with io.EOF or an *Error, holds little memory, and
// gives the same however the bytes arrive.
func FuzzReader(f *testing.F) {
	good := pcapFile(1, three...)
	for _, b := range [][]byte{good, swapped(good), nanoseconds(good), gzipped(good), zstded(good), good[:60],
		slices.Concat(le.section(), le.iface(1), le.packet(0, 1, three[0]), le.block(3, uint32(9), "simple"), bg.section(), bg.iface(101), bg.packet(0, 7, three[2][14:]))} {
		f.Add(b)
	}
	eachCapture(func(name string) {
		if file, err := os.Open(name); err == nil {
			b, _ := io.ReadAll(io.LimitReader(file, 16<<10))
			f.Add(b)
			file.Close()
		}
	})
	read := func(t *testing.T, in io.Reader, quick bool) (got []Packet, failure *Error) {
		r, err := NewReader(in, "fuzz")
		if err == nil {
			if p, ok := r.format.(*pcap); ok && !quick { // each record as any other
				p.plain = false
			}
		}
		for err == nil && len(got) < 1000 {
			var p Packet
			if err = r.Next(&p); err == nil {
				if p.Wire < len(p.Data) || len(p.Data) > maxPacket {
					t.Fatalf("%+v", p)
				}
				p.Data = bytes.Clone(p.Data)
				got = append(got, p)
			}
		}
		if r != nil {
			if len(r.plain.buf) > 2*maxPacket {
				t.Fatalf("buffer of %d bytes", len(r.plain.buf))
			}
			r.Close()
		}
		if err != nil && err != io.EOF && !errors.As(err, &failure) {
			t.Fatal(err)
		}
		return got, failure
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		one, err1 := read(t, bytes.NewReader(b), true)
		two, err2 := read(t, iotest.HalfReader(bytes.NewReader(b)), false)
		if !slices.EqualFunc(one, two, func(a, b Packet) bool {
			same := bytes.Equal(a.Data, b.Data)
			return same && a.Number == b.Number && a.Time == b.Time && a.Wire == b.Wire && a.Link == b.Link && a.Iface == b.Iface
		}) || (err1 == nil) != (err2 == nil) || err1 != nil && err1.Error() != err2.Error() {
			t.Fatalf("%d packets, %v; %d packets, %v", len(one), err1, len(two), err2)
		}
	})
}

// FuzzParser: whatever the packets, nothing is made up: a payload lies in what was captured, and
// cutting a packet never gives another segment than the whole one, only less of it.
func FuzzParser(f *testing.F) {
	for _, c := range encapsulated() {
		f.Add(uint32(c.link), c.data, []byte{})
	}
	for _, b := range cut4(1, tcpBytes("hello, world"), 16) {
		f.Add(uint32(LinkRaw), b, cut4(1, tcpBytes("hello, world"), 16)[0])
	}
	eachCapture(func(name string) {
		files := OpenAll(name)
		defer files.Close()
		var p Packet
		before := []byte{}
		for n := 0; n < 400 && files.Next(&p) == nil; n++ {
			if n%40 == 3 && len(p.Data) < 1<<12 { // the handshake's, and some of what follows
				f.Add(uint32(p.Link), bytes.Clone(p.Data), before)
				before = bytes.Clone(p.Data)
			}
		}
	})
	f.Fuzz(func(t *testing.T, link uint32, data, before []byte) {
		var p Parser
		var s Segment
		p.Parse(&Packet{Link: LinkType(link), Wire: len(before), Data: before}, &s)
		pkt := Packet{Number: 2, Link: LinkType(link), Wire: len(data), Data: slices.Clip(data)}
		if ok := p.Parse(&pkt, &s); ok && (s.Wire < len(s.Payload) || s.Packet != 2 || len(s.Payload) > len(data)+len(before)) {
			t.Fatalf("%+v", s)
		}
		n := p.Stats
		if n.Packets != 2 || n.Segments+n.NotIP+n.NotTCP+n.Fragments+n.Short+n.Malformed+n.TooDeep+n.Link != 2 {
			t.Fatalf("%+v", n)
		}
		var whole, fast, cut Segment
		if LinkType(link) == LinkEthernet && plain(&pkt, &fast) && (!new(Parser).parse(&pkt, &whole) || !equal(fast, whole)) {
			t.Fatalf("%+v\n%+v", fast, whole)
		}
		ok := new(Parser).Parse(&pkt, &whole)
		half := pkt
		half.Data = slices.Clip(data[:len(data)/2+int(binary.LittleEndian.Uint16(append(data, 0, 0)))%(len(data)/2+1)])
		if new(Parser).Parse(&half, &cut) && ok && (cut.Seq != whole.Seq || cut.Src != whole.Src || cut.Wire != whole.Wire || !bytes.HasPrefix(whole.Payload, cut.Payload)) {
			t.Fatalf("%+v\n%+v", cut, whole)
		}
	})
}
