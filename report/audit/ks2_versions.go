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

// misread says what a frame is instead of what it was read as.
type misread struct {
	rule            *Rule // KS2008 or KS2016, nil where it is what it was read as
	at              int   // where its body begins
	mandated, found int16 // header versions, or versions
}

// noteForm finds out whether the frame reads with another header or in another version. Then nothing that was
// read of it is true, and no other look may see it.
func noteForm(c *Ctx) {
	if c.API == nil || c.Tree() == nil || len(c.Body) != c.Length || !known(c.API, c.Version) {
		return
	}
	// One byte that is left over may be padding; more tell of another header.
	garbled, unsorted := garbled(c.Tree())
	if !((garbled || unsorted || c.Tree().Trailing > 1) && noteHeader(c)) && garbled {
		noteOtherVersion(c)
	}
}

// lookForm says what is wrong with the form of a frame: as a whole, or field by field.
func lookForm(c *Ctx) {
	switch m := c.misread; {
	case c.API == nil || c.Tree() == nil:
	case m.rule == nil:
		lookFaults(c)
	case m.rule == &ks2016:
		c.Find(&ks2016).Byte(m.at, c.API.Response.Name).Say("the answer to %s %d reads in version %d only", c.API.Name, c.Version, m.found).
			With("asked", m.mandated).With("answered", m.found)
	default:
		name := "ResponseHeader"
		if c.Kind == decode.Request {
			name = "RequestHeader"
		}
		c.Find(&ks2008).Byte(m.at, name).Say("the message reads behind a header of version %d, where %s %d has version %d", m.found, c.API.Name, c.Version, m.mandated).
			With("mandated", m.mandated).With("found", m.found)
	}
}

// garbled says that what was read cannot be meant so, also where the reading came to the end of the message;
// unsorted, that there are tags in disorder.
func garbled(t *decode.Tree) (garbled, unsorted bool) {
	for _, f := range t.Faults {
		switch {
		case f.Class != decode.Broken, f.Code == decode.TrailingBytes, f.Code == decode.VarintNotMinimal:
		case f.Code == decode.NullNotAllowed && t.Whole() && t.Trailing == 0: // all else is where it belongs
		case f.Code == decode.TagOrder:
			unsorted = true
		default:
			garbled = true
		}
	}
	return garbled, unsorted
}

// noteHeader tries the header of the other kind.
func noteHeader(c *Ctx) bool {
	m := misread{rule: &ks2008}
	if c.Kind == decode.Request {
		m.mandated = c.API.RequestHeaderVersion(c.Version)
		m.at, m.found = otherRequestHeader(c.Body, m.mandated)
	} else {
		m.mandated = c.API.ResponseHeaderVersion(c.Version)
		m.at, m.found = otherResponseHeader(c.Body, m.mandated)
	}
	if m.at == 0 || !c.reads(m.at, c.Version) {
		return false
	}
	c.misread = m
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

// noteOtherVersion tries a response in all other versions.
func noteOtherVersion(c *Ctx) {
	if c.Kind != decode.Response || c.Key == keyApiVersions || c.Frame.Request == nil {
		return
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
	if n == 1 {
		c.misread = misread{&ks2016, 4, c.Version, fits}
	}
}

// known says whether the schemas have the version.
func known(a *schema.API, version int16) bool { return a != nil && a.Versions().Has(version) }
