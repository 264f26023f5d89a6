package audit

import "time"

// commitsIn commits an offset of a topic that is named in either way.
func (p *peer) commitsIn(version int16, topic fields, partition, offset int) *peer {
	part := func(f fields) list {
		all := fields{"Partitions": list{f}}
		for name, v := range topic {
			all[name] = v
		}
		return list{all}
	}
	return p.exchange(8, version, fields{"GroupId": "g", "GenerationIdOrMemberEpoch": 5, "MemberId": "m",
		"Topics": part(fields{"PartitionIndex": partition, "CommittedOffset": offset})}, fields{"Topics": part(fields{"PartitionIndex": partition})})
}

// lists asks where a partition begins.
func (p *peer) lists(partition int) *peer {
	topics := func(f fields) list { return list{fields{"Name": "t", "Partitions": list{f}}} }
	return p.exchange(keyListOffsets, 5, fields{"ReplicaId": -1, "Topics": topics(fields{"PartitionIndex": partition, "Timestamp": -2})},
		fields{"Topics": topics(fields{"PartitionIndex": partition})})
}

// idOnly is a topic of which only the id is known.
func idOnly(n byte) fields { return fields{"TopicId": [16]byte{n}} }

// secondMember joins the same generation with these protocols.
func secondMember(generation int, protocols ...string) func(k *talk) {
	return func(k *talk) {
		var offered list
		for _, name := range protocols {
			offered = append(offered, fields{"Name": name})
		}
		k.conn().joins()
		k.from(2).joins(fields{"MemberId": "n", "Protocols": offered}, fields{"MemberId": "n", "GenerationId": generation, "Leader": "m", "Members": list{}})
	}
}

// leavesSilently is a member with an instance id in the requests whose keys are given: it ends without LeaveGroup.
func leavesSilently(join, sync, beat any) func(k *talk) {
	return func(k *talk) {
		p := k.conn().joins(fields{"GroupInstanceId": join}).syncs(fields{"GroupInstanceId": sync})
		p.exchange(12, 4, fields{"GroupId": "g", "GenerationId": 5, "MemberId": "m", "GroupInstanceId": beat}, fields{})
		p.fin(0)
		p.fin(1)
		k.wait(time.Minute)
		k.from(2).joins(fields{"GroupId": "other"})
	}
}

// owns is a member of the new protocol with partitions 0 and 1 of topic id 1, that commits.
func owns(known bool, version int16, topic fields, partition int) func(k *talk) {
	return func(k *talk) {
		p := k.conn()
		if known {
			p.exchange(keyMetadata, 12, fields{}, fields{"Topics": list{fields{"Name": "t", "TopicId": [16]byte{1}}, fields{"Name": "u", "TopicId": [16]byte{2}}}})
		}
		p.consumes(0, 5, 0).commitsIn(version, topic, partition, 1)
	}
}

// answeredAcross commits two partitions of which the second goes back; the answer has them the other way round.
func answeredAcross(codes ...int) func(k *talk) {
	return func(k *talk) {
		p := k.conn().joins()
		for _, offset := range []int{10, 3} {
			topic := func(parts list) list { return list{fields{"Name": "t", "Partitions": parts}} }
			p.exchange(8, 8, fields{"GroupId": "g", "GenerationIdOrMemberEpoch": 5, "MemberId": "m",
				"Topics": topic(list{fields{"PartitionIndex": 0, "CommittedOffset": 10}, fields{"PartitionIndex": 1, "CommittedOffset": offset}})},
				fields{"Topics": topic(list{fields{"PartitionIndex": 1, "ErrorCode": codes[0]}, fields{"PartitionIndex": 0, "ErrorCode": codes[1]}})})
		}
	}
}

var ks6Wrongs = []wrong{
	{name: "the answer has another order", rule: "KS6009", want: 1, build: answeredAcross(0, 25)},
	{name: "it was refused, in another order", rule: "KS6009", build: answeredAcross(25, 0)},
	{name: "a member of the same generation", rule: "KS6004", want: 1, build: secondMember(5, "sticky")},
	{name: "with one in common", rule: "KS6004", build: secondMember(5, "sticky", "range")},
	{name: "a member of the next generation", rule: "KS6004", build: secondMember(6, "sticky")},
	{name: "topics that have ids only", rule: "KS6009", want: 1, build: func(k *talk) {
		k.conn().joins().commitsIn(10, idOnly(1), 0, 10).commitsIn(10, idOnly(1), 0, 3)
	}},
	{name: "two of them", rule: "KS6009", build: func(k *talk) {
		k.conn().joins().commitsIn(10, idOnly(1), 0, 10).commitsIn(10, idOnly(2), 0, 3)
	}},
	{name: "the client starts anew", rule: "KS6009", build: func(k *talk) { k.conn().joins().commitsOf(5, 0, 10, 0).lists(0).commitsOf(5, 0, 3, 0) }},
	{name: "elsewhere", rule: "KS6009", want: 1, build: func(k *talk) { k.conn().joins().commitsOf(5, 0, 10, 0).lists(1).commitsOf(5, 0, 3, 0) }},
	{name: "it starts anew once", rule: "KS6009", want: 1, build: func(k *talk) {
		k.conn().joins().commitsOf(5, 0, 10, 0).lists(0).commitsOf(5, 0, 3, 0).commitsOf(5, 0, 2, 0)
	}},
	{name: "the only commit", rule: "KS6010", want: 1, build: func(k *talk) { k.conn().joins().reads(0).commitsOf(5, 0, 11, 0) }},
	{name: "read soon after", rule: "KS6010", build: func(k *talk) { k.conn().joins().reads(0).commitsOf(5, 0, 20, 0).reads(10) }},
	{name: "static, as all requests say", rule: "KS6022", build: leavesSilently("i", "i", "i")},
	{name: "static, as the first says", rule: "KS6022", build: leavesSilently("i", nil, nil)},
	{name: "static, as the latest says", rule: "KS6022", build: leavesSilently(nil, nil, "i")},
	{name: "not static", rule: "KS6022", want: 1, build: leavesSilently(nil, nil, nil)},
	{name: "the new protocol, by name", rule: "KS6024", want: 1, build: owns(true, 9, fields{"Name": "t"}, 2)},
	{name: "the new protocol, another topic", rule: "KS6024", want: 1, build: owns(true, 9, fields{"Name": "u"}, 1)},
	{name: "the new protocol, by id", rule: "KS6024", want: 1, build: owns(false, 10, idOnly(1), 2)},
	{name: "the new protocol, owned", rule: "KS6024", build: owns(true, 9, fields{"Name": "t"}, 1)},
	{name: "the new protocol, owned by id", rule: "KS6024", build: owns(false, 10, idOnly(1), 1)},
	{name: "the new protocol, names unknown", rule: "KS6024", build: owns(false, 9, fields{"Name": "u"}, 7)},
}
