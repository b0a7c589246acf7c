#!/usr/bin/env python3
"""test/cli/two_paths.py WEIR LIBRARY - endpoints that send from several ports, between hosts with two equal paths.

Messages arrive as they were sent, in both directions at once, with and without keys; one port takes one path, and 64 take both; a packet with
a right token from any other port or address is refused; nothing is left of the network. bench/two_paths measures on the same network.
Skipped, with the reason, without root or where the kernel has not what it takes.
"""
import asyncio
import os
import pathlib
import socket
import sys
import tempfile

sys.dont_write_bytecode = True
import spaces
from spaces import Inside, call, holds, skip

PREFIX = f"wp{os.getpid()}"
A, S, T, B = (f"{PREFIX}-{name}" for name in "astb")  # host, router, router, host
AT_A, AT_B = "10.54.0.1", "10.54.3.1"
PATIENCE_S = 20  # of what comes at once


def make_network():
    """Two hosts behind a router each, and two cables between the routers, which choose by addresses and ports."""
    for name in (A, S, T, B):
        call("ip", "netns", "add", name)
    for name, end, other, far in ((A, "eth0", S, "host"), (B, "eth0", T, "host"), (S, "p0", T, "p0"), (S, "p1", T, "p1")):
        call("ip", "-n", name, "link", "add", "dev", end, "type", "veth", "peer", "name", far, "netns", other)
    for name, device, address in ((A, "eth0", AT_A), (S, "host", "10.54.0.254"), (S, "p0", "10.54.1.1"), (S, "p1", "10.54.2.1"),
                                  (T, "p0", "10.54.1.2"), (T, "p1", "10.54.2.2"), (T, "host", "10.54.3.254"), (B, "eth0", AT_B)):
        call("ip", "-n", name, "addr", "add", f"{address}/24", "dev", device)
        call("ip", "-n", name, "link", "set", "dev", device, "up")
    call("ip", "-n", A, "route", "add", "default", "via", "10.54.0.254")
    call("ip", "-n", B, "route", "add", "default", "via", "10.54.3.254")
    for router, to, end in ((S, "10.54.3.0/24", 2), (T, "10.54.0.0/24", 1)):
        call("ip", "-n", router, "route", "add", to, *(word for path in (1, 2) for word in ("nexthop", "via", f"10.54.{path}.{end}")))
        with Inside(router):
            for key, value in (("fib_multipath_hash_policy", 1), ("ip_forward", 1)):
                with open(f"/proc/sys/net/ipv4/{key}", "w", encoding="ascii") as file:
                    file.write(str(value))


def delete_network():
    for name in (A, S, T, B):
        call("ip", "netns", "del", name, check=False)


def sent_bytes(router):
    """Bytes that a router has sent by each path."""
    with Inside(router), open("/proc/net/dev", encoding="ascii") as file:
        numbers = {line.split(":")[0].strip(): line.split(":")[1].split() for line in file if ":" in line}
    return [int(numbers[path][8]) for path in ("p0", "p1")]


def paths_of(router, before):
    """Bytes since then, the fewer first."""
    return sorted(now - then for now, then in zip(sent_bytes(router), before))


