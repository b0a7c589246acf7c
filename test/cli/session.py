#!/usr/bin/env python3
"""test/cli/session.py WEIR - `weir session`: the digest of `weir run`, at once, in pieces, and saved and restored in the middle; one sentence
for each line that is refused, after which the session goes on; and lines as `weir schema session` has them."""
import json
import os
import random
import subprocess
import sys
import tempfile

import spaces
from spaces import holds

try:
    import jsonschema
except ImportError:
    jsonschema = None  # the distribution's python3-jsonschema: lines are not judged

US = 10**6
HEAD = "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us, core_delay: 1 us}\n"
RUN = "run: {warmup: 0 us, measure: all}\n"
SESSION = HEAD + "protocol: dctcp\ntraffic: [{kind: session}]\n" + RUN
OPEN = {"call": "open", "scenario": SESSION, "record": True}
FLOWS = [(i % 8, (i * 3 + 2) % 8, 1000 + 977 * i, i * US) for i in range(60) if (i * 3 + 2) % 8 != i % 8]
valid = {"call": None, "answer": None}


def judge(what, line):
    """Sees that a line is as the schema has it."""
    if jsonschema is not None:
        error = next(valid[what].iter_errors(line), None)
        holds(f"{json.dumps(line)}: {error and error.message}", error is None)


