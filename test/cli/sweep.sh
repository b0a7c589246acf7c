#!/bin/sh
# test/cli/sweep.sh - drives `weir sweep`, `merge` and `status` on four hosts: all at once, as shards, killed and resumed, two at one file.
# usage: sweep.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
tiny=$PWD/test/cli/tiny # meson runs tests at the top of the tree
array=$PWD/examples/sweep/slurm.sh
. "$(dirname "$0")/lib.sh"
without_gnuplot
TMPDIR=$dir/tmp
export TMPDIR
mkdir "$TMPDIR"
cp "$tiny/star.yaml" "$tiny/stall.yaml" .

key() { # key EXPRESSION: an expression of the JSON object j in out must be true
    checks=$((checks + 1))
    python3 -c "import json; j = json.load(open('out')); assert $1, j" 2>/dev/null || fail "$called: JSON: $1"
}

# What a file has of its runs, without what differs from time to time.
content() { # content FILE.db
    python3 - "$1" <<'END'
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in db.execute("SELECT experiment, figure, point, label, status, seed, scenario, settings, digest, json, id FROM run ORDER BY 3"):
    j = json.loads(row[9])
    for name in ("wall_s", "setup_s", "packet_hops_per_s", "peak_rss_bytes"):
        del j[name]
    print(row[:9], sorted(j.items()))
    for table in "message", "histogram", "by_size", "job", "coflow", "law", "class", "finding", "failure", "kept":
        print(table, db.execute("SELECT count(*) FROM %s WHERE run = ?" % table, row[10:]).fetchone())
    print(db.execute("SELECT s.name, s.place, count(*), sum(value) FROM point JOIN series s ON s.id = series WHERE s.run = ? "
                     "GROUP BY 1, 2 ORDER BY 1, 2", row[10:]).fetchall())
END
}

cat >net.yaml <<'END'
scenario: star.yaml
seeds: 3
axes:
  - {name: size, set: {"traffic[0].sizes": $}, values: [10 KB, 40 KB]}
  - {name: load, set: {"traffic[0].load": $}, values: [50%]}
END

# --- what is refused, before anything is run ---
run 2 sweep
run 2 sweep none.yaml
says err 'none.yaml: '
run 2 sweep net.yaml lan.yaml
run 2 sweep net.yaml --point 7 -o x.db
says err 'net.yaml: point 7: there are 6'
for points in 0 x 3- 3-2 1,,2 '1,' 12345678901; do
    run 2 sweep net.yaml --point $points -o x.db
    says err "--point $points: "
done
run 2 sweep net.yaml --point 1
says err '-o must say'
run 2 sweep "$tiny/experiment.yaml"
says err 'has figures'
echo 'scenario: star.yaml
seeds: 0' >bad.yaml
run 2 sweep bad.yaml
says err 'bad.yaml:2:8: seeds: 0: '
sed 's/sizes/sises/' net.yaml >bad.yaml
run 2 sweep bad.yaml
says err "bad.yaml:4:44: unknown key 'sises'"
run 2 status
run 2 status none.yaml
run 2 status net.yaml none.db
says err 'none.db: '
run 2 merge
run 2 merge out.db
run 2 merge out.db none.db
says err 'none.db: cannot be read: No such file'
holds 'none is made' [ ! -e none.db ]
run 2 merge out.db net.yaml
says err 'net.yaml: '
holds 'nothing was written' [ -z "$(ls ./*.db ./*.html 2>/dev/null)" ]
for command in sweep merge status; do
    run 0 $command --help
    says out "weir $command"
done

# --- the list ---
run 0 sweep net.yaml --list
says out "2  10_KB-50-2  star.yaml --set 'traffic[0].sizes=10 KB' --set 'traffic[0].load=50%' --set 'run.seed=2'"
holds 'six lines' [ "$(wc -l <out)" -eq 6 ]
cp out list
run 0 sweep net.yaml --list
holds 'the same numbers again' cmp -s out list
run 0 sweep net.yaml --list --json --point 2,5-6
key '[p["number"] for p in j["points"]] == [2, 5, 6] and j["points"][0]["set"][2] == "run.seed=2"'
run 75 status net.yaml
says out 'done        0 in net.db'
says out 'left        --point 1-6'

# --- all at once ---
run 0 sweep net.yaml -o all.db --json
says err '6/6  '
holds 'a report' [ -s all.html ]
key 'len(j["points"]) == 6 and all(p["done"] for p in j["points"])'
key 'j["figures"]["all"]["summary"]["cells"]["10_KB goodput Gbps"]["averaged"] == 3'
# Student's t of two degrees of freedom, from the runs themselves
key 'abs(j["figures"]["all"]["summary"]["cells"]["10_KB p99"]["half_width_95"] / (4.303 * __import__("statistics").stdev([r[0] for r in __import__("sqlite3").connect("all.db").execute("select value from metric join run on run = id where metric.name = ? and point like ?", ("slowdown.all.p99", "10_KB-%"))]) / 3 ** 0.5) - 1) < 1e-5'
content all.db >want
run 0 status net.yaml -o all.db
says out 'done        6 in all.db'

