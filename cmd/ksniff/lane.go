package main

// lane carries batches from one goroutine to another, in order, and back to be filled again: memory is bounded, and
// in steady state nothing is allocated. A batch belongs to the giver from fresh to give, to the taker from take
// to back; nobody else looks at it. Who is quicker waits for the other.
type lane[B any] struct {
	full, empty chan *B
	quit        chan struct{}
}

// newLane makes a lane of n batches.
func newLane[B any](n int) *lane[B] {
	l := &lane[B]{full: make(chan *B, n), empty: make(chan *B, n), quit: make(chan struct{})}
	for range n {
		l.empty <- new(B)
	}
	return l
}

// fresh gives the giver a batch to fill; nil where the taker stopped.
func (l *lane[B]) fresh() *B {
	select {
	case b := <-l.empty:
		return b
	case <-l.quit:
		return nil
	}
}

func (l *lane[B]) give(b *B) { l.full <- b }

// end tells the taker that no more batches come.
func (l *lane[B]) end() { close(l.full) }

// take gives the taker the next batch; false where there is no more.
func (l *lane[B]) take() (*B, bool) {
	b, more := <-l.full
	return b, more
}

func (l *lane[B]) back(b *B) { l.empty <- b }

// stop tells the giver that no more is wanted. What was given stands: take it.
func (l *lane[B]) stop() { close(l.quit) }
