package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets this program be ksniff, or one end of the traffic, when a test starts it again in a network
// namespace.
func TestMain(m *testing.M) {
	switch os.Getenv("KSNIFF_TEST_AS") {
	case "ksniff":
		code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
		if file := os.Getenv("KSNIFF_TEST_STATUS"); file != "" {
			if status, err := os.ReadFile("/proc/self/status"); err == nil {
				os.WriteFile(file, status, 0o600)
			}
		}
		os.Exit(code)
	case "player":
		if err := play(os.Args[1], os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// lab is a set of network namespaces, made for a test.
type lab struct {
	t      *testing.T
	prefix string
}

func namespaces(t *testing.T, names ...string) *lab {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("making network namespaces needs root")
	}
	for _, tool := range []string{"ip", "tcpdump"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no " + tool + " here")
		}
	}
	n := &lab{t, fmt.Sprintf("ksniff%d", os.Getpid())}
	for _, name := range names {
		if out, err := exec.Command("ip", "netns", "add", n.prefix+name).CombinedOutput(); err != nil {
			t.Skipf("no network namespaces here: %s", out)
		}
		t.Cleanup(func() { exec.Command("ip", "netns", "del", n.prefix+name).Run() }) //nolint:errcheck // nothing can be done
	}
	return n
}

// ip runs lines of ip commands in a namespace. NS-x is the name of namespace x.
func (n *lab) ip(name string, lines ...string) {
	n.t.Helper()
	for _, line := range lines {
		line = strings.ReplaceAll(line, "NS-", n.prefix)
		args := append([]string{"-n", n.prefix + name}, strings.Fields(line)...)
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			n.t.Fatalf("ip %s: %v: %s", line, err, out)
		}
	}
}

// command prepares a command in a namespace; as says what this program is there, "" for another program.
func (n *lab) command(name, as string, args ...string) *exec.Cmd {
	if as != "" {
		args = append([]string{os.Args[0]}, args...)
	}
	c := exec.Command("ip", append([]string{"netns", "exec", n.prefix + name}, args...)...)
	c.Env = append(os.Environ(), "KSNIFF_TEST_AS="+as)
	return c
}

// background is a command that runs until it is told to end.
type background struct {
	*exec.Cmd
	out, errs bytes.Buffer
	done      chan error
}

func (n *lab) start(c *exec.Cmd) *background {
	n.t.Helper()
	b := &background{Cmd: c, done: make(chan error, 1)}
	c.Stdout, c.Stderr = &b.out, &b.errs
	if err := c.Start(); err != nil {
		n.t.Fatal(err)
	}
	go func() { b.done <- c.Wait() }()
	n.t.Cleanup(func() { c.Process.Kill() }) //nolint:errcheck // it may have ended
	return b
}

// end waits for a command to which a signal, if any, is sent first.
func (b *background) end(t *testing.T, signal os.Signal) error {
	t.Helper()
	if signal != nil {
		b.Process.Signal(signal) //nolint:errcheck // it may have ended
	}
	select {
	case err := <-b.done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("%v does not end: %s", b.Args, b.errs.String())
		return nil
	}
}

