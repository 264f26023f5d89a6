package session

import (
	"ksniff/decode"
	"ksniff/decode/legacy"
	"ksniff/decode/records"
	"ksniff/reassembly"
)

// Connections counts connections by what they were found to speak. Those that sent nothing, or too
// little to tell, are in Total only.
type Connections struct {
	Total, Modern, Legacy, TLS, ZooKeeper, Foreign int64
}

// Session follows all connections of a capture. It is made for one goroutine.
type Session struct {
	Connections Connections
	// Dropped counts what was forgotten for the memory limit, see Config.Memory.
	Dropped Dropped

	cfg, asked                Config // asked: as it was given, see Ease
	sink                      Sink
	cut                       *reassembly.Cutter
	names                     names
	brokers                   brokers
	held, maxHeld             int              // bytes of responses that wait
	out                       Frame            // handed to the sink
	aside                     reassembly.Frame // what lay in it, while something else is handed to the sink
	tree                      decode.Tree
	free                      []*Request
	straight                  decode.Straight // of frames that lie in one piece
	whole                     reader          // of those that it cannot read
	drops                     []Part          // that a Fetch request forgets of its session
	piece                     decode.Piece    // of a frame that is like the one before
	quick                     bool            // frames may be taken so
	likes                     bool            // the last frame that the sink got was taken so,
	likeCodec                 records.Codec   // and its batches have this codec
	models, maxModels         int
	spare                     []*model    // that no connection has
	modelAfter                uint8       // frames
	old                       legacy.View // of a legacy frame
	set                       records.Scanner
	oldest                    conn // ring of the connections that have requests that wait, the oldest next to it
	waiting                   int  // requests that wait
	maxWaiting                int
	inSessions, maxInSessions int                 // partitions in fetch sessions
	inferences                int                 // responses looked at to be inferred
	graded                    int                 // bytes that the latest grade read
	sums                      bool                // digests have both checksums: there was a wrong one
	met                       map[*Topic]struct{} // of topicsOf
	// readers that are not in use
	readers []*reader
}

// Dropped counts what was forgotten for the memory limit: the oldest goes first.
type Dropped struct {
	Requests   int64 // pending requests of connections with too many
	Responses  int64 // responses to no known request that could not wait for one
	Topics     int64 // names beyond the limit, which are all Session.Overflow
	Clients    int64
	Partitions int64 // of fetch sessions
}

// New makes a Session that hands frames to sink. It has told all once the TCP layer has ended all
// connections.
func New(cfg Config, sink Sink) *Session {
	if cfg.Memory <= 0 {
		cfg.Memory = 128 << 20
	}
	if cfg.Watch == nil {
		cfg.Watch = nobody{}
	}
	s := &Session{cfg: cfg, asked: cfg, sink: sink, brokers: brokers{}, met: map[*Topic]struct{}{}}
	s.oldest.newer, s.oldest.older = &s.oldest, &s.oldest
	s.maxWaiting = int(cfg.Memory / 8 / 256)
	s.maxInSessions = int(cfg.Memory / 16 / 128)
	s.cut = reassembly.NewCutter((*judge)(s), cfg.Memory/3)
	s.cut.Into(&s.out.Frame)
	s.cut.Usual(8, maxRequest)
	s.names.init(cfg.Memory / 8)
	s.maxHeld = int(cfg.Memory / 16)
	s.maxModels = int(cfg.Memory / 8 / modelCost)
	s.modelAfter = modelAfter
	s.Ease(false)
	return s
}

// Streams takes the bytes that the TCP layer puts in order.
func (s *Session) Streams() reassembly.Streams { return s.cut }

// Ledger gives the counts so far; bytes that are held and undecided are in none of them.
func (s *Session) Ledger() reassembly.Ledger { return s.cut.Ledger }

// Evictions counts how often unfinished bytes were given up for the memory limit.
func (s *Session) Evictions() int64 { return s.cut.Evictions }

// Spent is what searching frames has cost so far, in bytes that were decoded or looked through.
func (s *Session) Spent() int64 { return s.cut.Spent }

// Overflow is the Topic that stands for all names beyond the limit.
func (s *Session) Overflow() *Topic { return &s.names.overflow }

// judge is the Session as package reassembly sees it.
type judge Session

func (j *judge) session() *Session { return (*Session)(j) }
