"""test/cli/endpoints.py - for tests of weir.net: its module, which takes the library that WEIR_LIBRARY names, and what they do again and again."""
import asyncio
import pathlib
import sys
import time

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "python"))
import weir.libweir  # noqa: E402
import weir.net  # noqa: E402
from spaces import holds  # noqa: E402

LOCAL, NOBODY = "127.0.0.1:0", "127.0.0.77:9"  # of the second address no port is in use
PATIENCE_S = 20  # of what comes at once
LIMIT_S = 100  # of all calls of a check
complaints = []  # of the event loop: exceptions that nobody received


def refused(what, number, text, call, *args, **named):
    """A call, or a coroutine, ends with one weir.net.Error: this errno, and a sentence with this text."""
    async def judge():
        try:
            found = call(*args, **named)
            if asyncio.iscoroutine(found):
                await found
        except weir.net.Error as error:
            holds(f"{what}: {error}", error.errno == number and error.strerror.count(text) == 1 and "\n" not in error.strerror)
            return
        holds(f"{what}: is refused", False)

    return judge()


async def answer(ep):
    """A server: requests come back in capitals, all else is dropped."""
    async for message in ep:
        if message.is_call:
            await message.reply(message.data.upper(), until="copied")


async def ended(task):
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def settle(ep):
    """Returns when nothing of an endpoint is pending; each round of the loop lets it poll."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        stats = ep.stats()
        if stats.ops_pending == stats.events_pending == 0 and not ep._operations:
            return True
        await asyncio.sleep(0)
    return False
