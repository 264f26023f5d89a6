package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// request is ApiVersions 3 of client "rdk", with its length word; its fields were put together by hand.
const request = "0000003a" + "0012" + "0003" + "00000001" + "0003726466" + "00" +
	"17636f6e666c75656e742d6b61666b612d707974686f6e" + "14322e332e302d72646b61666b612d322e332e30" + "00"

// What the tools print of it.
var dumps = map[string]string{
	"xxd": `
00000000: 0000 003a 0012 0003 0000 0001 0003 7264  ...:..........rd
00000010: 6600 1763 6f6e 666c 7565 6e74 2d6b 6166  f..confluent-kaf
00000020: 6b61 2d70 7974 686f 6e14 322e 332e 302d  ka-python.2.3.0-
00000030: 7264 6b61 666b 612d 322e 332e 3000       rdkafka-2.3.0.
`, "xxd -g1 -u -c 20": `
00000000: 00 00 00 3a 00 12 00 03 00 00 00 01 00 03 72 64 66 00 17 63  ...:..........rdf..c
00000014: 6F 6E 66 6C 75 65 6E 74 2D 6B 61 66 6B 61 2D 70 79 74 68 6F  onfluent-kafka-pytho
00000028: 6E 14 32 2E 33 2E 30 2D 72 64 6B 61 66 6B 61 2D 32 2E 33 2E  n.2.3.0-rdkafka-2.3.
0000003c: 30 00                                                        0.
`, "hexdump -C": `
00000000  00 00 00 3a 00 12 00 03  00 00 00 01 00 03 72 64  |...:..........rd|
00000010  66 00 17 63 6f 6e 66 6c  75 65 6e 74 2d 6b 61 66  |f..confluent-kaf|
00000020  6b 61 2d 70 79 74 68 6f  6e 14 32 2e 33 2e 30 2d  |ka-python.2.3.0-|
00000030  72 64 6b 61 66 6b 61 2d  32 2e 33 2e 30 00        |rdkafka-2.3.0.|
0000003e
`, "od -t x1": `
0000000 00 00 00 3a 00 12 00 03 00 00 00 01 00 03 72 64
0000020 66 00 17 63 6f 6e 66 6c 75 65 6e 74 2d 6b 61 66
0000040 6b 61 2d 70 79 74 68 6f 6e 14 32 2e 33 2e 30 2d
0000060 72 64 6b 61 66 6b 61 2d 32 2e 33 2e 30 00
0000076
`, "od -Ax -tx1z": `
000000 00 00 00 3a 00 12 00 03 00 00 00 01 00 03 72 64  >...:..........rd<
000010 66 00 17 63 6f 6e 66 6c 75 65 6e 74 2d 6b 61 66  >f..confluent-kaf<
000020 6b 61 2d 70 79 74 68 6f 6e 14 32 2e 33 2e 30 2d  >ka-python.2.3.0-<
000030 72 64 6b 61 66 6b 61 2d 32 2e 33 2e 30 00        >rdkafka-2.3.0.<
00003e
`, "Wireshark, the bytes of kafka": `
0000   00 00 00 3a 00 12 00 03 00 00 00 01 00 03 72 64   ...:..........rd
0010   66 00 17 63 6f 6e 66 6c 75 65 6e 74 2d 6b 61 66   f..confluent-kaf
0020   6b 61 2d 70 79 74 68 6f 6e 14 32 2e 33 2e 30 2d   ka-python.2.3.0-
0030   72 64 6b 61 66 6b 61 2d 32 2e 33 2e 30 00         rdkafka-2.3.0.
`, "tcpdump -X": `
19:57:50.532703 IP 127.0.0.1.43446 > 127.0.0.1.9092: Flags [P.], seq 1:63, ack 1, win 64, length 62
	0x0000:  4500 0066 390d 4000 4006 0383 7f00 0001  E..f9.@.@.......
	0x0010:  7f00 0001 a9b6 2384 163c 897f 1c03 b2af  ......#..<......
	0x0020:  5018 0040 fe4e 0000 0000 003a 0012 0003  P..@.N.....:....
	0x0030:  0000 0001 0003 7264 6600 1763 6f6e 666c  ......rdf..confl
	0x0040:  7565 6e74 2d6b 6166 6b61 2d70 7974 686f  uent-kafka-pytho
	0x0050:  6e14 322e 332e 302d 7264 6b61 666b 612d  n.2.3.0-rdkafka-
	0x0060:  322e 332e 3000                           2.3.0.
`, "tcpdump -x": `
IP 127.0.0.1.43446 > 127.0.0.1.9092: Flags [P.], seq 1:63, ack 1, win 64, length 62
	0x0000:  4500 0066 390d 4000 4006 0383 7f00 0001
	0x0010:  7f00 0001 a9b6 2384 163c 897f 1c03 b2af
	0x0020:  5018 0040 fe4e 0000 0000 003a 0012 0003
	0x0030:  0000 0001 0003 7264 6600 1763 6f6e 666c
	0x0040:  7565 6e74 2d6b 6166 6b61 2d70 7974 686f
	0x0050:  6e14 322e 332e 302d 7264 6b61 666b 612d
	0x0060:  322e 332e 3000
`, "tshark -x": `
0000  00 00 00 00 00 00 00 00 00 00 00 00 08 00 45 00   ..............E.
0010  00 66 39 0d 40 00 40 06 03 83 7f 00 00 01 7f 00   .f9.@.@.........
0020  00 01 a9 b6 23 84 16 3c 89 7f 1c 03 b2 af 50 18   ....#..<......P.
0030  00 40 fe 4e 00 00 00 00 00 3a 00 12 00 03 00 00   .@.N.....:......
0040  00 01 00 03 72 64 66 00 17 63 6f 6e 66 6c 75 65   ....rdf..conflue
0050  6e 74 2d 6b 61 66 6b 61 2d 70 79 74 68 6f 6e 14   nt-kafka-python.
0060  32 2e 33 2e 30 2d 72 64 6b 61 66 6b 61 2d 32 2e   2.3.0-rdkafka-2.
0070  33 2e 30 00                                       3.0.
`,
	"colons":  strings.Join(pairs(request), ":"),
	"blanks":  strings.Join(pairs(request), "  "),
	"0x":      "0x" + strings.Join(pairs(request), ", 0x"),
	"one":     "0x" + request,
	"colours": "\x1b[32m" + request + "\x1b[0m",
}

