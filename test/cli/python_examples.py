#!/usr/bin/env python3
"""test/cli/python_examples.py WEIR LIBRARY - the examples in examples/python run, and what they print fits together."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import spaces
from spaces import holds

TREE = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "WEIR": os.path.abspath(sys.argv[1]), "WEIR_SIM_LIBRARY": os.path.abspath(sys.argv[2]),
               "PYTHONPATH": str(TREE / "python"), "PYTHONDONTWRITEBYTECODE": "1"}


def run(name, *args):
    """What an example prints; None = it says what is missing, and leaves it at that."""
    done = subprocess.run([sys.executable, str(TREE / "examples/python" / name), *args], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, env=ENVIRONMENT)
    if done.returncode == 77:
        holds(f"{name}: says why it does nothing: {done.stdout}", re.fullmatch(rf"{name}: \w+ is not here, so .*\n", done.stdout) is not None)
        print(f"skipped: {done.stdout.strip()}")
        return None
    holds(f"{name}: {done.stderr}", done.returncode == 0 and done.stderr == "")
    return done.stdout


def numbers(pattern, text):
    return [float(number) for number in re.findall(pattern, text)]


def check_scheduler():
    said = run("scheduler.py", "300")
    means = numbers(r"mean +([\d.]+) us", said)
    short = numbers(r" 20 KB ([\d.]+) us", said)
    # 20 KB take 1.6 us of a link at least, and two cables 2 us
    holds(f"scheduler.py: both loops end: {said}", len(means) == len(short) == 2 and min(short) > 3.6)


def check_tuning():
    said = run("tuning.py", "1")
    holds(f"tuning.py: the key and its meaning: {said}", said.startswith("protocol.init_cwnd: size or BDP, "))
    rows = re.findall(r"^ *(\d+ KB): p99 slowdown of short messages +([\d.]+), of long ones +([\d.]+), (\d) runs$", said, re.M)
    best = min(rows, key=lambda row: float(row[1]))[0] if rows else None
    holds(f"tuning.py: the best of four: {said}", len(rows) == 4 and said.endswith(f"best for short messages: {best}\n"))
    holds("tuning.py: no slowdown is below 1", all(float(row[1]) >= 1 and float(row[2]) >= 1 and row[3] == "1" for row in rows))


def check_figure():
    with tempfile.TemporaryDirectory() as folder:
        figure = os.path.join(folder, "out.svg")
        said = run("figure.py", figure)
        if said is not None:
            with open(figure, encoding="utf-8") as file:
                holds("figure.py: a figure", "<svg" in file.read())
            holds(f"figure.py: both protocols: {said}", all(value >= 1 for value in numbers(r"median slowdown ([\d.]+)", said)) and
                  len(re.findall(r"the busiest link, .* to .*, is \d+% full", said)) == 2)


def check_all_reduce():
    """Within 3 % of the closed form; the deviation is for the window, which grows from ten packets, and for packets that wait for each other."""
    said = run("allreduce.py", "8", "8")
    deviations = numbers(r"\(([+-][\d.]+)%\)", said)
    rates = numbers(r"busbw ([\d.]+) GB/s", said)
    holds(f"allreduce.py: {said}", len(deviations) == len(rates) == 2 and all(abs(d) <= 3 for d in deviations))
    holds("allreduce.py: no more than the payload of 100 Gb/s", all(10 < rate < 12.5 * 1460 / 1538 for rate in rates))
    done = subprocess.run([sys.executable, str(TREE / "examples/python/allreduce.py"), "6"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, env=ENVIRONMENT)
    holds(f"allreduce.py of 6 hosts: {done.stderr}", done.returncode == 1 and done.stderr == "allreduce.py: HOSTS must be a power of two\n")


check_scheduler()
check_tuning()
check_figure()
check_all_reduce()
spaces.finish()
