package report

// Page is a report for people, whatever it is about: a *Result or a *Comparison.
type Page interface {
	summary() []string
	sheets() []sheet
	Advice() []string
	csv(*csvWriter)
	page() htmlPage
}

// Advice of a comparison is empty: each side has a report of its own.
func (c *Comparison) Advice() []string { return nil }
