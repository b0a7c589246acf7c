#!/bin/sh
# test/cli/suggestions.sh - whatever is misspelt on a command line or in a file, the nearest name is proposed.
# usage: suggestions.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

cat >s.yaml <<'END'
topology: {kind: star, hosts: 4}
protocol: dctcp
traffic: [{kind: poisson, sizes: wka, load: 40%}]
END
cat >jobs.yaml <<'END'
jobs:
  - name: a
    flows: [{name: first, from: 0, to: 1, size: 1 KB}, {name: y, from: 1, to: 2, size: 1 KB, aftr: first}]
END
cat >graph.yaml <<'END'
topology: {kind: star, hosts: 4}
traffic: [{kind: jobs, file: jobs.yaml}]
END
cat >sweep.yaml <<'END'
scenario: s.yaml
seeds: 1
axes: [{name: load, set: {"traffic[0].laod": $}, values: [50%]}]
END
echo '{sceanrio: s.yaml}' >keys.yaml

# proposed WORD ARGS..: the command is refused, and proposes WORD
proposed() {
    word=$1
    shift
    run 2 "$@"
    says err "did you mean '$word'?"
}

# sections, keys and nested keys
while read -r word setting; do
    proposed "$word" run s.yaml --set "$setting"
done <<'END'
topology topolgy.kind=star
traffic trafic[0].load=10%
load traffic[0].laod=10%
hosts topology.hots=8
measure run.mesure=1ms
nic_queue host.nic_que=pull
ecn fabric.enc.threshold=30KB
threshold fabric.ecn.treshold=30KB
resume_offset fabric.pfc.resume_ofset=3KB
g protocol.gg=0.1
END

# values: choices of any key, names of protocols, presets, features and distributions
while read -r word setting; do
    proposed "$word" run s.yaml --set "$setting"
done <<'END'
leaf-spine topology.kind=leafspine
poisson traffic[0].kind=poison
websearch traffic[0].sizes=websaerch
linear traffic[0].interpolate=linaer
spray fabric.routing=sprya
dynamic fabric.pfc=dinamic
pull host.nic_queue=pul
allocation run.start=alocation
dctcp protocol=dctpc
sigcomm2010 protocol.preset=sigcom10
ethernet framing=ethrenet
END
proposed critical-path run graph.yaml --set 'traffic[0].policy=critcal-path'
proposed after run graph.yaml
proposed load sweep sweep.yaml
proposed scenario sweep keys.yaml

# commands, options, their values, and what they name
while read -r word args; do
    # shellcheck disable=SC2086 # one word per argument
    proposed "$word" $args
done <<'END'
run rnu s.yaml
--threads run s.yaml --thread 2
always run s.yaml --progress allways
sird compare s.yaml --protocols dctcp,sirrd
sird compare s.yaml --protocols dctcp,sird --baseline sirrd
sird compare s.yaml --protocols dctcp,sird --set srid:host.nic_queue=pull
fncc reproduce fnc
tables reproduce sird tabels
sird reproduce sird --protocol sirrd
fig3 reproduce sird-testbed fig33
counted allocate s.yaml --acks cuonted
--cables topology s.yaml --cabels
--only report s.db --onyl a=b
features list fetures
fabric help fabrik
codel help codle
websearch load 127.0.0.1:1 --sizes websaerch
tcp ping 127.0.0.1:1 --transport tpc
sird ping 127.0.0.1:1 --cc srid
rpm model rmp
END
proposed 'host 3' run s.yaml --pcap x.pcapng --pcap-at 'hots 3'

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
