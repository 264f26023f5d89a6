package report

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly/session"
)

// exchanges makes requests and answers of some connections at random, and tells them to each Report: to the first one
// with what they are like, to the others without. What they are like may change at any time, as may all that is no part of it.
func exchanges(pick *rand.Rand, n int, told ...*Report) {
	topics := []*session.Topic{{Name: "a", Number: 1}, {Name: "b", Number: 2}, {Name: "__cluster_metadata"}}
	clients := []*session.Client{{ID: "x"}, {ID: "y"}}
	type connection struct {
		api       *schema.API
		like      [2]session.Like
		topic     *session.Topic
		client    *session.Client
		acks      int16
		replica   int32
		wait      int32
		offset    int64
		partition int32
	}
	conns := make([]connection, 5)
	tell := func(f *session.Frame, like *session.Like) {
		for i, r := range told {
			if f.Like = nil; i == 0 {
				f.Like = like
			}
			r.Frame(f)
		}
	}
	records := func(p *session.Part) {
		if pick.IntN(8) == 0 {
			return
		}
		p.Sets = session.Records{Bytes: pick.Int64N(5000) + 1, Batches: pick.Int64N(3), Messages: pick.Int64N(50), Control: pick.Int64N(2), Uncompressed: -1}
		p.Sets.Codecs[0] = p.Sets.Batches
		if pick.IntN(20) == 0 && p.Sets.Batches > 0 { // another codec, or two
			p.Sets.Codecs[0]--
			p.Sets.Codecs[2]++
		}
	}
	now := int64(0)
	for range n {
		c := &conns[pick.IntN(len(conns))]
		if c.api == nil || pick.IntN(60) == 0 {
			*c = connection{api: produceAPI, like: c.like, topic: topics[pick.IntN(len(topics))], client: clients[pick.IntN(2)], acks: int16(pick.IntN(3) - 1), replica: -1}
			if pick.IntN(2) == 0 {
				c.api, c.acks, c.wait, c.replica = fetchAPI, noAcks, 500, int32(pick.IntN(3)-1)
			}
			c.like[0].Round++
			c.like[1].Round++
		}
		if pick.IntN(10) == 0 {
			c.partition = []int32{0, 1, 63, 64, 255, 256, 5000}[pick.IntN(7)]
		}
		if pick.IntN(300) == 0 { // a look in between changes nothing
			for _, r := range told {
				result(r)
			}
		}
		now += pick.Int64N(50)
		q := request(c.client, now, c.acks, c.topic)
		q.Replica, q.MaxWait, q.MinBytes = c.replica, c.wait, int32(pick.IntN(2))
		if c.api == fetchAPI && pick.IntN(30) == 0 { // of a fetch session
			q.Topics = append(q.Topics, topics[0])
		}
		q.Unseen = pick.IntN(20) == 0
		ask := session.Part{Topic: c.topic, Partition: c.partition, Offset: -1, HighWatermark: -1}
		reply := ask
		if c.api == produceAPI {
			records(&ask)
		} else {
			ask.Offset = c.offset + pick.Int64N(2)
			records(&reply)
			reply.HighWatermark = c.offset + pick.Int64N(3)
			c.offset = reply.HighWatermark
		}
		tell(frame(decode.Request, c.api, 12, now, q, ask), &c.like[0])
		if pick.IntN(40) == 0 {
			for _, r := range told {
				r.Unanswered(nil, q, session.EOF)
			}
			continue
		}
		took := pick.Int64N(20)
		if pick.IntN(10) == 0 {
			took = 500
		}
		answer := frame(decode.Response, c.api, 12, now+took, q, reply)
		if pick.IntN(30) == 0 {
			answer.Parts[0].Error = 6
		}
		if pick.IntN(50) == 0 {
			answer.Client = clients[0]
		}
		if pick.IntN(50) == 0 {
			answer.Faulty, answer.Fault = true, decode.Fault{Code: decode.Truncated, Class: decode.Incomplete}
		}
		tell(answer, &c.like[1])
	}
}

// Frames that are added up together give the same Report as each by itself.
func TestLumpsAreAsNotes(t *testing.T) {
	lumped := int64(0)
	for seed := range uint64(200) {
		pick := rand.New(rand.NewPCG(seed, 1))
		lumps, plain := newReport(t, Config{}), newReport(t, Config{})
		exchanges(pick, pick.IntN(2000), lumps, plain)
		for _, l := range lumps.lumps {
			lumped += l.times
		}
		var got, want bytes.Buffer
		if err := JSON(&got, result(lumps)); err != nil {
			t.Fatal(err)
		}
		if err := JSON(&want, result(plain)); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatalf("seed %d:\n%s\n%s", seed, &got, &want)
		}
	}
	if lumped == 0 {
		t.Error("nothing was left in a lump")
	}
}

// Records are those of the topic that the answer is about, which its request need not name: a broker may err, and a
// fetch session with more partitions than can be followed has topics that are not known to be in it.
func TestAnswersAboutAnotherTopicThanTheirRequest(t *testing.T) {
	r := newReport(t, Config{})
	asked, told := &session.Topic{Name: "asked"}, &session.Topic{Name: "told"}
	client, like := &session.Client{ID: "x"}, &session.Like{Round: 1}
	for i := range int64(40) {
		topic := told
		if i >= 20 { // and then as it should
			topic, like.Round = asked, 2
		}
		q := request(client, i, noAcks, asked)
		r.Frame(frame(decode.Request, fetchAPI, 12, i, q, session.Part{Topic: asked}))
		answer := frame(decode.Response, fetchAPI, 12, i+1, q, part(topic, 0, 2, 100, 0))
		answer.Like = like
		r.Frame(answer)
	}
	for _, x := range result(r).Topics {
		if f := x.Fetch; f.Bytes != 20*100 || f.Messages != 20*2 || f.Requests != map[string]int64{"asked": 40}[x.Topic] {
			t.Errorf("%s: %d bytes, %d messages, %d requests", x.Topic, f.Bytes, f.Messages, f.Requests)
		}
	}
}
