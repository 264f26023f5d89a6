package audit

// past is something that is no frame, to be judged by what comes after it.
type past struct {
	conn   *Conn
	event  Event
	guards Needs
}

// past keeps what is looked at.
func (c *Ctx) past() past { return past{c.Conn, c.Event, c.guards} }

// again looks at what is past.
func (c *Ctx) again(p past, look func()) {
	f, k, now := c.Frame, c.kept, c.past()
	c.Frame, c.kept, c.Conn, c.Event, c.guards = nil, nil, p.conn, p.event, p.guards
	look()
	c.Frame, c.kept, c.Conn, c.Event, c.guards = f, k, now.conn, now.event, now.guards
}
