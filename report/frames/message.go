package frames

import (
	"ksniff/decode"
	"ksniff/decode/inner"
	"ksniff/reassembly/session"
)

// redacted stands for the value of a secret field.
const redacted = "(redacted)"

// setup makes the hooks that write what decode does not.
func (p *Printer) setup() {
	p.json.Records = p.appendRecords
	p.inner, p.asked = inner.New(), envelopes{}
	p.inner.Records, p.inner.ShowSecrets = p.appendRecords, p.options.Secrets
	p.json.Inner = p.inner.Inner
	p.sets.ShowSecrets = p.options.Secrets
	if !p.options.Secrets {
		p.json.Redact = decode.Secret
	}
	p.legacy.Payload = p.options.Payload
}

func (p *Printer) secret(r decode.Ref) bool {
	return p.json.Redact != nil && r.Schema() != nil && p.json.Redact(r)
}

// appendMessage appends header and body as members of the frame's JSON object.
func (p *Printer) appendMessage(b []byte) []byte {
	t := p.frame.Tree()
	if t == nil {
		if p.isLegacy() {
			b = p.appendLegacy(append(b, `,"body":`...))
		}
		return b
	}
	if h := t.Header(); h.OK() {
		b = p.json.Append(append(b, `,"header":`...), h)
	}
	if body := t.Body(); body.OK() {
		b = p.json.Append(append(b, `,"body":`...), body)
	}
	return b
}

func (p *Printer) isLegacy() bool {
	return p.frame.Generation == session.Legacy && p.frame.Key >= 0
}

// appendLegacy appends the body of a legacy frame as JSON, as far as it is there from its beginning.
func (p *Printer) appendLegacy(b []byte) []byte {
	var body []byte
	if runs := p.frame.Runs; len(runs) > 0 && runs[0].Off == 0 {
		body = runs[0].Bytes
	}
	b, _, _ = p.legacy.Append(b, p.frame.Kind, p.frame.Key, body, p.frame.Length)
	return b
}

// appendLegacyTree appends the body of a legacy frame as lines.
func (p *Printer) appendLegacyTree(b []byte) []byte {
	if !p.isLegacy() {
		return b
	}
	p.scratch = p.appendLegacy(p.scratch[:0])
	return p.appendIndented(b, p.scratch, 0)
}
