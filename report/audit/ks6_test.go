package audit

import (
	"encoding/binary"
	"strings"
	"time"
)

// joins makes a member "m" of group "g", generation 5 with protocol range: JoinGroup 7, edited by more.
func (p *peer) joins(more ...fields) *peer {
	req := fields{"GroupId": "g", "SessionTimeoutMs": 10000, "RebalanceTimeoutMs": 10000, "MemberId": "m", "ProtocolType": "consumer",
		"Protocols": list{fields{"Name": "range"}}}
	resp := fields{"GenerationId": 5, "ProtocolType": "consumer", "ProtocolName": "range", "Leader": "m", "MemberId": "m",
		"Members": list{fields{"MemberId": "m"}}}
	for i, f := range more {
		for name, v := range f {
			[2]fields{req, resp}[i][name] = v
		}
	}
	return p.exchange(11, 7, req, resp)
}

// syncs is the SyncGroup 5 of m, who gets partitions 0 and 1 of t.
func (p *peer) syncs(more ...fields) *peer {
	be := binary.BigEndian
	a := be.AppendUint32([]byte{0, 1}, 1)
	a = append(be.AppendUint16(a, 1), 't')
	for _, n := range []uint32{2, 0, 1} {
		a = be.AppendUint32(a, n)
	}
	a = be.AppendUint32(a, 1<<32-1)
	req := fields{"GroupId": "g", "GenerationId": 5, "MemberId": "m", "ProtocolType": "consumer", "ProtocolName": "range",
		"Assignments": list{fields{"MemberId": "m", "Assignment": a}}}
	resp := fields{"Assignment": a}
	for i, f := range more {
		for name, v := range f {
			[2]fields{req, resp}[i][name] = v
		}
	}
	return p.exchange(14, 5, req, resp)
}

func (p *peer) beats(generation, code int) *peer {
	return p.exchange(12, 4, fields{"GroupId": "g", "GenerationId": generation, "MemberId": "m"}, fields{"ErrorCode": code})
}

// commitsOf is OffsetCommit 8 of m for a partition of t.
func (p *peer) commitsOf(generation, partition, offset, code int) *peer {
	return p.commitsAs(8, "m", generation, partition, offset, code, "")
}

func (p *peer) commitsAs(version int16, member string, generation, partition, offset, code int, text string) *peer {
	req := fields{"GroupId": "g", "Topics": list{fields{"Name": "t", "Partitions": list{
		fields{"PartitionIndex": partition, "CommittedOffset": offset, "CommittedMetadata": text}}}}}
	if version >= 1 {
		req["GenerationIdOrMemberEpoch"], req["MemberId"] = generation, member
	}
	return p.exchange(8, version, req, fields{"Topics": list{fields{"Name": "t", "Partitions": list{fields{"PartitionIndex": partition, "ErrorCode": code}}}}})
}

// consumes is ConsumerGroupHeartbeat 1 of m; the answer has an epoch, an interval of 5 s and, with a code
// of 0 and the epoch 0 in the request, partitions 0 and 1 of topic id 1.
func (p *peer) consumes(epoch, answer, code int, more ...fields) *peer {
	req := fields{"GroupId": "g", "MemberId": "m", "MemberEpoch": epoch}
	resp := fields{"ErrorCode": code, "MemberId": "m", "MemberEpoch": answer, "HeartbeatIntervalMs": 5000}
	if epoch == 0 {
		req["RebalanceTimeoutMs"], req["TopicPartitions"], req["SubscribedTopicNames"] = 60000, list{}, list{"t"}
		resp["Assignment"] = fields{"TopicPartitions": list{fields{"TopicId": [16]byte{1}, "Partitions": list{0, 1}}}}
	}
	for i, f := range more {
		for name, v := range f {
			[2]fields{req, resp}[i][name] = v
		}
	}
	return p.exchange(68, 1, req, resp)
}

func owned(partitions ...any) fields {
	return fields{"TopicPartitions": list{fields{"TopicId": [16]byte{1}, "Partitions": list(partitions)}}}
}

// reads fetches a batch of ten records from an offset on.
func (p *peer) reads(offset int) *peer {
	req := fetch("t")
	req["Topics"].(list)[0].(fields)["Partitions"].(list)[0].(fields)["FetchOffset"] = offset
	return p.exchange(1, 11, req, fetched("t", batch(int64(offset), 1, 10)))
}

