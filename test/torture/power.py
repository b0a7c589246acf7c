#!/usr/bin/env python3
"""test/torture/power.py WEIR BUILD [--limit N] [--keep DIR] - the power goes while a result file is written, and nothing that was done is lost.

Links BUILD/weir again with test/torture/log.c, which records what SQLite writes and syncs, and what the program says, in their order. A run, a
second run into the same file, and a sweep of three points are recorded. For every prefix of each record it makes the files that a power cut
at that moment may leave:

* all writes so far are there;
* none of those that no sync has covered is there;
* each one of them alone is missing, or the last is there by half, and all others are there (the last 64 of them);
* a file that was deleted without a sync of its folder is there again.

In each the result file must open by itself, be sound (PRAGMA integrity_check), and have every run that was done with all its rows. Done is what
`weir sweep` has said to be done (`weir: N/M ..`), or all after the program ended with 0. Files that did not exist before may be missing or
empty as long as nothing was said to be done. A sample is opened by WEIR itself (`weir status`).

Commits of single points within a run are not durable each (synchronous = NORMAL); those that end a run are (doc/results.md).
Exit status: 0 all is well, 1 a case is not, 2 usage.
"""
import argparse
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

import linked

MISSING_MOST = 64
STATUS_EVERY = 500
SCENARIO = """\
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
fabric: {ecn: {threshold: 60 KB}}
traffic: [{kind: incast, fan_in: 2, size: 20 KB, period: 50 us, stop: 1 ms}, {kind: permutation, size: 30 KB}]
run: {warmup: 0 us, measure: all}
"""
SWEEP = """\
scenario: s.yaml
seeds: 3
axes:
  - {name: protocol, set: {protocol.name: $}, values: [dctcp]}
"""
# name, words, result file, whether it is there before
RECORDS = [("a new file", "run s.yaml -o new.db", "new.db", False), ("a second run", "run s.yaml --seed 2 -o old.db", "old.db", True),
           ("a sweep", "sweep sweep.yaml -o w.db --jobs 1", "w.db", False)]
TABLES = ("message", "metric", "series", "histogram", "by_size", "job", "coflow", "law", "class", "finding", "failure")


def read_log(path):
    """[(kind, name, offset, data)] of a record."""
    with open(path, "rb") as f:
        content = f.read()
    at, ops = 0, []
    while at < len(content):
        kind = chr(content[at])
        length, = struct.unpack_from("<I", content, at + 1)
        name = content[at + 5:at + 5 + length].decode()
        offset, size = struct.unpack_from("<QI", content, at + 5 + length)
        at += 5 + length + 12
        ops.append((kind, os.path.basename(name), offset, content[at:at + size]))
        at += size
    return ops


def apply(files, op, part=1.0):
    """Applies an operation to {name: bytearray}; of a write, that part."""
    kind, name, offset, data = op
    if kind == "c":
        files.setdefault(name, bytearray())
    elif kind == "d":
        files.pop(name, None)
    elif kind == "t":
        content = files.setdefault(name, bytearray())
        if len(content) > offset:
            del content[offset:]
        else:
            content.extend(bytes(offset - len(content)))
    elif kind == "w":
        data = data[:int(len(data) * part)]
        content = files.setdefault(name, bytearray())
        if len(content) < offset:
            content.extend(bytes(offset - len(content)))
        content[offset:offset + len(data)] = data


class Disk:
    """What is on the disk for certain, and what no sync has covered yet. The first sync of a new file syncs its folder, as SQLite's does."""

    def __init__(self, files):
        self.durable, self.pending = files, []
        self.new, self.gone = set(), {}  # names that the folder on the disk may not have yet, or may have still

    def add(self, op):
        kind, name, offset, _ = op
        if kind in "wt":
            self.pending.append(op)
        elif kind == "s":
            for one in self.pending:
                if one[1] == name:
                    apply(self.durable, one)
            self.pending = [one for one in self.pending if one[1] != name]
            if name in self.new:
                self.folder_synced()
        elif kind == "c":
            self.durable[name] = bytearray()
            self.gone.pop(name, None)  # it would be cut to nothing
            self.new.add(name)
        elif kind == "d":
            self.pending = [one for one in self.pending if one[1] != name]
            self.gone[name] = self.durable.pop(name, bytearray())
            self.new.discard(name)
            if offset == 1:
                self.folder_synced()

    def folder_synced(self):
        self.new.clear()
        self.gone.clear()

    def with_pending(self, skip=None, part=0.0):
        files = {name: bytearray(content) for name, content in self.durable.items()}
        for i, one in enumerate(self.pending):
            if i != skip or part > 0:
                apply(files, one, part if i == skip else 1.0)
        return files

    def states(self):
        """{what: files} that a power cut now may leave."""
        yield "all writes", self.with_pending()
        if self.pending or self.new:
            yield "no write since its sync", {name: bytearray(c) for name, c in self.durable.items() if name not in self.new}
        if self.gone:
            yield "deleted files there again", {**self.with_pending(), **self.gone}
            yield "the same without writes since their sync", {**self.durable, **self.gone}
        for i in range(max(0, len(self.pending) - MISSING_MOST), len(self.pending)):
            yield f"write {i} of {len(self.pending)} missing", self.with_pending(skip=i)
        if self.pending:
            yield "the last write by half", self.with_pending(skip=len(self.pending) - 1, part=0.5)


