#!/bin/sh
# test/cli/soft_bench.sh - bench/soft_switch/run: what it refuses, that it measures, that no frame of a burst is uncounted, and that it leaves
# nothing behind, also when it is killed. No other figure is looked at. Between namespaces only as root.
# usage: soft_bench.sh BINARY PROGRAM     PROGRAM = soft_switch_frames
# shellcheck source=test/cli/lib.sh
set -u
bench=$PWD/bench/soft_switch/run
programs=$(cd "$(dirname "$2")" && pwd)
. "$(dirname "$0")/lib.sh"
try=sb$$-try

measure() { # measure STATUS ARGS..: as `run`, of the benchmark
    want=$1
    shift
    called="soft_switch $*"
    "$bench" --programs "$programs" --weir "$weir" "$@" >out 2>err </dev/null
    got=$?
    holds "exit $got, not $want; stderr: $(tail -n 3 err)" [ "$got" -eq "$want" ]
}

measure 2 --cases frames,dance
says err "there is no 'dance'"
measure 2 --rounds 0
says err '--rounds must be 1 to 100'
measure 2 --port-seconds 61
says err '--port-seconds 0.05 to 60'
measure 2 --programs /nowhere
says err '/nowhere/soft_switch_frames is missing'
measure 2 --show /nowhere
says err 'not a file of what --json prints'

if [ "$(id -u)" != 0 ] || ! ip netns add "$try" 2>/dev/null; then
    echo "$checks checks, $failures failures; without network namespaces"
    [ "$failures" -eq 0 ] && exit 77
    exit 1
fi
bridge=$(ip -n "$try" link add br0 type bridge 2>&1) || bridge=none
switch=$(nsenter --net=/run/netns/$try "$weir" switch clean 2>&1) || switch=none
ip netns delete "$try"
if [ "$bridge" = none ] || [ "$switch" = none ]; then
    echo "$checks checks, $failures failures; without a bridge or the switch"
    [ "$failures" -eq 0 ] && exit 77
    exit 1
fi

measure 0 --quick --seconds 0.05 --cases latency,ring --json
mv out found.json
called='the JSON of soft_switch'
python3 - <<'END' || fail "$called: not as expected: $(cat found.json)"
import json
report = json.load(open("found.json"))
assert (report["bench"], report["format"], report["rounds"], report["failures"]) == ("soft_switch", 1, 1, [])
assert [row["way"] for row in report["results"]["latency"]] == ["direct", "bridge", "af_xdp", "tpacket"]
assert all(row["samples"] > 0 for row in report["results"]["latency"])
for row in report["results"]["ring"]:
    assert row["ring"] > 0 and row["got"] >= 4096, row
assert all(said["met"] for said in report["assertions"]) and len(report["assertions"]) == 4
END
measure 0 --show found.json
says out '| tpacket | 10000 | '
says out 'met     ring: af_xdp: sent = received + causes: 10000 sent, 0 of them nowhere'

for how in TERM KILL; do
    called="soft_switch, killed by SIG$how"
    mkfifo said
    "$bench" --programs "$programs" --weir "$weir" --cases rate >out 2>said </dev/null &
    pid=$!
    exec 7<said
    rm said
    while read -r line <&7 && [ "${line%%:*}" != rate ]; do :; done
    kill -"$how" "$pid"
    cat <&7 >rest # until nobody has it open, the shell that cleans up included
    exec 7<&-
    wait "$pid"
    got=$?
    holds "exit $got" [ "$got" -eq "$([ $how = TERM ] && echo 143 || echo 137)" ]
    holds "namespaces are left: $(ip netns list | grep "^sb$pid")" [ -z "$(ip netns list | grep "^sb$pid")" ]
done
echo "$checks checks, $failures failures"
exit "$failures"
