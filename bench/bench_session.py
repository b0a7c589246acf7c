#!/usr/bin/env python3
"""bench/bench_session.py [BUILD [HOSTS [MESSAGES]]] - what a session costs from Python, beside C.

Runs bench_session of the build and the same calls by the package `weir`, in turns, and prints CPU time for a message and the quotient. Of
each the least of five runs counts. Where valgrind is installed it also prints the instructions of C for a message: two runs of different
length, whose difference leaves set-up out.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

TREE = pathlib.Path(__file__).resolve().parents[1]
build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
hosts = int(sys.argv[2]) if len(sys.argv) > 2 else 64
count = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
os.environ["WEIR_SIM_LIBRARY"] = str(build / "libweirsim.so")
sys.path.insert(0, str(TREE / "python"))
import weir  # noqa: E402

SCENARIO = f"""topology: {{kind: leaf-spine, hosts: {hosts}, racks: {hosts // 8}, spines: 4, host_link: 100 Gbps, core_link: 400 Gbps, host_delay: 1 us, core_delay: 1 us}}
protocol: dctcp
traffic: [{{kind: session}}]
run: {{warmup: 0 us, measure: all}}
"""


def in_c():
    """(us of CPU for a message, digest)"""
    said = subprocess.run([build / "bench/bench_session", str(hosts), str(count)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"([\d.]+) us of CPU", said).group(1)), re.search(r"digest (\w+)", said).group(1)


def in_python():
    with weir.Session(SCENARIO) as session:
        begun = time.process_time()
        for i in range(count):
            session.inject(i * 7 % hosts, (i * 7 + hosts // 2 + 1) % hosts, 1000)
            if len(session.advance()) != 1:
                sys.exit("bench_session.py: a message did not arrive alone")
        spent = time.process_time() - begun
        return spent * 1e6 / count, f"{session.close().digest:016x}"


runs = [(in_c(), in_python()) for _ in range(5)]
if len({digest for pair in runs for _, digest in pair}) != 1:
    sys.exit("bench_session.py: C and Python have different digests")
c, python = (min(pair[which][0] for pair in runs) for which in (0, 1))
print(f"{hosts} hosts, {count} messages of 1000 bytes: C {c:.2f} us of CPU for a message, Python {python:.2f} us, quotient {python / c:.2f}")


def instructions(messages):
    """Instructions of bench_session with so many messages."""
    said = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", build / "bench/bench_session", str(hosts),
                           str(messages)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stderr
    return int(re.search(r"I +refs: +([\d,]+)", said).group(1).replace(",", ""))


if shutil.which("valgrind"):
    print(f"{hosts} hosts: {(instructions(1500) - instructions(500)) / 1000:.0f} instructions for a message in C")