def noise(length, salt):
    """Bytes of which each eight tell where they belong."""
    return b"".join(((i + salt) * 0x9E3779B97F4A7C15 & (1 << 64) - 1).to_bytes(8, "big") for i in range(length // 8))


async def exchange(net, there, ports_a, ports_b, length, **named):
    """Sends a message each way, and short calls meanwhile. Returns bytes by path towards B and towards A, and both ends' counters."""
    with Inside(A):
        a = net.Endpoint(f"{AT_A}:0", spray_ports=ports_a, **named)
    with Inside(B):
        b = net.Endpoint(there, spray_ports=ports_b, **named)
    async with a, b:
        before = sent_bytes(S), sent_bytes(T)
        bodies = [noise(length, salt) for salt in (1, 2)]
        asking = asyncio.ensure_future(a.call(b.address, b"who", timeout=PATIENCE_S))
        question = await asyncio.wait_for(b.receive(), PATIENCE_S)
        await question.reply(b"me")
        holds("the first answer", await asking == b"me")
        sending = asyncio.gather(a.send(b.address, bodies[0], timeout=PATIENCE_S), b.send(a.address, bodies[1], timeout=PATIENCE_S))
        got = [await asyncio.wait_for(end.receive(), PATIENCE_S) for end in (b, a)]
        await sending
        for message, body in zip(got, bodies):
            holds(f"{len(body)} bytes arrive as they were sent, from {ports_a} and {ports_b} ports, {named}", message.data == body)
        holds("the first port is a peer's address", got[0].peer == a.address and got[1].peer == b.address)
        for end in (a, b):
            holds(f"nothing is refused: {end.stats()}", end.stats().refused_packets == 0)
        return paths_of(S, before[0]), paths_of(T, before[1])


def udp(address, port):
    """A socket of host A at an address of it."""
    with Inside(A):
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.settimeout(PATIENCE_S)
    sock.bind((address, port))
    return sock


def datagrams(sock):
    """Datagrams of Weir from an endpoint's ports that a packet socket has seen: (source port, payload)."""
    seen = []
    while True:
        try:
            frame = sock.recv(65535, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return seen
        head = 14 + (frame[14] & 15) * 4
        if frame[12:14] == b"\x08\x00" and frame[23] == 17:
            seen.append((int.from_bytes(frame[head:head + 2], "big"), frame[head + 8:]))


async def forge(net):
    """A packet of a connection, as it was, from other addresses: it is refused, and answered by RESET. From further ports it is a copy."""
    with Inside(A):
        call("ip", "-n", A, "addr", "add", "10.54.0.9/24", "dev", "eth0")
        seen = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
        seen.bind(("eth0", 0))
        a = net.Endpoint(f"{AT_A}:7100", spray_ports=8)
    with Inside(B):
        b = net.Endpoint(f"{AT_B}:7200")
    async with a, b:
        for _ in range(30): # of one packet each, so that none is joined with others
            sending = asyncio.ensure_future(a.send(b.address, b"x" * 100, timeout=PATIENCE_S))
            await asyncio.wait_for(b.receive(), PATIENCE_S)
            await sending
        data = [(port, bytes) for port, bytes in datagrams(seen) if 7100 <= port < 7108 and bytes[:2] == b"\x40\x00"]
        holds(f"several ports were used: {sorted({port for port, _ in data})}", len({port for port, _ in data}) > 2)
        seen.close()
        packet = data[-1][1]
        for address, port in ((AT_A, 7099), (AT_A, 7108), ("10.54.0.9", 7100), ("10.54.0.9", 7103)):
            before = b.stats().refused_packets
            with udp(address, port) as sock:
                sock.sendto(packet, (AT_B, 7200))
                sock.setblocking(False)
                answer = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(sock, 2048), PATIENCE_S)
            holds(f"{address}:{port} is refused, by a RESET", b.stats().refused_packets == before + 1 and answer[1] == 36)
        holds("the connection goes on", await asyncio.gather(a.send(b.address, b"y", timeout=PATIENCE_S), b.receive()) != [])
        holds("nothing ended it", a.stats().handshakes == b.stats().handshakes == 1)


async def check(weir_command, net):
    """All checks, one after the other."""
    fewer, more = (await exchange(net, f"{AT_B}:7000", 1, 1, 4 << 20))[0]
    holds(f"one port takes one path: {fewer} and {more} bytes", more > 4 << 20 and fewer < more / 16)
    towards_b, towards_a = await exchange(net, f"{AT_B}:7000", 64, 1, 4 << 20)
    holds(f"64 ports take both: {towards_b}", towards_b[0] > (4 << 20) / 8)
    holds(f"answers to them, from one port, take one: {towards_a}", towards_a[0] < towards_a[1] / 16)
    for paths in await exchange(net, f"{AT_B}:0", 64, 64, 4 << 20):
        holds(f"64 ports at both ends: {paths}", paths[0] > (4 << 20) / 8)
    await exchange(net, f"{AT_B}:0", 4, 16, 1 << 20, cc="dctcp")
    call(weir_command, "key", "new", "keys")
    await exchange(net, f"{AT_B}:0", 4, 16, 1 << 20, protection="aead", key_file="keys")
    await forge(net)


def main():
    weir_command = os.path.abspath(sys.argv[1])
    os.environ["WEIR_LIBRARY"] = os.path.abspath(sys.argv[2])
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
    import weir.net  # finds the library by the environment
    spaces.clean_up_when_ended()
    if os.geteuid() != 0:
        skip("it takes root to make network namespaces")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            try:
                make_network()
            except Exception as error: # pylint: disable=broad-except
                skip(f"no network of two paths here: {getattr(error, 'stderr', error)}")
            asyncio.run(check(weir_command, weir.net))
        finally:
            delete_network()
            os.chdir("/")
    holds("nothing is left", PREFIX not in call("ip", "netns", "list").stdout)
    spaces.finish()


if __name__ == "__main__":
    main()
