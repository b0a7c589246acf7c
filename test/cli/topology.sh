#!/bin/sh
# test/cli/topology.sh - networks from files: what a run says of them, and what is refused before it.
# usage: topology.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
tree=$PWD # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"

refuse() { # refuse PLACE TEXT ARGS..: exit status 2, one sentence and a hint, nothing on stdout
    place=$1
    text=$2
    shift 2
    run 2 run "$@"
    says err "$place: $text"
    holds 'one sentence' [ "$(grep -cv '^  hint: ' err)" -eq 1 ]
    holds 'a hint' grep -q '^  hint: ' err
    holds 'nothing on stdout' [ ! -s out ]
}

mkdir sub
cat >sub/net.yaml <<'END'
# two racks, joined by two cables of unlike directions
defaults: {rate: 10 Gbps, delay: 1 us}
hosts: [client1..client3, server]
switches: [left, right]
cables:
  - {a: client1..client3, b: left}
  - {a: server, b: right}
  - {a: left, b: right, delay: 20 us, rate_back: 40 Gbps, delay_back: 5 us, parallel: 2}
END
cat >sub/run.yaml <<'END'
topology: {kind: file, file: net.yaml}
protocol: dctcp
traffic:
  - {kind: permutation, size: 1 MB}
run: {warmup: 0 ms, measure: all}
END

# --- what runs ---
run 0 run sub/run.yaml --check
says out 'network     file, 4 hosts at 10.00 Gbps, base RTT '
says out '4 started, 4 completed'
(cd sub && "$weir" run run.yaml) >inside 2>&1 # names start in the scenario's folder
holds 'the same run from elsewhere' sh -c "grep digest out >a; grep digest inside | cmp -s - a"
run 0 run sub/run.yaml --threads 2
holds 'two threads give the same digest' sh -c "grep digest out | cmp -s - a"
run 0 run sub/run.yaml --set fabric.routing=spray
run 0 run sub/run.yaml --set fabric.routing.metric=delay --json
says out '"topology": "file"'
cat >events <<'END'
fabric: {events: [{time: 10 us, cable: "right - left #2", state: down}, {time: 50 us, cable: client2 - left}, {time: 60 us, cable: left - client2, state: up}]}
END
cat sub/run.yaml events >sub/events.yaml
run 0 run sub/events.yaml --check
run 0 run sub/run.yaml -o sub/out.db
run 2 run sub/run.yaml --messages sub/net.yaml
says err 'net.yaml: '
run 0 list topologies
says out 'file        file, format, bdp'
run 0 help file
says out 'a YAML file of hosts, switches and cables'

# --- a kind written as a file is the same network ---
cat >sub/leaves.yaml <<'END'
defaults: {rate: 10 Gbps, delay: 1 us}
hosts: [h0..h7]
switches: [leaf0..leaf3, spine0..spine1]
cables:
  - {a: spine0, b: leaf0..leaf3, rate: 40 Gbps, delay: 2 us}
  - {a: leaf0..leaf3, b: spine1, rate: 40 Gbps, delay: 2 us}
  - {a: h6..h7, b: leaf3}
  - {a: leaf0, b: h0..h1}
  - {a: h2..h3, b: leaf1}
  - {a: h4..h5, b: leaf2}
END
sed 's/{kind: file, file: net.yaml}/{kind: leaf-spine, hosts: 8, racks: 4, spines: 2, host_link: 10 Gbps, core_link: 40 Gbps, host_delay: 1 us, core_delay: 2 us}/' sub/run.yaml >sub/kind.yaml
for routing in ecmp spray; do
    run 0 run sub/kind.yaml --set fabric.routing=$routing
    grep -e digest -e network out | sed 's/leaf-spine/file/' >kind
    run 0 run sub/run.yaml --set topology.file=leaves.yaml --set fabric.routing=$routing
    holds 'the digest of the kind' sh -c 'grep -e digest -e network out | cmp -s - kind'
done

