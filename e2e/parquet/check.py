#!/usr/bin/env python3
"""Reads back with DuckDB what `ksniff frames -o parquet` writes, and compares it with `-o json`, field by field.

    go build ./cmd/ksniff && pip install duckdb && e2e/parquet/check.py [CAPTURE…]
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
SAME = ("packet", "connection", "src", "dst", "kind", "generation", "api", "key", "version", "correlation_id", "client_id",
        "length", "latency_ms", "topics", "error", "inferred")


def run(capture, form):
    return subprocess.run([KSNIFF, "frames", "-o", form, str(capture)], capture_output=True).stdout


def differences(capture, folder):
    path = folder / (capture.name + ".parquet")
    path.write_bytes(run(capture, "parquet"))
    lines = [json.loads(line) for line in run(capture, "json").split(b"\n") if line]
    table = duckdb.sql(f"select *, strftime(make_timestamp_ns(time_ns), '%Y-%m-%dT%H:%M:%S.%n') || 'Z' as exact from read_parquet('{path}')")
    names = [column[0] for column in table.description]
    rows = [dict(zip(names, row)) for row in table.fetchall()]
    # Lines come in the order of packets; rows as the frames are recognised, which can be later.
    rows.sort(key=lambda row: row["packet"])
    if len(rows) != len(lines):
        yield f"{len(rows)} rows, {len(lines)} lines"
    for number, (row, line) in enumerate(zip(rows, lines), 1):
        for name in SAME:
            if row[name] != line[name]:
                yield f"row {number}: {name} is {row[name]!r}, in JSON {line[name]!r}"
        if row["doubt"] != line.get("doubt"):
            yield f"row {number}: doubt is {row['doubt']!r}, in JSON {line.get('doubt')!r}"
        if row["exact"] != line["time"]:
            yield f"row {number}: time is {row['exact']}, in JSON {line['time']}"
        fault = line["fault"] or {"code": None, "class": None, "offset": None}
        if (row["fault"], row["fault_class"], row["fault_offset"]) != (fault["code"], fault["class"], fault["offset"]):
            yield f"row {number}: fault is {row['fault']!r}, in JSON {fault}"


def main():
    captures = [pathlib.Path(name) for name in sys.argv[1:]] or sorted((ROOT / "pcaps").glob("*.pcap"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for capture in captures:
            problems = list(differences(capture, pathlib.Path(folder)))
            failed += bool(problems)
            for problem in problems[:5]:
                print(f"{capture.name}: {problem}")
        total = duckdb.sql(f"select count(*), count(distinct filename) from read_parquet('{folder}/*.parquet', filename = true)").fetchall()[0]
    print(f"{total[0]} frames in {total[1]} files")
    print(f"{len(captures) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not captures else 0)


if __name__ == "__main__":
    main()
