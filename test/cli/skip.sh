#!/bin/sh
# test/cli/skip.sh - run.skip: exact from the command line: what is skipped and what cannot be is said, files are those of the full run,
# and what cannot go with it is refused (doc/skip.md).
# usage: skip.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

cat >ring.yaml <<'END'
topology: {kind: leaf-spine, hosts: 4, racks: 1, spines: 1}
protocol: dctcp
traffic:
  - {kind: collective, op: all-reduce, algorithm: ring, bytes: 20 MB}
run: {warmup: 0 us, measure: all, skip: exact}
END

# --- what was skipped is said, and nothing else differs ---
for law in dctcp timely swift soze aimd; do
    run 0 run ring.yaml --set "protocol=$law" --messages with.csv --links links_with.csv
    cp out with
    run 0 run ring.yaml --set "protocol=$law" --set run.skip=none --messages without.csv --links links_without.csv
    holds "$law: messages are the same" cmp -s with.csv without.csv
    holds "$law: links are the same" cmp -s links_with.csv links_without.csv
    holds "$law: so is the digest" [ "$(grep ^digest with)" = "$(grep ^digest out)" ]
    holds "$law: the run without says nothing of it" sh -c '! grep -q ^skipped out'
    holds "$law: how much was skipped" grep -qE '^skipped +[0-9.]+ .s in [0-9,]+ stretch(es)?, [0-9.]+ % of the packet-hops' with
done
run 0 run ring.yaml --json
holds 'JSON has each stretch, and their sums' python3 - <<'END'
import json
j = json.load(open("out", encoding="utf-8"))
s = j["skipped"]
assert s and all(sorted(x) == ["component", "from_s", "periods", "to_s"] and x["component"] == 0 for x in s)
assert all(x["from_s"] < x["to_s"] and x["periods"] >= 3 for x in s)
assert all(a["to_s"] <= b["from_s"] for a, b in zip(s, s[1:]))
k = j["skip"]
assert k["stretches"] == len(s) <= k["tries"] and 0 < k["packet_hops"] < j["packet_hops"]
assert abs(k["skipped_s"] - sum(x["to_s"] - x["from_s"] for x in s)) < 1e-9
assert k["why_not"] is None or "last" not in k["why_not"]
END
run 0 run ring.yaml --json --set run.skip=none
holds 'and without the key neither' python3 -c '
import json
j = json.load(open("out", encoding="utf-8"))
assert "skipped" not in j and "skip" not in j'

# --- what can never be: why REASON ARGS.. The run goes on as without the key. ---
why() {
    reason=$1
    shift
    run 0 run ring.yaml --set 'traffic[0].bytes=100 KB' "$@"
    holds "not skipped: $reason" [ "$(sed -n 's/^skipped *//p' out)" = "nothing: $reason" ]
}
beyond='fields of packets beyond the basic ones give no state'
more='laws that are told of more than acknowledgements cannot be replayed'
writes='switches or links draw what they do with each packet, or write into packets (loss, delays, records)'
halves='laws with one state per destination or with a receiver half give no state'
tcp='host.handshake, host.reliability: newreno and host.ecn: rfc3168 give no state'
for law in sird homa ndp dcpim expresspass; do
    why 'its receiver-driven law gives no state' --set protocol=$law --set fabric.routing=ecmp
done
why "$beyond" --set protocol=hpcc --set fabric.routing=ecmp
why "$writes" --set protocol=rcp --set fabric.routing=ecmp
for law in dart dcqcn; do
    why "$halves" --set protocol=$law --set fabric.routing=ecmp
done
why "$more" --set protocol=rocc --set fabric.routing=ecmp
why "$tcp" --set protocol=newreno
why "$tcp" --set protocol=cubic
why "$tcp" --set host.handshake=true
why 'several processes simulate together (--ranks)' --ranks 2
why 'means between samples give no state (run.sample_average)' --set run.sample_average=true
why 'the path of each packet is drawn (fabric.routing: spray)' --set fabric.routing=spray
why 'host.nic_schedule: weighted gives no state' --set host.nic_schedule=weighted
why 'host.overhead gives no state' --set 'host.overhead=1 us'
why "$writes" --set fabric.loss=0.1%
why 'limited memory of switches gives no state (fabric.buffer)' --set 'fabric.buffer=16 MB'
why 'links of a fractional time per byte give no state' --set 'topology.host_link=300 Gbps'
why 'ports with several classes give no state (fabric.priorities)' --set fabric.priorities=2
why 'ports that depend on each other give no state (coupled switch features)' --set 'fabric.buffer=32 MB' --set fabric.pfc=static
fabric() { # fabric REASON KEYS: a whole section
    cp ring.yaml kept.yaml
    printf 'fabric: {%s}\n' "$2" >>ring.yaml
    why "$1"
    mv kept.yaml ring.yaml
}
fabric 'marks are drawn: between two thresholds of fabric.ecn' 'ecn: {kmin: 100 KB, kmax: 400 KB, pmax: 10%}'
fabric 'queue management at the head of a queue gives no state (fabric.codel)' 'codel: {variant: rfc8289}'
fabric 'cables that change give no state (fabric.events)' 'events: [{time: 1 s, cable: leaf 0 - spine 0, state: down}]'

# hosts that restart, several laws, hosts of several NICs
{
    sed 's/kind: collective.*/kind: permutation, size: 100 KB}/' ring.yaml
    echo 'fabric: {events: [{time: 1 s, host: host 1, state: restart}]}'
} >restart.yaml
run 0 run restart.yaml
says out 'nothing: hosts that restart give no state'
sed 's/bytes: 20 MB/bytes: 100 KB/; s/^run:/  - {kind: permutation, size: 10 KB, protocol: swift}\nrun:/' ring.yaml >laws.yaml
run 0 run laws.yaml
says out 'nothing: hosts with several laws give no state'
sed 's/bytes: 20 MB/bytes: 100 KB/; s/^topology:.*/topology: {kind: planes, hosts: 4, racks: 1, spines: 1, planes: 2}/' ring.yaml >nics.yaml
run 0 run nics.yaml
says out 'nothing: hosts with several NICs give no state'

# --- refused, with the place of the key ---
run 2 run ring.yaml --pcap packets.pcapng
says err 'ring.yaml:5:6: run.skip: exact does not simulate every packet, and --pcap writes every packet'
says err 'hint: --set run.skip=none'
holds 'no capture is left' [ ! -e packets.pcapng ]
echo '10 us cut host 0 - leaf 0' >changes
run 2 run ring.yaml --timeline changes
says err 'ring.yaml:5:6: run.skip: exact does not know what --timeline and --live will change'
run 0 run ring.yaml --set run.skip=none --pcap packets.pcapng

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
