#!/usr/bin/env python3
"""test/cli/hostile.py - hostile result files (test/fuzz/hostile.h), opened by every command that opens one.

usage: hostile.py WEIR HOSTILE_FILE [FIRST COUNT]

Seeds below the number of kinds make a file of one kind of change, the others of several. A command ends with one sentence or
does its work, and takes at most a second of CPU more than with a sound file; nothing in the file runs, and nothing that is no
text reaches the terminal. Prints how many files were refused, by command, and the longest CPU time.
"""
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unicodedata

STAR = """name: tiny
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
traffic:
  - {kind: poisson, sizes: 10 KB, load: 30%}
run: {warmup: 100 us, measure: 200 us, seed: 1}
"""
NET = 'scenario: star.yaml\naxes:\n  - {name: load, set: {"traffic[0].load": $}, values: [30%]}\n'
PAPER = ('title: A tiny paper\naxes:\n  - {name: load, load: $%, set: {"traffic[0].load": $%}, scenario: ../star.yaml, values: [30]}\n'
         "figures:\n  - {name: main, title: One, sweeps: [{load: all}], tables: [{name: g, title: Goodput, value: goodput_gbps, over: load}]}\n")
READ = [["report", "bad.db", "-o", "page.html"], ["scoreboard", "bad.db"], ["export", "bad.db"], ["export", "bad.db", "--table", "message"],
        ["diff", "bad.db", "sound.db"], ["diff", "sound.db", "bad.db", "--json"], ["status", "net.yaml", "-o", "bad.db"],
        ["status", "net.yaml", "-o", "sound.db", "bad.db"]]
WRITE = [["merge", "copy.db", "bad.db"], ["merge", "bad.db", "copy.db"], ["run", "star.yaml", "-o", "bad.db"], ["sweep", "net.yaml", "-o", "bad.db", "--jobs", "1"],
         ["compare", "star.yaml", "--protocols", "dctcp,swift", "--seeds", "1", "-o", "bad.db", "--jobs", "1"],
         ["tune", "star.yaml", "--key", "protocol.g=0.06..0.07", "--for", "slowdown.all.p99", "--seeds", "1", "-o", "bad.db", "--jobs", "1"],
         ["reproduce", "./paper/", "-o", "bad.db", "--jobs", "1"]]
CPU_SECONDS = 1.0  # so much longer may a command take than with a sound file
failures = checks = 0


def holds(condition, what):
    global failures, checks
    checks += 1
    if not condition:
        failures += 1
        print(f"not ok: {what}")


def prepare(weir):
    os.mkdir("paper")
    for name, text in (("star.yaml", STAR), ("net.yaml", NET), ("paper/experiment.yaml", PAPER), ("user", "a file of the user\n")):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    os.environ["PATH"] = "/nonexistent"  # no gnuplot
    for argv in (["sweep", "net.yaml", "-o", "sound.db", "--report", "/dev/null"], ["run", "star.yaml", "-o", "sound.db", "--series", "10us"]):
        subprocess.run([weir, *argv], stdin=subprocess.DEVNULL, capture_output=True, check=True)


def is_text(data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return all(c == "\n" or unicodedata.category(c) != "Cc" for c in text)


def call(weir, argv):
    """(exit status, stderr, seconds of CPU with children); it is ended after 20 s of CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([weir, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, done.stderr, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def canaries():
    try:
        connection = sqlite3.connect("bad.db")
        count = connection.execute("SELECT count(*) FROM canary").fetchone()[0]
        connection.close()
        return count
    except (sqlite3.Error, UnicodeDecodeError):
        return 0  # there are none


def content(name):
    """The first megabyte and the size: some files are 500 MB of holes."""
    with open(name, "rb") as file:
        return file.read(1 << 20), os.path.getsize(name)


def seconds_with_sound_file(weir):
    """By command, as `tune` runs five scenarios."""
    seconds = []
    for argv in READ + WRITE:
        for copy in ("bad.db", "copy.db"):
            shutil.copy("sound.db", copy)
        seconds.append(call(weir, argv)[2])
    return seconds


def try_file(weir, maker, seed, ordinary, tally):
    for argv, usual in zip(READ + WRITE, ordinary):
        what = subprocess.run([maker, "sound.db", "bad.db", os.path.abspath("user"), str(seed)], capture_output=True, text=True, check=True).stdout.strip()
        shutil.copy("sound.db", "copy.db")
        before, sound = content("bad.db"), content("sound.db")
        status, said, seconds = call(weir, argv)
        name = f"seed {seed} ({what}), weir {' '.join(argv)}"
        holds(status in (0, 1, 2, 3, 75), f"{name}: exit {status}: {said[-300:]}")
        holds(is_text(said), f"{name}: {said[:300]}")
        lines = [line for line in said.decode("utf-8", "replace").split("\n") if line and not line.startswith("  ") and ", and ignored: " not in line and "at most 11 values" not in line]
        if status == 2:
            holds(len(lines) == 1, f"{name}: {len(lines)} sentences: {lines[:4]}")
        if status == 2 or (argv in READ and "log" not in what and "journal" not in what):
            holds("log" in what or "journal" in what or content("bad.db") == before, f"{name}: the file is another")
        holds(content("sound.db") == sound, f"{name}: the sound file is another")
        holds(os.path.exists("user"), f"{name}: a file of the user is gone")
        holds("journal" in what or canaries() == 0, f"{name}: something in the file ran")  # to open it here would remove the user's file
        holds(seconds < usual + CPU_SECONDS, f"{name}: {seconds:.2f} s of CPU, and {usual:.2f} with a sound file")
        of = tally.setdefault(argv[0], [0, 0, 0.0])
        of[0] += 1
        of[1] += status != 0
        of[2] = max(of[2], seconds)


def main():
    weir, maker = (os.path.abspath(path) for path in sys.argv[1:3])
    first, count = (int(a) for a in sys.argv[3:5]) if len(sys.argv) == 5 else (0, 24)
    tally = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare(weir)
        ordinary = seconds_with_sound_file(weir)
        for seed in range(first, first + count):
            try_file(weir, maker, seed, ordinary, tally)
        os.chdir("/")
    for command, (calls, refused, longest) in tally.items():
        print(f"  {command}: {calls} calls, {refused} refused, {longest:.2f} s of CPU at most")
    print(f"{count} files, {checks} checks, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
