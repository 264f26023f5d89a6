package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ksniff/report/audit"
)

func init() {
	explainRule, ruleNames = ruleArticle, func() []string {
		var ids []string
		for _, r := range audit.Rules {
			ids = append(ids, r.ID)
		}
		return ids
	}
}

// chosen parses --rules.
func chosen(names []string) (func(*audit.Rule) bool, error) {
	var with, without []string
	for _, name := range names {
		prefix, leave := strings.CutPrefix(strings.ToUpper(strings.TrimSpace(name)), "-")
		if !slices.ContainsFunc(audit.Rules, func(r *audit.Rule) bool { return strings.HasPrefix(r.ID, prefix) }) {
			return nil, usage("--rules: there is no rule %s", name)
		}
		if leave {
			without = append(without, prefix)
		} else {
			with = append(with, prefix)
		}
	}
	return func(r *audit.Rule) bool {
		in := func(list []string) bool {
			return slices.ContainsFunc(list, func(prefix string) bool { return strings.HasPrefix(r.ID, prefix) })
		}
		return (len(with) == 0 || in(with)) && !in(without)
	}, nil
}

// ruleArticle is what explain says about a rule.
func ruleArticle(id string) (article, bool) {
	r := audit.Lookup(id)
	if r == nil {
		return article{}, false
	}
	value := struct {
		ID       string   `json:"id"`
		Title    string   `json:"title"`
		Severity string   `json:"severity"`
		Who      string   `json:"who"`
		Since    string   `json:"since"`
		Source   string   `json:"source"`
		Explain  string   `json:"explanation"`
		Example  string   `json:"example"`
		Needs    []string `json:"needs"`
	}{r.ID, r.Title, r.Severity.String(), r.Who.String(), r.Since, r.Source, r.Explain, r.Example, r.Needs.Words()}
	return article{value, func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s\n\n%s\n\n", r.ID, r.Title, r.Explain)
		fmt.Fprintf(w, "Severity  %s\nWho       %s\nSince     %s\nSource    %s\nExample   %s\n", r.Severity, r.Who, r.Since, r.Source, r.Example)
		for _, need := range r.Needs.Words() {
			fmt.Fprintf(w, "Needs     %s\n", need)
		}
	}}, true
}
