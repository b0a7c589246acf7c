"""weir.run(), weir.compare() and weir.sweep(): the command `weir` with --json and a result file."""
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from .changes import Changes, Scenario, settings, text_of, value_text
from .errors import Error
from .results import Result, Runs, query

Output = Union[str, "os.PathLike[str]", None]
Axis = Union[Sequence[object], Mapping[str, Changes]]  # values of a key; or changes by their label


def _program() -> str:
    """Finds the command: in WEIR, in a build of this tree, or in PATH."""
    tree = pathlib.Path(__file__).resolve().parents[2]
    for name in (os.environ.get("WEIR"), str(tree / "build/weir"), str(tree / "build/plain/weir"), shutil.which("weir")):
        if name and os.access(name, os.X_OK):
            return name
    raise Error("the command weir is not here", "command", hint="install it, or set WEIR to its file")


def call(*arguments: str, passing: Sequence[int] = (0,), hide: str = "") -> str:
    """What the command prints, if its exit status is one of `passing`. hide: a folder whose name errors leave out."""
    try:
        done = subprocess.run([_program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except (OSError, ValueError) as error:
        raise Error(f"weir {arguments[0]}: {error}", "command") from error
    if done.returncode in passing and done.stdout:
        return done.stdout
    lines = done.stderr.replace(hide + os.sep if hide else "\0", "").strip().splitlines()
    said = [line for line in lines if not re.match(r"weir: (\d+/\d+  |results in )", line)]
    hints = [line.split("hint:", 1)[1].strip() for line in said if line.strip().startswith("hint:")]
    texts = [line for line in said if not line.strip().startswith("hint:")]
    text = texts[0] if texts else f"weir {arguments[0]} ended with status {done.returncode}"
    place = re.match(r"(?P<file>[^:\s][^:]*):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<text>.*)", text)
    code = "scenario" if done.returncode == 2 else "run"
    if place:
        raise Error(place["text"], code, place["file"], int(place["line"]), int(place["column"] or 0), " ".join(hints))
    raise Error(text.removeprefix("weir: "), code, hint=" ".join(hints))


def _file_of(scenario: Scenario, folder: str) -> str:
    """A file with the scenario; a text becomes one in the folder."""
    name, text = text_of(scenario)
    if isinstance(scenario, pathlib.Path):
        return name
    path = pathlib.Path(folder) / "scenario.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def _set_options(*given: Optional[Changes]) -> List[str]:
    return [option for change in settings(*given) for option in ("--set", change)]


def _shared_options(jobs: Optional[int], keep_messages: Optional[int]) -> List[str]:
    return [*(["--jobs", str(jobs)] if jobs else []), *(["--keep-messages", str(keep_messages)] if keep_messages is not None else [])]


def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="weir-")


def run(scenario: Scenario, set: Optional[Changes] = None, *, threads: int = 1, tables: bool = True, output: Output = None,
        keep_messages: Optional[int] = None, **changes: object) -> Result:
    """Simulates a scenario: its text, or the pathlib.Path of its file.

    Changes of its keys are dicts or keywords; these are the same:
      weir.run(s, {"run.seed": 2, "traffic[0].load": "80%"})
      weir.run(s, run={"seed": 2}, traffic={0: {"load": "80%"}})
      weir.run(s, run__seed=2, traffic__0__load="80%")
    weir.keys and weir.explain() have all keys. A text has no folder, so files that it names need whole paths.

    The result is a dict, what `weir run --json` prints; messages, series, links and metrics are DataFrames where pandas is
    there. tables=False leaves them out, which saves time in runs of many messages. output: a result file to add the run to.
    keep_messages: that many messages at most, the slowest and a sample of the others, each with the weight that it stands for.
    A run that stalled, or is unstable, is a result: see its verdict.
    """
    folder = _folder()
    file = pathlib.Path(output) if output is not None else pathlib.Path(folder.name) / "result.db" if tables else None
    links = pathlib.Path(folder.name) / "links.csv" if tables else None
    options = [*(["-o", str(file)] if file else []), *(["--links", str(links)] if links else []), *_shared_options(None, keep_messages)]
    told = call("run", _file_of(scenario, folder.name), "--json", "--threads", str(threads), *options,
                *_set_options(set, changes), passing=(0, 1), hide=folder.name)
    return Result(json.loads(told), file if tables else None, links, folder)


def compare(scenario: Scenario, protocols: Iterable[str], seeds: int = 3, set: Optional[Changes] = None, *,
            metrics: Iterable[str] = (), same_fabric: bool = False, baseline: Optional[str] = None, jobs: Optional[int] = None,
            keep_messages: Optional[int] = None, output: Output = None, **changes: object) -> Runs:
    """Runs a scenario once per protocol and seed, and returns what `weir compare --json` prints, with tables `runs` and `series`.

    Changes are as of run(); `set={"dctcp:fabric.ecn.threshold": "80 KB"}` is for one protocol. Each protocol gets the fabric
    that it recommends, unless same_fabric. metrics: which numbers are compared; from three seeds on they have intervals.
    keep_messages: that many messages of each run, at most, are in the table `messages`: the slowest, and a sample of the others.
    output: a result file, in which the runs stay: the same call later runs what is missing.
    """
    names = [protocols] if isinstance(protocols, str) else list(protocols)
    chosen = [metrics] if isinstance(metrics, str) else list(metrics)
    folder = _folder()
    file = pathlib.Path(output) if output is not None else pathlib.Path(folder.name) / "result.db"
    options = [*(["--metrics", ",".join(chosen)] if chosen else []), *(["--same-fabric"] if same_fabric else []),
               *(["--baseline", baseline] if baseline else []), *_shared_options(jobs, keep_messages)]
    told = json.loads(call("compare", _file_of(scenario, folder.name), "--json", "--protocols", ",".join(names), "--seeds", str(seeds),
                           "-o", str(file), *options, *_set_options(set, changes), passing=(0, 3), hide=folder.name))
    numbers: Dict[str, int] = {label: number for label, number in query(file, "SELECT label, max(id) FROM run GROUP BY label")[1]}
    varied = [(numbers.get(f"{law} seed {one['seed']}"), {"protocol": law, "seed": one["seed"], "done": one["done"], "doubt": one["doubt"]})
              for law, of in told["laws"].items() for one in of["runs"]]
    return Runs(told, varied, file, folder)


def _axis(name: str, values: Axis) -> Tuple[Dict[str, Any], List[object]]:
    """An axis as an experiment has it, and what its points are called."""
    if isinstance(values, Mapping):
        labelled = [{"label": label, "set": dict(change.split("=", 1) for change in settings(changes))} for label, changes in values.items()]
        return {"name": name, "values": labelled}, list(values)
    if isinstance(values, str):
        raise Error(f"axes: {name} = {values!r}: give a list of values")
    path = next(iter(settings({name: 0}))).split("=", 1)[0]
    return {"name": name, "set": {path: "$"}, "values": [value_text(name, value) for value in values]}, list(values)


def sweep(scenario: Scenario, axes: Optional[Mapping[str, Axis]] = None, seeds: int = 1, set: Optional[Changes] = None, *,
          jobs: Optional[int] = None, keep_messages: Optional[int] = None, output: Output = None, **changes: object) -> Runs:
    """Runs every combination of what varies, some at a time, and returns what `weir sweep --json` prints, with tables `runs` and `series`.

    axes has the values of each key that varies; or, under a name of your own, changes by their label:
      weir.sweep(s, {"traffic[0].load": ["50%", "80%"], "law": {"dctcp": {"protocol": "dctcp"}, "homa": {"protocol": "homa"}}}, seeds=3)
    Changes are as of run(), for all runs. Without axes, scenario is the pathlib.Path of an experiment (doc/sweep.md).
    keep_messages: as of compare().
    output: a result file, in which the runs stay: the same call later runs what is missing.
    """
    folder = _folder()
    options = _shared_options(jobs, keep_messages)
    columns: List[Tuple[str, List[object]]] = []
    if axes is None:
        if not isinstance(scenario, pathlib.Path) or set or changes or seeds != 1:
            raise Error("a sweep without axes is that of a file: give its pathlib.Path, and no changes", hint="doc/sweep.md says how it is written")
        path = scenario
    else:
        if not isinstance(axes, Mapping) or not axes:
            raise Error("axes: give a dict of what varies, as {'traffic[0].load': ['50%', '80%']}")
        made = {name: _axis(name, values) for name, values in axes.items()}
        columns = [*((name, labels) for name, (_, labels) in made.items()), ("seed", list(range(1, seeds + 1)))]
        path = pathlib.Path(folder.name) / "sweep.yaml"
        path.write_text(json.dumps({"scenario": os.path.abspath(_file_of(scenario, folder.name)), "seeds": seeds,
                                    "set": dict(change.split("=", 1) for change in settings(set, changes)),
                                    "axes": [axis for axis, _ in made.values()]}), encoding="utf-8")
    file = pathlib.Path(output) if output is not None else pathlib.Path(folder.name) / "result.db"
    told = json.loads(call("sweep", str(path), "--json", "-o", str(file), *options, passing=(0, 3), hide=folder.name))
    combinations = list(itertools.product(*(values for _, values in columns)))
    varied = []
    for point in told["points"]:
        of = dict(zip((name for name, _ in columns), combinations[point["number"] - 1])) if columns else {}
        varied.append((point["run"], {"name": point["name"], **of, "done": point["done"], "doubt": point.get("doubt")}))
    return Runs(told, varied, file, folder)


def explain(name: str) -> str:
    """What `weir help NAME` says of a key (traffic.load), a protocol, a number of results (goodput_gbps), or a term."""
    return call("help", name)
