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
    - {at: 0 us, link: "leaf 0 - spine 1", action: down}
    - {at: 0 us, link: "leaf 1 - spine 0", action: down}
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
sed -n '/in a circle/,$p' err | sed -n 's/^    port of \(.*\), paused since [0-9]* ps$/\1/p' >ports
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

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
