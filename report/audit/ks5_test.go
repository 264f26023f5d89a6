package audit

import "time"

// inSession asks with a fetch session, from these offsets.
func inSession(id, epoch int, offsets ...int) fields {
	f := asking(offsets...)
	f["SessionId"], f["SessionEpoch"], f["MaxBytes"] = id, epoch, 1<<20
	return f
}

// given is an answer in a session.
func given(id int, sets ...any) fields {
	f := served(sets...)
	f["SessionId"] = id
	return f
}

// begun is a connection with fetch session 77, which wants partition 0 from offset 0.
func begun(k *talk, version int16) *peer {
	return k.conn().exchange(keyFetch, version, inSession(0, 0, 0), given(77, []byte{}))
}

// bytesOf is a batch with about n bytes of records, at a base offset.
func bytesOf(base int64, n int) []byte {
	return batchOf(func(b *v2) { b.base = base }, rec{value: make([]byte, n)})
}

// limited is a Fetch of n partitions: 1000 bytes of each, and so many in all.
func limited(most, n int) fields {
	f := asking(make([]int, n)...)
	f["MaxBytes"] = most
	return f
}

// thrice does something three times.
func thrice(do func(p *peer)) func(k *talk) {
	return func(k *talk) {
		p := k.conn()
		for range 3 {
			do(p)
		}
	}
}

// part is a Fetch answer of one partition with changes.
func part(change fields) fields {
	f := served([]byte{})
	for name, v := range change {
		f["Responses"].(list)[0].(fields)["Partitions"].(list)[0].(fields)[name] = v
	}
	return f
}

// isolated is a Fetch with read_committed.
func isolated() fields {
	f := asking(0)
	f["IsolationLevel"] = 1
	return f
}

// aborts lists aborted transactions by their first offsets.
func aborts(firsts ...int) list {
	l := list{}
	for _, first := range firsts {
		l = append(l, fields{"ProducerId": 4000, "FirstOffset": first})
	}
	return l
}

