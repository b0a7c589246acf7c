#!/usr/bin/env python3
"""bench/session_steps.py [BUILD [BYTES [STEPS]]] - steps of a scheduler in one session, beside a process of `weir run` for each.

In a step 8 groups of 8 hosts do 8 ring all-reduces of BYTES (65536 if not said), one after the other. Prints processor and wall time of
both; of each the least of five turns counts.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
size = int(sys.argv[2]) if len(sys.argv) > 2 else 65536
steps = int(sys.argv[3]) if len(sys.argv) > 3 else 8
STEP = f"""topology: {{kind: leaf-spine, hosts: 64, racks: 8, spines: 4, host_link: 100 Gbps, core_link: 400 Gbps, host_delay: 1 us, core_delay: 1 us}}
protocol: dctcp
traffic: [{{kind: collective, op: all-reduce, algorithm: ring, bytes: {size} B, steps: 8, over: tp, parallel: {{tp: 8, dp: 8}}}}]
run: {{warmup: 0 us, measure: all}}
"""


def spent(*commands):
    """(ms of processor time, ms) of commands, one after the other, and what the last one printed"""
    before, begun, said = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), ""
    for command in commands:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"session_steps.py: {' '.join(map(str, command))}: {done.stdout}{done.stderr}")
        said = done.stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu * 1e3, (time.monotonic() - begun) * 1e3, said


with tempfile.TemporaryDirectory() as folder:
    step = os.path.join(folder, "step.yaml")
    pathlib.Path(step).write_text(STEP, encoding="utf-8")
    turns = [(spent([build / "bench/session_steps", str(size), str(steps)]), spent(*[[build / "weir", "run", step]] * steps)) for _ in range(5)]
print(f"{steps} steps of 64 all-reduces of {size} bytes over 64 hosts: {turns[0][0][2].strip()}")
for which, name in enumerate(("one session", f"{steps} processes of weir run")):
    print(f"{name:28} {min(turn[which][0] for turn in turns):8.1f} ms of CPU {min(turn[which][1] for turn in turns):8.1f} ms")
