#!/usr/bin/env python3
"""test/cli/signals.py - a signal at each stage of each command that runs for a while or keeps a result file.

usage: signals.py WEIR SIGNAL_AT.so [all]

Every command runs once undisturbed, while signal_at.c counts its calls of a few functions: the file is opened, a row is read, a
transaction is committed, a file is renamed, a child has ended. Then it runs again, and a signal comes at the middle one of these calls;
with `all` also at the first and the last. So no test waits. The command ends with 128 + the signal and a sentence, or by the signal itself
where it has nothing to take down, or with its usual status if nothing was left to do. Its files are whole or not there, the result file is
sound and has no run that is `running`, and the same command then goes on. compare, tune and reproduce run points as sweep does: `all`.
"""
import glob
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

STAR = """name: tiny
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
traffic:
  - {kind: poisson, sizes: 10 KB, load: 30%}
run: {warmup: 100 us, measure: 200 us, seed: 1}
"""
NET = """scenario: star.yaml
axes:
  - {name: load, set: {"traffic[0].load": $}, values: [30%, 40%]}
"""
PAPER = """title: A tiny paper
axes:
  - {name: load, load: $%, set: {"traffic[0].load": $%}, scenario: ../star.yaml, values: [30, 40]}
figures:
  - {name: main, title: One, sweeps: [{load: all}], tables: [{name: g, title: Goodput, value: goodput_gbps, over: load}]}
"""
PAIRS = STAR.replace("{kind: poisson, sizes: 10 KB, load: 30%}", "{kind: permutation, size: 10 KB}")
ALIKE = ("compare", "tune", "reproduce")
TOO_FAST = ("diff", "allocate")  # of files this small: they are done before they look
# name, arguments, status of its own (None: whatever it is undisturbed), files that are whole or absent; result files are found by their end
COMMANDS = [
    ("run", ["run", "star.yaml", "-o", "new.db", "--messages", "m.csv", "--series", "10us"], 0, ["m.csv"]),
    ("run into a file", ["run", "star.yaml", "-o", "old.db"], 0, []),
    ("sweep", ["sweep", "net.yaml", "-o", "new.db", "--jobs", "1"], 0, ["new.html"]),
    ("compare", ["compare", "star.yaml", "--protocols", "dctcp,swift", "--seeds", "1", "-o", "new.db", "--jobs", "1"], 0, ["new.html"]),
    ("tune", ["tune", "star.yaml", "--key", "protocol.g=0.06..0.07", "--for", "slowdown.all.p99", "--seeds", "1", "-o", "new.db", "--jobs", "1"], 0, ["new.html"]),
    ("reproduce", ["reproduce", "./paper/", "-o", "new.db", "--jobs", "1"], 0, ["new.html"]),
    ("report", ["report", "old.db", "-o", "page.html"], 0, ["page.html"]),
    ("export", ["export", "old.db", "--table", "message", "-o", "m.csv"], 0, ["m.csv"]),
    ("export to stdout", ["export", "old.db", "--table", "message"], 0, []),
    ("diff", ["diff", "old.db", "other.db"], None, []),
    ("status", ["status", "net.yaml", "-o", "old.db"], None, []),
    ("scoreboard", ["scoreboard", "old.db"], 0, []),
    ("merge", ["merge", "new.db", "old.db"], 0, []),
    ("merge into a file", ["merge", "other.db", "old.db"], 0, []),
    ("allocate", ["allocate", "pairs.yaml", "--csv", "a.csv"], 0, ["a.csv"]),
]
failures = checks = 0


def holds(condition, what):
    global failures, checks
    checks += 1
    if not condition:
        failures += 1
        print(f"not ok: {what}")


