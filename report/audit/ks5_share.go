package audit

import "ksniff/decode"

var ks5016 = Rule{ID: "KS5016", Title: "share session is used wrongly", Severity: Error, Who: Client, Since: "4.1",
	Source:  "SharePartitionManager; KIP-932",
	Explain: "A share session begins with epoch 0, without acknowledgements; each request has the next epoch; -1 ends it, and fetches nothing. The broker refused the request.",
	Example: "ShareFetch with epoch 0 and acknowledgements, answered by INVALID_REQUEST",
	Needs:   Both}

// shareEpochs are the latest epochs of the share sessions of a connection, by group and member.
type shareKey struct{ group, member string }

type shareEpoch struct{ epoch int32 }

var shareSlot = newConnSlot[bounded[shareKey, shareEpoch]]()

const maxShare = 64

// lookShareSession looks at share requests that were refused, and remembers the epochs of the others.
func lookShareSession(c *Ctx) {
	if c.Version == 0 {
		return
	}
	body := c.Req().Body()
	at := body.Field("ShareSessionEpoch")
	if !at.OnWire() {
		return
	}
	epoch, all := int32(at.Int()), shareSlot.of(c.Conn)
	key := shareKey{body.Field("GroupId").String(), body.Field("MemberId").String()}
	before := all.get(key)
	acks, fetches := shareParts(body)
	f, why := (*Finding)(nil), ""
	switch {
	case c.ErrorCode == 0:
	case c.ErrorCode == 42 && epoch == 0 && acks:
		f, why = c.Find(&ks5016), "epoch 0 begins a session, and the request acknowledges records"
	case c.ErrorCode == 42 && epoch == -1 && fetches && c.Key == keyShareFetch:
		f, why = c.Find(&ks5016), "epoch -1 ends the session, and the request fetches"
	case c.ErrorCode == 123 && epoch > 0 && before != nil && epoch != nextEpoch(before.epoch):
		f, why = c.Find(&ks5016), "the epoch is not the next"
		f.With("before", before.epoch)
	}
	if f != nil {
		f.Place(at).Say("%s", why).With("epoch", epoch).Answered(c.ErrorCode)
	}
	if c.ErrorCode != 0 || epoch < 0 {
		all.drop(key)
		return
	}
	if before == nil {
		before = all.at(shareKey{clone(key.group), clone(key.member)}, maxShare)
	}
	before.epoch = epoch
}

// shareParts says whether a share request acknowledges records, and whether it names partitions to fetch.
func shareParts(body decode.Ref) (acks, fetches bool) {
	for t := range body.Field("Topics").Elements() {
		for p := range t.Field("Partitions").Elements() {
			if p.Field("AcknowledgementBatches").Count() > 0 {
				acks = true
			} else {
				fetches = true
			}
		}
	}
	return acks, fetches
}
