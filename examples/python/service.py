#!/usr/bin/env python3
"""service.py - what a service needs besides calls and replies: work in other threads, errors of its own, peers that come and go, and counters, as
service.c. A client in the same program asks for squares:

    client: 7 squared is 49
    client: error 22: not a number
    client: gave up
    server: the client has gone, after 3 calls
"""
import asyncio

import weir.net

NOT_A_NUMBER = 22  # errors of the program: 1 to 3071


async def work(call):
    """Computes in a thread: the event loop goes on meanwhile, and the answer is sent from it."""
    if call.data == b"wait":
        return  # never answered: its caller gives up
    try:
        square = await asyncio.to_thread(lambda: int(call.data) ** 2)
    except ValueError:
        await call.reply_error(NOT_A_NUMBER, b"not a number", until="copied")
    else:
        await call.reply(b"%d" % square, until="copied")


async def serve(ep):
    tasks = set()  # the event loop alone would let them be collected
    async for call in ep:
        task = asyncio.create_task(work(call))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


async def ask(address):
    async with weir.net.Endpoint("127.0.0.1:0") as ep:
        print("client: 7 squared is", (await ep.call(address, b"7", timeout=10)).decode())
        try:
            await ep.call(address, b"seven", timeout=10)
        except weir.net.ReplyError as error:
            print(f"client: error {error.code}: {error.data.decode()}")
        try:
            await asyncio.wait_for(ep.call(address, b"wait"), 0.05)
        except asyncio.TimeoutError:  # the call is cancelled
            print("client: gave up")


async def main():
    gone = asyncio.Event()

    def on_peer(address, error):  # error is None where a connection was made
        if error is not None:
            print("server: the client has gone, after", server.peer_stats(address).messages_received, "calls")
            gone.set()

    async with weir.net.Endpoint("127.0.0.1:0", on_peer=on_peer) as server:
        serving = asyncio.create_task(serve(server))
        await ask(server.address)
        await gone.wait()
        assert "weir_peers 0\n" in server.metrics()  # the text that Prometheus reads
        serving.cancel()


asyncio.run(main())
