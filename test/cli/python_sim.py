#!/usr/bin/env python3
"""test/cli/python_sim.py WEIR LIBRARY - the Python package over libweirsim and over the command: the same digests as `weir run`, and one
exception for all that is refused."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import pandas
except ImportError:
    pandas = None

os.environ["WEIR"], os.environ["WEIR_SIM_LIBRARY"] = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "python"))
import spaces  # noqa: E402
import weir  # noqa: E402
import weir.keys  # noqa: E402
from weir.changes import settings  # noqa: E402
from spaces import holds  # noqa: E402

US = 10**6
HEAD = "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us, core_delay: 1 us}\n"
RUN = "run: {warmup: 0 us, measure: all}\n"
SESSION = HEAD + "protocol: dctcp\ntraffic: [{kind: session}]\n" + RUN
PAIR = """topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 2 us}
protocol: dctcp
framing: {payload: 1460 B, header: 58 B, ack_wire: 84 B}
traffic: [{kind: session, weights: 1..1}]
run: {warmup: 0 us, measure: all}
"""
ONE_PS = 2 * 1538 * 800 + 2 * 2 * US  # of a message of 1460 B: two frames of 1538 B, two cables
ACK_PS = 84 * 800


def refused(what, code, text, call, *args, **named):
    try:
        call(*args, **named)
    except weir.Error as error:
        holds(f"{what}: {error.code}, {error.text}", error.code == code and text in error.text)
        return error
    holds(f"{what}: is refused", False)
    return None


def check_digests():
    flows = [(i % 8, (i * 3 + 1) % 8, 1000 + 977 * i, i * US) for i in range(40)]
    flows = [f for f in flows if f[0] != f[1]]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "list.yaml"
        rows = "".join(f"{src},{dst},{size},{start // US} us\n" for src, dst, size, start in flows)
        (path.parent / "list.csv").write_text("src,dst,bytes,start\n" + rows)
        path.write_text(HEAD + "protocol: dctcp\ntraffic: [{kind: flows, file: list.csv}]\n" + RUN)
        run = weir.run(path)
        digest = int(run["digest"], 16)
    for threads in (1, 2):
        with weir.Session(SESSION, threads=threads) as session:
            for src, dst, size, start in flows:
                session.inject(src, dst, size, start, user=size)
            events = list(session)
            holds("all messages arrive", sorted(e.user for e in events) == sorted(f[2] for f in flows))
            holds("events are in order", [e.at_ps for e in events] == sorted(e.at_ps for e in events))
            holds(f"the digest of weir run, {threads} threads", session.close().digest == digest)
            holds("counts of a closed session", session.counts().messages_delivered == len(flows))
    check_saved(flows, digest, run)


def check_saved(flows, digest, run):
    """Saved in the middle, and restored on another number of threads."""
    with tempfile.TemporaryDirectory() as folder:
        saved = pathlib.Path(folder) / "saved.jsonl"
        with weir.Session(SESSION, record=True) as session:
            for src, dst, size, start in flows[:20]:
                session.inject(src, dst, size, start)
            while session.advance(15 * US):
                pass
            session.save(saved)
        with weir.Session.restore(saved, threads=2) as session:
            holds("where it was", session.now_ps == 15 * US)
            for src, dst, size, start in flows[20:]:
                session.inject(src, dst, size, start)
            events = list(session)
            holds("the rest arrives", 20 < len(events) <= len(flows))
            holds("the digest of weir run, restored", session.end().digest == digest)
            result = session.result()
            holds("numbers of weir run", (result["goodput_gbps"], result["slowdown.all.p99"], result["tor_queue_bytes.max"]) ==
                  (run["goodput_gbps"], run["slowdown"]["all"]["p99"], run["tor_queue_bytes"]["max"]))
            holds("what does not apply", None in result.values())
        saved.write_text(saved.read_text()[:-40])
        error = refused("a truncated file", "argument", "not a JSON object", weir.Session.restore, saved)
        holds("its line", error is not None and error.file == str(saved) and error.line > 20)
        refused("no file", "file", "cannot open", weir.Session.restore, folder + "/none")
    with weir.Session(SESSION) as session:
        refused("nothing is recorded", "call", "not recorded", session.save, "/tmp/none")


def check_snapshot():
    """At 1 us a host has sent 1 us x 100 Gb/s = 12,500 bytes."""
    with weir.Session(SESSION) as session:
        session.inject(0, 5, 100000, 0)
        session.inject(0, 6, 500, 9 * US)
        session.advance(US)
        shot = session.snapshot()
        link = next(x for x in shot.links if x.src == "host 0")
        holds(f"a link: {link}", link.dst == "leaf 0" and link.bytes - link.queue_bytes == 12500 and link.sent_bps == 100 * 10**9)
        holds("a host", shot.hosts[0].open_messages == 1 and shot.hosts[0].waiting_bytes == 500 and shot.at_ps == US)
        list(session)
        refused("after an event", "call", "may have gone on", session.snapshot)
        refused("a result then", "call", "may have gone on", session.result)
        session.end()
        refused("given after the end", "over", "the run is over", session.inject, 0, 1, 1)


def check_restored_call_backs():
    def answer(session, event, here):
        if event.kind == weir.DELIVERED and event.user < 5:
            session.inject(here, (here + 1) % 3, 1460, event.at_ps, user=event.user + 1)

    def fail(session, event, here):
        raise KeyError("mine")

    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/saved.jsonl"
        with weir.Session(PAIR, on_event=answer, record=True) as session:
            session.inject(0, 1, 1460, 0, user=0)
            session.advance(), session.advance()
            session.save(path)
            left = [e.at_ps for e in session]
        with weir.Session.restore(path, on_event=answer) as session:
            holds("call-backs are called again", [e.at_ps for e in session] == left and len(left) == 4)
        refused("without it", "argument", "had a call-back", weir.Session.restore, path)
        error = refused("an exception", "call-back", "KeyError: 'mine'", weir.Session.restore, path, on_event=fail)
        holds("and what it was", isinstance(error.__cause__, KeyError))


def check_times():
    with weir.Session(PAIR, events=weir.DELIVERED | weir.COMPLETED | weir.TIMER) as session:
        holds("hosts", session.hosts == 3 and session.reaction_ps == 2 * US)
        number = session.inject(0, 1, 1460, 5 * US, user=7)
        session.at(6 * US, user=9)
        timer = session.advance()
        holds("a timer", len(timer) == 1 and timer[0].kind == weir.TIMER and timer[0].user == 9 and timer[0].src is None)
        holds("nothing before until_ps", session.advance(5 * US + ONE_PS) == [] and session.now_ps == 5 * US + ONE_PS)
        event = session.advance()[0]
        holds("times by hand", (event.at_ps, event.id, event.user, event.src, event.dst, event.bytes) == (5 * US + ONE_PS, number, 7, 0, 1, 1460))
        holds("the floor is a reaction later", session.floor_ps == event.at_ps + 2 * US)
        holds("the sender knows", session.advance()[0].kind == weir.COMPLETED and session.advance() == [])
        late = session.inject(1, 2, 100, session.floor_ps + US)
        session.cancel(late)
        holds("what is cancelled does not start", session.advance() == [] and session.counts().messages_started == 1)
        refused("cancelled twice", "started", "has started", session.cancel, late)


def check_call_backs():
    """A message goes round three hosts, each answering in its own visit; and a clock of a host."""
    seen = []

    def answer(session, event, here):
        seen.append((event.kind, here, event.at_ps))
        if event.kind == weir.DELIVERED and event.user < 5:
            session.inject(here, (here + 1) % 3, 1460, event.at_ps, user=event.user + 1)
        if event.kind == weir.TIMER:
            session.inject(here, 0, 1460, event.at_ps, user=9)

    with weir.Session(PAIR, on_event=answer) as session:
        session.inject(0, 1, 1460, 0, user=0)
        session.host_at(2, 100 * US)
        events = list(session)
        # each answer waits for the ACK of what it answers
        holds("a message goes round", [e.at_ps for e in events[:6]] == [ONE_PS * (i + 1) + ACK_PS * i for i in range(6)])
        holds("a host's clock", (weir.TIMER, 2, 100 * US) in seen and events[-1].at_ps == 100 * US + ONE_PS)

    def wrong(session, event, here):
        if event.kind == weir.DELIVERED:
            session.inject((here + 1) % 3, here, 1, event.at_ps)

    with weir.Session(PAIR, on_event=wrong) as session:
        session.inject(0, 1, 1460, 0)
        refused("a call-back for another host", "call", "cannot do anything for host 2", session.advance)
        holds("the session goes on", session.advance() == [])

    def failing(session, event, here):
        return event.at_ps // 0

    with weir.Session(PAIR, on_event=failing) as session:
        session.inject(0, 1, 1460, 0)
        error = refused("an exception in a call-back", "call-back", f"host 1 at {ONE_PS} ps: ZeroDivisionError", session.advance)
        place = failing.__code__.co_firstlineno + 1
        holds("its place", error is not None and os.path.samefile(error.file, __file__) and error.line == place)
        holds("and what it was", error is not None and isinstance(error.__cause__, ZeroDivisionError))

    def stopping(session, event, here):
        raise KeyboardInterrupt

    with weir.Session(PAIR, on_event=stopping) as session:
        session.inject(0, 1, 1460, 0)
        try:
            session.advance()
            holds("an interrupt in a call-back goes on", False)
        except KeyboardInterrupt:
            holds("an interrupt in a call-back goes on", True)

    def closing(session, event, here):
        if event.kind == weir.DELIVERED:
            session.close()

    with weir.Session(PAIR, on_event=closing) as session:
        session.inject(0, 1, 1460, 0)
        refused("closed in a call-back", "call", "cannot close its session", session.advance)
        holds("it is still open", session.advance() == [])


def check_network():
    """What a session cuts has the digest of a run whose scenario says it; a weight that changes has that of a job's."""
    flows = [(0, 5, 200_000, 0), (1, 6, 200_000, 0), (4, 2, 100_000, 3 * US)]
    common = "fabric: {reroute_delay: 5 us, routing: spray, %s}\n"
    with weir.Session(HEAD + common % "cuttable: core" + SESSION[len(HEAD):]) as session:
        for flow in flows:
            session.inject(*flow)
        session.advance(4 * US)
        holds("the lead", session.lead_ps > 3 * US)
        down = session.floor_ps + session.lead_ps
        session.cut("leaf 0 - spine 1")
        session.mend("leaf 0 - spine 1", down + 40 * US)
        refused("a cable that is none", "argument", "leaf 9", session.cut, "leaf 9 - spine 1", down + 41 * US)
        refused("no name", "argument", "name = 7: must be a text", session.hold, 7)
        refused("changes out of order", "past", "", session.hold, "leaf 0 - spine 1", down)
        holds("all arrive", len(list(session)) == 3)
        digest = session.close().digest
    events = ", ".join(f"{{time: {at} ps, cable: leaf 0 - spine 1, state: {state}}}" for at, state in ((down, "down"), (down + 40 * US, "up")))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cut.yaml"
        (path.parent / "list.csv").write_text("src,dst,bytes,start\n" + "".join(f"{a},{b},{c},{d // US} us\n" for a, b, c, d in flows))
        path.write_text(HEAD + common % f"events: [{events}]" + "protocol: dctcp\ntraffic: [{kind: flows, file: list.csv}]\n" + RUN)
        holds("the digest of the same events", int(weir.run(path, tables=False)["digest"], 16) == digest)
    with weir.Session(PAIR.replace("dctcp", "soze").replace("1..1", "1..8")) as session:
        first, _ = session.inject(0, 2, 400_000, 0), session.inject(1, 2, 400_000, 0)
        session.set_weight(first, 8, 10 * US)
        holds("the heavier one is first", [event.src for event in session] == [0, 1])
        refused("a text as its weight", "argument", "weight = 'x'", session.set_weight, first, "x")