var ks5Cases = []ruleCase{
	{rule: "KS5001",
		hit:  func(k *talk) { begun(k, 7).exchange(1, 7, inSession(77, 2), given(77)) },
		miss: func(k *talk) { begun(k, 7).exchange(1, 7, inSession(77, 1), given(77)).request(1, 7, inSession(77, 2)) }},
	{rule: "KS5001",
		hit: func(k *talk) {
			k.conn().exchange(1, 7, inSession(5, 1<<31-1), given(5)).request(1, 7, inSession(5, 2))
		},
		miss: func(k *talk) { // epochs wrap to 1
			k.conn().exchange(1, 7, inSession(5, 1<<31-1), given(5)).request(1, 7, inSession(5, 1))
		}},
	{rule: "KS5001",
		hit: func(k *talk) { begun(k, 7).exchange(1, 7, inSession(77, 3), fields{"ErrorCode": 71}) },
		miss: func(k *talk) { // what was lost may have been epoch 1
			p := begun(k, 7)
			p.lose(0, 60)
			p.exchange(3, 1, fields{}, fields{}).exchange(3, 1, fields{}, fields{}).exchange(1, 7, inSession(77, 2), given(77))
		}},
	{rule: "KS5002",
		hit:  func(k *talk) { k.conn().exchange(1, 7, inSession(0, 1), fields{"ErrorCode": 70}) },
		miss: func(k *talk) { k.conn().exchange(1, 7, inSession(0, 0), fields{}) }},
	{rule: "KS5003",
		hit:  func(k *talk) { begun(k, 12).request(1, 13, fields{"SessionId": 77, "SessionEpoch": 1}) },
		miss: func(k *talk) { begun(k, 11).request(1, 12, fields{"SessionId": 77, "SessionEpoch": 1}) }},
	{rule: "KS5004",
		hit: func(k *talk) {
			begun(k, 7).request(1, 7, inSession(77, 1)).request(1, 7, inSession(77, 2)).answer(given(77)).answer(given(77))
		},
		miss: func(k *talk) { // a closing client gives the session back
			begun(k, 7).request(1, 7, inSession(77, 1)).request(1, 7, inSession(77, -1)).answer(given(77)).answer(given(0))
		}},
	{rule: "KS5005", // two partitions above theirs
		hit:  func(k *talk) { k.conn().exchange(1, 7, limited(9000, 2), served(bytesOf(0, 1000), bytesOf(0, 1000))) },
		miss: func(k *talk) { k.conn().exchange(1, 7, limited(9000, 2), served(bytesOf(0, 1000), bytesOf(0, 900))) }},
	{rule: "KS5005", // one, with two batches
		hit: func(k *talk) {
			k.conn().exchange(1, 7, limited(9000, 1), served(set(bytesOf(0, 900), bytesOf(1, 900))))
		},
		miss: func(k *talk) { k.conn().exchange(1, 7, limited(9000, 1), served(bytesOf(0, 1800))) }},
	{rule: "KS5005", // in all
		hit:  func(k *talk) { k.conn().exchange(1, 7, limited(900, 2), served(bytesOf(0, 500), bytesOf(0, 500))) },
		miss: func(k *talk) { k.conn().exchange(1, 7, limited(1200, 2), served(bytesOf(0, 500), bytesOf(0, 500))) }},
	{rule: "KS5005", // a partition of the session
		hit: func(k *talk) {
			begun(k, 7).exchange(1, 7, inSession(77, 1), given(77, set(bytesOf(0, 900), bytesOf(1, 900))))
		},
		miss: func(k *talk) { begun(k, 7).exchange(1, 7, inSession(77, 1), given(77, bytesOf(0, 1800))) }},
	{rule: "KS5005", severity: Warning, // an old version; perhaps converted
		hit:  func(k *talk) { k.conn().exchange(1, 2, asking(0), served(message(1, 0, 0, nil, make([]byte, 1000)))) },
		miss: func(k *talk) { k.conn().exchange(1, 2, asking(0), served(message(1, 0, 0, nil, make([]byte, 900)))) }},
	{rule: "KS5006",
		hit: func(k *talk) { k.conn().exchange(1, 4, asking(0), served([]byte{}, []byte{})) },
		miss: func(k *talk) { // it is in the session
			begun(k, 7).exchange(1, 7, inSession(77, 1), given(77, bytesOf(0, 1)))
		}},
	{rule: "KS5006",
		hit: func(k *talk) { begun(k, 7).exchange(1, 7, inSession(77, 1), given(77, []byte{}, []byte{})) },
		miss: func(k *talk) { // the session began before the capture
			k.conn().exchange(1, 7, inSession(77, 9), given(77, bytesOf(0, 1)))
		}},
	{rule: "KS5007",
		hit:  func(k *talk) { k.conn().exchange(1, 4, asking(1), served(bytesOf(0, 1))) },
		miss: func(k *talk) { k.conn().exchange(1, 4, asking(0), served(bytesOf(0, 1))) }},
	{rule: "KS5008",
		hit:  thrice(func(p *peer) { p.exchange(1, 4, asking(1000), served(bytesOf(1000, 1))) }),
		miss: thrice(func(p *peer) { p.exchange(1, 4, asking(999), served(bytesOf(999, 1))) })},
	{rule: "KS5008",
		hit: thrice(func(p *peer) {
			p.exchange(1, 4, isolated(), part(fields{"LastStableOffset": 5, "Records": bytesOf(5, 1)}))
		}),
		miss: thrice(func(p *peer) {
			p.exchange(1, 4, asking(0), part(fields{"LastStableOffset": 5, "Records": bytesOf(5, 1)}))
		})},
	{rule: "KS5009",
		hit:  thrice(func(p *peer) { p.exchange(1, 4, asking(0), part(fields{"LastStableOffset": 1001})) }),
		miss: thrice(func(p *peer) { p.exchange(1, 4, asking(0), part(fields{"LastStableOffset": 1000})) })},
	{rule: "KS5010",
		hit:  func(k *talk) { k.conn().exchange(1, 4, asking(0), part(fields{"AbortedTransactions": aborts(3)})) },
		miss: func(k *talk) { k.conn().exchange(1, 4, isolated(), part(fields{"AbortedTransactions": aborts(3)})) }},
	{rule: "KS5011",
		hit: thrice(func(p *peer) {
			p.exchange(1, 4, isolated(), part(fields{"AbortedTransactions": aborts(5, 3), "Records": bytesOf(9, 1)}))
		}),
		miss: thrice(func(p *peer) {
			p.exchange(1, 4, isolated(), part(fields{"AbortedTransactions": aborts(3, 5), "Records": bytesOf(9, 1)}))
		})},
	{rule: "KS5011", // behind the records
		hit: thrice(func(p *peer) {
			p.exchange(1, 12, isolated(), part(fields{"AbortedTransactions": aborts(10), "Records": bytesOf(9, 1)}))
		}),
		miss: thrice(func(p *peer) {
			p.exchange(1, 12, isolated(), part(fields{"AbortedTransactions": aborts(9), "Records": bytesOf(9, 1)}))
		})},
	{rule: "KS5012",
		hit:  idle(40 * time.Millisecond),
		miss: idle(60 * time.Millisecond)},
	{rule: "KS5013",
		hit:  late(1600 * time.Millisecond),
		miss: late(1400 * time.Millisecond)},
	{rule: "KS5014",
		hit:  sentAway(4),
		miss: sentAway(3)},
	{rule: "KS5015",
		hit: func(k *talk) {
			brokers(k, 1)
			f := asking(0)
			f["ReplicaId"] = 3
			k.conn().request(1, 4, f)
		},
		miss: func(k *talk) {
			brokers(k, 1)
			f := asking(0)
			f["ReplicaId"] = -2
			k.conn().request(1, 4, f)
		}},
	{rule: "KS5015",
		hit: func(k *talk) {
			brokers(k, 1)
			k.conn().request(1, 15, fields{"ReplicaState": fields{"ReplicaId": 3}})
		},
		miss: func(k *talk) { // from the broker's own address
			brokers(k, 1)
			p := from(k, 9)
			p.request(1, 15, fields{"ReplicaState": fields{"ReplicaId": 3}})
		}},
	{rule: "KS5016",
		hit:  shared(78, 0, 42, acknowledged()),
		miss: shared(78, 0, 42, list{})},
	{rule: "KS5016",
		hit:  shared(78, -1, 42, list{}),
		miss: shared(79, -1, 42, list{})},
	{rule: "KS5016",
		hit:  func(k *talk) { shareEpochs(k, 3) },
		miss: func(k *talk) { shareEpochs(k, 2) }},
	{rule: "KS5017",
		hit:  func(k *talk) { f := limited(10, 1); f["MinBytes"] = 11; k.conn().request(1, 4, f) },
		miss: func(k *talk) { f := limited(10, 1); f["MinBytes"] = 10; k.conn().request(1, 4, f) }},
}

