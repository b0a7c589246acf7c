#!/bin/sh
# test/cli/pfc.sh - what a run says when pauses wait for each other in a circle, and when one lasts too long.
# usage: pfc.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

# Leaf 0 has lost spine 1 and leaf 1 spine 0, so their flows go down and up again, by leaf 2 or 3:
#   0 -> 1: spine 0 -> leaf 2 -> spine 1 and the same by leaf 3;  1 -> 0: the other way round.
# With flows between leaf 2 and leaf 3 by either spine each of these ports fills the one before it.
{
    echo 'src,dst,bytes,start'
    for pair in 0,2 0,3 1,2 1,3 2,0 2,1 3,0 3,1 4,6 4,7 5,6 5,7 6,4 6,5 7,4 7,5; do
        echo "$pair,3 MB,0 us"
        echo "$pair,3 MB,0 us"
    done
} >flows.csv
cat >circle.yaml <<'END'
topology: {kind: leaf-spine, hosts: 8, racks: 4, spines: 2, core_link: 100 Gbps}
protocol: timely
fabric:
  pfc: {kind: static, xoff: 20 KB}
  events:
    - {time: 0 us, cable: "leaf 0 - spine 1", state: down}
    - {time: 0 us, cable: "leaf 1 - spine 0", state: down}
traffic:
  - {kind: flows, file: flows.csv}
run: {warmup: 0 ms, measure: all, stall: 2 ms}
END
run 1 run circle.yaml
says err 'weir: cyclic buffer dependency: PFC may stop these links for good, each waiting for the next, with the routes from 0 ps on: '
says err 'weir: the run stalled: messages wait, and nothing was delivered any more'
says err '  32 messages hang; the first ones are listed'
says err '  paused: port of leaf 0 to spine 0, '
says err '  ports wait for each other in a circle:'
sed -n '/in a circle/,$p' err | sed -n 's/^    port of \(.*\), paused since [0-9.]* us$/\1/p' >ports
holds 'four ports in the circle' [ "$(wc -l <ports)" -eq 4 ]
circle=$(tr '\n' ';' <ports)
case $circle in
'spine 0 to leaf 2;leaf 2 to spine 1;spine 1 to leaf 3;leaf 3 to spine 0;' | \
    'spine 0 to leaf 3;leaf 3 to spine 1;spine 1 to leaf 2;leaf 2 to spine 0;') ;;
*) fail "$called: not a circle: $circle" ;;
esac
checks=$((checks + 1))
says out 'stable      stalled'
says out 'note      messages wait, and nothing new arrived any more (run.stall: '
mv err alone
run 1 run circle.yaml --threads 2
holds 'the same words with two threads' cmp -s alone err
sed -n '/in a circle/,$p' alone >circle.alone
run 1 run circle.yaml --ranks 3 # whose ports are of several ranks
sed -n '/in a circle/,$p' err >circle.ranks
holds 'the same circle with three ranks' cmp -s circle.alone circle.ranks
run 1 run circle.yaml --json
says out '"stalled": true'
run 0 run circle.yaml --set fabric.pfc=off # it is the pauses
says out '32 started, 32 completed'

# From 100 Gb/s into 1 Gb/s: the sender is stopped once, before it has heard an answer, until all but 20 KB have left.
echo 'src,dst,bytes,start
0,1,1 MB,0 us' >flows.csv
cat >storm.yaml <<'END'
topology: {kind: dumbbell, hosts: 2, core_link: 1 Gbps}
protocol: timely
host: {rto_min: 1 s, rto_init: 1 s}
fabric: {pfc: {kind: static, xoff: 100 KB, xon: 20 KB, storm: 900 us}}
traffic:
  - {kind: flows, file: flows.csv}
run: {warmup: 0 ms, measure: all}
END
run 0 run storm.yaml
says out '1 pause frames, 1 resumes, 1 storms'
says out 'longest 902.5 us at host 0 > switch 0'
run 0 run storm.yaml --json
says out '"pause_storms": 1'
says out '"paused_longest_port": "host 0 > switch 0"'
run 0 run storm.yaml --set 'fabric.pfc.storm=903 us'
says out '1 pause frames, 1 resumes, 0 storms'

# An incast of ten behind which short messages wait for longer than 1 ms: nothing is lost, so nothing is sent again.
cat >waits.yaml <<'END'
topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2, host_link: 10 Gbps, core_link: 10 Gbps}
protocol: {name: dcqcn, link_rate: any}
fabric: {priorities: 2, buffer: 8 MB, ecn: {scale: rate}, pfc: {kind: static, xoff: 60 KB}}
traffic:
  - {kind: poisson, sizes: 20 KB, load: 20%, stop: 5 ms}
  - {kind: incast, fan_in: 10, size: 600 KB, load: 60%, stop: 2 ms, arrivals: poisson}
run: {warmup: 0 ms, measure: all, seed: 5}
END
run 0 run waits.yaml -o waits.db
holds 'nothing is sent again' grep -q ' 0 dropped, 0 lost on the wire, 0 sent again$' out
holds 'the timers of the run are in the result file' python3 -c '
import re, sqlite3
(scenario,), = sqlite3.connect("waits.db").execute("SELECT scenario FROM run")
wanted = ["rto_min: 100 ms", "rto_init: 100 ms", "stall: 400 ms"]
assert re.findall("(?:rto_min|rto_init|stall): .*", scenario) == wanted'
run 0 run waits.yaml --set 'host.rto_min=1 ms' --set 'host.rto_init=5 ms'
says out '0 dropped, 0 lost on the wire, 21 sent again, 21 needlessly'
says out 'note      21 of 21 packets sent again had arrived: the timer is too short; raise host.rto_min'
run 0 run waits.yaml --set 'host.rto_min=1 ms' --set 'host.rto_init=5 ms' --json
says out '"duplicates": 21'
says out '"kind": "sent_again_needlessly"'

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