def check_refusals():
    error = refused("a scenario", "scenario", "unknown protocol 'dctpc'", weir.Session, SESSION.replace("dctcp", "dctpc"))
    holds("its place", error is not None and (error.file, error.line) == ("scenario", 2))
    refused("no session item", "scenario", "needs an item of kind session", weir.Session, SESSION.replace("{kind: session}", "{kind: permutation, size: 1 KB}"))
    refused("a number as scenario", "argument", "the scenario is int", weir.Session, 7)
    refused("threads with call-backs", "argument", "threads=1", weir.Session, PAIR, threads=2, on_event=lambda *_: None)
    refused("a key", "scenario", "protocol", weir.Session, PAIR, set={"protocol.nonsense": 3})
    refused("a keyword", "scenario", "nonsense", weir.Session, PAIR, protocol={"nonsense": 3})
    refused("no call-back", "argument", "on_event = 7: must be callable", weir.Session, PAIR, on_event=7)
    refused("a file that is not there", "scenario", "cannot be read", weir.Session, pathlib.Path("/nowhere/x.yaml"))
    with weir.Session(PAIR) as session:
        refused("the past", "past", "in the past", lambda: (session.advance(US), session.inject(0, 1, 1, US - 1)))
        refused("an unknown host", "argument", "host 3: the topology has hosts 0 to 2", session.inject, 3, 1, 1)
        refused("size 0", "argument", "0 bytes", session.inject, 0, 1, 0)
        refused("to itself", "argument", "to itself", session.inject, 1, 1, 1)
        refused("no weights", "argument", "weight", session.inject, 0, 1, 1, weight=-2)
        refused("a text as host", "argument", "src = 'a': must be a whole number", session.inject, "a", 1, 1)
        refused("a fraction of a byte", "argument", "bytes = 1.5", session.inject, 0, 1, 1.5)
        refused("a negative time", "argument", "start_ps = -1", session.inject, 0, 1, 1, -1)
        refused("a time of 2^64", "argument", "start_ps = 18446744073709551616: must be 0 to", session.inject, 0, 1, 1, 1 << 64)
        refused("an item that is none", "argument", "item = None: must be a whole number", session.inject, 0, 1, 1, item=None)
        refused("a group that is none", "argument", "group 1: the item of kind session has 0", session.inject, 0, 1, 1, group=1)
        refused("a negative group", "argument", "group = -1: must be 0 to 4294967295", session.inject, 0, 1, 1, group=-1)
        refused("a text as weight", "argument", "weight = 'x'", session.inject, 0, 1, 1, weight="x")
    refused("a closed session", "call", "is closed", session.advance)
    holds("closed twice", session.close() == session.close())
    error = refused("the command's scenario", "scenario", "nobody gives any here", weir.run, PAIR)
    holds("and its hint", error is not None and "doc/session.md" in error.hint)


