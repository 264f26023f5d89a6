package main

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"ksniff/decode/legacy"
	"ksniff/decode/schema"
)

// A caption is what the line above a dump says of it.
type caption struct {
	line     int  // where it stands, the first of several; 0: there is none
	packet   bool // it is tcpdump's or tshark's line of a packet
	frame    bool // it is ksniff's line of a frame: the dump is that frame, without its length word
	response bool
	token    bool
	legacy   string // name of an API of Kafka 0.7
	key      int16  // -1: not told
	version  int16  // -1: not told
}

// Lines that tcpdump and tshark print above packets.
var captions = regexp.MustCompile(`^(?:[-0-9]{10} )?(?:[0-9:.]+ +)?(?:\(.*\) )?(?:IP6?|ARP,) |^\S+ > \S+: |^\w[\w ]* \(\d+ bytes\):$|^[0-9]+ +[0-9.]+ .*→`)

var betweenCells = regexp.MustCompile("  +")

// readCaption reads a line above a dump; ok says whether it is one.
func readCaption(line string) (c caption, ok bool) {
	if captions.MatchString(line) {
		return caption{packet: true}, true
	}
	fields := betweenCells.Split(line, -1)
	for i, field := range fields {
		_, after, right := strings.Cut(field, "→")
		if !right {
			var left bool
			if _, after, left = strings.Cut(field, "←"); !left {
				continue
			}
		}
		api := strings.TrimSpace(after)
		if api == "" || strings.Contains(api, ":") { // the broker's address
			if i+1 == len(fields) {
				return c, false
			}
			api = fields[i+1]
		}
		c = caption{frame: true, response: !right, key: -1, version: -1}
		c.api(api)
		return c, true
	}
	return c, false
}

// api reads how a line names an API: Fetch v12, API 99 v1, MULTIFETCH, SASL token, ?
func (c *caption) api(text string) {
	name := text
	if at := strings.LastIndex(text, " v"); at >= 0 {
		if v, err := strconv.ParseInt(text[at+2:], 10, 16); err == nil {
			name, c.version = text[:at], int16(v)
		}
	}
	if _, old := legacy.Type(name); old {
		c.legacy = name
	}
	c.token = name == "SASL token"
	if key, err := strconv.ParseInt(strings.TrimPrefix(name, "API "), 10, 16); err == nil {
		c.key = int16(key)
	}
	for _, a := range schema.APIs {
		if a.Name == name {
			c.key = a.Key
		}
	}
}

// ask fills in the question of a frame.
func (c *caption) ask(q *question) error {
	q.Kind, q.token = "request", c.token
	if c.response {
		q.Kind = "response"
	}
	switch {
	case c.token:
	case c.legacy != "":
		q.Type = json.RawMessage(strconv.Quote(c.legacy))
		if q.runs != nil {
			return errors.New("bytes are hidden: ksniff frames -x shows them with --payload")
		}
	case c.response && (c.key < 0 || c.version < 0):
		return errors.New("the line above this response does not say API and version of its request; in a pipe or 100 columns ksniff frames does, where it knows them")
	case c.response:
		q.Key, q.Version = &c.key, &c.version
	case len(q.body) < 4:
		return errors.New("the first bytes are hidden: ksniff frames -x shows them with --show-secrets and --payload")
	}
	return nil
}
