#!/usr/bin/env python3
"""Reads back with DuckDB what `ksniff report -o csv` writes, and compares it with `-o json`, topic by topic; also with --by and --interval.

    go build ./cmd/ksniff && pip install duckdb && e2e/csv/check.py [CAPTURE…]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
KSNIFF = os.environ.get("KSNIFF", str(ROOT / "ksniff"))
NUMBERS = ("requests", "batches", "messages", "bytes", "uncompressed_bytes", "messages_per_second", "bytes_per_second", "control_records")
TEXTS = ("codecs", "errors")


def run(*args):
    return subprocess.run([KSNIFF, "report", "--deep", *map(str, args)], capture_output=True).stdout


def table(folder, *args):
    path = folder / "report.csv"
    path.write_bytes(run(*args, "-o", "csv"))
    result = duckdb.sql(f"select * from read_csv('{path}', header=true, all_varchar=true)")
    names = [column[0] for column in result.description]
    return [dict(zip(names, row)) for row in result.fetchall()]


def same(cell, value):
    if value is None or value == {}:
        return not cell
    if isinstance(value, dict):
        return cell == " ".join(f"{name}={value[name]}" for name in sorted(value))
    return float(cell) == value


def flow(row, item):
    for way in ("produce", "fetch"):
        for name in NUMBERS + TEXTS:
            if not same(row[f"{way}_{name}"], item[way][name]):
                yield f"{way}_{name} is {row[f'{way}_{name}']!r}, in JSON {item[way][name]!r}"
        for mark in ("p50", "p95", "p99", "max"):
            if not same(row[f"{way}_latency_{mark}_ms"], item[way]["latency_ms"].get(mark)):
                yield f"{way}_latency_{mark}_ms is {row[f'{way}_latency_{mark}_ms']!r}"


def differences(capture, folder):
    for by in (None, "client,api", "topic,partition,error"):
        args = ([] if by is None else ["--by", by]) + [capture]
        report, rows = json.loads(run(*args, "-o", "json")), table(folder, *args)
        items = report["topics" if by is None else "rows"]
        if len(rows) != len(items):
            yield f"--by {by}: {len(rows)} lines, {len(items)} in JSON"
        for row, item in zip(rows, items):
            name = row.get("topic") or row.get("client") or ""
            yield from (f"--by {by}: {name}: {problem}" for problem in flow(row, item))
    total = json.loads(run(capture, "-o", "json"))["totals"]
    lines = table(folder, "--interval", "1s", capture)
    for way in ("produce", "fetch"):
        for what in ("messages", "bytes"):
            if (got := sum(int(line[f"{way}_{what}"]) for line in lines)) != total[way][what]:
                yield f"--interval: {way}_{what} adds up to {got}, in all {total[way][what]}"


def main():
    captures = [pathlib.Path(name) for name in sys.argv[1:]] or sorted((ROOT / "pcaps").glob("*.pcap"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for capture in captures:
            problems = list(differences(capture, pathlib.Path(folder)))
            failed += bool(problems)
            for problem in problems[:5]:
                print(f"{capture.name}: {problem}")
    print(f"{len(captures) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not captures else 0)


if __name__ == "__main__":
    main()
