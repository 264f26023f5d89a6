package decode

import "ksniff/decode/schema"

// Decode reads header and body of a frame. The tree is overwritten. What was read before a fault stays.
func (t *Tree) Decode(f Frame, key, version int16, kind Kind) {
	t.start(f, key, version, kind)
	t.API = schema.Lookup(key)
	w := t.walker()
	header, forms := t.layouts()
	t.header, t.top[0] = 0, header
	if !w.message(header) {
		return
	}
	if forms[0].message == nil {
		w.unknown()
		return
	}
	w.save()
	best := w.try(forms[0])
	if forms[1].message == nil && t.refused() {
		forms[1] = form{forms[0].message, 0}
	}
	if best == clean || forms[1].message == nil || w.try(forms[1]) < best {
		return
	}
	w.try(forms[0])
}

// DecodeMessage reads a message without header, from offset at of the frame to its end: what lies
// inside a field or a record. The tree has a body only.
func (t *Tree) DecodeMessage(f Frame, at int, m *schema.Message, version int16) {
	t.start(f, -1, version, Request)
	t.API = nil
	w := t.walker()
	w.p = at
	if !m.Valid.Has(version) {
		w.stop(UnknownVersion, Unknown, int(m.Valid.Max), int(version))
		return
	}
	w.seek()
	w.save()
	w.try(form{m, version})
}

// start empties the tree.
func (t *Tree) start(f Frame, key, version int16, kind Kind) {
	t.Key, t.Version, t.Kind, t.frame = key, version, kind, f
	if cap(t.Nodes) > keptNodes && len(t.Nodes) < cap(t.Nodes)/8 {
		t.Nodes = nil // one huge frame is no reason to keep its room
	}
	t.Nodes, t.Faults, t.Tolerant, t.Trailing = t.Nodes[:0], t.Faults[:0], 0, 0
	t.header, t.body, t.top = -1, -1, [2]form{}
	if t.MaxNodes == 0 {
		t.MaxNodes = DefaultMaxNodes
	}
}

// walker begins at the frame's first byte.
func (t *Tree) walker() walker {
	w := walker{t: t, runs: t.frame.Runs, limit: t.frame.Length, node: -1}
	w.seek()
	return w
}

// message reads a header or a body as a top node.
func (w *walker) message(f form) bool {
	w.plan = planOf(f.message, f.version)
	at := int32(len(w.t.Nodes))
	w.t.Nodes = append(w.t.Nodes, Node{Kind: Struct, Offset: int32(w.p), Parent: -1})
	w.node = at
	ok := w.block(0, at)
	w.t.Nodes[at].Length = int32(w.p) - w.t.Nodes[at].Offset
	return ok
}

// unknown stops after the header, and points at the key or version that ksniff does not know.
func (w *walker) unknown() {
	w.p, w.node = 0, -1
	a := w.t.API
	if w.t.Kind == Request {
		if w.node = 1; a != nil {
			w.p, w.node = 2, 2
		}
	}
	if a == nil {
		w.stop(UnknownKey, Unknown, 0, int(w.t.Key))
	} else {
		w.stop(UnknownVersion, Unknown, int(a.Request.Valid.Max), int(w.t.Version))
	}
}
