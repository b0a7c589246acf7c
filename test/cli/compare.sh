#!/bin/sh
# test/cli/compare.sh - drives `weir compare` on four hosts: what is refused, what is run, what a later call finds, and that laws see
# the same traffic.
# usage: compare.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
tools=$PWD/tools # meson runs tests at the top of the tree
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

mkdir net
cat >net/star.yaml <<'END'
name: star
topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}
protocol: {name: dctcp, g: 0.08}
fabric:
  ecn: {threshold: 20 KB}
traffic:
  - {kind: poisson, sizes: 20 KB, load: 40%}
run: {warmup: 20 us, measure: 200 us, seed: 4}
END
both='net/star.yaml --protocols dctcp,sird'

# --- refusals that name their place ---
run 2 compare net/none.yaml --protocols dctcp,sird
says err 'net/none.yaml: '
sed 's/host_delay: 1 us/host_delay: 1 ux/' net/star.yaml >net/bad.yaml
run 2 compare net/bad.yaml --protocols dctcp,sird
says err 'net/bad.yaml:2:'
printf 'protocol: {name: dctcp}\nprotocol: {name: sird}\ntraffic: [{kind: permutation, size: 1 KB}]\n' >net/twice.yaml
run 2 compare net/twice.yaml --protocols dctcp,sird
says err 'net/twice.yaml:2:'
# shellcheck disable=SC2086
{
    run 2 compare $both --seeds 0
    says err '--seeds 0: '
    run 2 compare $both,dctcp
    says err 'dctcp'
    run 2 compare $both --set run.seed=18446744073709551614
    says err 'net/star.yaml:8:'
    run 2 compare $both --set sird:protocol.g=7
    says err '--set'
    says err 'sird'
    run 2 compare $both -o no/such/folder.db
    says err 'no/such/folder.db'
    run 2 compare $both,none
    says err 'none'
    holds 'refused before the runs' [ ! -e star-compare.db ]
}

# --- what differs, and what would be run ---
# shellcheck disable=SC2086
run 0 compare $both --list
says out 'fabric.ecn.threshold   20 KB        1 BDP        1.25 BDP'
says out 'framing.payload        1460 B       1460 B       1458 B'
says out "--set 'fabric.priorities=2'"
says out "--set 'protocol=sird'"
checks=$((checks + 1))
! grep -qF "protocol=dctcp" out || fail "$called: the file's own law is to keep its keys"
holds '--list runs nothing' [ ! -e star-compare.db ]
# a preset that fits the links, unless one is named
# shellcheck disable=SC2086
run 0 compare $both,dcqcn --set 'topology.host_link=25 Gbps' --list
says out "--set 'protocol.preset=paper-25g'"
# shellcheck disable=SC2086
run 2 compare $both,dcqcn --set 'topology.host_link=25 Gbps' --set dcqcn:protocol.preset=paper-40g --list
says err 'link_rate'
# shellcheck disable=SC2086
run 0 compare $both,newreno --list
says out "--set 'protocol.preset=datacenter'"

# --- a comparison, and the same command again ---
# shellcheck disable=SC2086
run 0 compare $both --seeds 3 --jobs 2
says out 'star: 2 laws, seeds 4 to 6'
says out 'p99 slowdown: '
says out 'paired by seed'
cp out first
holds 'the report' [ -s star-compare.html ]
# shellcheck disable=SC2086
run 0 compare $both --seeds 3 --jobs 2
says err '6 of 6 runs are in star-compare.db already'
holds 'the same table' cmp -s out first
# shellcheck disable=SC2086
run 0 compare $both,homa --seeds 3 --json
says err '6 of 9 runs are in star-compare.db already'
key "j['seeds'] == 3 and j['first_seed'] == 4 and not j['same_fabric']
assert j['differs']['fabric.ecn.threshold'] == {'file': '20 KB', 'dctcp': '1 BDP', 'sird': '1.25 BDP', 'homa': '20 KB'}
assert [r['seed'] for r in j['laws']['homa']['runs']] == [4, 5, 6]
assert j['metrics']['slowdown.all.p99']['laws']['sird']['seeds'] == 3
assert len({r['slowdown.all.p99'] for r in j['laws']['sird']['runs']}) == 3, 'each seed has numbers of its own'
assert all(r['done'] for l in j['laws'].values() for r in l['runs'])
assert all(' > ' in r['fullest_port'] and ' > ' in r['fullest_link'] for l in j['laws'].values() for r in l['runs'])
# the mean, computed again from the runs
assert abs(j['metrics']['slowdown.all.p99']['laws']['homa']['mean'] - sum(r['slowdown.all.p99'] for r in j['laws']['homa']['runs']) / 3) < 1e-4"
# shellcheck disable=SC2086
run 2 compare $both --seeds 3 --set dctcp:fabric.ecn.threshold=30KB
says err 'star-compare.db: '