# --- what is refused, and where ---
net() { # net TEXT: the topology file, whose other lines are fine
    printf 'defaults: {rate: 10 Gbps, delay: 1 us}\nhosts: [h0, h1]\nswitches: [s0, s1]\ncables:\n  - {a: h0, b: s0}\n  - {a: h1, b: s1}\n%s\n' "$1" >sub/bad.yaml
}
bad() { # bad LINE:COL TEXT
    refuse "bad.yaml:$1" "$2" sub/run.yaml --set topology.file=bad.yaml
}
net '  - {a: s0, b: s1, rate: 0 Gbps}'
bad 7:26 'rate = 0 Gbps: '
net '  - {a: s0, b: s1, delay: 0}'
bad 7:27 'delay = 0: '
net '  - {a: s0, b: s2}'
bad 7:16 "'s2' "
says err "'s0'"
net '  - {a: s0, b: s1, dealy: 1 us}'
bad 7:20 "unknown key 'dealy'"
net '  - {a: h1, b: s0, parallel: 16}'
bad 7:9 'host h1 has more than 16 cables'
net ''
bad 2:13 'no cables lead from host h0 to host h1'
net '  - {a: s0, b: s1}'
sed 's/\[h0, h1\]/[h0, h1, s1]/' sub/bad.yaml >sub/twice.yaml
refuse 'twice.yaml:3:16' "the name 's1' " sub/run.yaml --set topology.file=twice.yaml
refuse 'sub/run.yaml:1:11' 'cannot open sub/none.yaml' sub/run.yaml --set topology.file=none.yaml
sed 's/, file: net.yaml//' sub/run.yaml >sub/nofile.yaml
refuse 'sub/nofile.yaml:1:11' "topology: " sub/nofile.yaml
cat >sub/long.yaml <<'END'
defaults: {rate: 10 Gbps, delay: 1 us}
hosts: [h0, h1]
switches: [s0..s65]
cables:
  - {a: h0, b: s0}
  - {a: s0..s64, b: s1..s65}
  - {a: s65, b: h1}
END
refuse 'sub/run.yaml:1:11' 'topology: ' sub/run.yaml --set topology.file=long.yaml
echo '  - {a: s0, b: s64, delay: 1 ms}' >>sub/long.yaml
run 0 run sub/run.yaml --set topology.file=long.yaml
refuse 'sub/run.yaml:1:11' 'topology: ' sub/run.yaml --set topology.file=long.yaml --set fabric.routing.metric=delay

# --- a fat-tree by its pods ---
tree() { # tree KEYS
    sed "s/{kind: file, file: net.yaml}/{kind: fat-tree, $1}/" sub/run.yaml >sub/tree.yaml
}
tree 'pods: 2, edges: 3, aggs: 2, uplinks: 1, edge_hosts: 4'
run 0 run sub/tree.yaml
says out 'network     fat-tree, 24 hosts'
refuse '--set' 'k: ' sub/tree.yaml --set topology.k=4
tree 'pods: 2, edges: 3, k: 4'
refuse 'sub/tree.yaml:1:47' 'k: ' sub/tree.yaml
tree 'pods: 2, edges: 3'
refuse 'sub/tree.yaml:1:11' 'pods, edges: ' sub/tree.yaml
run 0 help fat-tree
says out 'edge_hosts'
says out 'oversubscription'

# --- what features ask of a network ---
{
    printf 'defaults: {rate: 100 Gbps, delay: 1 us}\nhosts: [h0..h15]\nswitches: [s0..s15, core]\ncables:\n  - {a: h0..h15, b: s0..s15}\n'
    for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        echo "  - {a: core, b: s$i, rate: 1$i Gbps, rate_back: 25 Gbps}"
    done
} >sub/rates.yaml
refuse 'sub/run.yaml:1:11' 'topology: ' sub/run.yaml --set topology.file=rates.yaml --set protocol=hpcc
sed 's/, rate_back: 25 Gbps//; s/rate: 115 Gbps/rate: 114 Gbps/' sub/rates.yaml >sub/sixteen.yaml
run 0 run sub/run.yaml --set topology.file=sixteen.yaml --set protocol=hpcc

sed 's/{a: server, b: right}/{a: server, b: right, rate_back: 25 Gbps}/' sub/net.yaml >sub/down.yaml
run 0 run sub/run.yaml --set topology.file=down.yaml
refuse 'sub/run.yaml:1:11' 'topology: host server ' sub/run.yaml --set topology.file=down.yaml --set protocol=sird
run 0 run sub/run.yaml --set protocol=sird

