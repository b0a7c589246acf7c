"""What weir.net is made of: its exception, addresses, numbers, lent memory, a timer."""
import ctypes
import errno
import functools
import os
import socket
import struct
import time
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from . import libweir

if TYPE_CHECKING:
    import asyncio

Data = Union[bytes, bytearray, memoryview]
_ITIMERSPEC = struct.Struct("=qqqq")  # interval, and value in seconds and nanoseconds
_ABSOLUTE = 1


class Error(OSError):
    """What failed: errno, and a sentence. peer is the address of the other endpoint, if one has to do with it."""

    __module__ = "weir.net"

    def __init__(self, number: int, text: str, peer: str = ""):
        super().__init__(number, f"{peer}: {text}" if peer else text)
        self.peer = peer


class ReplyError(Error):
    """The peer's program answered a call with an error of its own: code is its number, data the message that came with it.

    errno is 1024 + code, which no failure of the library has.
    """

    __module__ = "weir.net"

    def __init__(self, code: int, data: bytes = b"", peer: str = ""):
        super().__init__(libweir.APP_ERROR + code, f"error {code} of the peer's application", peer)
        self.code, self.data = code, data


@functools.lru_cache(maxsize=4096)
def _sockaddr(address: str) -> bytes:
    host, _, port = address.rpartition(":")
    number = struct.pack("!H", int(port) if port.isascii() and port.isdigit() else -1)
    if host.startswith("[") and host.endswith("]"):
        return struct.pack("=H2sI16sI", socket.AF_INET6, number, 0, socket.inet_pton(socket.AF_INET6, host[1:-1]), 0)
    return struct.pack("=H2s4s8x", socket.AF_INET, number, socket.inet_pton(socket.AF_INET, host))


def to_sockaddr(address: str) -> bytes:
    """The struct sockaddr of 'ADDRESS:PORT' or '[ADDRESS]:PORT'."""
    try:
        return _sockaddr(address)
    except (OSError, struct.error, ValueError, TypeError, AttributeError):
        raise Error(errno.EINVAL, f"{address!r} is no address of a peer: give one as 10.0.0.2:7000 or [fd00::2]:7000") from None


def to_address(sockaddr: bytes) -> str:
    """The address of a struct sockaddr, as to_sockaddr() takes it."""
    port = int.from_bytes(sockaddr[2:4], "big")
    if struct.unpack_from("=H", sockaddr)[0] == socket.AF_INET6:
        return f"[{socket.inet_ntop(socket.AF_INET6, sockaddr[8:24])}]:{port}"
    return f"{socket.inet_ntop(socket.AF_INET, sockaddr[4:8])}:{port}"


def whole(name: str, value: Any, most: int, factor: float = 1) -> int:
    """A number times a factor, as a whole number; an Error if it does not fit."""
    try:
        number = int(value if factor == 1 else value * factor)
    except (TypeError, ValueError, OverflowError):
        number = -1
    if not 0 <= number <= most:
        raise Error(errno.EINVAL, f"{name} = {value!r}: must be a number from 0 to {most / factor:.12g}")
    return number


def instant_after(timeout: Any) -> int:
    """CLOCK_MONOTONIC in nanoseconds, so many seconds from now; one that has passed counts as now."""
    passed = isinstance(timeout, (int, float)) and timeout < 0
    return time.monotonic_ns() + whole("timeout", 0 if passed else timeout, 1 << 62, 1e9)


class Lent:
    """The memory of a message, lent by the library until the end of a with-statement, which has it as a memoryview.

    If parts of that view are still in use then, the memory goes back when the last of them is gone.
    """

    def __init__(self, data: Union[bytes, "ctypes.Array[ctypes.c_ubyte]"]):
        self._view: Optional[memoryview] = memoryview(data).cast("B").toreadonly()

    def __enter__(self) -> memoryview:
        if self._view is None:
            raise Error(errno.EBADF, "the memory was given back")
        return self._view

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Gives the memory back, as the end of the with-statement does; twice does no harm."""
        if self._view is not None:
            view, self._view = self._view, None
            try:
                view.release()
            except BufferError:  # somebody reads it, as numpy: then it ends with that
                pass

    def __len__(self) -> int:
        return len(self.__enter__())

    def __bytes__(self) -> bytes:
        return bytes(self.__enter__())


class Operation:
    """An operation of which the library owes an event; handle is that of weir_last_op(), data the memory that the library borrows."""

    __slots__ = ("future", "handle", "data", "lend")

    def __init__(self, future: "asyncio.Future[Any]", handle: int, data: bytes, lend: bool):
        self.future, self.handle, self.data, self.lend = future, handle, data, lend


class Timer:
    """A descriptor that is readable from an instant on: event loops wait in whole milliseconds, and packets are paced in microseconds."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.fd: int = self._libc.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise Error(ctypes.get_errno(), "no descriptor for a timer: " + os.strerror(ctypes.get_errno()))
        self._set: Callable[..., int] = self._libc.timerfd_settime
        self._set.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p]  # type: ignore[attr-defined]
        self._due_ns = libweir.NEVER

    def set(self, due_ns: int) -> None:
        """CLOCK_MONOTONIC; NEVER and 0 = not readable. An earlier instant that is still to come stays, since a poll too many does no harm."""
        now_ns = time.monotonic_ns()
        if due_ns == 0:
            due_ns = libweir.NEVER
        if now_ns < self._due_ns <= due_ns:
            return
        if due_ns == self._due_ns == libweir.NEVER:
            return
        self._due_ns = due_ns
        at_ns = 0 if due_ns == libweir.NEVER else due_ns
        self._set(self.fd, _ABSOLUTE, _ITIMERSPEC.pack(0, 0, at_ns // 10**9, at_ns % 10**9), None)

    def close(self) -> None:
        os.close(self.fd)
