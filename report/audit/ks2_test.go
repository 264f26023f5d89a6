package audit

import "testing"

// metadata exchanges a Metadata request with this body and an empty answer.
func metadata(version int16, body fields) func(k *talk) {
	return func(k *talk) { k.conn().exchange(3, version, body, fields{}) }
}

// frameOf sends a request, then one with these bytes behind its header.
func frameOf(key, version int16, body ...byte) func(k *talk) {
	return func(k *talk) {
		p := k.conn()
		p.exchange(18, 0, fields{}, fields{})
		p.frame(0, append(encodeHeader(key, version, 2, "app"), body...))
	}
}

var ks2Cases = []ruleCase{
	{rule: "KS2001",
		hit: func(k *talk) {
			k.conn().offers(map[int16][2]int16{18: {0, 4}, 3: {0, 12}}).request(68, 0, fields{"GroupId": "g", "MemberId": "m"})
		},
		miss: func(k *talk) {
			k.conn().offers(map[int16][2]int16{18: {0, 4}, 68: {0, 1}}).request(68, 0, fields{"GroupId": "g", "MemberId": "m"})
		}},
	{rule: "KS2001", // a second offer, of which the answer is missing
		hit: func(k *talk) {
			p := k.conn().offers(map[int16][2]int16{18: {0, 4}}).offers(map[int16][2]int16{18: {0, 4}, 3: {0, 12}})
			p.request(68, 0, fields{"GroupId": "g", "MemberId": "m"})
		},
		miss: func(k *talk) {
			p := k.conn().offers(map[int16][2]int16{18: {0, 4}, 3: {0, 12}})
			p.silent(18, 3, fields{"ClientSoftwareName": "test", "ClientSoftwareVersion": "1.0"})
			p.lose(1, 60)
			p.request(68, 0, fields{"GroupId": "g", "MemberId": "m"})
		}},
	{rule: "KS2002",
		hit: func(k *talk) {
			k.conn().offers(map[int16][2]int16{3: {0, 11}}).request(3, 12, fields{"Topics": list{}})
		},
		miss: func(k *talk) {
			k.conn().offers(map[int16][2]int16{3: {0, 12}}).request(3, 12, fields{"Topics": list{}})
		}},
	{rule: "KS2002", severity: Warning, // the range is known from another connection
		hit: func(k *talk) {
			k.conn().offers(map[int16][2]int16{3: {0, 11}})
			k.conn().exchange(3, 12, fields{"Topics": list{}}, fields{}).exchange(3, 12, fields{"Topics": list{}}, fields{})
		},
		miss: func(k *talk) {
			k.conn().offers(map[int16][2]int16{3: {0, 11}})
			k.connTo(8, 9092).exchange(3, 12, fields{"Topics": list{}}, fields{}) // another broker
		}},
	{rule: "KS2002", // Kafka 4 refuses the Produce versions that it offers
		hit: func(k *talk) { k.conn().offers(map[int16][2]int16{0: {0, 12}}).request(0, 2, fields{"Acks": 1}) },
		miss: func(k *talk) {
			k.conn().offers(map[int16][2]int16{0: {0, 12}}).request(0, 3, fields{"Acks": 1})
		}},
	{rule: "KS2003",
		hit: func(k *talk) {
			p := k.conn()
			p.offers(map[int16][2]int16{18: {0, 3}})
			p.exchange(18, 4, fields{"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"}, fields{"ErrorCode": 35})
		},
		miss: func(k *talk) {
			p := k.conn()
			p.offers(map[int16][2]int16{18: {0, 3}})
			p.request(18, 4, fields{"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"})
			p.frame(1, encodeResponse(18, 0, 2, fields{"ErrorCode": 35}))
		}},
	{rule: "KS2003", // what the broker knows is not known, but that it does not know this version
		hit: func(k *talk) {
			k.conn().exchange(18, 4, fields{"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"}, fields{"ErrorCode": 35})
		},
		miss: func(k *talk) {
			p := k.conn().request(18, 4, fields{"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"})
			p.frame(1, encodeResponse(18, 0, 1, fields{"ErrorCode": 35}))
		}},
	{rule: "KS2005", // from the middle of a connection, once pairing is certain
		hit: func(k *talk) {
			p := k.mid(9, 9092)
			p.exchange(3, 1, fields{}, fields{}).exchange(3, 1, fields{}, fields{}).exchange(3, 1, fields{}, fields{})
			p.frame(1, encodeResponse(3, 1, 77, fields{}))
		},
		miss: func(k *talk) { // it may be the answer to a request from before the capture
			p := k.mid(9, 9092)
			p.exchange(3, 1, fields{}, fields{})
			p.frame(1, encodeResponse(3, 1, 77, fields{}))
			p.exchange(3, 1, fields{}, fields{}).exchange(3, 1, fields{}, fields{})
		}},
	{rule: "KS2005", // whether it asked for an answer could not be read
		hit: func(k *talk) { k.conn().exchange(0, 0, into(1), wrote()).frame(1, encodeResponse(0, 0, 9, fields{})) },
		miss: func(k *talk) {
			p := k.conn().exchange(0, 0, into(1), wrote())
			b := encodeRequest(0, 0, 2, "app", into(1, message(0, 0, 0, nil, nil)))
			head := len(encodeHeader(0, 0, 2, "app"))
			p.frame(0, join(b[:head], []byte{0}, b[head:])) // KS2008; what stands where acks should be is 0
			p.frame(1, encodeResponse(0, 0, 2, wrote(0)))
		}},
	{rule: "KS2005", // a client that numbers nothing proves nothing
		hit: func(k *talk) {
			p := k.mid(9, 9092)
			p.next = 0
			p.exchange(3, 1, fields{}, fields{}).exchange(3, 1, fields{}, fields{}).exchange(3, 1, fields{}, fields{})
			p.frame(1, encodeResponse(3, 1, 77, fields{}))
		},
		miss: func(k *talk) {
			p := k.mid(9, 9092)
			for range 5 {
				p.next = 0
				p.exchange(3, 1, fields{}, fields{})
			}
			p.frame(1, encodeResponse(3, 1, 0, fields{}))
		}},
	{rule: "KS2006", // an older request whose answer may be among the bytes that are missing
		hit: func(k *talk) {
			p := k.conn().exchange(3, 1, fields{}, fields{}).request(3, 1, fields{}).request(3, 1, fields{})
			p.waiting = p.waiting[1:]
			p.answer(fields{})
		},
		miss: func(k *talk) {
			p := k.conn().exchange(3, 1, fields{}, fields{}).request(3, 1, fields{})
			p.lose(1, 40)
			p.waiting = nil
			p.exchange(3, 1, fields{}, fields{}).exchange(3, 1, fields{}, fields{})
		}},
	{rule: "KS2004",
		hit:  metadata(1, fields{}),
		miss: func(k *talk) { k.conn().exchange(18, 0, fields{}, fields{}).exchange(3, 1, fields{}, fields{}) }},
	{rule: "KS2005",
		hit: func(k *talk) {
			p := k.conn()
			p.exchange(3, 1, fields{}, fields{})
			p.frame(1, encodeResponse(3, 1, 77, fields{}))
		},
		miss: func(k *talk) { // what was lost may have been its request
			p := k.conn()
			p.exchange(3, 1, fields{}, fields{})
			p.lose(0, 40)
			p.frame(1, encodeResponse(3, 1, 77, fields{}))
			p.exchange(3, 1, fields{}, fields{})
		}},
	{rule: "KS2006",
		hit: func(k *talk) {
			p := k.conn()
			p.exchange(3, 1, fields{}, fields{}).request(3, 1, fields{}).request(3, 1, fields{})
			p.waiting[0], p.waiting[1] = p.waiting[1], p.waiting[0]
			p.answer(fields{}).answer(fields{})
		},
		miss: func(k *talk) {
			p := k.conn()
			p.exchange(3, 1, fields{}, fields{}).request(3, 1, fields{}).request(3, 1, fields{})
			p.answer(fields{}).answer(fields{})
		}},
	{rule: "KS2007",
		hit: func(k *talk) {
			p := k.conn()
			p.exchange(3, 1, fields{}, fields{}).request(3, 1, fields{})
			p.next--
			p.request(3, 1, fields{})
		},
		miss: func(k *talk) {
			p := k.conn()
			p.exchange(3, 1, fields{}, fields{}).exchange(3, 1, fields{}, fields{})
			p.next--
			p.request(3, 1, fields{})
		}},
	{rule: "KS2010", // a tag that other versions have
		hit: func(k *talk) {
			b := encodeRequest(1, 14, 1, "app", fields{"MaxWaitMs": 1})
			k.conn().frame(0, join(b[:len(b)-1], []byte{1, 1, 13, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
		},
		miss: func(k *talk) { // ReplicaState, and a tag that nobody knows
			b := encodeRequest(1, 15, 1, "app", fields{"MaxWaitMs": 1})
			k.conn().frame(0, join(b[:len(b)-1], []byte{2, 1, 13, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 77, 1, 0}))
		}},
	{rule: "KS2008",
		hit: func(k *talk) { // no tags behind the client id
			p := k.conn()
			p.exchange(18, 0, fields{}, fields{})
			b := encodeRequest(3, 9, 2, "app", fields{"Topics": list{fields{"Name": "orders"}}})
			head := len(encodeHeader(3, 9, 2, "app"))
			p.frame(0, append(b[:head-1:head-1], b[head:]...))
		},
		miss: frameWith(3, 9, fields{"Topics": list{fields{"Name": "orders"}}})},
	{rule: "KS2008", // it can be read to its end, but not be meant so
		hit: func(k *talk) {
			p := k.conn().exchange(18, 0, fields{}, fields{})
			b := encodeRequest(3, 8, 2, "app", fields{"Topics": list{fields{"Name": "orders"}}})
			head := len(encodeHeader(3, 8, 2, "app"))
			p.frame(0, join(b[:head], []byte{0}, b[head:]))
		},
		miss: func(k *talk) { // padding: KS2014
			p := k.conn().exchange(18, 0, fields{}, fields{})
			p.frame(0, append(encodeRequest(16, 0, 2, "app", fields{}), 0))
		}},
	{rule: "KS2011", // all else is where it belongs, so that it is no other version
		hit: func(k *talk) {
			k.conn().exchange(18, 0, fields{}, fields{}).exchange(3, 11, fields{}, fields{"Topics": list{fields{"Name": nil}}})
		},
		miss: func(k *talk) {
			k.conn().exchange(18, 0, fields{}, fields{}).exchange(3, 12, fields{}, fields{"Topics": list{fields{"Name": nil}}})
		}},
	{rule: "KS2016", // it can be read to its end with a null where none may be
		hit: func(k *talk) {
			p := k.conn().exchange(18, 0, fields{}, fields{}).request(3, 5, fields{})
			p.frame(1, encodeResponse(3, 7, 2, brokersAnd("orders")))
		},
		miss: func(k *talk) { // a null in the right version: KS2011
			p := k.conn().exchange(18, 0, fields{}, fields{}).request(3, 7, fields{})
			p.frame(1, encodeResponse(3, 7, 2, fields{"Topics": list{fields{"Name": nil}}}))
		}},
	{rule: "KS2016",
		hit: func(k *talk) {
			p := k.conn()
			p.exchange(18, 0, fields{}, fields{}).request(3, 1, fields{})
			p.frame(1, encodeResponse(3, 0, 2, brokersAnd("orders")))
		},
		miss: func(k *talk) {
			p := k.conn()
			p.exchange(18, 0, fields{}, fields{}).request(3, 0, fields{})
			p.frame(1, encodeResponse(3, 0, 2, brokersAnd("orders")))
		}},
	{rule: "KS2009",
		hit:  frameWith(3, 12, fields{"tags": tagged{2, 9, 1, 'a', 8, 1, 'b'}, "Topics": list{}}),
		miss: frameWith(3, 12, fields{"tags": tagged{2, 8, 1, 'a', 9, 1, 'b'}, "Topics": list{}})},
	{rule: "KS2010",
		hit:  frameWith(1, 12, fields{"tags": tagged{1, 0, 4, 3, 'a', 'b', 'c'}}), // ClusterId takes 3 bytes: a string of 2
		miss: frameWith(1, 12, fields{"tags": tagged{1, 0, 3, 3, 'a', 'b'}})},
	{rule: "KS2011",
		hit:  frameWith(3, 1, fields{"Topics": list{fields{"Name": raw{0xff, 0xff}}}}),
		miss: frameWith(3, 1, fields{"Topics": nil})},
	{rule: "KS2012",
		hit:  frameWith(3, 1, fields{"Topics": raw{0, 0, 4, 0, 0}}),
		miss: frameWith(3, 1, fields{"Topics": raw{0, 0, 0, 1, 0, 1, 'a'}})},
	{rule: "KS2013",
		hit:  frameWith(3, 12, fields{"Topics": raw{0x80, 0x80, 0x80, 0x80, 0x10}}),
		miss: frameWith(3, 12, fields{"Topics": list{}})},
	{rule: "KS2013", severity: Warning,
		hit:  frameWith(3, 12, fields{"Topics": raw{0x81, 0x00}}),
		miss: frameWith(3, 12, fields{"Topics": raw{0x01}})},
	{rule: "KS2014",
		hit:  frameOf(3, 0, 0, 0, 0, 0, 9, 9),
		miss: frameOf(3, 0, 0, 0, 0, 0)},
	{rule: "KS2015",
		hit:  frameOf(3, 4, 0xff, 0xff, 0xff, 0xff, 2),
		miss: frameOf(3, 4, 0xff, 0xff, 0xff, 0xff, 1)},
	{rule: "KS2017",
		hit: func(k *talk) {
			k.conn().request(18, 3, fields{"ClientSoftwareName": "my client", "ClientSoftwareVersion": "1"})
		},
		miss: func(k *talk) {
			k.conn().request(18, 3, fields{"ClientSoftwareName": "my-client.x", "ClientSoftwareVersion": "1"})
		}},
	{rule: "KS2018",
		hit: func(k *talk) {
			p := k.conn()
			p.client = nil
			p.exchange(3, 1, fields{}, fields{})
		},
		miss: func(k *talk) {
			p := k.conn()
			p.client = " "
			p.exchange(3, 1, fields{}, fields{})
		}},
	{rule: "KS2019",
		hit:  metadata(10, fields{"Topics": list{fields{"Name": nil, "TopicId": [16]byte{1}}}}),
		miss: metadata(12, fields{"Topics": list{fields{"Name": nil, "TopicId": [16]byte{1}}}})},
	{rule: "KS2020",
		hit: func(k *talk) {
			k.conn().exchange(1, 13, fields{"Topics": list{fields{"Partitions": list{fields{}}}}},
				fields{"Responses": list{fields{"Partitions": list{fields{"ErrorCode": 100}}}}})
		},
		miss: func(k *talk) {
			k.conn().exchange(1, 13, fields{"Topics": list{fields{"TopicId": [16]byte{1}, "Partitions": list{fields{}}}}},
				fields{"Responses": list{fields{"TopicId": [16]byte{1}, "Partitions": list{fields{"ErrorCode": 100}}}}})
		}},
	{rule: "KS2020", severity: Warning, // no answer proves it
		hit: func(k *talk) {
			k.conn().exchange(18, 0, fields{}, fields{}).request(8, 10, fields{"Topics": list{fields{"Partitions": list{fields{}}}}})
		},
		miss: func(k *talk) {
			k.conn().exchange(18, 0, fields{}, fields{}).request(8, 10, fields{"Topics": list{fields{"TopicId": [16]byte{1}, "Partitions": list{fields{}}}}})
		}},
	{rule: "KS2021",
		hit:  func(k *talk) { k.conn().request(19, 5, fields{"Topics": list{fields{"Name": "orders/eu"}}}) },
		miss: func(k *talk) { k.conn().request(19, 5, fields{"Topics": list{fields{"Name": "orders_eu-1.x"}}}) }},
	{rule: "KS2021", // real traffic, as it is and with a better name
		hit:  func(k *talk) { k.play(real(k.t, "errors.pcap")) },
		miss: func(k *talk) { k.play(replaced(real(k.t, "errors.pcap"), "bad topic!", "bad_topic_")) }},
	{rule: "KS2022",
		hit:  func(k *talk) { k.conn().request(2, 5, listOffsets("t", 0, -3)) },
		miss: func(k *talk) { k.conn().request(2, 7, listOffsets("t", 0, -3)) }},
	{rule: "KS2023",
		hit:  func(k *talk) { k.conn().request(2, 5, listOffsets("t", 0, -1, 0, -2)) },
		miss: func(k *talk) { k.conn().request(2, 5, listOffsets("t", 0, -1, 1, -1)) }},
}

// listOffsets asks for partitions and timestamps, in turn.
func listOffsets(topic string, pairs ...int) fields {
	var parts list
	for i := 0; i < len(pairs); i += 2 {
		parts = append(parts, fields{"PartitionIndex": pairs[i], "Timestamp": pairs[i+1]})
	}
	return fields{"Topics": list{fields{"Name": topic, "Partitions": parts}}}
}

// frameWith sends a good request and then this one.
func frameWith(key, version int16, body fields) func(k *talk) {
	return func(k *talk) {
		k.conn().exchange(18, 0, fields{}, fields{}).request(key, version, body)
	}
}

// brokersAnd is Metadata about one broker and a topic.
func brokersAnd(topic string) fields {
	return fields{"Brokers": list{fields{"NodeId": 1, "Host": "kafka", "Port": 9092}},
		"Topics": list{fields{"Name": topic, "Partitions": list{fields{"LeaderId": 1, "ReplicaNodes": list{1}, "IsrNodes": list{1}}}}}}
}

// The client id is whole also where the rest of the header is not as it must be.
func TestClientOfWrongHeader(t *testing.T) {
	k := newTalk(t, Config{})
	p := k.conn().exchange(18, 0, fields{}, fields{})
	b := encodeRequest(3, 9, 2, "app", fields{"Topics": list{fields{"Name": "orders"}}})
	head := len(encodeHeader(3, 9, 2, "app"))
	p.frame(0, append(b[:head-1:head-1], b[head:]...))
	k.end()
	for _, f := range k.found {
		if f.Rule == &ks2008 && f.ClientID() != "app" {
			t.Errorf("client id %q", f.ClientID())
		}
	}
}

// A request with the header of the other kind was not read right: nothing else is said of it, or of its answer,
// or of what rests on it.
func TestMisreadRequestIsNotJudged(t *testing.T) {
	k := newTalk(t, Config{})
	p := k.conn().exchange(3, 1, fields{}, fields{})
	ask := func(key, version int16, body fields) { // with the tags of a flexible header
		b := encodeRequest(key, version, p.next, "app", body)
		head := len(encodeHeader(key, version, p.next, "app"))
		p.frame(0, join(b[:head], []byte{0}, b[head:]))
		p.waiting = append(p.waiting, asked{key, version, p.next})
		p.next++
	}
	ask(1, 3, asking(0))
	p.answer(served(message(1, 0, 0, nil, nil)))
	ask(0, 7, into(-1, batchOf(nil, one...)))
	p.answer(wrote(0))
	session := asking(0)
	session["SessionId"], session["SessionEpoch"] = 0, 0
	first := served([]byte{})
	first["SessionId"] = 7
	p.exchange(1, 11, session, first)
	for epoch := 1; epoch < 4; epoch++ {
		session["SessionId"], session["SessionEpoch"] = 7, epoch
		if epoch == 2 {
			ask(1, 11, session)
		} else {
			p.request(1, 11, session)
		}
		p.answer(first)
	}
	k.end()
	n := 0
	for _, f := range k.found {
		switch {
		case f.Rule == &ks2008:
			n++
		case f.Severity == Error:
			t.Errorf("%s: %s", f.Rule.ID, f.Message)
		}
	}
	if n != 3 {
		t.Errorf("%d times KS2008", n)
	}
}
