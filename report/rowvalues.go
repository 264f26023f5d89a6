package report

// values are the dimensions of a row as the outputs show them; nil where one does not apply or is not known.
func (r *rows) values(k rowKey) map[string]any {
	by := map[string]any{}
	if r.dims&byTopic != 0 {
		by["topic"] = nil
		if k.topic != nil {
			by["topic"] = k.topic.Name
			if k.topic.Name == "" {
				by["topic_id"] = topicLabel(k.topic)
			}
		}
	}
	if r.dims&byPartition != 0 {
		by["partition"] = int64(k.partition)
	}
	if r.dims&byClient != 0 {
		by["client"] = nil
		if k.client != nil {
			by["client"] = k.client.ID
		}
	}
	if r.dims&byAPI != 0 {
		by["api"] = nil
		if name := k.api.name(); name != "" {
			by["api"] = name
		}
	}
	if r.dims&byError != 0 {
		by["error"] = nil
		if k.error != notYet {
			by["error"] = errorName(k.error)
		}
	}
	if r.dims&byGroup != 0 {
		by["group"] = nil
		if g := r.groups.name(k.group, k.member); g != nil {
			by["group"] = *g
		}
	}
	if r.dims&byConnection != 0 {
		by["connection"] = int64(k.conn)
		if ends := r.ends[k.conn]; ends != "" {
			by["connection_ends"] = ends
		}
	}
	return by
}
