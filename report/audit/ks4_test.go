package audit

import "time"

// idempotent gives a batch the producer 4000 with this epoch and base sequence.
func idempotent(epoch, seq int) func(b *v2) {
	return func(b *v2) { b.pid, b.epoch, b.seq = 4000, epoch, seq }
}

// transactional marks the batch too.
func transactional(epoch, seq int) func(b *v2) {
	return func(b *v2) { b.pid, b.epoch, b.seq, b.attributes = 4000, epoch, seq, 0x10 }
}

// inTransaction is a Produce request with a transactional id.
func inTransaction(sets ...any) fields {
	f := into(-1, sets...)
	f["TransactionalId"] = "tx"
	return f
}

// sequence sends batches of one record each with these base sequences, answered by codes (-1: not).
func sequence(pairs ...int) func(k *talk) {
	return func(k *talk) {
		p := k.conn()
		for i := 0; i < len(pairs); i += 2 {
			p.request(keyProduce, 7, into(-1, batchOf(idempotent(0, pairs[i]), rec{value: []byte{byte(i)}})))
			if pairs[i+1] >= 0 {
				p.answer(wrote(pairs[i+1]))
			}
		}
	}
}

// open begins the work of transactional id tx: producer 4000, epoch 0.
func open(k *talk) *peer {
	return k.conn().exchange(keyInitProducerId, 1, fields{"TransactionalId": "tx", "TransactionTimeoutMs": 30000}, fields{"ProducerId": 4000, "ProducerEpoch": 0})
}

// adds exchanges AddPartitionsToTxn 0 for partition 0 of t.
func (p *peer) adds(code int) *peer {
	return p.exchange(keyAddPartitionsToTxn, 0,
		fields{"V3AndBelowTransactionalId": "tx", "V3AndBelowProducerId": 4000, "V3AndBelowTopics": list{fields{"Name": "t", "Partitions": list{0}}}},
		fields{"ResultsByTopicV3AndBelow": list{fields{"Name": "t", "ResultsByPartition": list{fields{"PartitionIndex": 0, "PartitionErrorCode": code}}}}})
}

// endsTxn exchanges EndTxn 1.
func (p *peer) endsTxn(epoch int) *peer {
	return p.exchange(keyEndTxn, 1, fields{"TransactionalId": "tx", "ProducerId": 4000, "ProducerEpoch": epoch, "Committed": true}, fields{})
}

// writes exchanges Produce 7 in the transaction.
func (p *peer) writes(set []byte) *peer {
	return p.exchange(keyProduce, 7, inTransaction(set), wrote(0))
}

// commits sends TxnOffsetCommit for group g.
func (p *peer) commits(version int16, more fields) *peer {
	f := fields{"TransactionalId": "tx", "GroupId": "g", "ProducerId": 4000}
	for name, v := range more {
		f[name] = v
	}
	return p.request(keyTxnOffsetCommit, version, f)
}

// featured is a connection to a broker with this level of transaction.version.
func featured(k *talk, level int) *peer {
	return k.conn().exchange(18, 3, fields{"ClientSoftwareName": "test", "ClientSoftwareVersion": "1.0"},
		fields{"ApiKeys": list{fields{"ApiKey": 0, "MinVersion": 0, "MaxVersion": 12}}, "FinalizedFeaturesEpoch": 1,
			"FinalizedFeatures": list{fields{"Name": "transaction.version", "MaxVersionLevel": level, "MinVersionLevel": 1}}})
}

// from is a connection of another host.
func from(k *talk, host byte) *peer {
	p := k.mid(9, 9092)
	p.ends[0].Addr[15] = host
	return p
}

// owning lets a host take transactional id tx, and write.
func owning(k *talk, host byte, epoch int) {
	p := from(k, host).exchange(keyInitProducerId, 1, fields{"TransactionalId": "tx"}, fields{"ProducerId": 4000, "ProducerEpoch": epoch})
	p.writes(batchOf(transactional(epoch, 0), one...))
}

// brokers lets Metadata name brokers.
func brokers(k *talk, n int) {
	var all list
	for i := range n {
		all = append(all, fields{"NodeId": i, "Host": "b", "Port": 9092})
	}
	k.conn().exchange(3, 1, fields{}, fields{"Brokers": all})
}

