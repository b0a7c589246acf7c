#!/bin/sh
# test/cli/allocate.sh - weir allocate: what it prints, writes and refuses. Rates are worked out by hand: two links of 100 Gb/s in a row,
# flow 1 of weight 3 on the first, flows 2 to 4 on both, flows 5 and 6 on the second.
# usage: allocate.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
source=$PWD/experiments/soze # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"

json() { # json EXPRESSION: j is the JSON object in out, r(N) the rate of flow N
    checks=$((checks + 1))
    python3 - "$1" <<'END_OF_PYTHON' || fail "$called: $1"
import json, sys
j = json.load(open("out"))
r = lambda n: j["flow"][str(n)]["rate_gbps"]
near = lambda a, b: abs(a - b) < 1e-6 * b
assert eval(sys.argv[1])
END_OF_PYTHON
}

cat >row.csv <<'END_OF_FILE'
src,dst,bytes,start,weight
0,1,1 MB,0 us,3
0,2,1 MB,0 us,1
0,2,1 MB,0 us,1
0,2,1 MB,0 us,1
1,2,1 MB,0 us,1
1,2,1 MB,5 us,1
END_OF_FILE
cat >row.yaml <<'END_OF_FILE'
name: row
topology: {kind: chain, switches: 3, hosts: 3, host_link: 400 Gbps, core_link: 100 Gbps, host_delay: 1 us, core_delay: 1 us}
protocol: soze
framing: ethernet
traffic: [{kind: flows, file: row.csv}]
run: {warmup: 0 us, measure: all}
END_OF_FILE

# --- table ---
run 0 allocate row.yaml --capacity wire
says out '         1      0      1            3   50.00 Gbps  switch 0 > switch 1'
says out '         2      0      2            1   16.67 Gbps  switch 0 > switch 1'
says out '         6      1      2            1   25.00 Gbps  switch 1 > switch 2'
says out '         4       16.67 Gbps  switch 0 > switch 1'
says out 'flows         6, 150.0 Gbps together'
says out 'min 16.67 Gbps, median 20.83 Gbps, max 50.00 Gbps'
holds 'no time without --timing' sh -c '! grep -q "^time" out'
cp out first
run 0 allocate row.yaml --capacity wire
holds 'the same again' cmp -s out first
run 0 allocate row.yaml --capacity wire --timing
says out 'time          scenario '

# --- JSON ---
run 0 allocate row.yaml --json
json 'near(r(1), 50 * 1460 / 1538) and near(r(2), 50 / 3 * 1460 / 1538) and near(r(6), 25 * 1460 / 1538)'
json 'j["flow"]["1"] == {"src": 0, "dst": 1, "weight": 3, "rate_gbps": r(1), "bottleneck": "switch 0 > switch 1"}'
json 'j["bottleneck"]["switch 1 > switch 2"]["flows"] == 2 and list(j["bottleneck"])[0] == "switch 0 > switch 1"'
json 'j["flows"] == 6 and j["gap"] < 1e-12 and "time_s" not in j and near(j["total_gbps"], 150 * 1460 / 1538)'
run 0 allocate row.yaml --json --at 4us --capacity=wire
json 'sorted(j["flow"]) == ["1", "2", "3", "4", "5"] and near(r(5), 50) and near(r(2), 50 / 3)'
run 0 allocate row.yaml --json --timing
json 'set(j["time_s"]) == {"scenario", "paths", "solve"}'
# acknowledgements of 84 B for 1538 B of data come back over links that nobody sends on: nothing changes
run 0 allocate row.yaml --json --acks counted --capacity wire
json 'near(r(1), 50) and near(r(6), 25) and j["acks"]'

# --- weights that only the law cannot carry: 100 Gb/s to 1 and 0.001 ---
cat >light.csv <<'END_OF_FILE'
src,dst,bytes,start,weight
0,1,1 MB,0 us,1
0,1,1 MB,0 us,0.001
END_OF_FILE
run 0 allocate row.yaml --set 'traffic[0].file=light.csv' --json --capacity wire
json 'abs(r(1) - 100 / 1.001) < 1e-4 and abs(r(2) - 0.1 / 1.001) < 1e-4'
run 0 allocate row.yaml --set 'traffic[0].file=light.csv' --set protocol.name=hpcc --json --capacity wire
json 'abs(r(1) - 100 / 1.001) < 1e-4'
run 2 run row.yaml --set 'traffic[0].file=light.csv'
says err 'min_weight'

# --- CSV ---
run 0 allocate row.yaml --capacity wire --csv all.csv
holds 'a line per flow' [ "$(wc -l <all.csv)" -eq 7 ]
holds 'the header' [ "$(head -n 1 all.csv)" = flow,src,dst,weight,rate_gbps,bottleneck ]
holds 'the first row' [ "$(sed -n 2p all.csv)" = '1,0,1,3,50.000000000,switch 0 > switch 1' ]

