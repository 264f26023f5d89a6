package audit

// shy is a client that asks for metadata first; the broker closes the connection without an answer.
func shy(k *talk, port uint16) {
	p := k.connTo(9, port).request(3, 1, fields{})
	p.fin(1)
	p.fin(0)
}

// greets begins with a ClientHello, and this side closes.
func greets(k *talk, side int) {
	p := k.conn()
	p.bytes(0, clientHello)
	p.fin(side)
	p.fin(1 - side)
}

var ks8Wrongs = []wrong{
	{name: "before it is known that others authenticate", rule: "KS8005", want: 1, build: func(k *talk) { shy(k, 9092); k.conn().plain() }},
	{name: "before and after", rule: "KS8005", want: 2, build: func(k *talk) { shy(k, 9092); k.conn().plain(); shy(k, 9092) }},
	{name: "on another port", rule: "KS8005", build: func(k *talk) { shy(k, 9093); k.conn().plain() }},
	{name: "it was answered", rule: "KS8005", build: func(k *talk) { k.lives(); k.conn().plain() }},
	{name: "not the first request", rule: "KS8005", build: func(k *talk) {
		p := k.lives().request(3, 1, fields{})
		p.fin(1)
		p.fin(0)
		k.conn().plain()
	}},
	{name: "before it is known that the port is plain", rule: "KS8014", want: 1, build: func(k *talk) { greets(k, 1); k.lives() }},
	{name: "the client closed", rule: "KS8014", build: func(k *talk) { greets(k, 0); k.lives() }},
	{name: "capitals", rule: "KS8015", want: 1, build: func(k *talk) { k.lives().request(44, 1, config("my.Password", "hidden-word")) }},
}