def rows_of(path):
    """{label of a done run: rows by table}. Raises sqlite3.Error."""
    db = sqlite3.connect(path)
    try:
        sound = db.execute("PRAGMA integrity_check").fetchone()[0]
        if sound != "ok":
            raise sqlite3.DatabaseError(sound)
        if db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'run'").fetchone()[0] == 0:
            return {}
        found = {}
        for run, seed in db.execute("SELECT id, seed FROM run WHERE status = 'done'"):
            found[str(seed)] = {table: db.execute(f"SELECT count(*) FROM {table} WHERE run = ?", (run,)).fetchone()[0] for table in TABLES}
        return found
    finally:
        db.close()


def judge(folder, files, result, done, whole):
    """What is wrong with the files after the cut: a text, or None. done: number of runs that were said to be done."""
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)
    path = os.path.join(folder, result)
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return f"{result} has nothing, and {done} runs were done" if done else None
    try:
        found = rows_of(path)
    except sqlite3.Error as error:
        return f"{result}: {error}"
    for run, rows in found.items():
        if rows != whole.get(run):
            return f"{result}: run {run} is done and has {rows}, not {whole.get(run)}"
    return f"{result}: {len(found)} runs are done, {done} were said to be" if len(found) < done else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("weir")
    parser.add_argument("build")
    parser.add_argument("--limit", type=int, default=1 << 30, help="cases of each record")
    parser.add_argument("--keep", help="folder for the files of the first case that is wrong")
    args = parser.parse_args()
    weir, logged, faults, cases = os.path.abspath(args.weir), linked.link(args.build, "log.c"), 0, 0
    with tempfile.TemporaryDirectory(prefix="weir-power-") as top:
        for what, words, result, before in RECORDS:
            work, cut, log = (os.path.join(top, name) for name in ("work", "cut", "log"))
            shutil.rmtree(work, ignore_errors=True)
            os.mkdir(work)
            for name, text in (("s.yaml", SCENARIO), ("sweep.yaml", SWEEP)):
                with open(os.path.join(work, name), "w", encoding="utf-8") as f:
                    f.write(text)
            files, done = {}, 0
            if before:
                subprocess.run([weir, "run", "s.yaml", "-o", result], cwd=work, check=True, capture_output=True)
                with open(os.path.join(work, result), "rb") as f:
                    files[result] = bytearray(f.read())
                done = 1
            ended = subprocess.run([logged, *words.split()], cwd=work, env={**os.environ, "TORTURE_LOG": log}, capture_output=True, text=True, check=False)
            if ended.returncode != 0:
                raise SystemExit(f"power: {what}: status {ended.returncode}: {ended.stderr}")
            whole, ops, disk, here, said = rows_of(os.path.join(work, result)), read_log(log), Disk(files), 0, done
            os.unlink(log)
            for number, op in enumerate([*ops, ("end", "", 0, b"")]):
                if op[0] == "e":
                    counts = [int(n) for n in re.findall(rb"^weir: (\d+)/\d+ ", op[3], re.M)]
                    said = max([said, *counts])
                    continue
                if op[0] == "end":
                    said = len(whole)
                disk.add(op)
                for state, left in disk.states():
                    if here >= args.limit:
                        break
                    here += 1
                    wrong = judge(cut, left, result, said, whole)
                    if wrong is None and here % STATUS_EVERY == 0 and os.path.exists(os.path.join(cut, result)) and said > done:
                        opened = subprocess.run([weir, "export", result], cwd=cut, capture_output=True, text=True, check=False)
                        wrong = None if opened.returncode == 0 else f"weir export: {opened.stderr}"
                    if wrong:
                        faults += 1
                        print(f"{what}: after operation {number} of {len(ops)}, {state}: {wrong}")
                        if args.keep and not os.path.exists(args.keep):
                            shutil.copytree(cut, args.keep)
            syncs, writes = (sum(op[0] == kind for op in ops) for kind in "sw")
            print(f"{what}: {writes} writes, {syncs} syncs, {said} runs done, {here} power cuts", flush=True)
            cases += here
    print(f"power: {cases} power cuts, {faults} wrong")
    return 1 if faults else 0


sys.exit(main())
