package frames

import (
	"ksniff/decode"
	"ksniff/decode/inner"
	"ksniff/reassembly"
)

// keyEnvelope is the API whose requests and answers carry others.
const keyEnvelope = 58

// maxEnvelopes bounds how many forwarded requests are remembered until their answers come.
const maxEnvelopes = 1024

// envelope tells a forwarded request by its connection and correlation id.
type envelope struct {
	conn *reassembly.Conn
	id   int32
}

// envelopes remembers what was asked inside of envelopes, since the answers do not say.
type envelopes map[envelope][2]int16

// openInner makes the decoder for what lies in fields and records ready for the frame.
func (p *Printer) openInner() {
	p.inner.AnswerKey = -1
	if p.frame.Key != keyEnvelope {
		return
	}
	at := envelope{p.frame.Conn, p.frame.CorrelationID}
	if p.frame.Kind == decode.Response {
		if asked, ok := p.asked[at]; ok {
			p.inner.AnswerKey, p.inner.AnswerVersion = asked[0], asked[1]
			delete(p.asked, at)
		}
		return
	}
	t := p.frame.Tree()
	if t == nil {
		return
	}
	if key, version, ok := inner.RequestOf(t.Body().Field("RequestData").Bytes()); ok {
		if len(p.asked) >= maxEnvelopes {
			clear(p.asked)
		}
		p.asked[at] = [2]int16{key, version}
	}
}
