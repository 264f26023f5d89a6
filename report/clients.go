package report

import "ksniff/reassembly/session"

// clients are the aggregates per client (address and client id).
type clients struct {
	byClient map[*session.Client]*client
	other    client
	nobody   client // frames whose client is not known
	left     crowd
}

type client struct {
	home     *clients
	requests int64
	topics   map[*session.Topic]struct{}
	recent   *session.Topic
	lost     bool // the memory bound left topics out
}

const (
	clientCost = 80
	linksCost  = 150 // the first topic in a client's set
	linkCost   = 20  // each more
)

func (c *clients) init() { c.byClient = map[*session.Client]*client{} }

// of gives the aggregate of a client, which the Client remembers.
func (c *clients) of(key *session.Client, b *budget) *client {
	if key == nil {
		return &c.nobody
	}
	if a, ok := key.User.(*client); ok && a.home == c {
		return a
	}
	if a := c.byClient[key]; a != nil {
		return a
	}
	if !b.take(clientCost) {
		c.left.add(newHash.client(key))
		return &c.other
	}
	a := &client{home: c}
	c.byClient[key], key.User = a, a
	return a
}

// topic notes that the client named a topic.
func (c *client) topic(t *session.Topic, b *budget) {
	if c.recent == t {
		return
	}
	c.recent = t
	if _, ok := c.topics[t]; ok {
		return
	}
	cost := int64(linkCost)
	if c.topics == nil {
		cost = linksCost
	}
	if !b.take(cost) {
		c.lost = true
		return
	}
	if c.topics == nil {
		c.topics = map[*session.Topic]struct{}{}
	}
	c.topics[t] = struct{}{}
}