# --- changes: two links of 100 Gb/s; flows 1 (weight 3) on the first, 2 to 4 on both, 5 and 6 on the second ---
printf '# numbers are those of --csv\nremove,5\nweight, 1, 1\nadd,1,2,2\n\nremove,7\n' >changes.csv
run 0 allocate row.yaml --capacity wire --changes changes.csv --within 1e-9 --json
json 'j["flows"] == 5 and sorted(j["flow"]) == ["1", "2", "3", "4", "6"] and all(near(r(n), 25) for n in (1, 2, 3, 4, 6))'
json '[(c["kind"], c["flow"], c["flows_changed"]) for c in j["change"]] == [("remove", 5, 2), ("weight", 1, 5), ("add", 7, 6), ("remove", 7, 6)]'
json 'near(j["change"][0]["largest_change"], 0.5) and j["flow"]["1"]["weight"] == 1 and j["gap"] < 1e-8'
json 'len(j["compared"]) == 1 and j["compared"][0]["after"] == 4 and j["compared"][0]["largest_difference"] < 1e-8 and j["within"] == 1e-9'
run 0 allocate row.yaml --capacity wire --changes changes.csv --csv after.csv
says out '         1  remove          5              2             0.5 '
says out '         3     add          7              6             0.5 '
says out 'solved anew   after change 4, in '
holds 'flows that are gone are not listed' [ "$(cut -d , -f 1 after.csv | tr '\n' ' ')" = 'flow 1 2 3 4 6 ' ]
# every 1000 changes, and after the last one
python3 -c 'for i in range(1001): print("weight,%d,%d" % (1 + i % 6, 1 + i % 7))' >many.csv
run 0 allocate row.yaml --changes many.csv --json
json '[c["after"] for c in j["compared"]] == [1000, 1001] and len(j["change"]) == 1001'
json 'all(c["largest_difference"] <= 1e-3 for c in j["compared"]) and j["within"] == 1e-4'
printf 'remove,1\n' >one.csv
run 0 allocate row.yaml --flows 1 --changes one.csv --json
json 'j["flows"] == 0 and j["flow"] == {} and j["compared"][0]["flow"] == 0'
: >none.csv
run 0 allocate row.yaml --changes none.csv --json
json 'j["change"] == [] and j["compared"] == [] and j["flows"] == 6'
# what cannot be: file and line, and nothing is printed
for row in add,0,3,1 add,3,0,1 add,1,1,1 add,0,1,0 add,0,1 add,x,1,1 add,0,1,1,1 remove,7 remove,0 remove,2 weight,1,0 \
    weight,1,1e7 weight,1,-1 weight,7,1 weight,2,1 weight,1 weight,1,2,3 move,1 remove,x; do
    printf 'remove,2\n%s\n' "$row" >changes.csv
    run 2 allocate row.yaml --changes changes.csv
    says err 'changes.csv:2:'
    holds "$row: nothing is printed" [ ! -s out ]
done
run 2 allocate row.yaml --changes missing.csv
says err 'missing.csv'
for within in 0 1e-10 0.02 x 1%; do
    run 2 allocate row.yaml --changes none.csv --within "$within"
    says err "--within $within: "
done
run 2 allocate row.yaml --within 1e-4
says err '--within: '
run 2 allocate row.yaml --changes none.csv --soze
says err '--changes: '
run 2 allocate row.yaml --changes none.csv --acks counted
says err '--acks counted: '
run 2 allocate row.yaml --changes one.csv --csv one.csv
holds 'the changes are still there' grep -q 'remove,1' one.csv

# --- two ways, acknowledgements ---
cat >both.csv <<'END_OF_FILE'
src,dst,bytes,start
0,1,1 MB,0 us
1,0,1 MB,0 us
END_OF_FILE
run 0 allocate row.yaml --set 'traffic[0].file=both.csv' --json --acks counted --capacity wire
json 'near(r(1), 100 / (1 + 84 / 1538)) and near(r(2), r(1))'

# --- other kinds of traffic ---
cat >tree.yaml <<'END_OF_FILE'
name: tree
topology: {kind: fat-tree, k: 4, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us, core_delay: 1 us}
protocol: dctcp
fabric: {routing: spray}
traffic: [{kind: permutation, size: 1 MB}]
run: {warmup: 0 us, measure: all, seed: 1}
END_OF_FILE
run 0 allocate tree.yaml --json --capacity wire
json 'j["flows"] == 16 and all(near(r(n), 100) for n in range(1, 17))'
cat >incast.yaml <<'END_OF_FILE'
topology: {kind: star, hosts: 6, host_link: 100 Gbps, host_delay: 1 us}
protocol: dctcp
traffic: [{kind: incast, fan_in: 5, size: 1 MB, period: 1 ms, stop: 1.5 ms}]
run: {warmup: 0 us, measure: 2 ms}
END_OF_FILE
run 0 allocate incast.yaml --json --capacity wire
json 'j["flows"] == 5 and all(near(r(n), 20) for n in range(1, 6))'
run 0 allocate tree.yaml --flows 1000 --json --set fabric.routing=ecmp
json 'j["flows"] == 1000 and all(1 <= f["weight"] <= 10 and f["src"] != f["dst"] for f in j["flow"].values())'
cp out first
run 0 allocate tree.yaml --flows 1000 --json --set fabric.routing=ecmp --seed 1
holds 'the same seed draws the same flows' cmp -s out first
run 0 allocate tree.yaml --flows 1000 --json --set fabric.routing=ecmp --seed 2
holds 'another seed draws others' sh -c '! cmp -s out first'

