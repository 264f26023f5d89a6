package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
		Level   string     `json:"level"`
		Message sarifText  `json:"message"`
		Rule    *sarifName `json:"associatedRule,omitempty"`
	}
	sarifName struct {
		ID string `json:"id"`
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
		Physical sarifPhysical  `json:"physicalLocation"`
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

// SARIF writes the results as a SARIF 2.1.0 log, with what GitHub's code scanning demands of one. The place of a
// result is the capture that its packet is of; it has no region, since a capture has no lines.
func SARIF(w io.Writer, r *Results) error {
	run := sarifRun{Invocations: []sarifInvocation{r.sarifInvocation()}, Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "ksniff", Version: r.Tool, Rules: []sarifRule{}}
	for _, rule := range Rules {
		s := sarifRule{ID: rule.ID, Short: sarifSays(rule.Title), Full: sarifSays(rule.Explain), Help: sarifSays("Example: " + rule.Example + ". Source: " + rule.Source + ".")}
		s.Default.Level = sarifLevels[rule.Severity.String()]
		s.Properties.Tags = []string{rule.ID[:3], rule.Who.String()}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, s)
	}
	for i, name := range r.Sources {
		if !slices.Contains(r.Sources[:i], name) {
			run.Artifacts = append(run.Artifacts, sarifArtifact{sarifURI{fileURI(name)}})
		}
	}
	for i := range r.Findings {
		run.Results = append(run.Results, r.sarifResult(&r.Findings[i]))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// sarifInvocation tells what the results do not: what was not read, not judged, not listed.
func (r *Results) sarifInvocation() sarifInvocation {
	run := sarifInvocation{Successful: r.Broken == nil}
	notify := func(level, text string, rule *sarifName) {
		run.Notifications = append(run.Notifications, sarifNotification{level, sarifSays(text), rule})
	}
	if r.Broken != nil {
		notify("error", r.Broken.Error(), nil)
	}
	if n := r.Unlisted(); n > 0 {
		notify("warning", fmt.Sprintf("%d more findings were counted, but are not listed", n), nil)
	}
	for _, u := range r.Summary.Unjudged {
		if u.All {
			notify("note", "not judged: "+u.Reasons[0].Why, &sarifName{u.Rule.ID})
		}
	}
	return run
}

func (r *Results) sarifResult(l *Line) sarifResult {
	at := sarifLocation{Physical: sarifPhysical{sarifURI{fileURI(r.Source(l.Packet))}}}
	if l.Field != "" {
		at.Logical = []sarifLogical{{l.Field, "member"}}
	}
	return sarifResult{RuleID: l.Rule, RuleIndex: Lookup(l.Rule).index, Level: sarifLevels[l.Severity], Message: sarifSays(cmp.Or(l.Message, l.Title)),
		Locations: []sarifLocation{at}, Fingerprints: map[string]string{"ksniff/v1": l.Fingerprint()}, Properties: *l}
}

// sarifSays is a text in which nothing is a placeholder or a link (SARIF 3.11.5, 3.11.6).
func sarifSays(text string) sarifText { return sarifText{sarifPlain.Replace(text)} }

var sarifPlain = strings.NewReplacer("{", "{{", "}", "}}", "](", `\](`)

// fileURI makes a file's name a reference: relative to the folder that ksniff runs in, where the file is below it.
func fileURI(name string) string {
	if !filepath.IsAbs(name) {
		return (&url.URL{Path: filepath.ToSlash(name)}).String()
	}
	if here, err := os.Getwd(); err == nil {
		if below, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(below) {
			return fileURI(below)
		}
	}
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(name), "/")}).String()
}

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
