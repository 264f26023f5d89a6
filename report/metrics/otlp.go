package metrics

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/proto"
)

// Exporter pushes the metrics of a Gatherer to an OTLP receiver: by HTTP, as protobuf, cumulative since
// it was made, so that a push that fails loses nothing. The messages are OpenTelemetry's own; its SDK
// is not used, see docs/adr.
type Exporter struct {
	url     string
	headers http.Header
	from    prometheus.Gatherer
	begin   uint64
}

// NewExporter makes an Exporter. An address without path gets that of the specification, /v1/metrics.
// Headers is a list as in OTEL_EXPORTER_OTLP_HEADERS: key=value,key=value, the values percent-encoded.
func NewExporter(from prometheus.Gatherer, address, headers string) (*Exporter, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no http or https URL", address)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/metrics"
	}
	e := &Exporter{url: u.String(), headers: http.Header{}, from: from, begin: uint64(time.Now().UnixNano())}
	for _, pair := range strings.Split(headers, ",") {
		key, value, found := strings.Cut(strings.TrimSpace(pair), "=")
		if value, err := url.PathUnescape(value); found && err == nil {
			e.headers.Set(strings.TrimSpace(key), strings.TrimSpace(value))
		}
	}
	return e, nil
}

// Push sends all metrics once.
func (e *Exporter) Push(ctx context.Context) error {
	families, err := e.from.Gather()
	if err != nil {
		return err
	}
	body, err := proto.Marshal(e.message(families, uint64(time.Now().UnixNano())))
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for key, values := range e.headers {
		request.Header[key] = values
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection can be used again
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s", e.url, response.Status)
	}
	return nil
}

// message has the same encoding as the ExportMetricsServiceRequest that a receiver expects: both are
// a list of ResourceMetrics in field 1.
func (e *Exporter) message(families []*dto.MetricFamily, now uint64) *otlp.MetricsData {
	scope := &otlp.ScopeMetrics{Scope: &common.InstrumentationScope{Name: "ksniff"}}
	for _, family := range families {
		scope.Metrics = append(scope.Metrics, e.metric(family, now))
	}
	return &otlp.MetricsData{ResourceMetrics: []*otlp.ResourceMetrics{{
		Resource:     &resource.Resource{Attributes: []*common.KeyValue{attribute("service.name", "ksniff")}},
		ScopeMetrics: []*otlp.ScopeMetrics{scope},
	}}}
}

func (e *Exporter) metric(family *dto.MetricFamily, now uint64) *otlp.Metric {
	m := &otlp.Metric{Name: family.GetName(), Description: family.GetHelp(), Unit: unit(family.GetName())}
	const cumulative = otlp.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	switch family.GetType() {
	case dto.MetricType_COUNTER:
		m.Data = &otlp.Metric_Sum{Sum: &otlp.Sum{AggregationTemporality: cumulative, IsMonotonic: true,
			DataPoints: e.numbers(family, now)}}
	case dto.MetricType_HISTOGRAM:
		h := &otlp.Histogram{AggregationTemporality: cumulative}
		for _, one := range family.GetMetric() {
			h.DataPoints = append(h.DataPoints, e.distribution(one, now))
		}
		m.Data = &otlp.Metric_Histogram{Histogram: h}
	default:
		m.Data = &otlp.Metric_Gauge{Gauge: &otlp.Gauge{DataPoints: e.numbers(family, now)}}
	}
	return m
}

func (e *Exporter) numbers(family *dto.MetricFamily, now uint64) []*otlp.NumberDataPoint {
	var points []*otlp.NumberDataPoint
	for _, one := range family.GetMetric() {
		value := one.GetGauge().GetValue()
		if one.Counter != nil {
			value = one.GetCounter().GetValue()
		}
		points = append(points, &otlp.NumberDataPoint{Attributes: attributes(one), StartTimeUnixNano: e.begin, TimeUnixNano: now,
			Value: &otlp.NumberDataPoint_AsDouble{AsDouble: value}})
	}
	return points
}

// distribution turns the cumulative buckets of Prometheus into those of OTLP, the last of which has no bound.
func (e *Exporter) distribution(one *dto.Metric, now uint64) *otlp.HistogramDataPoint {
	h := one.GetHistogram()
	p := &otlp.HistogramDataPoint{Attributes: attributes(one), StartTimeUnixNano: e.begin, TimeUnixNano: now,
		Count: h.GetSampleCount(), Sum: proto.Float64(h.GetSampleSum())}
	var below uint64
	for _, b := range h.GetBucket() {
		p.ExplicitBounds = append(p.ExplicitBounds, b.GetUpperBound())
		p.BucketCounts = append(p.BucketCounts, b.GetCumulativeCount()-below)
		below = b.GetCumulativeCount()
	}
	p.BucketCounts = append(p.BucketCounts, h.GetSampleCount()-below)
	return p
}

func attributes(one *dto.Metric) []*common.KeyValue {
	var list []*common.KeyValue
	for _, l := range one.GetLabel() {
		list = append(list, attribute(l.GetName(), l.GetValue()))
	}
	return list
}

func attribute(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

// unit is the unit that a name ends with, in UCUM.
func unit(name string) string {
	name = strings.TrimSuffix(name, "_total")
	switch {
	case strings.HasSuffix(name, "_seconds"):
		return "s"
	case strings.HasSuffix(name, "_bytes"):
		return "By"
	case strings.HasSuffix(name, "_ratio"):
		return "1"
	}
	return ""
}
