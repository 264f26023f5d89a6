package audit

import (
	"net/netip"

	"ksniff/decode"
	"ksniff/reassembly"
)

// cluster is what Metadata says about the brokers there are.
type cluster struct {
	nodes  map[int32]struct{}
	latest int                   // how many the latest answer names
	listed []reassembly.Endpoint // these, where it gives addresses rather than names
	ids    map[string]int32
}

// maxNodes bounds the brokers of a cluster, maxClusters the clusters of a capture.
const (
	maxNodes    = 4096
	maxClusters = 1024
)

// number numbers the clusters of a capture by the id that Metadata gives, from 0 on; -1 is unknown.
func (k *cluster) number(id string) int32 {
	if id == "" {
		return -1
	}
	n, have := k.ids[id]
	if !have && len(k.ids) < maxClusters {
		if k.ids == nil {
			k.ids = map[string]int32{}
		}
		n = int32(len(k.ids))
		k.ids[clone(id)] = n
	}
	return n
}

// cluster is the number of the cluster that a connection leads to: producer ids, and the names of groups
// and transactions, are unique in one only. While one cluster at most is known, it is the only one.
func (c *Ctx) cluster() int32 {
	if len(c.Audit.cluster.ids) < 2 {
		return 0
	}
	if b := c.Conn.Broker; b != nil && b.named {
		return b.cluster
	}
	return -1
}

// isBroker says whether an address is that of a broker: by the connections seen, and by the addresses that Metadata
// names where this connection's broker is among them. known is false where a broker may have another address.
func (c *Ctx) isBroker(addr [16]byte) (yes, known bool) {
	for end := range c.Audit.brokers.m {
		if end.Addr == addr {
			return true, true
		}
	}
	for _, end := range c.Audit.cluster.listed {
		yes = yes || end.Addr == addr
		known = known || c.Conn.Broker != nil && end == c.Conn.Broker.End
	}
	return yes, known || c.Audit.cluster.latest > 0 && !c.Audit.partial()
}

func (k *cluster) learn(t *decode.Tree) {
	if k.nodes == nil {
		k.nodes = map[int32]struct{}{}
	}
	n := 0
	k.listed = k.listed[:0]
	for b := range t.Body().Field("Brokers").Elements() {
		n++
		if len(k.nodes) < maxNodes {
			k.nodes[int32(b.Field("NodeId").Int())] = struct{}{}
		}
		if a, err := netip.ParseAddr(b.Field("Host").String()); err == nil && len(k.listed) < maxNodes {
			k.listed = append(k.listed, reassembly.Endpoint{Addr: a.As16(), Port: uint16(b.Field("Port").Int())})
		}
	}
	if k.latest = n; len(k.listed) < n {
		k.listed = k.listed[:0]
	}
}

// partial says that the capture lacks brokers of the cluster: then a state that crosses brokers is not all there.
// Names in Metadata need not be the addresses on the wire: then brokers are only counted.
func (a *Audit) partial() bool {
	seen := 0
	for _, end := range a.cluster.listed {
		if a.brokers.get(end) != nil {
			seen++
		}
	}
	if seen > 0 {
		return seen < len(a.cluster.listed)
	}
	return len(a.brokers.m) < max(a.cluster.latest, 1)
}
