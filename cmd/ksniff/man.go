package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes man pages from the same flags that --help shows.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the man pages",
		Example: "  ksniff man /usr/local/share/man/man1\n  ksniff man . && man ./ksniff-report.1",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			root.DisableAutoGenTag = true // the same flags give the same bytes
			if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "ksniff", Manual: "ksniff"}, args[0]); err != nil {
				return failed(err)
			}
			return nil
		},
	}
}
