package live

import (
	"bytes"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/net/bpf"

	"ksniff/capture"
)

func openLoopback(t *testing.T, o Options) *Source {
	t.Helper()
	o.Interface = "lo"
	source, err := Open(o)
	if err != nil {
		if os.Getuid() != 0 {
			t.Skipf("capturing needs CAP_NET_RAW: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { source.Close() })
	return source
}

// say sends datagrams over the loopback interface.
func say(t *testing.T, texts ...string) {
	t.Helper()
	to, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	from, err := net.Dial("udp", to.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	for _, text := range texts {
		if _, err := from.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
}

func collect(t *testing.T, source *Source, marker string) (found [][]byte) {
	t.Helper()
	for until := time.Now().Add(2 * time.Second); time.Now().Before(until); {
		var p capture.Packet
		err := source.Next(&p)
		if errors.Is(err, ErrIdle) {
			if len(found) > 0 {
				return found
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(p.Data, []byte(marker)) {
			found = append(found, bytes.Clone(p.Data))
		}
	}
	return found
}

func TestLoopbackPacketsComeOnce(t *testing.T) {
	source := openLoopback(t, Options{Ring: 2 << 20})
	say(t, "ksniff-one", "ksniff-two", "ksniff-three")
	found := collect(t, source, "ksniff-")
	if len(found) != 3 {
		t.Fatalf("3 datagrams were sent, %d captured", len(found))
	}
	for i, text := range []string{"ksniff-one", "ksniff-two", "ksniff-three"} {
		if want := 14 + 20 + 8 + len(text); len(found[i]) != want {
			t.Errorf("packet %d has %d bytes, want %d (Ethernet, IPv4, UDP, text)", i, len(found[i]), want)
		}
	}
	if c := source.Counters(); c.Received < 3 || c.Dropped != 0 {
		t.Errorf("counters %+v, want at least 3 received, none dropped", c)
	}
}

func TestSnapLengthAndFilterWorkInTheKernel(t *testing.T) {
	const snap = 50
	onlyUDP := func(_ capture.LinkType, keep uint32) ([]bpf.RawInstruction, error) {
		return bpf.Assemble([]bpf.Instruction{
			bpf.LoadAbsolute{Off: 23, Size: 1},
			bpf.JumpIf{Val: 17, SkipFalse: 1},
			bpf.RetConstant{Val: keep},
			bpf.RetConstant{Val: 0},
		})
	}
	source := openLoopback(t, Options{Ring: 2 << 20, Snap: snap, Filter: onlyUDP})
	say(t, "ksniff-a-rather-long-text")
	found := collect(t, source, "ksniff-")
	if len(found) != 1 || len(found[0]) != snap {
		t.Fatalf("captured %d packets, want one of %d bytes", len(found), snap)
	}
}

func TestUnknownInterfaceIsNamed(t *testing.T) {
	_, err := Open(Options{Interface: "no-such-0"})
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte(`"no-such-0"`)) {
		t.Fatalf("error %v does not name the interface", err)
	}
}
