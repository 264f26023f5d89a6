package main

import (
	"encoding/hex"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A row is one line of a dump: an offset and the bytes from there on.
type row struct {
	offset  string // as it stands there
	od      bool   // it may be octal or decimal: od prints offsets so
	bytes   []byte
	there   []bool // which bytes are shown, nil: all
	hidden  int    // so many bytes are not shown
	set     bool   // they are a record set
	endOnly bool   // the offset alone, where a dump ends
}

// at is the row's offset in a base, -1 where it is none.
func (r *row) at(base int) int {
	n, err := strconv.ParseUint(r.offset, base, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// bases are those that the row's offset may be written in.
func (r *row) bases() []int {
	if r.od {
		return []int{16, 8, 10}
	}
	return []int{16}
}

// isAt says whether the row is at an offset in one of the bases.
func (r *row) isAt(offset int, bases []int) bool {
	return slices.ContainsFunc(bases, func(base int) bool { return r.at(base) == offset })
}

var (
	// xxd, tcpdump: offset, colon, groups of bytes.
	colonRow = regexp.MustCompile(`^(?:0[xX])?([0-9a-fA-F]{4,16}):[ \t]+(.*)$`)
	// hexdump -C, Wireshark, ksniff: offset, two blanks or more, bytes.
	blankRow = regexp.MustCompile(`^([0-9a-fA-F]{4,16})(?:  +|\t)(.*)$`)
	// od, hexdump: seven digits (od -Ax: six), blank, bytes or words.
	odRow = regexp.MustCompile(`^([0-9a-fA-F]{7}) ([0-9a-fA-F]{2,8}(?: .*)?)$|^([0-9a-fA-F]{6}) ((?:[0-9a-fA-F]{2} ?)+(?: +>.*<)?)$`)
	// the end of hexdump's and od's
	endRow    = regexp.MustCompile(`^([0-9a-fA-F]{6,16})$`)
	hiddenRow = regexp.MustCompile(`^([0-9]+) bytes \((.*)\)$`)
)

var (
	errWords = errors.New("words in the order of the machine: print bytes, as xxd, hexdump -C and od -t x1 do")
	errText  = errors.New("the text beside the bytes is not theirs: are they in the order of the machine (xxd -e), or binary (xxd -b)?")
)

// readRow reads a row; ok says whether the line is one. The error says why it cannot be read.
func readRow(line string) (r row, ok bool, err error) {
	if m := colonRow.FindStringSubmatch(line); m != nil {
		r.offset = m[1]
		rest := m[2]
		for {
			group, tail, more := strings.Cut(rest, " ")
			b, err := hex.DecodeString(group)
			if err != nil || group == "" {
				return r, len(r.bytes) > 0, errors.New("the row has something else than bytes: " + strconv.Quote(group))
			}
			if r.bytes, rest = append(r.bytes, b...), tail; !more || tail == "" || tail[0] == ' ' {
				break
			}
		}
		if rest != "" && !r.fits(len(r.bytes), rest) {
			return r, true, errText
		}
		return r, true, nil
	}
	if m := blankRow.FindStringSubmatch(line); m != nil {
		r.offset = m[1]
		if h := hiddenRow.FindStringSubmatch(m[2]); h != nil {
			r.hidden, err = strconv.Atoi(h[1])
			r.set = strings.HasPrefix(h[2], "record set")
			return r, err == nil, nil
		}
		return r.pairs(m[2])
	}
	if m := odRow.FindStringSubmatch(line); m != nil {
		r.offset, r.od = m[1]+m[3], true
		if first, _, _ := strings.Cut(m[2]+m[4], " "); len(first) != 2 {
			return r, true, errWords
		}
		return r.pairs(m[2] + m[4])
	}
	if m := endRow.FindStringSubmatch(line); m != nil {
		r.offset, r.od, r.endOnly = m[1], true, true
		return r, true, nil
	}
	return r, false, nil
}

// pairs reads bytes of two digits each, and checks them with the text beside them, where there is one. Where the bytes
// end is where the text is theirs: text may look like bytes.
func (r row) pairs(text string) (row, bool, error) {
	rest, doubled := text, 0 // places where the bytes have a gap
	ends := []string{}       // what stands behind so many bytes
	for len(rest) >= 2 {
		b, err := hex.DecodeString(rest[:2])
		missing := rest[:2] == "--"
		if err != nil && !missing || len(rest) > 2 && rest[2] != ' ' {
			break
		}
		if missing {
			b = []byte{0}
		}
		r.bytes, r.there = append(r.bytes, b...), append(r.there, !missing)
		ends = append(ends, rest[2:])
		after := strings.TrimLeft(rest[2:], " ")
		if len(rest)-2-len(after) > 1 && after != "" && len(r.bytes) != 8 {
			doubled++
		}
		rest = after
	}
	if len(ends) == 0 {
		return r, false, nil
	}
	for n := len(ends); n > 0; n-- {
		if text := ends[n-1]; strings.TrimSpace(text) != "" && r.fits(n, text) {
			r.bytes, r.there = r.bytes[:n], r.there[:n]
			return r, true, nil
		}
	}
	if rest == "" && doubled == 0 {
		return r, true, nil
	}
	return r, true, errText
}

// fits says whether a text beside a row is that of its first n bytes: each is itself or a point.
func (r *row) fits(n int, text string) bool {
	trimmed := strings.Trim(text, " ")
	for _, frame := range []string{"||", "><"} {
		if len(trimmed) >= 2 && trimmed[0] == frame[0] && trimmed[len(trimmed)-1] == frame[1] && r.alike(n, trimmed[1:len(trimmed)-1]) {
			return true
		}
	}
	for text != "" && text[0] == ' ' {
		text = text[1:]
		if r.alike(n, text) || len(text) > 9 && text[8] == ' ' && r.alike(n, text[:8]+text[9:]) { // tshark's follow has a gap
			return true
		}
	}
	return false
}

func (r *row) alike(n int, text string) bool {
	if len(text) > n {
		return false
	}
	for i := range n {
		c, shown := r.bytes[i], r.there == nil || r.there[i]
		switch {
		case !shown && (i >= len(text) || text[i] == ' '):
		case i >= len(text) && c == ' ': // blanks at the end of a line are lost easily
		case i >= len(text), text[i] != c && text[i] != '.':
			return false
		case text[i] == '.' && c > ' ' && c < 0x7f && c != '.':
			return false
		}
	}
	return true
}
