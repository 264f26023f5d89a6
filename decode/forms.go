package decode

import "ksniff/decode/schema"

// An ApiVersions request whose version the broker does not know is answered in the form of version 0
// with this error code (KIP-511).
const (
	keyApiVersions     = 18
	unsupportedVersion = 35
)

// A form is a layout that a header or body may have.
type form struct {
	message *schema.Message
	version int16
}

// layouts finds the header's layout and the body's one or two. Of an unknown API or version there is
// only the header, as far as it is the same for all.
func (t *Tree) layouts() (header form, body [2]form) {
	header = form{schema.ResponseHeaders, 0}
	if t.Kind == Request {
		header = form{schema.RequestHeaders, 1}
	}
	v := headerVersion(t.Key, t.Version, t.Kind)
	if v < 0 {
		return
	}
	header.version = v
	m := t.API.Response
	if t.Kind == Request {
		m = t.API.Request
	}
	body[0] = form{m, t.Version}
	if m.Early != nil && m.Early.Valid.Has(t.Version) {
		body[1] = form{m.Early, t.Version}
	}
	return
}

// refused says whether the body is an ApiVersions answer that may be in form 0.
func (t *Tree) refused() bool {
	return t.Key == keyApiVersions && t.Kind == Response && t.Version > 0 &&
		t.Body().Field("ErrorCode").Int() == unsupportedVersion
}

// How well a form fits, best first.
const (
	clean     = iota // every byte has its field
	tolerable        // the same, with tolerated faults
	untiled          // bytes are left over
	stopped
)

// save remembers the tree before the body.
func (w *walker) save() {
	w.nodes, w.faults, w.tolerant = len(w.t.Nodes), len(w.t.Faults), w.t.Tolerant
}

// try reads the body in one form, in place of what was tried before.
func (w walker) try(f form) (fit int) {
	t := w.t
	t.Nodes, t.Faults, t.Tolerant, t.Trailing = t.Nodes[:w.nodes], t.Faults[:w.faults], w.tolerant, 0
	t.body, t.top[1], t.BodyVersion = int32(w.nodes), f, f.version
	if t.header == 0 {
		t.Nodes[0].Next = t.body
	}
	if !w.message(f) {
		return stopped
	}
	if t.Trailing = w.limit - w.p; t.Trailing > 0 {
		w.node = t.body
		w.stop(TrailingBytes, Broken, 0, t.Trailing)
		t.Faults[len(t.Faults)-1].Tolerated = true
		t.Tolerant++
		return untiled
	}
	if t.Tolerant > w.tolerant {
		return tolerable
	}
	return clean
}
