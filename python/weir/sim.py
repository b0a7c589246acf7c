"""The simulator: runs, comparisons and sweeps by the command `weir`, and sessions, simulations that a program drives, by the library
libweirsim (include/weir/sim.h, doc/session.md). All of it is at the top of the package, too.

Times are whole picoseconds, as in the library, sizes whole bytes. Nothing is rounded on the way: the same calls have the
same digest from C and from Python.
"""
import ctypes
import functools
import operator
import os
import pathlib
import struct
import traceback
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, NoReturn, Optional, Tuple, Type, Union

from . import libraries
from .changes import Changes, Scenario, settings, text_of
from .command import compare, explain, run, sweep
from .errors import Error
from .results import Result, Runs

__all__ = ["COMPLETED", "DELIVERED", "MS", "NEVER", "S", "TIMER", "US", "Counts", "Error", "Event", "Host", "Link", "Result", "Runs",
           "Session", "Snapshot", "compare", "explain", "run", "sweep"]
NEVER = (1 << 64) - 1  # as until_ps: until nothing happens any more
DELIVERED, COMPLETED, TIMER = 1, 2, 4  # kinds of events
US, MS, S = 10**6, 10**9, 10**12  # in picoseconds

_E_MEMORY, _E_SCENARIO, _E_ARGUMENT, _E_PAST, _E_STARTED, _E_CALL, _E_OVER, _E_RUN, _E_FILE, _E_DIGEST = range(-1, -11, -1)
_CODES = {
    _E_MEMORY: "memory", _E_SCENARIO: "scenario", _E_ARGUMENT: "argument", _E_PAST: "past", _E_STARTED: "started",
    _E_CALL: "call", _E_OVER: "over", _E_RUN: "run", _E_FILE: "file", _E_DIGEST: "digest",
}
_NO_HOST = (1 << 32) - 1


class Event(NamedTuple):
    """Something that happened. src and dst are hosts; of a timer of the session both are None, of a host both that host."""

    kind: int
    at_ps: int
    user: int
    id: int
    src: Optional[int]
    dst: Optional[int]
    start_ps: int
    bytes: int
    retransmissions: int


class Counts(NamedTuple):
    """What has happened so far. digest is of messages that have ended; after Session.close() it is that of `weir run`."""

    over: bool
    now_ps: int
    messages_started: int
    messages_delivered: int
    messages_completed: int
    bytes_started: int
    bytes_delivered: int
    packet_hops: int
    digest: int
    state_bytes: int


class Link(NamedTuple):
    """One direction of a cable in a snapshot. src and dst are names of nodes, as 'host 3' or 'leaf 0'."""

    src: str
    dst: str
    rate_bps: int
    sent_bps: int
    queue_bytes: int
    bytes: int
    marks: int
    drops: int
    losses: int


class Host(NamedTuple):
    """A host in a snapshot."""

    waiting_messages: int
    waiting_bytes: int
    open_messages: int
    unsent_pkts: int
    acked_bytes: int
    arrived_bytes: int
    retransmissions: int


class Snapshot(NamedTuple):
    """The network at at_ps: all before has happened. Rates are means since since_ps, the last snapshot."""

    at_ps: int
    since_ps: int
    links: List[Link]
    hosts: List[Host]


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("line", ctypes.c_uint32), ("column", ctypes.c_uint32), ("file", ctypes.c_char * 256),
                ("text", ctypes.c_char * 512), ("hint", ctypes.c_char * 512)]


_EVENT = struct.Struct("=QQQQQIIII")  # struct weir_sim_event
_MESSAGE = struct.Struct("=IIIIQQQdI4x")  # struct weir_sim_message


class _Event(ctypes.Structure):
    _fields_ = [("at_ps", ctypes.c_uint64), ("user", ctypes.c_uint64), ("id", ctypes.c_uint64), ("start_ps", ctypes.c_uint64),
                ("bytes", ctypes.c_uint64), ("kind", ctypes.c_uint32), ("src", ctypes.c_uint32), ("dst", ctypes.c_uint32),
                ("retransmissions", ctypes.c_uint32)]


_ON_EVENT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Event), ctypes.c_uint32)


