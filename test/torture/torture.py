#!/usr/bin/env python3
"""test/torture/torture.py BUILD [--minutes N] [--seed N] [--command NAME].. [--site SITE:N] - one call fails, and weir says so.

Links BUILD/weir again with test/torture/fail.c, and runs commands on a scenario of a few milliseconds. A first run of each lists its call
sites: a call of the C library in weir's code with eight return addresses. Then, once per site that no earlier command had, its first and its
last call fail. SQLite's own allocations are one site, of which a sample of 200 fails, by seed. After each run

* the program ended with a status of its own, and by no signal;
* no sanitizer found anything, leaks included;
* a status that is not 0 has its sentence on stderr;
* a file it was to write is whole, or what it was before, or is not there; no temporary file is left.

BUILD is a build with AddressSanitizer and frame pointers, as `./dev soak` makes it. --minutes is CPU time, 10 by default; what was not tried
then is said. --site repeats one case and shows what the program said.
Exit status: 0 all is well, 1 a case is not, 2 usage.
"""
import argparse
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

import linked

# Those that end in 64 are what glibc's headers call with _FILE_OFFSET_BITS=64, as meson sets it.
WRAPPED = ("malloc calloc realloc aligned_alloc strdup strndup realpath fopen fopen64 fdopen tmpfile tmpfile64 open_memstream opendir socket bind "
           "epoll_create1 eventfd pipe pipe2 fork fsync fflush rename dup mmap mmap64 pthread_create sendmsg sendmmsg write open open64").split()
SQLITE = "0"
SQLITE_SAMPLE = 200
SENTENCE = re.compile(r"^(weir|[\w./-]+\.(yaml|db|csv|html)(:\d+)*): .", re.M)  # of the program, or of a file and a place in it
SANITIZED = 99  # exit status after a finding
PATIENCE_S = 60
SCENARIO = """\
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
fabric: {ecn: {threshold: 60 KB}}
traffic: [{kind: incast, fan_in: 2, size: 20 KB, period: 50 us, stop: 100 us}, {kind: permutation, size: 30 KB}]
run: {warmup: 0 us, measure: all}
"""


SWEEP = """\
scenario: s.yaml
seeds: 2
axes:
  - {name: protocol, set: {protocol.name: $}, values: [dctcp]}
"""


class Command:
    """What is run, which files it writes, and what has to be there before."""

    def __init__(self, name, words, writes=(), before=()):
        self.name, self.words, self.writes, self.before = name, words, writes, before


COMMANDS = [
    Command("run", "run s.yaml"),
    Command("run -o", "run s.yaml -o r.db", ["r.db"]),
    Command("run files", "run s.yaml --messages m.csv --links l.csv --trace t.json --pcap p.pcapng --check --json", ["m.csv", "l.csv", "t.json", "p.pcapng"]),
    Command("run threads", "run s.yaml --threads 2"),
    Command("run again", "run s.yaml --seed 2 -o old.db", ["old.db"], ["old.db"]),
    Command("sweep", "sweep sweep.yaml -o w.db --report w.html --jobs 1", ["w.db", "w.html"]),
    Command("compare", "compare s.yaml --protocols dctcp,sird --seeds 1 -o c.db --report c.html --jobs 1", ["c.db", "c.html"]),
    Command("report", "report old.db -o r.html", ["r.html"], ["old.db"]),
    Command("export", "export old.db --table message -o e.csv", ["e.csv"], ["old.db"]),
    Command("allocate", "allocate s.yaml --json"),
    Command("serve", "serve --bind 127.0.0.1:0"),
    Command("load", "load 127.0.0.1:PORT --sizes fixed:1KB --count 4"),
]