// idle fetches nothing 22 times without letting the broker wait, this long apart.
func idle(pause time.Duration) func(k *talk) {
	return func(k *talk) {
		p := k.conn()
		for range 22 {
			f := asking(0)
			f["MaxWaitMs"] = 10
			p.exchange(1, 4, f, served([]byte{}))
			k.wait(pause)
		}
	}
}

// late is answered so long after a fetch that waits 500 ms at most.
func late(after time.Duration) func(k *talk) {
	return func(k *talk) {
		p := k.conn().request(1, 4, asking(0))
		k.wait(after)
		p.answer(served([]byte{}))
	}
}

// sentAway is sent to another replica n times.
func sentAway(n int) func(k *talk) {
	return func(k *talk) {
		p := k.conn()
		for range n {
			p.exchange(1, 11, asking(0), part(fields{"PreferredReadReplica": 2}))
		}
	}
}

// acknowledged acknowledges two records.
func acknowledged() list {
	return list{fields{"FirstOffset": 0, "LastOffset": 1, "AcknowledgeTypes": list{1}}}
}

func shareRequest(epoch int, acks list) fields {
	return fields{"GroupId": "g", "MemberId": "m", "ShareSessionEpoch": epoch,
		"Topics": list{fields{"TopicId": [16]byte{1}, "Partitions": list{fields{"AcknowledgementBatches": acks}}}}}
}

// shared exchanges a share request that is answered by an error.
func shared(key int16, epoch, code int, acks list) func(k *talk) {
	return func(k *talk) { k.conn().exchange(key, 1, shareRequest(epoch, acks), fields{"ErrorCode": code}) }
}

// shareEpochs exchanges good ShareFetch requests with epochs 0 and 1, and one that is refused for its epoch.
func shareEpochs(k *talk, third int) {
	k.conn().exchange(78, 1, shareRequest(0, list{}), fields{}).exchange(78, 1, shareRequest(1, list{}), fields{}).
		exchange(78, 1, shareRequest(third, list{}), fields{"ErrorCode": 123})
}
