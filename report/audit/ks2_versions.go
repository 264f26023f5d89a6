package audit

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/decode/schema"
)

var ks2008 = Rule{ID: "KS2008", Title: "wrong header version", Severity: Error, Who: Either, Since: "2.4",
	Source:  "message definitions (flexibleVersions); ApiKeys; KIP-482, KIP-511",
	Explain: "Flexible versions have a header that ends with tagged fields, others have none; answers to ApiVersions never have them. The message can only be read with the header of the other kind.",
	Example: "Metadata 9 with a header that lacks the byte 00 behind the client id"}

var ks2016 = Rule{ID: "KS2016", Title: "answer in another version", Severity: Error, Who: Broker, Since: "0.8",
	Source:  "protocol guide: the version of the response is that of the request",
	Explain: "The response cannot be read in the version of its request, but to its last byte in exactly one other.",
	Example: "Metadata 1 answered in the form of Metadata 0",
	Needs:   Both}

// otherTree holds what is tried.
var otherSlot = newAuditSlot[decode.Tree]()

// lookForm says what is wrong with the form of a frame: as a whole, or field by field.
func lookForm(c *Ctx) {
	if c.API == nil || c.Tree() == nil {
		return
	}
	if len(c.Body) == c.Length && known(c.API, c.Version) {
		garbled, unsorted := garbled(c.Tree())
		// One byte that is left over may be padding; more tell of another header.
		if (garbled || unsorted || c.Tree().Trailing > 1) && lookHeader(c) || garbled && lookOtherVersion(c) {
			return
		}
	}
	lookFaults(c)
}

// garbled says that what was read cannot be meant so, also where the reading came to the end of the message;
// unsorted, that there are tags in disorder.
func garbled(t *decode.Tree) (garbled, unsorted bool) {
	for _, f := range t.Faults {
		switch {
		case f.Class != decode.Broken, f.Code == decode.TrailingBytes, f.Code == decode.VarintNotMinimal:
		case f.Code == decode.TagOrder:
			unsorted = true
		default:
			garbled = true
		}
	}
	return garbled, unsorted
}

// lookHeader tries the header of the other kind.
func lookHeader(c *Ctx) bool {
	var mandated, found int16
	var at int
	if c.Kind == decode.Request {
		mandated = c.API.RequestHeaderVersion(c.Version)
		at, found = otherRequestHeader(c.Body, mandated)
	} else {
		mandated = c.API.ResponseHeaderVersion(c.Version)
		at, found = otherResponseHeader(c.Body, mandated)
	}
	if at == 0 || !c.reads(at, c.Version) {
		return false
	}
	name := "ResponseHeader"
	if c.Kind == decode.Request {
		name = "RequestHeader"
	}
	c.Find(&ks2008).Byte(at, name).Say("the message reads behind a header of version %d, where %s %d has version %d", found, c.API.Name, c.Version, mandated).
		With("mandated", mandated).With("found", found)
	return true
}

// otherRequestHeader is where the body begins if the header is not of the mandated version.
func otherRequestHeader(b []byte, mandated int16) (at int, version int16) {
	if len(b) < 11 {
		return 0, 0
	}
	at = 10 + max(int(int16(binary.BigEndian.Uint16(b[8:]))), 0)
	switch {
	case at >= len(b):
		return 0, 0
	case mandated == 2:
		return at, 1
	case mandated == 1 && b[at] == 0: // no tagged fields
		return at + 1, 2
	case mandated == 0:
		return at, 1
	}
	return 0, 0
}

func otherResponseHeader(b []byte, mandated int16) (at int, version int16) {
	switch {
	case mandated == 1:
		return 4, 0
	case len(b) > 4 && b[4] == 0:
		return 5, 1
	}
	return 0, 0
}

// reads says whether the frame's message reads from at to its last byte in a version.
func (c *Ctx) reads(at int, version int16) bool {
	m := c.API.Response
	if c.Kind == decode.Request {
		m = c.API.Request
	}
	t := otherSlot.of(c)
	t.DecodeMessage(decode.Whole(c.Body), at, m, version)
	return t.Whole() && t.Trailing == 0 && len(t.Faults) == 0
}

// lookOtherVersion tries a response in all other versions.
func lookOtherVersion(c *Ctx) bool {
	if c.Kind != decode.Response || c.Key == keyApiVersions || c.Frame.Request == nil {
		return false
	}
	fits, n := int16(-1), 0
	valid := c.API.Response.Valid
	for v := valid.Min; v <= valid.Max; v++ {
		at := 4
		if c.API.ResponseHeaderVersion(v) == 1 {
			if len(c.Body) < 5 || c.Body[4] != 0 {
				continue
			}
			at = 5
		}
		if v != c.Version && c.reads(at, v) {
			fits, n = v, n+1
		}
	}
	if n != 1 {
		return false
	}
	c.Find(&ks2016).Byte(4, c.API.Response.Name).Say("the answer to %s %d reads in version %d only", c.API.Name, c.Version, fits).
		With("asked", c.Version).With("answered", fits)
	return true
}

// known says whether the schemas have the version.
func known(a *schema.API, version int16) bool { return a != nil && a.Versions().Has(version) }