// sockets waits until so many packet sockets take packets in a namespace. One that is open but not bound
// yet has protocol 0 (fourth column).
func (n *lab) sockets(name string, want int) {
	n.t.Helper()
	for range 1000 {
		out, _ := n.command(name, "", "cat", "/proc/net/packet").Output()
		taking := 0
		for line := range strings.Lines(string(out)) {
			if columns := strings.Fields(line); len(columns) > 3 && columns[3] == "0003" {
				taking++
			}
		}
		if taking >= want {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	n.t.Fatalf("no %d packet sockets in %s", want, name)
}

// traffic plays the Kafka connections of a capture between two namespaces, over real sockets.
func (n *lab) traffic(client, server, address string) {
	n.t.Helper()
	const file = "../../pcaps/quickstart.pcap"
	s := n.start(n.command(server, "player", "server", address, file))
	time.Sleep(200 * time.Millisecond)
	c := n.start(n.command(client, "player", "client", address, file))
	if err := c.end(n.t, nil); err != nil {
		n.t.Fatalf("client: %v: %s", err, c.errs.String())
	}
	if err := s.end(n.t, nil); err != nil {
		n.t.Fatalf("server: %v: %s", err, s.errs.String())
	}
	time.Sleep(300 * time.Millisecond) // the kernel hands over blocks that are not full after 60 ms
}

// veth connects namespaces a and b; their ends are va and vb.
func (n *lab) veth() {
	n.t.Helper()
	n.ip("a", "link set lo up", "link add name va type veth peer name vb netns NS-b", "link set va up", "addr add 10.9.0.1/24 dev va", "addr add fd09::1/64 dev va nodad")
	n.ip("b", "link set lo up", "link set vb up", "addr add 10.9.0.2/24 dev vb", "addr add fd09::2/64 dev vb nodad")
}

// counts is a report without what depends on the time or the name of the source.
func counts(t *testing.T, report []byte) map[string]any {
	t.Helper()
	var r map[string]any
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatalf("%v: %s", err, report)
	}
	return timeless(r).(map[string]any)
}

func timeless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			switch {
			case strings.HasSuffix(key, "_ms"), strings.HasSuffix(key, "_per_second"), key == "seconds", key == "first", key == "last", key == "sources":
				delete(v, key)
			default:
				v[key] = timeless(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = timeless(v[i])
		}
	}
	return v
}

// Live counts are those of the same traffic captured by tcpdump at the same time, and of what -w wrote.
func TestLiveEqualsTcpdump(t *testing.T) {
	for _, c := range []struct {
		name, iface, address, filter string
		client                       string
		bytes                        bool // tcpdump has the same link type
	}{
		{name: "IPv4", iface: "vb", address: "10.9.0.2", filter: "tcp", client: "a", bytes: true},
		{name: "IPv6", iface: "vb", address: "fd09::2", filter: "ip6 and tcp portrange 9000-9100", client: "a", bytes: true},
		{name: "everything", iface: "vb", address: "10.9.0.2", filter: "", client: "a", bytes: true},
		{name: "loopback", iface: "lo", address: "127.0.0.1", filter: "tcp", client: "b", bytes: true},
		{name: "any, loopback", iface: "any", address: "127.0.0.1", filter: "tcp port 9092", client: "b"},
		{name: "any, veth", iface: "any", address: "10.9.0.2", filter: "tcp port 9092 and src or dst net 10.9.0.0/24", client: "a"},
		{name: "any, IPv6", iface: "any", address: "fd09::2", filter: "ip6 and tcp and host fd09::1", client: "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "IPv4" && c.name != "loopback" {
				t.Skip("takes two seconds")
			}
			n := namespaces(t, "a", "b")
			n.veth()
			n.compare("b", c.iface, c.filter, c.bytes, nil, func() { n.traffic(c.client, "b", c.address) })
		})
	}
}

// The kernel takes the outer VLAN tag out of a packet; filters see it, and what is written has it again.
func TestLiveVLAN(t *testing.T) {
	n := namespaces(t, "a", "b")
	n.veth()
	n.ip("a", "link set va mtu 65535")
	n.ip("b", "link set vb mtu 65535")
	// Not on any: there tcpdump has no filter for tags to compare with.
	n.compare("b", "vb", "vlan 10 and tcp port 22091", true, []string{"--promisc"}, func() {
		s := n.start(n.command("a", "player", "tag", "va", "../../pcaps/quickstart.pcap"))
		if err := s.end(t, nil); err != nil {
			t.Fatalf("%v: %s", err, s.errs.String())
		}
		time.Sleep(300 * time.Millisecond)
	})
}

// A bridge that only passes packets on shows them in promiscuous mode.
func TestLiveOnABridge(t *testing.T) {
	n := namespaces(t, "a", "m", "c")
	n.ip("m", "link set lo up", "link add name br0 type bridge", "link set br0 up",
		"link add name vm1 type veth peer name va netns NS-a", "link add name vm2 type veth peer name vc netns NS-c",
		"link set vm1 master br0", "link set vm2 master br0", "link set vm1 up", "link set vm2 up")
	n.ip("a", "link set va up", "addr add 10.9.0.1/24 dev va")
	n.ip("c", "link set vc up", "addr add 10.9.0.2/24 dev vc")
	n.compare("m", "br0", "tcp", true, []string{"--promisc"}, func() { n.traffic("a", "c", "10.9.0.2") })
}

