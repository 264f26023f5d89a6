package records

import (
	"encoding/json"
	"slices"
	"testing"

	"ksniff/decode"
)

// scan feeds a set in pieces: each call shows size bytes, or as many as were asked for.
func scan(t testing.TB, set []byte, opt Options, size int) Summary {
	var s Scanner
	s.Begin(len(set), opt)
	pos, show := 0, min(size, len(set))
	for calls := 0; ; calls++ {
		if calls > 10*len(set)+10 {
			t.Fatal("the scanner makes no progress")
		}
		advance, need, done := s.Next(set[pos:min(len(set), pos+show)])
		pos += advance
		if done {
			if pos != len(set) {
				t.Fatalf("advanced over %d of %d bytes", pos, len(set))
			}
			if opt == (Options{}) {
				comparePlain(t, set, s.Summary)
			}
			return s.Summary
		}
		if need <= 0 || pos+need > len(set) {
			t.Fatalf("needs %d bytes at %d of %d", need, pos, len(set))
		}
		show = max(size, need)
	}
}

// comparePlain checks that Plain takes exactly the sets in which a Scanner finds whole batches of format 2 and of one
// codec and no fault, and counts them alike.
func comparePlain(t testing.TB, set []byte, s Summary) {
	batches, messages, control, codec, ok := Plain(set)
	codecs := 0
	for _, n := range s.Codecs {
		if n > 0 {
			codecs++
		}
	}
	if want := !s.Faulty && s.Trailing == 0 && s.Magic[0]+s.Magic[1] == 0 && codecs <= 1; ok != want {
		t.Fatalf("Plain says %v of a set with %+v", ok, s)
	}
	if ok && (batches != s.Batches || messages != s.Messages || control != s.Control || s.Codecs[codec] != batches) {
		t.Fatalf("Plain counts %d batches of %s, %d messages, %d control records; the Scanner %+v", batches, codec, messages, control, s)
	}
}

func number(v any) int64 {
	n, _ := v.(json.Number).Int64()
	return n
}

// expected adds up what Kafka's classes said about a good vector.
func expected(v vector) (s Summary) {
	s.Bytes, s.Trailing = int64(len(v.set)), v.Trailing
	for _, b := range v.Batches {
		s.Batches++
		s.Magic[number(b["magic"])]++
		s.Codecs[slices.Index(codecNames[:], b["codec"].(string))]++
		if b["is_control"].(bool) {
			s.Control += number(b["records_iterated"])
		} else {
			s.Messages += number(b["records_iterated"])
		}
	}
	return s
}

func testScanner(t *testing.T, all []vector) {
	for i, v := range all {
		for _, deep := range []bool{false, true} {
			for _, size := range []int{1 << 30, 1, 97} {
				got := scan(t, v.set, Options{Deep: deep}, size)
				if v.Expect != "" {
					if deep && got.Fault.Code.String() != v.Expect {
						t.Errorf("%d %s (%s): fault %v", i, v.Expect, v.Detail, got.Fault)
					}
					continue
				}
				got.Uncompressed = 0
				if want := expected(v); got != want {
					t.Errorf("%d magic %d %s %q deep %v pieces of %d:\ngot  %+v\nwant %+v", i, v.Magic, v.Codec, v.Note, deep, size, got, want)
				}
			}
		}
	}
}

func TestScannerSamples(t *testing.T) { testScanner(t, samples(t)) }
func TestScannerVectors(t *testing.T) { testScanner(t, vectors(t)) }

func TestPartialBatchOfProduceIsAFault(t *testing.T) {
	for _, v := range samples(t) {
		if v.Trailing == 0 || v.Expect != "" {
			continue
		}
		got := scan(t, v.set, Options{Exact: true}, 50)
		if got.Fault.Code != decode.Truncated || got.Fault.Class != decode.Broken || got.Trailing != v.Trailing {
			t.Errorf("%+v", got)
		}
	}
}