# --- variants of the scenario are values of the protocol ---
cat star.yaml - >named.yaml <<'END'
variants: {slow: {protocol.name: dctcp, protocol.g: 0.02}}
END
echo 'scenario: named.yaml
axes: [{name: law, set: {protocol: $}, values: [dctcp, slow, swift]}]' >laws.yaml
run 0 sweep laws.yaml -o laws.db --json
key '[p["name"] for p in j["points"]] == ["dctcp", "slow", "swift"]'
checks=$((checks + 1))
python3 -c "
import sqlite3
rows = {name: (law, [l.strip() for l in text.splitlines()]) for name, law, text in
        sqlite3.connect('laws.db').execute('select point, protocol, scenario from run')}
assert {n: r[0] for n, r in rows.items()} == {'dctcp': 'dctcp', 'slow': 'dctcp', 'swift': 'swift'}
assert 'g: 0.02' in rows['slow'][1] and 'g: 0.0625' in rows['dctcp'][1] and 'variants:' not in rows['slow'][1]" ||
    fail 'a variant is its protocol and its keys'
run 0 sweep laws.yaml -o laws.db
says err '3 of 3 runs are in laws.db already'
sed 's/slow/slwo/' laws.yaml >bad.yaml
run 2 sweep bad.yaml
says err "bad.yaml:2:36: unknown protocol 'slwo'"
says err "did you mean 'slow'?"

# --- messages that are kept, of shards too ---
for n in 0 1000001; do
    run 2 sweep net.yaml --keep-messages $n
    says err "--keep-messages = $n: must be 1 to 1000000"
done
run 2 sweep net.yaml --keep-messages many
says err '--keep-messages = many: not a whole number'
run 0 sweep net.yaml --point 2-3 -o kept.db --keep-messages 30
says err 'weir: kept 60 of '
run 0 sweep net.yaml --point 4 -o kept4.db --keep-messages 30
run 0 merge kept.db kept4.db
checks=$((checks + 1))
python3 - <<'END' || fail "$called: three runs have 30 messages each, with the weights of all"
import sqlite3
rows = sqlite3.connect("kept.db").execute("SELECT count(*), round(total(m.weight), 6) = messages FROM message m JOIN kept USING (run) GROUP BY run").fetchall()
assert rows == [(30, 1)] * 3, rows
END
rm kept.db kept4.db

# --- jobs: their numbers lead ---
cat >ring.yaml <<'END'
topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}
protocol: dctcp
traffic: [{kind: collective, op: all-reduce, algorithm: ring, bytes: 100 KB, steps: 2}]
run: {warmup: 0 us, measure: all}
END
echo 'scenario: ring.yaml
axes: [{name: protocol, set: {protocol.name: $}, values: [dctcp, homa]}]' >rings.yaml
run 0 sweep rings.yaml
says out 'protocol  job us  job p99 us  job max us  algbw GB/s  busbw GB/s  goodput Gbps'
run 0 sweep rings.yaml --json
key '[x["name"] for x in j["points"][1]["jobs"]] == ["all-reduce#1", "all-reduce#2"] and j["points"][1]["jobs_left_out"] == 0'
key 'all(abs(x["busbw_gbytes_s"] / x["algbw_gbytes_s"] - 1.5) < 1e-4 and x["completion_us"] > 0 for p in j["points"] for x in p["jobs"])'

# --- as an array of jobs would: a shard for each, in any order ---
for task in 4 1 6; do
    run 0 sweep net.yaml --point $task -o shard-$task.db
    holds 'no page of a shard' [ ! -e shard-$task.html ]
done
run 75 status net.yaml shard-1.db shard-4.db shard-6.db
says out 'left        --point 2-3,5'
run 0 sweep net.yaml --point 2-3,5 -o rest.db
run 0 merge net.db shard-1.db shard-4.db rest.db
says out 'net.db: 5 runs added, 0 there already'
run 0 merge net.db shard-4.db shard-6.db
says out 'net.db: 1 run added, 1 there already'
run 0 status net.yaml --json
key 'j["done"] == j["points"] == 6 and j["left"] == ""'
content net.db >got
holds 'the shards are what one command makes' cmp -s want got