# --- messages that are kept ---
# shellcheck disable=SC2086
{
    run 0 compare $both --seeds 2 -o kept.db
    run 0 compare $both --seeds 2 -o kept.db --keep-messages 20 --json
    says err '4 runs are in kept.db without the messages that --keep-messages asks for: they run again'
    says err 'weir: kept 80 of '
    cp out first
    run 0 compare $both --seeds 2 -o kept.db --keep-messages 20 --json
    says err '4 of 4 runs are in kept.db already'
    run 0 compare $both --seeds 2 -o kept.db --json # what is there stays
    says err '4 of 4 runs are in kept.db already'
    holds 'the same comparison' cmp -s out first
    run 2 compare $both --keep-messages 1000001
    says err '--keep-messages = 1000001: must be 1 to 1000000'
    run 2 compare $both --keep-messages 0
    says err '--keep-messages = 0: must be 1 to 1000000'
    run 2 compare $both --keep-messages many
    says err '--keep-messages = many: not a whole number'
}
checks=$((checks + 1))
python3 - <<'END' || fail "$called: 20 messages of each run, whose weights are those of all"
import json, sqlite3
db = sqlite3.connect("kept.db")
rows = db.execute("SELECT count(*), round(total(message.weight), 6), messages, (SELECT json_extract(json, '$.messages_completed') FROM run WHERE id = message.run)"
                  " FROM message JOIN kept USING (run) GROUP BY run").fetchall()
assert len(rows) == 4 and all(r[0] == 20 and r[1] == r[2] == r[3] > 20 for r in rows), rows
END

# --- jobs and collective operations lead ---
cat >net/ring.yaml <<'END'
topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}
protocol: dctcp
traffic: [{kind: collective, op: all-reduce, algorithm: ring, bytes: 100 KB, steps: 2, straggler: 10%, compute: 10 us}]
run: {warmup: 0 us, measure: all}
END
run 0 compare net/ring.yaml --protocols dctcp,homa --seeds 3 --report ring.html
says out 'algbw    busbw       p50'
says out 'mean bus bandwidth (GB/s): '
says out 'all-reduce#2 '
says ring.html 'Each job'
says ring.html '<th>Mean bus bandwidth</th>'
run 0 compare net/ring.yaml --protocols dctcp,homa --seeds 3 --json
key "list(j['metrics'])[:5] == ['job_completion_us.mean', 'job_completion_us.p99', 'job_completion_us.max', 'algbw_gbytes_s.mean', 'busbw_gbytes_s.mean']
assert [x['name'] for x in j['jobs']] == ['all-reduce#1', 'all-reduce#2'] and j['jobs_left_out'] == 0
# 2 (n - 1) / n of 100 KB, and the mean of the steps is what the comparison has
l = [x['laws']['homa'] for x in j['jobs']]
assert all(abs(x['busbw_gbytes_s']['mean'] / x['algbw_gbytes_s']['mean'] - 1.5) < 1e-4 for x in l)
assert abs(sum(x['completion_us']['mean'] for x in l) / 2 - j['metrics']['job_completion_us.mean']['laws']['homa']['mean']) < 1e-3
assert all(r['job_completion_us.max'] >= r['job_completion_us.mean'] > 0 for r in j['laws']['dctcp']['runs'])"
run 0 compare net/ring.yaml --protocols dctcp,homa --seeds 3 --metrics goodput_gbps
checks=$((checks + 1))
! grep -q 'job us' out || fail "$called: the metrics are those that were asked for"

checks=$((checks + 1))
python3 -c "
import sqlite3
edges = {tuple(l for l in scenario.splitlines() if 'group_' in l)
         for scenario, in sqlite3.connect('star-compare.db').execute('select scenario from run')}
assert len(edges) == 1 and 'auto' not in str(edges), edges" || fail 'size groups have the same edges for all laws'

# --- commands that a shell takes, whatever the file is called ---
cp net/star.yaml "net/it's one.yaml"
run 0 compare "net/it's one.yaml" --protocols dctcp,sird --list
says out "weir run 'net/it'\\''s one.yaml' "
says out "--set 'run.seed=4'"

