package filter

import (
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	end      kind = iota
	word          // api, Produce, 100ms, 10.0.0.1:9092
	text          // "quoted" or 'quoted'
	operator      // == != < <= > >= ~ !~ in contains
	and           // && and
	or            // || or
	not           // ! not
	open          // (
	closing       // )
	brace         // {
	unbrace       // }
	comma         // ,
)

// token is a piece of the expression. from and to are byte offsets in it; text is what it says,
// without quotes, and for operators their usual form ("eq" is "==").
type token struct {
	kind     kind
	text     string
	from, to int
}

// symbols, longest first.
var symbols = []token{
	{operator, "==", 0, 0}, {operator, "!=", 0, 0}, {operator, "<=", 0, 0}, {operator, ">=", 0, 0},
	{operator, "!~", 0, 0}, {and, "&&", 0, 0}, {or, "||", 0, 0},
	{operator, "<", 0, 0}, {operator, ">", 0, 0}, {operator, "~", 0, 0}, {not, "!", 0, 0},
	{open, "(", 0, 0}, {closing, ")", 0, 0}, {brace, "{", 0, 0}, {unbrace, "}", 0, 0}, {comma, ",", 0, 0},
}

// keywords, with the ones that tshark's users know.
var keywords = map[string]token{
	"and": {kind: and}, "or": {kind: or}, "not": {kind: not},
	"in": {kind: operator, text: "in"}, "contains": {kind: operator, text: "contains"},
	"matches": {kind: operator, text: "~"}, "eq": {kind: operator, text: "=="}, "ne": {kind: operator, text: "!="},
	"lt": {kind: operator, text: "<"}, "le": {kind: operator, text: "<="},
	"gt": {kind: operator, text: ">"}, "ge": {kind: operator, text: ">="},
}

// next reads the token at or after offset at.
func next(source string, at int) (token, *Error) {
	for at < len(source) && strings.IndexByte(" \t\r\n", source[at]) >= 0 {
		at++
	}
	if at == len(source) {
		return token{end, "", at, at}, nil
	}
	rest := source[at:]
	switch c := source[at]; {
	case c == '"' || c == '\'':
		return quoted(source, at)
	case inWord(rune(c)) || c >= utf8.RuneSelf:
		n := strings.IndexFunc(rest, func(r rune) bool { return !inWord(r) })
		if n < 0 {
			n = len(rest)
		}
		if t, ok := keywords[strings.ToLower(rest[:n])]; ok {
			t.from, t.to = at, at+n
			return t, nil
		}
		return token{word, rest[:n], at, at + n}, nil
	}
	for _, t := range symbols {
		if strings.HasPrefix(rest, t.text) {
			t.from, t.to = at, at+len(t.text)
			return t, nil
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	bad := fail(source, at, at+n, "%q has no meaning here; text with such characters needs quotes", rest[:n])
	switch rest[0] {
	case '=':
		bad.Message = "equality is written =="
	case '&', '|':
		bad.Message = "write " + rest[:1] + rest[:1] + ", or the word"
	}
	return token{}, bad
}

// inWord says which characters need no quotes: those of names, numbers, addresses and times.
func inWord(r rune) bool {
	return r >= utf8.RuneSelf || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		r != 0 && strings.ContainsRune("_-.:/+@$%*[]", r)
}

// quoted reads text in quotes. A backslash stands for itself, as regular expressions want it, but
// before a backslash or the quote: there it is dropped.
func quoted(source string, at int) (token, *Error) {
	quote, b := source[at], []byte(nil)
	for i := at + 1; i < len(source); i++ {
		c := source[i]
		if c == quote {
			return token{text, string(b), at, i + 1}, nil
		}
		if c == '\\' && i+1 < len(source) && (source[i+1] == quote || source[i+1] == '\\') {
			i++
			c = source[i]
		}
		b = append(b, c)
	}
	return token{}, fail(source, at, len(source), "the closing %c is missing", quote)
}
