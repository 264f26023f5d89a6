package parquet

import (
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/zstd"
)

// pageSize is the size of values from which a page is compressed.
const pageSize = 256 << 10

// column gathers one column of a row group: the page that is being filled, and those before it,
// compressed.
type column struct {
	Column
	values      []byte
	repeated    runs  // repetition levels, of lists
	defined     runs  // definition levels, of what may be absent
	count       int64 // values in the page, absent ones too
	bits        int   // booleans in the page
	pages       []byte
	total       int64 // values in the row group
	plain       int64 // bytes of its pages before compression, with their headers
	least, most int64 // of integers
	seen        bool  // least and most are set
	raw         []byte
}

// runs are levels of 0 or 1, run-length encoded.
type runs struct {
	b     []byte
	level byte
	n     uint64
}

func (r *runs) add(level byte) {
	if r.n > 0 && r.level != level {
		r.flush()
	}
	r.level, r.n = level, r.n+1
}

func (r *runs) flush() {
	if r.n > 0 {
		r.b = append(binary.AppendUvarint(r.b, r.n<<1), r.level)
		r.n = 0
	}
}

// append moves the levels, with their length in front, to a page.
func (r *runs) append(page []byte) []byte {
	r.flush()
	page = binary.LittleEndian.AppendUint32(page, uint32(len(r.b)))
	page = append(page, r.b...)
	r.b = r.b[:0]
	return page
}

// present notes a value that is there, absent one that is not.
func (c *column) present() {
	c.count++
	if c.Optional {
		c.defined.add(1)
	}
}

func (c *column) absent() { c.count++; c.defined.add(0) }

func (c *column) int(v int64) {
	c.present()
	if !c.seen {
		c.least, c.most, c.seen = v, v, true
	}
	c.least, c.most = min(c.least, v), max(c.most, v)
	c.values = c.appendInt(c.values, v)
}

func (c *column) appendInt(b []byte, v int64) []byte {
	if c.Type == Int32 {
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(b, uint64(v))
}

func (c *column) float(v float64) {
	c.present()
	c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(v))
}

func (c *column) bool(v bool) {
	c.present()
	if c.bits%8 == 0 {
		c.values = append(c.values, 0)
	}
	if v {
		c.values[len(c.values)-1] |= 1 << (c.bits % 8)
	}
	c.bits++
}

func (c *column) text(v string) {
	c.values = binary.LittleEndian.AppendUint32(c.values, uint32(len(v)))
	c.values = append(c.values, v...)
}

// texts adds a list.
func (c *column) texts(list []string) {
	if len(list) == 0 {
		c.count++
		c.repeated.add(0)
		c.defined.add(0)
		return
	}
	for i, v := range list {
		c.count++
		c.repeated.add(byte(min(i, 1)))
		c.defined.add(1)
		c.text(v)
	}
}

// page compresses what was gathered since the last page.
func (c *column) page(z *zstd.Encoder) {
	if c.count == 0 {
		return
	}
	c.raw = c.raw[:0]
	if c.List {
		c.raw = c.repeated.append(c.raw)
	}
	if c.List || c.Optional {
		c.raw = c.defined.append(c.raw)
	}
	c.raw = append(c.raw, c.values...)
	packed := z.EncodeAll(c.raw, nil)
	var h thrift // PageHeader of a data page, version 1
	h.begin()
	h.i32(1, 0)
	h.i32(2, int64(len(c.raw)))
	h.i32(3, int64(len(packed)))
	h.open(5)
	h.i32(1, c.count)
	h.i32(2, plainEncoding)
	h.i32(3, rleEncoding)
	h.i32(4, rleEncoding)
	h.end()
	h.end()
	c.pages = append(append(c.pages, h.b...), packed...)
	c.plain += int64(len(h.b) + len(c.raw))
	c.total += c.count
	c.values, c.count, c.bits = c.values[:0], 0, 0
}

// clear is for the next row group.
func (c *column) clear() { c.pages, c.total, c.plain, c.seen = c.pages[:0], 0, 0, false }
