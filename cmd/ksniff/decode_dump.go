package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ksniff/decode"
)

// maxDump bounds what rows that stand for many (*) may add up to: the largest request that a broker takes.
const maxDump = 100 << 20

// A dump is the rows of one frame or packet, or of any bytes.
type dump struct {
	line    int // of its first row
	caption caption
	runs    []decode.Run
	length  int
	bases   []int // that offsets may be written in, by the rows so far
	missing bool  // more is hidden than record sets
	last    int   // bytes of the last row
	repeat  bool  // rows were left out (*)
	broken  bool  // its error was told: its other rows are nothing
}

// dumped takes a line that belongs to a dump, or begins one.
func (d *decoder) dumped(line string) bool {
	if caption, ok := readCaption(line); ok {
		d.endDump()
		if caption.line = d.caption.line; caption.line == 0 {
			caption.line = d.line
		}
		d.caption = caption
		return true
	}
	if d.dump != nil && (line == "*" || strings.HasPrefix(line, "└")) {
		d.dump.repeat = d.dump.repeat || line == "*"
		return true
	}
	r, ok, err := readRow(line)
	if !ok || r.endOnly && (d.dump == nil || !d.dump.broken && !d.dump.repeat && !r.isAt(d.dump.length, d.dump.bases)) {
		return false
	}
	if r.at(16) == 0 && !r.endOnly {
		d.endDump()
		d.dump = &dump{line: d.line, caption: d.caption, bases: r.bases()}
		d.caption = caption{}
	}
	if d.dump == nil {
		if err == nil {
			if _, plain := unhex([]byte(line)); plain == nil && !strings.Contains(line, ": ") {
				return false // hex with blanks, as anybody may write it
			}
			err = fmt.Errorf("a row at %s: the rows before it are missing, the first is at 0", r.offset)
		}
		d.dump, d.caption = &dump{line: d.line}, caption{}
	}
	if d.dump.broken {
		return true
	}
	if err == nil {
		err = d.dump.add(&r)
	}
	if err != nil {
		d.dump.broken = true
		d.answer(&question{line: d.line}, err)
	}
	return true
}

// add appends a row.
func (p *dump) add(r *row) error {
	if p.repeat {
		if err := p.fill(r); err != nil {
			return err
		}
	}
	p.bases = slices.DeleteFunc(p.bases, func(base int) bool { return r.at(base) != p.length })
	if len(p.bases) == 0 {
		return fmt.Errorf("a row at %s, but the bytes before it end at %#x", r.offset, p.length)
	}
	if r.hidden > maxDump-p.length || len(r.bytes) > maxDump-p.length {
		return fmt.Errorf("more than %d bytes", maxDump)
	}
	if r.hidden > 0 {
		p.length += r.hidden
		p.missing = p.missing || !r.set
	}
	for i, b := range r.bytes {
		if r.there != nil && !r.there[i] {
			p.length++
			p.missing = true
			continue
		}
		p.append(b)
	}
	p.last = len(r.bytes)
	return nil
}

func (p *dump) append(b ...byte) {
	if n := len(p.runs) - 1; n < 0 || p.runs[n].Off+len(p.runs[n].Bytes) < p.length {
		p.runs = append(p.runs, decode.Run{Off: p.length})
	}
	last := &p.runs[len(p.runs)-1]
	last.Bytes = append(last.Bytes, b...)
	p.length += len(b)
}

// fill repeats the last row up to the next one.
func (p *dump) fill(next *row) error {
	p.repeat = false
	if len(p.runs) == 0 || p.last == 0 || p.last > len(p.runs[len(p.runs)-1].Bytes) {
		return errors.New("* stands for no row that is there")
	}
	p.bases = slices.DeleteFunc(p.bases, func(base int) bool {
		n := next.at(base) - p.length
		return n < 0 || n%p.last != 0 || n > maxDump-p.length
	})
	if len(p.bases) != 1 {
		return fmt.Errorf("how often * repeats the row before it is not clear: the next row is at %s", next.offset)
	}
	bytes := p.runs[len(p.runs)-1].Bytes
	row := append([]byte(nil), bytes[len(bytes)-p.last:]...)
	for end := next.at(p.bases[0]); p.length < end; {
		p.append(row...)
	}
	return nil
}

// end answers what is complete where something else comes, or nothing, and says whether there was something.
func (d *decoder) end() bool {
	c := d.caption
	if d.caption = (caption{}); c.line == 0 {
		return d.endDump()
	}
	printer := "tcpdump -x or tshark -x"
	if c.frame {
		printer = "ksniff frames -x"
	}
	d.answer(&question{line: c.line}, fmt.Errorf("no bytes stand below this line: %s prints them", printer))
	return true
}

// endDump answers a dump that is complete, and says whether there was one.
func (d *decoder) endDump() bool {
	p := d.dump
	d.dump = nil
	if p == nil {
		return false
	}
	if p.broken {
		return true
	}
	q := question{line: p.line, length: p.length, bodyOnly: true}
	switch {
	case p.repeat:
		d.answer(&q, errors.New("the dump ends with *: how often its last row is repeated is not known"))
	case len(p.runs) == 0:
		d.answer(&q, errors.New("all bytes are hidden: ksniff frames -x shows them with --payload and --show-secrets"))
	case p.caption.frame:
		if p.runs[0].Off == 0 {
			q.body = p.runs[0].Bytes
		}
		if len(q.body) < p.length {
			q.runs, q.missing = p.runs, p.missing
		}
		d.answer(&q, p.caption.ask(&q))
	case len(p.runs) > 1 || len(p.runs[0].Bytes) < p.length:
		d.answer(&q, errors.New("bytes are hidden, and no line above the dump says what it is: give the line that ksniff frames -x prints above it"))
	default:
		if !d.packet(p) && !p.caption.packet {
			q.request(p.runs[0].Bytes)
			d.answer(&q, nil)
		}
	}
	return true
}
