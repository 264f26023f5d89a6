package audit

import (
	"strings"

	"ksniff/decode"
	"ksniff/decode/schema"
)

var ks7014 = Rule{ID: "KS7014", Title: "an error code that is newer than the version", Severity: Warning, Who: Broker, Since: "1.0",
	Source:  "KafkaApis.maybeDownConvertStorageError",
	Explain: "Clients that use Fetch 5 and older do not know KAFKA_STORAGE_ERROR and may not look for a new leader. Brokers answer them NOT_LEADER_OR_FOLLOWER instead.",
	Example: "error 56 in a Fetch 4 response",
	Needs:   Apache}

func lookStorageError(c *Ctx) {
	if c.Version > 5 {
		return
	}
	for i := range c.Parts {
		if p := &c.Parts[i]; p.Error == 56 {
			c.Find(&ks7014).Byte(4, "FetchResponse.Responses").Say("KAFKA_STORAGE_ERROR (56) in Fetch %d", c.Version).About(p.Topic, p.Partition)
			return
		}
	}
}

var ks7015 = Rule{ID: "KS7015", Title: "unknown error code", Severity: Info, Who: Broker, Since: "0.8",
	Source:  "Errors",
	Explain: "The code is in no release that ksniff knows. The broker may be newer, or other software. It is not a fault.",
	Example: "error 999 in a Metadata response",
	Once:    PerVersion}

func lookUnknownErrors(c *Ctx) {
	if c.ErrorCode != 0 && schema.LookupError(c.ErrorCode) == nil {
		c.Find(&ks7015).Byte(4, "Response").Say("%d is not a known error code", c.ErrorCode).With("code", c.ErrorCode)
		return
	}
	if c.Key == keyProduce || c.Key == keyFetch {
		for i := range c.Parts {
			if code := c.Parts[i].Error; code != 0 && schema.LookupError(code) == nil {
				c.Find(&ks7015).Byte(4, "Response").Say("%d is not a known error code", code).With("code", code).About(c.Parts[i].Topic, c.Parts[i].Partition)
				return
			}
		}
		return
	}
	t := c.Resp()
	if t == nil {
		return
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Kind != decode.Int16 || n.Field == nil || !strings.HasSuffix(n.Field.Name, "ErrorCode") {
			continue
		}
		if code := int16(t.At(int32(i)).Int()); code != 0 && schema.LookupError(code) == nil {
			c.Find(&ks7015).Place(t.At(int32(i))).Say("%d is not a known error code", code).With("code", code)
			return
		}
	}
}
