package audit

import (
	"fmt"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Finding is one violation. A nil Finding takes all its methods and does nothing, so that looks need
// not ask whether anybody wants to hear of it.
type Finding struct {
	Rule        *Rule
	Severity    Severity
	Who         Who               // never Either
	At          reassembly.Moment // of the packet that completed the frame it is about
	Connection  int
	Client      *session.Client // nil where unknown
	Peer        [2]reassembly.Endpoint
	API         string // "" where there is none
	Version     int16  // -1 where there is none
	Correlation int32
	HasHeader   bool
	Offset      int // in the frame, after its length word; -1 where it is not about a place
	Field       string
	Message     string
	Evidence    []Fact
	Topic       string

	used  bool
	group *Group
	once  onceKey // rule nil: it is reported always
	topic *session.Topic
	asked *decode.Tree      // of the request that the frame looked at answers
	sent  reassembly.Moment // of that request; without packet where there is none
}

// Fact is a piece of evidence: a name with a number, string, bool or list of these. Never a key, a
// value, or a secret.
type Fact struct {
	Name  string
	Value any
}

// Place says which field it is about: of the frame that is looked at, or of the request that it answers.
func (f *Finding) Place(r decode.Ref) *Finding {
	if f != nil {
		f.Offset, f.Field = r.Offset(), r.Path()
		if f.asked != nil && r.Tree() == f.asked {
			f.Asked()
		}
	}
	return f
}

// Asked says that it is about the request that the frame looked at answers, so that its packet and time
// are those of the request. Place sees that by itself, Byte does not.
func (f *Finding) Asked() *Finding {
	if f != nil && f.sent.Packet != 0 {
		f.At = f.sent
	}
	return f
}

// Byte says which byte of the frame it is about, and the name of the field there.
func (f *Finding) Byte(offset int, field string) *Finding {
	if f != nil {
		f.Offset, f.Field = offset, field
	}
	return f
}

// Say gives the message: one line, what was seen against what is right.
func (f *Finding) Say(format string, args ...any) *Finding {
	if f != nil {
		f.Message = fmt.Sprintf(format, args...)
	}
	return f
}

// With adds a piece of evidence.
func (f *Finding) With(name string, value any) *Finding {
	if f != nil {
		f.Evidence = append(f.Evidence, Fact{name, value})
	}
	return f
}

// Graded sets another severity than the rule's.
func (f *Finding) Graded(s Severity) *Finding {
	if f != nil {
		f.Severity = s
	}
	return f
}

// By says who it was.
func (f *Finding) By(w Who) *Finding {
	if f != nil {
		f.Who = w
	}
	return f
}

// About names the topic and partition.
func (f *Finding) About(t *session.Topic, partition int32) *Finding {
	if f != nil {
		f.topic = t
		f.With("topic", TopicName(t)).With("partition", partition)
	}
	return f
}

// Answered quotes the error code of the answer: it turns suspicion into proof.
func (f *Finding) Answered(code int16) *Finding {
	if f != nil {
		f.With("answer", errorName(code))
		f.Message += fmt.Sprintf("; the broker answered %s (%d)", errorName(code), code)
	}
	return f
}
