// Package session knows what a connection speaks: its generation, which request a response answers,
// SASL, fetch sessions, topic ids. It judges frames for package reassembly, asks package decode for
// their fields, and hands frames with all that to a Sink.
package session

import (
	"ksniff/decode"
	"ksniff/decode/records"
	"ksniff/decode/schema"
	"ksniff/reassembly"
)

// Generation of the protocol.
type Generation uint8

// The generations; Undecided until frames prove one.
const (
	Undecided Generation = iota
	Modern               // 0.8 to 4.x
	Legacy               // 0.6 and 0.7
)

// Legacy request types, by their number on the wire.
const (
	PRODUCE int16 = iota
	FETCH
	MULTIFETCH
	MULTIPRODUCE
	OFFSETS
)

// Topic is a topic as seen in this capture. One per name or, while the id has no name, per id; a name
// that arrives late is filled in here, so aggregates keyed by *Topic are named backwards too. Two
// Topics may turn out to have one name: consumers that add up by name merge at the end.
type Topic struct {
	Name   string   // "" while only the id is known
	ID     [16]byte // zero where none is known
	Number int      // from 1, in order of appearance; unlike the others it never changes
	User   any      // belongs to the Sink; the session never looks at it
}

// Client is a client as a broker would tell it: an address with a client id.
type Client struct {
	ID       string
	NullID   bool     // the client id was null, not ""
	Addr     [16]byte // without port
	Software string   // "name/version" from ApiVersions v3+, "" where not told
	User     any      // belongs to the Sink; the session never looks at it
}

// Frame is one Kafka frame with what the session knows about it. It is valid during the call of
// the Sink, but for the pointers to Conn, Client, Topic, API, which live as long as the session.
type Frame struct {
	reassembly.Frame
	Generation Generation
	Kind       decode.Kind
	API        *schema.API // nil: legacy, a raw SASL token, or a response that could not be named
	Key        int16       // of the request (a response has its request's); legacy: request type; -1 unknown
	Version    int16       // a response has its request's; -1 where there is none
	// Token marks raw SASL bytes after a SaslHandshake v0: no API, no header.
	Token         bool
	CorrelationID int32
	HasHeader     bool // CorrelationID is there (modern, not a Token, not cut before it)
	Client        *Client
	// Request is, of a response, what it answers (nil where unmatched or inferred); of a request, what
	// is kept of it (nil where nothing could be read).
	Request  *Request
	Inferred bool // a response without request, whose bytes prove a single (key, version)
	// Guessed says that which request a legacy response answers is not proven, since bytes are missing: Request is only a
	// likely one, and Unseen.
	Guessed bool
	Fault   decode.Fault
	Faulty  bool // Fault is set; tolerated faults too
	// Parts is set for Produce and Fetch of both generations and ShareFetch: one per partition named
	// in the frame, in order. Reused by the next frame.
	Parts []Part
	// Forgotten are the partitions that a Fetch request takes out of its session: Topic and Partition
	// are set. Reused by the next frame.
	Forgotten []Part
	// Digests has the batches of record sets whose bytes are not in Runs, see Config.Digests. Reused by the next frame.
	Digests []records.Digest
	// ErrorCode is the top-level error code of a response, 0 where there is none.
	ErrorCode int16
	SessionID int32 // of a Fetch response, 0 for none and elsewhere
	Throttle  int32 // throttle_time_ms of a response, -1 where it has none
	// Tree has the fields of the frame as far as they could be decoded. It is nil for legacy frames,
	// tokens, frames that could not be named and, unless Config.Whole, for Produce and Fetch.
	Tree *decode.Tree
	// Like is set where the frame is like the one before it on its side of the connection, see Like; nil elsewhere.
	Like *Like
}

// Like is common to Produce or Fetch frames of one side of a connection that have one part each and differ in nothing
// but times, correlation id, records and the numbers of that part: not in version, topic or what a request asks for. What
// a response answers may differ. Their sums may be added up together.
type Like struct {
	Round uint32 // another for each frame that others are like; connections after each other may share a Like, but no round
	User  any    // belongs to the Sink; the session never looks at it
}

