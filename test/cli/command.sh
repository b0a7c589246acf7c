#!/bin/sh
# test/cli/command.sh - drives the command as people and scripts do: what it prints, what it refuses, how it ends.
# usage: command.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
page=$PWD/doc/scenario.md # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"

silent() { # silent FILE
    checks=$((checks + 1))
    [ ! -s "$1" ] || fail "$called: $1 should be empty: $(head -c 600 "$1")"
}

key() { # key EXPRESSION: an expression of the JSON object j in out must be true
    checks=$((checks + 1))
    python3 -c "import json; j = json.load(open('out')); assert $1, j" 2>/dev/null || fail "$called: JSON: $1"
}

cat >small.yaml <<'END'
name: small "quoted"
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
traffic:
  - {kind: poisson, sizes: 10 KB, load: 30%}
run: {warmup: 1 ms, measure: 2 ms, seed: 1}
END
cat >stall.yaml <<'END'
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
fabric:
  events:
    - {at: 500 us, link: "host 1 - switch 0", action: down}
traffic:
  - {kind: permutation, size: 10 MB}
run: {warmup: 0 ms, measure: all, stall: 5 ms}
END
printf 'name: bad\ntopology: {kind: star, hosts: 4}\nprotocol: dctpc\n' >bad.yaml

# --- usage ---
run 2
says err 'weir run FILE'
silent out
run 0 --help
says out 'weir run FILE'
silent err
run 0 --version
says out 'weir '
says out 'compiler'
says out 'dctcp'
run 2 rum
says err 'rum: '
says err "  hint: "
says err "'run'"
silent out
run 2 run
says err 'run: '
run 2 run small.yaml --tread 2
says err "'--threads'"
run 2 run small.yaml --threads 0
says err '--threads 0: '
run 2 run small.yaml --threads many
run 2 run small.yaml --seed -1
run 2 run small.yaml stall.yaml
run 0 run --help
says out '--messages FILE.csv'

# --- what there is ---
run 0 list protocols
says out 'dctcp'
run 0 list features
run 0 list workloads
says out 'wkc'
run 0 list topologies
says out 'leaf-spine'
run 0 list experiments
says out 'what weir reproduce runs'
says out 'Tables 4 and 5'
holds 'a figure that is skipped says so' grep -q 'fig3 .*skipped: ' out
run 2 list
run 2 list protocol
says err "'protocols'"
run 0 help
says out "weir reproduce PAPER [FIGURE]...     run a paper's"
says out 'weir run FILE'
run 0 help run
says out '--threads'
run 0 help dctcp
says out 'SIGCOMM'
run 0 help scenario
says out 'warmup'
run 0 help --markdown
holds "doc/scenario.md is what weir help --markdown prints" cmp -s out "$page"
run 0 help --markdown metrics
sed -n '/^<!-- metrics: begin/,/^<!-- metrics: end/p' "${page%/*}/results.md" | grep '^|' >page
holds "doc/results.md has what weir help --markdown metrics prints" cmp -s out page
run 2 help --markdown metric
says err 'metric: no such page'
run 0 schema run
says out '"goodput_gbps": {"type": ["number", "null"]'
run 2 schema
says err 'of which command'
run 2 schema ping
says err "no schema of 'ping'"
run 2 schema run run
says err 'one argument too many'
run 0 list metrics
says out 'slowdown.GROUP.mean, .p50'
holds 'numbers of another unit have a line of their own' grep -q '^  intervals.goodput_gbps  *Gbps$' out
run 0 help tor_queue_bytes.max
says out 'unit    bytes'
run 0 help features.pfc.paused_s
says out 'unit    s'
for page in '--man run' '--man scenario' '--completion bash' '--completion zsh' '--completion fish'; do # what is in them: manual.py
    # shellcheck disable=SC2086 # two words
    run 0 help $page
    silent err
done
run 2 help dctpc
says err "'dctcp'"
run 2 help two words

