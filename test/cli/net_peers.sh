#!/bin/sh
# test/cli/net_peers.sh - bench/net_peers/run: what it refuses, that it measures two peers, and that it leaves nothing behind, also when it is
# killed. What it measures is not looked at. Between namespaces only as root.
# usage: net_peers.sh BINARY PROGRAM..     PROGRAM = net_peer_tcp, net_peer_weir, ..
# shellcheck source=test/cli/lib.sh
set -u
bench=$PWD/bench/net_peers/run
programs=$(cd "$(dirname "$2")" && pwd)
. "$(dirname "$0")/lib.sh"
mkdir here # so that the command lines of this test's processes are its own
ln -s "$programs"/net_peer_* here
programs=$dir/here

measure() { # measure STATUS ARGS..: as `run`, of the benchmark
    want=$1
    shift
    called="net_peers $*"
    "$bench" --programs "$programs" "$@" >out 2>err </dev/null
    got=$?
    holds "exit $got, not $want; stderr: $(tail -n 3 err)" [ "$got" -eq "$want" ]
}

measure 2 --peers tcp,smoke --on loopback
says err "there is no 'smoke'"
measure 2 --cases dance --on loopback
says err "there is no 'dance'"
measure 2 --rounds 0 --on loopback
says err '--rounds must be 1 to 100'
measure 2 --seconds 61 --on loopback
says err '--seconds 0.05 to 60'
measure 2 --port fast
says err 'must be a number and kbit, mbit or gbit'
measure 2 --limit much
says err 'must be a number, or one and kb or mb'
measure 2 --on loopback --cases incast
says err 'nothing to measure'
measure 2 --programs /nowhere --on loopback
says err 'net_peer_tcp or net_peer_weir is missing'
measure 2 --show /nowhere
says err 'not a file of what --json prints'

measure 0 --quick --seconds 0.05 --on loopback --peers tcp,weir --cases bulk,call --seed 7 --json
mv out found.json
called='the JSON of net_peers'
python3 - <<'END' || fail "$called: not as expected"
import json
report = json.load(open("found.json"))
assert (report["bench"], report["format"], report["on"], report["rounds"], report["seed"]) == ("net_peers", 1, "loopback", 1, 7)
assert report["failures"] == [] and report["missing"] == []
assert [(row["case"], row["peer"]) for row in report["results"]] == [(c, p) for c in ("bulk", "call") for p in ("tcp", "weir")]
weir = {row["case"]: row for row in report["results"] if row["peer"] == "weir"}
assert weir["bulk"]["lost"] == weir["call"]["lost"] == 0
assert [peer["name"] for peer in report["peers"]] == ["tcp", "weir"] and all(peer["version"] for peer in report["peers"])
END
measure 0 --show found.json
says out 'bulk: one sender, messages of 1 MB'
says out '| weir | '

if [ "$(id -u)" != 0 ] || ! ip netns add np-try 2>/dev/null; then
    echo "$checks checks, $failures failures; without network namespaces"
    exit "$failures"
fi
ip netns delete np-try

# begun ARGS..: a run between namespaces, up to its first measurement. Its number is in $pid, descriptor 7 reads its stderr.
begun() {
    mkfifo said
    "$bench" --programs "$programs" --peers weir --cases "$1" --seconds 60 >out 2>said </dev/null &
    pid=$!
    exec 7<said
    rm said
    while read -r line <&7 && [ "$line" != "$1: weir" ]; do :; done
}

for how in TERM KILL; do
    for case in call busy-port; do
        called="net_peers, killed by SIG$how in $case"
        begun "$case"
        kill -"$how" "$pid"
        cat <&7 >rest # until nobody has it open, the shell that cleans up included
        exec 7<&-
        wait "$pid"
        got=$?
        holds "exit $got" [ "$got" -eq "$([ $how = TERM ] && echo 143 || echo 137)" ]
        holds "namespaces are left: $(ip netns list | grep "^np$pid")" [ -z "$(ip netns list | grep "^np$pid")" ]
        holds "processes are left" [ -z "$(pgrep -f "$programs/net_peer_")" ]
    done
done
echo "$checks checks, $failures failures"
exit "$failures"
