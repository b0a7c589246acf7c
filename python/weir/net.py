"""Messages and calls between servers by libweir (include/weir/weir.h), for asyncio.

    async with weir.net.Endpoint(bind="10.0.0.1:0") as ep:
        print(await ep.call("10.0.0.2:7000", b"hello", timeout=1.0))

An endpoint belongs to the event loop, and so to the thread, in which it was made. The loop calls weir_poll() when weir_fd() is readable or
weir_deadline() has come: there are no threads. Times are seconds. All that fails is a weir.net.Error. doc/python.md.
"""
import asyncio
import collections
import ctypes
import errno
import os
import threading
import time
import types
import warnings
import weakref
from typing import Any, Callable, Deque, Dict, Literal, Optional, Tuple, Type, Union, overload

from . import errors, libweir
from .libweir import Limits, PeerStats, Stats
from .netbase import Data, Error, Lent, Operation, ReplyError, Timer, instant_after, to_address, to_sockaddr, whole
from .netmessage import Message

__all__ = ["Endpoint", "Error", "Lent", "Limits", "Message", "PeerStats", "ReplyError", "Stats"]

OnPeer = Callable[[str, Optional[Error]], object]
_METRICS_BYTES = 8192  # at first: of one text
_EVENTS = 64  # most events of one weir_poll()


_FLAGS = {"copied": libweir.COPY | libweir.LOCAL, "arrived": 0, "taken": libweir.RELEASED}


