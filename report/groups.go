package report

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

// groups finds which consumer group a frame belongs to. Only a few requests name one. The others of
// a client (its Fetches above all) belong to the group that the client joined; where a client id at
// one address joined several, nobody can tell. Names that come late count for what came before.
type groups struct {
	tree    decode.Tree
	names   map[string]*string
	joined  map[*session.Client]*string
	pending map[*session.Request]*string // of requests whose answer is still to come
}

const mostGroups = 10_000 // and as many members; more are not told apart

// ambiguous marks a client that joined several groups.
var ambiguous = new(string)

func (g *groups) init() {
	g.names = map[string]*string{}
	g.joined = map[*session.Client]*string{}
	g.pending = map[*session.Request]*string{}
}

// joins are the APIs by which a member of a group speaks for itself.
var joins = map[int16]bool{8: true, 11: true, 12: true, 14: true, 68: true, 76: true, 78: true, 79: true, 88: true}

// asks are the others that name one group. Both have it in the field GroupId of the body.
var asks = map[int16]bool{9: true, 13: true, 25: true, 28: true, 47: true}

// of is the group that a frame names itself: a request, or the answer to one; nil where it names none.
func (g *groups) of(f *session.Frame) *string {
	if f.Generation != session.Modern || f.Token || !joins[f.Key] && !asks[f.Key] {
		return nil
	}
	if f.Kind == decode.Response {
		name := g.pending[f.Request]
		delete(g.pending, f.Request)
		return name
	}
	g.tree.Decode(decode.Frame{Length: f.Length, Runs: f.Runs, Missing: f.Missing > 0 || f.Cut}, f.Key, f.Version, f.Kind)
	name := g.intern(groupID(g.tree.Body()))
	if name == nil {
		return nil
	}
	if f.Request != nil && len(g.pending) < mostGroups {
		g.pending[f.Request] = name
	}
	if joins[f.Key] && f.Client != nil {
		switch was := g.joined[f.Client]; {
		case was == nil && len(g.joined) < mostGroups:
			g.joined[f.Client] = name
		case was != nil && was != name:
			g.joined[f.Client] = ambiguous
		}
	}
	return name
}

// groupID reads the one group of a request: GroupId or, of OffsetFetch since version 8, that of its
// only element of Groups.
func groupID(body decode.Ref) []byte {
	if id := body.Field("GroupId"); id.OnWire() {
		return id.Bytes()
	}
	list := body.Field("Groups")
	if !list.OnWire() || list.Count() != 1 {
		return nil
	}
	for e := range list.Elements() {
		if id := e.Field("GroupId"); id.OnWire() {
			return id.Bytes()
		}
	}
	return nil
}

func (g *groups) intern(id []byte) *string {
	if len(id) == 0 {
		return nil
	}
	name := g.names[string(id)]
	if name == nil && len(g.names) < mostGroups {
		s := string(id)
		name = &s
		g.names[s] = name
	}
	return name
}

// name is what a row shows: the group that frames named, or the one that their client joined.
func (g *groups) name(direct *string, member *session.Client) *string {
	if direct != nil {
		return direct
	}
	if name := g.joined[member]; name != ambiguous {
		return name
	}
	return nil
}