// unnumbered takes the packet numbers out of a report's unanswered requests.
func unnumbered(report map[string]any) {
	list, _ := report["unanswered"].([]any)
	for _, one := range list {
		if request, is := one.(map[string]any); is {
			delete(request, "packet")
		}
	}
}

// compare captures with ksniff and with tcpdump while something happens.
func (n *lab) compare(where, iface, filter string, bytes bool, flags []string, happens func()) {
	t := n.t
	t.Helper()
	dir := t.TempDir()
	dump, wrote := filepath.Join(dir, "dump.pcap"), filepath.Join(dir, "wrote.pcapng")
	tcpdump := n.start(n.command(where, "", "tcpdump", "-Z", "root", "-i", iface, "-w", dump, "-s", "0", "-B", "32768", filter))
	live := n.start(n.command(where, "ksniff", append([]string{"report", "-i", iface, "-o", "json", "-w", wrote, "-f", filter}, flags...)...))
	n.sockets(where, 2)
	happens()
	time.Sleep(1200 * time.Millisecond) // tcpdump looks at its buffer once a second, and leaves there what it has not seen
	if err := live.end(t, os.Interrupt); err != nil {
		t.Fatalf("ksniff: %v: %s", err, live.errs.String())
	}
	if err := tcpdump.end(t, os.Interrupt); err != nil {
		t.Fatalf("tcpdump: %v: %s", err, tcpdump.errs.String())
	}
	for _, word := range []string{" packets captured", " received by filter", " 0 dropped by kernel"} {
		if !strings.Contains(live.errs.String(), word) {
			t.Errorf("the summary %q does not say%s", live.errs.String(), word)
		}
	}
	got := counts(t, live.out.Bytes())
	delete(got["capture"].(map[string]any), "capture_filter") // the files hold only what passed it
	for _, file := range []string{dump, wrote} {
		out, _ := ksniff(t, exitDone, "report", "-o", "json", file)
		want := counts(t, []byte(out))
		if !bytes && file == dump { // another link type, another size of its header
			delete(want["capture"].(map[string]any), "bytes")
			delete(got["capture"].(map[string]any), "bytes")
		} else if !bytes {
			delete(want["capture"].(map[string]any), "bytes")
		}
		if filter == "" { // packets of other protocols come at any time, so numbers of packets differ
			delete(want, "capture")
			unnumbered(got)
			unnumbered(want)
		}
		for key := range want {
			if !reflect.DeepEqual(got[key], want[key]) {
				t.Errorf("live, %s:\n%v\nof %s:\n%v", key, got[key], filepath.Base(file), want[key])
			}
		}
	}
	if filter == "" {
		if out, err := exec.Command("tcpdump", "-r", wrote, "arp").Output(); err != nil || len(out) == 0 {
			t.Errorf("no ARP in what is written without a filter: %v", err)
		}
	}
	// The capture that was played has 19 topics with 25 messages each (pcaps/README.md).
	if topics, _ := got["topics"].([]any); len(topics) < 19 {
		t.Errorf("live there were %d topics: %s", len(topics), live.errs.String())
	}
}

// An interface that goes down and comes back goes on; one that is deleted ends the capture with its report.
func TestLiveInterfaceGoesDown(t *testing.T) {
	n := namespaces(t, "a", "b")
	n.veth()
	live := n.start(n.command("b", "ksniff", "report", "-i", "vb", "-o", "json"))
	n.sockets("b", 1)
	n.traffic("a", "b", "10.9.0.2")
	n.ip("b", "link set vb down")
	time.Sleep(300 * time.Millisecond)
	n.ip("b", "link set vb up")
	time.Sleep(300 * time.Millisecond)
	n.traffic("a", "b", "10.9.0.2")
	n.ip("a", "link del va")
	if err := live.end(t, nil); err == nil || !strings.Contains(live.errs.String(), "interface vb is gone") {
		t.Errorf("%v: %s", err, live.errs.String())
	}
	if !strings.Contains(live.errs.String(), "went down") {
		t.Errorf("%q does not say that the interface went down", live.errs.String())
	}
	played, _ := ksniff(t, exitDone, "report", "-o", "json", "-f", "port 22091", pcap("quickstart"))
	once, both := totalOf(t, []byte(played)), totalOf(t, live.out.Bytes())
	if both != 2*once || once == 0 {
		t.Errorf("%v messages in what was played twice, %v live", once, both)
	}
}

