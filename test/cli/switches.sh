#!/bin/sh
# test/cli/switches.sh - features by switch from the command line: a list that says the same of all switches changes nothing, RPM on the
# bottleneck alone does all that RPM does, result files have the list, and what is no place is refused (doc/switches.md).
# usage: switches.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

digest() { # digest FILE ARGS..: runs it; digest=
    run 0 run "$@" --check
    digest=$(sed -n 's/^digest *//p' out)
}

of() { # of FABRIC: a network of two tiers with this section fabric, in clos.yaml
    cat >clos.yaml <<END
topology: {kind: leaf-spine, hosts: 8, racks: 4, spines: 2, host_link: 10 Gbps, core_link: 10 Gbps}
protocol: dctcp
fabric: {routing: symmetric, $1}
traffic: [{kind: poisson, sizes: wkb, load: 60%}]
run: {warmup: 0 us, measure: 2 ms}
END
}

# --- what all switches have in the list is what the run has ---
of 'ecn: 20 KB, rpm: {entries: 100}, buffer: 200 KB, alpha: 1'
digest clos.yaml --threads 1
all=$digest
grep '^rpm' out >all.txt
of 'switches: [{at: [leaf, spine], ecn: 90 KB, buffer: 100 KB}, {at: leaf 0..3, ecn: 20 KB, rpm: {entries: 100}, buffer: 200 KB,
  alpha: 1}, {at: [spine 0, spine 1], ecn: 20 KB, rpm: {entries: 100}, buffer: 200 KB, alpha: 1}]'
digest clos.yaml --threads 2
holds 'the same at all switches is the same run' [ "$all" = "$digest" ]
grep '^rpm' out >list.txt
holds 'counters are counted once' cmp -s all.txt list.txt
of 'ecn: 20 KB, rpm: {entries: 100}, buffer: 200 KB, alpha: 1, switches: [{at: spine, rpm: off}]'
digest clos.yaml
holds 'without RPM at the spines it is another' [ "$all" != "$digest" ]

# --- result files, and --set ---
run 0 run clos.yaml --set 'fabric.switches[0].rpm=on' -o r.db
holds 'the item can be set' [ "$(sed -n 's/^digest *//p' out)" = "$all" ]
python3 -c 'import sqlite3; open("stored.yaml", "w").write(sqlite3.connect("r.db").execute("select scenario from run").fetchone()[0])'
says stored.yaml 'at: "spine"'
digest stored.yaml
holds 'the stored scenario is the one that ran' [ "$all" = "$digest" ]

# --- RPM on the bottleneck alone, as in doc/switches.md ---
printf 'src,dst,bytes,start\n0,2,600 MB,0 us\n' >a.csv
printf 'src,dst,bytes,start\n1,3,600 MB,0 us\n' >b.csv
share() { # share FABRIC: digest= and mbps=, what DCTCP gets beside CUBIC
    cat >share.yaml <<END
topology: {kind: dumbbell, hosts: 4, host_link: 40 Gbps, core_link: 10 Gbps, host_delay: 2 us, core_delay: 3 us}
protocol: dctcp
fabric: {ecn: 60 KB$1}
traffic:
  - {kind: flows, file: a.csv}
  - {kind: flows, file: b.csv, protocol: {name: cubic, preset: datacenter}}
run: {warmup: 0 ms, measure: 40 ms}
END
    run 0 run share.yaml --json
    mbps=$(python3 -c 'import json; print(round(4000 * json.load(open("out"))["laws"][0]["goodput_gbps"]))')
    digest=$(python3 -c 'import json; print(json.load(open("out"))["digest"])')
}
share ''
none=$digest
holds "DCTCP gets 7.5 Gb/s, not $mbps Mb/s" [ "$mbps" -ge 7400 ] && holds 'at most 7.7' [ "$mbps" -le 7700 ]
share ', rpm: on'
all=$digest
holds "with RPM 8.1 Gb/s, not $mbps Mb/s" [ "$mbps" -ge 8000 ] && holds 'at most 8.3' [ "$mbps" -le 8300 ]
share ', switches: [{at: switch 0, rpm: on}]'
holds 'RPM on the bottleneck alone is RPM everywhere' [ "$digest" = "$all" ]
share ', switches: [{at: switch 1, rpm: on}]'
holds 'RPM on the other switch does nothing' [ "$digest" = "$none" ]

# --- what is refused or warned of ---
refused() { # refused ITEM TEXT ARGS..
    of "ecn: 20 KB, switches: [$1]"
    text=$2
    shift 2
    run 2 run clos.yaml "$@"
    says err "$text"
}
refused '{at: leaff, rpm: on}' "fabric.switches[0]: no switch is at 'leaff'"
refused '{at: leaf 4, rpm: on}' "fabric.switches[0]: no switch is at 'leaf 4'"
refused '{at: host 3, rpm: on}' "'host 3' is of hosts, and the list is of switches"
refused '{at: leaf, priorities: 2}' 'priorities is the same at all switches'
refused '{at: leaf, pfc: {kind: static}}' 'pfc is the same at all switches: a pause that one switch sends is obeyed by the next'
refused '{at: leaf 2, maxqd: off}' 'leaf 2, on the way from host 4 to host 0, has fabric.maxqd off' --set protocol=soze
of 'ecn: 20 KB, switches: [{at: leaf 2, ecn: off}]'
run 0 run clos.yaml
says err 'protocol dctcp gets no marks of leaf 2, on the way from host 4 to host 0'
run 0 help fabric.switches
says out 'switches that differ from the others'

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
