#!/usr/bin/env python3
"""test/cli/traces.py WEIR - traces in runs: the messages of a run are those of the file, counted without Weir; times are those that follow by
hand; what is wrong is refused in one sentence."""
import collections
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import spaces
import trace_files as traces
from spaces import holds

WEIR = os.path.abspath(sys.argv[1])
GOAL_RANKS = 1024
SCENARIO = """topology: {{kind: star, hosts: {hosts}, host_link: 100 Gbps, host_delay: 1 us}}
protocol: dctcp
framing: {{payload: 1460 B, header: 58 B, ack_wire: 84 B}}
traffic: [{{{item}}}]
run: {{warmup: 0 us, measure: all}}
"""


def run(folder, hosts, item, *options):
    """Runs a scenario. Returns exit status, messages as (source, destination, bytes) -> count, the last end in ps, and what it printed."""
    scenario, messages = folder / "s.yaml", folder / "m.csv"
    scenario.write_text(SCENARIO.format(hosts=hosts, item=item))
    messages.unlink(missing_ok=True)
    done = subprocess.run([WEIR, "run", str(scenario), "--messages", str(messages), *options], capture_output=True, text=True, check=False)
    found, end = collections.Counter(), 0
    if messages.exists():
        with open(messages, encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                found[int(row["src"]), int(row["dst"]), int(row["bytes"])] += 1
                end = max(end, int(row["end_ps"]))
    return done.returncode, found, end, done.stdout + done.stderr


def digest(printed):
    return [line.split()[1] for line in printed.splitlines() if line.startswith("digest")]


def check_goal(folder):
    for name, ranks, size in (("tree", GOAL_RANKS, 3000), ("ring", 48, 480000), ("all-to-all", 48, 480000)):
        file = folder / "t.goal"
        with open(file, "w", encoding="utf-8") as out:
            out.writelines(traces.PATTERNS[name](ranks, size))
        with open(file, encoding="utf-8") as lines:
            expected = traces.goal_messages(lines)
        status, found, _, printed = run(folder, ranks, "kind: goal, file: t.goal")
        holds(f"goal {name} of {ranks} ranks runs: {printed[-300:]}", status == 0)
        holds(f"goal {name}: messages are those of the file", found == expected and sum(found.values()) > ranks - 2)
        again = run(folder, ranks, "kind: goal, file: t.goal", "--threads", "3")
        holds(f"goal {name}: three threads have the digest of one", digest(again[3]) == digest(printed) != [])


def check_chakra(folder):
    ranks, size = 8, 8 * 70000
    for version in ("", "0.0.4", "1.0.1", "1.0.2-chakra.0.0.4"):
        for rank in range(ranks):
            (folder / f"c.{rank}.et").write_bytes(traces.chakra_ring(rank, ranks, size, version))
        status, found, end, printed = run(folder, ranks, "kind: chakra, file: c")
        expected = {(rank, (rank + 1) % ranks, size // ranks): 2 * (ranks - 1) for rank in range(ranks)}
        holds(f"chakra {version or 'without a version'} runs: {printed[-300:]}", status == 0)
        holds(f"chakra {version or 'without a version'}: messages are those of the file", found == expected)
        # the same all-reduce as one collective node: the same messages, and the same time
        for rank in range(ranks):
            (folder / f"k.{rank}.et").write_bytes(traces.chakra_collective(0, size, version))
        of_one = run(folder, ranks, "kind: chakra, file: k")
        holds(f"chakra {version or 'without a version'}: a collective node is that ring", of_one[1] == expected and of_one[2] == end)


def check_time(folder):
    """A message of 1460 B takes two frames of 1538 B and two cables of 1 us; its sender knows 84 B and two cables later."""
    there, back = 2 * 1538 * 80 + 2 * 10**6, 2 * 84 * 80 + 2 * 10**6
    (folder / "t.goal").write_text("num_ranks 2\n"
                                   "rank 0 {\na: send 1460b to 1 tag 1\nc: calc 500\nb: send 1460b to 1 tag 2\nc requires a\nb requires c\n"
                                   "recv 1460b from 1\n}\n"
                                   "rank 1 {\na: recv 1460b from 0 tag 1\nc: calc 700\nb: send 1460b to 0\nc requires a\nb requires c\n"
                                   "recv 1460b from 0 tag 2\n}\n")
    status, _, _, printed = run(folder, 2, "kind: goal, file: t.goal")
    with open(folder / "m.csv", encoding="utf-8", newline="") as rows:
        times = {(int(row["src"]), int(row["start_ps"])): int(row["end_ps"]) for row in csv.DictReader(rows)}
    second = there + back + 500 * 1000  # once the first is known to have arrived, and after computing
    answer = there + 700 * 1000         # once it has arrived, and after computing
    expected = {(0, 0): there, (0, second): second + there, (1, answer): answer + there}
    holds(f"times follow from the edges: {times}, {expected}, {printed[-200:]}", status == 0 and times == expected)


def check_refusals(folder):
    for what, name, content, sentence in (
            ("a label twice", "b.goal", b"num_ranks 1\nrank 0 {\nl1: calc 1\nl1: calc 2\n}\n", "b.goal:4:1: label 'l1': line 3 of this rank has it already"),
            ("a cycle", "b.goal", b"num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\na requires b\nb requires a\n}\n",
             "b.goal:3: rank 0: nodes wait for each other in a circle: line 3 after line 4, line 4 after line 3"),
            ("too many ranks", "b.goal", b"num_ranks 5\n", "b.goal:1: the trace has 5 ranks, and the topology has 4 hosts"),
            ("a truncated trace", "b.0.et", traces.chakra_ring(0, 4, 400, "0.0.4")[:-1],
             "b.0.et: this is a Chakra trace of version 0.0.4: the file ends within message 12, behind 11 nodes"),
            ("an unknown node", "b.0.et", traces.chakra_metadata("0.0.4") + traces.message(traces.number(1, 17) + traces.number(3, 9)),
             "b.0.et: this is a Chakra trace of version 0.0.4: node 17 has a type that is not read: 9")):
        for old in folder.glob("b.*"):
            old.unlink()
        (folder / name).write_bytes(content)
        kind, file = ("goal", name) if name.endswith("goal") else ("chakra", "b")
        status, _, _, printed = run(folder, 4, f"kind: {kind}, file: {file}")
        holds(f"{what} is refused: {printed}", status == 2 and printed.splitlines()[:1] == [sentence])


def check_stall(folder):
    """Ranks that wait for each other, which is not known before the run: they receive from any."""
    (folder / "t.goal").write_text("num_ranks 2\n" + "".join(f"rank {rank} {{\na: recv 9b from -1\nb: send 9b to {1 - rank}\nb requires a\n}}\n"
                                                            for rank in range(2)))
    status, found, _, printed = run(folder, 2, "kind: goal, file: t.goal")
    holds(f"ranks that wait for each other stall: {status}, {printed[-300:]}", status == 1 and not found and "stalled" in printed)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_refusals(folder)
        check_goal(folder)
        check_chakra(folder)
        check_time(folder)
        check_stall(folder)
    spaces.finish()


if __name__ == "__main__":
    main()
