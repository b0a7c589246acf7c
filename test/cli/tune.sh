#!/bin/sh
# test/cli/tune.sh - drives `weir tune` on six hosts: the best value is that of a sweep, noise is called so, what is there is not run
# again, and what is refused.
# usage: tune.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"
TMPDIR=$dir/tmp
export TMPDIR
mkdir "$TMPDIR"
without_gnuplot

after_run() {
    holds 'no temporary file is left' [ -z "$(ls -A "$TMPDIR")" ]
}

key() { # key EXPRESSION: an expression of the JSON object j in out must be true
    checks=$((checks + 1))
    python3 -c "import json; j = json.load(open('out')); assert $1" 2>/dev/null || fail "$called: JSON: $1"
}

rows() { # rows FILE.db: how many runs it has
    python3 -c "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM run').fetchone())" "$1"
}

cat >convex.yaml <<'END_OF_FILE'
name: convex
topology: {kind: star, hosts: 6, host_link: 100 Gbps, host_delay: 1 us}
protocol: {name: dctcp}
fabric: {ecn: {threshold: 100 KB}}
traffic:
  - {kind: poisson, sizes: 10 KB, load: 15%}
  - {kind: poisson, sizes: 200 KB, load: 45%}
run: {warmup: 200 us, measure: 400 us}
END_OF_FILE
threshold='convex.yaml --key fabric.ecn.threshold=2KB..1MB --for slowdown.all.mean --seeds 3'

# --- the best value: a low threshold starves long messages, a high one delays short ones ---
# shellcheck disable=SC2086 # words
run 0 tune $threshold
says out 'fabric.ecn.threshold from 2 KB to 1 MB, on the logarithm'
says out 'best: fabric.ecn.threshold = '
says out 'noise: these seeds do not tell fabric.ecn.threshold = '
says out "weir run takes it by --set 'fabric.ecn.threshold="
says err 'results in convex-tune.db, report in convex-tune.html'
holds 'there is a page' [ -s convex-tune.html ]
cp out first
runs=$(rows convex-tune.db)
# shellcheck disable=SC2086
run 0 tune $threshold --json
says err "weir: $runs of $runs runs are in convex-tune.db already"
holds 'nothing is run again' [ "$(rows convex-tune.db)" -eq "$runs" ]
cp out tuned.json
key 'len(j["trials"]) * 3 == sum(r["done"] for t in j["trials"] for r in t["runs"]) == '"$runs"
key 'len(j["searches"]) == 1 and j["searches"][0]["logarithm"] and len(j["searches"][0]["values"]) <= 11'
key '[v["value"] for v in j["searches"][0]["values"] if v["best"]] == [j["best"]["set"]["fabric.ecn.threshold"]]'
key 'j["searches"][0]["values"][0]["value"] == "2 KB" and j["searches"][0]["values"][-1]["value"] == "1 MB"'
cat >brute.yaml <<'END_OF_FILE'
scenario: convex.yaml
seeds: 3
axes: [{name: t, set: {fabric.ecn.threshold: $}, values: [2 KB, 12 KB, 30 KB, 80 KB, 1 MB]}]
END_OF_FILE
run 0 sweep brute.yaml
checks=$((checks + 1))
python3 - <<'END_OF_FILE' || fail 'the best value of a sweep is no better than that of the search'
import json, sqlite3
tuned = json.load(open("tuned.json"))
best = {r["seed"]: r["number"] for t in tuned["trials"] if t["set"] == tuned["best"]["set"] for r in t["runs"]}
brute = {}
for scenario, seed, value in sqlite3.connect("brute.db").execute(
        "SELECT point, seed, value FROM run JOIN metric ON run = id WHERE metric.name = 'slowdown.all.mean'"):
    brute.setdefault(scenario.rsplit("-", 1)[0], {})[seed] = value
mean = lambda numbers: sum(numbers.values()) / len(numbers)
least = min(brute.values(), key=mean)
assert len(brute) == 5 and all(len(numbers) == 3 for numbers in brute.values())
change = [best[seed] - least[seed] for seed in best]
middle = sum(change) / 3
half = 4.303 * (sum((x - middle) ** 2 for x in change) / 2 / 3) ** 0.5
assert middle <= half, (middle, half)
for end in ("2_KB", "1_MB"): # and the ends are worse beyond doubt
    assert mean(brute[end]) > mean(best) * 1.05
END_OF_FILE

# --- what is missing is run, and nothing else ---
python3 - <<'END_OF_FILE'
import sqlite3
db = sqlite3.connect("convex-tune.db")
for run, in db.execute("SELECT id FROM run ORDER BY id LIMIT 2").fetchall():
    for table in ("metric", "histogram", "by_size", "finding"):
        db.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
    db.execute("DELETE FROM point WHERE series IN (SELECT id FROM series WHERE run = ?)", (run,))
    db.execute("DELETE FROM series WHERE run = ?", (run,))
    db.execute("DELETE FROM run WHERE id = ?", (run,))
db.commit()
END_OF_FILE
# shellcheck disable=SC2086
run 0 tune $threshold
says err "weir: $((runs - 2)) of $runs runs are in convex-tune.db already"
holds 'the same text' cmp -s out first
# shellcheck disable=SC2086
run 2 tune $threshold --set run.measure=300us
says err 'convex-tune.db: '
says err 'what is asked for now differs in length'