def judge_file(path, old):
    """What is wrong with a file that the command writes: None if it is whole, unchanged or not there."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as f:
        content = f.read()
    if old is not None and content == old:
        return None
    if path.endswith(".db"):
        try:
            db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            sound = db.execute("PRAGMA integrity_check").fetchone()[0]
            half = db.execute("SELECT count(*) FROM run AS r WHERE status = 'done' AND NOT EXISTS (SELECT 1 FROM metric WHERE run = r.id)").fetchone()[0]
            db.close()
        except sqlite3.Error as error:
            return f"{path}: {error}"
        return f"{path}: {sound}" if sound != "ok" else f"{path}: {half} runs are done and have no metrics" if half else None
    ends = {".html": b"</html>\n", ".json": b"]\n"}.get(os.path.splitext(path)[1], b"")
    whole = content.endswith(ends) or content.endswith(b"}\n")
    if path.endswith(".csv"):
        whole = content.endswith(b"\n") and len({line.count(b",") for line in content.splitlines()}) == 1
    return None if whole else f"{path}: ends early, with {content[-20:]!r}"


class Torture:
    def __init__(self, weir, folder):
        self.weir, self.folder, self.tried, self.calls = weir, folder, set(), 0
        self.kept = os.path.join(folder, "kept")
        os.mkdir(self.kept)
        for name, text in (("s.yaml", SCENARIO), ("sweep.yaml", SWEEP)):
            with open(os.path.join(self.kept, name), "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run([weir, "run", "s.yaml", "-o", "old.db", "--seed", "3"], cwd=self.kept, capture_output=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"torture: the scenario does not run: {done.stderr.decode()}")
        for name in ("old.db-wal", "old.db-shm"):
            if os.path.exists(os.path.join(self.kept, name)):
                os.unlink(os.path.join(self.kept, name))

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": self.folder, "LC_ALL": "C.UTF-8", "UBSAN_OPTIONS": f"exitcode={SANITIZED}:halt_on_error=1",
                "ASAN_OPTIONS": f"exitcode={SANITIZED}:allocator_may_return_null=1:detect_leaks=1", **more}

    def start_server(self):
        server = subprocess.Popen([self.weir, "serve", "--bind", "127.0.0.1:0"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                                  env=self.environment())
        line = server.stderr.readline()
        return server, re.search(r":(\d+)", line).group(1)

    def call(self, command, **more):
        """Runs the command in a folder of its own. Returns (status, stdout and stderr as text, folder)."""
        work = os.path.join(self.folder, "work")
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.kept, work)
        words, server = command.words, None
        if command.name == "load":
            server, port = self.start_server()
            words = words.replace("PORT", port)
        process = subprocess.Popen([self.weir, *words.split()], cwd=work, env=self.environment(**more), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
        if command.name == "serve":  # ended once it listens, or by what failed
            line = process.stderr.readline()
            if process.poll() is None and "serving on" in line:
                process.send_signal(signal.SIGTERM)
        else:
            line = ""
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            err += f"\ntorture: no end within {PATIENCE_S} s"
        if server is not None:
            server.terminate()
            server.communicate()
        self.calls += 1
        return process.returncode, out, line + err, work

    def sites(self, command):
        """{site: (name, calls)} of a run in which nothing fails."""
        path = os.path.join(self.folder, "sites")
        if os.path.exists(path):
            os.unlink(path)
        status, _, err, _ = self.call(command, TORTURE_SITES=path)
        if status != 0:
            raise SystemExit(f"torture: {command.name}: status {status} where nothing fails: {err}")
        found = {}
        with open(path, encoding="ascii") as f:
            for line in f:
                name, site, calls = line.split()
                found[site] = (name, max(int(calls), found.get(site, ("", 0))[1]))  # of several processes the largest: each fails apart
        return found

    def try_one(self, command, site, number):
        """What is wrong if the number-th call at the site fails: a text, or None."""
        status, out, err, work = self.call(command, TORTURE_FAIL=f"{site}:{number}")
        wrong = []
        if status == SANITIZED or "Sanitizer" in err or "runtime error:" in err:
            found = re.search(r"(ERROR|runtime error|SUMMARY): .*", err)
            wrong.append(found.group(0) if found else "a sanitizer's finding")
        elif status < 0:
            wrong.append(f"ended by signal {-status}")
        elif "no end within" in err:
            wrong.append(err.strip().splitlines()[-1])
        elif status != 0 and not SENTENCE.search(err):
            wrong.append(f"status {status} without a sentence")
        elif status == 1:
            wrong.append("status 1")
        for name in command.writes:
            old = os.path.join(self.kept, name)
            wrong.append(judge_file(os.path.join(work, name), open(old, "rb").read() if os.path.exists(old) else None))
        left = set(os.listdir(work)) - set(os.listdir(self.kept)) - set(command.writes)
        left -= {name + end for name in command.writes for end in ("-wal", "-shm")}
        wrong.append(f"left: {', '.join(sorted(left))}" if left else None)
        wrong = [text for text in wrong if text]
        return (status, out, err, "; ".join(wrong))


def cases_of(found, tried, draw):
    """[(site, number)] of one command's sites that were not tried."""
    cases = []
    for site, (_, calls) in sorted(found.items()):
        if site == SQLITE:
            cases += [(site, n) for n in sorted(draw.sample(range(1, calls + 1), min(calls, SQLITE_SAMPLE)))]
        elif site not in tried:
            tried.add(site)
            cases += [(site, n) for n in sorted({1, calls})]
    return cases


def cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", action="append", choices=[c.name for c in COMMANDS])
    parser.add_argument("--site", help="SITE:N, with one --command")
    args = parser.parse_args()
    if args.site and len(args.command or []) != 1:
        parser.error("--site: which command? --command NAME")
    weir, draw, faults = linked.link(args.build, "fail.c", "-ldl", *("-Wl,--wrap=" + name for name in WRAPPED)), random.Random(args.seed), 0
    chosen = [c for c in COMMANDS if not args.command or c.name in args.command]
    with tempfile.TemporaryDirectory(prefix="weir-torture-") as folder:
        torture = Torture(weir, folder)
        if args.site:
            status, out, err, wrong = torture.try_one(chosen[0], *args.site.split(":"))
            print(out + err + f"status {status}; {wrong or 'nothing wrong'}")
            return 1 if wrong else 0
        begun, sampled = cpu_s(), False
        for command in chosen:
            found = torture.sites(command)
            if sampled:
                found.pop(SQLITE, None)
            sampled = sampled or found.get(SQLITE, ("", 0))[1] > SQLITE_SAMPLE
            cases, wrong_here, left, ends = cases_of(found, torture.tried, draw), 0, 0, {}
            for i, (site, number) in enumerate(cases):
                if cpu_s() - begun > 60 * args.minutes:
                    left = len(cases) - i
                    break
                status, _, err, wrong = torture.try_one(command, site, number)
                ends[status] = ends.get(status, 0) + 1
                if wrong:
                    wrong_here += 1
                    print(f"{command.name}: --site {site}:{number} ({found[site][0]}): {wrong}", flush=True)
            faults += wrong_here
            said = ", ".join(f"{count} with {status}" for status, count in sorted(ends.items()))
            print(f"{command.name:12} {sum(c for _, c in found.values()):8} calls at {len(found):5} sites, {len(cases) - left:5} failed: ended {said}; "
                  f"{wrong_here} wrong" + (f", {left} not tried: time" if left else ""), flush=True)
        print(f"torture: {torture.calls} runs, {cpu_s() - begun:.0f} s of CPU, {faults} wrong")
    return 1 if faults else 0


sys.exit(main())
