package metrics

import (
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves /metrics and /healthz.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	mux.HandleFunc("GET /healthz", m.healthz)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ksniff: /metrics for Prometheus, /healthz")
	})
	return mux
}

// healthz says 200 while packets are read and after an input that ended well.
func (m *Metrics) healthz(w http.ResponseWriter, _ *http.Request) {
	switch h := m.Health(); {
	case h == nil:
		http.Error(w, "the capture has not begun", http.StatusServiceUnavailable)
	case h.Up:
		fmt.Fprintln(w, "ok")
	default:
		fmt.Fprintln(w, "ok: the input has ended")
	}
}
