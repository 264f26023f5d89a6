package audit

import (
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// TestNoAllocation holds that frames in which nothing is found allocate nothing, once all is known of their
// connection: an idempotent producer, and a consumer with a fetch session.
func TestNoAllocation(t *testing.T) {
	k := newTalk(t, Config{})
	p := k.conn()
	p.offers(map[int16][2]int16{0: {0, 11}, 1: {4, 16}, 18: {0, 3}})
	framed := func(body []byte) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	}
	produced := batchOf(idempotent(0, 0), one...)
	begin := asking(0)
	begin["SessionEpoch"], begin["MaxBytes"] = 0, 1<<20
	p.exchange(keyFetch, 12, begin, given(77, []byte{}))
	going := fields{"ReplicaId": -1, "MaxWaitMs": 500, "MinBytes": 1, "MaxBytes": 1 << 20, "SessionId": 77, "SessionEpoch": 1, "RackId": ""}
	frames := [4][]byte{
		framed(encodeRequest(keyProduce, 9, 0, "app", into(-1, produced))), framed(encodeResponse(keyProduce, 9, 0, wrote(0))),
		framed(encodeRequest(keyFetch, 12, 0, "app", going)), framed(encodeResponse(keyFetch, 12, 0, given(77, produced))),
	}
	at := 4 + len(encodeHeader(keyFetch, 12, 0, "app")) + 21 // session epoch
	sequence, epoch := int32(0), uint32(1)
	round := func() {
		set := frames[0][len(frames[0])-len(produced)-3:] // behind it: tags of partition, topic and request
		binary.BigEndian.PutUint32(set[53:], uint32(sequence))
		binary.BigEndian.PutUint32(set[17:], crc32.Checksum(set[21:len(produced)], castagnoli))
		binary.BigEndian.PutUint32(frames[2][at:], epoch)
		sequence, epoch = sequence+1, epoch+1
		for i, f := range frames {
			id := 8 // of the header: behind the length, and in requests behind key and version
			if i%2 == 1 {
				id = 4
			}
			binary.BigEndian.PutUint32(f[id:], uint32(p.next))
			if i%2 == 1 {
				p.next++
			}
			p.bytes(i%2, f)
		}
	}
	for range 300 {
		round()
	}
	before := k.audit.frames
	if n := testing.AllocsPerRun(200, round); n != 0 {
		t.Errorf("%v allocations for 4 frames", n)
	}
	if got := k.audit.frames - before; got != 201*4 {
		t.Fatalf("%d frames were read, %d were sent", got, 201*4)
	}
	k.end()
	for _, f := range k.found {
		if f.Severity > Info {
			t.Errorf("%s: %s", f.Rule.ID, f.Message)
		}
	}
}
