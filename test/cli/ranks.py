#!/usr/bin/env python3
"""test/cli/ranks.py - one simulation in several processes (doc/mpi.md): the files and numbers of one process, what is refused, and that
no process is left when one of them is killed or the user interrupts. With mpirun, the same by MPI.

usage: ranks.py BINARY
"""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

WEIR = os.path.abspath(sys.argv[1])
SCENARIO = """
topology: {kind: fat-tree, k: 4}
protocol: {name: hpcc}
fabric: {buffer: 340 KB, pfc: {kind: static, xoff: 30 KB}, reroute_delay: 5 us,
         events: [{time: 150 us, cable: edge 0 - agg 0, state: down}, {time: 190 us, cable: edge 0 - agg 0, state: up}]}
traffic:
  - {kind: poisson, sizes: wkb, load: 50%}
  - {kind: incast, fan_in: 8, size: 60 KB, period: 60 us}
run: {warmup: 100 us, measure: 200 us}
"""
LONG = """
topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2}
protocol: {name: dctcp}
traffic: [{kind: poisson, sizes: wkb, load: 60%}]
run: {warmup: 0 us, measure: 100 s}
"""
# Of the machine, or of how a run is divided (doc/model.md [counting.ranks]).
APART = {"wall_s", "setup_s", "threads", "ranks", "peak_rss_bytes", "packet_hops_per_s", "peak_packets_in_flight", "bytes_per_packet",
         "state_bytes", "fifo_bytes", "calm_windows", "exact_windows", "handovers", "simulated_per_wall_s"}
FILES = {"--messages": "m.csv", "--links": "l.csv", "--pauses": "p.txt", "--fct": "f.txt", "--pcap": "c.pcapng", "--trace": "t.json"}
failures = []


def holds(what, is_so, seen=""):
    if not is_so:
        failures.append(what)
        print(f"not ok: {what}: {seen}")


def run(*args, launcher=()):
    return subprocess.run([*launcher, WEIR, "run", *args, "--progress", "never"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=100)


def whole(folder, ranks, threads=1, launcher=()):
    """Numbers and files of a run; `folder` gets the files."""
    os.mkdir(folder)
    files = [word for option, name in FILES.items() for word in (option, os.path.join(folder, name))]
    divided = ["--ranks", str(ranks)] if not launcher else []
    done = run("s.yaml", "--json", "--check", "--threads", str(threads), *divided, *files, "-o", os.path.join(folder, "r.db"),
               launcher=launcher)
    holds(f"{folder}: exit status 0", done.returncode == 0, done.stderr)
    numbers = json.loads(done.stdout) if done.returncode == 0 else {}
    found = {key: value for key, value in numbers.items() if key not in APART}
    for name in FILES.values():
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    with sqlite3.connect(os.path.join(folder, "r.db")) as store:
        for table, in store.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('message', 'series', 'histogram')"):
            found[table] = sorted(map(repr, store.execute(f"SELECT * FROM {table}")))
    return found


def compare(one, other, who):
    holds(f"{who}: the same keys", one.keys() == other.keys(), one.keys() ^ other.keys())
    for key in one.keys() & other.keys():
        holds(f"{who}: the same {key}", one[key] == other[key], f"{str(one[key])[:300]} {str(other[key])[:300]}")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def started(ranks):
    """A long run, once all of its processes are there."""
    process = subprocess.Popen([WEIR, "run", "long.yaml", "--ranks", str(ranks), "--progress", "never"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and len(children(process.pid)) < ranks - 1:
        pass
    return process, children(process.pid)


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def ends(process, pids, who):
    """The end of a run that something happened to: (status, stderr). No process may be left."""
    out, err = process.communicate(timeout=60)
    while not all(is_gone(pid) for pid in pids):  # the kernel ends them with their parent: bounded by the test's own limit
        pass
    holds(f"{who}: nothing is left", all(is_gone(pid) for pid in pids))
    return process.returncode, out, err


def check_ends():
    process, pids = started(3)
    os.kill(pids[-1], signal.SIGKILL)
    status, _, err = ends(process, pids, "a rank is killed")
    holds("a rank is killed: status 3", status == 3, status)
    holds("a rank is killed: it is said", "rank 2 of 3 was killed by signal 9" in err, err)
    process, pids = started(3)
    os.kill(process.pid, signal.SIGKILL)
    ends(process, pids, "rank 0 is killed")
    process, pids = started(2)
    os.kill(process.pid, signal.SIGTERM)
    status, out, err = ends(process, pids, "interrupted")
    holds("interrupted: status 143", status == 143, status)
    holds("interrupted: what was done is printed", "digest" in out and "interrupted" in err, out + err)


def check_refusals():
    for value in ("0", "65", "two"):
        done = run("s.yaml", "--ranks", value)
        holds(f"--ranks {value} is refused", done.returncode == 2 and "must be a whole number, 1 to 64" in done.stderr, done.stderr)
    done = run("tiny.yaml", "--ranks", "4")
    holds("more ranks than nodes", done.returncode == 2 and "4 threads of all ranks are more than the topology's 3 nodes" in done.stderr, done.stderr)


def check_mpi(one):
    module = os.path.join(os.path.dirname(WEIR), "weir-mpi.so")
    if shutil.which("mpirun") is None or not os.path.exists(module):
        print("skipped: MPI: there is no mpirun, or no module")
        return
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2"]
    compare(one, whole("mpi", 2, launcher=launcher), "2 ranks by MPI")
    done = run("s.yaml", "--ranks", "2", launcher=launcher)
    holds("--ranks under mpirun", "mpirun has started the processes already" in done.stderr, done.stderr)
    done = subprocess.run(launcher[:-1] + ["1", WEIR, "run", "s.yaml", ":", "-np", "1", WEIR, "run", "tiny.yaml"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=100)
    holds("two scenarios", "have another scenario" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        tiny = "topology: {kind: star, hosts: 2}\nprotocol: dctcp\ntraffic: [{kind: permutation, size: 10 KB}]\nrun: {measure: all}\n"
        texts = {"s": SCENARIO, "long": LONG, "tiny": tiny}
        for name, text in texts.items():
            with open(name + ".yaml", "w", encoding="ascii") as file:
                file.write(text)
        one = whole("one", 1)
        holds("there are messages, pauses and packets", all(one.get(name) for name in FILES.values()))
        compare(one, whole("two", 2), "2 ranks")
        compare(one, whole("three", 3, threads=2), "3 ranks of 2 threads")
        check_ends()
        check_refusals()
        check_mpi(one)
        os.chdir("/")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
