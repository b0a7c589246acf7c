"""Messages that weir.net receives."""
import errno
from typing import TYPE_CHECKING, Literal, Optional, Union

from . import libweir
from .netbase import Data, Error, Lent, to_address

if TYPE_CHECKING:
    from .net import Endpoint

Until = Literal["copied", "arrived"]


class Message:
    """A message that arrived. peer is the sender's address. identity is the name of its key, '' without protection.

    data is its payload. If it came by receive(lend=True), that is a copy, and `with message.lent() as view` has the memory itself.
    """

    __module__ = "weir.net"
    __slots__ = ("_endpoint", "_rpc", "_sockaddr", "_lent", "_data", "identity", "is_call")

    def __init__(self, endpoint: "Endpoint", kind: int, rpc: int, sockaddr: bytes, identity: str, payload: Union[bytes, Lent]):
        self._endpoint, self._rpc, self._sockaddr, self.identity = endpoint, rpc, sockaddr, identity
        self.is_call = kind == libweir.EV_CALL
        self._lent = payload if isinstance(payload, Lent) else None
        self._data = payload if isinstance(payload, bytes) else None

    @property
    def peer(self) -> str:
        return to_address(self._sockaddr)

    @property
    def data(self) -> bytes:
        if self._data is None:
            self._data = bytes(self.lent())
        return self._data

    def lent(self) -> Lent:
        """The memory of the message: the library's if it came by receive(lend=True), otherwise that of data."""
        if self._lent is None:
            self._lent = Lent(self.data)
        return self._lent

    def __repr__(self) -> str:
        return f"<weir.net.Message {'call' if self.is_call else 'sent'} by {self.peer}>"

    async def reply(self, data: Data = b"", *, until: Until = "arrived", timeout: Optional[float] = None, weight: float = 0, priority: int = 0) -> None:
        """Answers a call, once. until: as of Endpoint.send()."""
        await self._answer("reply", data, until, timeout, weight, priority)

    async def reply_error(self, code: int, data: Data = b"", *, until: Until = "arrived", timeout: Optional[float] = None, weight: float = 0,
                          priority: int = 0) -> None:
        """Answers a call with an error of the program, 1 to 3071, in place of reply(): the caller gets a ReplyError with code and data."""
        if not isinstance(code, int) or not 1 <= code <= libweir.APP_ERROR_MAX:
            raise Error(errno.EINVAL, f"code = {code!r}: must be a whole number from 1 to {libweir.APP_ERROR_MAX}")
        await self._answer("reply_error", data, until, timeout, weight, priority, code)

    async def _answer(self, kind: str, data: Data, until: Until, timeout: Optional[float], weight: float, priority: int, code: int = 0) -> None:
        if not self.is_call:
            raise Error(errno.EINVAL, "a message that was sent takes no reply: only a call does", self.peer)
        await self._endpoint._operate(kind, self._sockaddr, data, until, timeout, weight, priority, rpc=self._rpc, code=code)
