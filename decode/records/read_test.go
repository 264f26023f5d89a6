package records

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

// answer is what AppendLists says about a set, read back as JSON.
func answer(t testing.TB, set []byte) (got vector, code string) {
	j := JSON{Payload: true}
	text, f, faulty := j.AppendLists([]byte("{"), set)
	d := json.NewDecoder(bytes.NewReader(append(text, '}')))
	d.UseNumber()
	if err := d.Decode(&got); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, text)
	}
	if faulty {
		code = f.Code.String()
	}
	return got, code
}

func differ(got, want []map[string]any) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d, want %d", len(got), len(want))
	}
	for i := range want {
		for name, value := range want[i] {
			if name != "control_value" && !reflect.DeepEqual(got[i][name], value) {
				return fmt.Errorf("%d: %s is %v, want %v", i, name, got[i][name], value)
			}
		}
	}
	return nil
}

func testReader(t *testing.T, all []vector) {
	for i, v := range all {
		got, code := answer(t, v.set)
		what := fmt.Sprintf("%d magic %d %s %s%s", i, v.Magic, v.Codec, v.Note, v.Detail)
		if v.Expect != "" {
			if code != v.Expect {
				t.Errorf("%s: fault %q, want %s", what, code, v.Expect)
			}
			if len(got.Batches) < v.Before {
				t.Errorf("%s: %d batches, %d are good", what, len(got.Batches), v.Before)
			}
			continue
		}
		if code != "" {
			t.Errorf("%s: fault %s", what, code)
		}
		if err := differ(got.Batches, v.Batches); err != nil {
			t.Errorf("%s: batch %v", what, err)
		}
		if err := differ(got.Records, v.Records); err != nil {
			t.Errorf("%s: record %v", what, err)
		}
		if got.Trailing != v.Trailing && v.Trailing != 0 {
			t.Errorf("%s: %d bytes at the end, want %d", what, got.Trailing, v.Trailing)
		}
	}
}

func TestReaderSamples(t *testing.T) { testReader(t, samples(t)) }
func TestReaderVectors(t *testing.T) { testReader(t, vectors(t)) }

// Good records in front of a bad one are kept.
func TestRecordsBeforeTheFault(t *testing.T) {
	for i, v := range samples(t) {
		if v.Detail != "batch ends inside its last record, length and crc adjusted" {
			continue
		}
		if got, _ := answer(t, v.set); len(got.Records) < v.Kept {
			t.Errorf("%d: %d records kept, Kafka gave out %d", i, len(got.Records), v.Kept)
		}
	}
}

// Cut anywhere, a set gives what is whole before the cut, and never panics.
func TestEveryTruncation(t *testing.T) {
	for _, v := range samples(t) {
		for n := range v.set {
			cut := v.set[:n]
			answer(t, cut)
			s := scan(t, cut, Options{Deep: true}, n)
			if v.Expect == "" && s.Faulty {
				t.Errorf("magic %d %s cut at %d: %v", v.Magic, v.Codec, n, s.Fault)
			}
		}
	}
}

// One wrong byte anywhere: no panic, and Scanner and Reader agree on whether something is wrong.
func TestEveryCorruption(t *testing.T) {
	for i, v := range samples(t) {
		set := bytes.Clone(v.set)
		for at := range set {
			set[at] ^= byte(1 << (at % 8))
			got, code := answer(t, set)
			s := scan(t, set, Options{Deep: true}, len(set))
			if s.Faulty != (code != "") || int64(len(got.Batches)) != s.Batches {
				t.Errorf("sample %d, byte %d: scanner %v %d batches, reader %s %d batches", i, at, s.Fault, s.Batches, code, len(got.Batches))
			}
			set[at] = v.set[at]
		}
	}
}

func TestPayloadIsHidden(t *testing.T) {
	set := samples(t)
	for _, v := range set {
		if v.Expect != "" {
			continue
		}
		j := JSON{Records: true}
		text := j.AppendSet(nil, v.set, len(v.set))
		if !json.Valid(text) {
			t.Fatalf("no JSON: %s", text)
		}
		if bytes.Contains(text, []byte("_hex")) {
			t.Fatalf("shows payload: %s", text)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	var data []byte
	for i := range 100 {
		record := append([]byte{0, 0, byte(2 * i % 128), 1, 0x90, 3}, text(200)...) // null key, value of 200 bytes
		record = append(record, 0)
		data = append(data, byte(2*len(record))|0x80, byte(len(record)>>6))
		data = append(data, record...)
	}
	set := batchV2(None, 100, data)
	var r Reader
	b.ReportAllocs()
	b.SetBytes(int64(len(set)))
	for b.Loop() {
		r.Reset(set, len(set), Options{Deep: true})
		n := 0
		for r.NextBatch() {
			for r.NextRecord() {
				n++
			}
		}
		if f, faulty := r.Fault(); faulty || n != 100 {
			b.Fatal(n, f)
		}
	}
}