# --- a scenario elsewhere, with a file next to it; a result file that has just been made ---
mkdir -p far/net far/sweeps
sed 's/^traffic:/&\n  - {kind: flows, file: list.csv}/' star.yaml >far/net/star.yaml
echo 'src,dst,bytes,start
0,1,20 KB,10 us' >far/net/list.csv
echo 'scenario: ../net/star.yaml
seeds: 1' >far/sweeps/near.yaml
run 0 sweep far/sweeps/near.yaml --point 1 -o near.db
echo "scenario: $dir/far/net/star.yaml
seeds: 1" >near.yaml
run 0 sweep near.yaml --point 1 -o near.db
says err '1 of 1 runs are in near.db already'
: >near.db
run 75 status near.yaml
says out 'done        0 in near.db'

# --- a task that was killed when it had just made its shard ---
: >killed.db
run 75 status net.yaml -o none.db killed.db shard-6.db
says out 'done        1 in none.db and the shards'
run 0 merge two.db killed.db shard-6.db
says out 'two.db: 1 run added, 0 there already'
run 2 status net.yaml -o none.db no-shard.db
says err 'no-shard.db: cannot be read'

# --- the example of a Slurm array: a task whose run is killed asks to be queued again, and not for ever ---
mkdir bin slurm
printf '#!/bin/sh\nexit 75\n' >bin/weir
printf '#!/bin/sh\necho "$@" >>queued\n' >bin/scontrol
chmod +x bin/weir bin/scontrol
slurm() { # slurm RESTARTS: the exit status is the task's
    (cd slurm && PATH=$dir/bin:$PATH SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=3 SLURM_RESTART_COUNT=$1 sh "$array" net.yaml)
}
slurm 4
holds 'the task has its status' [ $? -eq 75 ]
holds 'queued again' grep -qx 'requeue 7_3' slurm/queued
rm -f slurm/queued
slurm 5
holds 'given up' [ ! -e slurm/queued ]

# --- runs that are too short to know are counted, with the reason of the first; the page says so, too ---
echo 'scenario: star.yaml
set: {run.warmup: 0 ms, run.measure: 600 us, "traffic[0].sizes": 300 KB}
seeds: 2' >short.yaml
run 0 sweep short.yaml
says out '! 1 of 2 runs in doubt; 1: '
says out '  1 of 2 in doubt'
holds 'on the page' grep -q '1 of 2 runs in doubt; 1: ' short.html
run 0 sweep short.yaml --json
key '[p["doubt"] is None for p in j["points"]] == [False, True] and "of what was offered arrived" in j["points"][0]["doubt"]'
key 'j["advice"]["runs"] == 1 and j["advice"]["hopeless"] == {}'
sed 's/seeds: 2/&\naxes: [{name: load, set: {"traffic[0].load": $}, values: [50%, 99%]}]/; s/300 KB/30 KB/; s/600 us/60 us/; s/seeds: 2/seeds: 3/' short.yaml >"it's.yaml"
run 0 sweep "it's.yaml" -o its.db --set run.stall=90ms
says out '! 6 of 6 runs in doubt; '
says out 'to settle 3 of 6 runs in doubt (--fresh replaces the runs in the result file):'
says out 'no length settles 3 runs (overloaded): 99-1, 99-2, 99-3'
checks=$((checks + 1))
! grep -q '+-[0-9]' out || fail "$called: no interval beside a mean in doubt"
run 0 sweep "it's.yaml" -o its.db --set run.stall=90ms --json
key 'j["advice"]["hopeless_runs"] == 3 and all(c["half_width_95"] is None for c in j["figures"]["all"]["summary"]["cells"].values())'
run 0 sweep "it's.yaml" -o its.db --set run.stall=90ms
line=$(sed -n 's/^    weir //p' out)
eval "run 0 $line"
says out '! 3 of 6 runs in doubt; 99-1'
says out '  50  '
says out ' +-'
checks=$((checks + 1))
! grep -q 'to settle' out || fail "$called: runs that a length settles are in doubt"
run 75 status "it's.yaml" -o its.db
says out 'other runs  6'
eval "run 0 status $(printf '%s\n' "$line" | sed 's/^sweep //; s/ --fresh//')"
run 2 sweep net.yaml --set run.measure
says err '--set run.measure: must be key=value'
run 2 sweep net.yaml --set run.measur=1ms
says err "--set: unknown key 'measur' in run"
run 0 sweep net.yaml --list --point 1 --set 'run.measure=7 ms'
says out "1  10_KB-50-1  star.yaml --set 'traffic[0].sizes=10 KB' --set 'traffic[0].load=50%' --set 'run.seed=1' --set 'run.measure=7 ms'"

# --- shards of something else ---
sed 's/50%/60%/' net.yaml >lan.yaml
run 0 sweep lan.yaml --point 1 -o lan.db
run 2 merge net.db lan.db
says err 'lan.db: has runs of sweep lan, and net.db of sweep net'
mkdir edited
cp star.yaml edited
sed 's/seeds: 3/&\nset: {run.measure: 500 us}/' net.yaml >edited/net.yaml
run 0 sweep edited/net.yaml --point 1 -o edited.db
run 2 merge net.db shard-6.db edited.db
says err 'edited.db: its run of point 10_KB-50-1 differs from the one in net.db in its settings'
says err '1 of 2 shards were merged'
run 2 merge net.db net.db
content net.db >got
holds 'what was refused left nothing' cmp -s want got

