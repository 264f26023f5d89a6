package capture

import (
	"bytes"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// oracle is the innermost TCP segment as gopacket decodes it; false without.
func oracle(link LinkType, data []byte) (s Segment, ok bool) {
	packet := gopacket.NewPacket(data, layers.LinkType(link), gopacket.DecodeOptions{NoCopy: true})
	for _, layer := range packet.Layers() {
		switch l := layer.(type) {
		case *layers.IPv4:
			s.Src, s.Dst = address(l.SrcIP), address(l.DstIP)
		case *layers.IPv6:
			s.Src, s.Dst = address(l.SrcIP), address(l.DstIP)
		case *layers.TCP:
			ok = true
			s.SrcPort, s.DstPort, s.Seq, s.Ack, s.Window = uint16(l.SrcPort), uint16(l.DstPort), l.Seq, l.Ack, l.Window
			s.Payload, s.Flags = l.Payload, l.Contents[13]
		}
	}
	return s, ok
}

func address(b []byte) [16]byte {
	a, _ := netip.AddrFromSlice(b)
	return a.As16()
}

// Our parser and gopacket's agree on everything that both read.
func TestEncapsulationsEqualGopacket(t *testing.T) {
	both := 0
	for _, c := range encapsulated() {
		want, ok := oracle(c.link, c.data)
		if !ok {
			t.Logf("%s: gopacket finds no TCP", c.name)
			continue
		}
		both++
		got, _, _ := parseOne(c.link, c.data)
		got.Packet, got.Time, got.Wire = 0, 0, 0
		if !equal(got, want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
	}
	if both < 25 {
		t.Errorf("only %d compared", both)
	}
}

// shared is the folder of captures beside the repository; the test is skipped where it is not there.
func shared(t testing.TB) string {
	dir := os.Getenv("KSNIFF_SHARED")
	if dir == "" {
		dir, _ = os.Getwd()
		for dir != filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			dir = filepath.Dir(dir)
		}
		dir = filepath.Join(filepath.Dir(dir), "shared")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no captures: ", err)
	}
	return dir
}

// Reader and parser agree with gopacket on whole captures: bytes, times, lengths and segments.
func TestCapturesEqualGopacket(t *testing.T) {
	var files []string
	for _, folder := range []string{"modern", "old", "legacy"} { // gopacket refuses some of the public ones
		found, _ := filepath.Glob(filepath.Join(shared(t), "captures", folder, "*.pcap*"))
		files = append(files, found...)
	}
	if testing.Short() {
		var some []string
		for i := 0; i < len(files); i += 12 {
			some = append(some, files[i])
		}
		files = some
	}
	total := 0
	for _, name := range files {
		if strings.HasSuffix(name, ".zst") || strings.Contains(name, "derived-truncated") {
			continue
		}
		total += compareCapture(t, name)
	}
	if total < 1000 {
		t.Errorf("only %d packets compared", total)
	}
}

func compareCapture(t *testing.T, name string) (packets int) {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var theirs interface {
		ReadPacketData() ([]byte, gopacket.CaptureInfo, error)
		LinkType() layers.LinkType
	}
	if theirs, err = pcapgo.NewReader(bytes.NewReader(b)); err != nil {
		if theirs, err = pcapgo.NewNgReader(bytes.NewReader(b), pcapgo.DefaultNgReaderOptions); err != nil {
			t.Fatal(name, err)
		}
	}
	ours, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	var parser Parser
	for {
		var p Packet
		err := ours.Next(&p)
		data, info, err2 := theirs.ReadPacketData()
		if err == io.EOF && err2 == io.EOF {
			return packets
		}
		if err != nil || err2 != nil {
			t.Fatal(name, packets, err, err2)
		}
		packets++
		if !bytes.Equal(p.Data, data) || p.Time != info.Timestamp.UnixNano() || p.Wire != info.Length || p.Link != LinkType(theirs.LinkType()) {
			t.Fatalf("%s: packet %d: %d of %d bytes at %d, want %d of %d at %v", name, p.Number, len(p.Data), p.Wire, p.Time, len(data), info.Length, info.Timestamp)
		}
		var got Segment
		ok := parser.Parse(&p, &got)
		want, ok2 := oracle(p.Link, data)
		got.Packet, got.Time = 0, 0
		if cut := got.Wire - len(got.Payload); cut != info.Length-len(data) && cut != 0 {
			t.Fatalf("%s: packet %d: %d bytes cut", name, p.Number, cut)
		}
		got.Wire = 0
		if ok != ok2 || ok && !equal(got, want) {
			t.Fatalf("%s: packet %d: %v %+v, want %v %+v", name, p.Number, ok, got, ok2, want)
		}
	}
}