# --- constants of Soze ---
cat >poisson.yaml <<'END_OF_FILE'
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
traffic:
  - {kind: poisson, sizes: 10 KB, load: 30%}
run: {warmup: 0 us, measure: 1 ms}
END_OF_FILE
cat >alone.csv <<'END_OF_FILE'
src,dst,bytes,start
0,1,1 MB,0 us
1,2,1 MB,0 us
END_OF_FILE
# flows 1 to 4 share 50, 16.7 x 3; flows 5 and 6 25 each; at first flow 5 has 50 alone
run 0 allocate row.yaml --soze
says out 'solved for 2 instants'
says out '  alpha: 50 Gbps         # highest rate per weight: flow 5 at the start'
says out '  # alpha: 400 Gbps '
says out '  beta: 16.67 Gbps       # lowest rate per weight: flow 1 at the start'
says out '  p: 20 us               # OSDI 2025, section 4'
says out '  # p: 37 us             # OSDI 2025, appendix D'
says out '  # p: 14.28 us          # 13 us ln(alpha / beta)'
says out '  k: 3 us '
grep -v '^protocol: ' row.yaml >pasted.yaml
cat out >>pasted.yaml
run 0 run pasted.yaml --json
grep '"digest"' out >first
run 0 run row.yaml --json
holds 'the section is read where it is pasted' sh -c '[ -s first ] && ! grep -qFf first out'
run 0 allocate row.yaml --soze --at 0us
says out 'solved for 1 instant'
run 0 allocate tree.yaml --flows 100 --soze --set fabric.routing=ecmp
says out "their own host's port"
# all have 20 Gb/s: ln(alpha / beta) would be 0
run 0 allocate incast.yaml --soze
says out '  alpha: 20 Gbps '
says out '  beta: 10 Gbps          # half of alpha'
run 2 allocate row.yaml --set 'traffic[0].file=alone.csv' --set topology.core_link=400Gbps --soze
says err 'no two flows share a full link'
run 2 allocate poisson.yaml --soze
run 2 allocate row.yaml --soze --json
says err '--json'
run 2 allocate row.yaml --soze --csv all.csv
says err '--csv'
run 2 allocate row.yaml --soze --capacity payload
says err 'wire'
run 0 allocate row.yaml --soze --capacity wire

# alpha, beta and p of the networks of figure 19 are what the command prints; the largest networks are left out
checks=$((checks + 1))
python3 - "$weir" "$source" <<'END_OF_PYTHON' || fail 'axis net of experiments/soze/experiment.yaml has other constants'
import re, subprocess, sys
weir, source = sys.argv[1:]
text = open(source + "/experiment.yaml", encoding="utf-8").read()
nets = re.findall(r"\{label: (k\d+_\d+), set: \{(.*)\}\}", text)
assert len(nets) == 10, nets
for label, keys in nets:
    keys = dict(item.split(": ") for item in keys.replace('"', "").split(", "))
    wanted = {key: keys.pop("protocol." + key) for key in ("alpha", "beta", "p")}
    if int(keys["traffic[0].count"]) > 1000:
        continue
    sets = [word for key, value in keys.items() for word in ("--set", key + "=" + value)]
    done = subprocess.run([weir, "allocate", source + "/scale.yaml", "--soze", "--acks", "counted", *sets], capture_output=True, text=True, check=False)
    if label == "k16_10":
        assert done.returncode == 2, done.stdout
        continue
    found = {key: re.search("^  " + key + r": (\S+ \S+)", done.stdout, re.M).group(1) for key in ("alpha", "beta")}
    found["p"] = re.search(r"# p: (\S+ us) +# 13 us ln", done.stdout).group(1)
    assert found == wanted, (label, found, wanted)
END_OF_PYTHON

# --- what is refused, in one sentence ---
run 2 allocate poisson.yaml
says err 'poisson.yaml:4:'
says err 'traffic[0]: '
says err '--flows N'
run 0 allocate poisson.yaml --flows 10
run 2 allocate row.yaml --at 0us --set 'traffic[0].start=3us'
says err 'row.yaml: '
run 2 allocate row.yaml --at 1us --flows 3
says err '--at: '
run 2 allocate row.yaml --flows 0
says err '--flows = 0: '
run 2 allocate row.yaml --seed x
says err '--seed x: '
run 2 allocate row.yaml --set routing
says err '--set routing: '
run 2 allocate row.yaml --capacity all
run 2 allocate row.yaml row.yaml
says err 'row.yaml'
run 2 allocate
says err 'allocate: '
run 2 allocate none.yaml
run 2 allocate row.yaml --csv row.yaml
holds 'the scenario is still there' grep -q 'name: row' row.yaml
run 2 allocate row.yaml --csv no/such/folder.csv
run 0 help allocate
says out 'weir allocate FILE [options]'
run 0 allocate --help
says out '--flows N'

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
