package bpf

import "strings"

// token is a word of an expression; at is its column. The last token has no text.
type token struct {
	text string
	at   int
}

// lex cuts an expression into parentheses, operators and words.
func lex(s string) (tokens []token) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
		case c == '(' || c == ')' || c == '!':
			tokens = append(tokens, token{s[i : i+1], i + 1})
			i++
		case strings.HasPrefix(s[i:], "&&") || strings.HasPrefix(s[i:], "||"):
			tokens = append(tokens, token{s[i : i+2], i + 1})
			i += 2
		default:
			n := strings.IndexAny(s[i:], " \t\r\n()!&|")
			if n < 0 {
				n = len(s) - i
			}
			n = max(n, 1)
			tokens = append(tokens, token{s[i : i+n], i + 1})
			i += n
		}
	}
	return append(tokens, token{"", len(s) + 1})
}
