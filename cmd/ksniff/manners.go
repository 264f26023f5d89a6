package main

import (
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// manners are the flags that all commands share; see mannersOf.
type manners struct {
	colour  string
	quiet   bool
	verbose bool
}

func mannersFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.String("color", "auto", "colours: auto, always or never; NO_COLOR is respected")
	f.BoolP("quiet", "q", false, "no progress, no remarks")
	f.BoolP("verbose", "v", false, "say more about what could not be read")
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if list, err := c.Flags().GetBool("list-interfaces"); err == nil && list {
			if err := listInterfaces(c); err != nil {
				return err
			}
			return exitError{exitDone, nil} // nothing else is to be done
		}
		switch colour := mannersOf(c).colour; colour {
		case "auto", "always", "never":
			return nil
		default:
			return usage("--color %s: there are auto, always and never", colour)
		}
	}
}

// mannersOf gives what the user asked of all commands. The flags are declared by mannersFlags, so
// looking them up cannot fail.
func mannersOf(c *cobra.Command) (m manners) {
	f := c.Flags()
	m.colour, _ = f.GetString("color")
	m.quiet, _ = f.GetBool("quiet")
	m.verbose, _ = f.GetBool("verbose")
	return m
}

// coloured says whether output to w has colours.
func (m manners) coloured(w io.Writer) bool {
	switch {
	case m.colour == "always":
		return true
	case m.colour == "never" || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb":
		return false
	}
	return terminalWidth(w) > 0
}

// terminalWidth gives the columns of the terminal that w is, 0 where it is none.
func terminalWidth(w any) int {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// askedWidth is the width that COLUMNS asks for where there is no terminal, 0 where it does not: watch(1) sets it,
// and who pipes a table into a pager may.
func askedWidth() int {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || width < 0 {
		return 0
	}
	return width
}