// from is a connection of another host.
func (k *talk) from(host byte) *peer {
	p := k.mid(9, 9092)
	p.ends[0].Addr[15] = host
	p.segment(0, synFlag, nil)
	p.segment(1, synFlag|ackFlag, nil)
	return p
}

func (k *talk) lives() *peer { return k.conn().exchange(3, 1, fields{}, fields{}) }

var ks6Cases = []ruleCase{
	{rule: "KS6001",
		hit:  func(k *talk) { k.conn().joins(fields{"SessionTimeoutMs": 5999}) },
		miss: func(k *talk) { k.conn().joins(fields{"SessionTimeoutMs": 6000}) }},
	{rule: "KS6001", severity: Error,
		hit:  func(k *talk) { k.conn().joins(fields{"SessionTimeoutMs": 6000}, fields{"ErrorCode": 26}) },
		miss: func(k *talk) { k.conn().joins(fields{"SessionTimeoutMs": 1800000}, fields{"ErrorCode": 25}) }},
	{rule: "KS6002",
		hit:  func(k *talk) { k.conn().joins(fields{"Protocols": list{}}, fields{"ErrorCode": 23}) },
		miss: func(k *talk) { k.conn().joins(fields{"Protocols": list{fields{"Name": ""}}}, fields{"ErrorCode": 23}) }},
	{rule: "KS6003",
		hit: func(k *talk) {
			p := k.conn()
			for range 3 {
				p.joins(fields{"MemberId": ""}, fields{"ErrorCode": 79, "MemberId": "m-1"})
			}
		},
		miss: func(k *talk) { // each with the id that was given
			p := k.conn()
			for range 3 {
				p.joins(fields{"MemberId": ""}, fields{"ErrorCode": 79, "MemberId": "m-1"}).joins(fields{"MemberId": "m-1"}, fields{"MemberId": "m-1"})
			}
		}},
	{rule: "KS6004",
		hit: func(k *talk) {
			k.conn().joins().joins(fields{"Protocols": list{fields{"Name": "sticky"}}}, fields{"ErrorCode": 23})
		},
		miss: func(k *talk) {
			k.conn().joins().joins(fields{"Protocols": list{fields{"Name": "sticky"}, fields{"Name": "range"}}})
		}},
	{rule: "KS6005",
		hit:  func(k *talk) { k.conn().joins(fields{}, fields{"Leader": "other"}).syncs() },
		miss: func(k *talk) { k.conn().joins().syncs() }},
	{rule: "KS6005", // a member is left out
		hit: func(k *talk) {
			k.conn().joins(fields{}, fields{"Members": list{fields{"MemberId": "m"}, fields{"MemberId": "n"}}}).syncs()
		},
		miss: func(k *talk) {
			k.conn().joins(fields{}, fields{"Leader": "other"}).syncs(fields{"Assignments": list{}})
		}},
	{rule: "KS6006",
		hit:  func(k *talk) { k.conn().joins().beats(4, 22) },
		miss: func(k *talk) { k.conn().joins().beats(5, 22) }},
	{rule: "KS6007",
		hit:  func(k *talk) { k.conn().joins().syncs(fields{"ProtocolName": "sticky"}, fields{"ErrorCode": 23}) },
		miss: func(k *talk) { k.conn().joins().syncs(fields{"ProtocolName": nil}, fields{"ErrorCode": 23}) }},
	{rule: "KS6008",
		hit: func(k *talk) {
			p := k.conn().joins().syncs().beats(5, 0)
			k.wait(5100 * time.Millisecond)
			p.beats(5, 0)
		},
		miss: func(k *talk) { // a commit keeps the session too
			p := k.conn().joins().syncs().beats(5, 0)
			k.wait(4 * time.Second)
			p.commitsOf(5, 0, 1, 0)
			k.wait(4 * time.Second)
			p.beats(5, 0)
		}},
	{rule: "KS6009",
		hit: func(k *talk) { k.conn().joins().commitsOf(5, 0, 120, 0).commitsOf(5, 0, 100, 0) },
		miss: func(k *talk) {
			k.conn().joins().commitsOf(5, 0, 120, 0).commitsOf(5, 1, 100, 0).commitsOf(5, 0, 120, 0)
		}},
	{rule: "KS6009", // a tool sets it back
		hit: func(k *talk) {
			k.conn().joins().commitsOf(5, 0, 120, 22).commitsOf(5, 0, 110, 0).commitsOf(5, 0, 100, 0)
		},
		miss: func(k *talk) {
			k.conn().joins().commitsOf(5, 0, 120, 0).commitsAs(8, "", -1, 0, 0, 0, "").commitsOf(5, 0, 100, 0)
		}},
	{rule: "KS6009", // a group of that name in another cluster
		hit: func(k *talk) { k.connTo(8, 9092).joins().commitsOf(5, 0, 120, 0).commitsOf(5, 0, 100, 0) },
		miss: func(k *talk) {
			k.connTo(8, 9092).joins().commitsOf(5, 0, 120, 0)
			k.connTo(9, 9092).joins().commitsOf(5, 0, 100, 0)
		}},
	{rule: "KS6010",
		hit: func(k *talk) { k.conn().joins().reads(0).commitsOf(5, 0, 11, 0).commitsOf(5, 0, 11, 0) },
		miss: func(k *talk) { // what was read may be captured late
			k.conn().joins().reads(0).commitsOf(5, 0, 10, 0).commitsOf(5, 0, 20, 0).reads(10).commitsOf(5, 0, 20, 0)
		}},
	{rule: "KS6011",
		hit: func(k *talk) {
			for p, i := k.conn().joins(), 0; i < 10; i++ {
				p.reads(i*10).commitsOf(5, 0, i*10+9, 0)
			}
		},
		miss: func(k *talk) {
			for p, i := k.conn().joins(), 0; i < 10; i++ {
				p.reads(i*10).commitsOf(5, 0, i*10+9+i/9, 0) // the last one is right
			}
		}},
	{rule: "KS6012",
		hit:  func(k *talk) { k.conn().commitsAs(8, "m", 5, 0, 1, 12, strings.Repeat("x", 4097)) },
		miss: func(k *talk) { k.conn().commitsAs(8, "m", 5, 0, 1, 12, strings.Repeat("é", 4096)) }},
	{rule: "KS6013",
		hit:  func(k *talk) { k.conn().commitsAs(0, "", 0, 0, 1, 0, "") },
		miss: func(k *talk) { k.conn().commitsAs(1, "", -1, 0, 1, 0, "") }},
	{rule: "KS6013", severity: Error,
		hit:  func(k *talk) { k.conn().commitsAs(1, "", -1, 0, 1, 0, "").commitsAs(0, "", 0, 0, 1, 0, "") },
		miss: func(k *talk) { k.conn().commitsAs(1, "", -1, 0, 1, 0, "").commitsAs(2, "", 0, 0, 1, 0, "") }},
	{rule: "KS6013", severity: Warning, // what was refused is in no store
		hit:  func(k *talk) { k.conn().commitsAs(1, "", -1, 0, 1, 0, "").commitsAs(0, "", 0, 0, 1, 3, "") },
		miss: func(k *talk) { k.conn().commitsAs(1, "", -1, 0, 1, 0, "").commitsAs(2, "", -1, 0, 1, 3, "") }},
	{rule: "KS6014",
		hit:  func(k *talk) { k.conn().joins().beats(5, 0).commitsAs(8, "", -1, 0, 1, 25, "") },
		miss: func(k *talk) { k.conn().joins().beats(5, 0).commitsAs(8, "m", 5, 0, 1, 25, "") }},
	{rule: "KS6015",
		hit:  func(k *talk) { k.conn().consumes(0, 0, 42, fields{"RebalanceTimeoutMs": -1}) },
		miss: func(k *talk) { k.conn().consumes(0, 1, 0).consumes(1, 1, 0, fields{"RebalanceTimeoutMs": -1}) }},
	{rule: "KS6016",
		hit:  func(k *talk) { k.conn().consumes(-2, 0, 42) },
		miss: func(k *talk) { k.conn().consumes(-2, -2, 0, fields{"InstanceId": "i"}) }},
	{rule: "KS6017",
		hit:  func(k *talk) { k.conn().consumes(0, 1, 0).consumes(9, 0, 110) },
		miss: func(k *talk) { k.conn().consumes(0, 1, 0).consumes(1, 2, 0).consumes(1, 0, 110) }},
	{rule: "KS6018",
		hit: func(k *talk) {
			p := k.conn().consumes(0, 1, 0).consumes(1, 1, 0)
			k.wait(10100 * time.Millisecond)
			p.consumes(1, 1, 0)
		},
		miss: func(k *talk) {
			p := k.conn().consumes(0, 1, 0).consumes(1, 1, 0)
			k.wait(9900 * time.Millisecond)
			p.consumes(1, 1, 0)
		}},
	{rule: "KS6019",
		hit:  func(k *talk) { k.conn().consumes(0, 1, 0).commitsOf(1, 0, 1, 35) },
		miss: func(k *talk) { k.conn().consumes(0, 1, 0).commitsAs(9, "m", 1, 0, 1, 0, "") }},
	{rule: "KS6020",
		hit:  func(k *talk) { k.conn().consumes(0, 1, 0).consumes(1, 2, 0).commitsAs(9, "m", 1, 0, 1, 113, "") },
		miss: func(k *talk) { k.conn().consumes(0, 1, 0).consumes(1, 2, 0).commitsAs(9, "m", 2, 0, 1, 113, "") }},
	{rule: "KS6021",
		hit:  func(k *talk) { k.conn().consumes(0, 1, 0).consumes(1, 1, 0, owned(0, 3)) },
		miss: func(k *talk) { k.conn().consumes(0, 1, 0).consumes(1, 1, 0, owned(0, 1)) }},
	{rule: "KS6022",
		hit: func(k *talk) {
			p := k.conn().joins().syncs().beats(5, 0)
			p.fin(0)
			p.fin(1)
			k.wait(6 * time.Second)
			k.from(2).joins(fields{"MemberId": "n"}, fields{"MemberId": "n"})
		},
		miss: func(k *talk) { // it comes back on another connection
			p := k.conn().joins().syncs().beats(5, 0)
			p.fin(0)
			p.fin(1)
			k.wait(6 * time.Second)
			k.conn().beats(5, 0)
		}},
	{rule: "KS6022", // LeaveGroup, or static members
		hit: func(k *talk) {
			p := k.conn().consumes(0, 1, 0).consumes(1, 1, 0)
			p.fin(0)
			p.fin(1)
			k.wait(6 * time.Second)
			k.from(2).joins(fields{"MemberId": "n"}, fields{"MemberId": "n"})
		},
		miss: func(k *talk) {
			p := k.conn().joins().syncs().beats(5, 0).exchange(13, 3, fields{"GroupId": "g", "Members": list{fields{"MemberId": "m"}}}, fields{})
			p.fin(0)
			p.fin(1)
			k.wait(6 * time.Second)
			k.from(2).joins(fields{"MemberId": "n"}, fields{"MemberId": "n"})
		}},
	{rule: "KS6023",
		hit: func(k *talk) { k.conn().joins(fields{"GroupInstanceId": "i"}, fields{"ErrorCode": 82}) },
		miss: func(k *talk) { // it moves to another host
			k.conn().joins(fields{"GroupInstanceId": "i"})
			k.from(2).joins(fields{"GroupInstanceId": "i"})
		}},
	{rule: "KS6023",
		hit: func(k *talk) {
			for _, host := range []byte{1, 2, 1} {
				k.from(host).joins(fields{"GroupInstanceId": "i"})
			}
		},
		miss: func(k *talk) {
			for _, host := range []byte{1, 2, 2} {
				k.from(host).joins(fields{"GroupInstanceId": "i"})
			}
		}},
	{rule: "KS6024",
		hit:  func(k *talk) { k.conn().joins().syncs().commitsOf(5, 2, 1, 0) },
		miss: func(k *talk) { k.conn().joins().syncs().commitsOf(5, 1, 1, 0) }},
	{rule: "KS6025",
		hit:  func(k *talk) { unstable(k, false) },
		miss: func(k *talk) { unstable(k, true) }},
}

// unstable commits in a transaction and fetches offsets.
func unstable(k *talk, require bool) {
	k.conn().exchange(28, 3, fields{"TransactionalId": "x", "GroupId": "g"}, fields{}).
		exchange(9, 7, fields{"GroupId": "g", "RequireStable": require, "Topics": list{fields{"Name": "t", "PartitionIndexes": list{0}}}}, fields{})
}