# --- pauses that may wait for each other ---
ring() { # ring N: as many switches, a host at each
    printf 'defaults: {rate: 10 Gbps, delay: 1 us}\nhosts: [h1..h%d]\nswitches: [s1..s%d]\ncables:\n' "$1" "$1"
    printf '  - {a: h1..h%d, b: s1..s%d}\n  - {a: s1..s%d, b: s2..s%d}\n  - {a: s%d, b: s1}\n' "$1" "$1" $(($1 - 1)) "$1" "$1"
}
for n in 3 4 5; do
    ring $n >sub/ring$n.yaml
done
cat sub/run.yaml - >sub/pfc.yaml <<'END'
fabric: {pfc: static, buffer: 20 MB}
END
warning='weir: cyclic buffer dependency: PFC may stop these links for good, each waiting for the next: '
run 0 run sub/pfc.yaml --set protocol=timely --set topology.file=ring5.yaml
says err "${warning}s1 > s2, s2 > s3, s3 > s4, s4 > s5, s5 > s1"
holds 'the warning is one line' [ "$(wc -l <err)" -eq 1 ]
says out '5 started, 5 completed'
run 0 run sub/pfc.yaml --set protocol=timely --set topology.file=ring4.yaml --json
says err "${warning}s1 > s2, s2 > s3, s3 > s4, s4 > s1"
holds 'standard output is JSON' python3 -c "import json; json.load(open('out'))"
run 0 run sub/pfc.yaml --set protocol=timely --set topology.file=ring3.yaml
holds 'a ring of three is free of it' [ ! -s err ]
run 0 run sub/pfc.yaml --set protocol=timely --set topology.file=ring5.yaml --set fabric.pfc=off
holds 'no pauses, no warning' [ ! -s err ]
run 0 run sub/pfc.yaml --set protocol=timely --set topology.kind=leaf-spine
holds 'kinds are free of it, and the warning is about the file' [ "$(wc -l <err)" -eq 1 ]
says err 'warning: topology: file has no effect in a network of kind leaf-spine'
for command in topology allocate 'compare --list --protocols timely,dctcp'; do # each once
    # shellcheck disable=SC2086 # one word per argument
    run 0 $command sub/pfc.yaml --set topology.kind=leaf-spine
    holds "$command: one warning" [ "$(grep -c 'warning: topology: file has no effect' err)" -eq 1 ]
done

# --- the examples ---
for file in rpm-equal rpm-50ms rpm-100ms; do
    run 0 run "$tree/examples/networks/rpm.yaml" --set topology.file=$file.yaml
    says out '20 hosts at 10.00 Gbps'
    says out 'timeouts    0'
done
run 0 run "$tree/examples/networks/dart.yaml" --set 'run.measure=1 ms'
says out 'network     fat-tree, 1,024 hosts at 10.00 Gbps, base RTT 19.79 us'

for file in htsim hpcc simai; do
    run 0 run "$tree/examples/files/$file.yaml" --check
    says out '(100.0 % delivered)'
done
run 0 run "$tree/examples/files/htsim.yaml" --set 'traffic[0].kind=jobs' --set 'traffic[0].file=ring.cm' --set 'traffic[0].start_unit=us'
says out 'ring.cm                                     24        24    1.500 us'

