package reassembly

// Fate says what became of captured bytes. Every captured payload byte has exactly one.
type Fate uint8

// The fates of captured bytes (DESIGN section 5).
const (
	Decoded     Fate = iota + 1 // of whole frames without a fault, or with a tolerated one
	Undecodable                 // of whole frames with a fault, and of responses to nothing
	Skipped                     // passed over while the next frame was searched
	Encrypted                   // of TLS
	Foreign                     // of another protocol
	Pending                     // of frames that are not whole in the capture
)

// Ledger counts bytes of TCP payload. Payload counts each captured byte of a stream once and is the
// sum of the six fates.
type Ledger struct {
	Payload     int64
	Decoded     int64
	Undecodable int64
	Skipped     int64
	Encrypted   int64
	Foreign     int64
	Pending     int64
	Gap         int64 // bytes that the capture lacks
	// Retransmitted counts bytes captured again; the TCP layer knows it.
	Retransmitted int64
}

// Completeness is the decoded share of what Kafka sent: decoded ÷ (payload − foreign − encrypted + gap),
// 1 where that is 0 ÷ 0.
func (l *Ledger) Completeness() float64 {
	all := l.Payload - l.Foreign - l.Encrypted + l.Gap
	if all == 0 {
		return 1
	}
	return float64(l.Decoded) / float64(all)
}

func (l *Ledger) add(fate Fate, n int64) {
	l.Payload += n
	switch fate {
	case Decoded:
		l.Decoded += n
	case Undecodable:
		l.Undecodable += n
	case Skipped:
		l.Skipped += n
	case Encrypted:
		l.Encrypted += n
	case Foreign:
		l.Foreign += n
	default:
		l.Pending += n
	}
}
