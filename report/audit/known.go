package audit

import (
	"bufio"
	"fmt"
	"io"
	"path"

	"ksniff/reassembly/session"
)

// Known are findings that nobody wants to hear of again: of a baseline, of clients, about topics.
type Known struct {
	keys    map[string]bool
	Clients []string // patterns of path.Match
	Topics  []string
}

// Read adds the findings of an earlier "audit -o json": the same rule about the same client id and API
// is known from then on.
func (k *Known) Read(r io.Reader) error {
	if k.keys == nil {
		k.keys = map[string]bool{}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		l, err := UnmarshalLine(lines.Bytes())
		if err != nil || l.Rule == "" {
			return fmt.Errorf("line %d is no finding of audit -o json", n)
		}
		k.keys[l.key()] = true
	}
	return lines.Err()
}

// Check says whether the patterns are well formed.
func (k *Known) Check() error {
	for _, list := range [][]string{k.Clients, k.Topics} {
		for _, pattern := range list {
			if _, err := path.Match(pattern, ""); err != nil {
				return fmt.Errorf("%q is no pattern", pattern)
			}
		}
	}
	return nil
}

// Ignore is Config.Ignore.
func (k *Known) Ignore(rule *Rule, client *session.Client, api string) bool {
	l := Line{Rule: rule.ID}
	if client != nil && !client.NullID {
		l.ClientID = &client.ID
	}
	if api != "" {
		l.API = &api
	}
	return k.keys[l.key()] || client != nil && matches(k.Clients, client.ID)
}

// IgnoreTopic is Config.IgnoreTopic.
func (k *Known) IgnoreTopic(topic string) bool { return matches(k.Topics, topic) }

func matches(patterns []string, s string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, s); ok && err == nil {
			return true
		}
	}
	return false
}
