//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A real Prometheus scrapes, understands every query of the dashboard, and finds no fault with names and alerts.
func TestPrometheus(t *testing.T) {
	if testing.Short() {
		t.Skip("a real Prometheus takes some seconds")
	}
	for _, tool := range []string{"prometheus", "promtool"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	deploy := filepath.Join("..", "..", "docs", "deploy")
	address, stop := serving(t, pcap("transactions"))
	defer stop()
	scraped(t, address) // once all is read
	_, text := get(t, address+"/metrics")
	run := func(stdin string, args ...string) {
		command := exec.Command("promtool", args...)
		command.Stdin = strings.NewReader(stdin)
		if out, err := command.CombinedOutput(); err != nil || stdin != "" && len(out) > 0 {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
	run(text, "check", "metrics")
	run("", "check", "rules", filepath.Join(deploy, "alerts.yml"))
	run("", "check", "config", filepath.Join(deploy, "prometheus.yml"))
	base := prometheus(t, strings.TrimPrefix(address, "http://"))
	if got := query(t, base, `ksniff_topic_messages_total{topic="tx-a",direction="produce"}`); len(got) != 1 || got[0] != "217" {
		t.Errorf("messages of tx-a: %v, 217 were sent", got)
	}
	board, err := os.ReadFile(filepath.Join(deploy, "grafana.json"))
	if err != nil {
		t.Fatal(err)
	}
	var panels struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(board, &panels); err != nil {
		t.Fatal(err)
	}
	variables := strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*", "$topic", ".*", "$client", ".*")
	for _, p := range panels.Panels {
		for _, target := range p.Targets {
			query(t, base, variables.Replace(target.Expr))
		}
	}
}

// prometheus runs one that scrapes target each second, and waits for its first scrape.
func prometheus(t *testing.T, target string) (base string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listen := free.Addr().String()
	free.Close()
	dir := t.TempDir()
	config := fmt.Sprintf("scrape_configs: [{job_name: ksniff, scrape_interval: 1s, static_configs: [{targets: ['%s']}]}]\n", target)
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("prometheus", "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+listen, "--log.level=error")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Process.Kill(); command.Wait() })
	base = "http://" + listen
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		conn, err := net.Dial("tcp", listen)
		if err != nil {
			continue
		}
		conn.Close()
		if status, _ := get(t, base+"/-/ready"); status == 200 && len(query(t, base, "ksniff_build_info")) == 1 {
			return base
		}
	}
	t.Fatal("Prometheus does not scrape")
	return ""
}

// query gives the values of all series in an answer.
func query(t *testing.T, base, expression string) (values []string) {
	t.Helper()
	status, body := get(t, base+"/api/v1/query?query="+url.QueryEscape(expression))
	var answer struct {
		Data struct{ Result []struct{ Value [2]any } }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != 200 {
		t.Errorf("%s: status %d, %s", expression, status, body)
	}
	for _, r := range answer.Data.Result {
		values = append(values, fmt.Sprint(r.Value[1]))
	}
	return values
}
