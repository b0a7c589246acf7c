#!/bin/sh
# test/cli/mixed.sh - several laws in one run from the command line: equal laws are one, neighbours on other ports change nothing,
# one bottleneck is shared as by hand, result files have the laws, and every pair of protocols runs or is refused (doc/mixed.md).
# usage: mixed.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
pairs=$PWD/tools/law_pairs # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"
without_gnuplot

digest() { # digest FILE ARGS..: runs it; digest=
    run 0 run "$@" --check
    digest=$(sed -n 's/^digest *//p' out)
}

# --- two equal laws are one, bit for bit ---
star='topology: {kind: star, hosts: 6, host_link: 10 Gbps, host_delay: 2 us}
fabric: {loss: 0.2%, priorities: 2, ecn: {threshold: 20 KB}}'
cat >one.yaml <<END
$star
protocol: {name: dctcp, g: 0.1}
traffic:
  - {kind: poisson, sizes: wkb, load: 30%}
  - {kind: poisson, sizes: 30 KB, load: 20%}
run: {warmup: 0 us, measure: 2 ms}
END
sed 's/load: 20%/load: 20%, class: 1, protocol: {name: dctcp, g: 0.1}/' one.yaml >two.yaml
sed 's/load: 30%/load: 30%, protocol: {name: dctcp, g: 0.1}/; s/load: 20%/load: 20%, protocol: {name: dctcp, g: 0.1}/
     s/^protocol: .*/protocol: cubic/' one.yaml >three.yaml
digest one.yaml
one=$digest
digest two.yaml
holds 'equal laws are one' [ "$one" = "$digest" ]
digest three.yaml
holds 'equal laws of all items are one' [ "$one" = "$digest" ]
digest two.yaml --set 'traffic[1].protocol.g=0.2'
holds 'another law is another' [ "$one" != "$digest" ]

# --- a neighbour whose packets meet none of its own changes nothing ---
cat >alone.yaml <<END
$star
protocol: dctcp
traffic:
  - {kind: poisson, sizes: wkb, load: 45%, from: 0..1, to: 0..1}
run: {warmup: 0 us, measure: 3 ms}
END
for law in soze rcp hpcc swift; do
    sed "s/^run:/  - {kind: poisson, sizes: wkb, load: 45%, from: 2..4, to: 5..5, protocol: $law}\nrun:/
         s/priorities: 2/priorities: 2, routing: ecmp/" alone.yaml >beside.yaml
    run 0 run alone.yaml --set fabric.routing=ecmp --messages alone.csv
    run 0 run beside.yaml --check --messages beside.csv
    item=$(head -1 alone.csv | tr , '\n' | grep -n '^item$' | cut -d: -f1)
    holds 'messages have their item' [ -n "$item" ]
    awk -F, -v item="$item" 'NR == 1 || $item == 0' beside.csv >same.csv
    holds "$law beside it: its messages are what they were" cmp -s alone.csv same.csv
    holds "$law sends" [ "$(wc -l <beside.csv)" -gt "$(wc -l <same.csv)" ]
done

# --- a part of the traffic has another law: at 0 % nothing changes, at 100 % it is that law's run ---
run 0 run one.yaml --json
all=$(python3 -c 'import json; print(json.load(open("out"))["messages_started"])')
digest one.yaml --set 'traffic[0].protocol=cubic'
whole=$digest
for by in messages hosts; do
    deploy() { # deploy SHARE: runs it; digest=
        digest one.yaml --set "traffic[0].deploy.share=$1" --set 'traffic[0].deploy.protocol=cubic' --set "traffic[0].deploy.by=$by"
    }
    deploy 0%
    holds "$by: a share of nothing changes nothing" [ "$one" = "$digest" ]
    deploy 100%
    holds "$by: the share of all is the law of the item" [ "$whole" = "$digest" ]
    run 0 run one.yaml --set 'traffic[0].deploy.share=50%' --set 'traffic[0].deploy.protocol=cubic' --set "traffic[0].deploy.by=$by" --json
    python3 -c 'import json, sys
laws = [law["messages_started"] for law in json.load(open("out"))["laws"]]
sys.exit(sum(laws) != int(sys.argv[1]) or min(laws) == 0)' "$all" || fail "$by: the messages are others, or one law has none"
    checks=$((checks + 1))
done

# --- an upgraded rack: what these hosts send has their law ---
sed 's/^protocol:/hosts: [{at: host 0..2, protocol: cubic}]\nprotocol:/' one.yaml >rack.yaml
run 0 run rack.yaml
says out '1 cubic'
sed 's/host 0..2/host 0..5/' rack.yaml >racks.yaml
digest racks.yaml
racks=$digest
digest one.yaml --set 'traffic[0].protocol=cubic' --set 'traffic[1].protocol=cubic'
holds 'a law of all hosts is that of all items' [ "$racks" = "$digest" ]

