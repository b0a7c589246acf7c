#!/bin/sh
# test/cli/failures.sh - hosts that restart, cables, switches and hosts that fail, from the command line: every message ends or is lost with
# its host, nothing stalls, old names of keys are read (doc/failures.md).
# usage: failures.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

cat >restart.yaml <<'END'
topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 10 Gbps, core_link: 10 Gbps}
fabric:
  ecn: {threshold: 60 KB}
  events:
    - {time: 100 us, host: host 3, state: restart}
    - {time: 200 us, switch: spine 0}
    - {time: 250 us, switch: spine 0, state: up}
    - {time: 300 us, host: host 3, state: restart}
traffic: [{kind: permutation, size: 500 KB}, {kind: incast, fan_in: 5, size: 50 KB, period: 100 us, stop: 400 us}]
run: {measure: all}
END
for protocol in sird homa dctcp; do
    run 0 run restart.yaml --set "protocol.name=$protocol" --check --json
    counts=$(sed -n 's/^ *"messages_\(started\|completed\|lost_with_host\)": *\([0-9]*\).*/\2/p' out | tr '\n' ' ')
    # shellcheck disable=SC2086
    set -- $counts
    holds "$protocol: every message ended or was lost with its host: $counts" [ "$1" -eq $(($2 + $3)) ]
    holds "$protocol: some were lost" [ "$3" -gt 0 ]
done
run 0 run restart.yaml --pcap all.pcap
says out 'lost with their host'
holds 'the capture is there' [ -s all.pcap ]

# a cable's failure and a restart at one instant are one failure
cat >same.yaml <<'END'
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: newreno
fabric: {events: [{time: 2 ms, cable: host 1 - switch 0, state: down}, {time: 2 ms, host: host 0, state: restart}]}
traffic:
  - {kind: cbr, rate: 2 Gbps, packet: 1460 B, from: 0..1, to: 2..3}
run: {warmup: 0 us, measure: 6 ms}
END
run 0 run same.yaml
says out '1 failure'

# a cable that is slow for a while: shares follow it, and the rate of the network heals it
cat >slow.yaml <<'END'
topology: {kind: star, hosts: 2, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
fabric:
  ecn: {threshold: 60 KB}
  events:
    - {time: 2 ms, cable: host 1 - switch 0, state: rate, rate: 2.5 Gbps}
    - {time: 4 ms, cable: host 1 - switch 0, state: rate, rate: 10 Gbps}
traffic: [{kind: permutation, size: 100 MB}]
run: {warmup: 2.5 ms, measure: 1 ms}
END
run 0 allocate slow.yaml --at 1ms --capacity wire
says out ' 10.00 Gbps'
run 0 allocate slow.yaml --at 2ms --capacity wire
says out ' 2.500 Gbps'
run 0 allocate slow.yaml --at 4ms --capacity wire
says out ' 10.00 Gbps'

# delays that vary: a lone packet takes its least time and up to 500 ns on one cable, 2 us on the other; 1000 of them on average 1250 ns
# more, with a standard error of 19. PFC's headroom has room for what is on a late cable.
cat >late.yaml <<'END'
topology: {kind: star, hosts: 2, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
fabric: {ecn: {threshold: 60 KB}, delay_variation: [{up_to: 500 ns}, {cable: host 1 - switch 0, up_to: 2 us}]}
traffic: [{kind: cbr, rate: 40 Mbps, packet: 100 B, from: 0, to: 1, stop: 20 ms}]
run: {measure: all}
END
run 0 run late.yaml --check --messages late.csv
holds 'packets are late by what cables add' python3 -c '
import csv
late = [int(r["end_ps"]) - int(r["start_ps"]) - int(r["ideal_ps"]) for r in csv.DictReader(open("late.csv"))]
assert len(late) == 1000 and 0 <= min(late) < 100_000 and 2_400_000 < max(late) <= 2_500_000
assert abs(sum(late) / 1000 - 1_250_000) < 60_000'
cat >headroom.yaml <<'END'
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: {name: newreno, init_cwnd: 1 MB}
host: {rto_min: 100 ms, rto_init: 100 ms}
fabric: {pfc: {kind: static, xoff: 10 KB}, delay_variation: [{cable: host 1 - switch 0, up_to: 20 us}]}
traffic: [{kind: incast, fan_in: 3, size: 1 MB, load: 50%}]
run: {warmup: 0 us, measure: 20 ms}
END
run 0 run headroom.yaml --check --json
holds 'nothing is dropped' grep -q '"drops": 0,' out
holds 'hosts are paused' grep -q '"pauses_by_cause": {"pfc.threshold": [1-9]' out
sed 's/cable: host 1 - switch 0/cable: host 1 - switch 9/' headroom.yaml >nowhere.yaml
run 2 run nowhere.yaml
says err "delay_variation[0]: there is no cable 'host 1 - switch 9'"

# failures at random times are those of the seed, whatever the law; the scenario of a result file has the process alone
cat >random.yaml <<'END'
topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 10 Gbps, core_link: 40 Gbps}
protocol: dctcp
fabric: {failures: {mtbf: 1 ms, mttr: 200 us, until: 4 ms}, ecn: {threshold: 60 KB}}
traffic: [{kind: permutation, size: 2 MB}]
run: {measure: all}
END
run 0 run random.yaml --check --json -o random.db
digest=$(sed -n 's/^ *"digest": *"\(.*\)".*/\1/p' out)
run 0 run random.yaml --check --json
says out "$digest"
run 0 run random.yaml --check --json --seed 2
holds 'another seed has other failures' [ "$digest" != "$(sed -n 's/^ *"digest": *"\(.*\)".*/\1/p' out)" ]
python3 -c 'import sqlite3; print(sqlite3.connect("random.db").execute("SELECT scenario FROM run").fetchone()[0])' >dumped.yaml
holds 'the process is in the result file' grep -q 'mtbf: 1 ms' dumped.yaml
holds 'its events are not' sh -c '! grep -q events: dumped.yaml'
run 0 run dumped.yaml --json
says out "$digest"

# Dart, deflection and PFC while a spine fails: what is dropped there its senders send again, and entries of messages whose last packet was
# dropped expire
cat >dart.yaml <<'END'
topology: {kind: leaf-spine, hosts: 24, racks: 3, spines: 3, host_link: 10 Gbps, core_link: 20 Gbps}
protocol: dart
host: {data_class: 1, rto_min: 300 us, rto_init: 1 ms}
fabric:
  priorities: 2
  lanes: 3
  pfc: {kind: static, xoff: 40 KB, classes: all}
  deflect: {threshold: 4 KB, tokens: 2, short: 100 KB, timeout: 50 us}
  events: [{time: 200 us, switch: spine 0, state: down}, {time: 500 us, switch: spine 0, state: up}]
  reroute_delay: 50 us
traffic: [{kind: incast, fan_in: 15, size: 20 KB, period: 50 us, stop: 0.8 ms}, {kind: permutation, size: 200 KB}]
run: {measure: all}
END
run 0 run dart.yaml --check --json
holds 'every message is completed' [ "$(sed -n 's/^ *"messages_started": //p' out)" = "$(sed -n 's/^ *"messages_completed": //p' out)" ]
holds 'packets were dropped at the spine' grep -q '"cable-events.down": {"data": [1-9]' out
holds 'messages were deflected' grep -q '"deflect": {"messages": [1-9]' out
holds 'entries expired' grep -q '"deflect": {[^}]*"expired": [1-9]' out

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
