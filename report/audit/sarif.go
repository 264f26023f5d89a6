package audit

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"net/url"
	"strconv"
)

// The part of SARIF 2.1.0 that the audit writes.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Artifacts   []sarifArtifact   `json:"artifacts,omitempty"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Short   sarifText `json:"shortDescription"`
		Full    sarifText `json:"fullDescription"`
		Help    sarifText `json:"help"`
		Default struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
		Properties struct {
			Tags []string `json:"tags"`
		} `json:"properties"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifArtifact struct {
		Location sarifURI `json:"location"`
	}
	sarifURI struct {
		URI string `json:"uri"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level      string    `json:"level"`
		Message    sarifText `json:"message"`
		Descriptor struct {
			ID string `json:"id"`
		} `json:"associatedRule"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   Line              `json:"properties"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifURI `json:"artifactLocation"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

var sarifLevels = map[string]string{"error": "error", "warning": "warning", "info": "note"}

// SARIF writes the results as a SARIF 2.1.0 log. A result has the capture as its artifact where there is
// only one, since packets are counted over all.
func SARIF(w io.Writer, r *Results) error {
	run := sarifRun{Invocations: []sarifInvocation{{Successful: true}}, Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "ksniff", Version: r.Tool, Rules: []sarifRule{}}
	for _, rule := range Rules {
		s := sarifRule{ID: rule.ID, Short: sarifText{rule.Title}, Full: sarifText{rule.Explain}, Help: sarifText{"Example: " + rule.Example + ". Source: " + rule.Source + "."}}
		s.Default.Level = sarifLevels[rule.Severity.String()]
		s.Properties.Tags = []string{rule.ID[:3], rule.Who.String()}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, s)
	}
	for _, name := range r.Sources {
		run.Artifacts = append(run.Artifacts, sarifArtifact{sarifURI{fileURI(name)}})
	}
	for _, u := range r.Summary.Unjudged {
		if !u.All {
			continue
		}
		n := sarifNotification{Level: "note", Message: sarifText{"not judged: " + u.Reasons[0].Why}}
		n.Descriptor.ID = u.Rule.ID
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, n)
	}
	for i := range r.Findings {
		l := &r.Findings[i]
		run.Results = append(run.Results, sarifOf(r, l))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifOf(r *Results, l *Line) sarifResult {
	out := sarifResult{RuleID: l.Rule, RuleIndex: Lookup(l.Rule).index, Level: sarifLevels[l.Severity], Message: sarifText{l.Message}, Properties: *l,
		Fingerprints: map[string]string{"ksniff/v1": l.Fingerprint()}}
	if out.Message.Text == "" {
		out.Message.Text = l.Title
	}
	var at sarifLocation
	if len(r.Sources) == 1 {
		at.Physical = &sarifPhysical{sarifURI{fileURI(r.Sources[0])}}
	}
	if l.Field != "" {
		at.Logical = []sarifLogical{{l.Field, "member"}}
	}
	out.Locations = []sarifLocation{at}
	return out
}

// fileURI makes a file's name a reference.
func fileURI(name string) string { return (&url.URL{Path: name}).String() }

// Fingerprint tells findings of one cause: those of a rule about a client and an API.
func (l *Line) Fingerprint() string {
	h := fnv.New64a()
	io.WriteString(h, l.key())
	return strconv.FormatUint(h.Sum64(), 16)
}

// key is what makes findings the same in a baseline.
func (l *Line) key() string {
	client, api := "\x00null", ""
	if l.ClientID != nil {
		client = *l.ClientID
	}
	if l.API != nil {
		api = *l.API
	}
	return l.Rule + "\x00" + client + "\x00" + api
}
