#!/bin/sh
# test/cli/means.sh - run.measure: auto: what it finds, that the run by hand is the same, and what is refused.
# usage: means.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

cat >small.yaml <<'END'
name: small
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
traffic:
  - {kind: poisson, sizes: 10 KB, load: 30%}
run: {warmup: 100 us, measure: auto, precision: 20%, most: 20 ms}
END

machine_free() { # machine_free FILE: a run's JSON without what depends on the machine
    python3 - "$1" <<'END'
import json, sys
own = ("wall_s", "setup_s", "packet_hops_per_s", "peak_rss_bytes", "threads", "peak_packets_in_flight", "bytes_per_packet")
print({key: value for key, value in json.load(open(sys.argv[1])).items() if key not in own})
END
}

run 0 run small.yaml --json -o out.db
says err ', measured for '
says err ' %, others better'
cp out found.json
machine_free found.json >found
checks=$((checks + 1))
python3 - found.json out.db >length <<'END' || fail "what is found is not in the JSON and the result file"
import json, sqlite3, sys
j = json.load(open(sys.argv[1]))
scenario, = sqlite3.connect(sys.argv[2]).execute("SELECT scenario FROM run").fetchone()
assert 0.0001 <= j["warmup_s"] and 0.001 <= j["measured_s"] <= 0.02 and j["warmup_s"] + j["measured_s"] == j["sim_s"]
assert "auto" not in scenario.split("\nrun:")[1].split("series")[0]
means = j["slowdown"]["all"]["mean"], j["goodput_gbps"], max(j["tor_queue_bytes"]["mean"], 1500)
halves = [j["intervals"][key] for key in ("slowdown_mean", "goodput_gbps", "tor_queue_bytes")]
assert all(half <= 0.2 * mean for half, mean in zip(halves, means)), (halves, means)
assert j["intervals"]["slowdown_p50_low"] <= j["slowdown"]["all"]["p50"] <= j["intervals"]["slowdown_p50_high"] * 1.01
print("--set 'run.warmup=%.12f s' --set 'run.measure=%.12f s'" % (j["warmup_s"], j["measured_s"]))
END
eval run 0 run small.yaml --json "$(cat length)"
machine_free out >by_hand
holds 'by hand the same JSON' cmp -s found by_hand
run 0 run small.yaml --json --threads 2
machine_free out >threads
holds 'the same JSON from two threads' cmp -s found threads
run 0 run small.yaml
says out '95 % intervals: mean +- '

run 0 run small.yaml --find-length
says out ' %, others better'
run 0 run small.yaml --find-length --json
holds 'the length alone' [ "$(tr -d ' \n' <out)" = "$(python3 -c '
import json; j = json.load(open("found.json")); print("{\"warmup_s\":%.12f,\"measured_s\":%.12f}" % (j["warmup_s"], j["measured_s"]))')" ]
run 2 run small.yaml --find-length --set 'run.measure=1 ms'
says err 'small.yaml:6:6: --find-length: run.measure is not auto'

# --- compare and sweep: all laws of a seed have the longest warm-up and measured part of theirs ---
lengths() { # lengths FILE: seed, warm-up and measured part of each run, and what each asks for
    python3 - "$1" <<'END'
import json, sqlite3, sys
runs = sqlite3.connect(sys.argv[1]).execute("SELECT label, figure, json FROM run WHERE status = 'done'").fetchall()
seeds = {}
for label, figure, text in runs:
    j, seed = json.loads(text), seeds.setdefault(label[-1], {"asked": [], "run": []})
    seed["asked" if figure == "(length)" else "run"].append((j["warmup_s"], j["measured_s"]))
for seed, of in sorted(seeds.items()):
    longest = max(w for w, _ in of["asked"]), max(m for _, m in of["asked"])
    assert len(of["run"]) == len(of["asked"]) and set(of["run"]) == {longest}, (seed, of)
print(len(runs))
END
}
run 0 compare small.yaml --protocols dctcp,sird --seeds 2
says err 'run.measure: auto: how long must 4 runs be?'
says err ': 2 runs, '
holds 'one length for each seed' [ "$(lengths small-compare.db)" = 8 ]
run 0 compare small.yaml --protocols dctcp,sird --seeds 2
says err '4 of 4 runs are in small-compare.db already'
holds 'and none is sought again' [ "$(grep -c 'how long' err)" = 0 ]
# hpcc has a stall time of its own, by its timers
run 0 compare small.yaml --protocols dctcp,sird,hpcc --seeds 2
says err 'run.measure: auto: how long must 2 runs be?'
holds 'three laws have one length' [ "$(lengths small-compare.db)" = 12 ]
cp small-compare.db copy.db
run 0 diff small-compare.db copy.db
holds 'lengths are no runs' [ "$(grep -c length out)" = 0 ]
cat >two.yaml <<'END'
scenario: small.yaml
seeds: 2
axes:
  - {name: protocol, set: {protocol.name: $}, values: [dctcp, swift]}
END
run 75 status two.yaml
run 0 sweep two.yaml
holds 'laws of a sweep have one length' [ "$(lengths two.db)" = 8 ]
run 0 status two.yaml
run 2 sweep two.yaml --point 1 -o shard.db
says err '--point: dctcp-1 has run.measure: auto, and is as long as the longest of other points'
run 2 tune small.yaml --key protocol.g=0.01..0.5 --for slowdown.all.p99
says err 'small.yaml:6:6: run.measure: auto: values are compared by runs of one length'

# --- the bound, and overload ---
run 0 run small.yaml --json --set run.precision=0.1% --set 'run.most=1 ms'
says err 'and 0.1 % was asked for; run.most: 1.000 ms ends it'
run 0 run small.yaml --json --set 'traffic[0].load=99%'
says err 'warm-up 100.0 us, measured for 1.000 ms: a link is offered more than its rate, so that no length gives means'
says out '"intervals": null'

# --- what a run waits for: messages that count, if there will be any ---
cat >rare.yaml <<'END'
name: rare
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
traffic:
  - {kind: incast, fan_in: 2, size: 100 B, period: 2 ms}
run: {warmup: 0 us, measure: auto, most: 20 ms}
END
run 0 run rare.yaml
says err 'measured for 20.00 ms: too few messages ended to know the mean slowdown, and 5 % was asked for'
says out '95 % intervals: goodput +- '
run 0 run rare.yaml --json
says out '"intervals": {"slowdown_mean": null, "goodput_gbps": 0.'
cat >flows.yaml <<'END'
name: flows
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
traffic:
  - {kind: permutation, size: 1 GB}
  - {kind: cbr, rate: 1 Gbps, packet: 1460 B, from: 0, to: 1, measured: false}
run: {warmup: 1 ms, measure: auto, most: 20 ms}
END
run 0 run flows.yaml --json
says err ' %, others better'
says out '"intervals": {"slowdown_mean": null, "goodput_gbps": 0.'

# --- what is refused ---
cat >ends.yaml <<'END'
name: ends
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
traffic:
  - {kind: collective, op: all-reduce, algorithm: ring, bytes: 100 KB}
run: {warmup: 0 us, measure: auto}
END
run 2 run ends.yaml
says err 'ends.yaml:6:6: run.measure: auto needs traffic that goes on, and all of it ends by itself'
says err 'measure: all'
run 2 run small.yaml --set run.precision=0
run 2 run small.yaml --set run.most=1ns
run 2 run small.yaml -o missing/out.db
says err 'missing/out.db'
holds 'files are tried first' [ "$(grep -c warm-up err)" = 0 ]

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