# --- settings, in the order in which they count ---
# shellcheck disable=SC2086
run 0 compare $both --list --set 'sird:protocol.B=2 BDP' --set 'sird:fabric.ecn.threshold=60 KB'
says out 'set for sird: protocol.B=2 BDP'
holds 'what has a column is not stated again' [ "$(grep -c 'set for' out)" -eq 1 ]
# shellcheck disable=SC2086
run 0 compare $both --seeds 1 --set 'fabric.ecn.threshold=50 KB' --set 'sird:fabric.ecn.threshold=60 KB' -o set.db --json
key "j['differs']['fabric.ecn.threshold'] == {'file': '50 KB', 'dctcp': '50 KB', 'sird': '60 KB'}
assert j['metrics']['slowdown.all.p99']['laws']['sird']['half_width'] is None"
# shellcheck disable=SC2086
run 0 compare $both --seeds 1 --same-fabric --baseline sird -o same.db --json
key "j['baseline'] == 'sird' and all(m['base'] in ('sird', None) for m in j['metrics'].values() if m['better'])
assert 'difference' not in j['metrics']['slowdown.all.p99']['laws']['sird']
assert 'fabric.ecn.threshold' not in j['differs'] and j['same_fabric']"

# --- variants: of the command line and of the file ---
cat net/star.yaml - >net/named.yaml <<'END'
variants:
  slow: {protocol.name: dctcp, protocol.g: 0.02}
  early: {protocol.name: dctcp, fabric.ecn.threshold: 10 KB, protocol.init_cwnd: 5 KB}
END
digest() { # of the run in out
    python3 -c "import json; print(json.load(open('out'))['digest'])"
}
run 0 run net/star.yaml --json
digest >plain
run 0 run net/named.yaml --json
holds 'a run does not use variants' [ "$(digest)" = "$(cat plain)" ]
run 0 run net/star.yaml --set protocol=dctcp --set protocol.g=0.02 --json
digest >plain
run 0 run net/named.yaml --set protocol=slow --json
holds 'a setting runs one' [ "$(digest)" = "$(cat plain)" ]
# shellcheck disable=SC2086
{
    run 2 compare $both,slow=dctcp,slow=sird
    says err 'slow is there twice'
    run 2 compare $both,slow=dctcp --set slow:protocol.gg=1
    says err "unknown key 'gg'"
    says err 'so slow cannot be compared here'
    run 2 compare $both,slwo
    says err 'net/star.yaml has no such variant'
}
run 2 compare net/named.yaml --protocols dctcp,slwo
says err "did you mean 'slow'?"
run 2 compare net/named.yaml --protocols dctcp,siwft
says err "did you mean 'swift'?"
run 2 compare net/named.yaml --protocols dctcp,slow=sird
says err 'net/named.yaml:10:25: '
run 2 compare net/named.yaml --background dctcp --protocols slow
says err 'a variant has no share'
sed 's/protocol.g: 0.02/protocol.gg: 0.02/' net/named.yaml >net/bad.yaml
for command in 'run net/bad.yaml' 'compare net/bad.yaml --protocols dctcp,sird'; do
    # shellcheck disable=SC2086
    run 2 $command
    says err "net/bad.yaml:10:45: unknown key 'gg'"