# --- scenarios that are refused ---
run 2 run none.yaml
says err 'none.yaml: '
run 2 run bad.yaml
says err 'bad.yaml:3:'
says err "'dctcp'"
silent out
run 2 run small.yaml --set protocol.gg=1
says err "'g'"
run 2 run small.yaml --sample 5
says err 'unit'
run 2 run small.yaml --threads 6
says err '5 nodes'

# --- settings of SIRD that are refused: one sentence that names the key, nothing on stdout ---
cat >sird.yaml <<'END'
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us, bdp: 100 KB}
protocol: sird
traffic:
  - {kind: poisson, sizes: 10 KB, load: 30%}
run: {warmup: 1 ms, measure: 2 ms, seed: 1}
END
sed 's/sizes: 10 KB, //' sird.yaml >nosizes.yaml

refuse() { # refuse TEXT ARGS..: exit status 2, TEXT in the only line that is no hint
    text=$1
    shift
    run 2 run "$@"
    says err "$text"
    holds 'one sentence' [ "$(grep -cv '^  hint: ' err)" -eq 1 ]
    silent out
}
run 0 run sird.yaml
refuse 'protocol sird: B ' sird.yaml --set 'protocol.B=0.9 BDP'
refuse 'protocol sird: B ' sird.yaml --set 'protocol.B=99999 B'
run 0 run sird.yaml --set 'protocol.B=1 BDP'
for homa in 'overcommit=5' 'cutoffs=2 KB' 'cutoffs=2 KB, 2 KB, 3 KB' 'unsched_max=100 MB' 'window=1000 B' \
    'cutoff_cap=100 MB' 'loss_timeout=5 us'; do
    refuse "protocol homa: ${homa%%=*} " sird.yaml --set protocol.name=homa --set "protocol.$homa"
done
refuse 'protocol homa: unsched_levels ' sird.yaml --set protocol.name=homa --set protocol.priorities=4
refuse 'protocol homa needs 8 priorities' sird.yaml --set protocol.name=homa --set fabric.priorities=7
for ndp in 'window=1000 B' 'window=100 MB' 'loss_timeout=5 us'; do
    refuse "protocol ndp: ${ndp%%=*} " sird.yaml --set protocol.name=ndp --set "protocol.$ndp"
done
refuse 'protocol expresspass: w_min ' sird.yaml --set protocol.name=expresspass --set protocol.w_min=60%
refuse 'protocol expresspass: request_timeout ' sird.yaml --set protocol.name=expresspass --set 'protocol.request_timeout=1 us'
refuse 'the gate for credit and PFC exclude' sird.yaml --set protocol.name=expresspass --set fabric.pfc.kind=static
refuse 'only if routing is symmetric' sird.yaml --set protocol.name=expresspass --set fabric.routing=ecmp \
    --set topology.kind=leaf-spine --set topology.racks=2 --set topology.spines=2 --set 'topology.core_link=10 Gbps' \
    --set 'topology.core_delay=1 us'
refuse 'fabric.credit_gate: protocol sird ' sird.yaml --set fabric.credit_gate=on
refuse 'fabric.credit_gate is off' sird.yaml --set protocol.name=expresspass --set fabric.credit_gate=off
refuse 'at the host' sird.yaml --set protocol.name=expresspass --set host.nic_queue=pull
refuse 'g = 0: ' sird.yaml --set protocol.g=0
refuse 'g = 1.1: ' sird.yaml --set protocol.g=1.1
refuse 'UnschT and unsched_max' sird.yaml --set protocol.UnschT=all --set 'protocol.unsched_max=100 MB'
refuse ': loss_timeout ' sird.yaml --set 'protocol.loss_timeout=5 us'
refuse 'nosizes.yaml:4:5: sizes ' nosizes.yaml

