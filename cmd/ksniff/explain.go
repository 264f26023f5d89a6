package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
		a.text(&out)
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

// findAPI finds an API by key, or by name in any case.
func findAPI(name string) *schema.API {
	if key, err := strconv.ParseInt(name, 10, 16); err == nil {
		return schema.Lookup(int16(key))
	}
	given := plain(name)
	if now, ok := formerNames[strings.ToLower(given)]; ok {
		given = now
	}
	for _, a := range schema.APIs {
		if strings.EqualFold(a.Name, given) {
			return a
		}
	}
	return nil
}

// formerNames are what older releases called an API, in lower case.
var formerNames = map[string]string{"consumermetadata": "FindCoordinator", "groupcoordinator": "FindCoordinator",
	"electpreferredleaders": "ElectLeaders", "alterisr": "AlterPartition", "listclientmetricsresources": "ListConfigResources"}

// plain is a name without the separators of other spellings: OFFSET_COMMIT, offset-commit.
func plain(name string) string { return strings.NewReplacer("_", "", "-", "").Replace(name) }

func findInner(name string) (*schema.Record, *schema.Message) {
	for i := range schema.InnerRecords {
		r := &schema.InnerRecords[i]
		for _, m := range []*schema.Message{r.Key, r.Value} {
			if m != nil && strings.EqualFold(m.Name, plain(name)) {
				return r, m
			}
		}
	}
	return nil, nil
}

func version(text, name string, valid schema.Versions) (int16, error) {
	v, err := strconv.ParseInt(strings.TrimPrefix(text, "v"), 10, 16)
	if err != nil || !valid.Has(int16(v)) {
		return 0, usage("%s has versions %s, not %s", name, ranges(valid), text)
	}
	return int16(v), nil
}

// explained are all names that explain knows.
func explained() []string {
	var names []string
	for _, a := range schema.APIs {
		names = append(names, a.Name)
	}
	for i := range schema.InnerRecords {
		r := &schema.InnerRecords[i]
		if r.Key != nil {
			names = append(names, r.Key.Name)
		}
		names = append(names, r.Value.Name)
	}
	for _, e := range schema.Errors {
		names = append(names, e.Name)
	}
	for _, l := range legacyRequests {
		names = append(names, l.Name)
	}
	return append(append(names, ruleNames()...), "error", "legacy")
}

// suggest names what was perhaps meant, "" where nothing is near.
func suggest(name string) string {
	type near struct {
		name     string
		distance int
	}
	var best []near
	given := strings.ToLower(plain(name))
	for _, n := range explained() {
		known := strings.ToLower(plain(n))
		d := distance(given, known)
		if len(given) >= 3 && strings.Contains(known, given) {
			d = 1
		}
		if d <= 1+len(given)/4 {
			best = append(best, near{n, d})
		}
	}
	slices.SortStableFunc(best, func(a, b near) int { return a.distance - b.distance })
	if len(best) == 0 {
		return `; "ksniff explain" lists what there is`
	}
	var names []string
	for _, n := range best {
		if !slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, n.name) }) && len(names) < 3 {
			names = append(names, n.name)
		}
	}
	return "; perhaps " + strings.Join(names, ", ")
}

// distance counts the letters to insert, drop or change between two names (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// columns writes rows of cells, aligned; columns that are empty are left out.
func columns(w io.Writer, rows [][]string, head ...string) {
	if head != nil {
		rows = append([][]string{head}, rows...)
	}
	var widths []int
	for i, row := range rows {
		for c, cell := range row {
			if c == len(widths) {
				widths = append(widths, 0)
			}
			if i > 0 || head == nil || c == 0 {
				widths[c] = max(widths[c], utf8.RuneCountInString(cell))
			}
		}
	}
	for c, cell := range head {
		if widths[c] > 0 {
			widths[c] = max(widths[c], len(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for c, cell := range row {
			if widths[c] > 0 {
				fmt.Fprintf(&line, "%-*s  ", widths[c], cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}
