package main

import (
	"slices"
	"strconv"
	"strings"

	"ksniff/decode/schema"
)

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
