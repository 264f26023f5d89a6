// Command load sends Produce requests over the loopback interface as fast as told, to measure live captures
// (docs/measurements.md, Live). They ask for no answer, so that the rate is the sender's.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// recordSize is the size of a record with its length, in bytes.
const recordSize = 110

func main() {
	rate := flag.Float64("rate", 0, "MB/s to send; 0: as fast as it goes")
	seconds := flag.Float64("seconds", 30, "how long")
	size := flag.Int("size", 1_000_000, "bytes of a record batch, at least 171")
	address := flag.String("address", "127.0.0.1:9092", "where to listen and to send")
	flag.Parse()
	if err := load(*address, *rate*1e6, time.Duration(*seconds*float64(time.Second)), *size); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func load(address string, rate float64, during time.Duration, size int) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	read := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{c}, make([]byte, 1<<20))
		}
		read <- err
	}()
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	records := (size - 61) / recordSize
	frame, sent, frames := produce(size, records), 0.0, 0
	start := time.Now()
	for took := time.Duration(0); took < during; took = time.Since(start) {
		if rate > 0 && sent >= took.Seconds()*rate {
			time.Sleep(200 * time.Microsecond)
			continue
		}
		if _, err := c.Write(frame); err != nil {
			return err
		}
		sent += float64(len(frame))
		frames++
	}
	fmt.Printf("sent %.0f MB/s, %d requests, %d messages\n", sent/1e6/time.Since(start).Seconds(), frames, frames*records)
	if err := c.Close(); err != nil {
		return err
	}
	return <-read
}

// produce is a Produce request of version 3 with acks=0 and one uncompressed batch of size bytes, its length
// word in front. Checksum and records are not filled in: reports look at neither.
func produce(size, records int) []byte {
	be := binary.BigEndian
	batch := make([]byte, size)
	be.PutUint32(batch[8:], uint32(size-12)) // length
	batch[16] = 2                            // magic
	be.PutUint32(batch[23:], uint32(records-1))
	be.PutUint32(batch[57:], uint32(records))

	body := []byte{0, 0, 0, 3, 0, 0, 0, 1, 0, 4, 'l', 'o', 'a', 'd'} // key, version, correlation id, client id
	body = append(body, 0xff, 0xff, 0, 0)                            // no transaction, acks
	body = be.AppendUint32(body, 1000)                               // timeout
	body = append(be.AppendUint32(body, 1), 0, 4, 'l', 'o', 'a', 'd')
	body = be.AppendUint32(be.AppendUint32(body, 1), 0) // one partition, 0
	body = append(be.AppendUint32(body, uint32(size)), batch...)
	return append(be.AppendUint32(nil, uint32(len(body))), body...)
}
