package audit

import "time"

// fails exchanges a Fetch 11 of t-0 that is answered by an error of the partition.
func (p *peer) fails(offset, code int) *peer {
	req := fetch("t")
	req["Topics"].(list)[0].(fields)["Partitions"].(list)[0].(fields)["FetchOffset"] = offset
	return p.exchange(1, 11, req, fields{"Responses": list{fields{"Topic": "t", "Partitions": list{fields{"ErrorCode": code}}}}})
}

// produces exchanges a Produce 7 of producer 7, epoch 0, answered by an error of the partition.
func (p *peer) produces(epoch uint16, sequence uint32, code int) *peer {
	b := batch(0, 1, 1, put64(43, 7), put16(51, epoch), put32(53, sequence))
	return p.exchange(0, 7, produce("t", b), fields{"Responses": list{fields{"Name": "t", "PartitionResponses": list{fields{"ErrorCode": code}}}}})
}

// refusedIn sends the same records eight times, to these partitions, none of which the broker leads.
func refusedIn(k *talk, partition func(i int) int) {
	p, set := k.lives(), batch(0, 1, 1)
	for i := range 8 {
		at := partition(i)
		request := fields{"Acks": 1, "TimeoutMs": 1000, "TopicData": list{fields{"Name": "t", "PartitionData": list{fields{"Index": at, "Records": set}}}}}
		p.exchange(keyProduce, 7, request, fields{"Responses": list{fields{"Name": "t", "PartitionResponses": list{fields{"Index": at, "ErrorCode": 6}}}}})
	}
}

// every does something n times, with a pause before each.
func (k *talk) every(n int, pause time.Duration, do func()) {
	for range n {
		k.wait(pause)
		do()
	}
}

