package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// shape says what a generated capture looks like.
type shape struct {
	connections, topics  int
	recordsMin, recordsN int // records a batch: at least, and how many more at most
	valueMin, valueN     int // bytes a value, likewise
	codecs               []int16
}

// The two shapes of the design: few large frames, and very many small ones.
var shapes = map[string]shape{
	"big":   {connections: 12, topics: 100, recordsMin: 20, recordsN: 130, valueMin: 200, valueN: 600, codecs: []int16{0, 1, 2, 3, 4}},
	"small": {connections: 50, topics: 20, recordsMin: 1, recordsN: 3, valueMin: 10, valueN: 40, codecs: []int16{0}},
}

// made says what generate wrote.
type made struct {
	frames  int
	batches [][]byte // of which it took some,
	times   []int64  // each so many times
}

// generate writes about size bytes of a shape; the same arguments give the same bytes. Each round one
// client produces a batch and another reads one.
func generate(out io.Writer, s shape, size int64) (m made, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	if m.batches, err = makeBatches(s, random); err != nil {
		return m, err
	}
	m.times = make([]int64, len(m.batches))
	w, err := newWriter(out)
	if err != nil {
		return m, err
	}
	connections := make([]*connection, s.connections)
	for i := range connections {
		c := &connection{id: i, client: fmt.Sprintf("client-%d", i%10), seq: [2]uint32{random.Uint32(), random.Uint32()}}
		connections[i] = c
		w.open(c)
		w.send(c, 0, apiVersionsRequest(c.correlation, c.client))
		w.send(c, 1, apiVersionsResponse(c.correlation))
		c.correlation++
		m.frames += 2
	}
	for round := 0; w.bytes < size; round++ {
		c := connections[round%len(connections)]
		topic, partition := fmt.Sprintf("topic-%d", random.IntN(s.topics)), int32(random.IntN(8))
		i := random.IntN(len(m.batches))
		records := m.batches[i]
		m.times[i]++
		if round%2 == 0 {
			w.send(c, 0, produceRequest(c.correlation, c.client, topic, partition, records))
			w.send(c, 1, produceResponse(c.correlation, topic, partition, int64(round)))
		} else {
			w.send(c, 0, fetchRequest(c.correlation, c.client, topic, partition, int64(round)))
			w.send(c, 1, fetchResponse(c.correlation, topic, partition, records))
		}
		c.correlation++
		m.frames += 2
	}
	return m, w.out.Flush()
}

// makeBatches makes a stock of batches to choose from, so that compressing does not take most of the time.
func makeBatches(s shape, random *rand.Rand) ([][]byte, error) {
	var batches [][]byte
	for i := range 64 {
		codec := s.codecs[i%len(s.codecs)]
		count := s.recordsMin + random.IntN(s.recordsN)
		var records []byte
		for index := range count {
			records = appendRecord(records, index, text(random, s.valueMin+random.IntN(s.valueN)))
		}
		compressed, err := compress(codec, records)
		if err != nil {
			return nil, err
		}
		batches = append(batches, batch(codec, count, compressed))
	}
	return batches, nil
}

// text gives n bytes that compress about as well as log lines.
func text(random *rand.Rand, n int) []byte {
	const words = "alpha beta gamma delta order user click price "
	b := make([]byte, 0, n+8)
	for len(b) < n {
		at := random.IntN(len(words) - 6)
		b = append(b, words[at:at+6]...)
		b = append(b, byte('0'+random.IntN(10)), byte('0'+random.IntN(10)))
	}
	return b[:n]
}

func compress(codec int16, data []byte) ([]byte, error) {
	var buffer bytes.Buffer
	var w io.WriteCloser
	var err error
	switch codec {
	case 1:
		w = gzip.NewWriter(&buffer)
	case 2:
		return snappy.Encode(nil, data), nil
	case 3:
		w = lz4.NewWriter(&buffer)
	case 4:
		w, err = zstd.NewWriter(&buffer)
	default:
		return data, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return buffer.Bytes(), err
}
