#!/bin/sh
# experiments/sird-table5-dctcp/run.sh - runs every point of the row at full length and prints one line each, beside the paper's
# numbers (appendix A: maximum goodput 83.85 and 83.95 Gb/s, maximum ToR queue 7.0 and 2.7 MB for WKb and WKc).
# Usage: run.sh [WEIR [OUTDIR]]; about 100 s a point on one core. Points whose JSON is already in OUTDIR are not run again.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
weir=${1:-$here/../../build/weir}
out=${2:-$here/../../build/sird-table5-dctcp}
mkdir -p "$out"

point() { # workload, total length at 100 % in us, load in percent
    json=$out/$1-$3.json
    total=$(($2 * 100 / $3)) # m / (load / 100)
    warm=$((total * 9 / 10))
    if [ ! -s "$json" ]; then
        "$weir" run "$here/balanced.yaml" --json --set "traffic[0].sizes=$1" --set "traffic[0].load=$3%" \
            --set "run.warmup=$warm us" --set "run.measure=$((total - warm)) us" >"$json.part"
        mv "$json.part" "$json"
    fi
    python3 - "$1" "$3" "$json" <<'EOF'
import json, sys
workload, load, path = sys.argv[1:]
r = json.load(open(path))
print(f"{workload} offered {r['offered_gbps']:6.2f} of {load}: goodput {r['goodput_gbps']:6.2f} completed {r['goodput_completed_gbps']:6.2f} Gb/s; "
      f"ToR queue mean {r['tor_queue_bytes']['mean'] / 1e6:5.2f} p99 {r['tor_queue_bytes']['p99'] / 1e6:5.2f} max {r['tor_queue_bytes']['max'] / 1e6:5.2f} MB; "
      f"{'stable' if r['stable'] else 'unstable'}; simulated {r['sim_s'] * 1e3:.1f} ms in {r['wall_s']:.0f} s; digest {r['digest']}")
EOF
}

for load in 85 90 95 80; do
    point wkc 500000 $load
    point wkb 400000 $load
done
