package audit

import "testing"

// TestGuess: what is a guess about, after a loss, where all requests have one correlation id, is no exchange to judge.
func TestGuess(t *testing.T) {
	k := newTalk(t, Config{})
	p := k.conn()
	ask := func() *peer {
		p.next = 5
		return p.request(1, 0, asking(0))
	}
	ask().answer(served([]byte{}))
	ask().answer(served([]byte{}))
	ask()
	p.lose(1, 60)
	p.lose(0, 80)
	p.answer(served([]byte{}, []byte{}))
	ask().answer(served([]byte{}))
	k.end()
	cell := k.audit.table.cell(onExchange, keyFetch)
	judged := int64(0)
	for _, n := range cell.judged {
		judged += int64(n)
	}
	if judged != 3 || cell.skipped[skipIncomplete] != 1 {
		t.Errorf("%d exchanges judged, skipped %v; want 3 and 1", judged, cell.skipped)
	}
}
