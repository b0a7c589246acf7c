#!/usr/bin/env python3
"""test/cli/schema.py WEIR [COMMAND FILE] - what commands print with --json is valid by what `weir schema` prints, judged by the distribution's
validator. With COMMAND only that one's output in FILE is judged: for tests that have a switch, law or delay line running.

Every scenario of test/golden is run shortened, with its whole traffic, and without a measured part, and its network audited. Schemas that
are loosened would pass everything: so each also has to refuse a key that is missing, one too many, and a value of another type.
Exit status: 0 all valid, 1 not, 77 without the validator (Debian's python3-jsonschema).
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    if os.path.realpath(sys.executable) == os.path.realpath("/usr/bin/python3") or not os.path.exists("/usr/bin/python3"):
        print("skipped: there is no python3-jsonschema")
        sys.exit(77)
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

TINY = os.path.join("test", "cli", "tiny")
SHORT = ["--set", "run.warmup=20 us", "--set", "run.measure=60 us"]
COMMANDS = ["run", "compare", "sweep", "reproduce", "allocate", "topology", "scoreboard", "switch", "tcp", "delay", "diff", "bisect", "tune"]
failures, valid = [], 0


def weir(*args):
    return subprocess.run([program, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=without_gnuplot)


def fail(text):
    failures.append(text)
    print("not ok:", text)


def validators():
    found = {}
    for command in COMMANDS:
        schema = json.loads(weir("schema", command).stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        found[command] = jsonschema.Draft202012Validator(schema)
    return found


def output(command, *args):
    """The JSON object that the command prints; None if it prints none."""
    done = weir(command, *args, "--json")
    try:
        return json.loads(done.stdout)
    except ValueError:
        fail(f"{command} {' '.join(args)}: no JSON, exit status {done.returncode}: {done.stderr.strip()[-300:]}")
        return None


def check(command, *args):
    global valid
    j = output(command, *args)
    if j is None:
        return None
    error = next(by[command].iter_errors(j), None)
    if error is not None:
        fail(f"{command} {' '.join(args)}: {'/'.join(map(str, error.path))}: {error.message[:300]}")
    valid += error is None
    return j


def spoilt(j):
    """The object with one thing wrong, three times: a top-level key gone, one too many, a type changed."""
    first = next(iter(j))
    yield "a key is missing", {k: v for k, v in j.items() if k != first}
    yield "a key is too many", {**j, "new_key": 1}
    yield "a text is a number", {**j, first: 1}


def refuses(command, j):
    for what, other in spoilt(j):
        if command == "scoreboard" and what != "a text is a number":
            continue  # its keys are the papers
        if command == "delay" and what == "a text is a number":
            continue  # its first key is a number
        if by[command].is_valid(other):
            fail(f"{command}: the schema accepts an output in which {what}")


def check_runs():
    scenarios = sorted(glob.glob(os.path.join("test", "golden", "*.yaml")))
    for path in scenarios:
        last = check("run", path, *SHORT)
        check("run", path, *SHORT, "--set", "run.sample_average=yes", "--seed", "2")
        check("run", path, *SHORT, "--set", "run.warmup=1 us", "--set", "run.measure=1 ps")
        check("topology", path)
    refuses("run", last)
    check("run", os.path.join(TINY, "stall.yaml"))
    return scenarios


def check_others(folder):
    star, line = os.path.join(TINY, "star.yaml"), os.path.join("experiments", "soze", "queues.yaml")
    check("run", line, "--set", "run.warmup=0 us", "--set", "run.measure=200 us")  # run.compare: allocation
    refuses("allocate", check("allocate", line))
    check("allocate", line, "--timing")
    with open(os.path.join(folder, "changes.csv"), "w", encoding="utf-8") as file:
        file.write("weight,1,2\nadd,0,1,1\nremove,1\n")
    refuses("allocate", check("allocate", line, "--changes", os.path.join(folder, "changes.csv")))
    refuses("topology", check("topology", star))
    out = ["-o", os.path.join(folder, "c.db"), "--report", os.path.join(folder, "c.html")]
    refuses("compare", check("compare", star, "--protocols", "dctcp,sird", "--seeds", "3", *out))
    check("compare", star, "--protocols", "dctcp,sird", "--seeds", "3", "--metrics", "drops,completion_us.A.p99", *out)
    check("compare", star, "--protocols", "dctcp,slow=dctcp", "--set", "slow:protocol.g=0.02", "--seeds", "3", *out)
    check("compare", os.path.join("examples", "training.yaml"), "--protocols", "dctcp,homa", "--seeds", "1", "--set", "traffic[0].steps=1", *out)
    check("compare", star, "--background", "dctcp", "--protocols", "cubic", "--share", "50", "--seeds", "1", *out)
    check("compare", star, "--protocols", "dctcp,sird", "--seeds", "3", "--set", "run.warmup=0 us", "--set", "run.measure=20 us", "--fresh", *out)  # advice
    with open(os.path.join(folder, "s.yaml"), "w", encoding="utf-8") as file:
        file.write(f"scenario: {os.path.abspath(star)}\nseeds: 3\naxes: [{{name: size, set: {{\"traffic[0].sizes\": $}}, values: [10 KB]}}]\n")
    out = ["-o", os.path.join(folder, "s.db"), "--report", os.path.join(folder, "s.html")]
    refuses("sweep", check("sweep", os.path.join(folder, "s.yaml"), *out))
    check("sweep", os.path.join(folder, "s.yaml"), "--set", "run.warmup=0 us", "--set", "run.measure=20 us", "--fresh", *out)
    out = ["-o", os.path.join(folder, "r.db"), "--report", os.path.join(folder, "r.html")]
    refuses("reproduce", check("reproduce", TINY + "/", "--scale", "1", *out))
    refuses("scoreboard", check("scoreboard", os.path.join(folder, "r.db")))
    out = ["-o", os.path.join(folder, "t.db"), "--report", os.path.join(folder, "t.html")]
    refuses("tune", check("tune", star, "--key", "protocol.g=0.1..0.5", "--for", "slowdown.all.p99", "--seeds", "3", *out))
    check("tune", star, "--key", "protocol.min_cwnd=1..3", "--for", "goodput_gbps", "--seeds", "1", "--fresh", *out)
    short = ["--set", "run.measure=1 us"]
    check("bisect", os.path.join("test", "golden", "go-back.yaml"), "--threads", "1,2", *short)
    refuses("bisect", check("bisect", os.path.join("test", "golden", "go-back.yaml"), "--with", seeded(folder), *short))
    refuses("diff", check("diff", os.path.join(folder, "c.db"), changed(folder, star)))


def seeded(folder):
    """A program that is weir with another seed."""
    path = os.path.join(folder, "seeded")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec "{program}" "$@" --seed 2\n')
    os.chmod(path, 0o755)
    return path


def changed(folder, star):
    """A result file of `weir compare` with another key and one seed less."""
    made = [os.path.join(folder, name) for name in ("d.db", "d.html")]
    weir("compare", star, "--protocols", "dctcp,sird", "--seeds", "2", "--set", "dctcp:protocol.g=0.5", "-o", made[0], "--report", made[1])
    return made[0]


program = os.path.abspath(sys.argv[1])
without_gnuplot = {**os.environ, "PATH": os.devnull}  # nobody looks at the pages
by = validators()
if len(sys.argv) == 4:
    with open(sys.argv[3], encoding="utf-8") as printed:
        whole = json.load(printed)
    for wrong in by[sys.argv[2]].iter_errors(whole):
        fail(f"{sys.argv[2]}: {'/'.join(map(str, wrong.path))}: {wrong.message[:300]}")
    valid = 1 - min(1, len(failures))
    refuses(sys.argv[2], whole)
else:
    check_runs()
    with tempfile.TemporaryDirectory() as made:
        check_others(made)
print(f"{valid} outputs valid, {len(failures)} failures")
sys.exit(1 if failures else 0)