class _Opts(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("threads", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("set", ctypes.POINTER(ctypes.c_char_p)), ("reaction_ps", ctypes.c_uint64), ("events", ctypes.c_uint32),
                ("check", ctypes.c_uint32), ("on_event", _ON_EVENT), ("ctx", ctypes.c_void_p), ("record", ctypes.c_uint32), ("reserved", ctypes.c_uint32)]


class _Counts(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("over", ctypes.c_uint32), ("now_ps", ctypes.c_uint64)] + [
        (name, ctypes.c_uint64) for name in Counts._fields[2:]]


class _Link(ctypes.Structure):
    _fields_ = [("src", ctypes.c_uint32), ("dst", ctypes.c_uint32)] + [(name, ctypes.c_uint64) for name in Link._fields[2:]]


class _Host(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in Host._fields]


class _Snapshot(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("link_count", ctypes.c_uint32), ("host_count", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("at_ps", ctypes.c_uint64), ("since_ps", ctypes.c_uint64), ("link", ctypes.POINTER(_Link)), ("host", ctypes.POINTER(_Host))]


class _Metric(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("value", ctypes.c_double), ("whole", ctypes.c_uint64),
                ("digits", ctypes.c_uint32), ("applies", ctypes.c_uint32)]


@functools.lru_cache(maxsize=None)
def _lib() -> ctypes.CDLL:
    lib = libraries.load("weirsim", "WEIR_SIM_LIBRARY", 0)
    handle, u64, u32 = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32
    libraries.declare(lib, "weir_sim_", (
            ("open", handle, [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_Opts), ctypes.POINTER(_Error)]),
            ("inject", ctypes.c_int, [handle, ctypes.c_void_p, ctypes.c_void_p]),
            ("cancel", ctypes.c_int, [handle, u64]),
            ("at", ctypes.c_int, [handle, u64, u64]),
            ("host_at", ctypes.c_int, [handle, u32, u64, u64]),
            ("advance", ctypes.c_long, [handle, u64, ctypes.c_void_p]),
            ("set_weight", ctypes.c_int, [handle, u64, u64, ctypes.c_double]),
            *((name, ctypes.c_int, [handle, ctypes.c_char_p, u64]) for name in ("cut", "hold", "mend")),
            ("now", u64, [handle]), ("floor", u64, [handle]), ("reaction", u64, [handle]), ("lead", u64, [handle]), ("hosts", u32, [handle]),
            ("counts", ctypes.c_int, [handle, ctypes.POINTER(_Counts)]),
            ("snapshot", ctypes.c_int, [handle, ctypes.POINTER(_Snapshot)]),
            ("node_name", ctypes.c_int, [handle, u32, ctypes.c_char_p, ctypes.c_size_t]),
            ("result", ctypes.c_long, [handle, ctypes.POINTER(ctypes.POINTER(_Metric))]), ("end", ctypes.c_int, [handle]),
            ("save", ctypes.c_int, [handle, ctypes.c_char_p]),
            ("restore", ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(_Opts), ctypes.POINTER(handle), ctypes.POINTER(_Error)]),
            ("close", ctypes.c_int, [handle, ctypes.POINTER(_Counts), ctypes.POINTER(_Error)]),
            ("error", ctypes.POINTER(_Error), [handle]), ("abi_version", u32, [])))
    libraries.check_abi("weirsim", lib.weir_sim_abi_version(), 0)
    return lib


