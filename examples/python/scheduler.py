#!/usr/bin/env python3
"""scheduler.py [TRANSFERS] - a central scheduler of transfers, as a loop around a session.

Random transfers arrive at 16 hosts behind one switch. Without a scheduler each starts when it arrives. With one only short transfers do. Of the
others a host sends and receives one piece at a time, of the transfer that has least left. The scheduler learns of an arrival or an end
at once, and its answer takes 4 us.
"""
import random
import statistics
import sys

import weir

HOSTS, SHORT, PIECE = 16, 20_000, 500_000  # bytes
SCENARIO = f"""
topology: {{kind: star, hosts: {HOSTS}, host_link: 100 Gbps, host_delay: 1 us}}
protocol: dctcp
traffic: [{{kind: session}}]
run: {{warmup: 0 us, measure: all}}
"""


def transfers(count):
    """[(arrival, source, destination, bytes)]: a third each of 20 KB, 200 KB and 2 MB, some 90 % of what the hosts can carry."""
    draw, now, found = random.Random(1), 0.0, []
    for _ in range(count):
        now += draw.expovariate(1) * 740_000 * 80 / (HOSTS * 0.9)  # 740 KB on average; a byte takes 80 ps
        src, dst = draw.sample(range(HOSTS), 2)
        found.append((int(now), src, dst, draw.choice([20_000, 200_000, 2_000_000])))
    return found


def unscheduled(given):
    """When each transfer has ended."""
    with weir.Session(SCENARIO) as session:
        for number, (start, src, dst, size) in enumerate(given):
            session.inject(src, dst, size, start, user=number)
        return {event.user: event.at_ps for event in session}


def scheduled(given):
    """The same: an arrival is a timer, and each piece that ends frees two hosts."""
    ended, left, sending, receiving = {}, {}, set(), set()
    with weir.Session(SCENARIO, reaction_ps=4 * weir.US) as session:
        for number, (start, src, dst, size) in enumerate(given):
            if size <= SHORT:
                session.inject(src, dst, size, start, user=number)
            else:
                session.at(start, user=number)
        for event in session:
            number = event.user
            size = given[number][3]
            if event.kind == weir.TIMER:
                left[number] = size
            elif size <= SHORT:
                ended[number] = event.at_ps
            else:
                sending.discard(event.src)
                receiving.discard(event.dst)
                left[number] -= event.bytes
                if left[number] == 0:
                    del left[number]
                    ended[number] = event.at_ps
            for number in sorted(left, key=left.get):
                _, src, dst, _ = given[number]
                if src not in sending and dst not in receiving:
                    session.inject(src, dst, min(left[number], PIECE), user=number)  # as early as it may be: a reaction from now
                    sending.add(src)
                    receiving.add(dst)
    return ended


def main():
    given = transfers(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
    for name, ended in (("unscheduled", unscheduled(given)), ("scheduled", scheduled(given))):
        times = [ended[number] - start for number, (start, *_) in enumerate(given)]
        print(f"{name:12} mean {statistics.mean(times) / 1e6:7.1f} us, " + ", ".join(
            f"{size // 1000} KB {statistics.mean(t for t, row in zip(times, given) if row[3] == size) / 1e6:.1f} us"
            for size in (20_000, 200_000, 2_000_000)))


main()
