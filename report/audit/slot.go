package audit

// Looks that remember something use slots: typed places in a connection, in a request that waits for
// its answer, or in the audit. Each is declared once, as a package variable.

// connSlot is a place for a T in each connection. What is in it is forgotten when bytes of the
// connection are missing, unless it is declared to last: what was true before may not be true after.
type connSlot[T any] struct {
	n    int
	mark marks
}

// connSlots are the marks of those that do not last, 0 of others.
var connSlots []marks

func newConnSlot[T any]() connSlot[T] {
	s := connSlot[T]{len(connSlots), slotMark()}
	connSlots = append(connSlots, s.mark)
	return s
}

func newLastingSlot[T any]() connSlot[T] {
	connSlots = append(connSlots, 0)
	return connSlot[T]{len(connSlots) - 1, slotMark()}
}

// of gives the T of a connection, zero at first.
func (s connSlot[T]) of(c *Conn) *T {
	if c.slots == nil {
		c.slots = make([]any, len(connSlots))
	}
	if t, ok := c.slots[s.n].(*T); ok {
		return t
	}
	t := new(T)
	c.slots[s.n] = t
	c.marks |= s.mark
	return t
}

// seen gives the T of a connection where there is one, else nil.
func (s connSlot[T]) seen(c *Conn) *T {
	if c.slots == nil {
		return nil
	}
	t, _ := c.slots[s.n].(*T)
	return t
}

// drop forgets what is in the slot of a connection.
func (s connSlot[T]) drop(c *Conn) {
	if c.slots != nil {
		c.marks &^= s.mark
		c.slots[s.n] = nil
	}
}

// requestSlot is a place for a T in each request that waits for its answer.
type requestSlot[T any] struct {
	n    int
	mark marks
}

var requestSlots int

func newRequestSlot[T any]() requestSlot[T] {
	requestSlots++
	return requestSlot[T]{requestSlots - 1, slotMark()}
}

// of gives the T of the request that is looked at, or that is answered: zero at first, or what its method reset
// makes of one that was used before; nil where there is no such request.
func (s requestSlot[T]) of(c *Ctx) *T {
	k := c.kept
	if k == nil {
		return nil
	}
	if k.slots == nil {
		k.slots = make([]any, requestSlots)
	}
	t, ok := k.slots[s.n].(*T)
	if !ok {
		t = new(T)
		k.slots[s.n] = t
	} else if k.marks&s.mark == 0 {
		if again, ok := any(t).(interface{ reset() }); ok {
			again.reset()
		} else {
			*t = *new(T)
		}
	}
	k.marks |= s.mark
	return t
}

// seen gives the T of the request where of has made one, else nil.
func (s requestSlot[T]) seen(c *Ctx) *T {
	if k := c.kept; k != nil && k.marks&s.mark != 0 {
		return k.slots[s.n].(*T)
	}
	return nil
}

// auditSlot is a place for a T in the audit: what is known across connections. A T that grows with the
// traffic must bound itself, see bounded.
type auditSlot[T any] struct{ n int }

var auditSlots int

func newAuditSlot[T any]() auditSlot[T] {
	auditSlots++
	return auditSlot[T]{auditSlots - 1}
}

func (s auditSlot[T]) of(c *Ctx) *T {
	a := c.Audit
	if a.slots == nil {
		a.slots = make([]any, auditSlots)
	}
	if t, ok := a.slots[s.n].(*T); ok {
		return t
	}
	t := new(T)
	a.slots[s.n] = t
	return t
}

// bounded is a map that forgets its oldest entries beyond the given number. The zero one is empty.
type bounded[K comparable, V any] struct {
	m     map[K]*V
	order []K // of arrival; a ring once it is full
	next  int
	lost  int // how many were forgotten
}

// get gives the value of a key, nil where it is not known.
func (b *bounded[K, V]) get(k K) *V { return b.m[k] }

// at gives the value of a key, zero at first; most is how many the map holds.
func (b *bounded[K, V]) at(k K, most int) *V {
	if v := b.m[k]; v != nil {
		return v
	}
	if b.m == nil {
		b.m = map[K]*V{}
	}
	if len(b.order) < most {
		b.order = append(b.order, k)
	} else {
		delete(b.m, b.order[b.next])
		b.lost++
		b.order[b.next] = k
		b.next = (b.next + 1) % len(b.order)
	}
	v := new(V)
	b.m[k] = v
	return v
}

// drop forgets a key. (Its place is used again when its turn comes.)
func (b *bounded[K, V]) drop(k K) { delete(b.m, k) }
