package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// examplesFirst makes the help of each command begin with its examples: most readers need no more.
func examplesFirst(root *cobra.Command) {
	const block = "{{if .HasExample}}\n\nExamples:\n{{.Example}}{{end}}"
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), block, "", 1))
	root.SetHelpTemplate("{{if .HasExample}}{{.Example}}\n\n{{end}}" + root.HelpTemplate())
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		out := c.OutOrStdout()
		var text strings.Builder
		c.SetOut(&text)
		help(c, args)
		c.SetOut(out)
		io.WriteString(out, hung(text.String(), terminalWidth(out)))
	})
}
