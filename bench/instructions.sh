#!/bin/sh
# bench/instructions.sh [WEIR] - instructions and mispredicted branches per packet-hop, counted by cachegrind: the same on every
# machine. Two runs of different length; their difference leaves set-up and warm-up out.
set -eu
weir=${1:-build/weir}
command -v valgrind >/dev/null || { echo "instructions: valgrind is not installed, so none are counted"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/scenario.yaml" <<'EOF'
topology: {kind: leaf-spine, hosts: 144, racks: 9, spines: 4, host_link: 100 Gbps, core_link: 400 Gbps,
           host_delay: 1 us, core_delay: 1 us, bdp: 100 KB}
protocol: dctcp
fabric: {ecn: {threshold: 1.25 BDP}}
traffic: [{kind: poisson, sizes: websearch, load: 80%}]
run: {warmup: 1 ms, measure: 1 ms}
EOF
count() { # measured ms -> "hops instructions mispredictions"
    valgrind --tool=cachegrind --cache-sim=no --branch-sim=yes --cachegrind-out-file="$dir/out" "$weir" run "$dir/scenario.yaml" \
        --set "run.measure=$1 ms" --json 2>&1 | tr -d , |
        awk '/"packet_hops":/ { h = $2 } /I +refs:/ { i = $4 } /Mispredicts:/ { m = $3 } END { print h, i, m }'
}
echo "$(count 0.2) $(count 1.2)" | awk '{ printf "instructions per packet-hop %.0f, mispredicted branches %.2f (leaf-spine 144, websearch 80 %%, steady state)\n",
    ($5 - $2) / ($4 - $1), ($6 - $3) / ($4 - $1) }'