def check_changes():
    """Each way to write a change gives the same settings."""
    wanted = ["run.seed=2", "traffic[0].load=80%", "protocol.g=0.0000001", "fabric.pfc=true"]
    flat = {"run.seed": 2, "traffic[0].load": "80%", "protocol.g": 1e-7, "fabric.pfc": True}
    nested = {"run": {"seed": 2}, "traffic": {0: {"load": "80%"}}, "protocol": {"g": 1e-7}, "fabric": {"pfc": True}}
    words = {"run__seed": 2, "traffic__0__load": "80%", "protocol__g": 1e-7, "fabric__pfc": True}
    for given in (flat, nested, words):
        holds(f"changes: {settings(given)}", settings(given) == wanted)
    holds("the last one counts", settings({"a": 1, "b": 2}, {"a": 3}) == ["b=2", "a=3"])
    holds("lists", settings({"sizes": ["1 KB", 7], "hosts": [{"at": "host 1"}, {"at": "host 2"}]}) ==
          ["sizes=1 KB,7", "hosts[0].at=host 1", "hosts[1].at=host 2"])
    refused("nothing as value", "argument", "run.seed = None: must be a text, a number", settings, {"run.seed": None})
    refused("no number as value", "argument", "protocol.g = nan: must be a finite number", settings, {"protocol": {"g": float("nan")}})
    refused("a number as key", "argument", "the key 7: must be a text", settings, {7: 1})
    refused("a list as changes", "argument", "changes are list", settings, ["run.seed=2"])


