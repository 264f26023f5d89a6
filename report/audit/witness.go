package audit

import (
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// witness is a request that may turn out to be wrong when its frame is gone.
type witness struct {
	conn   *Conn
	at     reassembly.Moment
	req    session.Request
	guards Needs
}

// witness makes one of the request that is looked at, or that is answered.
func (c *Ctx) witness() witness {
	r := c.Request()
	return witness{c.Conn, reassembly.Moment{Packet: r.Packet, Time: r.Time},
		session.Request{Key: r.Key, Version: r.Version, Generation: r.Generation, CorrelationID: r.CorrelationID, Client: r.Client, Packet: r.Packet, Time: r.Time}, c.guards}
}

// recall lets do look at a request of before.
func (c *Ctx) recall(w *witness, do func()) {
	now := *c
	c.Frame, c.Conn, c.kept, c.Event, c.guards = nil, w.conn, &kept{req: &w.req}, Event{At: w.at}, w.guards
	do()
	*c = now
}
