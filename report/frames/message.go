package frames

import "ksniff/decode"

// redacted stands for the value of a secret field.
const redacted = "(redacted)"

// setup makes the hooks that write what decode does not.
func (p *Printer) setup() {
	p.json.Records = p.appendRecords
	if !p.options.Secrets {
		p.json.Redact = decode.Secret
	}
}

func (p *Printer) secret(r decode.Ref) bool {
	return p.json.Redact != nil && r.Schema() != nil && p.json.Redact(r)
}

// appendMessage appends header and body as members of the frame's JSON object.
func (p *Printer) appendMessage(b []byte) []byte {
	t := p.frame.Tree()
	if t == nil {
		return p.appendLegacyMessage(b)
	}
	if h := t.Header(); h.OK() {
		b = p.json.Append(append(b, `,"header":`...), h)
	}
	if body := t.Body(); body.OK() {
		b = p.json.Append(append(b, `,"body":`...), body)
	}
	return b
}

func (p *Printer) appendLegacyMessage(b []byte) []byte { return b }
func (p *Printer) appendLegacyTree(b []byte) []byte    { return b }
