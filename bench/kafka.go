package main

import (
	"encoding/binary"
	"hash/crc32"
)

// Frames are written by hand here, in the layouts of Produce v9, Fetch v12 and ApiVersions v3, so that
// the benchmark's input does not depend on the program that it measures.

const (
	keyProduce     = 0
	keyFetch       = 1
	keyApiVersions = 18
)

var (
	be         = binary.BigEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func compactString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))+1), s...)
}

func compactBytes(b, data []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(data))+1), data...)
}

// requestHeader is version 2: client id of int16 length, then tagged fields.
func requestHeader(b []byte, key, version int16, correlation int32, client string) []byte {
	b = be.AppendUint16(b, uint16(key))
	b = be.AppendUint16(b, uint16(version))
	b = be.AppendUint32(b, uint32(correlation))
	b = be.AppendUint16(b, uint16(len(client)))
	return append(append(b, client...), 0)
}

func responseHeader(b []byte, correlation int32) []byte {
	return append(be.AppendUint32(b, uint32(correlation)), 0)
}

// framed puts the length word in front of a body.
func framed(body []byte) []byte {
	return append(be.AppendUint32(make([]byte, 0, len(body)+4), uint32(len(body))), body...)
}

func apiVersionsRequest(correlation int32, client string) []byte {
	b := requestHeader(nil, keyApiVersions, 3, correlation, client)
	b = compactString(b, "ksniff-bench")
	b = compactString(b, "1.0")
	return framed(append(b, 0))
}

func apiVersionsResponse(correlation int32) []byte {
	b := be.AppendUint32(nil, uint32(correlation)) // header version 0, always
	b = be.AppendUint16(b, 0)
	b = append(b, 4) // three entries
	for _, api := range [][3]uint16{{keyProduce, 0, 11}, {keyFetch, 0, 17}, {keyApiVersions, 0, 4}} {
		for _, v := range api {
			b = be.AppendUint16(b, v)
		}
		b = append(b, 0)
	}
	return framed(append(be.AppendUint32(b, 0), 0))
}

func produceRequest(correlation int32, client, topic string, partition int32, records []byte) []byte {
	b := requestHeader(make([]byte, 0, len(records)+128), keyProduce, 9, correlation, client)
	b = append(b, 0)               // transactional id: null
	b = be.AppendUint16(b, 0xffff) // acks: all
	b = be.AppendUint32(b, 30000)  // timeout, ms
	b = compactString(append(b, 2), topic)
	b = be.AppendUint32(append(b, 2), uint32(partition))
	return framed(append(compactBytes(b, records), 0, 0, 0))
}

func produceResponse(correlation int32, topic string, partition int32, offset int64) []byte {
	b := compactString(append(responseHeader(nil, correlation), 2), topic)
	b = be.AppendUint32(append(b, 2), uint32(partition))
	b = be.AppendUint16(b, 0)
	b = be.AppendUint64(b, uint64(offset))
	b = be.AppendUint64(b, ^uint64(0))
	b = be.AppendUint64(b, 0)
	b = append(b, 1, 0, 0, 0) // no record errors, no message; tags of partition and topic
	return framed(append(be.AppendUint32(b, 0), 0))
}

func fetchRequest(correlation int32, client, topic string, partition int32, offset int64) []byte {
	b := requestHeader(nil, keyFetch, 12, correlation, client)
	b = be.AppendUint32(b, 0xffffffff) // replica id: a consumer
	b = be.AppendUint32(b, 500)        // max wait, ms
	b = be.AppendUint32(b, 1)          // min bytes
	b = be.AppendUint32(b, 50<<20)
	b = append(b, 0)                   // isolation level
	b = be.AppendUint32(b, 0)          // session id
	b = be.AppendUint32(b, 0xffffffff) // session epoch: none
	b = compactString(append(b, 2), topic)
	b = be.AppendUint32(append(b, 2), uint32(partition))
	b = be.AppendUint32(b, 0xffffffff)
	b = be.AppendUint64(b, uint64(offset))
	b = be.AppendUint32(b, 0xffffffff)
	b = be.AppendUint64(b, ^uint64(0))
	b = be.AppendUint32(b, 1<<20)
	return framed(append(b, 0, 0, 1, 1, 0)) // tags; no forgotten topics, no rack
}

func fetchResponse(correlation int32, topic string, partition int32, records []byte) []byte {
	b := responseHeader(make([]byte, 0, len(records)+128), correlation)
	b = be.AppendUint32(b, 0)
	b = be.AppendUint16(b, 0)
	b = be.AppendUint32(b, 0)
	b = compactString(append(b, 2), topic)
	b = be.AppendUint32(append(b, 2), uint32(partition))
	b = be.AppendUint16(b, 0)
	b = be.AppendUint64(b, 1000)
	b = be.AppendUint64(b, 1000)
	b = be.AppendUint64(b, 0)
	b = be.AppendUint32(append(b, 0), 0xffffffff)
	return framed(append(compactBytes(b, records), 0, 0, 0))
}

// batch makes a record batch of format 2 around records that are compressed already.
func batch(codec int16, count int, records []byte) []byte {
	const header = 61
	b := make([]byte, 0, header+len(records))
	b = be.AppendUint64(b, 0)
	b = be.AppendUint32(b, uint32(header-12+len(records)))
	b = be.AppendUint32(b, 0xffffffff)
	b = append(b, 2, 0, 0, 0, 0) // magic, room for the checksum
	b = be.AppendUint16(b, uint16(codec))
	b = be.AppendUint32(b, uint32(count-1))
	b = be.AppendUint64(b, 1_700_000_000_000)
	b = be.AppendUint64(b, 1_700_000_000_000)
	b = be.AppendUint64(b, ^uint64(0)) // producer id, epoch and sequence: none
	b = be.AppendUint16(b, 0xffff)
	b = be.AppendUint32(b, 0xffffffff)
	b = append(be.AppendUint32(b, uint32(count)), records...)
	be.PutUint32(b[17:], crc32.Checksum(b[21:], castagnoli))
	return b
}

// appendRecord writes one record without key and headers.
func appendRecord(b []byte, index int, value []byte) []byte {
	body := append(make([]byte, 0, len(value)+16), 0, 0) // attributes, timestamp delta
	body = binary.AppendVarint(body, int64(index))
	body = binary.AppendVarint(body, -1)
	body = binary.AppendVarint(body, int64(len(value)))
	body = append(append(body, value...), 0)
	return append(binary.AppendVarint(b, int64(len(body))), body...)
}
