// Bench makes captures of two shapes with a deterministic generator and measures ksniff against the
// programs that people would use otherwise, in one run on one machine:
//
//	go run ./bench -bin ./ksniff                  both shapes, 700 MB and 290 MB
//	go run ./bench -shape small -size 50 -n 3     one of them, 50 MB, three runs
//	go run ./bench -capture FILE                  a capture of your own
//	go run ./bench -write F.pcap -shape big       only make the capture
//	go run ./bench -shape small -connections 100000 -topics 1000
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

var sizes = map[string]int64{"big": 727, "small": 290} // MB

func main() {
	binary := flag.String("bin", "./ksniff", "the program")
	name := flag.String("shape", "", "big or small (default: both)")
	size := flag.Int64("size", 0, "size of the capture in MB (default: 727 big, 290 small)")
	runs := flag.Int("n", 5, "runs of each command, after one that is not counted")
	write := flag.String("write", "", "write the capture to this file and measure nothing")
	connections := flag.Int("connections", 0, "so many connections, up to 16 million (default: of the shape)")
	topics := flag.Int("topics", 0, "so many topics (default: of the shape)")
	given := flag.String("capture", "", "measure this capture instead of a generated one")
	flag.Parse()
	for name, s := range shapes {
		if *connections > 0 {
			s.connections = *connections
		}
		if *topics > 0 {
			s.topics = *topics
		}
		shapes[name] = s
	}
	if err := run(*binary, *name, *size, *runs, *write, *given); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(binary, name string, size int64, runs int, write, given string) error {
	if given != "" {
		return measure(given, binary, runs)
	}
	names := []string{"big", "small"}
	if name != "" {
		if _, known := shapes[name]; !known {
			return fmt.Errorf("no shape %q; there are big and small", name)
		}
		names = []string{name}
	}
	folder, err := os.MkdirTemp("", "ksniff-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for _, name := range names {
		megabytes := size
		if megabytes == 0 {
			megabytes = sizes[name]
		}
		file := filepath.Join(folder, name+".pcap")
		if write != "" {
			file = write
		}
		made, err := create(file, shapes[name], megabytes*1e6)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %d MB, %d frames\n", name, megabytes, made.frames)
		if write != "" {
			continue
		}
		if err := measure(file, binary, runs); err != nil {
			return err
		}
		if err := codecsAlone(made); err != nil {
			return err
		}
		os.Remove(file)
	}
	return nil
}

func create(file string, s shape, size int64) (made, error) {
	out, err := os.Create(file)
	if err != nil {
		return made{}, err
	}
	m, err := generate(out, s, size)
	if closed := out.Close(); err == nil {
		err = closed
	}
	return m, err
}
