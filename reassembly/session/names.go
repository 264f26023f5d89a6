package session

import "ksniff/decode/schema"

// names interns topics and clients, so that there is one of each.
type names struct {
	byName   map[string]*Topic
	byID     map[[16]byte]*Topic
	clients  map[[16]byte]map[string]*Client // by address and id
	nulls    map[[16]byte]*Client            // those without an id
	told     map[*schema.Message]bool        // whether it can tell names with ids
	overflow Topic
	excess   Client
	topics   int
	bytes    int64
	limit    int64
}

func (n *names) init(limit int64) {
	n.byName, n.byID = map[string]*Topic{}, map[[16]byte]*Topic{}
	n.clients, n.nulls = map[[16]byte]map[string]*Client{}, map[[16]byte]*Client{}
	n.told = map[*schema.Message]bool{}
	n.limit = limit
	// The one id that every cluster shares (Uuid.METADATA_TOPIC_ID): no response tells its name.
	metadata := &Topic{Name: "__cluster_metadata", ID: [16]byte{15: 1}}
	n.byName[metadata.Name], n.byID[metadata.ID] = metadata, metadata
}

// topic gives the Topic with a name.
func (s *Session) topic(name []byte) *Topic {
	if t := s.names.byName[string(name)]; t != nil {
		return t
	}
	if !s.room(int64(len(name)) + 200) {
		s.Dropped.Topics++
		return &s.names.overflow
	}
	s.names.topics++
	t := &Topic{Name: string(name), Number: s.names.topics}
	s.names.byName[t.Name] = t
	return t
}

// topicByID gives the Topic with an id, which may have no name yet.
func (s *Session) topicByID(id [16]byte) *Topic {
	if t := s.names.byID[id]; t != nil {
		return t
	}
	if !s.room(250) {
		s.Dropped.Topics++
		return &s.names.overflow
	}
	s.names.topics++
	t := &Topic{ID: id, Number: s.names.topics}
	s.names.byID[id] = t
	return t
}

// tell notes that a name and an id belong together.
func (s *Session) tell(name []byte, id [16]byte) {
	if len(name) == 0 || id == [16]byte{} {
		return
	}
	if t := s.names.byID[id]; t != nil {
		if t.Name == "" {
			if named := s.names.byName[string(name)]; named != nil {
				t.Name = named.Name
			} else {
				t.Name = string(name)
				s.names.byName[t.Name] = t
			}
		}
		return
	}
	t := s.topic(name)
	switch {
	case t == &s.names.overflow:
	case t.ID == [16]byte{}:
		t.ID = id
		s.names.byID[id] = t
	case t.ID != id: // deleted and made again
		s.topicByID(id).Name = t.Name
	}
}

// client gives the Client with an address and an id.
func (s *Session) client(c *conn, id []byte) *Client {
	addr := c.tcp.Ends[c.client].Addr
	if k := c.ident; k != nil && k.Addr == addr && k.NullID == (id == nil) && k.ID == string(id) {
		return k
	}
	n := &s.names
	if id == nil {
		if k := n.nulls[addr]; k != nil {
			return k
		}
	} else if k := n.clients[addr][string(id)]; k != nil {
		return k
	}
	if !s.room(int64(len(id)) + 300) {
		s.Dropped.Clients++
		return &n.excess
	}
	k := &Client{ID: string(id), NullID: id == nil, Addr: addr}
	if id == nil {
		n.nulls[addr] = k
		return k
	}
	if n.clients[addr] == nil {
		n.clients[addr] = map[string]*Client{}
	}
	n.clients[addr][k.ID] = k
	return k
}

// room says whether n more bytes of names may be kept.
func (s *Session) room(n int64) bool {
	if s.names.bytes+n > s.names.limit {
		return false
	}
	s.names.bytes += n
	return true
}
