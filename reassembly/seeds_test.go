package reassembly

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ksniff/capture"
)

// seedScripts are scripts for FuzzAssembler with the segments of real captures: those of the repository, and all
// under KSNIFF_SHARED where that is set. A script has one byte for a length, so streams are shrunk.
func seedScripts(t testing.TB) (scripts [][]byte) {
	const most = 400 // segments of a script
	for _, root := range []string{"../pcaps", os.Getenv("KSNIFF_SHARED")} {
		filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.Contains(name, ".pcap") {
				return nil
			}
			files := capture.OpenAll(name)
			defer files.Close()
			var packet capture.Packet
			var parser capture.Parser
			var segments []Segment
			longest := 255
			for len(segments) < most && files.Next(&packet) == nil {
				var s capture.Segment
				if parser.Parse(&packet, &s) {
					s.Payload = nil
					segments = append(segments, Segment(s))
					longest = max(longest, s.Wire)
				}
			}
			if script := script(segments, int64(longest)); len(script) > 0 {
				scripts = append(scripts, script)
			}
			return nil
		})
	}
	if len(scripts) < 10 {
		t.Fatalf("%d captures", len(scripts))
	}
	return scripts
}

// script writes segments as FuzzAssembler reads them, 255 bytes of a payload for each longest ones.
func script(segments []Segment, longest int64) (script []byte) {
	type side struct {
		addr [16]byte
		port uint16
	}
	first, conns := map[side]uint32{}, map[uint16]byte{}
	for _, s := range segments {
		from, port := side{s.Src, s.SrcPort}, max(s.SrcPort, s.DstPort)
		if _, ok := first[from]; !ok {
			first[from] = s.Seq
		}
		if _, ok := conns[port]; !ok {
			conns[port] = byte(len(conns) & 3)
		}
		off := int64(s.Seq - first[from])
		start, end := off*255/longest, (off+int64(s.Wire))*255/longest
		b0 := conns[port] << 1
		if s.SrcPort < s.DstPort {
			b0 |= 1
		}
		script = append(script, b0, s.Flags, byte(start>>16), byte(start>>8), byte(start), byte(start>>4), byte(end-start), 0)
	}
	return script
}