# --- a run that fails is told with its reason, and run again; what makes it fail is mended outside the file ---
cat >fail.yaml <<'END'
axes:
  - {name: net, values: [{label: good, scenario: star.yaml}, {label: stalls, scenario: stall.yaml}]}
END
run 3 sweep fail.yaml
says err 'stalls failed: exit status 1'
run 75 status fail.yaml
says out 'failed      1: 2'
says out '2  stalls failed:'
says out '  weir: the run stalled'
run 75 status fail.yaml --json
key 'j["failed"] == 1 and j["point"][1]["status"] == "failed" and "stalled" in j["point"][1]["reason"]'
run 3 sweep fail.yaml --point 2 -o fail.db
says err '1 run failed'
run 3 sweep fail.yaml --point 2 -o stalls.db
run 0 merge merged.db stalls.db
says out '0 runs added, 0 there already, 1 failed'
run 75 status fail.yaml -o merged.db
says out 'failed      1: 2'

# --- killed twice between runs, and resumed ---
called='weir sweep, then SIGKILL'
mkfifo progress
for runs in 1 2; do
    "$weir" sweep net.yaml -o killed.db --jobs 2 >out 2>progress &
    pid=$!
    {
        while read -r line; do
            case $line in
            *" $runs/"*) kill -s KILL "$pid" ;;
            esac
        done
    } <progress
    wait "$pid" 2>/dev/null
    run 75 status net.yaml -o killed.db
done
run 0 sweep net.yaml -o killed.db
says err 'runs are in killed.db already'
says out '40_KB'
content killed.db >got
holds 'as if it had not been killed' cmp -s want got
rm -rf "$TMPDIR"/weir-*

# --- a point that goes on forever beside one that does not: what others see, and a run that is ended from outside ---
cat >long.yaml <<'END'
scenario: star.yaml
axes:
  - {name: length, set: {run.measure: $}, values: [90000 s, 1 ms]}
END
called='weir sweep with a run that is killed'
"$weir" sweep long.yaml --jobs 2 >out 2>progress &
pid=$!
{
    read -r line
    "$weir" status long.yaml --json >seen
    child=$(grep -l "^PPid:[[:space:]]*$pid\$" /proc/[0-9]*/status 2>/dev/null | tr -dc '0-9\n')
    kill -s KILL "$child"
    { printf '%s\n' "$line"; cat; } >err
} <progress
wait "$pid"
holds 'exit 75: again' [ $? -eq 75 ]
cp seen out
key 'j["running"] == 1 and j["done"] == 1 and j["point"][0]["status"] == "running"'
run 75 status long.yaml
says out 'ended by signal 9'

# --- a second writer ---
cat >hold.py <<'END'
# Has the file until its stdin ends; says so first.
import fcntl, sys
file = open(sys.argv[1], "r+b")
fcntl.flock(file, fcntl.LOCK_EX)
open(sys.argv[2], "w").write("held\n")
sys.stdin.read()
END
mkfifo held release
while_held() { # while_held ARGS..: the command begins while another has net.db, which goes when it says that it waits
    called="weir $* beside another writer"
    "$python" hold.py net.db held <release &
    holder=$!
    exec 9>release
    read -r _ <held
    "$weir" "$@" >out 2>progress 9>&- &
    pid=$!
    {
        read -r line
        exec 9>&-
        { printf '%s\n' "$line"; cat; } >err
    } <progress
    wait "$holder"
    wait "$pid"
    holds 'done' [ $? -eq 0 ]
    says err "net.db: waits up to 60 s for process $holder ("
}
while_held run star.yaml -o net.db
while_held sweep net.yaml --point 1 -o net.db
while_held merge net.db shard-6.db
while_held merge more.db net.db

called='beside another writer, without patience'
"$python" hold.py net.db held <release &
holder=$!
exec 9>release
read -r _ <held
run 75 run star.yaml -o net.db --wait 0
says err 'net.db: another program is writing to it'
run 75 sweep net.yaml --wait '1 ms'
run 75 merge net.db shard-6.db --wait 0
run 75 reproduce "$tiny" small -o net.db --wait 0
run 2 run star.yaml -o net.db --wait soon
called='weir run that waits, then SIGINT'
env --default-signal=INT "$weir" run star.yaml -o net.db --wait '1000 s' >out 2>progress 9>&- &
pid=$!
{
    read -r _
    kill -s INT "$pid"
    cat >err
} <progress
wait "$pid"
holds 'exit 130' [ $? -eq 130 ]
exec 9>&-
wait "$holder"

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