# --- and of Soze ---
sed 's/protocol: sird/protocol: soze/' sird.yaml >soze.yaml
echo 'fabric: {maxqd: {}}' >>soze.yaml
run 0 run soze.yaml
refuse ': alpha ' soze.yaml --set 'protocol.alpha=1 Gbps' --set 'protocol.beta=1 Gbps'
refuse 'alpha = 0 bps: ' soze.yaml --set 'protocol.alpha=0 bps'
refuse ': m ' soze.yaml --set protocol.m=2
refuse 'm = 0: ' soze.yaml --set protocol.m=0
refuse 'pace = 0.99: ' soze.yaml --set protocol.pace=0.99
refuse 'patience = 0.99: ' soze.yaml --set protocol.patience=0.99
refuse ': p ' soze.yaml --set 'protocol.p=500 ns'
run 0 run soze.yaml --set 'protocol.p=500 ns' --set protocol.allow_unstable=true
refuse 'protocol sird' sird.yaml --set fabric.ecn.threshold=off
says err 'ecn: {threshold:'

# --- lossless fabric and telemetry ---
cat >lossless.yaml <<'END'
topology: {kind: star, hosts: 5, host_link: 100 Gbps, host_delay: 1 us}
protocol: {name: dcqcn}
fabric: {priorities: 2, pfc: {kind: static, xoff: 50 KB}}
traffic:
  - {kind: incast, fan_in: 4, size: 200 KB, period: 200 us, stop: 500 us}
run: {warmup: 0 us, measure: all, seed: 1}
END
run 0 run lossless.yaml --check
says out 'pfc         '
says out '            paused '
run 0 run lossless.yaml --check --json
key 'j["drops"] == 0 and j["features"]["pfc"]["resume_frames"] == j["features"]["pfc"]["pause_frames"] > 0 == j["features"]["pfc"]["lossless_drops"]'
key 'j["features"]["pfc"]["paused_longest_port"].startswith("host ") and 0 < j["features"]["pfc"]["paused_share"] < 1 and "fair-rate" not in j["features"]'
lossless=$(python3 -c 'import json; print(json.load(open("out"))["digest"])')
run 0 run lossless.yaml --check --json --threads 2 --pauses pfc.txt
key "j['digest'] == '$lossless'"
key 'sum(1 for l in open("pfc.txt")) == j["features"]["pfc"]["pause_frames_arrived"] + j["features"]["pfc"]["resume_frames_arrived"]'
key 'sum(int(l.split()[4]) for l in open("pfc.txt")) == j["features"]["pfc"]["pause_frames_arrived"]'
key '(lambda t: t == sorted(t))([int(l.split()[0]) for l in open("pfc.txt")])'
run 0 run lossless.yaml --check=general --json
key "j['digest'] == '$lossless'"
run 0 run lossless.yaml --threads 2 --profile --json
key "j['digest'] == '$lossless'"
says err 'balance: '
run 2 run lossless.yaml --check=all
says err '--check=all: must be general, or nothing'
run 2 run lossless.yaml --pauses pfc.txt --set fabric.pfc=off
says err '--pauses: '
run 2 run lossless.yaml --pauses same --messages same
says err 'same: '
run 3 run lossless.yaml --pauses /dev/full
says err '/dev/full: not all could be written'
says out 'digest      '
for law in hpcc fncc timely rocc sird; do
    run 0 run lossless.yaml --check --json --set "protocol.name=$law"
    key 'j["drops"] == 0 and j["messages_completed"] == j["messages_started"] > 0 and j["timeouts"] == 0'
    key "('fair-rate' in j['features']) == ('$law' == 'rocc')"
    run 0 list protocols
    says out "$law"
done
run 0 run lossless.yaml --json --set fabric.pfc=off --set protocol.name=hpcc
key '"pfc" not in j["features"]'
refuse '--set: protocol hpcc ' lossless.yaml --set protocol.name=hpcc --set fabric.int=off
refuse 'routing' lossless.yaml --set protocol.name=fncc --set fabric.routing=ecmp
refuse 'fabric.int' lossless.yaml --set protocol.name=sird --set fabric.int=ack
refuse 'fabric.buffer' lossless.yaml --set 'fabric.buffer=200 KB'

