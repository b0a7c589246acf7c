#!/usr/bin/env python3
"""test/cli/python_sim.py WEIR LIBRARY - the Python package over libweirsim and over the command: the same digests as `weir run`, and one
exception for all that is refused."""
import os
import pathlib
import sys
import tempfile

os.environ["WEIR"], os.environ["WEIR_SIM_LIBRARY"] = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import spaces  # noqa: E402
import weir  # noqa: E402
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
        digest = int(weir.run(path)["digest"], 16)
    for threads in (1, 2):
        with weir.Session(SESSION, threads=threads) as session:
            for src, dst, size, start in flows:
                session.inject(src, dst, size, start, user=size)
            events = list(session)
            holds("all messages arrive", sorted(e.user for e in events) == sorted(f[2] for f in flows))
            holds("events are in order", [e.at_ps for e in events] == sorted(e.at_ps for e in events))
            holds(f"the digest of weir run, {threads} threads", session.close().digest == digest)
            holds("counts of a closed session", session.counts().messages_delivered == len(flows))


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


def check_refusals():
    error = refused("a scenario", "scenario", "unknown protocol 'dctpc'", weir.Session, SESSION.replace("dctcp", "dctpc"))
    holds("its place", error is not None and (error.file, error.line) == ("scenario", 2))
    refused("no session item", "scenario", "needs an item of kind session", weir.Session, SESSION.replace("{kind: session}", "{kind: permutation, size: 1 KB}"))
    refused("a number as scenario", "argument", "the scenario is int", weir.Session, 7)
    refused("threads with call-backs", "argument", "threads=1", weir.Session, PAIR, threads=2, on_event=lambda *_: None)
    refused("a key", "scenario", "protocol", weir.Session, PAIR, set={"protocol.nonsense": 3})
    with weir.Session(PAIR) as session:
        refused("the past", "past", "in the past", lambda: (session.advance(US), session.inject(0, 1, 1, US - 1)))
        refused("an unknown host", "argument", "host 3: the topology has hosts 0 to 2", session.inject, 3, 1, 1)
        refused("size 0", "argument", "0 bytes", session.inject, 0, 1, 0)
        refused("to itself", "argument", "to itself", session.inject, 1, 1, 1)
        refused("no weights", "argument", "weight", session.inject, 0, 1, 1, weight=-2)
        refused("a text as host", "argument", "src = 'a': must be a whole number", session.inject, "a", 1, 1)
        refused("a fraction of a byte", "argument", "bytes = 1.5", session.inject, 0, 1, 1.5)
        refused("a negative time", "argument", "start_ps = -1", session.inject, 0, 1, 1, -1)
        refused("a text as weight", "argument", "weight = 'x'", session.inject, 0, 1, 1, weight="x")
    refused("a closed session", "call", "is closed", session.advance)
    holds("closed twice", session.close() == session.close())
    error = refused("the command's scenario", "scenario", "nobody gives any here", weir.run, PAIR)
    holds("and its hint", error is not None and "doc/session.md" in error.hint)
    found = weir.compare(HEAD + "traffic: [{kind: permutation, size: 20 KB}]\n" + RUN, ["dctcp", "ndp"], seeds=1)
    holds("compare", len(found) > 0)


check_digests()
check_times()
check_call_backs()
check_refusals()
spaces.finish()