# --- noise ---
run 0 tune convex.yaml --key host.connections=10..80 --for slowdown.all.mean --seeds 1 -o none.db --report none.html
says out 'noise: these seeds do not tell host.connections = 10 to 80 apart: all values give the same numbers'
says out 'best: host.connections = 40;'
run 0 tune convex.yaml --key host.connections=10..80 --for slowdown.all.mean --seeds 1 -o none.db --report none.html --fresh --json
says err 'results in none.db'
holds 'each value was run once more' [ "$(rows none.db)" -eq 5 ]
key 'j["searches"][0]["end"] == "no_effect" and j["searches"][0]["noise"]'
key '(j["searches"][0]["equal_from"], j["searches"][0]["equal_to"]) == ("10", "80")'

# --- two keys, one after another; whole numbers; more is better ---
run 0 tune convex.yaml --key protocol.min_cwnd=1..3 --key protocol.g=0.1..0.101 --for goodput_gbps --seeds 1 -o two.db --report two.html --json
key 'j["better"] == "greatest" and set(j["best"]["set"]) == {"protocol.min_cwnd", "protocol.g"}'
key '[v["value"] for v in j["searches"][0]["values"]] == ["1", "2", "3"]'
key '[s["key"] for s in j["searches"]] == ["protocol.min_cwnd", "protocol.g", "protocol.min_cwnd"]' # g has changed since
key 'j["searches"][2]["with"] == {"protocol.g": j["best"]["set"]["protocol.g"]} != j["searches"][0]["with"]'
key 'j["searches"][0]["with"] == {"protocol.g": "0.101"} and j["best"]["half_width"] is None'
key 'max(r["number"] for t in j["trials"] for r in t["runs"]) == j["best"]["mean"]'
run 0 tune convex.yaml --key 'fabric.ecn.threshold=0.5..0.51 BDP' --for slowdown.all.p99 --seeds 1 -o bdp.db --report bdp.html
says out 'fabric.ecn.threshold from 0.5 BDP to 0.51 BDP'
says out 'no intervals: they need three seeds'
run 2 tune convex.yaml --key protocol.g=0.1..0.101 --for laws_jain --seeds 1 --jobs 1 -o laws.db --report laws.html
says err '--for laws_jain: no run of this scenario gives it'

# --- refusals ---
refused() { # refused SENTENCE ARGS..: of the scenario, before any run
    sentence=$1
    shift
    run 2 tune convex.yaml "$@" -o no.db
    says err "$sentence"
    holds 'refused before the runs' [ ! -e no.db ]
}
g=protocol.g=0.1..0.5
refused '--key: fabric.routing.mode: its value is no number' --key fabric.routing.mode=ecmp..spray --for drops
refused '--key: protocol.name: its value is no number' --key protocol.name=dctcp..sird --for drops
refused "--key: fabric.ecn.threshold: 'off' is no number" --key fabric.ecn.threshold=off..20KB --for drops
refused '--key: protocol.g: 0.1..0.1 is an empty range' --key protocol.g=0.1..0.1 --for drops
refused '--key: protocol.g: 0.5..0.1 is a reversed range' --key protocol.g=0.5..0.1 --for drops
refused '--key: protocol.g=0.5: must be a range, LO..HI' --key protocol.g=0.5 --for drops
refused '--key: protocol.g: must be KEY=LO..HI' --key protocol.g --for drops
refused '--key: g = 5: must be ' --key protocol.g=0.5..5 --for drops
refused "--key: unknown key 'gg' in protocol dctcp" --key protocol.gg=1..2 --for drops
refused 'must both be in BDP, or neither' --key 'fabric.ecn.threshold=1KB..2 BDP' --for drops
refused '--key: run.seed: cannot be tuned' --key run.seed=1..5 --for drops
refused "'traffic[7].load': there is no item 7" --key 'traffic[7].load=10%..20%' --for drops
refused '--for: slowdown.all.p98: ' --key $g --for slowdown.all.p98
refused '--for marks: neither less nor more of it is better' --key $g --for marks
refused '--for drops,losses: one number, not several' --key $g --for drops,losses
refused 'tune: for which number?' --key $g
refused 'tune: which key?' --for drops
refused '--key protocol.alpha=0.1..0.2: more than 3 keys' --key $g --key protocol.min_cwnd=1..4 --key host.connections=1..40 \
    --key protocol.alpha=0.1..0.2 --for drops
refused '--key protocol.g=0.1..0.2: the key is there twice' --key $g --key protocol.g=0.1..0.2 --for drops
refused '--seeds 0: must be a whole number' --key $g --for drops --seeds 0
refused '--set g: must be key=value' --key $g --for drops --set g
refused 'tune: one scenario, not other.yaml, too' other.yaml --key $g --for drops
refused 'run.seed: 5 seeds from there on go beyond the largest' --key $g --for drops --set run.seed=18446744073709551614
run 2 tune
says err 'tune: which scenario?'
run 2 tune none.yaml --key $g --for drops
says err 'none.yaml: '

echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