// Part is what a Produce or Fetch frame says about one partition.
type Part struct {
	Topic     *Topic
	Partition int32
	Error     int16 // of a response, Kafka's or legacy error code
	Offset    int64 // fetch offset of a Fetch request, -1 elsewhere
	// HighWatermark of a Fetch response, -1 elsewhere: a consumer that asks from there on waits for data.
	HighWatermark int64
	LastStable    int64 // of a Fetch response, -1 or 0 elsewhere
	MaxBytes      int32 // of a Fetch request, 0 elsewhere
	Sets          Records
}

// Records adds up what a record set holds, from its batch headers (see decode/records).
type Records struct {
	At           int      // where the record set begins in the frame's body; 0 where there is none
	Bytes        int64    // size of the record set on the wire
	Batches      int64    // whole batches
	Messages     int64    // records in whole batches, without control records
	Control      int64    // control records
	Codecs       [8]int64 // batches by codec number (attributes & 7): none, gzip, snappy, lz4, zstd
	Uncompressed int64    // -1 unless everything was opened (Deep)
	Fault        decode.Fault
	Faulty       bool
}

// Request is what is kept of a request until its response comes.
type Request struct {
	Key, Version  int16
	Generation    Generation
	CorrelationID int32
	Packet        uint64
	Time          int64
	// Unseen says that Packet and Time are those of a packet near it: its own was not captured or, once an answer
	// is guessed to be its, may be another.
	Unseen   bool
	Client   *Client
	Acks     int16 // Produce; -128 elsewhere
	MaxWait  int32 // Fetch, ms; -1 elsewhere
	MinBytes int32 // Fetch; -1 elsewhere
	Replica  int32 // Fetch: replica id, -1 for consumers
	// Fetch: most bytes of the answer, isolation level, and session as the request names it; SessionEpoch is -1
	// where there is none.
	MaxBytes     int32
	Isolation    int8
	SessionID    int32
	SessionEpoch int32
	// Topics names, for Produce and Fetch, the topics that the request names, directly or through a
	// fetch session, each once.
	Topics []*Topic
	Silent bool // gets no answer: acks=0, legacy PRODUCE and MULTIPRODUCE, ApiVersions that 0.9 drops is not
	// User belongs to the Sink; the session never looks at it.
	User any
	// Body is a copy of the request's frame where Config.Keep asked for it, nil elsewhere.
	Body decode.Frame

	shared  bool     // Topics belongs to a fetch session
	own     []*Topic // the slice of its own, where it is shared
	session int32    // Fetch: session id and epoch of the request
	epoch   int32
	asked   []partition // legacy: what the answer is about, in this order
	guessed bool        // see Frame.Guessed
}

// Why says why a request has no response.
type Why uint8

// The reasons.
const (
	Silent Why = iota + 1 // it gets none
	Closed                // the connection ended first
	EOF                   // the capture ended first
	Lost                  // the response fell into a gap, or the direction was not captured
	Full                  // the table of pending requests was full
)

// Sink takes what the session finds, in the order of the packets that completed it.
type Sink interface {
	// Frame is called for each delimited Kafka frame. For a response f.Request is set where it is paired.
	Frame(f *Frame)
	// Unanswered is called once for each request that got no response.
	Unanswered(c *reassembly.Conn, r *Request, why Why)
}

// Config says how much of the frames the consumer needs.
type Config struct {
	Deep  bool // decompress all record batches (Records.Uncompressed)
	Whole bool // keep all bytes of each frame: nothing of record sets is skipped
	Bytes bool // the same, but Frame.Tree stays nil for Produce and Fetch
	// Digests says of Bytes that record sets of large frames are not kept: Frame.Digests has their batches. Not with Deep.
	Digests bool
	Keep    bool // Request.Body is kept
	Memory  int64
	Watch   Watcher // told about connections, nil: nobody is
	// DecodeAs overrules the proof of protocol by port: true forces Kafka, false forbids it.
	DecodeAs map[uint16]bool
}
