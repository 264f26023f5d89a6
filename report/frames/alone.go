package frames

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

// AppendTree appends all fields of a message that is in no capture, a line each, as a Printer with the
// option Tree does. inner is a decode.JSON.Inner, or nil.
func AppendTree(b []byte, t *decode.Tree, o Options, inner func([]byte, decode.Ref) []byte) []byte {
	p := &Printer{options: o}
	p.setup()
	p.json.Inner = inner
	p.frame.Frame = &session.Frame{Kind: t.Kind, Key: t.Key, Version: t.Version}
	return p.appendFields(b, t)
}

// AppendLines appends JSON of our own making as lines, one a value, indented by its depth.
func AppendLines(b, json []byte) []byte {
	return new(Printer).appendIndented(b, json, 0)
}
