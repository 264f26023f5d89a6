package audit

import "slices"

var ks6005 = Rule{ID: "KS6005", Title: "assignments from the wrong member, or not for all", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "GroupMetadataManager.classicGroupSync",
	Explain: "Only the leader that JoinGroup named assigns; what another member sends is ignored. A member that the leader leaves out gets nothing to do.",
	Example: "a follower's SyncGroup with Assignments",
	Needs:   Both}

func lookAssignments(c *Ctx) {
	s, _ := membershipOf(c)
	m := knownMember(c, s.group, s.id)
	if m == nil || !m.joined || m.generation != s.generation {
		return
	}
	list := c.Req().Body().Field("Assignments")
	n := list.Count()
	if !m.leader {
		if n > 0 {
			c.Find(&ks6005).Place(list).Say("assignments for %d members by one that is not the leader", n).With("assignments", n)
		}
		return
	}
	left := len(m.others)
	for a := range list.Elements() {
		if slices.Contains(m.others, hashID(a.Field("MemberId").String())) {
			left--
		}
	}
	if left > 0 {
		c.Find(&ks6005).Place(list).Say("the leader leaves out %d of %d members", left, len(m.others)).With("left_out", left).With("members", len(m.others))
	}
}

var ks6007 = Rule{ID: "KS6007", Title: "SyncGroup names another protocol than JoinGroup's answer", Severity: Error, Who: Client, Since: "2.5",
	Source:  "KIP-559; ClassicGroup.validateSyncGroup",
	Explain: "Protocol type and name in SyncGroup are those that the answer to JoinGroup gave. Brokers answer INCONSISTENT_GROUP_PROTOCOL to others.",
	Example: `SyncGroup 5 with ProtocolName "range" in a generation that chose "roundrobin"`,
	Needs:   Both}

func lookSyncProtocol(c *Ctx) {
	s, _ := membershipOf(c)
	m := knownMember(c, s.group, s.id)
	if c.Version < 5 || m == nil || !m.joined || m.generation != s.generation {
		return
	}
	b := c.Req().Body()
	for _, field := range [...]struct{ name, want string }{{"ProtocolType", m.kind}, {"ProtocolName", m.protocol}} {
		if got := b.Field(field.name); got.OnWire() && !got.IsNull() && field.want != "" && got.String() != field.want {
			f := c.Find(&ks6007).Place(got).Say("%s is %q, the answer to JoinGroup said %q", field.name, got.String(), field.want).
				With("got", clone(got.String())).With("expected", field.want)
			settled(c, f, 23)
			return
		}
	}
}

// assignment is which partitions a member got, as far as that is known.
type assignment struct {
	known bool
	list  []topicPartition
}

// noteAssigned takes what SyncGroup answers to a consumer.
func noteAssigned(c *Ctx) {
	if c.ErrorCode != 0 {
		return
	}
	s, _ := membershipOf(c)
	m := knownMember(c, s.group, s.id)
	if m == nil || m.generation != s.generation {
		return
	}
	m.assigned[0] = assignment{}
	if m.kind == "consumer" || m.kind == "" {
		m.assigned[0].list, m.assigned[0].known = readAssignment(c.Resp().Body().Field("Assignment").Bytes())
	}
}

// readAssignment reads a ConsumerProtocolAssignment: version, topics with their partitions, user data.
func readAssignment(b []byte) (list []topicPartition, ok bool) {
	r := bytesReader{b: b}
	r.int16()
	for range r.int32() {
		topic := clone(r.string())
		for range r.int32() {
			list = append(list, topicPartition{topic, r.int32()})
			if r.short || len(list) > maxAssigned {
				return nil, false
			}
		}
		if r.short {
			return nil, false
		}
	}
	return list, !r.short && len(b) > 0
}

// bytesReader reads the old forms of numbers and strings; short says that the bytes ended early.
type bytesReader struct {
	b     []byte
	short bool
}

func (r *bytesReader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.short, r.b = true, nil
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *bytesReader) number(n int) (v int64) {
	b := r.take(n)
	for _, x := range b {
		v = v<<8 | int64(x)
	}
	return v
}

func (r *bytesReader) int16() int16   { return int16(r.number(2)) }
func (r *bytesReader) int32() int32   { return int32(r.number(4)) }
func (r *bytesReader) int64() int64   { return r.number(8) }
func (r *bytesReader) string() string { return string(r.take(int(r.int16()))) }
