#!/usr/bin/env python3
"""test/cli/python_service.py LIBRARY - what weir.net has for services: errors of programs, connections that come and go, counters, and calls that
are answered when their caller has gone."""
import asyncio
import errno
import gc
import os
import re
import subprocess
import sys

os.environ["WEIR_LIBRARY"] = os.path.abspath(sys.argv[1])
import spaces  # noqa: E402
from endpoints import LIMIT_S, LOCAL, NOBODY, PATIENCE_S, TREE, complaints, ended, refused, settle, weir  # noqa: E402
from spaces import holds  # noqa: E402


async def answer_in_words(ep):
    """A server of squares, with an error of its own."""
    async for message in ep:
        try:
            await message.reply(b"%d" % int(message.data) ** 2, until="copied")
        except ValueError:
            await message.reply_error(22, b"no number: " + message.data)


async def check_errors_of_programs():
    """An error of the server's program is an exception of its own at the caller, with number and message; bad numbers are refused."""
    async with weir.net.Endpoint(LOCAL) as server, weir.net.Endpoint(LOCAL) as client:
        serving, address = asyncio.create_task(answer_in_words(server)), server.address
        holds("a square", await client.call(address, b"7") == b"49")
        idle = client.stats().rx_bytes_held
        for lend in (False, True):
            found = (await asyncio.gather(client.call(address, b"seven", lend=lend), return_exceptions=True))[0]
            holds(f"an error: {found!r}", type(found) is weir.net.ReplyError and (found.code, found.data, found.errno, found.peer) ==
                  (22, b"no number: seven", 1024 + 22, address) and found.strerror == f"{address}: error 22 of the peer's application")
        holds("its memory is back", client.stats().rx_bytes_held == idle and not client._leases)
        await ended(serving)
        for code, data in ((1, b""), (3071, b"x" * 100000)):
            call = asyncio.create_task(client.call(address, b""))
            await (await server.receive()).reply_error(code, data)
            found = (await asyncio.gather(call, return_exceptions=True))[0]
            holds(f"error {code} with {len(data)} bytes", isinstance(found, weir.net.ReplyError) and found.code == code and found.data == data)
        call = asyncio.create_task(client.call(address, b""))
        message = await server.receive()
        for code in (0, -1, 3072, 22.0, "22", None):
            await refused("no error", errno.EINVAL, f"code = {code!r}: must be a whole number from 1 to 3071", message.reply_error, code)
        await refused("until", errno.EINVAL, "until = 'taken': must be 'copied', 'arrived'", message.reply_error, 1, until="taken")
        await message.reply_error(1)
        await refused("a second answer", errno.ENOENT, "no such request", message.reply_error, 1)
        await refused("the call", 1025, "error 1 of the peer's application", asyncio.wait_for, call, PATIENCE_S)
        await client.send(address, b"one-way")
        await refused("an error of a message", errno.EINVAL, "only a call", (await server.receive()).reply_error, 1)


