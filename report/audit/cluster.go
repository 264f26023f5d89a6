package audit

import "ksniff/decode"

// cluster is what Metadata says about the brokers there are.
type cluster struct {
	nodes  map[int32]struct{}
	latest int // how many the latest answer names
}

// maxNodes bounds the brokers of a cluster.
const maxNodes = 4096

func (k *cluster) learn(t *decode.Tree) {
	if k.nodes == nil {
		k.nodes = map[int32]struct{}{}
	}
	n := 0
	for b := range t.Body().Field("Brokers").Elements() {
		n++
		if len(k.nodes) < maxNodes {
			k.nodes[int32(b.Field("NodeId").Int())] = struct{}{}
		}
	}
	k.latest = n
}

// partial says that the capture lacks brokers of the cluster: then a state that crosses brokers is not
// all there. Brokers are counted, since names in Metadata need not be the addresses on the wire.
func (a *Audit) partial() bool { return len(a.brokers.m) < max(a.cluster.latest, 1) }