var ks7Cases = []ruleCase{
	{rule: "KS7001",
		hit: func(k *talk) {
			p := k.lives()
			k.every(4, time.Second, func() { p.fails(0, 6) })
		},
		miss: func(k *talk) {
			p := k.lives()
			k.every(2, time.Second, func() { p.fails(0, 6) })
			k.lives() // on another connection
			k.every(2, time.Second, func() { p.fails(0, 6) })
		}},
	{rule: "KS7002",
		hit: func(k *talk) {
			p := k.lives()
			k.every(4, time.Second, func() { p.beats(5, 16) })
		},
		miss: func(k *talk) {
			p := k.lives()
			k.every(4, time.Second, func() { p.beats(5, 16).exchange(10, 1, fields{"Key": "g"}, fields{}) })
		}},
	{rule: "KS7003",
		hit: func(k *talk) {
			p := k.lives()
			k.every(4, 0, func() { p.beats(5, 14) })
		},
		miss: func(k *talk) {
			p := k.lives()
			k.every(4, 20*time.Millisecond, func() { p.beats(5, 14) })
		}},
	{rule: "KS7003", // other payload is no retry
		hit: func(k *talk) {
			p := k.lives()
			k.every(4, 0, func() { p.produces(0, 1, 7) })
		},
		miss: func(k *talk) {
			p, n := k.lives(), uint32(0)
			k.every(8, 0, func() { n++; p.produces(0, n, 7) })
		}},
	{rule: "KS7003", // the same records for other partitions are no retry
		hit:  func(k *talk) { refusedIn(k, func(int) int { return 3 }) },
		miss: func(k *talk) { refusedIn(k, func(i int) int { return i }) }},
	{rule: "KS7004",
		hit: func(k *talk) {
			p := k.lives().exchange(3, 6, fields{}, fields{"ThrottleTimeMs": 500})
			k.wait(400 * time.Millisecond)
			p.request(3, 6, fields{})
		},
		miss: func(k *talk) {
			p := k.lives().exchange(3, 6, fields{}, fields{"ThrottleTimeMs": 500})
			k.wait(500 * time.Millisecond)
			p.exchange(3, 6, fields{}, fields{}).exchange(3, 5, fields{}, fields{"ThrottleTimeMs": 500}) // 5: the broker waits
			k.wait(100 * time.Millisecond)
			p.request(3, 6, fields{})
		}},
	{rule: "KS7005",
		hit: func(k *talk) {
			p := k.lives()
			k.every(80, 400*time.Millisecond, func() { p.exchange(3, 1, fields{"Topics": list{fields{"Name": "t"}}}, fields{}) })
		},
		miss: func(k *talk) {
			p := k.lives()
			k.every(80, time.Second, func() { p.exchange(3, 1, fields{"Topics": list{fields{"Name": "t"}}}, fields{}) })
		}},
	{rule: "KS7005", // all topics
		hit: func(k *talk) {
			p := k.conn()
			k.every(4, 50*time.Second, func() { p.exchange(3, 1, fields{"Topics": nil}, fields{}) })
		},
		miss: func(k *talk) {
			p := k.conn()
			k.every(8, 61*time.Second, func() { p.exchange(3, 1, fields{"Topics": nil}, fields{}) })
		}},
	{rule: "KS7006",
		hit: func(k *talk) {
			p := k.lives()
			k.every(6, time.Second, func() { p.produces(0, 1, 10) })
		},
		miss: func(k *talk) {
			p := k.lives()
			k.every(5, time.Second, func() { p.produces(0, 1, 10) })
		}},
	{rule: "KS7007",
		hit: func(k *talk) {
			p := k.lives()
			k.every(4, time.Second, func() { p.produces(0, 1, 47) })
		},
		miss: func(k *talk) { // with a new epoch
			p, epoch := k.lives(), uint16(0)
			k.every(4, time.Second, func() { p.produces(epoch, 1, 47); epoch++ })
		}},
	{rule: "KS7008",
		hit: func(k *talk) {
			p := k.lives()
			k.every(4, time.Second, func() { p.fails(900, 1) })
		},
		miss: func(k *talk) {
			p := k.lives()
			k.every(2, time.Second, func() { p.fails(900, 1) })
			p.exchange(2, 1, listOffsets("t", 0, -1), fields{})
			k.every(2, time.Second, func() { p.fails(900, 1) })
		}},
	{rule: "KS7009",
		hit:  func(k *talk) { badlySession(k, 8) },
		miss: func(k *talk) { badlySession(k, 0) }},
	{rule: "KS7010",
		hit: func(k *talk) {
			p := k.conn().joins()
			k.every(4, 4*time.Second, func() { p.beats(5, 27) })
		},
		miss: func(k *talk) {
			p := k.conn().joins()
			k.every(3, 3*time.Second, func() { p.beats(5, 27) })
			p.joins()
			k.every(3, 3*time.Second, func() { p.beats(5, 27) })
		}},
	{rule: "KS7011",
		hit: func(k *talk) {
			p := k.conn().joins()
			k.every(4, time.Second, func() { p.beats(5, 25) })
		},
		miss: func(k *talk) {
			p := k.conn().joins()
			k.every(3, time.Second, func() { p.beats(5, 25) })
		}},
	{rule: "KS7012",
		hit: func(k *talk) {
			k.every(11, time.Second, func() { p := k.lives(); p.fin(0); p.fin(1) })
		},
		miss: func(k *talk) {
			k.every(11, 7*time.Second, func() { p := k.lives(); p.fin(0); p.fin(1) })
		}},
	{rule: "KS7013",
		hit: func(k *talk) {
			k.every(3, 0, func() { givesUp(k, 30*time.Second) })
		},
		miss: func(k *talk) {
			n := time.Duration(10)
			k.every(3, 0, func() { n += 10; givesUp(k, n*time.Second) })
		}},
	{rule: "KS7013", // by a reset of the client's, or of the broker's
		hit:  func(k *talk) { k.every(3, 0, func() { isReset(k, 0) }) },
		miss: func(k *talk) { k.every(3, 0, func() { isReset(k, 1) }) }},
	{rule: "KS7014",
		hit:  func(k *talk) { storage(k, 5) },
		miss: func(k *talk) { storage(k, 6) }},
	{rule: "KS7015",
		hit:  func(k *talk) { k.lives().beats(5, 999) },
		miss: func(k *talk) { k.lives().beats(5, -1) }},
}

// badlySession gets error 70 for session 4, and sends the next Fetch with it.
func badlySession(k *talk, epoch int) {
	k.lives().exchange(1, 11, fields{"SessionId": 4, "SessionEpoch": 7}, fields{"ErrorCode": 70}).
		request(1, 11, fields{"SessionId": 4, "SessionEpoch": epoch})
}

func storage(k *talk, version int16) {
	k.lives().exchange(1, version, fetch("t"), fields{"Responses": list{fields{"Topic": "t", "Partitions": list{fields{"ErrorCode": 56}}}}})
}

// givesUp closes a connection with a request that waits.
func givesUp(k *talk, after time.Duration) {
	p := k.lives()
	p.request(3, 1, fields{})
	k.wait(after)
	p.fin(0)
	p.fin(1)
}

// isReset resets a connection with a request that waits.
func isReset(k *talk, side int) {
	p := k.lives()
	p.request(3, 1, fields{})
	k.wait(30 * time.Second)
	p.rst(side)
}
