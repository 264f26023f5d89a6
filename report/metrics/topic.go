package metrics

import (
	"encoding/base64"

	"ksniff/reassembly/session"
)

// topic finds the series of a topic.
func (m *Metrics) topic(t *session.Topic) *subject {
	if t == m.lastTopic && m.last != nil {
		return m.last
	}
	s := m.findTopic(t)
	m.lastTopic, m.last = t, s
	return s
}

func (m *Metrics) findTopic(t *session.Topic) *subject {
	switch {
	case t == nil || t == m.overflow:
		return m.topics.rest()
	case t.Name != "" || t.ID == [16]byte{}:
		m.named(t)
		return m.topics.of(t.Name)
	}
	id := m.ids[t.ID]
	if id == nil {
		if len(m.ids) >= m.most {
			return m.topics.rest()
		}
		id = &topicID{text: base64.RawURLEncoding.EncodeToString(t.ID[:])}
		m.ids[t.ID] = id
	}
	return m.topics.of(id.text)
}

// topicID is the id of a topic, in Kafka's text form.
type topicID struct {
	text  string
	named bool
}

// named tells the name of a topic that was counted by its id. The counts stay where they are: to move them would
// be a rate that never was, at the moment in which the name was learnt.
func (m *Metrics) named(t *session.Topic) {
	if len(m.ids) == 0 {
		return
	}
	if id := m.ids[t.ID]; id != nil && !id.named {
		id.named = true
		m.names.WithLabelValues(id.text, label(t.Name)).Set(1)
	}
}
