#!/bin/sh
# bench/instructions.sh [WEIR [ROW..]] - instructions and mispredicted branches per packet-hop, counted by cachegrind: the
# same on every machine. A row for each kind of port that has code of its own (src/simulator/port/port_kinds.c), one for
# ports that have none, and coupled switches; the NICs of soze and loss are of kind nic_starts. Two runs of different length; their
# difference leaves set-up and warm-up out.
set -eu
weir=${1:-build/weir}
[ $# -eq 0 ] || shift
command -v valgrind >/dev/null || { echo "instructions: valgrind is not installed, so none are counted"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/scenario.yaml" <<'END'
topology: {kind: leaf-spine, hosts: 144, racks: 9, spines: 4, host_link: 100 Gbps, core_link: 400 Gbps,
           host_delay: 1 us, core_delay: 1 us, bdp: 100 KB}
protocol: dctcp
fabric: {ecn: {threshold: 1.25 BDP}}
traffic: [{kind: poisson, sizes: websearch, load: 80%}]
run: {warmup: 0.2 ms, measure: 1 ms}
END
# name | kind of the switches' ports | what is set
rows() {
    cat <<'END'
dctcp|fifo|
two-classes|lanes|fabric.priorities=2
sird|lanes|protocol=sird traffic[0].sizes=wkc traffic[0].load=60%
soze|starts|protocol=soze traffic[0].load=60%
loss|starts|fabric.loss=0.1%
ramp|joins|fabric.ecn.threshold=off fabric.ecn.kmin=50KB fabric.ecn.kmax=200KB fabric.ecn.pmax=10%
ramp-loss|joins_starts|fabric.ecn.threshold=off fabric.ecn.kmin=50KB fabric.ecn.kmax=200KB fabric.ecn.pmax=10% fabric.loss=0.1%
shared-buffer|memory|fabric.buffer=16MB fabric.alpha=1
core-300|fraction|topology.core_link=300Gbps
homa|classes|protocol=homa fabric.ecn.threshold=off
eight-classes|classes|fabric.priorities=8 host.nic_queue=unlimited
expresspass|gated|protocol=expresspass fabric.ecn.threshold=off traffic[0].load=50%
codel-queues|dequeue|fabric.ecn.threshold=off fabric.codel.variant=rfc8289 host.nic_queue=unlimited
codel-ramp|dequeue_join|fabric.codel.variant=rfc8289 fabric.ecn.threshold=off fabric.ecn.kmin=50KB fabric.ecn.kmax=200KB host.nic_queue=unlimited
any|none|fabric.priorities=4 fabric.buffer=16MB fabric.alpha=1 fabric.loss=0.1%
codel|coupled|fabric.ecn.threshold=off fabric.codel.variant=rfc8289
pfc|coupled|protocol=dcqcn fabric.ecn.threshold=off fabric.ecn.kmin=100KB fabric.ecn.kmax=400KB fabric.pfc.kind=static fabric.pfc.xoff=30KB fabric.buffer=16MB
hpcc|coupled|protocol=hpcc fabric.ecn.threshold=off
END
}
count() { # ms measured, settings -> "hops instructions mispredictions"
    ms=$1
    shift
    for s in "$@" "run.measure=$ms ms"; do
        printf -- '--set\n%s\n' "$s"
    done | tr '\n' '\0' | xargs -0 valgrind --tool=cachegrind --cache-sim=no --branch-sim=yes \
        --cachegrind-out-file="$dir/out" "$weir" run "$dir/scenario.yaml" --json 2>&1 | tr -d , |
        awk '/"packet_hops":/ { h = $2 } /I +refs:/ { i = $4 } /Mispredicts:/ { m = $3 } /error/ { print > "/dev/stderr" }
             END { if (h == "") exit 1; print h, i, m }'
}
echo "leaf-spine 144, websearch 80 %, steady state: per packet-hop"
printf '%-14s %-13s %12s %12s\n' row port instructions mispredicted
rows | while IFS='|' read -r name port set; do
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    # shellcheck disable=SC2086 # settings have no blanks
    short=$(count 0.1 $set) && long=$(count 0.4 $set) || { echo "instructions: $name does not run" >&2; exit 1; }
    echo "$name $port $short $long" |
        awk '{ printf "%-14s %-13s %12.1f %12.3f\n", $1, $2, ($7 - $4) / ($6 - $3), ($8 - $5) / ($6 - $3) }'
done
