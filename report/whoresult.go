package report

import (
	"cmp"
	"slices"
	"strings"

	"ksniff/decode/schema"
	"ksniff/reassembly/session"
)

// Users is what Who found out: clients by name and address. Its JSON is of schema ksniff.who.v1.
type Users struct {
	Schema  string  `json:"schema"`
	Capture Capture `json:"capture"`
	Clients []User  `json:"clients"`
	// Other counts what no client could be named for, or no room was for; nil where there is nothing.
	Other *OtherUsers `json:"other,omitempty"`
}

// User is a client with what it uses.
type User struct {
	ClientID string      `json:"client_id"`
	Address  string      `json:"address"`
	Software string      `json:"software"` // name/version, "" where the client did not tell
	Requests int64       `json:"requests"`
	Topics   []UsedTopic `json:"topics"`
	APIs     []UsedAPI   `json:"apis"`    // of requests that name no topic
	Partial  bool        `json:"partial"` // there was no room for everything

	null bool // the id was null, not "": two clients
}

// nullFirst orders clients that differ in nothing else.
func nullFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// UsedTopic is a topic with the APIs that a client used for it. One whose name is not known has "".
type UsedTopic struct {
	Topic   string    `json:"topic"`
	TopicID *string   `json:"topic_id"`
	APIs    []UsedAPI `json:"apis"`
}

// UsedAPI counts the requests of an API, by version. A request that names several topics counts for
// each of them. Legacy requests have no versions.
type UsedAPI struct {
	Generation string           `json:"generation"`
	API        *string          `json:"api"`
	Key        int16            `json:"key"`
	Versions   map[string]int64 `json:"versions"`
	Requests   int64            `json:"requests"`
}

// OtherUsers are the clients that are not listed.
type OtherUsers struct {
	Clients  int64 `json:"clients"` // an estimate
	Requests int64 `json:"requests"`
}

// Result puts the sums in order.
func (w *Who) Result(capture Capture) *Users {
	out := &Users{Schema: "ksniff.who.v1", Capture: capture, Clients: []User{}}
	for c, u := range w.users {
		out.Clients = append(out.Clients, u.result(c, w.names))
	}
	slices.SortFunc(out.Clients, func(a, b User) int {
		return cmp.Or(strings.Compare(a.ClientID, b.ClientID), strings.Compare(a.Address, b.Address), strings.Compare(a.Software, b.Software),
			nullFirst(a.null, b.null))
	})
	if w.lost > 0 {
		out.Other = &OtherUsers{Clients: w.left.count(), Requests: w.lost}
	}
	return out
}

// result sorts what a client uses by topic.
func (u *user) result(c *session.Client, names func([16]byte) string) User {
	out := User{ClientID: c.ID, Address: addrText(c.Addr), Software: c.Software, Requests: u.requests,
		Topics: []UsedTopic{}, APIs: []UsedAPI{}, Partial: u.partial, null: c.NullID}
	topics := map[string]*UsedTopic{}
	for at, versions := range u.uses {
		if at.topic == nil && at.name == "" && at.id == [16]byte{} {
			out.APIs = addAPI(out.APIs, at, versions)
			continue
		}
		t := UsedTopic{Topic: at.name}
		id := at.id
		if at.topic != nil {
			t.Topic, id = at.topic.Name, at.topic.ID
		} else if names != nil && id != [16]byte{} {
			t.Topic = names(id)
		}
		if id != [16]byte{} {
			text := uuidText(id)
			t.TopicID = &text
		}
		key := t.Topic
		if key == "" {
			key = "\x00" + orEmpty(t.TopicID)
		}
		known := topics[key]
		if known == nil {
			known = &t
			topics[key] = known
		}
		if orEmpty(t.TopicID) > orEmpty(known.TopicID) { // deleted and made again: one of both, and always the same
			known.TopicID = t.TopicID
		}
		known.APIs = addAPI(known.APIs, at, versions)
	}
	for _, t := range topics {
		out.Topics = append(out.Topics, *t)
	}
	slices.SortFunc(out.Topics, func(a, b UsedTopic) int {
		return cmp.Or(strings.Compare(a.Topic, b.Topic), strings.Compare(orEmpty(a.TopicID), orEmpty(b.TopicID)))
	})
	return out
}

// addAPI adds a use to a list that is sorted by generation (modern first) and key.
func addAPI(list []UsedAPI, at use, versions *tally) []UsedAPI {
	a := UsedAPI{Generation: generationName(at.generation), Key: at.key, Versions: map[string]int64{}, Requests: versions.sum()}
	name := (&api{generation: at.generation, key: at.key, schema: schema.Lookup(at.key)}).name()
	if name != "" {
		a.API = &name
	}
	if at.generation == session.Modern {
		a.Versions = named(versions, versionName)
	}
	i, found := slices.BinarySearchFunc(list, a, func(x, y UsedAPI) int {
		return cmp.Or(-strings.Compare(x.Generation, y.Generation), cmp.Compare(x.Key, y.Key))
	})
	if !found {
		return slices.Insert(list, i, a)
	}
	for v, n := range a.Versions { // the same topic by name and by id
		list[i].Versions[v] += n
	}
	list[i].Requests += a.Requests
	return list
}
