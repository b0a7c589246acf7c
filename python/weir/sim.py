"""Sessions: a simulation that a program drives (include/weir/sim.h, doc/session.md).

Times are whole picoseconds, as in the library, sizes whole bytes. Nothing is rounded on the way: the same calls have the
same digest from C and from Python.
"""
import ctypes
import ctypes.util
import os
import pathlib
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Union

NEVER = (1 << 64) - 1  # as until_ps: until nothing happens any more
DELIVERED, COMPLETED, TIMER = 1, 2, 4  # kinds of events
US, MS, S = 10**6, 10**9, 10**12  # in picoseconds

_E_MEMORY, _E_SCENARIO, _E_ARGUMENT, _E_PAST, _E_STARTED, _E_CALL, _E_OVER, _E_RUN = range(-1, -9, -1)
_CODES = {
    _E_MEMORY: "memory", _E_SCENARIO: "scenario", _E_ARGUMENT: "argument", _E_PAST: "past", _E_STARTED: "started",
    _E_CALL: "call", _E_OVER: "over", _E_RUN: "run",
}
_NO_HOST = (1 << 32) - 1


class Error(Exception):
    """What a session, or the command `weir`, refuses or did not do.

    code is 'scenario', 'argument', 'past', 'started', 'call', 'over', 'run', 'memory' or 'command'. file, line and column
    say where a scenario is wrong; line 0 = the error has no position. hint says what to do, and may be empty.
    """

    def __init__(self, text: str, code: str = "argument", file: str = "", line: int = 0, column: int = 0, hint: str = ""):
        where = f"{file}:{line}:{column}: " if line else f"{file}: " if file else ""
        super().__init__(where + text + (f" ({hint})" if hint else ""))
        self.text, self.code, self.file, self.line, self.column, self.hint = text, code, file, line, column, hint


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


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("line", ctypes.c_uint32), ("column", ctypes.c_uint32), ("file", ctypes.c_char * 256),
                ("text", ctypes.c_char * 512), ("hint", ctypes.c_char * 512)]


class _Event(ctypes.Structure):
    _fields_ = [("at_ps", ctypes.c_uint64), ("user", ctypes.c_uint64), ("id", ctypes.c_uint64), ("start_ps", ctypes.c_uint64),
                ("bytes", ctypes.c_uint64), ("kind", ctypes.c_uint32), ("src", ctypes.c_uint32), ("dst", ctypes.c_uint32),
                ("retransmissions", ctypes.c_uint32)]


_ON_EVENT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Event), ctypes.c_uint32)


class _Opts(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("threads", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("set", ctypes.POINTER(ctypes.c_char_p)), ("reaction_ps", ctypes.c_uint64), ("events", ctypes.c_uint32),
                ("check", ctypes.c_uint32), ("on_event", _ON_EVENT), ("ctx", ctypes.c_void_p)]


class _Message(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("src", ctypes.c_uint32), ("dst", ctypes.c_uint32), ("item", ctypes.c_uint32),
                ("bytes", ctypes.c_uint64), ("start_ps", ctypes.c_uint64), ("user", ctypes.c_uint64), ("weight", ctypes.c_double)]


class _Counts(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("over", ctypes.c_uint32), ("now_ps", ctypes.c_uint64)] + [
        (name, ctypes.c_uint64) for name in Counts._fields[2:]]


def _load() -> ctypes.CDLL:
    """Finds the library: in WEIR_SIM_LIBRARY, beside a build of this tree, or where the system has its libraries."""
    tree = pathlib.Path(__file__).resolve().parents[2]
    names = [os.environ.get("WEIR_SIM_LIBRARY"), *(str(tree / build / "libweirsim.so") for build in ("build", "build/plain")),
             ctypes.util.find_library("weirsim"), "libweirsim.so.0"]
    for name in names:
        if name is None or (os.path.isabs(name) and not os.path.exists(name) and name != names[0]):
            continue
        try:
            lib = ctypes.CDLL(name)
            break
        except OSError as error:
            if name == names[0]:
                raise Error(f"WEIR_SIM_LIBRARY: {error}", "command") from error
    else:
        raise Error("libweirsim is not here", "command", hint="install it, or set WEIR_SIM_LIBRARY to its file")
    handle, u64, u32 = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32
    for function, result, arguments in (
            ("open", handle, [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_Opts), ctypes.POINTER(_Error)]),
            ("inject", ctypes.c_int, [handle, ctypes.POINTER(_Message), ctypes.POINTER(u64)]),
            ("cancel", ctypes.c_int, [handle, u64]),
            ("at", ctypes.c_int, [handle, u64, u64]),
            ("host_at", ctypes.c_int, [handle, u32, u64, u64]),
            ("advance", ctypes.c_long, [handle, u64, ctypes.POINTER(ctypes.POINTER(_Event))]),
            ("now", u64, [handle]), ("floor", u64, [handle]), ("reaction", u64, [handle]), ("hosts", u32, [handle]),
            ("counts", ctypes.c_int, [handle, ctypes.POINTER(_Counts)]),
            ("close", ctypes.c_int, [handle, ctypes.POINTER(_Counts), ctypes.POINTER(_Error)]),
            ("error", ctypes.POINTER(_Error), [handle]), ("abi_version", u32, [])):
        call = getattr(lib, "weir_sim_" + function)
        call.restype, call.argtypes = result, arguments
    if lib.weir_sim_abi_version() != 0:
        raise Error(f"libweirsim has version {lib.weir_sim_abi_version()} of its interface, and this package knows 0", "command")
    return lib


