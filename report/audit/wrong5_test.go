package audit

import "time"

// forgetting is a request of session 77 that takes partition 0 out of it.
func forgetting(epoch int) fields {
	f := inSession(77, epoch)
	f["Topics"], f["ForgottenTopicsData"] = list{}, list{fields{"Topic": "t", "Partitions": list{0}}}
	return f
}

// listed lets Metadata name brokers by these hosts, on port 9092.
func listed(k *talk, hosts ...string) {
	var all list
	for i, host := range hosts {
		all = append(all, fields{"NodeId": i, "Host": host, "Port": 9092})
	}
	k.conn().exchange(3, 1, fields{}, fields{"Brokers": all})
}

// posing fetches as replica 3.
func posing(k *talk, host byte) {
	f := asking(0)
	f["ReplicaId"] = 3
	from(k, host).request(1, 4, f)
}

// behind is answered 600 ms after the answer to a request that took 3 s.
func behind(wait time.Duration) func(k *talk) {
	return func(k *talk) {
		p := k.conn().request(keyMetadata, 1, fields{}).request(1, 4, asking(0))
		k.wait(3 * time.Second)
		p.answer(fields{})
		k.wait(wait)
		p.answer(served([]byte{}))
	}
}

// sentOnce is sent to replica 2 once, and fetches here n more times.
func sentOnce(n int, answer fields) func(k *talk) {
	return func(k *talk) {
		p := k.conn().exchange(1, 11, asking(0), part(fields{"PreferredReadReplica": 2}))
		for range n {
			p.exchange(1, 11, asking(0), answer)
		}
	}
}

// shareEnded goes on with a share session after its end.
func shareEnded(code int) func(k *talk) {
	return func(k *talk) {
		k.conn().exchange(78, 1, shareRequest(0, list{}), fields{}).exchange(78, 1, shareRequest(-1, acknowledged()), fields{}).
			exchange(78, 1, shareRequest(1, list{}), fields{"ErrorCode": code})
	}
}

var ks5Wrongs = []wrong{
	{name: "a partition that was taken out of the session is answered", rule: "KS5006", want: 1, build: func(k *talk) {
		begun(k, 7).exchange(1, 7, forgetting(1), given(77)).exchange(1, 7, inSession(77, 2), given(77, []byte{}))
	}},
	{name: "it is answered at once", rule: "KS5006", want: 1, build: func(k *talk) { begun(k, 7).exchange(1, 7, forgetting(1), given(77, []byte{})) }},
	{name: "it is taken out by a request on its way", rule: "KS5006", build: func(k *talk) {
		begun(k, 7).request(1, 7, inSession(77, 1)).request(1, 7, forgetting(2)).answer(given(77, []byte{})).answer(given(77))
	}},
	{name: "it is asked for again", rule: "KS5006", build: func(k *talk) {
		begun(k, 7).exchange(1, 7, forgetting(1), given(77)).exchange(1, 7, inSession(77, 2, 0), given(77, []byte{}))
	}},
	{name: "two transactions once", rule: "KS5011", want: 1, build: func(k *talk) {
		k.conn().exchange(1, 4, isolated(), part(fields{"AbortedTransactions": aborts(5, 3), "Records": bytesOf(9, 1)}))
	}},
	{name: "behind a slow answer", rule: "KS5013", build: behind(600 * time.Millisecond)},
	{name: "late behind a slow answer", rule: "KS5013", want: 1, build: behind(1600 * time.Millisecond)},
	{name: "named once", rule: "KS5014", want: 1, build: sentOnce(3, served([]byte{}))},
	{name: "named once, twice again", rule: "KS5014", build: sentOnce(2, served([]byte{}))},
	{name: "an error sends it back", rule: "KS5014", build: sentOnce(5, part(fields{"ErrorCode": 78}))},
	{name: "in a session that goes without the partition", rule: "KS5014", want: 1, build: func(k *talk) {
		p := begun(k, 11).exchange(1, 11, inSession(77, 1), fields{"SessionId": 77, "Responses": part(fields{"PreferredReadReplica": 2})["Responses"]})
		for i := range 4 {
			p.exchange(1, 11, inSession(77, 2+i), given(77))
		}
	}},
	{name: "another broker is in the list only", rule: "KS5015", want: 1, build: func(k *talk) { listed(k, "10.0.0.9", "10.0.0.8"); posing(k, 1) }},
	{name: "that broker fetches", rule: "KS5015", build: func(k *talk) { listed(k, "10.0.0.9", "10.0.0.8"); posing(k, 8) }},
	{name: "addresses of another network", rule: "KS5015", build: func(k *talk) { listed(k, "172.16.0.9", "172.16.0.8"); posing(k, 1) }},
	{name: "names that say no address", rule: "KS5015", build: func(k *talk) { listed(k, "10.0.0.9", "kafka-2"); posing(k, 1) }},
	{name: "ShareAcknowledge begins a session", rule: "KS5016", want: 1, build: shared(79, 0, 123, acknowledged())},
	{name: "it had ended the session", rule: "KS5016", want: 1, build: shareEnded(122)},
	{name: "the broker evicted the session", rule: "KS5016", build: func(k *talk) {
		k.conn().exchange(78, 1, shareRequest(0, list{}), fields{}).exchange(78, 1, shareRequest(1, list{}), fields{"ErrorCode": 122})
	}},
}