# --- other simulators' files, refused: one sentence with file and line ---
cp "$tree"/examples/files/* sub
sed 's/^Nodes 16/Nodes 17/' sub/permutation.cm >sub/more.cm
refuse 'more.cm:1' 'nodes = 17: ' sub/htsim.yaml --set 'traffic[0].file=more.cm'
sed 's/^3->[0-9]*/3->16/' sub/permutation.cm >sub/host.cm
refuse 'host.cm:6:4' 'node 16 ' sub/htsim.yaml --set 'traffic[0].file=host.cm'
refuse 'ring.cm:4:17' 'start = 1.5: ' sub/htsim.yaml --set 'traffic[0].file=ring.cm'
refuse 'ring.cm:12' 'trigger: ' sub/htsim.yaml --set 'traffic[0].file=ring.cm' --set 'traffic[0].start_unit=us'
sed 's/^13 4 /13 3 /' sub/servers.txt >sub/gpus.txt
refuse 'gpus.txt:1:4' '13 nodes without 2 NVSwitches and 3 switches are 8 GPUs: no servers of 3' sub/simai.yaml --set topology.file=gpus.txt
sed 's/^30 /31 /' sub/flows.txt >sub/count.txt
refuse 'count.txt:1:1' 'the file says 31 flows, and has 30' sub/hpcc.yaml --set 'traffic[0].file=count.txt'
head -c 300 sub/flows.txt >sub/cut.txt
refuse 'cut.txt:12:1' '2 columns ' sub/hpcc.yaml --set 'traffic[0].file=cut.txt'
printf '1\n5 4 3 100 1 0\n' >sub/switch.txt
refuse 'switch.txt:2:3' 'node 4 is no host' sub/hpcc.yaml --set 'traffic[0].file=switch.txt'
{ cat sub/flows.txt; printf '\000'; } >sub/nul.txt
run 2 run sub/hpcc.yaml --set 'traffic[0].file=nul.txt'
says err 'nul.txt: not a text file'
head -n 8 sub/racks.txt >sub/few.txt
refuse 'few.txt:1:1' '18 links: ' sub/hpcc.yaml --set topology.file=few.txt
refuse 'sub/hpcc.yaml:5:5' 'start_unit ' sub/hpcc.yaml --set 'traffic[0].start_unit=us'
refuse '--set' "format = htsim2: " sub/hpcc.yaml --set 'traffic[0].format=htsim2'
sed 's/Bundle 2/Queue_Down 5000\nBundle 2/' sub/pods.topo >sub/queues.topo
run 0 run sub/htsim.yaml --set topology.file=queues.topo
says err 'weir: queues.topo: the queue sizes of the file have no effect'

# --- weir topology ---
run 0 topology sub/run.yaml --set topology.file=net.yaml
says out 'network       file, 4 hosts, 2 switches, 6 cables'
says out 'directions of 1 pairs differ: 0 in paths, 0 in links, 1 in delay, 0 in rate'
run 0 topology sub/net.yaml
mv out bare
run 0 topology sub/run.yaml
holds 'a file of a network and its scenario give the same audit' sh -c 'sed 1d out >a; sed 1d bare | cmp -s - a'
run 0 topology sub/racks.txt --json --svg net.svg
holds 'JSON with the ids' python3 -c "
import json
a = json.load(open('out'))
assert a['hosts'] == 12 and a['host_ids'] == list(range(5, 17)) and a['connected'] and a['most_paths']['out']['paths'] == 2
assert [t['cables_up'] for t in a['tiers']] == [6, 0] and a['tiers'][0]['oversubscription'] == 0.5"
holds 'a drawing' python3 -c "
import xml.etree.ElementTree as tree
svg = tree.parse('net.svg').getroot()
assert len(svg.findall('{http://www.w3.org/2000/svg}circle')) == 12"
run 0 topology sub/pods.topo --cables
says out 'agg 0 - core 0 #2'
run 0 topology "$tree/experiments/demo/demo.yaml"
says out 'leaf               9       144        36         0  14.40 Tbps  14.40 Tbps     1.00'
run 0 topology --help
says out 'weir topology FILE'
run 2 topology sub/long.yaml --set fabric.routing.metric=delay
says err 'sub/long.yaml: topology: the path from h0 to h1 '
for bad in '' 'sub/none.yaml' 'sub/net.yaml sub/net.yaml' 'sub/net.yaml --cables --json' 'sub/net.yaml --svg sub/net.yaml' \
    'sub/net.yaml --svg none/net.svg' 'sub/flows.txt' 'sub/bad.yaml --set topology.kind=ring' 'sub/net.yaml --drawing'; do
    # shellcheck disable=SC2086 # words of the command line
    run 2 topology $bad
    holds "one sentence ($bad)" [ "$(grep -cv '^  hint: ' err)" -eq 1 ]
    holds "nothing on stdout ($bad)" [ ! -s out ]
done

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
