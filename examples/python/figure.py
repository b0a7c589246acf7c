#!/usr/bin/env python3
"""figure.py [FIGURE] - draws the slowdown of messages and the queues of two protocols with matplotlib, from DataFrames.

FIGURE is slowdown.svg if not given; its ending says what it becomes. Takes pandas and matplotlib.
"""
import sys

import weir

try:
    import matplotlib
    import pandas  # noqa: F401  weir makes DataFrames of it
except ImportError as missing:
    print(f"figure.py: {missing.name} is not here, so nothing is drawn")
    sys.exit(77)

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

SCENARIO = """
topology: {kind: leaf-spine, hosts: 16, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 400 Gbps}
traffic: [{kind: poisson, sizes: websearch, load: 60%}]
run: {warmup: 0.2 ms, measure: 1 ms}
"""


def main():
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.5))
    for protocol in ("dctcp", "homa"):
        result = weir.run(SCENARIO, protocol=protocol)
        slowdown = result.messages.slowdown.sort_values()
        left.plot(slowdown, [(i + 1) / len(slowdown) for i in range(len(slowdown))], label=protocol)
        series = result.series
        queue = series[series.name == "tor_queue_max"]
        right.plot(queue.t_ps / 1e9, queue.value / 1e3, label=protocol)
        busiest = result.links.sort_values("share").iloc[-1]
        print(f"{protocol}: {len(slowdown)} messages, median slowdown {slowdown.median():.2f}; the busiest link, {busiest['from']} to "
              f"{busiest['to']}, is {busiest['share']:.0%} full")
    left.set(xscale="log", xlabel="slowdown", ylabel="share of messages")
    right.set(xlabel="time (ms)", ylabel="longest queue of a ToR (KB)")
    left.legend()
    name = sys.argv[1] if len(sys.argv) > 1 else "slowdown.svg"
    figure.tight_layout()
    figure.savefig(name)
    print(f"figure: {name}")


main()
