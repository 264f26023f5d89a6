package notation

import (
	"strings"

	"ksniff/decode/schema"
)

// ParseErrors reads the tables of error codes: lines "CODE NAME retry|final ADVICE" under headings
// "errors modern" and "errors legacy", each ascending from -1 without holes. Errors are of type *Error.
func ParseErrors(file string, src []byte) (tables map[string][]schema.Error, err error) {
	p := &parser{file: file}
	defer func() {
		if e, ok := recover().(*Error); ok {
			tables, err = nil, e
		} else if e != nil {
			panic(e)
		}
	}()
	tables = map[string][]schema.Error{}
	table := ""
	for i, text := range strings.Split(string(src), "\n") {
		if strings.HasPrefix(text, "#") || strings.TrimSpace(text) == "" {
			continue
		}
		l := line{num: i + 1}
		for rest, at := text, 0; len(l.tokens) < 4; {
			trimmed := strings.TrimLeft(rest, " ")
			if at += len(rest) - len(trimmed); trimmed == "" {
				break
			}
			word, _, _ := strings.Cut(trimmed, " ")
			if len(l.tokens) == 3 {
				word = strings.TrimRight(trimmed, " ")
			}
			l.tokens = append(l.tokens, token{text: word, col: at + 1})
			rest, at = trimmed[len(word):], at+len(word)
		}
		if l.tokens[0].text == "errors" {
			table = p.word(l, 1, `"modern" or "legacy"`)
			p.end(l, 2)
			continue
		}
		e := schema.Error{Code: p.number(l, 0, "error code"), Name: p.word(l, 1, "name")}
		switch {
		case table == "":
			p.fail(l, 0, `a line "errors modern" or "errors legacy" comes first`)
		case int(e.Code) != len(tables[table])-1:
			p.fail(l, 0, "code %d where %d follows", e.Code, len(tables[table])-1)
		}
		switch word := p.word(l, 2, `"retry" or "final"`); word {
		case "retry":
			e.Retriable = true
		case "final":
		default:
			p.fail(l, 2, `%q is neither "retry" nor "final"`, word)
		}
		e.Advice = p.word(l, 3, "advice")
		tables[table] = append(tables[table], e)
	}
	return tables, nil
}
