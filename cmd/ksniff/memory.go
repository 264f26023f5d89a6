package main

import (
	"math"
	"os"
	"runtime/debug"
)

const (
	// defaultMemory bounds all state unless --memory says otherwise.
	defaultMemory = 128 << 20
	// leastMemory is the least bound that is kept: what does not depend on it would take the rest.
	leastMemory = 24 << 20
	// buffers is what is kept out of the bound for buffers between goroutines and for what waits to be written.
	buffers = 10 << 20
	// program is what the program itself, of which Go's limit knows nothing, has in memory at most.
	program = 17 << 20
	// roomy is a bound that leaves room for what is no longer used.
	roomy = 64 << 20
	// connectionCost is about what TCP layer and session keep of a connection that is proven, in bytes.
	connectionCost = 896
)

// state is what may be kept of connections, frames and names: half of it is the session's, a quarter the TCP layer's
// and a quarter that of the sums of the command.
func (in *input) state() int64 { return int64(in.memory) - buffers }

// most is how many connections there may be at once, for commands that keep so many bytes of each themselves.
func (in *input) most(each int64) int { return int(in.state() * 3 / 4 / (connectionCost + each)) }

// limitMemory has the collector keep resident memory below twice the bound, wherever what is in use allows it. deep says
// that batches are decompressed: what is used for that is large and soon no longer used.
func (in *input) limitMemory(deep bool) {
	debug.SetMemoryLimit(min(int64(in.memory), math.MaxInt64/2)*2 - max(int64(in.memory)/2, program))
	if os.Getenv("GOGC") == "" && in.memory >= roomy && !deep {
		debug.SetGCPercent(300) // the few MB of a short run need not be collected at all
	}
}
