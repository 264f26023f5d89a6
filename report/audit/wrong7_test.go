package audit

import "time"

// once is an error, and then n requests without.
func once(key, version int16, n int, req fields, resp func(codes ...int) fields) func(k *talk) {
	return func(k *talk) {
		p := k.conn().exchange(key, version, req, resp(6))
		for range n {
			p.exchange(key, version, req, resp(0))
		}
	}
}

// beats exchanges heartbeats of groups, answered by these codes.
func beats(k *talk, codes map[string][]int, order ...string) {
	p := k.conn()
	for _, group := range order {
		code := codes[group][0]
		codes[group] = codes[group][1:]
		p.exchange(keyHeartbeat, 3, fields{"GroupId": group, "MemberId": "m", "GenerationId": 1}, fields{"ErrorCode": code})
	}
}

// reconnects asks a partition's old leader on a connection of its own each time.
func reconnects(between func(k *talk)) func(k *talk) {
	return func(k *talk) {
		k.conn().exchange(0, 9, into(-1, batchOf(nil, one...)), wrote(6))
		between(k)
		for range 3 {
			k.conn().exchange(0, 9, into(-1, batchOf(nil, one...)), wrote(0))
		}
	}
}

// adds is AddPartitionsToTxn 3, answered by CONCURRENT_TRANSACTIONS, again and again.
func adds(pause time.Duration) func(k *talk) {
	return func(k *talk) {
		p := k.conn()
		for range 5 {
			p.exchange(keyAddPartitionsToTxn, 3, fields{"V3AndBelowTransactionalId": "tx"}, fields{"ResultsByTopicV3AndBelow": list{
				fields{"Name": "t", "ResultsByPartition": list{fields{"PartitionErrorCode": 51}}}}})
			k.wait(pause)
		}
	}
}

// metadataEach asks for metadata n times, so far apart.
func metadataEach(n int, pause time.Duration) func(k *talk) {
	return func(k *talk) {
		p := k.conn()
		for range n {
			p.exchange(keyMetadata, 4, fields{"Topics": list{fields{"Name": "t"}}}, fields{})
			k.wait(pause)
		}
	}
}

// lived opens 11 connections that are idle for so long before they end.
func lived(idle time.Duration) func(k *talk) {
	return func(k *talk) {
		var open []*peer
		for range 11 {
			open = append(open, k.conn().exchange(keyMetadata, 4, fields{}, fields{}))
		}
		k.wait(idle)
		for _, p := range open {
			p.fin(0)
			p.fin(1)
		}
	}
}

// fencedOnce is a producer that goes on after an error that later requests do not get.
func fencedOnce(code int) func(k *talk) {
	return func(k *talk) {
		p := k.conn()
		for i := range 5 {
			answer := 0
			if i == 1 {
				answer = code
			}
			p.exchange(0, 9, into(-1, batchOf(func(b *v2) { b.pid, b.epoch, b.seq = 7, 0, i }, one...)), wrote(answer))
		}
	}
}

// endsLate closes three connections, behind bytes that are missing: what comes up to then is waited for, here to the end.
func endsLate(ask func(k *talk) *peer) func(k *talk) {
	return func(k *talk) {
		k.every(3, 0, func() { ask(k).fin(0) })
		k.wait(30 * time.Second)
		k.lives()
	}
}

var ks7Wrongs = []wrong{
	{name: "when they were asked is not known", rule: "KS7013", build: endsLate(func(k *talk) *peer { return k.lives().unseen(3, 1, fields{}) })},
	{name: "bytes before the end are missing", rule: "KS7013", build: endsLate(func(k *talk) *peer {
		p := k.lives().request(3, 1, fields{})
		p.lose(0, 100)
		return p
	})},
	{name: "the next requests are taken", rule: "KS7001", want: 1, build: once(0, 9, 3, into(-1, batchOf(nil, one...)), wrote)},
	{name: "two more", rule: "KS7001", build: once(0, 9, 2, into(-1, batchOf(nil, one...)), wrote)},
	{name: "each on a connection of its own", rule: "KS7001", want: 1, build: reconnects(func(*talk) {})},
	{name: "metadata on a connection of its own", rule: "KS7001", build: reconnects(func(k *talk) { k.lives() })},
	{name: "metadata may have been lost", rule: "KS7001", build: reconnects(func(k *talk) {
		p := k.lives()
		p.lose(0, 60)
		p.exchange(12, 1, fields{}, fields{}).exchange(12, 1, fields{}, fields{})
	})},
	{name: "the next heartbeats are taken", rule: "KS7002", want: 1, build: func(k *talk) {
		beats(k, map[string][]int{"a": {16, 0, 0, 0}}, "a", "a", "a", "a")
	}},
	{name: "another group", rule: "KS7002", build: func(k *talk) {
		beats(k, map[string][]int{"a": {16}, "b": {0, 0, 0, 0}}, "a", "b", "b", "b", "b")
	}},
	{name: "an error of each group", rule: "KS7002", build: func(k *talk) {
		beats(k, map[string][]int{"a": {16}, "b": {16}, "c": {16}, "d": {16}, "e": {16}}, "a", "b", "c", "d", "e")
	}},
	{name: "transactions that end, at once", rule: "KS7003", want: 2, build: adds(5 * time.Millisecond)},
	{name: "transactions that end, after 20 ms", rule: "KS7003", build: adds(18 * time.Millisecond)},
	{name: "three in two seconds", rule: "KS7005", want: 1, build: metadataEach(50, 800*time.Millisecond)},
	{name: "for 25 s", rule: "KS7005", build: metadataEach(31, 800*time.Millisecond)},
	{name: "one a second", rule: "KS7005", build: metadataEach(50, time.Second)},
	{name: "fenced once", rule: "KS7007", want: 1, build: fencedOnce(90)},
	{name: "out of order once", rule: "KS7007", build: fencedOnce(45)},
	{name: "idle connections", rule: "KS7012", build: lived(11 * time.Second)},
	{name: "idle for less", rule: "KS7012", want: 1, build: lived(9 * time.Second)},
}