func totalOf(t *testing.T, out []byte) int64 {
	t.Helper()
	var r reportJSON
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return r.Totals.Produce.Messages
}

// What a killed capture has written can be read.
func TestLiveKilledLeavesAReadableFile(t *testing.T) {
	n := namespaces(t, "a", "b")
	n.veth()
	for _, flags := range [][]string{nil, {"--mask", "payload"}} {
		file := filepath.Join(t.TempDir(), "killed.pcapng")
		live := n.start(n.command("b", "ksniff", append([]string{"report", "-i", "vb", "-w", file}, flags...)...))
		n.sockets("b", 1)
		n.traffic("a", "b", "10.9.0.2")
		time.Sleep(500 * time.Millisecond)
		live.end(t, os.Kill) //nolint:errcheck // it was killed
		if r := reported(t, file); r.Totals.Produce.Messages == 0 || r.Ledger.Completeness < 1 {
			t.Errorf("%v: %d messages, completeness %v", flags, r.Totals.Produce.Messages, r.Ledger.Completeness)
		}
	}
}

// SIGUSR1 prints statistics and the capture goes on; SIGTERM ends it with its report and success.
func TestLiveSignals(t *testing.T) {
	n := namespaces(t, "b")
	n.ip("b", "link set lo up")
	live := n.start(n.command("b", "ksniff", "report", "-i", "lo"))
	n.sockets("b", 1)
	time.Sleep(200 * time.Millisecond)
	live.Process.Signal(syscall.SIGUSR1) //nolint:errcheck // seen by what follows
	n.traffic("b", "b", "127.0.0.1")
	if err := live.end(t, syscall.SIGTERM); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
	if lines := strings.Count(live.errs.String(), "packets captured"); lines != 2 {
		t.Errorf("%d lines of statistics, want one on SIGUSR1 and one at the end:\n%s", lines, live.errs.String())
	}
	if !strings.Contains(live.out.String(), "Produce") {
		t.Errorf("no report:\n%s", live.out.String())
	}
}

// Packets for which the ring had no room are said to be lost, and are a gap: nothing is counted that was not seen.
func TestLiveDropsAreAGap(t *testing.T) {
	n := namespaces(t, "b")
	n.ip("b", "link set lo up")
	live := n.start(n.command("b", "ksniff", "report", "-i", "lo", "-o", "json", "-B", "2M"))
	n.sockets("b", 1)
	time.Sleep(200 * time.Millisecond)
	live.Process.Signal(syscall.SIGSTOP) //nolint:errcheck // seen by what follows
	flood := n.start(n.command("b", "player", "flood", "127.0.0.1", "../../pcaps/quickstart.pcap"))
	time.Sleep(700 * time.Millisecond)
	live.Process.Signal(syscall.SIGCONT) //nolint:errcheck // likewise
	if err := flood.end(t, nil); err != nil {
		t.Fatalf("%v: %s", err, flood.errs.String())
	}
	time.Sleep(500 * time.Millisecond)
	if err := live.end(t, os.Interrupt); err != nil {
		t.Fatalf("%v: %s", err, live.errs.String())
	}
	var r struct {
		Capture struct {
			Dropped int64 `json:"dropped_packets"`
		}
		Ledger struct {
			Gap          int64 `json:"gap_bytes"`
			Completeness float64
		}
		Frames struct{ Requests int64 }
	}
	if err := json.Unmarshal(live.out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Capture.Dropped == 0 || r.Ledger.Gap == 0 || r.Ledger.Completeness >= 1 || r.Frames.Requests == 0 || r.Frames.Requests >= floodRequests {
		t.Errorf("of %d requests: %+v: %s", floodRequests, r, live.errs.String())
	}
}