def _whole(name: str, value: object, bits: int) -> int:
    """A whole number of at most so many bits, or an Error that names it."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise Error(f"{name} = {value!r}: must be a whole number") from None
    if not 0 <= number < 1 << bits:
        raise Error(f"{name} = {number}: must be 0 to {(1 << bits) - 1}")
    return number


def _raise(error: _Error, code: int) -> NoReturn:
    raise Error(error.text.decode(errors="replace"), _CODES.get(code, "run"), error.file.decode(errors="replace"), error.line,
                error.column, error.hint.decode(errors="replace"))


class Session:
    """A simulation that this program drives.

    scenario: the text of a scenario, with traffic of kind session, or the pathlib.Path of its file. set, and keywords: changes of its
    keys, as of weir.run(). threads: 1 or more; results do not depend on it. events: which kinds advance() returns. on_event(session,
    event, here) is called in the visit of host `here`, and may call inject(), cancel() and host_at() for that host alone, from
    event.at_ps on; it needs threads=1. reaction_ps: an event at t can be answered anywhere from t + this on; 0 = the shortest delay
    of a cable. check: verify invariants. record: keep all calls, for save().

    Used in a with-statement, it is closed at the end. Iterating gives all events that are left, in order. A session whose call-back
    raised an exception goes on to the end of that advance(), which then raises a weir.Error: code 'call-back', file and line where it
    was raised, and itself as __cause__.
    """

    _handle: Any  # the number of the session in the library; None = closed
    _library: ctypes.CDLL

    def __init__(self, scenario: Scenario, set: Optional[Changes] = None, threads: int = 1, events: int = DELIVERED | TIMER,
                 on_event: Optional[Callable[["Session", Event, int], None]] = None, reaction_ps: int = 0, check: bool = False,
                 record: bool = False, **changes: object):
        self._begin(on_event, threads)
        name, text = text_of(scenario)
        data = text.encode()
        keys = [change.encode() for change in settings(set, changes)]
        opts, error = self._options(threads, check, record), _Error()
        opts.name = name.encode()
        opts.set = (ctypes.c_char_p * (len(keys) + 1))(*keys, None)
        opts.reaction_ps, opts.events = _whole("reaction_ps", reaction_ps, 62), _whole("events", events, 32)
        self._handle = self._library.weir_sim_open(data, len(data), ctypes.byref(opts), ctypes.byref(error)) or None
        if self._handle is None:
            _raise(error, error.code)

    def _begin(self, on_event: Any, threads: int) -> None:
        """Sets what a session has before it is open."""
        self._handle = None
        self._last: Optional[Counts] = None
        self._user: Any = on_event
        self._raised: Optional[BaseException] = None
        if on_event is not None and not callable(on_event):
            raise Error(f"on_event = {on_event!r}: must be callable")
        if on_event is not None and threads != 1:
            raise Error("on_event needs threads=1: Python runs call-backs one at a time")
        self._library = _lib()
        self._message, self._number, self._events = ctypes.create_string_buffer(_MESSAGE.size), ctypes.c_uint64(), ctypes.c_void_p()
        self._message_at, self._number_at, self._events_at = map(ctypes.addressof, (self._message, self._number, self._events))

    def _options(self, threads: int, check: bool, record: bool) -> _Opts:
        opts = _Opts(size=ctypes.sizeof(_Opts), check=bool(check), record=bool(record))
        opts.threads = _whole("threads", threads, 32)
        if self._user is not None:
            opts.on_event = _ON_EVENT(self._visit)
        self._opts = opts  # its call-back must live as long as the session
        return opts

    @classmethod
    def restore(cls, path: Union[str, pathlib.Path], threads: int = 1, on_event: Optional[Callable[["Session", Event, int], None]] = None,
                check: bool = False, record: bool = False) -> "Session":
        """Opens a session that save() wrote, and executes its calls again. on_event: if it had one, which is called again."""
        session, handle, error = cls.__new__(cls), ctypes.c_void_p(), _Error()
        session._begin(on_event, threads)
        opts = session._options(threads, check, record)
        session._handle = handle  # call-backs find it
        code = session._library.weir_sim_restore(os.fsencode(path), ctypes.byref(opts), ctypes.byref(handle), ctypes.byref(error))
        session._handle = handle.value
        session._raise_kept()
        if code < 0:
            _raise(error, code)
        return session

    def save(self, path: Union[str, pathlib.Path]) -> None:
        """Writes the scenario and all calls so far to a file; the session was opened with record=True."""
        code = self._library.weir_sim_save(self._open(), os.fsencode(path))
        self._raise_kept()  # hosts may have gone on, with call-backs
        self._check(code)

    # ---- what is there ----

    def _open(self) -> Any:
        if self._handle is None:
            raise Error("the session is closed", "call")
        return self._handle

    @property
    def now_ps(self) -> int:
        """When the last events were, or the last until_ps that was reached."""
        return int(self._library.weir_sim_now(self._open()))

    @property
    def floor_ps(self) -> int:
        """The earliest start of a message that may be given now."""
        return int(self._library.weir_sim_floor(self._open()))

    @property
    def reaction_ps(self) -> int:
        """An event at t can be answered anywhere from t + this on."""
        return int(self._library.weir_sim_reaction(self._open()))

    @property
    def lead_ps(self) -> int:
        """How long before its instant cut(), hold() and mend() are given at least."""
        return int(self._library.weir_sim_lead(self._open()))

    @property
    def hosts(self) -> int:
        """How many hosts the topology has: 0 .. hosts - 1."""
        return int(self._library.weir_sim_hosts(self._open()))

    def counts(self) -> Counts:
        """What has happened so far; of a closed session at its end."""
        if self._handle is None and self._last is not None:
            return self._last
        counts = _Counts(size=ctypes.sizeof(_Counts))
        self._check(self._library.weir_sim_counts(self._open(), ctypes.byref(counts)))
        return self._counts(counts)

    def snapshot(self) -> Snapshot:
        """Queues, rates and bytes of all links, and messages at hosts, at now_ps, where all nodes must have stopped."""
        s, name = _Snapshot(size=ctypes.sizeof(_Snapshot)), ctypes.create_string_buffer(256)
        self._check(self._library.weir_sim_snapshot(self._open(), ctypes.byref(s)))

        def node(number: int) -> str:
            self._check(self._library.weir_sim_node_name(self._handle, number, name, len(name)))
            return name.value.decode(errors="replace")

        links = [Link(node(x.src), node(x.dst), *(getattr(x, field) for field in Link._fields[2:])) for x in s.link[:s.link_count]]
        return Snapshot(s.at_ps, s.since_ps, links, [Host(*(getattr(x, field) for field in Host._fields)) for x in s.host[:s.host_count]])

    def result(self) -> Dict[str, Optional[float]]:
        """The numbers of the run so far, by their names in `weir run --json`; None where one does not apply."""
        metric = ctypes.POINTER(_Metric)()
        count = self._check(self._library.weir_sim_result(self._open(), ctypes.byref(metric)))
        return {m.name.decode(): (m.value if m.digits else m.whole) if m.applies else None for m in metric[:count]}

    def end(self) -> Counts:
        """Ends the run, and keeps the session: result() and the digest are then those of `weir run`."""
        code = self._library.weir_sim_end(self._open())
        self._raise_kept()
        self._check(code)
        return self.counts()

    @staticmethod
    def _counts(counts: _Counts) -> Counts:
        return Counts(bool(counts.over), *(getattr(counts, name) for name in Counts._fields[1:]))

    def _check(self, code: int) -> int:
        if code < 0:
            _raise(self._library.weir_sim_error(self._handle).contents, code)
        return code

    # ---- what a program gives ----

    def inject(self, src: int, dst: int, bytes: int, start_ps: Optional[int] = None, user: int = 0, weight: float = 1.0,
               item: int = 0, group: int = 0) -> int:
        """Gives host src a message of so many bytes for host dst; start_ps None = as early as it may be. group: 1 is the first of
        those that the item says, 0 = none. @return its id"""
        handle = self._open()
        start = self._library.weir_sim_floor(handle) if start_ps is None else start_ps
        try:
            _MESSAGE.pack_into(self._message, 0, _MESSAGE.size, src, dst, item, bytes, start, user, weight, group)
        except (struct.error, OverflowError, TypeError):
            self._refuse(src=(src, 32), dst=(dst, 32), item=(item, 32), bytes=(bytes, 64), start_ps=(start, 64), user=(user, 64),
                         group=(group, 32))
            raise Error(f"weight = {weight!r}: must be a number") from None
        self._check(self._library.weir_sim_inject(handle, self._message_at, self._number_at))
        return self._number.value

    @staticmethod
    def _refuse(**given: Tuple[object, int]) -> None:
        """Raises an Error that names the first of some numbers that does not fit its bits."""
        for name, (value, bits) in given.items():
            _whole(name, value, bits)

    def cancel(self, id: int) -> None:
        """Takes a message back that has not started."""
        self._check(self._library.weir_sim_cancel(self._open(), _whole("id", id, 64)))

    def set_weight(self, id: int, weight: float, at_ps: Optional[int] = None) -> None:
        """Sets the weight of a message from at_ps on; None = as early as it may be."""
        try:
            number = float(weight)
        except (TypeError, ValueError):
            raise Error(f"weight = {weight!r}: must be a number") from None
        start = self.floor_ps if at_ps is None else _whole("at_ps", at_ps, 64)
        self._check(self._library.weir_sim_set_weight(self._open(), _whole("id", id, 64), start, number))

    def _change(self, call: str, name: str, at_ps: Optional[int]) -> None:
        if not isinstance(name, str):
            raise Error(f"name = {name!r}: must be a text, as 'leaf 0 - spine 1'")
        start = self.floor_ps + self.lead_ps if at_ps is None else _whole("at_ps", at_ps, 64)
        self._check(getattr(self._library, "weir_sim_" + call)(self._open(), name.encode(), start))

    def cut(self, name: str, at_ps: Optional[int] = None) -> None:
        """Takes a cable ('leaf 0 - spine 1'), a switch or a host down; what waits there is dropped. at_ps None = as early as it may be.
        The scenario says in fabric.cuttable which cables may go down."""
        self._change("cut", name, at_ps)

    def hold(self, cable: str, at_ps: Optional[int] = None) -> None:
        """Takes a cable down so that packets wait for it; else as cut()."""
        self._change("hold", cable, at_ps)

    def mend(self, name: str, at_ps: Optional[int] = None) -> None:
        """Takes up again what is down; else as cut()."""
        self._change("mend", name, at_ps)

    def at(self, at_ps: int, user: int = 0) -> None:
        """Sets a timer: advance() stops there, before all that happens at that instant."""
        self._check(self._library.weir_sim_at(self._open(), _whole("at_ps", at_ps, 64), _whole("user", user, 64)))

    def host_at(self, host: int, at_ps: int, user: int = 0) -> None:
        """Sets a timer of a host, which calls on_event in its visit."""
        self._check(self._library.weir_sim_host_at(self._open(), _whole("host", host, 32), _whole("at_ps", at_ps, 64),
                                            _whole("user", user, 64)))

    # ---- time ----

    @staticmethod
    def _event_of(at_ps: int, user: int, id: int, start_ps: int, bytes: int, kind: int, src: int, dst: int, again: int) -> Event:
        """An event, of the members of struct weir_sim_event in their order."""
        if src == _NO_HOST:
            return Event(kind, at_ps, user, id, None, None, start_ps, bytes, again)
        return Event(kind, at_ps, user, id, src, dst, start_ps, bytes, again)

    def _visit(self, _: int, event: "ctypes._Pointer[_Event]", here: int) -> None:
        if self._raised is not None:
            return
        try:
            self._user(self, self._event_of(*_EVENT.unpack(ctypes.string_at(event, _EVENT.size))), here)
        except BaseException as error:  # pylint: disable=broad-except # advance() raises it: C code is in between
            self._raised = error
            self._at = f"host {here} at {event.contents.at_ps} ps"

    def _raise_kept(self) -> None:
        """Raises what a call-back raised."""
        error, self._raised = self._raised, None
        if error is None:
            return
        if isinstance(error, Error) or not isinstance(error, Exception):  # as KeyboardInterrupt
            raise error
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise Error(f"the call-back of {self._at}: {type(error).__name__}: {error}", "call-back", place.filename, place.lineno or 0) from error

    def advance(self, until_ps: int = NEVER) -> List[Event]:
        """Advances to the next instant with events, and returns all events of it; [] = until_ps is reached, nothing is left
        to happen, or the run is over."""
        handle = self._open()
        count = self._library.weir_sim_advance(handle, _whole("until_ps", until_ps, 64), self._events_at)
        if self._raised is not None:
            self._raise_kept()
        if count <= 0:
            self._check(count)
            return []
        event = self._event_of
        return [event(*members) for members in _EVENT.iter_unpack(ctypes.string_at(self._events.value or 0, count * _EVENT.size))]

    def __iter__(self) -> Iterator[Event]:
        while events := self.advance():
            yield from events

    def close(self) -> Counts:
        """Ends the session. Closed twice it returns the same counts again."""
        if self._handle is None:
            if self._last is None:
                raise Error("the session was never open", "call")
            return self._last
        counts, error = _Counts(size=ctypes.sizeof(_Counts)), _Error()
        code = self._library.weir_sim_close(self._handle, ctypes.byref(counts), ctypes.byref(error))
        if code == _E_CALL:  # in a call-back: nothing is ended
            self._check(code)
        self._handle = None
        if code < 0:
            _raise(error, code)
        self._last = self._counts(counts)
        self._raise_kept()
        return self._last

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        if self._handle is None:
            return
        try:
            self.close()
        except Error:
            if kind is None:  # else that exception goes on, and says more
                raise

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            try:
                self.close()
            except Error:
                pass  # nobody is there to be told
