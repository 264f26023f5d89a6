package filter

import (
	"strings"

	"ksniff/decode"
)

// Field is a field that a filter can ask for.
type Field uint8

// The fields. Body and Header stand for all fields of messages by Kafka's names.
const (
	API Field = iota + 1
	Key
	Version
	KindOf
	IsRequest
	IsResponse
	GenerationOf
	Client
	Software
	Correlation
	Topic
	Partition
	Group
	Transaction
	ErrorCode
	Offset
	Acks
	Codec
	Messages
	Batches
	Size
	Latency
	LatencyMS
	Throttle
	Time
	Packet
	Connection
	Src
	Dst
	Host
	Port
	SrcPort
	DstPort
	FaultCode
	FaultClass
	Inferred
	Unmatched
	Body
	Header
)

// typ is the type of a field: what its literals may be and which operators it has.
type typ uint8

const (
	tText typ = iota
	tNumber
	tSize
	tDuration
	tTime
	tFlag
	tAddress
	tAPI
	tError
	tWord // one of a list of words
	tAny  // of a message: the literal decides
)

// cost says what has to be read for a field; the dear side of an `and` is looked at last.
type cost uint8

const (
	cheap cost = iota // known of every frame
	parts             // one value per partition
	tree              // the body is decoded for it
)

// field describes a Field. The first name is the usual one.
type field struct {
	id    Field
	names string // space between
	typ   typ
	cost  cost
	words string // of tWord
	doc   string
}

var fields = []field{
	{API, "api", tAPI, cheap, "", "name or number of the API; legacy ones too (`MULTIFETCH`)"},
	{Key, "key api_key", tNumber, cheap, "", "number of the API"},
	{Version, "version api_version", tNumber, cheap, "", "API version; a response has its request's"},
	{KindOf, "kind", tWord, cheap, "request response", "`request` or `response`"},
	{IsRequest, "request", tFlag, cheap, "", "it is a request"},
	{IsResponse, "response", tFlag, cheap, "", "it is a response"},
	{GenerationOf, "generation", tWord, cheap, "modern legacy", "`modern` (0.8 and later) or `legacy` (0.6, 0.7)"},
	{Client, "client client_id", tText, cheap, "", "client id; a response has its request's"},
	{Software, "software", tText, cheap, "", "`name/version` as the client told it in ApiVersions"},
	{Correlation, "correlation_id correlation", tNumber, cheap, "", "correlation id"},
	{Topic, "topic topics", tText, tree, "", "names of topics, in any field that holds one"},
	{Partition, "partition partitions", tNumber, parts, "", "partitions of Produce and Fetch"},
	{Group, "group group_id", tText, tree, "", "ids of consumer groups"},
	{Transaction, "transaction transactional_id", tText, tree, "", "transactional ids"},
	{ErrorCode, "error error_code", tError, tree, "", "name or number of the errors of a response; 0 where it has none"},
	{Offset, "offset", tNumber, parts, "", "offsets that a Fetch asks for"},
	{Acks, "acks", tNumber, cheap, "", "acks of a Produce, request and response"},
	{Codec, "codec codecs", tWord, parts, "none gzip snappy lz4 zstd", "codecs of the record batches"},
	{Messages, "messages", tNumber, parts, "", "messages in the frame"},
	{Batches, "batches", tNumber, parts, "", "record batches in the frame"},
	{Size, "size length", tSize, cheap, "", "bytes of the frame, as its length word says"},
	{Latency, "latency", tDuration, cheap, "", "time from the request to this response"},
	{LatencyMS, "latency_ms", tNumber, cheap, "", "the same as a number of milliseconds"},
	{Throttle, "throttle throttle_time", tDuration, cheap, "", "throttle time of a response"},
	{Time, "time", tTime, cheap, "", "when the frame was complete"},
	{Packet, "packet", tNumber, cheap, "", "number of the packet that completed the frame"},
	{Connection, "connection conn", tNumber, cheap, "", "number of the connection"},
	{Src, "src", tAddress, cheap, "", "address, or `address:port`, or network, of the sender"},
	{Dst, "dst", tAddress, cheap, "", "the same of the receiver"},
	{Host, "host addr", tAddress, cheap, "", "the same of either"},
	{Port, "port", tNumber, cheap, "", "TCP port of either"},
	{SrcPort, "src_port srcport", tNumber, cheap, "", "TCP port of the sender"},
	{DstPort, "dst_port dstport", tNumber, cheap, "", "TCP port of the receiver"},
	{FaultCode, "fault", tWord, cheap, strings.Join(decode.CodeNames(), " "), "code of the fault of a frame that is not as it should be"},
	{FaultClass, "fault_class", tWord, cheap, "broken incomplete unknown limit", "class of the fault"},
	{Inferred, "inferred", tFlag, cheap, "", "a response whose request is not in the capture, named by its bytes"},
	{Unmatched, "unmatched", tFlag, cheap, "", "a response whose request is not in the capture, and whose bytes do not name it"},
}

// canonical makes one form of the ways to write a name.
func canonical(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "-", "_"))
}

var byName = func() map[string]*field {
	m := map[string]*field{}
	for i := range fields {
		for name := range strings.FieldsSeq(fields[i].names) {
			m[name] = &fields[i]
		}
	}
	return m
}()

// fieldNames gives the names that can be suggested.
func fieldNames(yield func(string) bool) {
	for i := range fields {
		for name := range strings.FieldsSeq(fields[i].names) {
			if !yield(name) {
				return
			}
		}
	}
}
