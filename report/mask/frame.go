package mask

import (
	"ksniff/decode"
	"ksniff/decode/legacy"
	"ksniff/reassembly/session"
)

// frame gives what may be shown of a frame, its length word not included. Where it is shorter than the frame,
// the rest is zeros.
func (m *Masker) frame(f *session.Frame) []byte {
	m.left = maxOpenedInFrame
	b := &body{runs: f.Runs, length: f.Length}
	if n := len(f.Runs); n > 0 {
		b.out = make([]byte, f.Runs[n-1].Off+len(f.Runs[n-1].Bytes))
	}
	switch {
	case f.Token:
		m.Counts.Secrets++
		b.hide(0, f.Length)
	case undecodable(f), f.Tree == nil && (f.Generation == session.Modern || f.Key < 0):
		m.Counts.Opaque++
		header(b, f)
		return b.out
	case f.Generation == session.Legacy:
		m.legacy(b, f)
	default:
		m.tree(b, f.Tree)
	}
	m.Counts.Frames++
	return b.out
}

// undecodable says that the fields of a frame cannot be believed.
func undecodable(f *session.Frame) bool {
	return f.Faulty && !f.Fault.Tolerated && f.Fault.Class != decode.Incomplete
}

// header shows the header alone.
func header(b *body, f *session.Frame) {
	switch {
	case f.Generation == session.Legacy: // the type, or the error code
		b.show(0, 2)
		return
	case f.Kind == decode.Response:
		b.show(0, 4)
		return
	}
	n := 8
	if len(b.runs) > 0 && b.runs[0].Off == 0 {
		if h, need, fault := decode.ParseRequestHeader(b.runs[0].Bytes); need == 0 && fault.Code == 0 {
			n = 10 + len(h.ClientID)
		}
	}
	b.show(0, n)
}

// tree shows what is a field, but for secrets and record sets.
func (m *Masker) tree(b *body, t *decode.Tree) {
	for i := range t.Nodes {
		r := t.At(int32(i))
		at, prefix, n := int(t.Nodes[i].Offset), int(t.Nodes[i].Prefix), int(t.Nodes[i].Length)
		switch kind := r.Kind(); {
		case kind == decode.Struct || kind == decode.Array || kind == decode.Tags || kind == decode.UnknownTag || r.Cut():
			b.show(at, prefix)
			continue
		case kind == decode.RecordSet:
			b.show(at, prefix)
			m.set(b, at+prefix, n-prefix)
		case decode.Secret(r):
			m.Counts.Secrets++
			b.show(at, prefix)
			b.hide(at+prefix, n-prefix)
		default:
			b.show(at, n)
		}
	}
}

// legacy shows a frame of 0.6 or 0.7, but for its message sets.
func (m *Masker) legacy(b *body, f *session.Frame) {
	var v legacy.View
	v.Begin(f.Kind, f.Key, f.Length)
	at := 0
	for {
		var rest []byte
		if at < len(b.out) {
			rest = b.from(at)
		}
		n, _, state := v.Next(rest)
		b.show(at, n)
		if at += n; state != legacy.Entry {
			break
		}
		if size := v.Part.SetSize; size > 0 {
			m.legacySet(b, at, size)
			at += size
		}
	}
	if f.Kind == decode.Response && f.Key == session.OFFSETS {
		b.show(at, f.Length-at-max(v.Unused, 0))
	}
}

// from gives the captured bytes from off to where its run ends.
func (b *body) from(off int) []byte {
	for i := range b.runs {
		run := &b.runs[i]
		if at := off - run.Off; at >= 0 && at < len(run.Bytes) {
			return run.Bytes[at:]
		}
	}
	return nil
}
