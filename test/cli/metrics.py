#!/usr/bin/env python3
"""test/cli/metrics.py WEIR - `weir serve --metrics`: what is scraped over HTTP is OpenMetrics text with the counts of the server.

The text is read by the rules of the format, and by python3-prometheus-client where that is installed. Then come requests and addresses that
are refused. Skipped, with the reason, in a build without libmicrohttpd.
"""
import http.client
import os
import re
import subprocess
import sys

try:
    from prometheus_client.openmetrics import parser
except ImportError:
    if os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3") and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    parser = None

failures = []
SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\d+)')


def holds(what, condition):
    if not condition:
        failures.append(what)
        print("not ok:", what)


def weir(*args):
    return subprocess.run([program, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def refused(status, words, *args):
    done = weir(*args)
    first = done.stderr.split("\n", maxsplit=1)[0]
    holds(f"weir {' '.join(args)}: exit {done.returncode}, {done.stderr!r}", done.returncode == status and words in first)


def get(at, path="/metrics", method="GET", body=None):
    connection = http.client.HTTPConnection(at, timeout=30)
    connection.request(method, path, body)
    answer = connection.getresponse()
    return answer.status, answer.getheader("Content-Type"), answer.read().decode()


def read(text):
    """{sample: value} of a text, each line of which is as the format has it."""
    lines = text.split("\n")
    holds("the last line is # EOF, and it ends", lines[-2:] == ["# EOF", ""])
    found, family, kind, unit = {}, None, None, None
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            holds(f"{family}: has a sample", family is None or kind is None)
            family, kind = re.fullmatch(r"# TYPE (weir_[a-z_]+) (counter|gauge|info)", line).groups()
            unit = None
        elif line.startswith("# UNIT "):
            unit = re.fullmatch(rf"# UNIT {family} ([a-z]+)", line).group(1)
            holds(f"{family}: ends in its unit {unit}", family.endswith("_" + unit))
        elif line.startswith("# HELP "):
            holds(line, re.fullmatch(rf"# HELP {family} [A-Z][^\n\\]*\.", line))
        else:
            sample = SAMPLE.fullmatch(line)
            holds(f"{line}: a sample", sample)
            name = sample.group(1)
            holds(f"{name}: of {family}", name == family + {"counter": "_total", "gauge": "", "info": "_info"}[kind])
            holds(f"{name}: comes once", name not in found)
            found[name] = int(sample.group(3))
            kind = None
    return found


def by_prometheus(text, found):
    if parser is None:
        print("there is no python3-prometheus-client: its parser has not read the text")
        return
    parsed = {s.name: s.value for f in parser.text_string_to_metric_families(text) for s in f.samples}
    holds("python3-prometheus-client reads the same", parsed == found)


def main():
    server = subprocess.Popen([program, "serve", "--bind", "127.0.0.1:0", "--metrics", "127.0.0.1:0"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = server.stderr.readline()
    if "without libmicrohttpd" in first:
        server.wait()
        print("skipped: this weir was built without libmicrohttpd")
        return 77
    try:
        serving = re.fullmatch(r"weir: serving on (\S+) over sird\n", first).group(1)
        at = re.fullmatch(r"weir: metrics at http://(\S+)/metrics\n", server.stderr.readline()).group(1)
        status, kind, text = get(at)
        holds("200", status == 200)
        holds(kind, kind == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        before = read(text)
        by_prometheus(text, before)
        holds("37 counters of weir_stats(), what it is, and 4 of the command", len(before) == 42)
        holds(f"nothing was served: {before}", before["weir_serve_calls_total"] == before["weir_handshakes_total"] == 0)
        holds("ping", weir("ping", serving, "--count", "5", "--interval", "0us").returncode == 0)
        after = read(get(at)[2])
        holds(f"five calls: {after}", after["weir_serve_calls_total"] == after["weir_messages_received_total"] == 5)
        holds("one connection", after["weir_handshakes_total"] == 1)
        holds("bytes of calls", after["weir_received_bytes_total"] == 5 * 64)
        holds("HEAD has no body", get(at, method="HEAD")[::2] == (200, ""))
        holds("another path", get(at, "/")[0] == 404)
        holds("another method", get(at, method="POST", body="x")[0] == 405)
        refused(2, f"--metrics: cannot listen at {at}: the port is in use", "serve", "--metrics", at)
    finally:
        server.terminate()
        counted, _ = server.communicate()
    holds(f"it ends as without: {server.returncode}", server.returncode == 0 and "5 calls" in counted)
    refused(2, "--metrics: 'here' is no address", "serve", "--metrics", "here")
    refused(2, "--metrics: cannot listen at 192.0.2.1:1:", "serve", "--metrics", "192.0.2.1:1")
    refused(2, "--metrics: has no meaning for --transport tcp", "serve", "--metrics", ":1", "--transport", "tcp")
    refused(2, "--metrics", "serve", "--metrics")
    return 1 if failures else 0


program = sys.argv[1]
sys.exit(main())
