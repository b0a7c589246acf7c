#!/usr/bin/env python3
"""tuning.py [SEEDS] - tunes a key of a law: which initial window of DCTCP is best for short messages, and what does it cost long ones?

A sweep runs every value with every seed, some at a time. Of a value the mean over the seeds counts.
"""
import statistics
import sys

import weir

SCENARIO = """
topology: {kind: leaf-spine, hosts: 16, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 400 Gbps}
protocol: dctcp
traffic: [{kind: poisson, sizes: websearch, load: 60%}]
run: {warmup: 0.2 ms, measure: 1 ms}
"""
WINDOWS = ["3 KB", "15 KB", "60 KB", "240 KB"]


def main():
    key = weir.keys.dctcp.init_cwnd
    print(f"{key}: {key.__doc__}")
    found = weir.sweep(SCENARIO, {key: WINDOWS}, seeds=int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    runs = found.records("runs")
    means = {}
    for window in WINDOWS:
        of = [run for run in runs if run[key] == window]
        means[window], long = (statistics.mean(run[f"slowdown.{group}.p99"] for run in of) for group in ("A", "C"))
        print(f"{window:>7}: p99 slowdown of short messages {means[window]:5.2f}, of long ones {long:5.2f}, {len(of)} runs")
    best = min(means, key=means.get)
    print(f"best for short messages: {best}")


main()
