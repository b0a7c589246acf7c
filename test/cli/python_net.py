#!/usr/bin/env python3
"""test/cli/python_net.py WEIR LIBRARY [EXAMPLE].. [--calls N] - weir.net over libweir, through the loopback device: calls and messages, memory,
cancelled tasks, and one exception for all that fails. EXAMPLE: examples/request_reply as it is built of C and of C++; they ask the server of
request_reply.py, and that of C++ is asked, since it prints its address. --calls: how many calls the long run has, 10000 by default; from
100000 on the size of the process is compared, too."""
import asyncio
import errno
import gc
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import time
import warnings

WEIR, LIBRARY = (os.path.abspath(name) for name in sys.argv[1:3])
CALLS = int(sys.argv[sys.argv.index("--calls") + 1]) if "--calls" in sys.argv else 10000
EXAMPLES = [os.path.abspath(name) for name in sys.argv[3:] if not name.isdigit() and name != "--calls"]
os.environ["WEIR_LIBRARY"] = LIBRARY
import spaces  # noqa: E402
from endpoints import LIMIT_S, LOCAL, NOBODY, PATIENCE_S, TREE, answer, complaints, ended, refused, settle, weir  # noqa: E402
from spaces import holds  # noqa: E402


# ---- declarations ----

def check_declarations():
    """What libweir.py declares is what the header has: names of fields in their order; of structs with a size the header may have more."""
    header = (TREE / "include/weir/weir.h").read_text(encoding="utf-8")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    for name in ("weir_opts", "weir_sendopt", "weir_event", "weir_limits_info", "weir_stats", "weir_peer_stats"):
        body = re.search(rf"^struct {name} \{{(.*?)^\}};", header, re.M | re.S).group(1)
        fields = [field for line in body.split(";") for field in re.findall(r"(\w+)\s*(?=,|$)", line.strip())]
        declared = [field[0] for field in getattr(weir.libweir, name)._fields_]
        holds(f"struct {name}: {fields}", declared == (fields if name == "weir_event" else fields[:len(declared)]) and len(declared) > 3)
    version = int(re.search(r"WEIR_ABI_VERSION (\d+)u", header).group(1))
    holds("the version of the interface", weir.libweir.ABI == version)
    for prefix, kind in (("EV_", "event_type"), ("OPEN_", "open_flag"), ("", "flag")):
        body = re.search(rf"enum weir_{kind} \{{(.*?)\}}", header, re.S).group(1)
        values, number = {}, -1
        for item in (part.strip() for part in body.split(",")):
            if item:
                label, _, value = item.partition("=")
                number = int(value) if value else number + 1
                values[label.strip()[len("WEIR_" + prefix):]] = number
        wrong = [label for label, value in values.items() if getattr(weir.libweir, prefix + label, None if label.startswith("PEER") else value) != value]
        holds(f"enum weir_{kind}: {wrong}", not wrong and len(values) > 2)
    errors = tuple(int(re.search(rf"define WEIR_{name} (\d+)", header).group(1)) for name in ("APP_ERROR", "APP_ERROR_MAX"))
    holds("the errors of programs", errors == (weir.libweir.APP_ERROR, weir.libweir.APP_ERROR_MAX))
    holds("struct weir_event is read whole", weir.libweir.EVENT.size == weir.libweir.ctypes.sizeof(weir.libweir.weir_event))


# ---- what works ----

