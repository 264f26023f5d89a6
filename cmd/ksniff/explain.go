package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ksniff/decode/schema"
)

// article is an answer of explain: a value for JSON and the same for people.
type article struct {
	value any
	text  func(w io.Writer)
}

// explainRule finds a rule of the audit by its id, in capitals (KS3001); ruleNames are all ids. The
// audit sets them.
var (
	explainRule = func(id string) (article, bool) { return article{}, false }
	ruleNames   = func() []string { return nil }
)

func explainCommand() *cobra.Command {
	format := "table"
	minusOne := false
	c := &cobra.Command{
		Use:   "explain [API [VERSION] | error CODE | NAME]",
		Short: "Look up an API, the fields of a version, an error code or a rule",
		Long: `Explain is the reference of the protocol, offline.

  ksniff explain                  all APIs
  ksniff explain produce          versions and fields of an API, by name or key
  ksniff explain fetch 17         one version as it is on the wire
  ksniff explain error 6          an error code; also by its name
  ksniff explain MULTIFETCH       a request of Kafka 0.6 and 0.7
  ksniff explain legacy           all of them; explain legacy fetch
  ksniff explain OffsetCommitValue
                                  a message inside a record or field
  ksniff explain KS3001           a rule of the audit`,
		Example: `  ksniff explain fetch 17
  ksniff explain NOT_LEADER_OR_FOLLOWER`,
		Args: cobra.MaximumNArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			names := slices.DeleteFunc(explained(), func(name string) bool {
				return len(name) < len(typed) || !strings.EqualFold(name[:len(typed)], typed)
			})
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if format != "table" && format != "json" {
				return usage("explain writes table or json, not %q", format)
			}
			if minusOne {
				args = append(args, "-1")
			}
			a, err := explain(args)
			if err != nil {
				return err
			}
			return a.write(c.OutOrStdout(), format)
		},
	}
	c.Flags().StringVarP(&format, "output", "o", format, "format: table or json")
	c.Flags().BoolVarP(&minusOne, "minus-one", "1", false, "the error code -1") // else it would be an unknown flag
	c.Flags().MarkHidden("minus-one")
	return c
}

func (a article) write(w io.Writer, format string) error {
	var out strings.Builder
	if format == "json" {
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(a.value); err != nil {
			return err
		}
	} else {
		var text strings.Builder
		a.text(&text)
		out.WriteString(hung(text.String(), terminalWidth(w)))
	}
	_, err := io.WriteString(w, out.String())
	if err != nil {
		return failed(err)
	}
	return nil
}

// explain finds the article for the arguments.
func explain(args []string) (article, error) {
	if len(args) == 0 {
		return allAPIs(), nil
	}
	name := args[0]
	if strings.EqualFold(name, "error") {
		if len(args) < 2 {
			return allErrors(), nil
		}
		return findError(args[1])
	}
	if strings.EqualFold(name, "legacy") {
		if len(args) < 2 {
			return allLegacy(), nil
		}
		if l := findLegacy(args[1]); l != nil {
			return legacyArticle(l), nil
		}
		return article{}, usage("Kafka 0.6 and 0.7 have no request %q", args[1])
	}
	if a := findAPI(name); a != nil {
		if len(args) < 2 {
			return apiArticle(a, name), nil
		}
		v, err := version(args[1], a.Name, a.Versions())
		if err != nil {
			return article{}, err
		}
		return layoutArticle(a, v), nil
	}
	if r, m := findInner(name); r != nil {
		if len(args) < 2 {
			return innerArticle(r, m), nil
		}
		v, err := version(args[1], m.Name, m.Valid)
		if err != nil {
			return article{}, err
		}
		return innerLayout(r, m, v), nil
	}
	if len(args) > 1 {
		return article{}, usage("no API or message %q%s", name, suggest(name))
	}
	if e := schema.LookupErrorName(name); e != nil {
		return errorArticle(e, "modern"), nil
	}
	if l := findLegacy(name); l != nil {
		return legacyArticle(l), nil
	}
	if a, ok := explainRule(strings.ToUpper(name)); ok {
		return a, nil
	}
	for i := range schema.LegacyErrors {
		if e := &schema.LegacyErrors[i]; strings.EqualFold(e.Name, name) {
			return errorArticle(e, "legacy"), nil
		}
	}
	return article{}, usage("nothing known of %q%s", name, suggest(name))
}
