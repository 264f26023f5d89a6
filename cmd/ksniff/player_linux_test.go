package main

import (
	"bytes"
	"errors"
	"io"
	gonet "net"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"ksniff/capture"
	"ksniff/reassembly"
)

// playedPort is the broker's port in the capture that is played, and listenPort where it is played to.
const (
	playedPort = 22091
	listenPort = "9092"
)

// turn is what one side of a connection sends before the other side does.
type turn struct {
	side int
	b    []byte
}

// script takes the turns of all connections to a port from a capture.
type script struct{ turns [][]turn }

func (s *script) Open(c *reassembly.Conn) {
	c.User = -1
	if c.Ends[1].Port == playedPort {
		c.User = len(s.turns)
		s.turns = append(s.turns, nil)
	}
}

func (s *script) Data(c *reassembly.Conn, side int, _ reassembly.Moment, b []byte) {
	i := c.User.(int)
	if i < 0 {
		return
	}
	turns := s.turns[i]
	if n := len(turns); n > 0 && turns[n-1].side == side {
		turns[n-1].b = append(turns[n-1].b, b...)
	} else {
		s.turns[i] = append(turns, turn{side, append([]byte(nil), b...)})
	}
}

func (s *script) Start(*reassembly.Conn, int)                                     {}
func (s *script) Gap(*reassembly.Conn, int, reassembly.Moment, int64, bool)       {}
func (s *script) End(*reassembly.Conn, int, reassembly.Moment, reassembly.Ending) {}

// play plays the client or the server of all connections of a capture, one after the other.
func play(role, address, file string) error {
	if role == "tag" {
		return tag(address, file)
	}
	s, err := read(file)
	if err != nil {
		return err
	}
	at := gonet.JoinHostPort(address, listenPort)
	if role == "flood" {
		return flood(at, s.turns[0][0].b)
	}
	if role == "client" {
		for _, turns := range s.turns {
			c, err := dial(at)
			if err != nil {
				return err
			}
			if err := speak(c, turns, 0); err != nil {
				return err
			}
		}
		return nil
	}
	l, err := gonet.Listen("tcp", at)
	if err != nil {
		return err
	}
	defer l.Close()
	for _, turns := range s.turns {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		if err := speak(c, turns, 1); err != nil {
			return err
		}
	}
	return nil
}

// dial waits for a server that is not there yet.
func dial(at string) (c gonet.Conn, err error) {
	for range 50 {
		if c, err = gonet.DialTimeout("tcp", at, 2*time.Second); err == nil {
			return c, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, err
}

// speak sends the turns of a side and waits for those of the other.
func speak(c gonet.Conn, turns []turn, side int) error {
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return err
	}
	for _, t := range turns {
		var err error
		if t.side == side {
			_, err = c.Write(t.b)
		} else {
			_, err = io.ReadFull(c, make([]byte, len(t.b)))
		}
		if err != nil {
			return err
		}
	}
	// The client closes first: the server then has seen that all arrived.
	if side == 1 {
		if _, err := c.Read(make([]byte, 1)); err != io.EOF {
			return errors.New("the client did not close")
		}
	}
	return nil
}

func read(file string) (*script, error) {
	r, err := capture.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s := &script{}
	a := reassembly.New(s, reassembly.Config{})
	var parser capture.Parser
	var packet capture.Packet
	var segment capture.Segment
	for {
		err := r.Next(&packet)
		if err == io.EOF {
			a.Flush()
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		if parser.Parse(&packet, &segment) {
			a.Segment((*reassembly.Segment)(&segment))
		}
	}
}

// tag sends the packets of a capture over an interface, with a tag of VLAN 10.
func tag(iface, file string) error {
	found, err := gonet.InterfaceByName(iface)
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	r, err := capture.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	var p capture.Packet
	for n := 1; ; n++ {
		if err := r.Next(&p); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		frame := slices.Concat(p.Data[:12], []byte{0x81, 0, 0, 10}, p.Data[12:])
		if err := unix.Sendto(fd, frame, 0, &unix.SockaddrLinklayer{Ifindex: found.Index, Halen: 6}); err != nil {
			return err
		}
		if n%100 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// floodRequests is how many requests flood sends.
const floodRequests = 200_000

// flood sends a request again and again, with a pause in the middle, to a server that reads and says nothing.
func flood(at string, request []byte) error {
	l, err := gonet.Listen("tcp", at)
	if err != nil {
		return err
	}
	go func() {
		if c, err := l.Accept(); err == nil {
			io.Copy(io.Discard, c) //nolint:errcheck // the sender would notice
		}
	}()
	c, err := gonet.Dial("tcp", at)
	if err != nil {
		return err
	}
	defer c.Close()
	for i := range floodRequests / 100 {
		if i == floodRequests/100/2 {
			time.Sleep(time.Second)
		}
		if _, err := c.Write(bytes.Repeat(request, 100)); err != nil {
			return err
		}
	}
	return nil
}
