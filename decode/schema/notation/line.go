package notation

import "strings"

// token is a word of a line with its column.
type token struct {
	text   string
	col    int
	quoted bool // a string in double quotes, text without them
}

// line is one line that holds words.
type line struct {
	num    int
	indent int // spaces before the first word
	tokens []token
	note   Note
}

// lines splits a source into its lines with words; comments go to the line that follows them, or
// that they end.
func lines(file, src string) ([]line, []string, error) {
	var out []line
	var above []string
	for i, text := range strings.Split(src, "\n") {
		text = strings.TrimSuffix(text, "\r")
		l := line{num: i + 1, indent: len(text) - len(strings.TrimLeft(text, " "))}
		rest := text[l.indent:]
		if comment, ok := strings.CutPrefix(rest, "#"); ok {
			above = append(above, strings.TrimRight(comment, " "))
			continue
		}
		for pos := l.indent; pos < len(text); {
			switch c := text[pos]; {
			case c == ' ':
				pos++
			case c == '\t':
				return nil, nil, &Error{file, l.num, pos + 1, "a tab: indent and separate with spaces"}
			case c == '#':
				l.note.After = strings.TrimRight(text[pos+1:], " ")
				pos = len(text)
			case c == '"':
				end := strings.IndexByte(text[pos+1:], '"')
				if end < 0 {
					return nil, nil, &Error{file, l.num, pos + 1, "string without its closing quote"}
				}
				l.tokens = append(l.tokens, token{text[pos+1 : pos+1+end], pos + 1, true})
				pos += end + 2
			default:
				end := pos
				for end < len(text) && text[end] != ' ' && text[end] != '\t' && text[end] != '#' {
					end++
				}
				l.tokens = append(l.tokens, token{text[pos:end], pos + 1, false})
				pos = end
			}
		}
		if len(l.tokens) > 0 {
			l.note.Above, above = above, nil
			out = append(out, l)
		} else if strings.TrimSpace(text) == "" && len(above) > 0 && len(out) == 0 {
			above = append(above, "\n") // an empty line between the head's comments
		}
	}
	return out, above, nil
}
