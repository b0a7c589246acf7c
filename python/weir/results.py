"""What runs give: the dict that `weir .. --json` prints, and tables of the result file."""
import csv
import pathlib
import sqlite3
import tempfile
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple

from .errors import Error

if TYPE_CHECKING:
    import pandas

Table = Tuple[List[str], List[Sequence[Any]]]  # names of columns, rows


def _frame(table: Table) -> "pandas.DataFrame":
    try:
        import pandas  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Error("pandas is not here", "command", hint="install it (python3-pandas), or use records(), which needs nothing") from error
    return pandas.DataFrame(table[1], columns=table[0])


def query(file: pathlib.Path, text: str, *values: object) -> Table:
    """What a statement gives of a result file."""
    database = sqlite3.connect(file)
    try:
        cursor = database.execute(text, values)
        return [column[0] for column in cursor.description], cursor.fetchall()
    except sqlite3.Error as error:
        raise Error(f"the result file cannot be read: {error}", "run", str(file)) from error
    finally:
        database.close()


def _number(text: str) -> object:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Result(Dict[str, Any]):
    """A dict, as `weir run --json` prints it (`weir schema run`), with tables beside it.

    messages, series, links and metrics are DataFrames, where pandas is there. records('messages') is the same as a list of
    dicts, and needs nothing. file is the result file (SQLite), which goes away with this object unless `output` named it.
    """

    tables: Tuple[str, ...] = ("messages", "series", "links", "metrics")

    def __init__(self, told: Dict[str, Any], file: Optional[pathlib.Path] = None, links: Optional[pathlib.Path] = None,
                 folder: Optional["tempfile.TemporaryDirectory[str]"] = None):
        super().__init__(told)
        self.file = file
        self._links, self._folder, self._run = links, folder, None  # the folder lives as long as this object
        if file is not None:
            self._run = self._query("SELECT max(id) FROM run")[1][0][0]

    def __reduce__(self) -> Tuple[Any, ...]:  # a copy, or another process, has the dict alone
        return (dict, (dict(self),))

    def _query(self, text: str, *values: object) -> Table:
        if self.file is None:
            raise Error("this result has no tables", "call", hint="it was made with tables=False")
        return query(self.file, text, *values)

    def _messages(self) -> Table:
        return self._query("SELECT id, src, dst, item, bytes, start_ps, end_ps, ideal_ps, payload_ideal_ps, retransmissions, marks,"
                           " (end_ps - start_ps) * 1.0 / ideal_ps AS slowdown, weight FROM message WHERE key BETWEEN ? << 40 AND (? << 40) - 1"
                           " ORDER BY key", self._run, (self._run or 0) + 1)

    def _series(self) -> Table:
        return self._query("SELECT name, place, unit, t_ps, value FROM point JOIN series ON series = series.id WHERE run = ?"
                           " ORDER BY series.id, t_ps", self._run)

    def _metrics(self) -> Table:
        return self._query("SELECT name, value FROM metric WHERE run = ? ORDER BY name", self._run)

    def _links_table(self) -> Table:
        if self._links is None:
            raise Error("this result has no tables", "call", hint="it was made with tables=False")
        with open(self._links, newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        named = [head.index(name) for name in ("from", "to") if name in head]
        return head, [[cell if i in named else _number(cell) for i, cell in enumerate(row)] for row in rows]

    def table(self, name: str) -> Table:
        """Names of columns, and rows, of one of `tables`."""
        if name not in self.tables:
            raise Error(f"there is no table {name!r}", hint="there are " + ", ".join(self.tables))
        found: Table = {"messages": self._messages, "series": self._series, "links": self._links_table, "metrics": self._metrics,
                        "runs": self._runs}[name]()
        return found

    def _runs(self) -> Table:
        raise NotImplementedError

    def records(self, name: str) -> List[Dict[str, Any]]:
        """A table as a list of dicts."""
        columns, rows = self.table(name)
        return [dict(zip(columns, row)) for row in rows]

    @property
    def messages(self) -> "pandas.DataFrame":
        """A row per delivered message, in the order in which senders knew of it; slowdown is its time over the least possible one.

        With keep_messages they are a sample: weight is how many messages a row stands for (doc/results.md, A sample of the messages).
        """
        return _frame(self.table("messages"))

    @property
    def series(self) -> "pandas.DataFrame":
        """A row per point of a series: name, place (None = the whole network), unit, t_ps, value (doc/results.md, Series)."""
        return _frame(self.table("series"))

    @property
    def links(self) -> "pandas.DataFrame":
        """A row per direction of a cable: bytes, share of its rate, marks, drops by cause, mean queue."""
        return _frame(self.table("links"))

    @property
    def metrics(self) -> "pandas.DataFrame":
        """A row per number of the summary, by its name."""
        return _frame(self.table("metrics"))


class Runs(Result):
    """What several runs gave: a dict, as `weir compare --json` or `weir sweep --json` prints it.

    runs is a DataFrame with a row per run: what varies, whether it is done and in doubt, and each number of its summary.
    series has the points of all of them, by run, and messages, with keep_messages, a sample of those of each run.
    """

    tables = ("runs", "series", "messages")

    def __init__(self, told: Dict[str, Any], varied: List[Tuple[Optional[int], Dict[str, Any]]], file: pathlib.Path,
                 folder: Optional["tempfile.TemporaryDirectory[str]"] = None):
        self._varied = varied  # of each run its number in the result file; None = it is not there
        super().__init__(told, file, None, folder)

    def _series(self) -> Table:
        columns, rows = self._query("SELECT run, name, place, unit, t_ps, value FROM point JOIN series ON series = series.id"
                                    " ORDER BY run, series.id, t_ps")
        ours = {run for run, _ in self._varied}
        return columns, [row for row in rows if row[0] in ours]

    def _messages(self) -> Table:
        columns, rows = self._query("SELECT run, id, src, dst, item, bytes, start_ps, end_ps, ideal_ps, payload_ideal_ps, retransmissions, marks,"
                                    " (end_ps - start_ps) * 1.0 / ideal_ps AS slowdown, weight FROM message ORDER BY key")
        ours = {run for run, _ in self._varied}
        return columns, [row for row in rows if row[0] in ours]

    def _runs(self) -> Table:
        numbers: Dict[Optional[int], Dict[str, float]] = {}
        for run, name, value in self._query("SELECT run, name, value FROM metric ORDER BY run, name")[1]:
            numbers.setdefault(run, {})[name] = value
        digests: Dict[Optional[int], str] = {number: digest for number, digest in self._query("SELECT id, digest FROM run")[1]}
        varied = list(dict.fromkeys(name for _, row in self._varied for name in row))
        names = list(dict.fromkeys(name for run, _ in self._varied for name in numbers.get(run, {}) if name not in varied))
        rows: List[Sequence[Any]] = [[run, *(row.get(name) for name in varied), digests.get(run),
                                      *(numbers.get(run, {}).get(name) for name in names)] for run, row in self._varied]
        return ["run", *varied, "digest", *names], rows

    @property
    def runs(self) -> "pandas.DataFrame":
        """A row per run: `run` (its number in the file; None = it failed), what varies, `done`, `doubt`, `digest`, and each number of its summary."""
        return _frame(self.table("runs"))
