#!/bin/sh
# test/cli/shapes.sh - dragonflies and tori: what is printed of them, what is refused, and that PFC may stop them.
# usage: shapes.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

shape() { # shape KEYS [FABRIC]: a scenario on such a network
    printf 'topology: {%s}\nprotocol: dctcp\nfabric: {%s}\ntraffic: [{kind: permutation, size: 20 KB}]\nrun: {warmup: 0 ms, measure: all}\n' \
        "$1" "${2:-}" >shape.yaml
}
bad() { # bad LINE:COLUMN KEY KEYS: refused at this place, in one sentence that names the key, with a hint
    shape "$3"
    run 2 run shape.yaml
    says err "shape.yaml:$1: "
    says err "$2"
    holds 'one sentence' [ "$(grep -cv '^  hint: ' err)" -eq 1 ]
    holds 'a hint' grep -q '^  hint: ' err
    holds 'nothing on stdout' [ ! -s out ]
}

# --- what runs, and the audit: the numbers are those of test/unit/topology/test_audit.c ---
shape 'kind: dragonfly, groups: 9, switches: 4, global_links: 2, hosts: 2'
run 0 topology shape.yaml
says out 'dragonfly, 72 hosts, 36 switches, 162 cables'
says out 'by rate       72 cables of 100.0 Gbps, 90 cables of 400.0 Gbps'
says out 'ports         7 of a switch'
says out 'hops          2 to 5 links between two hosts, '
says out 'bisection     8.000 Tbps between switches, from hosts 0 to 35 to hosts 36 to 71'
run 0 run shape.yaml --check
says out '72 started, 72 completed'
shape 'kind: torus, dims: [8, 8, 8]' # one host at each switch
run 0 topology shape.yaml --json
# From a switch 4 x 2 x 8 + 2 = 16 steps in each ring of 8, so 3 x 64 x 16 to all others; and two links of hosts
holds 'the mean of all pairs' python3 -c '
import json
t = json.load(open("out"))
assert (t["hosts"], t["switches"], t["cables"]) == (512, 512, 512 + 3 * 512), t
assert (t["host_links_min"], t["host_links_max"]) == (3, 14), t
assert abs(t["host_links_mean"] - (2 + 3 * 64 * 16 / 511)) < 1e-4, t
assert t["bisection_gbps"] == 2 * 64 * 400, t
assert (t["ports_min"], t["ports_max"]) == (7, 7), t
assert [r["cables"] for r in t["rates"]] == [512, 1536], t'
run 0 topology shape.yaml --set topology.dims=4,4 --svg shape.svg
says out 'torus, 16 hosts, 16 switches, 48 cables'
holds 'the drawing is XML' python3 -c 'import xml.etree.ElementTree as tree; tree.parse("shape.svg")'
run 0 run shape.yaml --set topology.dims=4,4,2 --set fabric.routing=spray --threads 2 --check
says out '32 started, 32 completed'
run 0 list topologies
says out 'torus       hosts, dims, '

# --- pauses may wait for each other ---
shape 'kind: torus, dims: [4, 4], hosts: 2' 'buffer: 10 MB, pfc: {kind: static, xoff: 100 KB}'
run 0 run shape.yaml
says err 'cyclic buffer dependency: PFC may stop these links for good'
shape 'kind: torus, dims: [3], hosts: 2' 'buffer: 10 MB, pfc: {kind: static, xoff: 100 KB}'
run 0 run shape.yaml
holds 'a ring of three has none' [ ! -s err ]

# --- what is refused ---
bad 1:31 dims 'kind: torus, dims: [1], hosts: 4'
bad 1:31 dims 'kind: torus, dims: [2, x]'
bad 1:31 dims 'kind: torus, dims: []'
bad 1:11 dims 'kind: torus, dims: [2, 2, 2, 2, 2, 2]'
bad 1:11 switches 'kind: torus, dims: [256, 256]'
bad 1:11 hosts 'kind: torus, dims: [64, 64], hosts: 256'
bad 1:11 '67 links' 'kind: torus, dims: [130]'
bad 1:11 global_links 'kind: dragonfly, groups: 10, switches: 4, global_links: 2'
bad 1:37 groups 'kind: dragonfly, groups: 1'
bad 1:11 hosts 'kind: dragonfly, groups: 9, switches: 1024, global_links: 1, hosts: 200'
shape 'kind: torus, dims: [4, 4]' 'int: data'
run 0 run shape.yaml --set protocol=hpcc
run 2 run shape.yaml --set protocol=hpcc --set topology.dims=8,8
says err 'the longest path has 9 switches, and a packet has room for the telemetry of 8'

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