_library: Optional[ctypes.CDLL] = None


def _lib() -> ctypes.CDLL:
    global _library
    if _library is None:
        _library = _load()
    return _library


def _whole(name: str, value: int, bits: int) -> int:
    """A whole number of at most so many bits, or an Error that names it."""
    try:
        number = value.__index__()
    except AttributeError:
        raise Error(f"{name} = {value!r}: must be a whole number") from None
    if not 0 <= number < 1 << bits:
        raise Error(f"{name} = {number}: must be 0 to {(1 << bits) - 1}")
    return number


def _raise(error: _Error, code: int) -> None:
    raise Error(error.text.decode(errors="replace"), _CODES.get(code, "run"), error.file.decode(errors="replace"), error.line,
                error.column, error.hint.decode(errors="replace"))


class Session:
    """A simulation that this program drives.

    scenario: the text of a scenario, with traffic of kind session, or a path (pathlib.Path) of a file. set: keys that
    replace what it says, as {'run.seed': 2}. threads: 1 or more; results do not depend on it. events: which kinds
    advance() returns. on_event(session, event, here) is called in the visit of host `here`, and may call inject(),
    cancel() and host_at() for that host alone, from event.at_ps on; it needs threads=1. reaction_ps: an event at t can be
    answered anywhere from t + this on; 0 = the shortest delay of a cable.

    Used in a with-statement, it is closed at the end. Iterating gives all events that are left, in order. A session whose
    call-back raised an exception goes on to the end of that advance(), which then raises it.
    """

    def __init__(self, scenario: Union[str, pathlib.Path], set: Optional[Dict[str, object]] = None, threads: int = 1,
                 events: int = DELIVERED | TIMER, on_event: Optional[Callable[["Session", Event, int], None]] = None,
                 reaction_ps: int = 0, check: bool = False):
        self._handle = None
        name, text = "scenario", scenario
        if isinstance(scenario, pathlib.Path):
            name, text = str(scenario), scenario.read_text(encoding="utf-8")
        if not isinstance(text, str):
            raise Error(f"the scenario is {type(text).__name__}: give its text, or a pathlib.Path")
        if on_event is not None and threads != 1:
            raise Error("on_event needs threads=1: Python runs call-backs one at a time")
        data = text.encode()
        keys = [f"{key}={value}".encode() for key, value in (set or {}).items()]
        opts, error = _Opts(size=ctypes.sizeof(_Opts)), _Error()
        opts.threads, opts.name = _whole("threads", threads, 32), name.encode()
        opts.set = (ctypes.c_char_p * (len(keys) + 1))(*keys, None)
        opts.reaction_ps, opts.events, opts.check = _whole("reaction_ps", reaction_ps, 62), _whole("events", events, 32), check
        self._user, self._raised = on_event, None
        if on_event is not None:
            opts.on_event = _ON_EVENT(self._visit)
        self._opts = opts  # its call-back must live as long as the session
        self._handle = _lib().weir_sim_open(data, len(data), ctypes.byref(opts), ctypes.byref(error))
        self._last: Optional[Counts] = None
        if not self._handle:
            self._handle = None
            _raise(error, error.code)

    # ---- what is there ----

    def _open(self) -> int:
        if self._handle is None:
            raise Error("the session is closed", "call")
        return self._handle

    @property
    def now_ps(self) -> int:
        """When the last events were, or the last until_ps that was reached."""
        return _lib().weir_sim_now(self._open())

    @property
    def floor_ps(self) -> int:
        """The earliest start of a message that may be given now."""
        return _lib().weir_sim_floor(self._open())

    @property
    def reaction_ps(self) -> int:
        """An event at t can be answered anywhere from t + this on."""
        return _lib().weir_sim_reaction(self._open())

    @property
    def hosts(self) -> int:
        """How many hosts the topology has: 0 .. hosts - 1."""
        return _lib().weir_sim_hosts(self._open())

    def counts(self) -> Counts:
        """What has happened so far; of a closed session at its end."""
        if self._handle is None and self._last is not None:
            return self._last
        counts = _Counts(size=ctypes.sizeof(_Counts))
        self._check(_lib().weir_sim_counts(self._open(), ctypes.byref(counts)))
        return self._counts(counts)

    @staticmethod
    def _counts(counts: _Counts) -> Counts:
        return Counts(bool(counts.over), *(getattr(counts, name) for name in Counts._fields[1:]))

    def _check(self, code: int) -> int:
        if code < 0:
            _raise(_lib().weir_sim_error(self._handle).contents, code)
        return code

    # ---- what a program gives ----

    def inject(self, src: int, dst: int, bytes: int, start_ps: Optional[int] = None, user: int = 0, weight: float = 1.0,
               item: int = 0) -> int:
        """Gives host src a message of so many bytes for host dst; start_ps None = as early as it may be. @return its id"""
        message, number = _Message(size=ctypes.sizeof(_Message)), ctypes.c_uint64()
        handle = self._open()
        message.src, message.dst = _whole("src", src, 32), _whole("dst", dst, 32)
        message.bytes, message.user, message.item = _whole("bytes", bytes, 64), _whole("user", user, 64), _whole("item", item, 32)
        message.start_ps = self.floor_ps if start_ps is None else _whole("start_ps", start_ps, 64)
        try:
            message.weight = float(weight)
        except (TypeError, ValueError):
            raise Error(f"weight = {weight!r}: must be a number") from None
        self._check(_lib().weir_sim_inject(handle, ctypes.byref(message), ctypes.byref(number)))
        return number.value

    def cancel(self, id: int) -> None:
        """Takes a message back that has not started."""
        self._check(_lib().weir_sim_cancel(self._open(), _whole("id", id, 64)))

    def at(self, at_ps: int, user: int = 0) -> None:
        """Sets a timer: advance() stops there, before all that happens at that instant."""
        self._check(_lib().weir_sim_at(self._open(), _whole("at_ps", at_ps, 64), _whole("user", user, 64)))

    def host_at(self, host: int, at_ps: int, user: int = 0) -> None:
        """Sets a timer of a host, which calls on_event in its visit."""
        self._check(_lib().weir_sim_host_at(self._open(), _whole("host", host, 32), _whole("at_ps", at_ps, 64),
                                            _whole("user", user, 64)))

    # ---- time ----

    @staticmethod
    def _event(e: _Event) -> Event:
        return Event(e.kind, e.at_ps, e.user, e.id, None if e.src == _NO_HOST else e.src, None if e.dst == _NO_HOST else e.dst,
                     e.start_ps, e.bytes, e.retransmissions)

    def _visit(self, _: int, event: "ctypes._Pointer[_Event]", here: int) -> None:
        if self._raised is not None:
            return
        try:
            self._user(self, self._event(event.contents), here)
        except BaseException as error:  # advance() raises it: C code is in between
            self._raised = error

    def advance(self, until_ps: int = NEVER) -> List[Event]:
        """Advances to the next instant with events, and returns all events of it; [] = until_ps is reached, nothing is left
        to happen, or the run is over."""
        events = ctypes.POINTER(_Event)()
        count = _lib().weir_sim_advance(self._open(), _whole("until_ps", until_ps, 64), ctypes.byref(events))
        if self._raised is not None:
            error, self._raised = self._raised, None
            raise error
        self._check(count)
        return [self._event(events[i]) for i in range(count)]

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
        handle, self._handle = self._handle, None
        code = _lib().weir_sim_close(handle, ctypes.byref(counts), ctypes.byref(error))
        if code < 0:
            _raise(error, code)
        self._last = self._counts(counts)
        return self._last

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()
