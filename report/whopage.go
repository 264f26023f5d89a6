package report

import (
	"fmt"
	"slices"
	"strings"
)

func (u *Users) summary() []string {
	requests := int64(0)
	for i := range u.Clients {
		requests += u.Clients[i].Requests
	}
	lines := []string{fmt.Sprintf("%s · %s · %s · %s", u.Capture.sources(), millis(u.Capture.Seconds*1000),
		plural(int64(len(u.Clients)), "client"), plural(requests, "request"))}
	if only := u.Capture.Only.String(); only != "" {
		lines = append(lines, only)
	}
	if o := u.Other; o != nil {
		lines = append(lines, fmt.Sprintf("not listed: %s requests of clients that could not be named or kept (about %s)",
			grouped(o.Requests), grouped(o.Clients)))
	}
	return lines
}

// Advice of a list of clients is empty.
func (u *Users) Advice() []string { return nil }

func (u *Users) color() string { return "0" }

func (u *Users) page() htmlPage {
	return htmlPage{Title: "who", Summary: u.summary(), Completeness: "Clients, topics and API versions"}
}

// sheets are the clients, then the topics with who uses them, then what is about no topic.
func (u *Users) sheets() []sheet {
	clients := sheet{title: "Clients", cols: []column{{"", "CLIENT", false, 0}, {"", "ADDRESS", false, 0}, {"", "SOFTWARE", false, 0},
		{"", "REQUESTS", true, 0}, {"", "TOPICS", true, 0}}}
	others := sheet{title: "Without a topic", flows: "APIS AND VERSIONS", cols: []column{{"", "CLIENT", false, 0}, {"", "APIS AND VERSIONS", false, 0}}}
	topics := sheet{title: "Topics", flows: "APIS AND VERSIONS", cols: []column{{"", "TOPIC", false, 0}, {"", "CLIENT", false, 0}, {"", "APIS AND VERSIONS", false, 0}, {"", "REQUESTS", true, 2}}}
	times := map[string]int{}
	for i := range u.Clients {
		times[u.Clients[i].ClientID]++
	}
	for i := range u.Clients {
		c := &u.Clients[i]
		label := safe(c.ClientID)
		clients.rows = append(clients.rows, []string{label, c.Address, safe(c.Software), number(c.Requests), number(int64(len(c.Topics)))})
		if label == "" || times[c.ClientID] > 1 {
			label = strings.TrimSpace(label + " at " + c.Address)
		}
		if len(c.APIs) > 0 {
			others.rows = append(others.rows, []string{label, apisText(c.APIs)})
		}
		for k := range c.Topics {
			t := &c.Topics[k]
			requests := int64(0)
			for _, a := range t.APIs {
				requests += a.Requests
			}
			topics.rows = append(topics.rows, []string{topicText(t.Topic, t.TopicID), label, apisText(t.APIs), number(requests)})
		}
	}
	slices.SortStableFunc(topics.rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return slices.DeleteFunc([]sheet{clients, topics, others}, func(s sheet) bool { return len(s.rows) == 0 })
}

func apisText(apis []UsedAPI) string {
	texts := make([]string, len(apis))
	for i := range apis {
		texts[i] = apis[i].text()
	}
	return strings.Join(texts, ", ")
}

// text is the name of an API with its versions: Fetch 11 12.
func (a *UsedAPI) text() string {
	name := fmt.Sprint("API ", a.Key)
	if a.API != nil {
		name = *a.API
	}
	if len(a.Versions) == 0 {
		return name
	}
	return name + " " + keysText(a.Versions)
}

// csv writes a line for each client, topic, API and version.
func (u *Users) csv(w *csvWriter) {
	for _, name := range []string{"client_id", "address", "software", "topic", "topic_id", "generation", "api", "key", "version", "requests"} {
		w.text(name)
	}
	w.end()
	for i := range u.Clients {
		c := &u.Clients[i]
		for k := range c.Topics {
			t := &c.Topics[k]
			w.uses(c, t.Topic, orEmpty(t.TopicID), t.APIs)
		}
		w.uses(c, "", "", c.APIs)
	}
}

func (w *csvWriter) uses(c *User, topic, id string, apis []UsedAPI) {
	for i := range apis {
		a := &apis[i]
		line := func(version string, requests int64) {
			for _, cell := range []string{c.ClientID, c.Address, c.Software, topic, id, a.Generation, orEmpty(a.API)} {
				w.text(cell)
			}
			w.number(whole(int64(a.Key)))
			w.number(version)
			w.number(whole(requests))
			w.end()
		}
		if len(a.Versions) == 0 {
			line("", a.Requests)
		}
		for _, version := range strings.Fields(keysText(a.Versions)) {
			line(version, a.Versions[version])
		}
	}
}
