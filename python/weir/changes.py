"""Changes of a scenario, as Python writes them, to what `weir run --set` takes: `path.to.key=value`."""
import decimal
import math
import numbers
import pathlib
import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from .errors import Error

Scenario = Union[str, pathlib.Path]  # the text of a scenario, or the path of its file
Changes = Mapping[str, object]  # what replaces its keys


def _plain(key: str, value: object) -> object:
    """A value as text, whole number, float, flag, or a list of these."""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, pathlib.PurePath):
        return str(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise Error(f"{key} = {value!r}: must be a finite number")
        return float(value)
    if isinstance(value, (list, tuple)):
        return [_plain(f"{key}[{i}]", part) for i, part in enumerate(value)]
    raise Error(f"{key} = {value!r}: must be a text, a number, True or False, or a list or dict of these")


def value_text(key: str, value: object) -> str:
    """The text of a value: True is true, 1e-07 is 0.0000001, and a list of plain values has commas."""
    plain = _plain(key, value)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, float):
        return format(decimal.Decimal(repr(plain)), "f")
    if isinstance(plain, list):
        return ",".join(value_text(key, part) for part in plain)
    return str(plain)


def path_of(key: object) -> str:
    """`traffic__0__load` is traffic[0].load; a key that is a path stays as it is."""
    if not isinstance(key, str) or not key:
        raise Error(f"the key {key!r}: must be a text, as 'run.seed'")
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", key.replace("__", "."))


def flat(changes: Mapping[Any, object], above: str = "") -> Iterator[Tuple[str, object]]:
    """Each key with its value, dicts opened: {'run': {'seed': 2}} is run.seed = 2, {'traffic': {0: ..}} is of traffic[0]."""
    for key, value in changes.items():
        if above and isinstance(key, numbers.Integral) and not isinstance(key, bool):
            path = f"{above}[{int(key)}]"
        else:
            path = f"{above}.{path_of(key)}" if above else path_of(key)
        if isinstance(value, (list, tuple)) and any(isinstance(part, Mapping) for part in value):
            value = dict(enumerate(value))
        if isinstance(value, Mapping):
            yield from flat(value, path)
        else:
            yield path, value


def settings(*given: Optional[Changes]) -> List[str]:
    """All changes, one `key=value` each; of a key that is given twice the last one counts."""
    found: Dict[str, str] = {}
    for changes in given:
        if changes is not None and not isinstance(changes, Mapping):
            raise Error(f"changes are {type(changes).__name__}: give a dict, as {{'run.seed': 2}}")
        for key, value in flat(changes or {}):
            found.pop(key, None)
            found[key] = value_text(key, value)
    return [f"{key}={value}" for key, value in found.items()]


def text_of(scenario: object) -> Tuple[str, str]:
    """(name, text) of a scenario."""
    if isinstance(scenario, pathlib.Path):
        try:
            return str(scenario), scenario.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise Error(f"cannot be read: {error}", "scenario", str(scenario)) from error
    if not isinstance(scenario, str):
        raise Error(f"the scenario is {type(scenario).__name__}: give its text, or a pathlib.Path")
    return "scenario", scenario