# --- result files that are refused: more of them in results.sh ---
run 0 run sird.yaml -o newer.db
python3 -c 'import sqlite3; sqlite3.connect("newer.db").execute("PRAGMA user_version = 2")'
cp newer.db newer.was
refuse 'newer.db: ' sird.yaml -o newer.db
holds 'the newer file is untouched' cmp -s newer.db newer.was
refuse 'sird.yaml: ' small.yaml -o sird.yaml

# --- a run ---
run 0 run small.yaml --check
says out 'small "quoted"'
says out 'digest      '
says out 'stable      so far'
says out 'messages unfinished, left out of slowdown: a lower bound'
silent err
holds 'at most 100 columns' awk 'length > 100 { wide = 1 } END { exit wide }' out
digest=$(awk '$1 == "digest" { print $2 }' out)
run 0 run small.yaml --json --check
silent err
holds 'valid JSON' sh -c 'python3 -m json.tool <out >/dev/null'
key 'j["scenario"] == "small \"quoted\"" and j["seed"] == 1 and j["threads"] == 1 and j["stable"] is True'
key "j['digest'] == '$digest' and len('$digest') == 16"
key 'all(k in j for k in "version scenario seed threads digest sim_s wall_s packet_hops packet_hops_per_s peak_rss_bytes offered_gbps goodput_gbps stable messages_started messages_completed drops marks retransmissions features tor_queue_bytes port_queue_bytes slowdown slowdown_payload jain goodput_completed_gbps losses timeouts setup_s measured_s unstable_why connections peak_packets_in_flight bytes_per_packet bytes_per_flow messages_measured verdict findings unfinished".split())'
key 'all(set(j[s][g]) == set("count mean p50 p95 p99 p999".split()) for s in ("slowdown", "slowdown_payload") for g in ("all", "A", "B", "C", "D"))'
key 'all(set(j[q]) == {"mean", "p99", "max", "sampled_max"} and j[q]["sampled_max"] <= j[q]["max"] for q in ("tor_queue_bytes", "port_queue_bytes")) and j["statistics"] == "exact"'
key 'j["slowdown"]["A"] == dict(count=0, mean=None, p50=None, p95=None, p99=None, p999=None)'
key 'j["sim_s"] == 0.003 and j["measured_s"] == 0.002 and j["slowdown"]["all"]["count"] == j["messages_measured"]'
key '1 <= j["slowdown"]["all"]["p50"] <= j["slowdown"]["all"]["p99"] and 0 < j["jain"] <= 1'
key 'j["tor_queue_bytes_sampled"] is None and j["port_queue_bytes_sampled"] is None and j["credit_bytes"] is None'
run 0 run small.yaml --json --sample 10us:average
key "j['digest'] == '$digest'"
key 'all(set(j[q + "_sampled"]) == {"mean", "p99", "max"} and 0 < j[q + "_sampled"]["max"] < j[q]["max"] for q in ("tor_queue_bytes", "port_queue_bytes"))'
key 'abs(j["tor_queue_bytes_sampled"]["mean"] - j["tor_queue_bytes"]["mean"]) < 1 + j["tor_queue_bytes"]["mean"] / 20'
run 0 run small.yaml --json --set run.statistics=sampled --links links.csv --check
key "j['digest'] == '$digest' and j['statistics'] == 'sampled'"
key 'all(j[q]["max"] is None and j[q]["sampled_max"] > 0 < j[q]["mean"] for q in ("tor_queue_bytes", "port_queue_bytes"))'
key 'j["fullest_port"] is None and " > " in j["fullest_link"]'
holds 'links have no mean queue then' awk -F, 'NR > 1 && $10 != "" { wrong = 1 } END { exit wrong || NR < 2 }' links.csv
run 2 run small.yaml --set run.statistics=some
run 2 run small.yaml --sample 10us:average --set run.statistics=sampled
says err 'run.sample_average: means between samples are not known with run.statistics: sampled'
run 2 run small.yaml --sample 5:average
says err 'unit'
run 2 run small.yaml --sample 10us:averag
run 0 run small.yaml --json --seed 2
key "j['seed'] == 2 and j['digest'] != '$digest'"
run 0 run small.yaml --json --seed 2 --set run.seed=1 --threads 2
key "j['seed'] == 1 and j['threads'] == 2 and j['digest'] == '$digest'"
run 0 run small.yaml --set 'traffic[0].sizes=100 B' --set 'traffic[0].load=90%'
says out 'stable      no'
says err 'weir: the links from 4 hosts are offered 160 % of their rate, headers included (most: host 0 > switch 0)'
says out 'slowdown (1 = ideal), lower bound'
holds 'numbers of an unstable run are shown' awk '$1 == "all" && $4 > 1 { shown = 1 } END { exit !shown }' out
run 1 run stall.yaml
says err 'stalled'
says out 'stalled'
run 3 run small.yaml --messages /dev/full
says err '/dev/full: not all could be written'
says out 'digest      '
run 3 run small.yaml --messages /dev/full --json -o counted.db --set 'run.measure=20 ms'
says err '/dev/full: not all could be written'
key 'j["messages_completed"] > 1000'
holds 'the result file is whole' python3 -c 'import sqlite3; assert sqlite3.connect("counted.db").execute("SELECT status FROM run").fetchall() == [("done",)]'
run 3 run lossless.yaml --messages whole.csv --pauses /dev/full --set 'traffic[0].stop=20 ms'
says err '/dev/full: not all could be written'
says out 'digest      '
holds 'a full disk takes no file but its own' [ "$(wc -l <whole.csv)" -gt 1 ]
rm whole.csv
run 2 run lossless.yaml --messages whole.csv --pauses pauses.txt --threads 64
holds 'nothing of two files is left' [ -z "$(ls | grep -e whole -e pauses.txt)" ]