class Endpoint:
    """One UDP port, which sends and receives messages. Made within a running event loop; a with-statement closes it.

    Arguments are those of struct weir_opts: bind 'ADDRESS:PORT', cc a protocol with keys such as 'sird B=120KB'. Times are in seconds.
    shared: several endpoints share the port. checked: a checksum over the payload, at both ends. 0 and None are the defaults.
    on_peer(address, error) is called when a connection is made, by either end, with None, and when it has ended, with the Error that says
    why. It must not wait. Messages of a connection are received after its call.
    """

    def __init__(self, bind: Optional[str] = None, cc: Optional[str] = None, *, driver: Optional[str] = None, device: Optional[str] = None,
                 rate_bps: int = 0, base_rtt: float = 0, rx_bytes: int = 0, tx_bytes: int = 0, max_ops: int = 0, max_peers: int = 0,
                 mtu: int = 0, peer_timeout: float = 0, protection: Optional[str] = None,
                 key_file: Union[str, "os.PathLike[str]", None] = None, path: Optional[str] = None, spray_ports: int = 0,
                 shared: bool = False, checked: bool = False, on_peer: Optional[OnPeer] = None):
        self._handle: Optional[int] = None
        self._ended: Optional[int] = None  # the handle of a closed endpoint whose memory is still lent
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            raise Error(errno.EINVAL, "no event loop runs here: make an endpoint in a coroutine") from None
        try:
            self._lib = libweir.library()
        except errors.Error as error:
            raise Error(errno.ENOENT, error.text + (f" ({error.hint})" if error.hint else "")) from None
        texts = {"bind": bind, "cc": cc, "driver": driver, "device": device, "protection": protection, "path": path}
        for name, text in texts.items():
            if text is not None and (not isinstance(text, str) or "\0" in text):
                raise Error(errno.EINVAL, f"{name} = {text!r}: must be a text")
        numbers = {"rate_bps": whole("rate_bps", rate_bps, libweir.NEVER), "base_rtt_ns": whole("base_rtt", base_rtt, 1 << 63, 1e9),
                   "rx_bytes": whole("rx_bytes", rx_bytes, 1 << 63), "tx_bytes": whole("tx_bytes", tx_bytes, 1 << 63),
                   "max_ops": whole("max_ops", max_ops, (1 << 32) - 1), "max_peers": whole("max_peers", max_peers, (1 << 32) - 1),
                   "mtu": whole("mtu", mtu, (1 << 32) - 1), "spray_ports": whole("spray_ports", spray_ports, (1 << 32) - 1),
                   "peer_timeout_ns": whole("peer_timeout", peer_timeout, 1 << 63, 1e9)}
        opts = libweir.weir_opts(
            size=ctypes.sizeof(libweir.weir_opts), **numbers, **{name: None if text is None else os.fsencode(text) for name, text in texts.items()},
            flags=libweir.OPEN_LEND_PEERS | (libweir.OPEN_SHARED if shared else 0) | (libweir.OPEN_CHECKED if checked else 0)
            | (libweir.OPEN_PEER_EVENTS if on_peer is not None else 0))
        opts.key_file = None if key_file is None else os.fsencode(key_file)
        self._why = Error(errno.EBADF, "the endpoint is closed")
        self._thread, self._protected = threading.get_ident(), protection not in (None, "none")
        self._on_peer = on_peer
        self._number, self._soon, self._armed_ns = 0, False, libweir.NEVER
        self._operations: Dict[int, Operation] = {}
        self._leases: Dict[int, "weakref.ref[Any]"] = {}
        self._inbox: Deque[Tuple[Any, ...]] = collections.deque()
        self._receivers: Deque["asyncio.Future[None]"] = collections.deque()
        self._waiters: Deque["asyncio.Future[None]"] = collections.deque()  # for room, after an -EAGAIN
        self._drained: Optional["asyncio.Future[None]"] = None
        self._make_buffers()
        self._begin(opts)

    def _make_buffers(self) -> None:
        """Memory for arguments of calls, which is used again and again."""
        self._events = (libweir.weir_event * _EVENTS)()
        self._iovec = libweir.iovec()
        self._option = libweir.weir_sendopt(size=ctypes.sizeof(libweir.weir_sendopt))
        self._peer, self._sockaddr, self._length = ctypes.c_void_p(), ctypes.create_string_buffer(128), ctypes.c_uint32()
        self._events_at, self._iovec_at, self._option_at, self._peer_at, self._sockaddr_at, self._length_at = map(
            ctypes.addressof, (self._events, self._iovec, self._option, self._peer, self._sockaddr, self._length))

    def _begin(self, opts: libweir.weir_opts) -> None:
        handle = ctypes.c_void_p()
        code = self._lib.weir_open(ctypes.byref(handle), ctypes.byref(opts))
        if code < 0:
            raise Error(-code, self._lib.weir_open_error().decode(errors="replace"))
        try:
            self._timer = Timer()
            self._loop.add_reader(self._lib.weir_fd(handle.value), self._poll)
            self._loop.add_reader(self._timer.fd, self._poll)
        except BaseException:
            self._lib.weir_close(handle.value)
            raise
        self._handle = handle.value
        self._poll_soon()

    # ---- what is there ----

    def _open(self) -> int:
        if self._handle is None:
            raise Error(self._why.errno or 0, self._why.strerror or "")
        self._check_thread()
        return self._handle

    def _check_thread(self) -> None:
        """The library ends a program whose threads use an endpoint at once."""
        if threading.get_ident() != self._thread:
            raise Error(errno.EINVAL, "the endpoint belongs to another thread, that of its event loop")

    def _check_loop(self) -> None:
        if asyncio.get_running_loop() is not self._loop:
            raise Error(errno.EINVAL, "the endpoint belongs to another event loop")

    def _error(self, code: int, peer: str = "", more: str = "") -> Error:
        text = self._lib.weir_strerror(code).decode(errors="replace")
        return Error(-code, f"{text} ({more})" if more and not more.endswith(text) else text, peer)

    @property
    def address(self) -> str:
        """The endpoint's own address, 'ADDRESS:PORT'."""
        self._length.value = len(self._sockaddr)
        self._lib.weir_address(self._open(), self._sockaddr_at, self._length_at)
        return to_address(self._sockaddr.raw[:self._length.value])

    def limits(self) -> Limits:
        found = libweir.weir_limits_info(size=ctypes.sizeof(libweir.weir_limits_info))
        self._lib.weir_limits(self._open(), ctypes.byref(found))
        return Limits(*(getattr(found, name) for name in Limits._fields))

    def stats(self) -> Stats:
        found = libweir.weir_stats(size=ctypes.sizeof(libweir.weir_stats))
        self._lib.weir_stats(self._open(), ctypes.byref(found))
        return Stats(*(getattr(found, name) for name in Stats._fields))

    def peer_stats(self, peer: str) -> PeerStats:
        """Counters of a peer, also of one that is not connected."""
        found = libweir.weir_peer_stats(size=ctypes.sizeof(libweir.weir_peer_stats))
        handle, code = self._open(), self._get_peer(to_sockaddr(peer))
        if code < 0:
            raise self._error(code, peer)
        self._lib.weir_peer_stats(handle, self._peer.value, ctypes.byref(found))
        self._lib.weir_peer_put(handle, self._peer.value)
        return PeerStats(*(getattr(found, name) for name in PeerStats._fields))

    def metrics(self) -> str:
        """All counters of stats() as OpenMetrics text, as Prometheus reads it."""
        handle, size = self._open(), _METRICS_BYTES
        while True:
            text = ctypes.create_string_buffer(size)
            length = self._lib.weir_metrics_text(handle, text, size)
            if length < size:
                return text.value.decode()
            size = length + 1

    def rekey(self, key_file: Union[str, "os.PathLike[str]"]) -> None:
        """Reads a file of keys in place of those that the endpoint has."""
        code = self._lib.weir_rekey(self._open(), os.fsencode(key_file))
        if code < 0:
            raise Error(-code, self._lib.weir_open_error().decode(errors="replace"))
        self._poll_soon()

    # ---- operations ----

    @overload
    async def call(self, peer: str, data: Data = b"", *, timeout: Optional[float] = None, weight: float = 0, priority: int = 0,
                   lend: Literal[False] = False) -> bytes:
        ...

    @overload
    async def call(self, peer: str, data: Data = b"", *, timeout: Optional[float] = None, weight: float = 0, priority: int = 0,
                   lend: Literal[True]) -> Lent:
        ...

    async def call(self, peer: str, data: Data = b"", *, timeout: Optional[float] = None, weight: float = 0, priority: int = 0,
                   lend: bool = False) -> Union[bytes, Lent]:
        """Sends a request, and returns the reply: a copy, or with lend=True the library's memory. timeout covers both; without one a peer
        may take any time to reply as long as it is there. Cancelling the task cancels the call. weight and priority: struct weir_sendopt."""
        found: Union[bytes, Lent] = await self._operate("call", to_sockaddr(peer), data, "arrived", timeout, weight, priority, lend)
        return found

    async def send(self, peer: str, data: Data = b"", *, until: Literal["copied", "arrived", "taken"] = "arrived",
                   timeout: Optional[float] = None, weight: float = 0, priority: int = 0) -> None:
        """Sends a one-way message. until: 'copied' = returns when the library has it, and nobody learns whether it arrives; 'arrived' = the
        peer's transport has it; 'taken' = the peer's program has released it."""
        await self._operate("send", to_sockaddr(peer), data, until, timeout, weight, priority)

    async def _operate(self, kind: str, sockaddr: bytes, data: Data, until: str, timeout: Optional[float], weight: float, priority: int,
                       lend: bool = False, rpc: int = 0, code: int = 0) -> Any:
        """Submits an operation and waits for its event. sockaddr: the peer's; rpc: the number of the request that is answered; code: the
        program's error that answers it, 0 = none."""
        self._check_loop()
        if until not in _FLAGS or (rpc and until == "taken"):
            raise Error(errno.EINVAL, f"until = {until!r}: must be 'copied', 'arrived'" + ("" if rpc else " or 'taken'"))
        try:
            body = data if isinstance(data, bytes) else memoryview(data).tobytes()
        except (TypeError, ValueError):
            raise Error(errno.EINVAL, f"data of type {type(data).__name__}: must be bytes, or a buffer of them") from None
        weight_milli = whole("weight", weight, libweir.WEIGHT_MILLI_MAX, 1000)
        priority = whole("priority", priority, 7)
        end_ns = None if timeout is None else instant_after(timeout)
        woken = False
        while True:
            self._open()
            if woken or not self._waiters:
                option = self._option
                option.flags, option.weight_milli, option.priority = _FLAGS[until], weight_milli, priority
                option.deadline_ns = 0 if end_ns is None else max(1, end_ns - time.monotonic_ns())
                self._number += 1
                result = self._submit(kind, sockaddr, rpc, code, body, 0 if until == "copied" else self._number)
                if result != -errno.EAGAIN:
                    break
            await self._room(end_ns, woken)
            woken = True
        if woken:
            self._wake(self._waiters)
        if result < 0:
            raise self._error(result, to_address(sockaddr))
        self._poll_soon()
        return None if until == "copied" else await self._finish(self._number, body, lend)

    def _submit(self, kind: str, sockaddr: bytes, rpc: int, code: int, body: bytes, number: int) -> int:
        """@return what the library's call returned."""
        lib, handle = self._lib, self._open()
        self._iovec.base, self._iovec.len = body, len(body)
        if code:
            result: int = lib.weir_reply_error(handle, rpc, code, self._iovec_at, 1, number, self._option_at)
        elif rpc:
            result = lib.weir_reply(handle, rpc, self._iovec_at, 1, number, self._option_at)
        else:
            result = self._get_peer(sockaddr)
            if result == 0:
                peer = self._peer.value
                result = (lib.weir_call if kind == "call" else lib.weir_send)(handle, peer, self._iovec_at, 1, number, self._option_at)
                lib.weir_peer_put(handle, peer)
        self._iovec.base = None
        return result

    def _get_peer(self, sockaddr: bytes) -> int:
        """Gets the peer's handle, which is to be put back. @return what weir_peer_get() returned."""
        code: int = self._lib.weir_peer_get(self._open(), sockaddr, len(sockaddr), self._peer_at)
        if code == -errno.EINVAL:
            raise Error(-code, f"no address of a peer: a wildcard, port 0, or of another family than {self.address}", to_address(sockaddr))
        return code

    async def _finish(self, number: int, body: bytes, lend: bool) -> Any:
        future = self._loop.create_future()
        operation = Operation(future, self._lib.weir_last_op(self._handle), body, lend)
        self._operations[number] = operation
        try:
            return await future
        except asyncio.CancelledError:
            if number in self._operations and self._handle is not None:  # its event is still to come: see _take()
                self._lib.weir_cancel_op(self._handle, operation.handle)
                self._poll_soon()
            elif future.done() and not future.cancelled() and future.exception() is None and isinstance(future.result(), Lent):
                future.result().release()
            raise

    async def _room(self, end_ns: Optional[int], first: bool) -> None:
        """Waits until an operation that was not accepted can be tried again. Waiters are woken one by one: each wakes the next."""
        waiter: "asyncio.Future[None]" = self._loop.create_future()
        (self._waiters.appendleft if first else self._waiters.append)(waiter)
        timer = None
        if end_ns is not None:
            timer = self._loop.call_later((end_ns - time.monotonic_ns()) / 1e9, self._give_up, waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._wake(self._waiters)
            raise
        finally:
            if timer is not None:
                timer.cancel()

    def _give_up(self, waiter: "asyncio.Future[None]") -> None:
        if not waiter.done():
            waiter.set_exception(self._error(-errno.ETIMEDOUT))

    @staticmethod
    def _wake(waiters: Deque["asyncio.Future[None]"]) -> None:
        while waiters:
            waiter = waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return

    # ---- messages that arrive ----

    async def receive(self, *, lend: bool = False) -> Message:
        """Waits for the next message or call. With lend=True its memory is lent until it is given back: see Message.lent().

        Messages that wait to be received use rx_bytes; when these are in use, senders wait. (Empty messages use nothing.)
        """
        self._open()
        self._check_loop()
        while not self._inbox:
            waiter: "asyncio.Future[None]" = self._loop.create_future()
            self._receivers.append(waiter)
            try:
                await waiter
            except asyncio.CancelledError:
                if waiter.done() and not waiter.cancelled():
                    self._wake(self._receivers)
                elif waiter in self._receivers:
                    self._receivers.remove(waiter)
                raise
            self._open()
        kind, rpc, sockaddr, identity, data, length, lease = self._inbox.popleft()
        if self._inbox:
            self._wake(self._receivers)
        if not lease:
            return Message(self, kind, rpc, sockaddr, identity, b"")
        return Message(self, kind, rpc, sockaddr, identity, self._lend(data, length, lease) if lend else self._copy(data, length, lease))

    def __aiter__(self) -> "Endpoint":
        self._open()
        return self

    async def __anext__(self) -> Message:
        try:
            return await self.receive()
        except Error:
            if self._why.errno != errno.EBADF:
                raise
            raise StopAsyncIteration from None

    def _copy(self, data: int, length: int, lease: int) -> bytes:
        copy = ctypes.string_at(data, length)
        self._lib.weir_release(self._open(), lease)
        self._poll_soon()
        return copy

    def _lend(self, data: int, length: int, lease: int) -> Lent:
        """The array exists as long as any view of it does: with it the memory goes back."""
        array = (ctypes.c_ubyte * length).from_address(data)
        self._leases[lease] = weakref.ref(array, lambda _: self._give_back(lease))
        return Lent(array)

    def _give_back(self, lease: int) -> None:
        if threading.get_ident() != self._thread:
            self._loop.call_soon_threadsafe(self._give_back, lease)
            return
        del self._leases[lease]
        handle = self._ended if self._handle is None else self._handle
        self._lib.weir_release(handle, lease)
        if self._handle is not None:
            self._poll_soon()
        else:
            self._close_unless_lent()

    # ---- progress ----

    def _poll_soon(self) -> None:
        """One weir_poll() for all that the tasks of this round submit."""
        if not self._soon and not self._loop.is_closed():
            self._soon = True
            self._loop.call_soon(self._poll)

    def _poll(self) -> None:
        handle = self._handle
        self._soon = False
        if handle is None:
            return
        count = self._lib.weir_poll(handle, self._events_at, _EVENTS, 0)
        if count < 0 and count != -errno.EINTR:
            self._end(self._error(count))
            return
        if count > 0:
            for event in libweir.EVENT.iter_unpack(memoryview(self._events).cast("B")[:count * libweir.EVENT.size]):
                self._take(*event)
                if self._handle is None:  # on_peer() closed the endpoint, and with it the memory of the other events
                    return
        if self._drained is not None and not self._drained.done() and self._idle():
            self._drained.set_result(None)
        due_ns = self._lib.weir_deadline(handle)
        if count == _EVENTS or due_ns == 0:
            self._poll_soon()
        self._timer.set(due_ns)

    def _take(self, kind: int, result: int, number: int, rpc: int, peer: int, data: int, length: int, lease: int) -> None:
        """One event. Of a peer's handle it takes what is needed, since the next weir_poll() gives the handle back."""
        if kind in (libweir.EV_MESSAGE, libweir.EV_CALL):
            self._length.value = len(self._sockaddr)
            self._lib.weir_peer_address(peer, self._sockaddr_at, self._length_at)
            identity = self._lib.weir_peer_identity(peer).decode(errors="replace") if self._protected else ""
            self._inbox.append((kind, rpc, self._sockaddr.raw[:self._length.value], identity, data, length, lease))
            self._wake(self._receivers)
        elif kind == libweir.EV_WRITABLE:
            self._wake(self._waiters)
        elif kind in (libweir.EV_PEER_UP, libweir.EV_PEER_DOWN):
            self._tell_of_peer(self._address_of(peer), self._refusal(result, peer) if kind == libweir.EV_PEER_DOWN else None)
        else:
            operation = self._operations.pop(number, None)
            if operation is None or operation.future.done():  # of a cancelled task
                self._lib.weir_release(self._handle, lease)
            elif result < -libweir.APP_ERROR:
                code, text = -result - libweir.APP_ERROR, self._copy(data, length, lease) if lease else b""
                operation.future.set_exception(ReplyError(code, text, self._address_of(peer)))
            elif result < 0:
                operation.future.set_exception(self._refusal(result, peer))
            elif not lease:
                operation.future.set_result((Lent(b"") if operation.lend else b"") if kind == libweir.EV_REPLY else None)
            else:
                operation.future.set_result((self._lend if operation.lend else self._copy)(data, length, lease))

    def _address_of(self, peer: int) -> str:
        self._length.value = len(self._sockaddr)
        self._lib.weir_peer_address(peer, self._sockaddr_at, self._length_at)
        return to_address(self._sockaddr.raw[:self._length.value])

    def _refusal(self, result: int, peer: int) -> Error:
        """The sentence of an operation or a connection that failed, with what is known of its peer."""
        more = self._lib.weir_peer_error(peer).decode(errors="replace") if result != -errno.ECANCELED else ""
        return self._error(result, self._address_of(peer), more)

    def _tell_of_peer(self, address: str, error: Optional[Error]) -> None:
        """An exception of on_peer() goes where those of the loop's call-backs go, and the endpoint goes on."""
        assert self._on_peer is not None
        try:
            self._on_peer(address, error)
        except Exception as raised:  # pylint: disable=broad-except
            self._loop.call_exception_handler({"message": f"on_peer of {self!r} raised an exception", "exception": raised})

    # ---- the end ----

    def _idle(self) -> bool:
        stats = self.stats()
        return stats.ops_pending == stats.messages_arriving == stats.events_pending == 0

    async def shutdown(self, timeout: Optional[float] = None) -> None:
        """Accepts no new messages any more, and waits until all that has begun has ended: then nothing is lost by close()."""
        self._lib.weir_shutdown(self._open())
        self._check_loop()
        if timeout is not None:
            instant_after(timeout)  # or it is refused
        self._poll_soon()
        if self._drained is None:
            self._drained = self._loop.create_future()
        try:
            await asyncio.wait_for(asyncio.shield(self._drained), timeout)
        except asyncio.TimeoutError:
            raise Error(errno.ETIMEDOUT, f"after {timeout:g} s {self.stats().ops_pending} operations have not ended") from None

    def close(self) -> None:
        """Closes the endpoint at once. Pending operations raise an Error, loops over its messages end; twice does no harm. Memory that is
        lent stays valid until it is given back."""
        self._check_thread()
        self._end(self._why)

    def _end(self, why: Error) -> None:
        handle, self._handle, self._why = self._handle, None, why
        if handle is None:
            return
        if not self._loop.is_closed():
            self._loop.remove_reader(self._lib.weir_fd(handle))
            self._loop.remove_reader(self._timer.fd)
            waiting = [operation.future for operation in self._operations.values()] + [*self._waiters, *([self._drained] if self._drained else [])]
            for future in waiting:
                if not future.done():
                    future.set_exception(Error(why.errno or 0, why.strerror or ""))
            for receiver in self._receivers:
                if not receiver.done():
                    receiver.set_result(None)
        self._timer.close()
        self._receivers.clear()
        self._waiters.clear()
        self._inbox.clear()
        self._ended = handle
        self._close_unless_lent()

    def _close_unless_lent(self) -> None:
        if not self._leases:
            self._lib.weir_close(self._ended)
            self._operations.clear()  # not before: the library borrows their memory

    async def __aenter__(self) -> "Endpoint":
        self._open()
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[types.TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            warnings.warn(f"{self!r} was not closed", ResourceWarning, source=self)
            self._end(self._why)
