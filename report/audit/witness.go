package audit

import (
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// witness is a request, or what happened on a connection, that may turn out to be wrong when it is gone.
type witness struct {
	conn   *Conn
	at     reassembly.Moment
	req    *session.Request // nil where there is none
	guards Needs
}

// witness makes one of the request that is looked at, or that is answered.
func (c *Ctx) witness() witness {
	r := c.Request()
	if r == nil {
		return witness{c.Conn, c.Now(), nil, c.guards}
	}
	return witness{c.Conn, reassembly.Moment{Packet: r.Packet, Time: r.Time},
		&session.Request{Key: r.Key, Version: r.Version, Generation: r.Generation, CorrelationID: r.CorrelationID, Client: r.Client, Packet: r.Packet, Time: r.Time}, c.guards}
}

// waits are what may turn out to be wrong at a broker once more is known of it.
type waits struct{ list []witness }

// maxWaits bounds them for a broker.
const maxWaits = 64

func (w *waits) add(one witness) {
	if len(w.list) < maxWaits {
		w.list = append(w.list, one)
	}
}

// recall lets do look at what was before.
func (c *Ctx) recall(w *witness, do func()) {
	now := *c
	c.Frame, c.Conn, c.kept, c.Event, c.guards = nil, w.conn, nil, Event{At: w.at}, w.guards
	if w.req != nil {
		c.kept = &kept{req: w.req}
	}
	do()
	*c = now
}
