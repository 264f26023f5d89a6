package top

import (
	"ksniff/reassembly/session"
	"ksniff/report"
)

// unnamed is a topic of which only the id is known, and the text of the id, by which it goes.
type unnamed struct {
	topic *session.Topic
	text  string
}

// Overflow tells the Topic that stands for all those that the session could not keep apart.
func (t *Tally) Overflow(topic *session.Topic) { t.overflow = topic }

// topicName is how a topic is shown.
func (t *Tally) topicName(topic *session.Topic) string {
	switch {
	case topic == nil, topic == t.overflow:
		return "(other topics)" // those that the session could not keep apart
	case topic.Name == "" && topic.ID == [16]byte{}:
		return `""`
	case topic.Name != "":
		return topic.Name
	}
	u, known := t.unnamed[topic.ID]
	if !known {
		u = unnamed{topic, report.TopicName(topic)}
		if len(t.unnamed) < t.most {
			t.unnamed[topic.ID] = u
		}
	}
	return u.text
}

// rename gives the topics whose names became known what was counted under their ids.
func (t *Tally) rename() {
	for id, u := range t.unnamed {
		if u.topic.Name == "" {
			continue
		}
		delete(t.unnamed, id)
		var old []key
		for k := range t.cells {
			if k.within == InTopic && k.of == u.text || (k.table == Topics || k.table == Partitions) && k.name == u.text {
				old = append(old, k)
			}
		}
		for _, k := range old {
			c := t.cells[k]
			delete(t.cells, k)
			if k.within == InTopic && k.of == u.text {
				k.of = u.topic.Name
			}
			if (k.table == Topics || k.table == Partitions) && k.name == u.text {
				k.name = u.topic.Name
			}
			if same := t.cells[k]; same != nil {
				c.merge(same, t.now)
			}
			t.cells[k] = c
		}
	}
}