def frame(what, result, name):
    """A table, and that it is a DataFrame where pandas is there."""
    records = result.records(name)
    if pandas is None:
        refused(f"{what} without pandas", "command", "pandas is not here", lambda: getattr(result, name))
    else:
        found = getattr(result, name)
        holds(f"{what} as DataFrame", len(found) == len(records) and list(found.columns) == list(records[0]))
    return records


def check_results():
    """Tables are those of the result file; times of a lone message are by hand."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "lone.csv").write_text("src,dst,bytes,start\n0,1,1460,5 us\n")
        check_tables(PAIR.replace("{kind: session, weights: 1..1}", f"{{kind: flows, file: {folder}/lone.csv}}"))


def check_tables(lone):
    result = weir.run(lone, run__seed=3)
    messages = frame("messages", result, "messages")
    holds(f"a message {messages}", [(m["src"], m["dst"], m["bytes"], m["start_ps"], m["end_ps"], m["slowdown"]) for m in messages] ==
          [(0, 1, 1460, 5 * US, 5 * US + ONE_PS, 1.0)])
    holds("the dict", result["seed"] == 3 and result["messages_completed"] == 1 and json.loads(json.dumps(result)) == dict(result))
    links = frame("links", result, "links")
    holds("links", len(links) == 6 and {r["from"] for r in links} >= {"host 0", "switch 0"} and
          links[0]["bytes"] == 1538 and isinstance(links[0]["share"], float))
    metrics = {r["name"]: r["value"] for r in frame("metrics", result, "metrics")}
    holds("metrics", metrics["slowdown.all.p50"] == result["slowdown"]["all"]["p50"] == 1.0)
    series = frame("series", result, "series")
    holds("series", {"goodput", "tor_queue_max"} <= {r["name"] for r in series} and all(r["t_ps"] >= 0 for r in series))
    file = result.file
    holds("its file", file.exists())
    del result
    holds("goes with the result", not file.exists())
    bare = weir.run(lone, tables=False)
    refused("no tables", "call", "has no tables", bare.records, "messages")
    refused("a table that is none", "argument", "no table 'flows'", bare.records, "flows")
    with tempfile.TemporaryDirectory() as folder:
        kept = pathlib.Path(folder) / "kept.db"
        first, second = (weir.run(lone, run__seed=seed, output=kept) for seed in (1, 2))
        holds("a file that stays", kept.exists() and len(first.records("messages")) == len(second.records("messages")) == 1)
        path = pathlib.Path(folder) / "lone.yaml"
        path.write_text(lone)
        holds("a path", weir.run(path)["digest"] == weir.run(lone)["digest"])
    error = refused("a run's scenario", "scenario", "unknown protocol 'dctpc'", weir.run, lone.replace("dctcp", "dctpc"))
    holds("its place", error is not None and (error.file, error.line, error.column > 0) == ("scenario.yaml", 2, True) and "dctcp" in error.hint)
    refused("a run's key", "scenario", "nonsense", weir.run, lone, protocol={"nonsense": 1})
    refused("threads", "scenario", "--threads", weir.run, lone, threads=0)


def check_many():
    """compare() and sweep(): a row per run, with what varies as it was given, and the numbers of `weir run`."""
    traffic = HEAD + "protocol: dctcp\ntraffic: [{kind: permutation, size: 20 KB}]\n" + RUN
    found = weir.compare(traffic, ["dctcp", "ndp"], seeds=2, metrics=["goodput_gbps"], keep_messages=3)
    rows = frame("runs", found, "runs")
    holds("compare", sorted((r["protocol"], r["seed"], r["done"]) for r in rows) == [(p, s, True) for p in ("dctcp", "ndp") for s in (1, 2)])
    holds("compare's numbers", list(found["metrics"]) == ["goodput_gbps"] and
          [round(r["goodput_gbps"], 2) for r in rows if r["protocol"] == "ndp"] == [round(r["goodput_gbps"], 2) for r in found["laws"]["ndp"]["runs"]])
    some = weir.run(traffic, keep_messages=3)
    holds("a sample of a run", sum(m["weight"] for m in some.records("messages")) == some["messages_completed"] > len(some.records("messages")) == 3)
    kept = frame("messages", found, "messages")
    holds("messages of each run", all([sum(m["weight"] for m in kept if m["run"] == r["run"]), sum(m["run"] == r["run"] for m in kept)] ==
                                      [r["messages_completed"], 3] for r in rows))
    refused("no messages", "scenario", "--keep-messages = 0: must be 1 to 1000000", weir.compare, traffic, ["dctcp", "ndp"], keep_messages=0)
    axes = {"traffic[0].size": ["10 KB", "30 KB"], "law": {"d": {"protocol": "dctcp"}, "h": {"protocol": {"name": "homa"}}}}
    found = weir.sweep(traffic, axes, seeds=2, jobs=1, host__window=4096)
    rows = frame("runs", found, "runs")
    holds("sweep", sorted((r["traffic[0].size"], r["law"], r["seed"], r["done"]) for r in rows) ==
          [(size, law, seed, True) for size in ("10 KB", "30 KB") for law in ("d", "h") for seed in (1, 2)])
    same = weir.run(traffic, {"traffic[0].size": "30 KB", "protocol.name": "homa", "run.seed": 2, "host.window": 4096}, tables=False)
    holds("a point is a run", [r["digest"] for r in rows if (r["traffic[0].size"], r["law"], r["seed"]) == ("30 KB", "h", 2)] == [same["digest"]])
    holds("series of all runs", {r["run"] for r in found.records("series")} == {r["run"] for r in rows})
    stalls = traffic.replace("all}", "all, stall: 3 ms}")
    rows = weir.sweep(stalls, {"fabric.loss": ["0", "100%"]}).records("runs")
    holds("a point that fails has a row", [(r["fabric.loss"], r["done"], r["digest"] is None) for r in rows] == [("0", True, False), ("100%", False, True)])
    holds("a run that stalls is a result", weir.run(stalls, fabric__loss="100%", tables=False)["verdict"] == "stalled")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sweep.yaml"
        (path.parent / "net.yaml").write_text(traffic)
        path.write_text("scenario: net.yaml\naxes: [{name: seed, set: {run.seed: $}, values: [1, 2]}]\n")
        kept = pathlib.Path(folder) / "kept.db"
        rows = weir.sweep(path, output=kept).records("runs")
        holds("a sweep's file", [(r["name"], r["done"]) for r in rows] == [("1", True), ("2", True)])
        holds("what has run stays", weir.sweep(path, output=kept).records("runs") == rows)
    refused("a sweep of nothing", "argument", "without axes", weir.sweep, traffic)
    refused("axes that are none", "argument", "axes: give a dict", weir.sweep, traffic, ["run.seed"])
    refused("an axis of a wrong key", "scenario", "nonsense", weir.sweep, traffic, {"protocol.nonsense": [1]})
    refused("one protocol", "scenario", "--protocols", weir.compare, traffic, ["dctcp"])


def check_keys():
    """weir.keys has the keys of doc/scenario.md, with their texts."""
    keys = weir.keys.every()
    with open(TREE / "doc/scenario.md", encoding="utf-8") as file:
        wanted = [row.split("|")[1].strip() for row in file if row.startswith("| ") and not row.startswith("| key ")]
    holds("the keys of doc/scenario.md", sorted(key.split(".")[-1] for key in keys) == sorted(wanted) and len(keys) > 200)
    g = weir.keys.dctcp.g
    holds("a key", g == "protocol.g" and g.default == "0.0625" and g.allowed.startswith("fraction") and g.meaning in g.__doc__)
    holds("a nested section", weir.keys.fabric.ecn.threshold == "fabric.ecn.threshold" and "threshold: " in weir.keys.fabric.ecn.__doc__)
    size = weir.keys.fabric.buffer
    holds("a choice", size.allowed == "size, 1 B to 1 TB | unlimited" and size.default == "unlimited")
    holds("a key that is a section, too", weir.keys.fabric.loss.section_key == "fabric.loss" and weir.keys.fabric.loss.rate == "fabric.loss[0].rate")
    holds("an item's key", weir.keys.traffic.load == "traffic[0].load")
    holds("dir", {"topology", "dctcp", "fabric"} <= set(dir(weir.keys)))
    try:
        weir.keys.nonsense
        holds("a section that is none", False)
    except AttributeError as error:
        holds(f"a section that is none: {error}", "no section or protocol 'nonsense'" in str(error))
    holds("explain", "fraction, 0.000001 to 1" in weir.explain("dctcp.g"))
    refused("explain nonsense", "scenario", "nothing is called", weir.explain, "nonsense-of-nobody")


def check_types():
    """The package is clean for mypy, where that is installed."""
    if shutil.which("mypy"):
        judged = subprocess.run(["mypy", "--strict", "--cache-dir", os.devnull, "--config-file", "python/mypy.ini", "python/weir"], cwd=TREE,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        holds(f"mypy: {judged.stdout}{judged.stderr}", judged.returncode == 0)
    else:
        print("mypy is not here: types are not checked")


check_changes()
check_results()
check_many()
check_keys()
check_types()
check_digests()
check_times()
check_call_backs()
check_network()
check_snapshot()
check_restored_call_backs()
check_refusals()
spaces.finish()
