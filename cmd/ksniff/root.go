package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ksniff/report/escape"
)

// The exit codes (DESIGN, section 6). What cannot be read, written or is not permitted ends with exitIO.
const (
	exitDone     = 0
	exitFindings = 1
	exitUsage    = 2
	exitIO       = 3
)

// exitError carries an exit code; its message, if any, was or will be printed to standard error.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}
func (e exitError) Unwrap() error { return e.err }

// failed wraps what went wrong with input or output.
func failed(err error) error { return exitError{exitIO, err} }

// usage wraps what the user should have written otherwise.
func usage(format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf(format, args...)}
}

// run is main with everything passed in, so that tests can call it. It returns the exit code.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	switch exit := (exitError{}); {
	case err == nil:
		return exitDone
	case errors.Is(err, syscall.EPIPE):
		return exitDone // whoever read our output has seen enough
	case errors.As(err, &exit):
		if exit.err != nil {
			fmt.Fprintf(errs, "ksniff: %s\n", printable(exit.err))
		}
		return exit.code
	default: // cobra's own: unknown commands and flags
		fmt.Fprintf(errs, "ksniff: %s\n", printable(err))
		return exitUsage
	}
}

// printable is an error's text without control characters: a file's name may have any. Lines stay lines.
func printable(err error) string {
	lines := strings.Split(strings.ReplaceAll(err.Error(), "\n\t", "\n  "), "\n") // cobra indents by tabs
	for i := range lines {
		lines[i] = string(escape.Text(nil, lines[i]))
	}
	return strings.Join(lines, "\n")
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "ksniff",
		Short:         "Read Kafka off the wire and tell the truth about it",
		Example:       "  ksniff report capture.pcap\n  ksniff frames -i eth0 -Y 'error != 0'",
		Version:       release,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate(versionText())
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usage("%s", strings.ReplaceAll(err.Error(), "strconv.ParseUint: ", ""))
	})
	mannersFlags(root)
	examplesFirst(root)
	root.Flags().BoolP("list-interfaces", "D", false, "list the interfaces that -i knows")
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage("unknown command %q; ksniff --help lists them", args[0])
		}
		return c.Help()
	}
	root.AddCommand(
		reportCommand(),
		framesCommand(),
		whoCommand(),
		topCommand(),
		serveCommand(),
		maskCommand(),
		decodeCommand(),
		auditCommand(),
		explainCommand(),
		manCommand(),
	)
	return root
}