var ks4Cases = []ruleCase{
	{rule: "KS4001",
		hit:  func(k *talk) { k.conn().exchange(0, 3, into(2, batchOf(nil, one...)), wrote(21)) },
		miss: func(k *talk) { k.conn().exchange(0, 3, into(1, batchOf(nil, one...)), wrote(0)) }},
	{rule: "KS4001", severity: Warning, // the broker may be a 0.8
		hit:  func(k *talk) { k.conn().exchange(0, 0, into(2, message(0, 0, 0, nil, nil)), wrote(0)) },
		miss: func(k *talk) { k.conn().exchange(0, 0, into(-1, message(0, 0, 0, nil, nil)), wrote(0)) }},
	{rule: "KS4002",
		hit: func(k *talk) {
			p := k.conn().exchange(18, 0, fields{}, fields{})
			p.silent(0, 7, into(0, batchOf(nil, one...)))
			p.frame(1, encodeResponse(0, 7, 2, wrote(0)))
		},
		miss: func(k *talk) {
			p := k.conn().exchange(18, 0, fields{}, fields{})
			p.exchange(0, 7, into(1, batchOf(nil, one...)), wrote(0))
		}},
	{rule: "KS4003",
		hit: func(k *talk) {
			p := k.conn().exchange(18, 0, fields{}, fields{})
			p.silent(0, 7, into(0, batchOf(nil, one...)))
			p.fin(1)
			p.fin(0)
		},
		miss: func(k *talk) {
			p := k.conn().exchange(18, 0, fields{}, fields{})
			p.silent(0, 7, into(0, batchOf(nil, one...)))
			p.fin(0)
			p.fin(1)
		}},
	{rule: "KS4003",
		hit: func(k *talk) {
			p := k.conn().exchange(18, 0, fields{}, fields{})
			p.silent(0, 7, into(0, batchOf(nil, one...)))
			k.wait(900 * time.Millisecond)
			p.fin(1)
			p.fin(0)
		},
		miss: func(k *talk) {
			p := k.conn().exchange(18, 0, fields{}, fields{})
			p.silent(0, 7, into(0, batchOf(nil, one...)))
			k.wait(time.Second)
			p.fin(1)
		}},
	{rule: "KS4003", // by RST, with requests behind it that were not answered
		hit: func(k *talk) {
			p := k.conn().exchange(18, 0, fields{}, fields{})
			p.silent(0, 7, into(0, batchOf(nil, one...))).request(3, 1, fields{})
			p.rst(1)
		},
		miss: func(k *talk) { // one was: the broker was done with the records
			p := k.conn().exchange(18, 0, fields{}, fields{})
			p.silent(0, 7, into(0, batchOf(nil, one...))).exchange(3, 1, fields{}, fields{})
			p.rst(1)
		}},
	{rule: "KS4007", // what lies between is a batch that cannot be read
		hit: sequence(0, 0, 2, 0),
		miss: func(k *talk) {
			p := k.conn().exchange(0, 7, into(-1, batchOf(idempotent(0, 0), one...)), wrote(0))
			odd := batchOf(idempotent(0, 1), one...)
			odd[16] = 5 // the magic
			p.exchange(0, 7, into(-1, odd), wrote(2))
			p.exchange(0, 7, into(-1, batchOf(idempotent(0, 2), one...)), wrote(0))
		}},
	{rule: "KS4017", // a batch that the broker refused opened nothing
		hit: func(k *talk) {
			k.conn().exchange(0, 7, into(-1, batchOf(transactional(0, 0), one...)), wrote(0)).request(0, 7, into(-1, batchOf(idempotent(0, 1), one...)))
		},
		miss: func(k *talk) {
			k.conn().exchange(0, 7, into(-1, batchOf(transactional(0, 0), one...)), wrote(53)).request(0, 7, into(-1, batchOf(idempotent(0, 1), one...)))
		}},
	{rule: "KS4017", // it was asked to end, and the answer is missing
		hit: func(k *talk) {
			k.conn().exchange(0, 7, into(-1, batchOf(transactional(0, 0), one...)), wrote(0)).request(0, 7, into(-1, batchOf(idempotent(0, 1), one...)))
		},
		miss: func(k *talk) {
			p := k.conn().exchange(0, 7, into(-1, batchOf(transactional(0, 0), one...)), wrote(0))
			p.silent(26, 1, fields{"TransactionalId": "tx", "ProducerId": 4000, "Committed": true})
			p.request(0, 7, into(-1, batchOf(idempotent(0, 1), one...)))
		}},
	{rule: "KS4007", // one direction does not show that the one before was refused
		hit: sequence(0, 0, 2, 0),
		miss: func(k *talk) {
			p := k.conn()
			p.silent(0, 7, into(-1, batchOf(idempotent(0, 0), one...)))
			p.silent(0, 7, into(-1, batchOf(idempotent(0, 2), one...)))
		}},
	{rule: "KS4007", // from the middle of a connection
		hit: func(k *talk) {
			p := k.mid(9, 9092)
			for seq := range 3 {
				p.exchange(0, 7, into(-1, batchOf(idempotent(0, seq), one...)), wrote(0))
			}
			p.request(0, 7, into(-1, batchOf(idempotent(0, 9), one...)))
		},
		miss: func(k *talk) {
			p := k.mid(9, 9092)
			p.exchange(0, 7, into(-1, batchOf(idempotent(0, 0), one...)), wrote(0))
			p.request(0, 7, into(-1, batchOf(idempotent(0, 9), one...)))
		}},
	{rule: "KS4011", // over a new connection
		hit: func(k *talk) {
			k.conn().exchange(0, 7, into(-1, batchOf(idempotent(0, 0), one...)), wrote(0))
			k.conn().request(0, 7, into(-1, batchOf(idempotent(1, 5), one...)))
		},
		miss: func(k *talk) { // its first batch may be among the bytes that are missing
			k.conn().exchange(0, 7, into(-1, batchOf(idempotent(0, 0), one...)), wrote(0))
			p := k.conn().exchange(18, 0, fields{}, fields{})
			p.lose(0, 200)
			p.exchange(0, 7, into(-1, batchOf(idempotent(1, 5), one...)), wrote(0))
			p.request(0, 7, into(-1, batchOf(idempotent(1, 6), one...)))
		}},
	{rule: "KS4019", // a member is known by its heartbeats too
		hit:  func(k *talk) { k.conn().request(keyHeartbeat, 0, fields{"GroupId": "g"}).commits(2, nil) },
		miss: func(k *talk) { k.conn().request(keyHeartbeat, 0, fields{"GroupId": "other"}).commits(2, nil) }},
	{rule: "KS4004",
		hit:  produces(7, batchOf(transactional(0, 0), one...)),
		miss: func(k *talk) { k.conn().request(0, 7, inTransaction(batchOf(transactional(0, 0), one...))) }},
	{rule: "KS4004",
		hit:  produces(9, batchOf(transactional(0, 0), one...)),
		miss: func(k *talk) { k.conn().request(0, 9, inTransaction(batchOf(transactional(0, 0), one...))) }},
	{rule: "KS4005",
		hit:  produces(7, batchOf(idempotent(0, -1), one...)),
		miss: produces(7, batchOf(idempotent(0, 0), one...))},
	{rule: "KS4005",
		hit:  produces(7, batchOf(idempotent(-1, 0), one...)),
		miss: produces(7, batchOf(nil, one...))},
	{rule: "KS4006",
		hit:  produces(7, batchOf(attr(0x10), one...)),
		miss: produces(7, batchOf(transactional(0, 0), one...))},
	{rule: "KS4007",
		hit:  sequence(0, 0, 2, 45),
		miss: sequence(0, 0, 1, 45, 3, 0)}, // what follows a refusal is not judged
	{rule: "KS4007", // the sequence wraps
		hit:  sequence(1<<31-1, 0, 1, 45),
		miss: sequence(1<<31-1, 0, 0, 0)},
	{rule: "KS4008",
		hit:  sequence(0, 0, 0, 0),
		miss: sequence(0, 6, 0, 0)},
	{rule: "KS4009",
		hit: func(k *talk) {
			b := batchOf(idempotent(0, 0), one...)
			k.conn().request(0, 7, into(-1, b))
			k.conn().exchange(0, 7, into(-1, b), wrote(0))
		},
		miss: sequence(0, 6, 0, 0)},
	{rule: "KS4010",
		hit: func(k *talk) {
			p := open(k)
			p.exchange(keyInitProducerId, 1, fields{"TransactionalId": "tx"}, fields{"ProducerId": 4000, "ProducerEpoch": 1})
			p.writes(batchOf(transactional(0, 0), one...))
		},
		miss: func(k *talk) {
			p := open(k)
			p.exchange(keyInitProducerId, 1, fields{"TransactionalId": "tx"}, fields{"ProducerId": 4000, "ProducerEpoch": 1})
			p.writes(batchOf(transactional(1, 0), one...))
		}},
	{rule: "KS4010",
		hit: func(k *talk) { open(k).endsTxn(1).endsTxn(0) },
		miss: func(k *talk) { // EndTxn 5 raises the epoch; its retry has the one before
			open(k).exchange(keyEndTxn, 5, fields{"TransactionalId": "tx", "ProducerId": 4000, "ProducerEpoch": 0},
				fields{"ProducerId": 4000, "ProducerEpoch": 1}).
				exchange(keyEndTxn, 5, fields{"TransactionalId": "tx", "ProducerId": 4000, "ProducerEpoch": 0}, fields{"ProducerId": 4000, "ProducerEpoch": 1})
		}},
	{rule: "KS4010", // an idempotent producer
		hit:  epochs(1, 0, 0, 0),
		miss: epochs(0, 0, 1, 0)},
	{rule: "KS4011",
		hit:  epochs(0, 0, 1, 1),
		miss: epochs(0, 0, 1, 0)},
	{rule: "KS4012",
		hit:  sequence(0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0),
		miss: sequence(0, -1, 1, -1, 2, -1, 3, -1, 4, 0, 5, 0)},
	{rule: "KS4013",
		hit:  func(k *talk) { k.conn().exchange(0, 7, into(1, batchOf(idempotent(0, 0), one...)), wrote(0)) },
		miss: func(k *talk) { k.conn().exchange(0, 7, into(1, batchOf(nil, one...)), wrote(0)) }},
	{rule: "KS4014",
		hit:  func(k *talk) { k.conn().request(keyInitProducerId, 3, fields{"TransactionalId": ""}) },
		miss: func(k *talk) { k.conn().request(keyInitProducerId, 3, fields{"TransactionalId": nil}) }},
	{rule: "KS4014",
		hit: func(k *talk) {
			k.conn().request(keyInitProducerId, 3, fields{"TransactionalId": "tx", "ProducerId": 4000})
		},
		miss: func(k *talk) {
			k.conn().request(keyInitProducerId, 3, fields{"TransactionalId": "tx", "ProducerId": 4000, "ProducerEpoch": 0})
		}},
	{rule: "KS4015",
		hit:  func(k *talk) { open(k).writes(batchOf(transactional(0, 0), one...)) },
		miss: func(k *talk) { open(k).adds(0).writes(batchOf(transactional(0, 0), one...)) }},
	{rule: "KS4015",
		hit:  func(k *talk) { open(k).adds(0).endsTxn(0).writes(batchOf(transactional(0, 0), one...)) },
		miss: func(k *talk) { k.conn().writes(batchOf(transactional(0, 0), one...)) }}, // its begin was not seen
	{rule: "KS4015",
		hit: func(k *talk) { open(k).adds(29).writes(batchOf(transactional(0, 0), one...)) },
		miss: func(k *talk) { // what was lost may have been AddPartitionsToTxn
			p := open(k)
			p.lose(0, 100)
			p.exchange(3, 1, fields{}, fields{}).exchange(3, 1, fields{}, fields{})
			p.writes(batchOf(transactional(0, 0), one...))
		}},
	{rule: "KS4016",
		hit:  func(k *talk) { featured(k, 1).request(0, 12, inTransaction(batchOf(transactional(0, 0), one...))) },
		miss: func(k *talk) { featured(k, 2).request(0, 12, inTransaction(batchOf(transactional(0, 0), one...))) }},
	{rule: "KS4016", severity: Warning,
		hit:  func(k *talk) { featured(k, 1).request(keyEndTxn, 5, fields{"TransactionalId": "tx"}) },
		miss: func(k *talk) { featured(k, 1).request(keyEndTxn, 4, fields{"TransactionalId": "tx"}) }},
	{rule: "KS4017",
		hit: func(k *talk) {
			open(k).adds(0).writes(batchOf(transactional(0, 0), one...)).writes(batchOf(idempotent(0, 1), one...))
		},
		miss: func(k *talk) {
			open(k).adds(0).writes(batchOf(transactional(0, 0), one...)).endsTxn(0).writes(batchOf(idempotent(0, 1), one...))
		}},
	{rule: "KS4018",
		hit: func(k *talk) { open(k).commits(3, nil) },
		miss: func(k *talk) {
			open(k).exchange(keyAddOffsetsToTxn, 0, fields{"TransactionalId": "tx", "ProducerId": 4000, "GroupId": "g"}, fields{}).commits(3, nil)
		}},
	{rule: "KS4019",
		hit:  func(k *talk) { k.conn().request(keyJoinGroup, 0, fields{"GroupId": "g"}).commits(2, nil) },
		miss: func(k *talk) { k.conn().request(keyJoinGroup, 0, fields{"GroupId": "other"}).commits(2, nil) }},
	{rule: "KS4019",
		hit: func(k *talk) { k.conn().request(keyJoinGroup, 0, fields{"GroupId": "g"}).commits(3, nil) },
		miss: func(k *talk) {
			k.conn().request(keyJoinGroup, 0, fields{"GroupId": "g"}).commits(3, fields{"MemberId": "m", "GenerationIdOrMemberEpoch": 1})
		}},
	{rule: "KS4020",
		hit: func(k *talk) { owning(k, 1, 0); owning(k, 2, 1) },
		miss: func(k *talk) {
			owning(k, 1, 0)
			k.wait(time.Minute)
			owning(k, 2, 1)
		}},
	{rule: "KS4021",
		hit:  func(k *talk) { p := open(k).adds(0); k.wait(31 * time.Second); p.endsTxn(0) },
		miss: func(k *talk) { p := open(k).adds(0); k.wait(29 * time.Second); p.endsTxn(0) }},
	{rule: "KS4022",
		hit:  func(k *talk) { brokers(k, 1); k.conn().request(keyAddPartitionsToTxn, 4, fields{}) },
		miss: func(k *talk) { brokers(k, 2); k.conn().request(keyAddPartitionsToTxn, 4, fields{}) }}, // who is the other?
	{rule: "KS4022",
		hit:  func(k *talk) { brokers(k, 1); k.conn().request(keyAddPartitionsToTxn, 4, fields{}) },
		miss: func(k *talk) { brokers(k, 1); k.conn().adds(0) }},
	{rule: "KS4023",
		hit: func(k *talk) {
			f := into(-1, batchOf(nil, one...), batchOf(nil, one...))
			f["TopicData"].(list)[0].(fields)["PartitionData"].(list)[1].(fields)["Index"] = 0
			k.conn().request(0, 7, f)
		},
		miss: func(k *talk) { k.conn().request(0, 7, into(-1, batchOf(nil, one...), batchOf(nil, one...))) }},
	{rule: "KS4024",
		hit:  timeout(-1, 0),
		miss: timeout(1, 0)},
	{rule: "KS4024",
		hit:  timeout(-1, -5),
		miss: timeout(-1, 1)},
}

// epochs sends batches with these epochs and base sequences, in turn.
func epochs(pairs ...int) func(k *talk) {
	return func(k *talk) {
		p := k.conn()
		for i := 0; i < len(pairs); i += 2 {
			p.exchange(0, 7, into(-1, batchOf(idempotent(pairs[i], pairs[i+1]), one...)), wrote(0))
		}
	}
}

func timeout(acks, ms int) func(k *talk) {
	return func(k *talk) {
		f := into(acks, batchOf(nil, one...))
		f["TimeoutMs"] = ms
		k.conn().exchange(18, 0, fields{}, fields{}).request(0, 9, f)
	}
}