done
# what no key shows alone is found when the variant is used
sed 's/threshold: 10 KB/kmin: 30 KB, fabric.ecn.kmax: 20 KB/' net/named.yaml >net/bad.yaml
run 0 run net/bad.yaml
run 2 compare net/bad.yaml --protocols dctcp,early
says err 'so early cannot be compared here'
named='net/named.yaml --set fast:protocol.g=0.5 --set slow:protocol.alpha=0.5 --seeds 1 -o named.db'
# shellcheck disable=SC2086
run 0 compare $named --protocols dctcp,slow,fast=dctcp,sird --set slow:protocol.g=0.03
says out 'protocol.name                       dctcp        dctcp        dctcp        sird'
says out 'protocol.g             0.08         0.08         0.03         0.5          0.08'
says out 'protocol.alpha         1            1            0.5          1            -'
checks=$((checks + 1))
! grep -q 'set for' out || fail "$called: what has a line is not stated again"
says named.html 'slow'
# shellcheck disable=SC2086
run 2 compare $named --protocols dctcp,slow,fast=dctcp,sird # another key of one variant
says err 'named.db: 1 run of these points'
# shellcheck disable=SC2086
run 0 compare $named --protocols dctcp,slow,fast=dctcp,sird,early --set slow:protocol.g=0.03 --baseline slow --json
says err '4 of 5 runs are in named.db already'
key "list(j['laws']) == ['dctcp', 'slow', 'fast', 'sird', 'early'] and j['baseline'] == 'slow'
assert [l['protocol'] for l in j['laws'].values()] == ['dctcp', 'dctcp', 'dctcp', 'sird', 'dctcp']
assert j['differs']['protocol.g'] == {'file': '0.08', 'dctcp': '0.08', 'slow': '0.03', 'fast': '0.5', 'sird': '0.08', 'early': '0.08'}
assert j['differs']['fabric.ecn.threshold']['early'] == '10 KB'
assert [s['key'] for s in j['set'] if s['law'] == 'slow'] == ['protocol.g=0.02', 'protocol.alpha=0.5', 'protocol.g=0.03']
assert [s['key'] for s in j['set'] if s['law'] == 'early'] == ['protocol.init_cwnd=5 KB']"
checks=$((checks + 1))
python3 -c "
import sqlite3
rows = sqlite3.connect('named.db').execute('select label, protocol, scenario from run order by label').fetchall()
assert [r[:2] for r in rows] == [('dctcp seed 4', 'dctcp'), ('early seed 4', 'dctcp'), ('fast seed 4', 'dctcp'),
                                 ('sird seed 4', 'sird'), ('slow seed 4', 'dctcp')], rows
assert not any('variants' in r[2] for r in rows)" || fail 'the name of a variant is that of its runs'
# many keys of one variant; the last one counts
set --
for i in $(seq 100 139); do set -- "$@" --set "fast:protocol.g=0.$i"; done
run 0 compare net/star.yaml --protocols dctcp,fast=dctcp "$@" --list
says out 'protocol.g             0.08         0.08         0.139'

