package notation

import (
	"strings"

	"ksniff/decode/schema"
)

// attributes are the lines between a file's first line and its messages.
type attributes struct {
	valid, flexible, removed schema.Versions
	header0, responseHeader0 schema.Versions
	listeners                []string
	unstable                 int16
	framing                  schema.Framing
	history                  []schema.Change
}

var apiAttributes = map[string]bool{"versions": true, "flexible": true, "removed": true, "unstable": true, "listeners": true,
	"request-header-0": true, "response-header-0": true, "history": true}

// attributes reads them; known are the words that may come.
func (p *parser) attributes(known map[string]bool) attributes {
	a := attributes{valid: schema.None, flexible: schema.None, removed: schema.None, header0: schema.None,
		responseHeader0: schema.None, unstable: -1}
	seen := map[string]bool{}
	for {
		l, ok := p.peek()
		if !ok || !known[l.tokens[0].text] {
			break
		}
		word := l.tokens[0].text
		if seen[word] {
			p.fail(l, 0, "%q comes twice", word)
		}
		if l.indent > 0 {
			p.fail(l, 0, "%q is not indented", word)
		}
		seen[word] = true
		p.next++
		p.note(word, l)
		switch word {
		case "versions":
			a.valid = p.versions(l, 1)
		case "flexible":
			a.flexible = p.versions(l, 1)
		case "removed":
			a.removed = p.versions(l, 1)
		case "request-header-0":
			a.header0 = p.versions(l, 1)
		case "response-header-0":
			a.responseHeader0 = p.versions(l, 1)
		case "unstable":
			a.unstable = p.number(l, 1, "version")
		case "framing":
			if a.framing = schema.FramingNamed(p.word(l, 1, "framing")); a.framing == 0 {
				p.fail(l, 1, `framing is "bare", "version", "type", "varints" or "long"`)
			}
		case "listeners":
			for _, t := range l.tokens[1:] {
				a.listeners = append(a.listeners, t.text)
			}
			continue
		case "history":
			p.end(l, 1)
			a.history = p.history()
			continue
		}
		p.end(l, 2)
	}
	if l, ok := p.peek(); known["versions"] && !seen["versions"] {
		if !ok {
			p.fail(l, 0, `missing line "versions 0-4"`)
		}
		p.fail(l, 0, `unexpected %q: a line "versions 0-4" comes before the messages`, l.tokens[0].text)
	}
	return a
}

// history reads the indented lines "VERSION RELEASE|- [KIP-N…] [words]".
func (p *parser) history() (out []schema.Change) {
	for {
		l, ok := p.peek()
		if !ok || l.indent == 0 {
			return out
		}
		if l.indent != step {
			p.fail(l, 0, "indent by %d spaces, not %d", step, l.indent)
		}
		p.next++
		c := schema.Change{Version: p.number(l, 0, "version"), Release: p.word(l, 1, `release, or "-" where unknown`)}
		if len(out) > 0 && out[len(out)-1].Version >= c.Version {
			p.fail(l, 0, "version %d comes after %d", c.Version, out[len(out)-1].Version)
		}
		if c.Release == "-" {
			c.Release = ""
		}
		var kips, words []string
		for _, t := range l.tokens[2:] {
			if kip, ok := strings.CutPrefix(t.text, "KIP-"); ok && len(words) == 0 {
				kips = append(kips, kip)
			} else {
				words = append(words, t.text)
			}
		}
		c.KIP, c.Note = strings.Join(kips, " "), strings.Join(words, " ")
		p.note("history/"+l.tokens[0].text, l)
		out = append(out, c)
	}
}

func (p *parser) api(name string, key int16) *schema.API {
	a := p.attributes(apiAttributes)
	api := &schema.API{Key: key, Name: name, Header0: a.header0, ResponseHeader0: a.responseHeader0, Listeners: a.listeners,
		Removed: a.removed, Unstable: a.unstable, History: a.history}
	for {
		l, ok := p.peek()
		if !ok {
			break
		}
		word := l.tokens[0].text
		m := &schema.Message{Valid: a.valid, Flexible: a.flexible}
		n := 1
		switch {
		case word == "request" && api.Request == nil:
			m.Name, api.Request = name+"Request", m
		case word == "response" && api.Response == nil:
			m.Name, api.Response = name+"Response", m
		case word == "early-request" && api.Request != nil && api.Request.Early == nil:
			m.Name, api.Request.Early = name+"Request", m
			m.Valid, n = p.versions(l, 1), 2
		case word == "early-response" && api.Response != nil && api.Response.Early == nil:
			m.Name, api.Response.Early = name+"Response", m
			m.Valid, n = p.versions(l, 1), 2
		default:
			p.fail(l, 0, `unexpected %q ("request" and "response", once each, then "early-request" or "early-response")`, word)
		}
		p.end(l, n)
		p.message(word, m)
	}
	if l, _ := p.peek(); api.Request == nil || api.Response == nil {
		p.fail(l, 0, `%s needs "request" and "response"`, name)
	}
	return api
}