# --- what a command reads it does not write ---
printf 'src,dst,bytes,start\n0,1,1 KB,0 us\n' >flows.csv
printf '%s\n' 'topology: {kind: star, hosts: 4}' 'traffic: [{kind: flows, file: flows.csv}]' 'run: {warmup: 0 ms, measure: all}' >listed.yaml
mkdir folder
cp flows.csv listed.yaml folder
run 2 run folder/listed.yaml --messages folder/flows.csv
says err 'folder/flows.csv: '
run 2 allocate folder/listed.yaml --csv folder/flows.csv
says err 'folder/flows.csv: '
holds 'the list is untouched' cmp -s flows.csv folder/flows.csv
run 2 run listed.yaml --messages out
says err 'out: '
: >private.csv
chmod 600 private.csv
run 0 run listed.yaml --messages private.csv
holds 'a file that is replaced keeps its permissions' [ "$(stat -c %a private.csv)" = 600 ]

# --- what the user wrote does not drive the terminal ---
run 2 help "$(printf 'x\033[31my')"
says err 'x\x1b[31my'
run 2 run listed.yaml --set host.rto_min="2 s"
says err '--set: host: rto_min '
run 2 run listed.yaml --set protocol.name=aimd --set protocol.init_cwnd="65536 BDP"
says err 'protocol: init_cwnd = 65536 BDP '
silent out
called='weir run small.yaml >/dev/full'
"$weir" run small.yaml >/dev/full 2>err
holds 'exit 3 when stdout is full' [ $? -eq 3 ]
says err 'standard output'

# --- progress ---
run 0 run small.yaml --progress always --set 'run.measure=30 ms'
says err ' messages'
run 0 run small.yaml --progress never --set 'run.measure=30 ms'
silent err
run 2 run small.yaml --progress often

