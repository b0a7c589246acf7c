#!/bin/sh
# test/cli/diff.sh - drives `weir diff` on four hosts: what moves and what does not, what is refused, which files pair.
# usage: diff.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
tiny=$PWD/test/cli/tiny # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"
without_gnuplot

key() { # key EXPRESSION: an expression of the JSON object j in out must be true
    checks=$((checks + 1))
    python3 -c "import json; j = json.load(open('out')); assert $1" 2>/dev/null || fail "$called: JSON: $1"
}

cat >star.yaml <<'END_OF_FILE'
name: star
topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}
protocol: {name: dctcp, g: 0.08}
fabric: {ecn: {threshold: 20 KB}}
traffic: [{kind: poisson, sizes: 200 KB, load: 80%}]
run: {warmup: 20 us, measure: 400 us}
END_OF_FILE

made() { # made FILE.db SEED ARGS..: one run
    file=$1 seed=$2
    shift 2
    run 0 run star.yaml -o "$file" --seed "$seed" "$@"
}

for seed in 1 2 3; do
    made one.db $seed --threads 1
    made two.db $seed --threads 2
    made law.db $seed --set protocol.g=0.9
    made mark.db $seed --set fabric.ecn.threshold=5KB
done

# --- two thread counts, and a changed law ---
run 0 diff one.db two.db
says out 'keys    none differs'
says out 'runs    3 pairs of 1 point'
says out 'digests: every pair has the same one'
says out 'nothing moved: '
run 1 diff one.db law.db
says out '  protocol.g: 0.08 -> 0.9'
says out 'star, 3 seeds: '
run 1 diff one.db mark.db
says out '  fabric.ecn.threshold: 20 KB -> 5 KB'
says out 'star, 3 seeds: '
says out 'beyond the 95 % interval of the paired difference'
says out '  port_queue_bytes.mean'
says out 'digests: those of 3 of 3 pairs differ'
run 1 diff one.db mark.db --json
key 'j["differs"]["fabric.ecn.threshold"] == {"before": "20 KB", "after": "5 KB", "points": 1}'
key 'j["pairs"] == 3 and j["points"][0]["label"] == "star" and j["points"][0]["seeds"] == [1, 2, 3]'
key 'j["moved"] == sum(n["moved"] for n in j["points"][0]["numbers"].values()) > 0'
key 'all(n["moved"] == (abs(n["change"]) > n["half_width"]) for n in j["points"][0]["numbers"].values() if n["pairs"] == 3)'
key 'not any(name in j["points"][0]["numbers"] for name in ("wall_s", "peak_rss_bytes", "threads", "seed"))'
# the interval is that of the textbook
checks=$((checks + 1))
python3 - <<'END_OF_FILE' || fail 'the interval of a paired difference'
import json, sqlite3, statistics
value = lambda file: [v for v, in sqlite3.connect(file).execute("SELECT value FROM metric WHERE name = 'marks' ORDER BY run")]
change = [b - a for a, b in zip(value("one.db"), value("mark.db"))]
n = json.load(open("out"))["points"][0]["numbers"]["marks"]
assert abs(n["change"] - statistics.mean(change)) < 1e-9 * abs(n["change"])
assert abs(n["half_width"] - 4.303 * statistics.stdev(change) / 3 ** 0.5) < 1e-6 * n["half_width"]
END_OF_FILE

run 0 run star.yaml --seed 1 -o short.db --set run.measure=3us
run 0 run star.yaml --seed 1 -o short2.db --set run.measure=3us
run 0 diff short.db short2.db
says out '! 1 of 1 runs of short2.db are in doubt; star, seed 1: '

