package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand writes man pages from the same flags that --help shows. (cobra's generator goes by way of
// Markdown and YAML and adds 0.6 MB to the binary.)
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the man pages",
		Example: "  ksniff man /usr/local/share/man/man1\n  ksniff man . && man ./ksniff-report.1",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			pages := append([]*cobra.Command{c.Root()}, c.Root().Commands()...)
			for _, page := range pages {
				if err := writeManPage(args[0], page); err != nil {
					return failed(err)
				}
			}
			return nil
		},
	}
}

func writeManPage(folder string, c *cobra.Command) error {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	file, err := os.Create(filepath.Join(folder, name+".1"))
	if err != nil {
		return err
	}
	manPage(file, name, c)
	return file.Close()
}

// manPage writes a page in the man macros; an error of writing shows when the file is closed or synced.
func manPage(w io.Writer, name string, c *cobra.Command) {
	fmt.Fprintf(w, ".TH %s 1\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(name)), roff(name), roff(c.Short))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	if c.Long != "" {
		fmt.Fprintf(w, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(c.Long))
	}
	if c.Example != "" {
		fmt.Fprintf(w, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	fmt.Fprint(w, ".SH OPTIONS\n")
	option := func(f *pflag.Flag) {
		names := "--" + f.Name
		if f.Shorthand != "" {
			names = "-" + f.Shorthand + ", " + names
		}
		if kind, _ := pflag.UnquoteUsage(f); kind != "" {
			names += " " + kind
		}
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(names), roff(f.Usage))
	}
	c.LocalFlags().VisitAll(option)
	c.InheritedFlags().VisitAll(option)
	if c.HasParent() {
		fmt.Fprintf(w, ".SH SEE ALSO\n.BR %s (1)\n", roff(c.Root().Name()))
		return
	}
	fmt.Fprint(w, ".SH SEE ALSO\n")
	for _, one := range c.Commands() {
		fmt.Fprintf(w, ".BR %s (1)\n", roff(name+"-"+one.Name()))
	}
}

// roff escapes text: backslashes, hyphens that must stay ASCII, and lines that would be requests.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
