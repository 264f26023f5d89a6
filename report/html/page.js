"use strict";
// Draws the three charts from `series`: {first, step (seconds), names, produce: {bytes, messages}, fetch: {…},
// requests, errors, latency: [[name, values]…]}. All share one range of time.
(() => {
  const $ = (id) => document.getElementById(id);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const light = ["#2463c5", "#d2691e", "#1a8f5a", "#8e44ad", "#c7362f", "#0f8b8d", "#8a6d00", "#6b7785"];
  const bright = ["#6ea8ff", "#ffa45c", "#3ccb8a", "#c99bff", "#ff7169", "#4fd1d4", "#e6c84a", "#9aa7b5"];
  const colors = () => (dark.matches ? bright : light);

  const times = series.requests.map((_, i) => series.first + i * series.step);
  const rate = (list) => list.map((n) => n / series.step);
  const scaled = (n, unit, k) => {
    if (n == null) return "–";
    const names = ["", "k", "M", "G", "T"];
    let i = 0;
    for (; Math.abs(n) >= 1000 && i < 4; i++) n /= k;
    return (n >= 100 || Number.isInteger(n) ? n.toFixed(0) : n.toPrecision(3).replace(/\.?0+$/, "")) + unit(names[i]);
  };
  const bytes = (n) => scaled(n, (k) => " " + k + "B/s", 1000);
  const count = (n) => scaled(n, (k) => k + "/s", 1000);
  const millis = (n) => (n == null ? "–" : n >= 1000 ? +(n / 1000).toPrecision(3) + " s" : n < 1 ? +(n * 1000).toPrecision(3) + " µs" : +n.toPrecision(3) + " ms");

  // Time of day in UTC, as fine as the distance of two marks asks for.
  const clock = (t, gap) => new Date(t * 1000).toISOString().slice(11, gap >= 1 ? 19 : gap >= .1 ? 21 : 23);

  const charts = [];
  let range = null; // [from, to] that is shown, null: all
  const whole = [times[0], times[times.length - 1] + series.step];

  function show(from, to) {
    const least = series.step * 4;
    from = Math.max(from, whole[0]);
    to = Math.min(to, whole[1]);
    if (to - from < least) to = from + least;
    range = [from, to];
    for (const c of charts) if (c.scales.x.min !== from || c.scales.x.max !== to) c.setScale("x", { min: from, max: to });
  }

  const step = uPlot.paths.stepped({ align: 1 });
  const dots = uPlot.paths.points();

  function chart(id, height, axes, lines, data, scales) {
    const grid = { stroke: css("--line"), width: 1 };
    const axis = (a) => ({ stroke: css("--dim"), grid, ticks: { show: false }, font: "12px system-ui, sans-serif", ...a });
    const place = $(id);
    place.textContent = "";
    charts.push(new uPlot({
      width: place.clientWidth, height,
      cursor: { sync: { key: "ksniff" }, drag: { x: true, y: false }, bind: { dblclick: () => () => (show(...whole), null) } },
      scales: { x: { time: true, range: (_, min, max) => [min, max] }, ...scales },
      axes: [axis({ space: 90, size: 30, values: (_, at, __, ___, gap) => at.map((t) => clock(t, gap)) }), ...axes.map(axis)],
      series: [{ label: "time", value: (_, t) => (t == null ? "–" : clock(t, series.step)) }, ...lines],
      hooks: { setScale: [(u, key) => { if (key === "x" && u.status === 1 && (!range || u.scales.x.min !== range[0] || u.scales.x.max !== range[1])) show(u.scales.x.min, u.scales.x.max); }] },
      tzDate: (t) => uPlot.tzDate(new Date(t * 1000), "Etc/UTC"),
    }, [times, ...data], place));
  }

  function draw() {
    charts.splice(0).forEach((c) => c.destroy());
    const palette = colors(), tall = innerWidth < 600 ? 200 : 260;
    const flow = series[$("side").value], unit = $("unit").value, text = unit === "bytes" ? bytes : count;
    chart("throughput", tall, [{ values: (_, v) => v.map(text), size: 72 }],
      series.names.map((name, i) => ({ label: name, stroke: palette[i % 8], width: 1.5, paths: step, points: { show: false }, value: (_, v) => text(v) })),
      flow[unit].map(rate), { y: { range: (_, lo, hi) => [0, hi || 1] } });
    chart("latency", tall, [{ values: (_, v) => v.map((n) => (n == null ? "" : millis(n))), size: 72 }],
      series.latency.map(([name], i) => ({
        label: name, stroke: palette[[0, 3, 1, 4][i]], dash: i % 2 ? [] : [4, 4], width: 1.5, spanGaps: false,
        points: { show: true, size: 4, fill: palette[[0, 3, 1, 4][i]] }, value: (_, v) => millis(v),
      })),
      series.latency.map((l) => l[1]), { y: { distr: 3 } });
    chart("requests", tall * .7, [{ values: (_, v) => v.map(count), size: 72 }],
      [{ label: "requests", stroke: palette[0], width: 1.5, paths: step, points: { show: false }, value: (_, v) => count(v) },
       { label: "errors", stroke: palette[4], fill: palette[4] + "55", width: 1.5, paths: step, points: { show: false }, value: (_, v) => count(v) }],
      [rate(series.requests), rate(series.errors)], { y: { range: (_, lo, hi) => [0, hi || 1] } });
    show(...(range || whole));
  }

  const zoom = (by) => { const [a, b] = range || whole, middle = (a + b) / 2, half = ((b - a) / 2) * by; show(middle - half, middle + half); };
  $("in").onclick = () => zoom(.5);
  $("out").onclick = () => zoom(2);
  $("all").onclick = () => show(...whole);
  $("side").onchange = $("unit").onchange = draw;
  const sum = (lists) => lists.flat().reduce((a, b) => a + b, 0);
  if (!sum(series.produce.bytes)) $("side").value = "fetch";
  dark.addEventListener("change", draw);
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; draw(); } });
  draw();
})();