# --- chosen numbers, and a tolerance ---
run 1 diff one.db mark.db --metrics goodput_gbps,hosts
says out ': 1 of 2 numbers moved'
run 0 diff one.db mark.db --metrics hosts
says out 'digests: those of 3 pairs differ, though no number moved'
says out 'nothing moved: 1 number compared'
run 1 diff one.db mark.db --metrics goodput_gbps --tolerance 1%
run 0 diff one.db mark.db --metrics goodput_gbps --tolerance 10%
made single.db 1
made other.db 1 --set fabric.ecn.threshold=19KB
run 1 diff single.db other.db --metrics slowdown.all.p99,marks
says out 'star, seed 1: '
run 0 diff single.db other.db --metrics slowdown.all.mean,marks --tolerance 30%
run 1 diff single.db other.db --metrics slowdown.all.mean,marks --tolerance 0.01%
run 2 diff one.db two.db --metrics slowdown.all.p98
says err '--metrics: slowdown.all.p98: '
run 2 diff one.db two.db --metrics laws_jain
says err '--metrics: laws_jain: no run of one.db has it'
run 2 diff one.db two.db --tolerance 2
says err '--tolerance'

# --- runs without a partner ---
made few.db 2
made few.db 7
run 0 diff one.db few.db
says out 'runs    1 pair of 1 point, 2 only in one.db, 1 only in few.db'
says out '  only in one.db: star, seed 1'
says out '  only in few.db: star, seed 7'
run 0 diff one.db few.db --json
key '[r["seed"] for r in j["before"]["alone"]] == [1, 3] and [r["seed"] for r in j["after"]["alone"]] == [7]'
made seven.db 7
run 2 diff one.db seven.db
says err 'one.db and seven.db share no run'
made few.db 2
run 0 diff one.db few.db
says out '1 older run of the same name left out'
made few.db 2 --set protocol.g=0.5
run 2 diff one.db few.db
says err 'few.db: runs '
says err 'seed 2, and differ in their settings'

# --- another network, other traffic ---
made wide.db 1 --set topology.hosts=5
run 2 diff one.db wide.db
says err 'one.db and wide.db do not have the same network: topology.hosts is 4, and then 5'
run 1 diff one.db wide.db --any
says out '  topology.hosts: 4 -> 5'
made more.db 1 --set 'traffic[0].load=70%'
run 2 diff one.db more.db
says err 'do not have the same traffic: traffic[0].load is 0.8, and then 0.7'
made law0.db 1 --set 'traffic[0].protocol=cubic'
run 1 diff one.db law0.db

# --- refusals ---
run 2 diff
says err 'diff: which result files?'
run 2 diff one.db
says err 'diff: which other result file?'
run 2 diff one.db two.db law.db
says err 'diff: two result files, not law.db, too'
ln one.db same.db
run 2 diff one.db same.db
says err 'diff: one.db and same.db are the same file'
run 2 diff one.db star.yaml
says err 'star.yaml: '
run 2 diff one.db none.db
says err 'none.db: '

# --- files of compare, sweep and reproduce: the seed is a part of the label ---
cat >sweep.yaml <<'END_OF_FILE'
scenario: star.yaml
seeds: 3
axes: [{name: size, set: {"traffic[0].sizes": $}, values: [10 KB, 30 KB]}]
END_OF_FILE
for after in '' s; do
    [ -z "$after" ] || sed -i 's/threshold: 20 KB/threshold: 5 KB/' star.yaml
    run 0 sweep sweep.yaml -o "sweep$after.db" --report sweep.html
    run 0 compare star.yaml --protocols dctcp,sird --same-fabric --set 'sird:fabric.ecn.threshold=1 BDP' -o "compare$after.db" --report compare.html
    run 0 reproduce "$tiny/" --scale 1 -o "reproduce$after.db" --report reproduce.html
done
run 1 diff sweep.db sweeps.db --json
key '[p["label"] for p in j["points"]] == ["10_KB", "30_KB"] and all(p["seeds"] == [1, 2, 3] for p in j["points"])'
run 1 diff compare.db compares.db --metrics goodput_gbps,marks
says out 'runs    6 pairs of 2 points'
says out '  fabric.ecn.threshold: 20 KB -> 5 KB  (in 1 of 2 points)'
says out 'dctcp, 3 seeds: '
run 0 diff reproduce.db reproduces.db
says out 'nothing moved: '

echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
