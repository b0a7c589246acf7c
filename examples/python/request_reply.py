#!/usr/bin/env python3
"""request_reply.py - two programs, on one host or on two, as request_reply.c:

    request_reply.py serve :7000                  answers each request with itself in capitals
    request_reply.py ask 10.0.0.2:7000 hello ..   prints HELLO, and so on: all requests at once
"""
import asyncio
import sys

import weir.net


async def serve(address):
    async with weir.net.Endpoint(bind=address) as ep:
        print(f"serving on {ep.address}", flush=True)
        async for message in ep:
            if message.is_call:
                # copied: the loop goes on at once, and the library delivers the reply
                await message.reply(message.data.upper(), until="copied")


async def ask(address, texts):
    async with weir.net.Endpoint() as ep:
        replies = await asyncio.gather(*(ep.call(address, text.encode(), timeout=1.0) for text in texts))
    for reply in replies:
        print(reply.decode())


def main(args):
    if len(args) == 2 and args[0] == "serve":
        task = serve(args[1])
    elif len(args) > 2 and args[0] == "ask":
        task = ask(args[1], args[2:])
    else:
        sys.exit("usage: request_reply.py serve ADDRESS:PORT | request_reply.py ask ADDRESS:PORT TEXT..")
    try:
        asyncio.run(task)
    except weir.net.Error as error:
        sys.exit(f"request_reply.py: {error.strerror}")
    except KeyboardInterrupt:
        pass  # the end of a server


main(sys.argv[1:])
