package audit

import "ksniff/decode"

var ks5016 = Rule{ID: "KS5016", Title: "share session is used wrongly", Severity: Error, Who: Client, Since: "4.1",
	Source:  "SharePartitionManager; KIP-932",
	Explain: "A share session begins with epoch 0, without acknowledgements; each request has the next epoch; -1 ends it, and fetches nothing. The broker refused the request.",
	Example: "ShareFetch with epoch 0 and acknowledgements, answered by INVALID_REQUEST",
	Needs:   Both}

// shareKey names a share session: brokers keep one for a member on a connection.
type shareKey struct{ group, member string }

// shareEpoch is how far a share session is.
type shareEpoch struct {
	epoch int32 // of the latest request that was taken
	ended bool  // the client ended it
}

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
	switch c.ErrorCode {
	case 0:
		if before == nil {
			before = all.at(shareKey{clone(key.group), clone(key.member)}, maxShare)
		}
		before.epoch, before.ended = epoch, epoch < 0
	case 42, 122, 123:
		acks, fetches := shareParts(body)
		why := ""
		switch {
		case epoch == 0 && acks:
			why = "epoch 0 begins a session, and the request acknowledges records"
		case epoch == -1 && fetches && c.Key == keyShareFetch:
			why = "epoch -1 ends the session, and the request fetches"
		case epoch > 0 && before != nil && before.ended:
			why = "the client had ended the session"
		case epoch > 0 && before != nil && epoch != nextEpoch(before.epoch):
			why = "the epoch is not the next"
		}
		if why != "" {
			f := c.Find(&ks5016).Place(at).Say("%s", why).With("epoch", epoch)
			if before != nil && epoch > 0 {
				f.With("before", before.epoch)
			}
			f.Answered(c.ErrorCode)
		}
		all.drop(key)
	default:
		all.drop(key)
	}
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