def session(lines, *args):
    """Plays lines, each a call or a text. @return (exit status, answers)"""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    done = subprocess.run([weir, "session", *args], input=text, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for call in lines:
        if isinstance(call, dict):
            judge("call", call)
    for answer in answers:
        judge("answer", answer)
    holds(f"an answer to each line: {done.stderr}", len(answers) == len(lines) + (len(args) > 0 and args[0][0] != "-"))
    return done.returncode, answers


def inject(flow):
    return {"call": "inject", "src": flow[0], "dst": flow[1], "bytes": flow[2], "start_ps": flow[3]}


def numbers_of_run(folder, flows, head=HEAD + "protocol: dctcp\n", law=None):
    """What `weir run --json` prints of a list of flows. law: of every second flow; None = one list of all."""
    lists = {"list.csv": flows} if law is None else {"list.csv": flows[::2], "other.csv": flows[1::2]}
    for name, rows in lists.items():
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write("src,dst,bytes,start\n" + "".join(f"{s},{d},{size},{start // US} us\n" for s, d, size, start in rows))
    with open(f"{folder}/list.yaml", "w", encoding="utf-8") as file:
        items = "{kind: flows, file: list.csv}" + (f", {{kind: flows, file: other.csv, protocol: {law}}}" if law else "")
        file.write(head + f"traffic: [{items}]\n" + RUN)
    return json.loads(spaces.call(weir, "run", f"{folder}/list.yaml", "--json").stdout)


def events_of(answers):
    return [answer["events"] for answer in answers if "events" in answer]


def flat(value, name=""):
    """(name, value) of every number in an object of objects."""
    if isinstance(value, list):
        value = {f"[{i}]": inner for i, inner in enumerate(value)}
    if not isinstance(value, dict):
        return {name: value}
    return {n: v for key, inner in value.items() for n, v in flat(inner, f"{name}{'' if key[0] == '[' else '.'}{key}" if name else key).items()}


def same_numbers(run, metrics):
    numbers = flat(run)
    known = [name for name in metrics if name in numbers]
    more = [name for name in metrics if name not in numbers and (metrics[name] is not None or numbers[name.split(".")[0]] is not None)]
    holds(f"numbers that weir run has not: {more}", not more)
    holds(f"{len(known)} numbers are compared", len(known) > 50)
    for name in known:
        holds(f"{name}: {metrics[name]}, weir run {numbers[name]}", metrics[name] == numbers[name])


def check_result(folder):
    """At the end the numbers are those of `weir run`, and asking in between changes none."""
    run = numbers_of_run(folder, FLOWS)
    calls = [OPEN, *[inject(f) for f in FLOWS], {"call": "advance", "until_ps": 30 * US, "times": 1000}, {"call": "result"}, REST, {"call": "result"},
             {"call": "end"}, {"call": "result"}, {"call": "inject", "src": 0, "dst": 1, "bytes": 1}, {"call": "close"}]
    _, answers = session(calls)
    early, refused, ended, last, late, closed = (answers[i] for i in (-7, -5, -4, -3, -2, -1))
    holds("a result in between", 0 < early["metrics"]["messages_completed"] < len(FLOWS))
    holds("refused where nodes may have gone on", refused["error"]["code"] == "call")
    holds("nothing is given after the end", late["error"]["code"] == "over")
    holds("one digest", run["digest"] == ended["digest"] == closed["digest"])
    same_numbers(run, last["metrics"])
    # counters of switch features, and a law of two
    head = HEAD + "protocol: dctcp\nfabric: {priorities: 2, buffer: 300 KB, ecn: {threshold: 30 KB}, pfc: {kind: static, xoff: 15 KB}}\n"
    crowd = [(i % 7, 7, 200000, i * US) for i in range(14)]
    calls = [{**OPEN, "scenario": head + "traffic: [{kind: session}]\n" + RUN}, *[inject(f) for f in crowd], REST, {"call": "end"}, {"call": "result"}]
    metrics = session(calls)[1][-1]["metrics"]
    holds("pauses are counted", metrics["features.pfc.pause_frames"] > 0 and metrics["features.pfc.paused_share"] > 0)
    same_numbers(numbers_of_run(folder, crowd, head), metrics)
    calls = [{**OPEN, "scenario": HEAD + "protocol: dctcp\ntraffic: [{kind: session}, {kind: session, protocol: newreno}]\n" + RUN},
             *[{**inject(f), "item": i % 2} for i, f in enumerate(crowd)], REST, {"call": "end"}, {"call": "result"}]
    metrics = session(calls)[1][-1]["metrics"]
    holds("a law has numbers", metrics["laws[1].messages_completed"] == len(crowd) // 2)
    same_numbers(numbers_of_run(folder, crowd, law="newreno"), metrics)
    # now and then nothing is on its way: samples of queues count if another message follows
    sparse = [(i, 7 - i, 30000 * (i + 1), 90 * i * US) for i in range(4)]
    calls = [OPEN]
    for flow in sparse:
        calls += [{"call": "advance", "until_ps": flow[3], "times": 1000}, {"call": "result"}, inject(flow)]
    same_numbers(numbers_of_run(folder, sparse), session([*calls, REST, {"call": "end"}, {"call": "result"}])[1][-1]["metrics"])


def pieces():
    """Calls that give the list bit by bit."""
    calls, left, now, draw = [], list(FLOWS), 0, random.Random(3)
    while left:
        now += draw.randrange(7 * US)
        while left and left[0][3] < now + US:
            calls.append(inject(left.pop(0)))
        calls.append({"call": "advance", "until_ps": now, "times": 1000})
    return calls


REST = {"call": "advance", "times": 100000}


def check_digests(folder):
    digest, saved = numbers_of_run(folder, FLOWS)["digest"], f"{folder}/saved.jsonl"
    with open(f"{folder}/session.yaml", "w", encoding="utf-8") as file:
        file.write(SESSION)
    bits, close = pieces(), {"call": "close"}
    for threads in ("1", "2", "3"):
        status, answers = session([inject(f) for f in FLOWS] + [REST, close], f"{folder}/session.yaml", "--threads", threads)
        events = answers[-2]["events"]
        holds(f"at once, {threads} threads", status == 0 and answers[-1]["digest"] == digest)
        holds("events have the numbers of messages", sorted(e["user"] for e in events) == list(range(len(FLOWS))))
        status, answers = session([OPEN, *bits, REST, close], "--threads", threads)
        holds(f"in pieces, {threads} threads", status == 0 and answers[-1]["digest"] == digest)
        half = len(bits) // 2
        status, answers = session([OPEN, *bits[:half], {"call": "save", "file": saved}, *bits[half:], REST, close], "--threads", threads)
        holds(f"saved, {threads} threads", status == 0 and answers[-1]["digest"] == digest)
        status, again = session([{"call": "restore", "file": saved}, *bits[half:], REST, close], "--threads", str(4 - int(threads)))
        holds(f"restored, {threads} threads", status == 0 and again[-1]["digest"] == digest)
        holds("what came before is not reported again", again[0].get("events") is None and again[0]["hosts"] == 8)
        holds("the same events", events_of(again[1:]) == events_of(answers[half + 2:]) != [])
    check_saved(saved)


def check_saved(saved):
    """A saved session is the input of `weir session`, too."""
    with open(saved, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        judge("call", json.loads(line))
    holds("a saved session runs again", session(lines)[0] == 0)
    lines[-1] = json.dumps({"call": "expect", "digest": "0" * 16})
    status, answers = session(lines)
    holds("another digest is an exit status of 1", status == 1 and answers[-1]["error"]["code"] == "digest")


REFUSED = [
    ("{\"call\": \"advance\"", "argument", "not a JSON object"),
    ("advance", "argument", "not a JSON object"),
    ("{\"call\": \"advance\", }}", "argument", "not JSON"),
    ("{\"call\": \"advanse\"}", "argument", "no call is named 'advanse'"),
    ("{\"call\": \"inject\", \"src\": 0, \"dst\": 1}", "argument", "inject needs the member bytes"),
    ("{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": \"9\"}", "argument", "bytes = \"9\": must be a whole number"),
    ("{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 9, \"start_ps\": 1}", "past", "1 ps is in the past"),
    ("{\"call\": \"inject\", \"src\": 0, \"dst\": 99, \"bytes\": 9}", "argument", "host 99: the topology has hosts 0 to 7"),
    ("{\"call\": \"restore\", \"file\": \"x\"}", "call", "a session is open already"),
]


def check_refusals(folder):
    before = [OPEN, inject(FLOWS[0]), {"call": "advance", "until_ps": 2 * US}]
    status, answers = session([*before, *[line for line, _, _ in REFUSED], REST, {"call": "close"}, REST])
    for (line, code, text), answer in zip(REFUSED, answers[3:]):
        error = answer.get("error", {"code": "", "text": ""})
        holds(f"{line}: {error}", error["code"] == code and text in error["text"])
    holds("each answer has the number of its line", [a["line"] for a in answers] == list(range(1, len(answers) + 1)))
    holds("the session goes on", len(answers[-3]["events"]) == 1 and answers[-2]["messages_delivered"] == 1)
    holds("a closed session is refused", answers[-1]["error"]["text"] == "advance: no session is open")
    holds("a refused call is an exit status of 2", status == 2)
    bad = f"{folder}/bad.jsonl"
    with open(bad, "w", encoding="utf-8") as file:
        file.write(json.dumps({"call": "open", "format": 2, "weir": "9.9", "scenario": SESSION}) + "\n")
    error = session([{"call": "restore", "file": bad}])[1][0]["error"]
    holds(f"another format: {error}", (error["file"], error["line"]) == (bad, 1) and "format 2, written by weir 9.9" in error["text"])
    error = session([{"call": "open", "scenario": "topology: {kind: star, hosts: 2}\nprotocol: dctpc\n"}])[1][0]["error"]
    holds(f"a scenario: {error}", (error["line"], error["column"]) == (2, 11))


def check_talk():
    """A program may wait for each answer; lines may be long; the last one may lack its end."""
    with subprocess.Popen([weir, "session"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as talk:
        def ask(line):
            talk.stdin.write(line + "\n")
            talk.stdin.flush()
            return json.loads(talk.stdout.readline())
        holds("hosts", ask(json.dumps({"call": "open", "scenario": SESSION + "#" * 300000}))["hosts"] == 8)
        floor = 0
        for i in range(20):
            holds("a number", ask(json.dumps({"call": "inject", "src": i % 8, "dst": (i + 1) % 8, "bytes": 1000}))["message"] == i)
            answer = ask('{"call": "advance"}')
            holds("an event", [e["start_ps"] for e in answer["events"]] == [floor])
            floor = answer["floor_ps"]
        talk.stdin.write('{"call": "close"}')
        talk.stdin.close()
        holds("the last line", json.loads(talk.stdout.readline())["messages_delivered"] == 20)


def check_snapshot():
    """At 1 us a host has sent 1 us x 100 Gb/s = 12,500 bytes."""
    calls = [OPEN, {**inject((0, 5, 100000, 0)), "user": 1}, {"call": "advance", "until_ps": US}, {"call": "snapshot"}, REST, {"call": "snapshot"}]
    status, answers = session(calls)
    link = next(x for x in answers[3]["links"] if x["src"] == "host 0")
    holds(f"a link: {link}", link["dst"] == "leaf 0" and link["bytes"] - link["queue_bytes"] == 12500 and link["sent_bps"] == 100 * 10**9)
    holds("a host", answers[3]["host_states"][0]["open_messages"] == 1 and answers[3]["at_ps"] == US)
    holds("after an event it is refused", status == 2 and answers[5]["error"]["code"] == "call")


def check_schema():
    if jsonschema is None:
        return
    spoilt = [{"call": "injects"}, {"call": "inject", "src": 0, "dst": 1}, {"call": "advance", "until": 5}, {"call": "at", "at_ps": "5"}]
    for call in spoilt:
        holds(f"the schema refuses {call}", not valid["call"].is_valid(call))
    for answer in ({"message": 1}, {"line": "1"}, {"line": 1, "massage": 1}, {"line": 1, "events": [{"kind": "timer"}]}):
        holds(f"the schema refuses {answer}", not valid["answer"].is_valid(answer))


weir = os.path.abspath(sys.argv[1])
if jsonschema is not None:
    schema = json.loads(spaces.call(weir, "schema", "session").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    for part in valid:
        valid[part] = jsonschema.Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{part}"})
with tempfile.TemporaryDirectory() as temporary:
    check_digests(temporary)
    check_result(temporary)
    check_refusals(temporary)
check_talk()
check_snapshot()
check_schema()
spaces.finish()