# --- one bottleneck of 10 Gb/s: who gives way, by what switches do. Shares by hand in doc/mixed.md ---
printf 'src,dst,bytes,start\n0,2,600 MB,0 us\n' >a.csv
printf 'src,dst,bytes,start\n1,3,600 MB,0 us\n' >b.csv
share() { # share FABRIC LEAST MOST: what DCTCP beside CUBIC without ECN gets, of 20 Gb/s of two receiving hosts, in Mb/s
    cat >share.yaml <<END
topology: {kind: dumbbell, hosts: 4, host_link: 40 Gbps, core_link: 10 Gbps, host_delay: 2 us, core_delay: 3 us}
protocol: dctcp
fabric: {$1}
traffic:
  - {kind: flows, file: a.csv}
  - {kind: flows, file: b.csv, protocol: {name: cubic, preset: datacenter}, host: {ecn: off}}
run: {warmup: 0 ms, measure: 40 ms}
END
    run 0 run share.yaml --json
    mbps=$(python3 -c 'import json; print(round(4000 * json.load(open("out"))["laws"][0]["goodput_gbps"]))')
    holds "DCTCP gets $2 to $3 Mb/s, not $mbps" [ "$mbps" -ge "$2" ] && holds "at most $3" [ "$mbps" -le "$3" ]
}
share 'ecn: {threshold: 60 KB}' 100 500
share 'ecn: {threshold: 60 KB}, rpm: on' 100 500
share 'ecn: {threshold: off}, codel: {variant: p4, target: 50 us, interval: 500 us}' 7400 8300

# --- the result file says what ran ---
run 0 run two.yaml --set 'traffic[1].protocol=cubic' -o r.db
mixed=$(sed -n 's/^digest *//p' out)
says out '1 cubic'
python3 -c 'import sqlite3; open("stored.yaml", "w").write(sqlite3.connect("r.db").execute("select scenario from run").fetchone()[0])'
laws=$(python3 -c 'import sqlite3; print(sqlite3.connect("r.db").execute(
    "select group_concat(number || protocol || class || (messages_started > 0) || (p99 >= 1), char(32)) from law").fetchone()[0])')
holds "the table has the laws: $laws" [ "$laws" = '0dctcp111 1cubic111' ]
digest stored.yaml
holds 'the stored scenario is the one that ran' [ "$mixed" = "$digest" ]

# --- results by class, where laws have data in several; fairness across laws ---
cat >class.yaml <<END
$star
protocol: dctcp
traffic:
  - {kind: poisson, sizes: 30 KB, load: 20%}
  - {kind: poisson, sizes: 30 KB, load: 20%, protocol: cubic, class: 0}
  - {kind: poisson, sizes: 30 KB, load: 20%, protocol: newreno}
run: {warmup: 0 us, measure: 2 ms}
END
run 0 run class.yaml -o class.db --threads 2
says out '0, of law 1'
says out '1, of law 0 2'
says out 'fairness of laws'
run 0 run class.yaml --json
python3 - <<'END' || fail 'a class is not its laws together'
import json, sqlite3
j = json.load(open("out"))
assert [(c["class"], c["laws"], c["items"]) for c in j["classes"]] == [(0, [1], [1]), (1, [0, 2], [0, 2])], j["classes"]
for c in j["classes"]:
    for name in "messages_started messages_completed marks drops data_drops retransmissions timeouts".split():
        assert c[name] == sum(j["laws"][k][name] for k in c["laws"]), name
    for group in c["slowdown"]:
        assert c["slowdown"][group]["count"] == sum(j["laws"][k]["slowdown"][group]["count"] for k in c["laws"])
assert sum(l["drops"] for l in j["laws"]) == j["drops"] + j["losses"] > sum(l["data_drops"] for l in j["laws"]) > 0
assert sum(l["data_drops"] for l in j["laws"]) == sum(c["data"] for f in ("drops", "losses") for c in j[f + "_by_cause"].values())
met = [l["demand_met"] for l in j["laws"]]
assert abs(sum(met) ** 2 / (3 * sum(x * x for x in met)) - j["laws_jain"]) < 2e-6
db = sqlite3.connect("class.db")
assert db.execute("select class, messages_started, drops, p99 from class order by 1").fetchall() == [
    (c["class"], c["messages_started"], c["drops"], c["slowdown"]["all"]["p99"]) for c in j["classes"]]
assert db.execute("select value from metric where name = 'laws_jain'").fetchone()[0] == j["laws_jain"]
END
checks=$((checks + 1))
run 0 run class.yaml --set 'traffic[1].class=1' --json
python3 -c 'import json; j = json.load(open("out")); assert j["classes"] is None and len(j["laws"]) == 3' || fail 'one class has a list'
run 0 run one.yaml --json
python3 -c 'import json; j = json.load(open("out")); assert j["classes"] is j["laws"] is j["laws_jain"] is None' || fail 'one law has lists'
checks=$((checks + 2))

