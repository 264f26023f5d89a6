package report

import (
	"strings"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Who is a session.Sink that adds up which clients ask what about which topics, in which API versions:
// what to know before an upgrade, or before a topic is deleted.
type Who struct {
	budget   budget
	users    map[*session.Client]*user
	lastKey  *session.Client
	last     *user
	left     crowd // clients that did not fit
	lost     int64 // their requests, and those whose client is not known
	overflow *session.Topic
	names    func(id [16]byte) string
}

// user is what is added up of a client.
type user struct {
	requests int64
	uses     map[use]*tally // by API version
	partial  bool           // the memory bound left uses out
}

// use is one API for one topic. Of Produce and Fetch the topic is the session's, since its name may be
// told late; of the others its name or, where they have that only, its id; of requests that name none,
// nothing.
type use struct {
	topic      *session.Topic
	name       string
	id         [16]byte
	generation session.Generation
	key        int16
}

const useCost = 200 // bytes that a use takes in memory, its name apart

// NewWho makes an empty Who. memory bounds what it keeps, in bytes; 0 is 32 MiB.
func NewWho(memory int64) *Who {
	if memory <= 0 {
		memory = 32 << 20
	}
	return &Who{budget: budget{left: memory}, users: map[*session.Client]*user{}}
}

// Overflow tells the Topic that stands for all those that the session could not keep apart.
func (w *Who) Overflow(t *session.Topic) { w.overflow = t }

// Names tells how to name a topic by its id, "" where it is not known; it is asked at the end.
func (w *Who) Names(names func(id [16]byte) string) { w.names = names }

// Unanswered implements session.Sink.
func (w *Who) Unanswered(*reassembly.Conn, *session.Request, session.Why) {}

// Frame adds a request; answers say nothing new.
func (w *Who) Frame(f *session.Frame) {
	if f.Kind != decode.Request || f.Token || f.Generation == session.Undecided {
		return
	}
	u := w.user(f.Client)
	if u == nil {
		w.lost++
		return
	}
	u.requests++
	at := use{generation: f.Generation, key: f.Key}
	switch {
	case f.Request != nil && len(f.Request.Topics) > 0:
		for _, at.topic = range f.Request.Topics {
			w.add(u, at, f.Version)
		}
	case len(f.Parts) > 0:
		for i := range f.Parts {
			if t := f.Parts[i].Topic; t != nil && t != at.topic {
				at.topic = t
				w.add(u, at, f.Version)
			}
		}
	case !w.named(u, at, f):
		w.add(u, at, f.Version)
	}
}

// userCost is a user with its maps, bytes.
const userCost = 400

// user finds or makes the user of a client, nil where there is none or no room.
func (w *Who) user(c *session.Client) *user {
	if c == w.lastKey && w.last != nil {
		return w.last
	}
	if c == nil {
		return nil
	}
	u := w.users[c]
	if u == nil {
		if !w.budget.take(userCost) {
			w.left.add(newHash.client(c))
			return nil
		}
		u = &user{uses: map[use]*tally{}}
		w.users[c] = u
	}
	w.lastKey, w.last = c, u
	return u
}

func (w *Who) add(u *user, at use, version int16) {
	if at.topic != nil && at.topic == w.overflow {
		u.partial = true
		return
	}
	versions := u.uses[at]
	if versions == nil {
		if !w.budget.take(useCost + int64(len(at.name))) {
			u.partial = true
			return
		}
		versions = &tally{}
		at.name = strings.Clone(at.name) // it lies in the frame
		u.uses[at] = versions
	}
	versions.add(int32(version))
}

// named adds a use for each topic that the fields of a request name, or tell by id, and says whether
// there is one.
func (w *Who) named(u *user, at use, f *session.Frame) (found bool) {
	if f.Tree == nil {
		return false
	}
	for i := range f.Tree.Nodes {
		n := &f.Tree.Nodes[i]
		next := at
		switch {
		case n.Field == nil:
			continue
		case n.Kind == decode.String && n.Field.Entity == "topicName":
			next.name, next.id = f.Tree.At(int32(i)).String(), [16]byte{}
		case n.Kind == decode.UUID && strings.HasSuffix(n.Field.Name, "TopicId"):
			next.name, next.id = "", f.Tree.At(int32(i)).UUID()
		}
		if next != at && (next.name != "" || next.id != [16]byte{}) {
			at, found = next, true
			w.add(u, at, f.Version)
		}
	}
	return found
}