def prepare(weir):
    for name, text in (("star.yaml", STAR), ("net.yaml", NET), ("pairs.yaml", PAIRS), ("paper/experiment.yaml", PAPER)):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    for argv in (["sweep", "net.yaml", "-o", "old.db", "--report", "/dev/null"], ["run", "star.yaml", "-o", "old.db", "--series", "10us"]):
        subprocess.run([weir, *argv], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    subprocess.run([weir, "run", "star.yaml", "-o", "other.db"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    os.mkdir("sound")
    for name in ("old.db", "other.db"):
        os.rename(name, os.path.join("sound", name))


def begin():
    """The folder as it was."""
    for name in glob.glob("*.db*") + glob.glob("*.html*") + glob.glob("*.csv*"):
        os.remove(name)
    for name in ("old.db", "other.db"):
        shutil.copy(os.path.join("sound", name), name)


def call(weir, shim, argv, **more):
    env = {**os.environ, "LD_PRELOAD": shim, "PATH": "/nonexistent", **more}
    return subprocess.run([weir, *argv], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=env, timeout=60)


def look_at_files(what, done, whole):
    """What a command left: sound result files, whole files, and nothing else beside them."""
    for name in glob.glob("*.db"):
        connection = sqlite3.connect(name)
        holds(connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)], f"{what}: {name} is damaged")
        running = connection.execute("SELECT count(*) FROM run WHERE status = 'running'").fetchone()[0]
        holds(running == 0, f"{what}: {running} runs of {name} are running")
        connection.close()
    for name in whole:
        if not os.path.exists(name):
            holds(done.returncode != 0, f"{what}: no {name}")
            continue
        with open(name, encoding="utf-8") as file:
            text = file.read()
        holds(text.endswith("\n") and ("<html" not in text or text.rstrip().endswith("</html>")), f"{what}: half of {name}")
    others = [n for n in glob.glob("*.db?*") + glob.glob("*.html?*") + glob.glob("*.csv?*") + glob.glob(".*")]
    holds(not others, f"{what}: {others} are left")


def disturb(weir, shim, name, argv, usual, whole, at, number):
    begin()
    what = f"weir {name}, {signal.Signals(number).name} at call {at}"
    done = call(weir, shim, argv, WEIR_SIGNAL_AT=f"{at}:{int(number)}")
    holds(done.returncode in (usual, 128 + number, -number), f"{what}: exit {done.returncode}: {done.stderr[:400]}")
    if done.returncode == 128 + number:
        lines = [line for line in done.stderr.split("\n") if "interrupted" in line]
        holds(len(lines) == 1, f"{what}: {len(lines)} sentences say that it was interrupted: {done.stderr[:400]!r}")
    look_at_files(what, done, whole)
    return done.returncode != usual


def stages(counts, every):
    """The middle call of each function that was called; also the first and the last, if asked for."""
    for function, count in counts.items():
        middle = {(count + 1) // 2} if count > 0 else set()
        for call_number in sorted(middle | {1, count} if middle and every else middle):
            yield f"{function}:{call_number}"


def try_command(weir, shim, every, name, argv, usual, whole):
    begin()
    done = call(weir, shim, argv, WEIR_SIGNAL_COUNTS="counts")
    usual = done.returncode if usual is None else usual
    holds(done.returncode == usual, f"weir {name}: exit {done.returncode}: {done.stderr[:400]}")
    look_at_files(f"weir {name}", done, whole)
    with open("counts", encoding="utf-8") as file:
        counts = {line.split()[0]: int(line.split()[1]) for line in file}
    os.remove("counts")
    tried = ended = 0
    for i, at in enumerate(stages(counts, every)):
        number = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[i % 3]
        ended += disturb(weir, shim, name, argv, usual, whole, at, number)
        tried += 1
    if ended > 0 and tried > 0:
        again = call(weir, shim, argv)
        holds(again.returncode == usual, f"weir {name} again: exit {again.returncode}: {again.stderr[:400]}")
    holds(ended > 0 or name in TOO_FAST, f"weir {name}: no signal of {tried} ended it")
    print(f"  {name}: {tried} stages, {ended} ended by the signal")
    return tried


def try_waiting(weir, shim):
    """A server that nobody calls ends, also where the signal comes just before it begins to wait."""
    for transport, number in (("sird", signal.SIGTERM), ("sird", signal.SIGHUP), ("tcp", signal.SIGINT)):
        done = call(weir, shim, ["serve", "--bind", "127.0.0.1:0", "--transport", transport], WEIR_SIGNAL_AT=f"ppoll:1:{int(number)}")
        holds(done.returncode == 0, f"weir serve, {number.name} before it waits: exit {done.returncode}: {done.stderr[:400]}")


def main():
    weir, shim = (os.path.abspath(path) for path in sys.argv[1:3])
    every = sys.argv[3:] == ["all"]
    for number in (signal.SIGINT, signal.SIGHUP):  # which who started this may have ignored, as `nohup` does
        signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare(weir)
        tried = sum(try_command(weir, shim, every, *command) for command in COMMANDS if every or command[0] not in ALIKE)
        try_waiting(weir, shim)
        os.chdir("/")
    print(f"{tried} stages, {checks} checks, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
