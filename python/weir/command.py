"""weir.run() and weir.compare(): the command `weir` with --json, and what it prints as a dict."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Dict, Iterable, List, Optional, Union

from .sim import Error


def _program() -> str:
    """Finds the command: in WEIR, in a build of this tree, or in PATH."""
    tree = pathlib.Path(__file__).resolve().parents[2]
    for name in (os.environ.get("WEIR"), str(tree / "build/weir"), str(tree / "build/plain/weir"), shutil.which("weir")):
        if name and os.access(name, os.X_OK):
            return name
    raise Error("the command weir is not here", "command", hint="install it, or set WEIR to its file")


def _call(command: str, scenario: Union[str, pathlib.Path], options: List[str], set: Optional[Dict[str, object]],
          result_file: bool = False) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        path = scenario
        if result_file:  # it would be beside the scenario
            options = [*options, "-o", str(pathlib.Path(folder) / "result.db")]
        if not isinstance(scenario, pathlib.Path):
            path = pathlib.Path(folder) / "scenario.yaml"
            path.write_text(scenario, encoding="utf-8")
        for key, value in (set or {}).items():
            options = [*options, "--set", f"{key}={value}"]
        done = subprocess.run([_program(), command, str(path), "--json", *options], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        lines = done.stderr.strip().splitlines() or [f"weir {command} ended with status {done.returncode}"]
        hints = [line.split("hint:", 1)[1].strip() for line in lines if line.strip().startswith("hint:")]
        text = next((line for line in lines if not line.strip().startswith("hint:")), lines[0])
        raise Error(text.replace(folder + os.sep, ""), "scenario" if done.returncode == 2 else "run", hint=" ".join(hints))
    return json.loads(done.stdout)


def run(scenario: Union[str, pathlib.Path], set: Optional[Dict[str, object]] = None, threads: int = 1) -> dict:
    """Simulates a scenario, its text or a pathlib.Path, and returns what `weir run --json` prints (`weir schema run`)."""
    return _call("run", scenario, ["--threads", str(threads)], set)


def compare(scenario: Union[str, pathlib.Path], protocols: Iterable[str], seeds: int = 1,
            set: Optional[Dict[str, object]] = None) -> dict:
    """Runs a scenario once per protocol and seed, and returns what `weir compare --json` prints (`weir schema compare`)."""
    options = ["--protocols", ",".join(protocols), "--seeds", str(seeds)]
    return _call("compare", scenario, options, set, result_file=True)
