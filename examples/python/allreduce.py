#!/usr/bin/env python3
"""allreduce.py [HOSTS [MIB]] - two algorithms of an all-reduce, simulated step by step, beside their closed form.

Each host is a rank. What a rank does next is said by a call-back, in the visit of its host: it sends as soon as it has what it
needs. HOSTS is a power of two, behind one switch. busbw is that of nccl-tests: S / t x 2 (n - 1) / n, with GB = 10^9.
"""
import sys

import weir

PAYLOAD, WIRE, ACK, BYTE_PS, DELAY_PS = 1460, 1538, 84, 80, weir.US  # 100 Gb/s, cables of 1 us


def scenario(hosts):
    return f"""
topology: {{kind: star, hosts: {hosts}, host_link: 100 Gbps, host_delay: 1 us}}
protocol: dctcp
traffic: [{{kind: session}}]
run: {{warmup: 0 us, measure: all}}
"""


def ring(hosts, size):
    """[(bytes, by how many the receiver is further)] of each step: n - 1 of reduce-scatter, as many of all-gather."""
    return [(size // hosts, lambda rank: (rank + 1) % hosts)] * (2 * (hosts - 1))


def halving_doubling(hosts, size):
    """Reduce-scatter halves what pairs exchange, all-gather doubles it again."""
    distances = [hosts >> i for i in range(1, hosts.bit_length())]
    halving = [(size * d // hosts, lambda rank, d=d: rank ^ d) for d in distances]
    return halving + halving[::-1]


def simulate(hosts, steps):
    """When the last rank has received its last step."""
    arrived = [set() for _ in range(hosts)]
    sent = [0] * hosts

    def proceed(session, rank, now_ps):
        """Sends the next steps of a rank: step k + 1 needs what came in step k."""
        while sent[rank] < len(steps) and (sent[rank] == 0 or sent[rank] - 1 in arrived[rank]):
            size, to = steps[sent[rank]]
            session.inject(rank, to(rank), size, now_ps, user=sent[rank])
            sent[rank] += 1

    def received(session, event, rank):
        if event.kind == weir.DELIVERED:
            arrived[rank].add(event.user)
            proceed(session, rank, event.at_ps)

    with weir.Session(scenario(hosts), on_event=received) as session:
        for rank in range(hosts):
            proceed(session, rank, 0)
        return max(event.at_ps for event in session)


def closed_form(steps):
    """Each step: its packets and as many ACKs on the sender's cable, two cables, and one packet more at the switch."""
    total = 0
    for size, _ in steps:
        packets = -(-size // PAYLOAD)
        total += ((size + packets * (WIRE - PAYLOAD) + packets * ACK) + WIRE) * BYTE_PS + 2 * DELAY_PS
    return total


def main():
    hosts = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    size = int(sys.argv[2] if len(sys.argv) > 2 else 16) << 20
    if hosts < 2 or hosts & (hosts - 1):
        sys.exit("allreduce.py: HOSTS must be a power of two")
    for name, steps in (("ring", ring(hosts, size)), ("halving-doubling", halving_doubling(hosts, size))):
        time, hand = simulate(hosts, steps), closed_form(steps)
        print(f"{name:16} {hosts} hosts, {size >> 20} MiB: {time / 1e6:.1f} us, closed form {hand / 1e6:.1f} us ({time / hand - 1:+.1%}), "
              f"busbw {size / time * 1e3 * 2 * (hosts - 1) / hosts:.2f} GB/s")


main()