# --- numbers in doubt, credit that a gate drops, files that the scenario names ---
printf 'src,dst,bytes,start\n0,1,2000000,0 us\n2,1,2000000,1 us\n' >net/flows.csv
sed "s/{kind: poisson.*}/{kind: flows, file: flows.csv}/" net/star.yaml >net/list.yaml
run 0 compare net/list.yaml --protocols dctcp,expresspass --seeds 1 --json
key "j['laws']['dctcp']['doubtful'] and j['laws']['dctcp']['runs'][0]['doubt']
assert j['metrics']['drops']['laws']['expresspass']['mean'] == 0"
run 0 compare net/list.yaml --protocols dctcp,expresspass --seeds 1
says out 'in doubt'
says out '! dctcp: 1 of 1 runs: '
checks=$((checks + 1))
python3 -c "
import json, sqlite3
j = json.loads(sqlite3.connect('list-compare.db').execute(\"select json from run where protocol = 'expresspass'\").fetchone()[0])
assert j['drops'] > 0" || fail 'ExpressPass: its gates are to have dropped credit'

# --- what settles a table in doubt: a line that is pasted as it is printed ---
pasted() { # runs the line of the advice in out
    line=$(sed -n 's/^    weir //p' out)
    holds 'one line to paste' [ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ]
    eval "run 0 $line"
}
sed 's/warmup: 20 us, measure: 200 us/warmup: 0 us, measure: 60 us/; s/sizes: 20 KB/sizes: 100 KB/' net/star.yaml >"net/it's short.yaml"
set -- "net/it's short.yaml" --protocols dctcp,swift -o short.db --set 'run.stall=90 ms'
run 0 compare "$@" --set 'run.measure=70 us' --seeds 3 --metrics goodput_gbps,slowdown.all.p99
says out '! dctcp: 3 of 3 runs: '
says out 'to settle all 6 runs in doubt (--fresh replaces the runs in the result file):'
says out 'or with --set run.measure=auto '
says out ', in doubt'
holds 'no interval beside a mean in doubt' [ "$(grep -c '+-[0-9]' out)" -eq 0 ]
says short.html '    weir compare '
pasted
checks=$((checks + 1))
! grep -qE '^!|in doubt' out || fail "$called: a run is in doubt"
says out '+-'
says out 'goodput per host (Gbps): no difference between dctcp and swift (paired by seed, 3 seeds)'
run 0 compare "$@" --set 'run.measure=70 us' --seeds 3 --json --fresh
key "(a := j['advice'])['runs'] == 6 and a['hopeless_runs'] == 0 and a['hopeless'] == {} and not a['measure_all']
assert a['measure_s'] > 70e-6 and a['warmup_s'] > 0 and 'run.measure=70' not in a['command']
l = j['metrics']['slowdown.all.p99']['laws']
assert l['dctcp']['half_width'] is None and l['swift']['half_width'] is None and l['swift']['mean'] > 1
d = [x['difference'] for x in l.values() if 'difference' in x]
assert [(x['half_width'], x['exceeds_interval']) for x in d] == [(None, False)]"
run 0 compare net/list.yaml --protocols dctcp,expresspass --seeds 1 --fresh
says out "--set 'run.measure=all' --fresh"
pasted
checks=$((checks + 1))
! grep -q 'in doubt' out || fail "$called: a run is in doubt"
run 0 compare "$@" --set 'traffic[0].load=99%' --seeds 1 --fresh
says out 'no length settles 2 runs (overloaded): dctcp seed 4, swift seed 4'
checks=$((checks + 1))
! grep -q 'to settle' out || fail "$called: no length helps"

# --- the same messages for each law, and the same size groups ---
checks=$((checks + 1))
python3 - "$weir" >traffic 2>&1 <<'END' || fail "traffic: $(cat traffic)"
import csv, shlex, subprocess, sys
weir = sys.argv[1]
text = subprocess.run([weir, "compare", "net/star.yaml", "--protocols", "dctcp,sird,hpcc", "--list"], capture_output=True,
                      text=True, check=True).stdout
seen = []
for command in text.replace("\\\n", " ").splitlines():
    if command.startswith("  weir run"):
        argv = [weir] + shlex.split(command)[1:] + ["--messages", "m.csv"]
        subprocess.run(argv, capture_output=True, check=True)
        seen.append({r["id"]: (r["src"], r["dst"], r["bytes"], r["start_ps"]) for r in csv.DictReader(open("m.csv"))})
assert len(seen) == 3 and len(seen[0]) > 50
for other in seen[1:]:
    both = set(seen[0]) & set(other)
    assert len(both) > 0.9 * len(seen[0]), len(both)
    assert all(seen[0][i] == other[i] for i in both)
END

# --- killed at any point: the same content of the result file (tools/compare_kills kills at random) ---
checks=$((checks + 1))
"$tools/compare_kills" --states "$weir" net/star.yaml --protocols dctcp,sird --seeds 2 --jobs 2 \
    >kills 2>&1 || fail "killed and resumed: $(cat kills)"
checks=$((checks + 1))
"$tools/compare_kills" --states "$weir" net/named.yaml --protocols slow,fast=dctcp --set fast:protocol.g=0.5 --seeds 1 --jobs 2 \
    >kills 2>&1 || fail "variants, killed and resumed: $(cat kills)"

# --- a deployment curve: one law beside another, by its share ---
curve='net/star.yaml --background dctcp --protocols cubic --seeds 1'
# shellcheck disable=SC2086
{
    run 2 compare $curve --share 0,101
    says err '--share'
    run 2 compare net/star.yaml --protocols cubic --share 0..100
    says err '--background'
    run 2 compare $curve --set 'traffic[0].protocol=swift'
    says err 'protocol of their own'
    run 2 compare net/star.yaml --background dctcp --protocols sird
    says err 'so sird cannot be deployed beside dctcp here'
    run 0 compare $curve --share 0,50,100 --json -o curve.db
}
key "j['deployed'] == 'cubic' and j['background'] == 'dctcp' and j['share_by'] == 'messages'"
key "list(j['laws']) == ['0 %', '50 %', '100 %']"
ended="[{n: j['metrics'][n + 'messages_completed']['laws'][s]['mean'] for n in ('cubic.', 'dctcp.', '')} for s in j['laws']]"
key "[e['cubic.'] + e['dctcp.'] == e[''] for e in $ended] == 3 * [True]"
key "(lambda e: e[0]['cubic.'] == e[2]['dctcp.'] == 0 and e[0]['dctcp.'] > e[1]['dctcp.'] > 0 and e[1]['cubic.'] > 0)($ended)"
key "j['metrics']['cubic.slowdown.all.p99']['laws']['50 %']['mean'] >= 1"
# shellcheck disable=SC2086
{
    run 0 compare $curve --share 50 --share-by hosts --set run.seed=5 -o curve.db --list
    says out 'cubic 50 % seed 5'
    says out 'traffic[0].deploy.by=hosts'
}

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
