#!/usr/bin/env python3
"""test/cli/snippets.py WEIR - the snippets that doc/results.md prints for other programs run, with a result file of each kind.

Each block of SQL, Python and R below "From other programs" runs in a folder whose out.db is of `weir run`, with all messages and with a sample,
of `weir compare` and `weir sweep` with samples, and of `weir reproduce`, which keeps none. What it prints of p99 is what the file's weights say. What
is not installed is skipped with a word.
"""
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
TINY = TREE / "test/cli/tiny"
SWEEP = 'scenario: star.yaml\nseeds: 2\naxes:\n  - {name: load, set: {"traffic[0].load": $}, values: [20%, 30%]}\n'
# Debian's Python has python3-pandas; another one may be the first of the path
PYTHONS = [sys.executable, "/usr/bin/python3"]
LANGUAGES = {"sql": "sqlite3", "python": "pandas", "r": "R with DBI and RSQLite"}
failures, checks = [], 0


def holds(what, condition):
    global checks
    checks += 1
    if not condition:
        failures.append(what)
        print("not ok:", what)


def works(*command):
    return shutil.which(command[0]) is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0


def interpreters():
    """{language: command that reads a program from a file}, of those that are there"""
    found = {}
    if works("sqlite3", "--version"):
        found["sql"] = ["sqlite3", "-init"]
    for python in PYTHONS:
        if "python" not in found and works(python, "-c", "import pandas"):
            found["python"] = [python]
    if works("Rscript", "-e", "library(DBI); library(RSQLite)"):
        found["r"] = ["Rscript"]
    return found


def snippets():
    page = (TREE / "doc/results.md").read_text(encoding="utf-8")
    part = page[page.index("\n## From other programs\n"):]
    return re.findall(r"^```(sql|python|r)\n(.*?)^```$", part, re.M | re.S)


def weir(folder, *args):
    done = subprocess.run([program, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=folder)
    holds(f"weir {' '.join(args)}: {done.stderr}", done.returncode == 0)


def make_files(folder):
    """Result files of each kind: [(kind, name)]"""
    shutil.copytree(TINY, folder / "tiny")
    shutil.copy(TINY / "star.yaml", folder)
    (folder / "sweep.yaml").write_text(SWEEP, encoding="utf-8")
    weir(folder, "run", "star.yaml", "-o", "run.db")
    weir(folder, "run", "star.yaml", "-o", "sample.db", "--keep-messages", "150")
    weir(folder, "compare", "star.yaml", "--protocols", "dctcp,sird", "--seeds", "2", "--keep-messages", "100", "-o", "compare.db")
    weir(folder, "sweep", "sweep.yaml", "--keep-messages", "100", "-o", "sweep.db")
    weir(folder, "reproduce", "tiny/", "main", "-o", "reproduce.db")
    return [(kind, f"{kind}.db") for kind in ("run", "sample", "compare", "sweep", "reproduce")]


def p99(path):
    """p99 of slowdown of the messages of each run that has some, by their weights."""
    found = []
    with sqlite3.connect(path) as db:
        for (run,) in db.execute("SELECT DISTINCT run FROM message ORDER BY run").fetchall():
            rows = db.execute("SELECT (end_ps - start_ps) * 1.0 / ideal_ps, weight FROM message WHERE run = ? ORDER BY 1", (run,)).fetchall()
            total, below = sum(weight for _, weight in rows), 0
            for slowdown, weight in rows:
                below += weight
                if below >= 0.99 * total:
                    found.append(slowdown)
                    break
    return found


def numbers(text):
    return [float(number) for number in re.findall(r"\d+\.\d+(?:e[+-]?\d+)?", text)]


def run_snippet(folder, kind, language, command, text):
    name = folder / f"snippet.{language}"
    name.write_text(text, encoding="utf-8")
    words = [*command, str(name), "out.db", ""] if language == "sql" else [*command, str(name)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=folder)
    holds(f"{language}, file of {kind}: exit {done.returncode}: {done.stdout} {done.stderr}",
          done.returncode == 0 and "rror" not in done.stderr and done.stdout.strip() != "")
    if language == "sql":
        return
    printed = numbers(done.stdout)
    for wanted in p99(folder / "out.db"):
        holds(f"{language}, file of {kind}: p99 {wanted} is not in: {done.stdout}",
              any(abs(number - wanted) < 1e-5 * wanted for number in printed))


def main():
    there, found = interpreters(), snippets()
    holds(f"a snippet of each language: {[language for language, _ in found]}", {language for language, _ in found} == set(LANGUAGES))
    for language, what in LANGUAGES.items():
        if language not in there:
            print(f"skipped: {what} is not here, so no snippet of {language} was run")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind, file in make_files(folder):
            shutil.copy(folder / file, folder / "out.db")
            holds(f"messages in a file of {kind}", (p99(folder / "out.db") != []) == (kind != "reproduce"))
            for language, text in found:
                if language in there:
                    run_snippet(folder, kind, language, there[language], text)
    print(f"{checks} checks, {len(failures)} failures")
    sys.exit(1 if failures else 0)


program = str(pathlib.Path(sys.argv[1]).resolve())
main()