func pairs(s string) (list []string) {
	for i := 0; i < len(s); i += 2 {
		list = append(list, s[i:i+2])
	}
	return list
}

func TestDecodeDumps(t *testing.T) {
	want, code := ksniffWith(t, request, "decode", "-o", "json")
	if code != exitDone || !strings.Contains(want, `"clientSoftwareVersion":"2.3.0-rdkafka-2.3.0"`) || !strings.Contains(want, `"fault":null`) {
		t.Fatal(want)
	}
	for name, dump := range dumps {
		for _, in := range []string{dump, strings.TrimSpace(dump), strings.ReplaceAll(strings.TrimSpace(dump), "\n", "\r\n"), "\n" + dump + "\n"} {
			out, code := ksniffWith(t, strings.TrimLeft(in, "\n"), "decode", "-o", "json")
			if first, _, _ := strings.Cut(out, "\n"); code != exitDone || first+"\n" != want {
				t.Errorf("%s ends with %d:\n%s\nwant\n%s", name, code, out, want)
			}
		}
		if out, _ := ksniffWith(t, dump+"\n"+dump, "decode"); strings.Count(out, "ApiVersions request v3") != 2 {
			t.Errorf("%s, twice:\n%s", name, out)
		}
	}
}

// Rows that are alike are left out by hexdump, od and xxd -a.
func TestDecodeRepeatedRows(t *testing.T) {
	body := append([]byte("\x00\x00\x00\x09\x00\x00\x00\x01\xff\xff"), make([]byte, 86)...)
	whole, _ := ksniffWith(t, hex.EncodeToString(body), "decode", "-o", "json")
	dump := "00000000  00 00 00 09 00 00 00 01  ff ff 00 00 00 00 00 00  |................|\n" +
		"00000010  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n"
	if out, code := ksniffWith(t, dump+"00000060\n", "decode", "-o", "json"); code != exitDone || out != whole {
		t.Errorf("exit %d\n%swant\n%s", code, out, whole)
	}
	od := "0000000 00 00 00 09 00 00 00 01 ff ff 00 00 00 00 00 00\n0000020 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n*\n0000140\n"
	if out, code := ksniffWith(t, od, "decode", "-o", "json"); code != exitDone || out != whole {
		t.Errorf("od: exit %d\n%swant\n%s", code, out, whole)
	}
	for _, end := range []string{"", "00000061\n", "fffffffffff0\n", "7fffffffffffffff\n", "7ffffff0\n"} {
		if out, code := ksniffWith(t, dump+end, "decode"); code != exitIO || out != "" {
			t.Errorf("%q: exit %d\n%s", end, code, out)
		}
	}
}

