"""The keys of scenarios, with what each allows and means: those of the command `weir` that is here, from the rows that it checks by.

A section or a protocol is a class, and a key one of its attributes: a text, the key's path, which run() and its like take.

    >>> weir.keys.dctcp.g
    'protocol.g'
    >>> print(weir.keys.dctcp.g.__doc__)
    fraction, 0.000001 to 1; default 0.0625. weight of the latest window in alpha: ..
    >>> help(weir.keys.fabric.ecn)
    >>> weir.run(scenario, {weir.keys.dctcp.g: 0.1})

Of sections that are lists a path is that of the first item, as traffic[0].load.
"""
import functools
import re
from typing import Any, Dict, List, Optional

from .command import call
from .errors import Error


class Key(str):
    """A key of scenarios: its path, as 'protocol.g'. allowed, default (None = it has none) and meaning say what it is."""

    allowed: str
    default: Optional[str]
    meaning: str

    def __new__(cls, path: str, allowed: str, default: Optional[str], meaning: str) -> "Key":
        key = super().__new__(cls, path)
        key.allowed, key.default, key.meaning = allowed, default, meaning
        key.__doc__ = f"{allowed}; " + (f"default {default}. " if default is not None else "") + meaning
        return key


class Section:
    """Keys of scenarios that belong together, as attributes. section_key: the key of the section's name, where that may have a value, too."""

    section_key: Optional[Key] = None


HEAD = re.compile(r"^###? (section|protocol) `(\S+)`$", re.M)
CELL = r"((?:[^|\\\n]|\\.)*?)"  # with | as \|
ROW = re.compile(rf"^\| (?!key +\|)(\S+) +\| {CELL} *\| {CELL} *\| {CELL} \|$", re.M)


def _cell(text: str) -> str:
    return text.replace("\\|", "|").strip()


def _attributes(path: str, text: str) -> Dict[str, Any]:
    rows = [(name, Key(f"{path}.{name}", _cell(allowed), None if _cell(default) == "-" else _cell(default), _cell(meaning)))
            for name, allowed, default, meaning in ROW.findall(text)]
    intro = re.split(r"^\|", text.strip(), maxsplit=1, flags=re.M)[0].strip()
    listed = "\n".join(f"{name}: {key.__doc__}" for name, key in rows)
    return {"__doc__": f"{intro}\n\n{listed}".strip(), "__module__": __name__, **dict(rows)}


def read(page: str) -> Dict[str, Any]:
    """The sections and protocols of a page of `weir help --markdown`."""
    parts = HEAD.split(page)[1:]
    found: Dict[str, Any] = {}
    for kind, name, text in zip(parts[::3], parts[1::3], parts[2::3]):
        if kind == "protocol":
            found[name] = type(name, (Section,), _attributes("protocol", text))
            continue
        above, _, last = name.rpartition(".")
        path = name.replace("traffic.", "traffic[0].") + ("[0]" if re.match(r"(?:A|Instead of a \w+, a) list\b", text.strip()) else "")
        section: Any = type(last, (Section,), _attributes(path, text))
        if above:
            section.section_key = getattr(found[above], last, None)
            setattr(found[above], last, section)
        else:
            found[last] = section
    return found


@functools.lru_cache(maxsize=1)
def _all() -> Dict[str, Any]:
    return read(call("help", "--markdown"))


def every() -> List[Key]:
    """All keys, in the order of doc/scenario.md."""
    def below(section: Any) -> List[Key]:
        found: List[Key] = []
        for value in vars(section).values():
            if isinstance(value, Key):
                found.append(value)
            elif isinstance(value, type):
                found += below(value)
        return found
    return [key for section in _all().values() for key in below(section)]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return _all()[name]
    except KeyError:
        raise AttributeError(f"there is no section or protocol {name!r}; there are " + ", ".join(_all())) from None


def __dir__() -> List[str]:
    try:
        return [*globals(), *_all()]
    except Error:
        return list(globals())
