package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"ksniff/report"
)

// decodeCommand decodes frames that the user has as text, without any capture. Nothing is redacted.
func decodeCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "decode [-o json] [FILE… | -]",
		Short: "Decode frames given as hex, as dumps or as JSON lines",
		Long: `Decode frames without any capture: files or standard input, in which a frame is
- a line of hex: a request, with or without its length word; blanks, colons, commas, 0x and \x do not matter
- a dump with offsets, as xxd, hexdump -C, od -t x1 and Wireshark print it, of a request as above
- packets as tcpdump -x, -X, -xx, -XX and tshark -x print them; answers too, where their request stands above
- what ksniff frames -x prints: --payload and --show-secrets show all bytes
- a line of JSON:
  {"kind":"request|response","key":0,"version":9,"hex":"header and body, without length"}
  {"kind":"request|response","type":"MULTIFETCH","hex":"a frame of Kafka 0.7, with length"}   (type null: find out)
  {"kind":"records","hex":"a record set"}
  {"kind":"inner","what":"ConsumerProtocolAssignment","version":3,"hex":"…"}
Every line and every dump gives one answer, every packet one for each frame in it. What cannot be read is said on
standard error with its line, and the exit code is 3; faults of frames are no such thing. Nothing is hidden, also not
what other commands treat as secret.`,
		Example: `  echo 00000013001200000000000700096d792d636c69656e74 | ksniff decode -
  xxd request.bin | ksniff decode -
  ksniff decode -o json frames.jsonl | jq .body`,
		RunE: func(c *cobra.Command, files []string) error {
			if format != "" && format != "json" {
				return usage("decode has no format %q; it has json", format)
			}
			d := newDecoder(format == "json")
			d.errs = c.ErrOrStderr()
			if len(files) == 0 {
				files = []string{"-"}
			}
			if slices.Contains(files, "-") && terminalWidth(c.InOrStdin()) > 0 && !mannersOf(c).quiet {
				fmt.Fprintln(d.errs, "Paste a frame; an empty line or Ctrl-D ends a dump.")
			}
			d.out = bufio.NewWriterSize(c.OutOrStdout(), 64<<10)
			for _, file := range files {
				if err := d.file(file, c.InOrStdin()); err != nil {
					d.out.Flush()
					return err
				}
			}
			if err := d.out.Flush(); err != nil {
				return failed(err)
			}
			if more := d.unreadable - mostComplaints; more > 0 {
				fmt.Fprintf(d.errs, "ksniff: %s more could not be read\n", report.Plural(int64(more), "line"))
			}
			if d.unreadable > 0 {
				return exitError{code: exitIO}
			}
			return nil
		},
	}
	c.Flags().StringVarP(&format, "output", "o", "", "json: one object a line")
	return c
}

// file answers what is in a file, or in standard input where its name is "-".
func (d *decoder) file(name string, in io.Reader) error {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return failed(err)
		}
		defer file.Close()
		in = file
	}
	return d.all(in)
}

func (d *decoder) all(in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	first := true
	for {
		line, err := lines.ReadBytes('\n')
		if first && isCapture(line, lines) {
			return failed(errors.New("this is a capture, not text: ksniff frames reads it"))
		}
		if first = false; len(line) > 0 {
			d.read(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			d.end()
			return d.failed()
		case err != nil:
			return failed(err)
		case lines.Buffered() == 0: // somebody may wait for the answer
			d.out.Flush()
		}
		if err := d.failed(); err != nil {
			return err
		}
	}
}

// isCapture says whether the first line of an input is the beginning of a capture, or of something compressed.
func isCapture(line []byte, rest *bufio.Reader) bool {
	for _, magic := range []string{"\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x4d\x3c\xb2\xa1", "\xa1\xb2\x3c\x4d", "\x1f\x8b", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(line, []byte(magic)) {
			return true
		}
	}
	if string(line) != "\n" || rest.Buffered() < 3 {
		return false
	}
	next, _ := rest.Peek(3)
	return string(next) == "\r\r\n" // pcapng
}

// failed says why the answers could not be written, nil where they could.
func (d *decoder) failed() error {
	if _, err := d.out.Write(nil); err != nil {
		return failed(err)
	}
	return nil
}

// read takes a line: a question of its own, or a part of a dump.
func (d *decoder) read(line []byte) {
	d.line++
	line = bytes.TrimSpace(bytes.TrimPrefix(escapes.ReplaceAll(line, nil), []byte("\ufeff")))
	if len(line) > 0 && line[0] == '{' {
		d.end()
		q := question{line: d.line}
		d.answer(&q, q.read(line))
		return
	}
	if d.dumped(string(line)) {
		return
	}
	if d.end() && len(line) == 0 {
		return
	}
	if len(line) == 0 && !d.json {
		return // nothing is asked; in JSON each line has its answer
	}
	q := question{line: d.line}
	d.answer(&q, q.read(line))
}

// escapes are the colours of a terminal.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")