// Answers in packets are read where their request stands above.
func TestDecodeAnswersInPackets(t *testing.T) {
	packet := func(from, to byte, body string) string {
		b, err := hex.DecodeString(body)
		if err != nil {
			t.Fatal(err)
		}
		ip := []byte{0x45, 0, 0, byte(40 + 4 + len(b)), 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, from, 10, 0, 0, to, 0, from, 0, to,
			0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x18, 1, 0, 0, 0, 0, 0, 0, 0, 0, byte(len(b))}
		var rows strings.Builder
		for at, all := 0, append(ip, b...); at < len(all); at += 16 {
			fmt.Fprintf(&rows, "\t0x%04x:  %x\n", at, all[at:min(at+16, len(all))])
		}
		return rows.String()
	}
	ask, answer := packet(1, 2, "000c00040000000700016300"+"02670000000002"+"6d0000"), packet(2, 1, "0000000700"+"00000000"+"001b"+"00")
	out, code := ksniffWith(t, ask+answer, "decode")
	if code != exitDone || !strings.Contains(out, "Heartbeat request v4") || !strings.Contains(out, "Heartbeat response v4") || !strings.Contains(out, "27 REBALANCE_IN_PROGRESS") {
		t.Errorf("exit %d\n%s", code, out)
	}
	cut, _, _ := strings.Cut(ask, "\t0x0040:")
	if out, code := ksniffWith(t, cut, "decode"); code != exitDone || !strings.Contains(out, "Heartbeat request v4, 20 B") || !strings.Contains(out, "truncated (incomplete)") {
		t.Errorf("a packet that the snap length cut: exit %d\n%s", code, out)
	}
	udp := strings.Replace(strings.Replace(ask, " 4006 ", " 4011 ", 1), "4006", "4011", 1)
	arp := "12:00:00.000000 ARP, Request who-has 10.0.0.1 tell 10.0.0.2, length 28\n\t0x0000:  0001 0800 0604 0001 0242 0a00 0002 0a00\n\t0x0010:  0002 0000 0000 0000 0a00 0001\n"
	if out, code := ksniffWith(t, udp+arp, "decode"); code != exitDone || out != "" {
		t.Errorf("packets without TCP: exit %d\n%s", code, out)
	}
	if out, code := ksniffWith(t, answer, "decode"); code != exitIO || out != "" {
		t.Errorf("an answer alone: exit %d\n%s", code, out)
	}
}

// What ksniff prints of a capture, ksniff reads: each frame alike.
func TestDecodeWhatFramesPrints(t *testing.T) {
	for _, name := range []string{"admin", "errors", "kafka-0.8", "legacy", "legacy-errors", "secrets", "snaplen", "transactions"} {
		all := []string{pcap(name), "--payload", "--show-secrets"}
		frames, _ := ksniff(t, exitDone, append([]string{"frames", "-V", "--deep", "-o", "json"}, all...)...)
		dump, _ := ksniff(t, exitDone, append([]string{"frames", "-x"}, all...)...)
		out, code := ksniffWith(t, dump, "decode", "-o", "json")
		want, got := strings.Split(frames, "\n"), strings.Split(out, "\n")
		if code != exitDone || len(got) != len(want) {
			t.Fatalf("%s: exit %d, %d answers for %d frames", name, code, len(got)-1, len(want)-1)
		}
		for i := range want[:len(want)-1] {
			type frame struct {
				Kind, API    string
				Version      *int16
				Header, Body json.RawMessage
				Fault        *struct{ Code, Class string }
			}
			var w, g frame
			if err := json.Unmarshal([]byte(want[i]), &w); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(got[i]), &g); err != nil {
				t.Fatal(err)
			}
			if w.Kind != g.Kind || w.API != g.API || (w.Fault == nil) != (g.Fault == nil) || g.Version != nil && *w.Version != *g.Version ||
				g.Version != nil && !bytes.Equal(w.Header, g.Header) || !bytes.Equal(w.Body, g.Body) {
				t.Errorf("%s, frame %d:\n%s\nwant\n%s", name, i+1, got[i], want[i])
			}
		}
	}
}