async def check_peers_come_and_go():
    """on_peer() hears of each connection before its messages, and why it ended; what it raises is the loop's, and it may close the endpoint."""
    seen = []

    def note(address, error):
        seen.append((address, error))
        if error is not None:
            raise RuntimeError("of on_peer")

    async with weir.net.Endpoint(LOCAL, on_peer=note) as server:
        for count in (1, 2):
            client = weir.net.Endpoint(LOCAL)
            await client.send(server.address, b"hello")
            message = await server.receive()
            holds(f"a connection before its message: {seen}", seen == [(message.peer, None)])
            stats = server.peer_stats(message.peer)
            holds(f"{stats}", stats.connected == stats.handshakes == stats.messages_received == 1 and stats.bytes_received == 5 and stats.resets == 0)
            client.close()
            while len(seen) < 2:
                await asyncio.sleep(0)
            error = seen[1][1]
            holds(f"its end: {error!r}", seen[1][0] == message.peer == error.peer and error.errno == errno.ECONNRESET)
            holds("its counters stay", server.peer_stats(message.peer)[:3] == (0, 1, 1))
            raised = complaints.pop()
            holds(f"what on_peer raised: {raised}", isinstance(raised["exception"], RuntimeError) and raised["message"].startswith("on_peer of "))
            seen.clear()
        unknown = server.peer_stats(NOBODY)
        holds(f"a peer that sent nothing: {unknown}", unknown == (0,) * 14 + (weir.libweir.NEVER,))
        await refused("counters of no peer", errno.EINVAL, "is no address of a peer", server.peer_stats, "nonsense")
        await refused("counters of no peer", errno.EINVAL, "no address of a peer: a wildcard, port 0", server.peer_stats, "127.0.0.1:0")
    server = weir.net.Endpoint(LOCAL, on_peer=lambda address, error: server.close())
    async with weir.net.Endpoint(LOCAL) as client:
        receiver = asyncio.create_task(server.receive())
        await asyncio.gather(client.send(server.address, b"hello"), return_exceptions=True)
        await refused("a message of an endpoint that on_peer closed", errno.EBADF, "the endpoint is closed", asyncio.wait_for, receiver, PATIENCE_S)
    async with weir.net.Endpoint(LOCAL, max_peers=1) as one:
        one.peer_stats("127.0.0.1:9")
        holds("a record for each peer, one after the other", one.peer_stats("127.0.0.1:10").connected == 0)


async def check_metrics():
    """The text has each counter of stats(), also where it is longer than the first buffer."""
    async with weir.net.Endpoint(LOCAL) as ep:
        text, stats = ep.metrics(), ep.stats()
        names = set(re.findall(r"^weir_([a-z_]+?)(?:_total)? \d+$", text, re.M))
        expected = {re.sub(r"^([rt]x)_bytes_held$", r"\1_held_bytes", re.sub(r"^bytes_(sent|received)$", r"\1_bytes", name)) for name in stats._fields}
        holds(f"{names ^ expected}", names == expected and text.endswith("# EOF\n") and ep.address in text)
        for size in (1, len(text) - 1, len(text), len(text) + 1):
            weir.net._METRICS_BYTES = size
            holds(f"a buffer of {size} bytes for {len(text)}", ep.metrics() == text)


async def check_answered_late():
    """A call whose task was cancelled ends once, at its caller. The server may answer it, once; nobody receives that answer."""
    async with weir.net.Endpoint(LOCAL) as server, weir.net.Endpoint(LOCAL) as client:
        for until, lend in (("arrived", False), ("copied", False), ("arrived", True)):
            call = asyncio.create_task(client.call(server.address, b"x" * 3000, lend=lend))
            message = await server.receive()
            call.cancel()
            holds("a cancelled call", isinstance((await asyncio.gather(call, return_exceptions=True))[0], asyncio.CancelledError))
            holds("its operation ends before it is answered", await settle(client))
            if lend:
                await message.reply_error(7, b"late", until=until)
            else:
                await message.reply(b"late", until=until)
            await refused("a second answer", errno.ENOENT, f"{client.address}: no such request", message.reply, b"late", until=until)
            await refused("a second answer, an error", errno.ENOENT, "no such request", message.reply_error, 1, b"late", until=until)
        holds("nothing is pending", await settle(client) and await settle(server) and not client._leases)


async def main():
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    for check in (check_errors_of_programs, check_peers_come_and_go, check_metrics, check_answered_late):
        await asyncio.wait_for(check(), LIMIT_S)
    gc.collect()
    await asyncio.sleep(0)


def check_example():
    """examples/python/service.py prints what its head says."""
    program = TREE / "examples/python/service.py"
    expected = re.findall(r"^    ((?:client|server): .*\n)", program.read_text(encoding="utf-8").split('"""')[1], re.M)
    environment = {**os.environ, "PYTHONPATH": str(TREE / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(program)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=environment, timeout=60)
    holds(f"{done.stdout}{done.stderr}", done.returncode == 0 and done.stderr == "" and done.stdout == "".join(expected) and len(expected) == 4)


asyncio.run(main())
check_example()
gc.collect()
holds(f"the event loop has nothing to complain of: {complaints}", not complaints)
spaces.finish()
