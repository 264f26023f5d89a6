package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// all writes down all that a Sink is told.
type all struct{ lines []string }

func request(r *session.Request) string {
	if r == nil {
		return "none"
	}
	topics := ""
	for _, t := range r.Topics {
		topics += t.Name + fmt.Sprintf("/%x ", t.ID)
	}
	return fmt.Sprint(r.Key, r.Version, r.Generation, r.CorrelationID, r.Packet, r.Time, *r.Client, r.Acks, r.MaxWait, r.MinBytes, r.Replica,
		r.MaxBytes, r.Isolation, r.SessionID, r.SessionEpoch, topics, r.Silent, r.Body.Length, r.Unseen)
}

func (a *all) Frame(f *session.Frame) {
	line := identity(f) + fmt.Sprint(f.First, f.Last, f.Missing, f.Cut, f.Dropped, len(f.Runs), f.Generation, f.HasHeader, f.Inferred, f.Guessed, f.Fault, f.Faulty,
		f.ErrorCode, f.SessionID, f.Throttle, f.Tree != nil, " request ", request(f.Request))
	if f.API != nil {
		line += f.API.Name
	}
	if f.Client != nil {
		line += fmt.Sprint(*f.Client)
	}
	for _, p := range f.Parts {
		line += fmt.Sprintf("\n  %s/%x", p.Topic.Name, p.Topic.ID)
		p.Topic = nil
		line += fmt.Sprintf(" %+v", p)
	}
	a.lines = append(a.lines, line)
}

func (a *all) Unanswered(c *reassembly.Conn, r *session.Request, why session.Why) {
	a.lines = append(a.lines, fmt.Sprint("unanswered ", c.ID, why, request(r)))
}

// modelled plays a tape with models from the first frame on and without any: both must tell the same, and have the
// same in the ledger. It gives how many connections had a model.
func modelled(t testing.TB, name string, played tape, cfg session.Config) (models int) {
	t.Helper()
	var with, without all
	s, plain := session.New(cfg, &with), session.New(cfg, &without)
	s.Models(1)
	plain.Models(0)
	end := slices.IndexFunc(played, func(o op) bool { return o.do == 'e' })
	if end < 0 {
		end = len(played)
	}
	played[:end].play(s)
	models = s.HasModels()
	s = session.New(cfg, &with)
	s.Models(1)
	with.lines = nil
	played.play(s)
	played.play(plain)
	if !slices.Equal(with.lines, without.lines) {
		i := 0
		for i < min(len(with.lines), len(without.lines)) && with.lines[i] == without.lines[i] {
			i++
		}
		t.Fatalf("%s: %d lines with models, %d without; from %d on\n%s\n%s", name, len(with.lines), len(without.lines), i,
			append(with.lines, "")[i], append(without.lines, "")[i])
	}
	if a, b := s.Ledger(), plain.Ledger(); a != b || s.Dropped != plain.Dropped || s.Connections != plain.Connections {
		t.Fatalf("%s: with models %+v %+v, without %+v %+v", name, a, s.Dropped, b, plain.Dropped)
	}
	if s.HasModels() != 0 {
		t.Errorf("%s: %d models are left after the end", name, s.HasModels())
	}
	return models
}

func TestModels(t *testing.T) {
	models := 0
	for _, name := range []string{"quickstart.pcap", "group.pcap", "transactions.pcap", "share.pcap", "fetch-sessions.pcap", "kafka-0.8.pcap", "sasl.pcap",
		"legacy.pcap", "errors.pcap", "loss.pcap", "snaplen.pcap", "admin.pcap", "secrets.pcap"} {
		played := record(t, name)
		for i, cfg := range []session.Config{{}, {Bytes: true}, {Memory: 1 << 16}, {Whole: true, Deep: true, Keep: true}} {
			n := modelled(t, name, played, cfg)
			if i == 0 {
				models += n
			} else if cfg.Whole && n > 0 {
				t.Errorf("%s: a model where all is wanted", name)
			}
		}
		modelled(t, name+" in pieces", recut(played, 700), session.Config{})
		for _, each := range []int{5, 23} { // lost
			gaps := slices.Clone(played)
			for i := each; i < len(gaps); i += each {
				if o := &gaps[i]; o.do == 'd' {
					o.do, o.gap, o.b = 'g', int64(len(o.b)), nil
				}
			}
			modelled(t, fmt.Sprint(name, " without each ", each), gaps, session.Config{})
		}
	}
	if models < 5 {
		t.Errorf("only %d connections had a model", models)
	}
}

// A client whose request has the id of the one before it, and which waits for each answer: from that request on it is
// certain again what answers belong to, though one was lost before.
func TestModelsWhereAnIDComesAgain(t *testing.T) {
	var text strings.Builder
	text.WriteString("syn\n")
	for i, id := range []int{1, 2, 3, 4, 5, 6, 6, 6, 7, 7, 8} {
		fmt.Fprintln(&text, ">", frame(fmt.Sprintf("0000 0003 %08x 0002 6d65 ffff 0001 00000064 00000001 0001 61 00000001 00000000 00000000", id)))
		if i == 2 {
			fmt.Fprintln(&text, "<?", 4+43)
			continue
		}
		fmt.Fprintln(&text, "<", frame(fmt.Sprintf("%08x 00000001 0001 61 00000001 00000000 0000 0000000000000000 ffffffffffffffff 00000000", id)))
	}
	modelled(t, "again", script(t, text.String()), session.Config{})
}

// After a loss the id of the first request comes again, from a client that may be of 0.8 and sends before it has an answer.
func TestModelsWhereTheFirstIDComesAgain(t *testing.T) {
	ask := func(id int) string {
		return "> " + frame(fmt.Sprintf("0000 0001 %08x 0002 6d65 0001 00000064 00000001 0001 61 00000001 00000000 00000000", id)) + "\n"
	}
	answer := func(id int) string {
		return "< " + frame(fmt.Sprintf("%08x 00000001 0001 61 00000001 00000000 0000 0000000000000000 00000000", id)) + "\n"
	}
	text := "syn\n" + ask(1) + answer(1) + ask(2) + answer(2) + ask(3) + fmt.Sprintln("<?", 4+33) + ask(4) + answer(4) + ask(5) + answer(5) +
		ask(6) + ask(7) + ask(1) + answer(6) + answer(7) + answer(1) + ask(2) + answer(2)
	modelled(t, "the first again", script(t, text), session.Config{})
}