# --- comparisons and sweeps show each law; numbers of laws have names ---
run 0 compare class.yaml --protocols dctcp,swift --seeds 2
says out 'of laws'
says out 'law 0: dctcp, swift'
says out 'law 2: newreno'
run 0 compare class.yaml --protocols dctcp,swift --seeds 2 --json
python3 -c 'import json; m = json.load(open("out"))["metrics"]
assert m["laws[2].goodput_gbps"]["laws"]["swift"]["mean"] > 1 and m["laws_jain"]["laws"]["dctcp"]["mean"] > 0.9' || fail 'no laws in JSON'
run 0 compare class.yaml --protocols dctcp,swift --metrics 'laws[1].goodput_gbps,classes[1].slowdown.all.p99'
says out 'goodput per host of laws[1] (Gbps)'
run 2 compare class.yaml --protocols dctcp,swift --metrics 'laws[4].goodput_gbps'
says err 'laws[4].goodput_gbps'
printf 'scenario: class.yaml\naxes: [{name: load, set: {"traffic[0].load": $}, values: [10%%, 20%%]}]\n' >swept.yaml
run 0 sweep swept.yaml
says out 'fairness of laws'
says out 'law 1: cubic'
printf 'scenario: one.yaml\naxes: [{name: load, set: {"traffic[0].load": $}, values: [10%%, 20%%]}]\n' >plain.yaml
run 0 sweep plain.yaml
holds 'a sweep of runs with one law has no table of laws' [ "$(grep -c 'law ' out)" -eq 0 ]
checks=$((checks + 1))

# --- what solvers do not know is said; plain background ---
printf 'src,dst,bytes,start\n0,2,6 MB,0 us\n1,3,6 MB,0 us\n' >flows.csv
printf 'topology: {kind: star, hosts: 4}\ntraffic: [{kind: flows, file: flows.csv, deploy: {share: 50%%, protocol: cubic}}]\n' >solve.yaml
run 0 allocate solve.yaml
says err 'dctcp and cubic share by their weights alone'
sed 's/^run:/  - {kind: cbr, rate: 1 Gbps, packet: 1460 B, from: 0..1, to: 5..5, on: 100 us, off: 400 us, protocol: none}\nrun:/' \
    one.yaml >background.yaml
run 0 run background.yaml --check
says out '1 none'
run 2 run background.yaml --set 'traffic[2].rate=60Gbps'
says err 'total load'

# --- what is refused ---
run 2 run two.yaml --set 'traffic[1].protocol=qubic'
says err "'qubic'"
run 2 run two.yaml --set 'traffic[1].class=5'
says err 'class is 5'
run 2 run two.yaml --set 'traffic[1].host.nic_queue=pull'
says err 'nic_queue'
run 2 run two.yaml --set 'traffic[1].protocol=sird' --set 'traffic[1].class=auto'
says err 'fabric.routing.mode'

# the run's protocol has no traffic, and the first item's has frames that the other law has not
cat >frames.yaml <<'END'
topology: {kind: leaf-spine, racks: 2, spines: 2, hosts: 4, host_link: 100 Gbps, core_link: 100 Gbps}
protocol: timely
host: {nic_queue: unlimited}
fabric: {ecn: {threshold: 60 KB, at: all}, routing: ecmp}
traffic:
  - {kind: permutation, size: 100 KB, protocol: {name: dctcp, preset: ns2}}
  - {kind: permutation, size: 100 KB, protocol: {name: cubic, preset: datacenter}}
run: {warmup: 0 us, measure: all}
END
digest frames.yaml -o frames.db
whole=$digest
python3 -c 'import sqlite3; open("again.yaml", "w").write(sqlite3.connect("frames.db").execute("select scenario from run").fetchone()[0])'
digest again.yaml
holds 'the stored scenario has the frames of all laws' [ "$whole" = "$digest" ]

# numbers of another item would count in a share
cat >shared.yaml <<'END'
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: cubic
fabric: {ecn: 60 KB}
traffic: [{kind: permutation, size: 20 KB}, {kind: permutation, size: 20 KB, protocol: cubic}]
run: {warmup: 0 us, measure: all}
END
run 2 compare shared.yaml --background cubic --protocols dctcp --seeds 1
says err 'would count in it'

# a capture has no laws
run 0 run two.yaml --pcap all.pcap
holds 'the capture is there' [ -s all.pcap ]

# --- every pair of protocols ---
"$pairs" check "$weir" || fail 'tools/law_pairs'
checks=$((checks + 1))

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
