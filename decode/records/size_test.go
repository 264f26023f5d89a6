package records

import (
	"encoding/json"
	"testing"
)

// varintSize is how many bytes a zigzag varint takes.
func varintSize(v int64) (n int64) {
	u := uint64(v<<1) ^ uint64(v>>63)
	for n = 1; u >= 0x80; n++ {
		u >>= 7
	}
	return n
}

// bytesSize is what bytes given as hex (nil: null) take behind a varint length.
func bytesSize(hex any) int64 {
	if s, ok := hex.(string); ok {
		n := int64(len(s) / 2)
		return varintSize(n) + n
	}
	return 1
}

// uncompressed is the size of a batch without compression, from what Kafka's classes say is in it.
func uncompressed(b map[string]any, records []map[string]any) (size int64) {
	if number(b["magic"]) < 2 {
		for _, r := range records {
			size += 12 + 4 + 1 + 1 + 8*number(b["magic"]) + 4 + 4
			for _, name := range []string{"key_hex", "value_hex"} {
				if s, ok := r[name].(string); ok {
					size += int64(len(s) / 2)
				}
			}
		}
		return size
	}
	size = 61
	for _, r := range records {
		n := 1 + varintSize(number(r["timestamp"])-number(b["base_timestamp"])) + varintSize(number(r["offset"])-number(b["base_offset"]))
		n += bytesSize(r["key_hex"]) + bytesSize(r["value_hex"])
		headers := r["headers"].([]any)
		n += varintSize(int64(len(headers)))
		for _, h := range headers {
			pair := h.([]any)
			key := int64(len(pair[0].(string)))
			n += varintSize(key) + key + bytesSize(pair[1])
		}
		size += varintSize(n) + n
	}
	return size
}

func testUncompressed(t *testing.T, all []vector) {
	checked := 0
	for i, v := range all {
		if v.Expect != "" {
			continue
		}
		want, sure := int64(0), true
		for n, b := range v.Batches {
			var records []map[string]any
			for _, r := range v.Records {
				if r["batch"] == json.Number(string(rune('0'+n))) {
					records = append(records, r)
				}
			}
			want += uncompressed(b, records)
			// With LogAppendTime the records' own times are not told.
			sure = sure && (b["timestamp_type"] != "LogAppendTime" || number(b["magic"]) < 2)
		}
		if !sure {
			continue
		}
		checked++
		if got := scan(t, v.set, Options{Deep: true}, len(v.set)).Uncompressed; got != want {
			t.Errorf("%d magic %d %s %s: %d bytes uncompressed, want %d", i, v.Magic, v.Codec, v.Note, got, want)
		}
	}
	if checked == 0 {
		t.Error("nothing checked")
	}
}

func TestUncompressedSamples(t *testing.T) { testUncompressed(t, samples(t)) }
func TestUncompressedVectors(t *testing.T) { testUncompressed(t, vectors(t)) }
