package session

import (
	"bytes"
	"encoding/binary"

	"ksniff/reassembly"
)

// maxPreambles bounds how many proxies may be in front of each other, and how often one refuses a client first.
const maxPreambles = 4

// preamble gives the length of what proxies put before the protocol: PROXY lines and headers (HAProxy), an HTTP
// CONNECT, SOCKS 4 and 5 (RFC 1928, 1929), and their answers. o is the other side. False: not all of it is there.
func preamble(w, o *reassembly.Window) (int, bool) {
	if !w.Start {
		return 0, true
	}
	at := 0
	for range maxPreambles {
		n, ok := introduction(w.Bytes[at:], o.Bytes)
		if !ok {
			return at, false
		}
		if n == 0 {
			break
		}
		at += n
	}
	return at, true
}

// introduction gives the length of what b begins with before the protocol.
func introduction(b, o []byte) (int, bool) {
	switch {
	case bytes.HasPrefix(b, []byte("PROXY ")):
		return upTo(b, "\r\n", 107)
	case bytes.HasPrefix(b, []byte("\r\n\r\n\x00\r\nQUIT\n")):
		if len(b) < 16 {
			return 0, false
		}
		n := 16 + int(binary.BigEndian.Uint16(b[14:]))
		return n, len(b) >= n
	case bytes.HasPrefix(b, []byte("CONNECT ")), bytes.HasPrefix(b, []byte("HTTP/1.")) && len(b) > 12 && b[9] == '2':
		return upTo(b, "\r\n\r\n", 4096)
	case bytes.HasPrefix(b, []byte("HTTP/1.")) && len(b) > 12 && string(b[9:12]) == "407" && bytes.HasPrefix(o, []byte("CONNECT ")):
		return refusal(b)
	case len(b) > 1 && b[0] == 5:
		if n, ok := socks5Answer(b); n > 0 {
			return n, ok
		}
		return socks5(b)
	case len(b) > 1 && b[0] == 4 && b[1] == 1:
		return socks4(b)
	case len(b) > 1 && b[0] == 0 && b[1] == 0x5a && len(o) > 1 && o[0] == 4 && o[1] == 1:
		return 8, len(b) >= 8
	}
	return 0, true
}

// refusal is a proxy's demand for credentials, with the body that its header announces.
func refusal(b []byte) (int, bool) {
	n, ok := upTo(b, "\r\n\r\n", 4096)
	if !ok || n > len(b) {
		return n, ok
	}
	body := 0
	for _, line := range bytes.Split(b[:n], []byte("\r\n")) {
		if name, value, _ := bytes.Cut(line, []byte(":")); bytes.EqualFold(name, []byte("Content-Length")) {
			for _, digit := range bytes.TrimSpace(value) {
				if digit < '0' || digit > '9' || body > 1<<16 {
					return 0, true
				}
				body = 10*body + int(digit-'0')
			}
		}
	}
	return n + body, len(b) >= n+body
}

// socks4 is a client's request: an IP address, a user and, where the address is none, a name.
func socks4(b []byte) (int, bool) {
	if len(b) < 9 {
		return 0, false
	}
	n, ends := 8, 1
	if b[4] == 0 && b[5] == 0 && b[6] == 0 && b[7] != 0 {
		ends = 2
	}
	for ; ends > 0; ends-- {
		i := bytes.IndexByte(b[n:], 0)
		if i < 0 || i > 255 {
			return 0, len(b)-n > 255
		}
		n += i + 1
	}
	return n, true
}

// socks5 is what a client says: the methods it knows, a password, what it wants.
func socks5(b []byte) (int, bool) {
	n := 2 + int(b[1])
	if n == 2 || n > 12 {
		return 0, true
	}
	if len(b) <= n {
		return 0, false
	}
	if b[n] == 1 {
		for range 2 { // user and password
			if n++; len(b) <= n {
				return 0, false
			}
			n += int(b[n])
		}
		n++
	}
	return socks5Address(b, n, 1)
}

// socks5Answer is what its server says.
func socks5Answer(b []byte) (int, bool) {
	n := 2
	if b[1] == 2 {
		if len(b) < 4 {
			return 0, true
		}
		if b[2] != 1 || b[3] != 0 {
			return 0, true
		}
		n = 4
	} else if b[1] != 0 {
		return 0, true
	}
	if len(b) == n {
		return n, false
	}
	return socks5Address(b, n, 0)
}

// socks5Address is a command or its answer, at n, with an address.
func socks5Address(b []byte, n int, code byte) (int, bool) {
	if len(b) < n+5 {
		return 1, false
	}
	if b[n] != 5 || b[n+1] != code || b[n+2] != 0 {
		return 0, true
	}
	switch b[n+3] {
	case 1:
		n += 4 + 4 + 2
	case 3:
		n += 4 + 1 + int(b[n+4]) + 2
	case 4:
		n += 4 + 16 + 2
	default:
		return 0, true
	}
	return n, len(b) >= n
}

func upTo(b []byte, mark string, most int) (int, bool) {
	if i := bytes.Index(b[:min(len(b), most)], []byte(mark)); i >= 0 {
		return i + len(mark), true
	}
	return 0, len(b) >= most
}
