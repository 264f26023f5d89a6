package metrics

// Findings registers a counter for what an audit finds, and gives the function that counts one more.
func (m *Metrics) Findings() func(rule, severity string) {
	found := registrar{m.registry}.counter("ksniff_audit_findings_total", "Violations of the protocol that the audit found.", "rule", "severity")
	return func(rule, severity string) { found.WithLabelValues(rule, severity).Inc() }
}
