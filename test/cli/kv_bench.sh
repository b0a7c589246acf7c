#!/bin/sh
# test/cli/kv_bench.sh - bench/kv/run: what it refuses, that it measures, and that it leaves nothing behind, also when it is killed. No figure is
# looked at. Between namespaces only as root.
# usage: kv_bench.sh BINARY KV     KV = examples/kv
# shellcheck source=test/cli/lib.sh
set -u
bench=$PWD/bench/kv/run
kv=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
. "$(dirname "$0")/lib.sh"
try=kv$$-try

measure() { # measure STATUS ARGS..: as `run`, of the benchmark
    want=$1
    shift
    called="kv/run $*"
    "$python" -S "$bench" --kv "$kv" --weir "$weir" "$@" >out 2>err </dev/null
    got=$?
    holds "exit $got, not $want; stderr: $(tail -n 3 err)" [ "$got" -eq "$want" ]
}

none_left() { # none_left PID: of the run that was this process
    holds 'namespaces are left' sh -c "! ip netns list | grep -q '^kv$1-'"
}

measure 0 --help
says out 'usage: bench/kv/run'
measure 2 --ways weir,quic
says err "there is no 'quic'"
measure 2 --servers 1
says err '--servers must be 2 to 30'
measure 2 --seconds 61
says err '--seconds must be 1 to 60'
measure 2 --values 64KB,5MB
says err '--values 5MB'
measure 2 --values 64kb
says err '--values 64kb'
measure 2 --kv /nowhere
says err '/nowhere is missing'

if [ "$(id -u)" != 0 ] || ! ip netns add "$try" 2>/dev/null; then
    echo "$checks checks, $failures failures; without network namespaces"
    [ "$failures" -eq 0 ] && exit 77
    exit 1
fi
bridge=$(ip -n "$try" link add br0 type bridge 2>&1) || bridge=none
ip netns delete "$try"
if [ "$bridge" = none ]; then
    echo "$checks checks, $failures failures; without a bridge"
    [ "$failures" -eq 0 ] && exit 77
    exit 1
fi

measure 0 --quick --no-marks --ways weir,cubic --json
mv out found.json
called='the JSON of kv/run'
python3 - <<'PY' || fail "$called: not as expected: $(cat found.json)"
import json
report = json.load(open("found.json"))
assert (report["bench"], report["format"], report["marks"], report["failures"]) == ("kv", 1, False, [])
assert [(row["way"], row["value_bytes"], row["errors"]) for row in report["results"]] == [("weir", 64000, 0), ("cubic", 64000, 0)]
for row in report["results"]:
    assert row["gets"][0] > 0 and row["all_answered"][0] > 0 and row["partial"] == [0, 0, 0], row
    assert 0 < row["get_p50_ms"][0] <= row["get_p99_ms"][0] <= row["get_p999_ms"][0], row
PY
checks=$((checks + 1))

# killed while it measures: the shell that it started takes the network away
mkfifo begun
called='kv/run, killed'
"$python" -S "$bench" --kv "$kv" --weir "$weir" --quick --no-marks --ways weir --seconds 60 >out 2>begun </dev/null &
runner=$!
exec 3<begun
read -r line <&3 # the network is there
kill -9 "$runner"
wait "$runner" 2>/dev/null
while read -r line <&3; do :; done # its descendants have gone, the last one when all is taken away
none_left "$runner"

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