// Without --payload record sets are hidden: the rest is read. What is hidden elsewhere is missing.
func TestDecodeHiddenBytes(t *testing.T) {
	dump, _ := ksniff(t, exitDone, "frames", "-x", pcap("errors"), "-Y", "api == Produce and client == 'fz-ok'")
	out, code := ksniffWith(t, dump, "decode")
	if code != exitDone || !strings.Contains(out, "records: ") || strings.Contains(out, "truncated (") || strings.Count(out, "Produce re") != 2 {
		t.Errorf("exit %d\n%s", code, out)
	}
	dump, _ = ksniff(t, exitDone, "frames", "-x", pcap("secrets"), "-c", "1", "-Y", "api == IncrementalAlterConfigs and kind == request")
	if out, code := ksniffWith(t, dump, "decode"); code != exitDone || !strings.Contains(out, "truncated (incomplete)") {
		t.Errorf("exit %d\n%s", code, out)
	}
	dump, _ = ksniff(t, exitDone, "frames", "-x", pcap("legacy"), "-c", "1")
	if out, code := ksniffWith(t, dump, "decode"); code != exitIO || out != "" {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// What is not clear is no frame: the error says the line, and what is wrong or would be right.
func TestDecodeUnclear(t *testing.T) {
	for in, want := range map[string]string{
		"zz":        "line 1: neither hex nor JSON nor a row of a dump",
		"123":       "line 1: neither hex nor JSON",
		"\n\nhello": "line 3: neither hex",
		"00000000: 3700 0000 1200 0300 0000 0100 0300 6472  ...:..........rd": "line 1: the text beside the bytes is not theirs",
		"00000000: 37000000 03001200  ...:....":                               "xxd -e",
		"0000000 0000 3700 1200 0300 0000 0100 0300 6472":                     "line 1: words in the order of the machine",
		"0000000 000000 033400 011000":                                        "line 1: words in the order",
		"00000010: 6600 1763  f..c":                                           "line 1: a row at 00000010: the rows before it are missing",
		"00000000: 0000 0037  ...7\n00000008: 6600  f.":                       "line 2: a row at 00000008, but the bytes before it end at 0x4",
		"00000000: 0000 zz37  ...7":                                           `line 1: the row has something else than bytes: "zz37"`,
		"0x00, 0x00, 0x00, 0x37,":                                             "line 1: the bytes go on in the next line",
		"12:00:00  a:1 → b:2  Fetch v4  #1  c  9 B\n":                         "line 1: no bytes stand below this line: ksniff frames -x prints them",
		"IP a.1 > b.2: Flags [S], length 0\nIP b.2 > a.1: Flags [S.]\n\n":     "line 1: no bytes stand below this line: tcpdump -x",
		"12:00:00  a:1 ← b:2  ?  #1  c  9 B\n    0000  00 00 00 01  ....":     "line 2: the line above this response does not say API and version",
	} {
		var out, errs strings.Builder
		if code := run([]string{"decode"}, strings.NewReader(in), &out, &errs); code != exitIO || out.Len() > 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("%q: exit %d, %s%s, want %s", in, code, out.String(), errs.String(), want)
		}
	}
	for _, name := range []string{"errors.pcap", "quickstart.pcap"} {
		if out, errs := ksniff(t, exitIO, "decode", "../../pcaps/"+name); out != "" || !strings.Contains(errs, "this is a capture") {
			t.Errorf("%s%s", out, errs)
		}
	}
	var errs strings.Builder
	run([]string{"decode"}, strings.NewReader(strings.Repeat("zz\n", 30)), io.Discard, &errs)
	if strings.Count(errs.String(), "\n") != mostComplaints+1 || !strings.HasSuffix(errs.String(), "ksniff: 10 lines more could not be read\n") {
		t.Error(errs.String())
	}
	// A wrong line does not take the others with it.
	out, code := ksniffWith(t, request+"\nzz\n"+request, "decode")
	if code != exitIO || strings.Count(out, "ApiVersions request v3") != 2 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// Any text has answers that are JSON, and no panic.
func FuzzDecodeText(f *testing.F) {
	for _, dump := range dumps {
		f.Add(dump)
	}
	f.Add("    0000  -- 12  .\n    002f  13036 bytes (record set)\n*\n0000003e\n")
	f.Add("00000000  00 00\n*\n00000100\n")
	f.Fuzz(func(t *testing.T, in string) {
		var out strings.Builder
		d := newDecoder(true)
		d.out, d.errs = bufio.NewWriter(&out), io.Discard
		if err := d.all(strings.NewReader(in)); err != nil {
			t.Fatal(err)
		}
		d.out.Flush()
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("%q gives %s", in, line)
			}
		}
	})
}