# --- messages ---
run 0 run small.yaml --messages m.csv --json
key "j['messages_completed'] == sum(1 for _ in open('m.csv')) - 1"
key 'open("m.csv").readline().startswith("id,src,dst,bytes,")'
key "j['digest'] == '$digest'"
holds 'nothing but the file is left' [ "$(echo m.csv*)" = m.csv ]
cp m.csv first.csv
run 0 run small.yaml --messages m.csv --threads 2
holds 'the same messages with two threads' cmp -s m.csv first.csv
cat >calls.yaml <<'END'
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
traffic:
  - {kind: poisson, sizes: 10 KB, load: 20%, reply: 500 B}
  - {kind: poisson, sizes: 3 KB, load: 10%}
run: {warmup: 1 ms, measure: 2 ms, seed: 1}
END
run 0 run calls.yaml --messages calls.csv --json
cat >calls.py <<'END'
import csv
rows = list(csv.DictReader(open("calls.csv")))
calls = [r for r in rows if r["item"] == "0"]
ended = [r for r in calls if r["reply_end_ps"]]
j = __import__("json").load(open("out"))
assert list(rows[0])[-4:] == ["reply_bytes", "reply_start_ps", "reply_end_ps", "call_ps"]
assert j["messages_completed"] == len(rows) + len(ended) and len(calls) > 200
assert len(calls) - 4 * 3 < len(ended) <= len(calls)  # but for those whose replies are on their way
for r in rows:
    assert r["reply_bytes"] == ("500" if r["item"] == "0" else "")
    assert bool(r["reply_end_ps"]) == bool(r["reply_start_ps"]) == bool(r["call_ps"]) and (r in calls or not r["call_ps"])
for r in ended:
    assert r["reply_start_ps"] == r["end_ps"] and int(r["call_ps"]) == int(r["reply_end_ps"]) - int(r["start_ps"])
    assert int(r["reply_end_ps"]) - int(r["reply_start_ps"]) >= 2000000  # two cables
END
holds 'each call has its reply' python3 calls.py
run 0 run calls.yaml --messages more.csv --threads 2
holds 'the same calls with two threads' cmp -s more.csv calls.csv
run 2 run small.yaml --messages no/such/folder.csv
says err 'no/such/folder.csv: '
run 2 run small.yaml --messages .
run 2 run small.yaml --messages small.yaml
says err 'small.yaml: '
holds 'the scenario is untouched' grep -q '^protocol: dctcp' small.yaml
cp m.csv kept.csv
called='weir run small.yaml --messages kept.csv, files of at most 8 KiB'
( # the limit counts blocks of 512 bytes here and of 1 KiB there; either is less than the file wants
    ulimit -f 8
    exec "$weir" run small.yaml --messages kept.csv
) >out 2>err
holds 'exit 3 when a file cannot grow' [ $? -eq 3 ]
says err 'kept.csv: not all could be written'
holds 'no half file, and the old one as it was' cmp -s kept.csv first.csv
holds 'nothing but the file is left' [ "$(echo kept.csv*)" = kept.csv ]

# --- signals: the first progress line says that the run is on ---
interrupt() { # interrupt SIGNAL STATUS
    called="weir run, then SIG$1"
    mkfifo progress
    # A script's background job ignores SIGINT; the command must not inherit that here.
    env --default-signal=INT "$weir" run small.yaml --json --progress always --messages "$1.csv" \
        --set 'run.measure=90000 s' >out 2>progress &
    pid=$!
    {
        read -r _ && kill -s "$1" "$pid"
        cat >err
    } <progress
    wait "$pid"
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$2" ] || fail "$called: exit $got, not $2; $(cat err)"
    says err 'interrupted'
    key 'j["interrupted"] is True and j["messages_completed"] > 0'
    key "j['messages_completed'] == sum(1 for _ in open('$1.csv')) - 1"
    holds 'nothing but the file is left' [ "$(echo "$1".csv*)" = "$1.csv" ]
    rm progress
}
interrupt INT 130
interrupt TERM 143

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
