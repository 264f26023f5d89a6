package main

import (
	"bufio"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// decodeCommand decodes frames that the user has as text, without any capture. Nothing is redacted.
func decodeCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "decode [-o json] [FILE… | -]",
		Short: "Decode frames given as hex or JSON lines",
		Long: `Decode frames without any capture: lines of files or of standard input, each of them hex of a request
(with or without its length word) or JSON:
  {"kind":"request|response","key":0,"version":9,"hex":"header and body, without length"}
  {"kind":"request|response","type":"MULTIFETCH","hex":"a frame of Kafka 0.7, with length"}   (type null: find out)
  {"kind":"records","hex":"a record set"}
  {"kind":"inner","what":"ConsumerProtocolAssignment","version":3,"hex":"…"}
Every line gives one answer. Nothing is hidden, also not what other commands treat as secret.`,
		Example: `  echo 00000013001200000000000700096d792d636c69656e74 | ksniff decode -
  ksniff decode -o json frames.jsonl | jq .body`,
		RunE: func(c *cobra.Command, files []string) error {
			if format != "" && format != "json" {
				return usage("decode has no format %q; it has json", format)
			}
			d := newDecoder(format == "json")
			if len(files) == 0 {
				files = []string{"-"}
			}
			out := bufio.NewWriterSize(c.OutOrStdout(), 64<<10)
			for _, file := range files {
				if err := d.file(file, c.InOrStdin(), out); err != nil {
					out.Flush()
					return err
				}
			}
			return failedWriting(out.Flush())
		},
	}
	c.Flags().StringVarP(&format, "output", "o", "", "json: one object a line")
	return c
}

// file answers the lines of a file, or of standard input where its name is "-".
func (d *decoder) file(name string, in io.Reader, out *bufio.Writer) error {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return failed(err)
		}
		defer file.Close()
		in = file
	}
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			d.out = d.answer(d.out[:0], line)
			if _, err := out.Write(d.out); err != nil {
				return failedWriting(err)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return failed(err)
		case lines.Buffered() == 0: // somebody may wait for the answer
			if err := out.Flush(); err != nil {
				return failedWriting(err)
			}
		}
	}
}

func failedWriting(err error) error {
	if err == nil {
		return nil
	}
	return failed(err)
}
