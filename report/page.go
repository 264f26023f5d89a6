package report

// Page is a report for people, whatever it is about: a *Result or a *Comparison.
type Page interface {
	summary() []string
	sheets() []sheet
	color() string // ANSI colour of the last line of the summary
	Advice() []string
	csv(*csvWriter)
	page() htmlPage
}

func (c *Comparison) color() string { return "0" }

// color is that of completeness: green where nothing is missing, yellow where little is, red.
func (r *Result) color() string {
	return map[string]string{"": "32", "warn": "33", "bad": "31"}[r.grade()]
}