async def check_calls():
    """Many calls, 16 at a time: no object of Python's stays behind, and nothing of the library's."""
    async with weir.net.Endpoint(LOCAL) as server, weir.net.Endpoint(LOCAL) as client:
        serving = asyncio.create_task(answer(server))
        address, texts = server.address, [b"%d bytes" % i + b"x" * i for i in (0, 1, 100, 5000)]

        async def ask(count):
            for i in range(count):
                text = texts[i % 4] if i % 64 == 3 else texts[i % 3]
                if await client.call(address, text, timeout=PATIENCE_S) != text.upper():
                    return False
            return True

        async def burst(count):
            return all(await asyncio.gather(*(ask(count // 16) for _ in range(16))))

        holds("the first calls", await burst(1600))
        gc.collect()
        blocks, resident, began = sys.getallocatedblocks(), resident_kb(), time.perf_counter()
        holds(f"{CALLS} calls", await burst(CALLS))
        took = time.perf_counter() - began
        gc.collect()
        after, grown = sys.getallocatedblocks(), resident_kb()
        print(f"{CALLS} calls: {CALLS / took:.0f} calls/s, {resident} KB resident before and {grown} KB after, {after - blocks} more blocks")
        holds(f"no objects stay: {blocks} blocks before, {after} after", after - blocks < 200)
        if CALLS >= 100000:
            holds(f"the process does not grow: {resident} KB, then {grown} KB", grown - resident < 1024)
        stats = client.stats()
        holds(f"nothing is pending: {stats}", await settle(client) and stats.peers == 1 and stats.messages_sent == 1600 + CALLS // 16 * 16)
        await ended(serving)


def resident_kb():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


async def check_messages():
    """One-way messages, their kinds of completion, large ones, other types of data, several receivers."""
    async with weir.net.Endpoint(LOCAL, "sird B=200KB", rx_bytes=8 << 20) as to, weir.net.Endpoint(LOCAL, cc="sird B=200KB") as ep:
        for until in ("copied", "arrived"):
            await ep.send(to.address, b"one " + until.encode(), until=until)
            message = await to.receive()
            holds(f"{message!r}", message.data == b"one " + until.encode() and not message.is_call and message.peer == ep.address)
        taken = asyncio.create_task(ep.send(to.address, b"take this", until="taken"))
        while not to._inbox:
            await asyncio.sleep(0)
        holds("a message that nobody received is not taken", not taken.done() and ep.stats().ops_pending == 1)
        holds("it is taken", (await to.receive()).data == b"take this" and await taken is None)
        large = bytes(range(256)) * 12000
        for data in (bytearray(large), memoryview(large), large, memoryview(large)[::2], b""):
            await ep.send(to.address, data, weight=2.5, priority=3, timeout=PATIENCE_S)
            holds(f"{type(data).__name__} of {len(data)} bytes", (await to.receive()).data == bytes(data))
        receivers = [asyncio.create_task(to.receive()) for _ in range(3)]
        await asyncio.sleep(0)
        receivers[0].cancel()
        for text in (b"1", b"2"):
            await ep.send(to.address, text)
        found = await asyncio.gather(*receivers, return_exceptions=True)
        holds("a cancelled receiver takes no message", isinstance(found[0], asyncio.CancelledError) and {m.data for m in found[1:]} == {b"1", b"2"})
        late = asyncio.create_task(to.receive())
        await ep.send(to.address, b"kept")
        while not to._inbox and not late.done():
            await asyncio.sleep(0)
        late.cancel()  # perhaps after it was woken
        done = (await asyncio.gather(late, return_exceptions=True))[0]
        holds("nor loses one", (done if isinstance(done, weir.net.Message) else await to.receive()).data == b"kept")
        limits = ep.limits()
        holds(f"{limits}", limits.message_bytes_max > 1 << 20 and limits.mtu > limits.payload_bytes > 500)


async def check_room():
    """More operations than max_ops wait for room, also while some are cancelled and some run out of time."""
    async with weir.net.Endpoint(LOCAL) as server, weir.net.Endpoint(LOCAL, max_ops=4) as client:
        waiting = [asyncio.create_task(client.call(server.address, b"%d" % i, timeout=0.05 if i % 7 == 6 else None)) for i in range(64)]
        held = [await server.receive() for _ in range(4)]
        for number in (5, 11, 12, 40):
            waiting[number].cancel()
        for number in (6, 13, 20):
            await refused("no room in time", errno.ETIMEDOUT, "out of time", asyncio.wait_for, waiting[number], None)
        for message in held:
            await message.reply(message.data)
        serving = asyncio.create_task(answer(server))
        found = await asyncio.gather(*waiting, return_exceptions=True)
        lost = [i for i, reply in enumerate(found) if reply != b"%d" % i]
        holds(f"all others are answered: {lost}", all(i in (5, 11, 12, 40) or i % 7 == 6 for i in lost) and len(lost) >= 7)
        serving.cancel()
        holds("nothing is pending", await settle(client) and not client._waiters)
    async with weir.net.Endpoint(LOCAL) as server, weir.net.Endpoint(LOCAL, max_ops=1) as client:
        waiting = [asyncio.create_task(client.call(server.address, b"%d" % i)) for i in range(3)]
        await (await server.receive()).reply(b"0", until="copied")
        while len(client._waiters) == 2:
            await asyncio.sleep(0)
        waiting[1].cancel()  # there is room for it, and it has not seen that: the next one takes it
        message = await server.receive()
        await message.reply(message.data)
        found = await asyncio.gather(*waiting, return_exceptions=True)
        holds(f"the next one is called: {found}", found[0] == b"0" and found[2] == b"2" and message.data == b"2")


async def check_slow_receiver():
    """Messages that nobody receives stay in the library's memory: the sender waits, and all arrive."""
    async with weir.net.Endpoint(LOCAL, rx_bytes=1 << 20) as to, weir.net.Endpoint(LOCAL) as ep:
        sent = [asyncio.create_task(ep.send(to.address, b"%5d" % i + bytes(20000), timeout=PATIENCE_S)) for i in range(200)]
        while to.stats().rx_bytes_held < 700_000:
            await asyncio.sleep(0)
        holds("what waits has a limit", len(to._inbox) < 60 and to.stats().rx_bytes_held <= 1 << 20)
        arrived = {int((await to.receive()).data[:5]) for _ in sent}
        holds(f"all arrive: {len(arrived)}", arrived == set(range(200)) and await asyncio.gather(*sent) == [None] * 200)


async def check_peers():
    """Peers are not held longer than an operation: an endpoint calls any number of addresses."""
    async with weir.net.Endpoint(LOCAL, max_peers=2) as client:
        for number in range(6):
            async with weir.net.Endpoint(LOCAL) as server:
                serving = asyncio.create_task(answer(server))
                holds(f"peer {number}", await client.call(server.address, b"x", timeout=PATIENCE_S) == b"X")
                await ended(serving)


async def check_lent():
    """Zero-copy: the memory is the library's until the end of a with-statement, or as long as parts of the view are there."""
    async with weir.net.Endpoint(LOCAL) as server, weir.net.Endpoint(LOCAL) as client:
        serving = asyncio.create_task(answer(server))
        big = b"abc" * 1_000_000
        await client.call(server.address, big)
        idle = client.stats().rx_bytes_held
        reply = await client.call(server.address, big, lend=True)
        with reply as view:
            holds("a view of the reply", view == big.upper() and view.readonly and len(reply) == len(big) and bytes(reply) == big.upper())
            holds("it is lent", client.stats().rx_bytes_held >= idle + len(big))
        holds("it is back", client.stats().rx_bytes_held == idle and not client._leases)
        try:
            holds("a view of memory that is back", view[0] == 0)
        except ValueError:
            holds("a view of memory that is back is refused", True)
        await refused("memory that is back", errno.EBADF, "given back", bytes, reply)
        with await client.call(server.address, big, lend=True) as view:
            part = view[-3:]
        holds("a part of a view keeps the memory", client.stats().rx_bytes_held >= idle + len(big) and part == b"ABC")
        del part
        holds("and gives it back", client.stats().rx_bytes_held == idle)
        reply = await client.call(server.address, big, lend=True)
        await asyncio.to_thread(gone, reply)
        del reply
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        holds("another thread gives it back", client.stats().rx_bytes_held == idle)
        with await client.call(server.address, big, lend=True) as view:
            reader = pickle.PickleBuffer(view)  # as numpy reads it
        holds("a reader of a view keeps the memory", client.stats().rx_bytes_held >= idle + len(big) and bytes(reader)[:3] == b"ABC")
        reader.release()
        del view, reader
        holds("and gives it back, too", client.stats().rx_bytes_held == idle)
        empty = await client.call(server.address, b"", lend=True)
        holds("an empty reply", len(empty) == 0)
        await ended(serving)
        await client.send(server.address, big)
        message = await server.receive(lend=True)
        with message.lent() as view:
            server.close()
            holds("memory that is lent outlives the endpoint", view == big)
        await refused("memory of a closed endpoint", errno.EBADF, "given back", message.lent().__enter__)


def gone(reply):
    with reply as view:
        return len(view)


# ---- cancelled tasks ----

async def answer_late(messages):
    """Answers calls whose callers may be gone."""
    for message in messages:
        try:
            await message.reply(b"late", until="copied")
        except weir.net.Error as error:
            holds(f"an answer that nobody wants: {error}", error.errno == errno.ENOENT)


async def check_cancelled():
    """Tasks that are cancelled leave no operation, no lent memory and no complaint, whenever that is."""
    async with weir.net.Endpoint(LOCAL) as server, weir.net.Endpoint(LOCAL) as client:
        address = server.address
        rounds, before = max(20, CALLS // 100), (0, 0)
        for number in range(rounds):
            if number == 10:  # from here on nothing grows
                gc.collect()
                before = (sys.getallocatedblocks(), resident_kb())
            calls = [asyncio.create_task(client.call(address, b"x" * 3000, lend=i % 2 == 0)) for i in range(50)]
            held = [await server.receive() for _ in range(len(calls))] if number % 2 else []
            if not held:
                await asyncio.sleep(0)
            for i, message in enumerate(held):  # some are answered, and cancelled before the answer is there
                if i % 3 == 0:
                    await message.reply(b"y" * 3000, until="copied")
            for call in calls:
                call.cancel()
            found = await asyncio.gather(*calls, return_exceptions=True)
            wrong = [one for one in found if not isinstance(one, asyncio.CancelledError)]
            holds(f"round {number}: all are cancelled: {wrong[:3]}", not wrong)
            await answer_late([message for i, message in enumerate(held) if i % 3])
            holds(f"round {number}: nothing is pending", await settle(client) and not client._leases)
            while server._inbox:
                await answer_late([await server.receive()])
        del found, calls, held
        gc.collect()
        stats, blocks, resident = client.stats(), sys.getallocatedblocks(), resident_kb()
        print(f"{rounds * 50} cancelled calls: {before[1]} KB resident after 500 and {resident} KB at the end, {blocks - before[0]} more blocks, "
              f"{stats.ops_pending} operations pending, {len(client._leases)} messages lent")
        holds(f"no objects stay: {blocks - before[0]}", blocks - before[0] < 200)
        if CALLS >= 100000:
            holds(f"the process does not grow: {before[1]} KB, then {resident} KB", resident - before[1] < 1024)
        holds(f"no memory is held: {stats.rx_bytes_held}, {stats.tx_bytes_held}", stats.tx_bytes_held == 0 and stats.rx_bytes_held <= 8192)
        serving = asyncio.create_task(answer(server))
        holds("the endpoint goes on", await client.call(address, b"still here", timeout=PATIENCE_S) == b"STILL HERE")
        reply = asyncio.create_task(client.call(address, b"in time", lend=True))
        while not client._leases:
            await asyncio.sleep(0)
        reply.cancel()  # the answer is there, and the task has not seen it
        await asyncio.gather(reply, return_exceptions=True)
        del reply
        gc.collect()
        holds("its memory is back", not client._leases and await settle(client))
        await ended(serving)


# ---- what fails ----

async def check_refused():
    async with weir.net.Endpoint(LOCAL, peer_timeout=0.25) as ep, weir.net.Endpoint(LOCAL) as other:
        for address in ("nonsense", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536", "[::1:7", "localhost:7", None, [], ""):
            await refused("an address", errno.EINVAL, f"{address!r} is no address of a peer: give one as 10.0.0.2:7000", ep.call, address, b"")
        for address in ("127.0.0.1:0", "0.0.0.0:7", "[::1]:7"):
            await refused("an address", errno.EINVAL, f"{address}: no address of a peer: a wildcard, port 0, or of another family than "
                          + ep.address, ep.send, address, b"")
        await refused("a port of nobody", errno.ECONNREFUSED, "nobody has this port", ep.call, NOBODY, b"hello", timeout=PATIENCE_S)
        await refused("a deadline", errno.ETIMEDOUT, f"{other.address}: out of time", ep.call, other.address, b"hello", timeout=0.01)
        for timeout in (0, -1):
            await refused("a deadline that has passed", errno.ETIMEDOUT, "out of time", ep.call, other.address, b"hello", timeout=timeout)
        for timeout in (float("nan"), float("inf"), "soon"):
            await refused("no time", errno.EINVAL, f"timeout = {timeout!r}: must be a number from 0 to", ep.call, other.address, b"", timeout=timeout)
        await refused("a weight", errno.EINVAL, "weight = -1: must be a number from 0 to 1000", ep.send, other.address, b"", weight=-1)
        await refused("a priority", errno.EINVAL, "priority = 8: must be a number from 0 to 7", ep.send, other.address, b"", priority=8)
        await refused("an end", errno.EINVAL, "until = 'soon': must be 'copied', 'arrived' or 'taken'", ep.send, other.address, b"", until="soon")
        await refused("no data", errno.EINVAL, "data of type str: must be bytes, or a buffer of them", ep.send, other.address, "text")
        await refused("no data", errno.EINVAL, "data of type int", ep.call, other.address, 5)
        async with weir.net.Endpoint(LOCAL, rx_bytes=1 << 20) as small:
            await refused("too large", errno.EMSGSIZE, f"{small.address}: the message is larger than", ep.send, small.address, bytes(1 << 20))
        await ep.send(other.address, b"one-way")
        await refused("a reply to a message", errno.EINVAL, "only a call", (await received(other, b"one-way")).reply, b"")
        call = asyncio.create_task(ep.call(other.address, b"hi"))
        message = await received(other, b"hi")
        await refused("a reply that is taken", errno.EINVAL, "until = 'taken': must be 'copied', 'arrived'", message.reply, b"", until="taken")
        await message.reply(b"yes")
        holds("a reply", await call == b"yes")
        await refused("a second reply", errno.ENOENT, f"{ep.address}: no such request", message.reply, b"again")
        await refused("a port in use", errno.EADDRINUSE, other.address, weir.net.Endpoint, other.address)
        await refused("a shutdown with a call that nobody answers", errno.ETIMEDOUT, "1 operations have not ended", pending_shutdown, ep, other)
    await refused("a protocol", errno.EINVAL, "nonsense", weir.net.Endpoint, LOCAL, "nonsense")
    await refused("a size", errno.EINVAL, "rx_bytes = -1: must be a number from 0 to", weir.net.Endpoint, LOCAL, rx_bytes=-1)
    await refused("a name", errno.EINVAL, "bind = 5: must be a text", weir.net.Endpoint, 5)
    await refused("keys that are not there", errno.EINVAL, "key_file: /nonsense: No such file", weir.net.Endpoint, LOCAL, protection="aead", key_file="/nonsense")


async def received(ep, data):
    """The message with this payload; earlier ones are dropped."""
    while True:
        message = await ep.receive()
        if message.data == data:
            return message


async def pending_shutdown(ep, other):
    call = asyncio.create_task(ep.call(other.address, b"never answered"))
    await received(other, b"never answered")
    try:
        await ep.shutdown(timeout=0.01)
    finally:
        await ended(call)
        await ep.shutdown(timeout=PATIENCE_S)


async def check_closed():
    """After close() each use raises; what was pending does, too, once."""
    async with weir.net.Endpoint(LOCAL) as other:
        ep = weir.net.Endpoint(LOCAL)
        call = asyncio.create_task(ep.call(other.address, b"pending"))
        back = asyncio.create_task(other.call(ep.address, b"to be answered"))
        message = await ep.receive()
        await other.receive()
        loop, receiver = asyncio.create_task(answer(ep)), asyncio.create_task(ep.receive())
        await asyncio.sleep(0)
        ep.close()
        ep.close()
        found = await asyncio.gather(call, receiver, loop, return_exceptions=True)
        for one in found[:2]:
            holds(f"pending at close: {one!r}", isinstance(one, weir.net.Error) and one.errno == errno.EBADF and "the endpoint is closed" in str(one))
        holds("a loop over its messages ends", found[2] is None)
        await refused("a call that its server closed", errno.ECONNRESET, "the peer was restarted or closed", asyncio.wait_for, back, PATIENCE_S)
        for name, use in (("call", lambda: ep.call(other.address)), ("send", lambda: ep.send(other.address)), ("receive", ep.receive), ("stats", ep.stats),
                          ("limits", ep.limits), ("address", lambda: ep.address), ("iter", ep.__aiter__), ("with", ep.__aenter__),
                          ("shutdown", ep.shutdown), ("rekey", lambda: ep.rekey("x")), ("reply", lambda: message.reply(b"")),
                          ("reply_error", lambda: message.reply_error(1)), ("peer_stats", lambda: ep.peer_stats(NOBODY)), ("metrics", ep.metrics)):
            await refused(f"{name} after close", errno.EBADF, "the endpoint is closed", use)


async def check_keys(folder):
    """With protection a message has the name of the sender's key."""
    keys = os.path.join(folder, "keys")
    made = subprocess.run([WEIR, "key", "new", keys, "--name", "rack1"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if made.returncode != 0 and "libsodium" in made.stderr:
        print("built without libsodium: keys are not tried")
        return
    async with weir.net.Endpoint(LOCAL, protection="aead", key_file=pathlib.Path(keys)) as one, \
            weir.net.Endpoint(LOCAL, protection="aead", key_file=keys) as two:
        await one.send(two.address, b"sealed")
        message = await two.receive()
        holds(f"its key: {message.identity!r}", message.identity == "rack1" and message.data == b"sealed")
        two.rekey(keys)


# ---- programs ----

def check_examples():
    """The example asks and answers those in C and C++."""
    python = [sys.executable, str(TREE / "examples/python/request_reply.py")]
    environment = {**os.environ, "PYTHONPATH": str(TREE / "python"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(*command):
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=environment, timeout=60)

    programs = [[name] for name in EXAMPLES]
    for serving in [python, *programs[1:]]:
        with subprocess.Popen([*serving, "serve", LOCAL], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment) as server:
            try:
                said = server.stdout.readline()
                address = said[len("serving on "):].strip()
                for asking in [python, *programs]:
                    done = run(*asking, "ask", address, "hello")
                    holds(f"{asking[-1]} asks {serving[-1]}: {done.stdout}{done.stderr}", done.returncode == 0 and done.stdout == "HELLO\n")
                done = run(*python, "ask", address, "one", "two", "three")
                holds(f"three at once: {done.stdout}{done.stderr}", done.stdout == "ONE\nTWO\nTHREE\n")
            finally:
                server.kill()
    done = run(*python, "ask", NOBODY, "hello")
    holds(f"nobody is there: {done.stderr}", done.returncode == 1 and
          re.fullmatch(rf"request_reply\.py: {NOBODY}: nobody has this port there: .*\n", done.stderr) is not None)
    done = run(*python, "ask")
    holds(f"usage: {done.stderr}", done.returncode == 1 and done.stderr.startswith("usage: request_reply.py serve"))


def check_loops():
    """An endpoint belongs to its loop and its thread; one that is not closed says so, and is closed."""
    async def make():
        ep = weir.net.Endpoint(LOCAL)
        await refused("another thread", errno.EINVAL, "belongs to another thread", asyncio.to_thread, ep.stats)
        await refused("another thread", errno.EINVAL, "belongs to another thread", asyncio.to_thread, ep.close)
        return ep

    ep = asyncio.run(make())
    address = ep.address
    for use in (ep.receive, ep.shutdown, lambda: ep.call(address, b"")):
        asyncio.run(refused("another loop", errno.EINVAL, "belongs to another event loop", use))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del ep, use
        gc.collect()
    holds(f"not closed: {[str(one.message) for one in caught]}", len(caught) == 1 and issubclass(caught[0].category, ResourceWarning))
    try:
        weir.net.Endpoint(LOCAL)
        holds("without a loop", False)
    except weir.net.Error as error:
        holds(f"without a loop: {error}", error.errno == errno.EINVAL and "no event loop runs here" in error.strerror)

    async def again():
        weir.net.Endpoint(address).close()
    asyncio.run(again())  # its port is free


async def main():
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_calls, check_messages, check_room, check_slow_receiver, check_peers, check_lent, check_cancelled, check_refused, check_closed):
            await asyncio.wait_for(check(), LIMIT_S)
        await asyncio.wait_for(check_keys(folder), LIMIT_S)
    gc.collect()
    await asyncio.sleep(0)


check_declarations()
asyncio.run(main())
check_loops()
gc.collect()
holds(f"the event loop has nothing to complain of: {complaints}", not complaints)
check_examples()
spaces.finish()
