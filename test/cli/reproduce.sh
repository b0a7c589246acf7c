#!/bin/sh
# test/cli/reproduce.sh - drives `weir reproduce` on an experiment of four hosts: tables, resuming, a sweep that is
# interrupted, a run that fails, names that do not exist.
# usage: reproduce.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
tiny=$PWD/test/cli/tiny # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"
without_gnuplot
TMPDIR=$dir/tmp
export TMPDIR
mkdir "$TMPDIR"

after_run() {
    holds 'no temporary file is left' [ -z "$(ls -A "$TMPDIR")" ]
}

says_not() { # says_not FILE TEXT
    checks=$((checks + 1))
    ! grep -qF -e "$2" "$1" || fail "$called: '$2' in $1"
}

key() { # key EXPRESSION: an expression of the JSON object j in out must be true
    checks=$((checks + 1))
    python3 -c "import json; j = json.load(open('out')); assert $1, j" 2>/dev/null || fail "$called: JSON: $1"
}

runs() { # runs EXPRESSION: of the rows r in a.db: (figure, point, status)
    checks=$((checks + 1))
    python3 -c "
import sqlite3
r = sqlite3.connect('a.db').execute('select figure, point, status from run order by 1, 2').fetchall()
assert $1, r" 2>/dev/null || fail "$called: a.db: $1"
}

goes_on() { # goes_on PID: it may be dead with nobody to ask about it
    grep -qs '^State:[[:space:]]*[^XZ]' "/proc/$1/status"
}

# --- names and options that do not exist ---
run 2 reproduce
says err 'reproduce: '
run 2 reproduce sird/
says err 'an experiment is a folder with an experiment.yaml'
run 2 reproduce sidr
says err "'sird'"
run 2 reproduce ./nowhere
says err './nowhere/experiment.yaml'
run 2 reproduce sird fig99
says err 'fig99: '
says err "'fig9'"
run 2 reproduce "$tiny" --protocol dctpc
says err "'dctcp'"
run 2 reproduce "$tiny" --scal 1
says err "'--scale'"
run 2 reproduce "$tiny" --scale 0
says err '--scale 0: '
run 2 reproduce "$tiny" --measure-scale 11
says err '--measure-scale 11: '
run 2 reproduce "$tiny" --scale abc
says err '--scale abc: '
for jobs in 0 1000 1.5; do
    run 2 reproduce "$tiny" --jobs $jobs
    says err "--jobs $jobs: "
done
run 2 reproduce "$tiny" -o no/such/folder.db
says err 'no/such/folder.db'
run 2 reproduce "$tiny" -o .
says err '.: '
run 2 reproduce "$tiny" --report .
says err '.: '
run 2 reproduce "$tiny" --report no/such/folder.html
run 2 reproduce "$tiny" --report -
says err '--report -: '
echo precious >notes.txt
run 2 reproduce "$tiny" --report notes.txt
says err 'notes.txt: '
holds 'refused before the runs' [ ! -s out ]
run 2 reproduce "$tiny" -o same.html
says err 'same.html: '
called='weir reproduce, TMPDIR that is not there'
TMPDIR=$dir/none "$weir" reproduce "$tiny" >out 2>err
holds 'exit 2' [ $? -eq 2 ]
says err 'no temporary folder can be made'
holds 'nothing was written' [ -z "$(ls ./*.db ./*.html* 2>/dev/null)" ]
run 0 reproduce --help
says out '--fresh'
run 0 reproduce sird fig3
says out 'skipped: of real hosts: weir reproduce sird-testbed'
run 0 reproduce "$tiny" scale
says out 'skipped: nobody has described it'
run 0 reproduce "$tiny" scale --json
key 'j["scale"] == 0.2 and j["figures"]["scale"]["skipped"] == "nobody has described it"'

# --- what runs cost is printed before the first ---
cp -r "$tiny" costly
sed 's/    title: One point/&\n    run_time: 300 s/' "$tiny/experiment.yaml" >costly/experiment.yaml
run 0 reproduce ./costly small -o costly.db
says err 'weir: 1 run, about 1 min 0 s of one core at scale 0.2'
run 0 reproduce ./costly small -o costly.db
says_not err 'of one core'
sed 's/    title: One point/&\n    run_time: 299 s/' "$tiny/experiment.yaml" >costly/experiment.yaml
run 0 reproduce ./costly small -o costly.db --fresh
says_not err 'of one core'
sed 's/    title: One point/&\n    run_time: 299/' "$tiny/experiment.yaml" >costly/experiment.yaml
run 2 reproduce ./costly small
says err 'run_time'
sed 's/^measured: 50%/&\nhop_time: 1 s/' "$tiny/experiment.yaml" >costly/experiment.yaml
run 0 reproduce ./costly small -o costly.db --fresh
says err ' of one core at scale 0.2'
says err ' packet-hops, 1000000000 ns each: as the experiment states it'
rm -r costly costly.db costly.html

# --- an experiment whose published numbers are at fault: nothing is run ---
cp -r "$tiny" faulty
rm faulty/published.csv
run 2 reproduce ./faulty
says err './faulty/experiment.yaml:27:'
says err 'published.csv: '
says_not err 'hint'
sed '/^goodput,large/s/9/nine/' "$tiny/published.csv" >faulty/published.csv
run 2 reproduce ./faulty
says err './faulty/published.csv:4: '
sed 's/traffic\[0\].sizes/traffic[0].sises/' "$tiny/experiment.yaml" >faulty/experiment.yaml
cp "$tiny/published.csv" faulty
run 2 reproduce ./faulty
says err "./faulty/experiment.yaml:13:96: unknown key 'sises'"
sed 's/star.yaml/none.yaml/' "$tiny/experiment.yaml" >faulty/experiment.yaml
run 2 reproduce ./faulty
says err 'none.yaml: '
says_not err 'hint'
echo 'title: {' >faulty/experiment.yaml
run 2 reproduce ./faulty
says err './faulty/experiment.yaml:2:1: '
says_not err 'scenario'
holds 'nothing was written' [ -z "$(ls ./*.db ./*.html* 2>/dev/null)" ]

# --- the sweep ---
run 0 reproduce "$tiny" small -o a.db --scale 1 --report a.html
says err '1/1  small/dctcp-small-10'
holds 'a report' [ -s a.html ]
holds 'the tables are in it' grep -q 'small: One point' a.html
run 1 reproduce "$tiny" -o a.db --scale 1 --check --jobs 2
says out 'not built yet: telepathy'
says out 'no published numbers'
says out 'every feature of the form once'
says out 'OUTSIDE'
says err 'weir: 1 within, 0 within as no effect would be, 1 outside, 8 not checked'
runs '[x[1:] for x in r if x[0] == "main"] == [("dctcp-large-10", "done"), ("dctcp-large-30", "done"), ("dctcp-small-10", "done"), ("dctcp-small-30", "done")]'
cp out first
run 0 reproduce "$tiny" -o a.db --scale 1
says err '4 of 4 runs are in a.db already'
says_not err '1/'
holds 'the same tables from the file' cmp -s out first
run 0 reproduce "$tiny" -o a.db --scale 1 --fresh --jobs 1
says err '4/4'
holds 'the same tables again' cmp -s out first
runs 'len(r) == 5'
run 0 reproduce "$tiny" -o a.db --scale 1 --json
key 'j["scale"] == 1 and j["experiment"] == "tiny" and j["within"] == 1 and j["outside"] == 1 and j["not_checked"] == 8'
key 'j["figures"]["main"]["not_built"] == "telepathy" and j["figures"]["main"]["skipped"] is None'
key 'j["figures"]["main"]["goodput"]["cells"]["dctcp-small"]["verdict"] == "within"'
key 'j["figures"]["main"]["goodput"]["cells"]["dctcp-large"]["verdict"] == "outside"'
key 'all(abs(c["deviation_percent"] - (c["measured"] / c["published"] - 1) * 100) < 0.01 for c in j["figures"]["main"]["goodput"]["cells"].values())'
key 'j["figures"]["main"]["ratio"]["cells"]["dctcp-large"]["deviation_percent"] == 0 and j["figures"]["main"]["ratio"]["cells"]["dctcp-large"]["published_max"] == 3'
key 'j["figures"]["main"]["most"]["cells"]["dctcp"]["measured"] == max(c["measured"] for c in j["figures"]["main"]["goodput"]["cells"].values())'
key 'j["figures"]["main"]["peak"]["comparable"] is True and j["figures"]["main"]["peak"]["cells"]["dctcp-small"]["published"] is None'
run 0 reproduce "$tiny" -o b.db --scale 0.5 --measure-scale 1 --json
key 'j["scale"] == 0.5 and j["measure_scale"] == 1 and j["figures"]["main"]["peak"]["comparable"] is True'
run 0 reproduce "$tiny" -o b.db --scale 0.5 --measure-scale 0.9 --fresh
says out 'scale 0.5, of the measured part 0.9'
says out 'at scale 0.9 of the measured part peaks are not comparable'
rm -f b.db b.html
run 2 reproduce "$tiny" -o a.db
says err 'a.db: 4 runs of these points would be replaced; what is asked for now differs in length'
says err 'hint: -o OTHER.db leaves them alone; --fresh deletes them'
run 0 reproduce "$tiny" -o a.db --scale 1
says err '4 of 4 runs are in a.db already'
run 0 reproduce "$tiny" -o a.db --fresh
says err '4/4'
says out 'not comparable'
says out 'at scale 0.2'
runs 'len(r) == 5'

# --- a reader that goes away costs the tables only ---
called='weir reproduce to a closed pipe'
{ "$weir" reproduce "$tiny" small -o closed.db 2>err; } | true
holds 'the report is there' [ -s closed.html ]
holds 'the result file is whole' [ ! -e closed.db-wal ]

# --- the report shows what the tables do, not all that the file has ---
run 0 reproduce "$tiny" small -o mixed.db --scale 1
run 0 reproduce "$tiny" -o mixed.db
says mixed.html '4 runs'

# --- a protocol that is not built ---
run 0 reproduce "$tiny" --protocol telepathy -o none.db --check
says out 'not built yet: telepathy'
says out 'telepathy is not built'
says_not out 'not run'
holds 'no result file without a run' [ ! -e none.db ]
run 0 reproduce "$tiny" --protocol telepathy -o none.db --json
key 'j["figures"]["main"]["goodput"]["cells"]["telepathy-small"]["not_built"] == "telepathy"'
key 'j["figures"]["main"]["goodput"]["cells"]["telepathy-small"]["measured"] is None'

# --- an experiment of the binary whose scenario names files: credit of a sender that n receivers share ---
run 0 list experiments
says out 'fig4'
run 0 reproduce sird fig4 -o fig4.db --json
key 'len(j["figures"]["fig4"]["held"]["cells"]) == 6 and all(c["runs_done"] == 1 for c in j["figures"]["fig4"]["held"]["cells"].values())'
key 'j["figures"]["fig4"]["held"]["cells"]["1-SThr_0.5_BDP"]["measured"] == 0'
key 'all(0 < j["figures"]["fig4"]["held"]["cells"][n + "-SThr_0.5_BDP"]["measured"] < 108 for n in "23")'
# 23 packets of 9020 B fit a BDP; 18 us at 100 Gb/s = 225 KB of that is on its way
key 'all(abs(j["figures"]["fig4"]["held"]["cells"]["%u-SThr_infinite" % n]["measured"] - (n * 23 * 9.02 - 225)) < 2 for n in (2, 3))'
key 'all(abs(1296 - sum(j["figures"]["fig4"][t]["cells"][c]["measured"] for t in ("held", "in-flight", "left"))) < 0.01 for c in j["figures"]["fig4"]["left"]["cells"])'

# --- numbers of series, reductions, columns, runs side by side: two flows that meet at the first, middle or last hop ---
run 0 reproduce fncc fig13 -o fncc.db --json
key 'len(j["figures"]["fig13"]["queue"]["cells"]) == 81 and all(c["runs_done"] == 1 for c in j["figures"]["fig13"]["queue"]["cells"].values())'
key 'all(j["figures"]["fig13"]["queue"]["cells"]["%s-%s mean" % (t, s)]["measured"] < j["figures"]["fig13"]["queue"]["cells"]["%s-%s mean of 100 us" % (t, s)]["measured"] < j["figures"]["fig13"]["queue"]["cells"]["%s-%s peak" % (t, s)]["measured"] for t in ("first", "middle", "last") for s in ("hpcc", "fncc"))'
key 'abs(j["figures"]["fig13"]["peak-reduction"]["cells"]["last-fncc"]["measured"] - 100 * (1 - j["figures"]["fig13"]["queue"]["cells"]["last-fncc peak"]["measured"] / j["figures"]["fig13"]["queue"]["cells"]["last-hpcc peak"]["measured"])) < 0.002'
key 'all(abs(c["deviation_points"] - (c["measured"] - c["published"])) < 0.002 for c in j["figures"]["fig13"]["peak-reduction"]["cells"].values() if c["published"] is not None)'
key '"last-hpcc" not in j["figures"]["fig13"]["peak-reduction"]["cells"]'
says fncc.html 'Queue of switch 2 &gt; host 8'
says fncc.html 'Rate of flow 1 (h9 - h8)'
run 0 reproduce fncc fig13 -o fncc.db
says err '27 of 27 runs are in fncc.db already'
says out 'mean of 100 us'
says out ' points'

# --- all that was published, from these files ---
run 0 scoreboard a.db fncc.db --json
key 'j["fncc"]["tables"]["fig13 peak-reduction"]["printed"]["published"] == 3 and j["fncc"]["tables"]["fig13 peak-reduction"]["printed"]["not_tried"] == 0'
key 'all(c["published"] == sum(c[k] for k in ("within", "weak", "outside", "not_checked", "not_tried")) for p in j.values() for c in p["counts"].values())'
key 'len({n["id"] for p in ("fncc",) for n in j[p]["numbers"] if n["class"] == "printed"}) == j["fncc"]["counts"]["printed"]["published"]'
key '"arena" not in j' # nobody published it
key 'all(len(run["digest"]) == 16 for run in j["fncc"]["runs"]) and any(run["figure"] == "fig13" for run in j["fncc"]["runs"])'
run 0 scoreboard fncc.db
says out '| fig13/queue/first | fig13 peak-reduction, first-fncc_direct |'
run 2 scoreboard
says err 'no result file was named'
run 2 scoreboard fncc.db fncc.db
says err 'fncc.db: named twice'
run 2 scoreboard none.db
says err 'none.db'
run 2 scoreboard "$tiny/experiment.yaml"
says err 'experiment.yaml'

# --- numbers of jobs and coflows, divided one by one: a chain of flows with weights, writes by their size ---
run 0 reproduce soze critical_path -o soze.db --json
key 'all(0.83 < j["figures"]["critical_path"]["ratio"]["cells"]["weighted-" + a]["measured"] < 0.86 for a in ("ahead", "behind"))'
key 'all(abs(j["figures"]["critical_path"]["ratio"]["cells"]["weighted-" + a]["measured"] - j["figures"]["critical_path"]["times"]["cells"]["weighted-%s chain" % a]["measured"] / j["figures"]["critical_path"]["times"]["cells"]["fair-%s chain" % a]["measured"]) < 1e-5 for a in ("behind", "ahead"))'
run 0 reproduce soze shortest_flow -o soze.db --json --check
key 'j["figures"]["shortest_flow"]["shorter"]["cells"]["weighted"]["verdict"] == "within"'
key 'j["figures"]["shortest_flow"]["times"]["cells"]["weighted least"]["measured"] < j["figures"]["shortest_flow"]["times"]["cells"]["weighted mean"]["measured"] < 1'
# published numbers of one value of a table
run 0 reproduce soze altruistic -o soze.db --json
key 'j["figures"]["altruistic"]["ratio"]["cells"]["first-ahead f3"]["published"] == 0.5 and j["figures"]["altruistic"]["ratio"]["cells"]["first-ahead job 2"]["published"] == 0.75'

# --- a run that fails: the other one is kept ---
run 3 reproduce "$tiny" fail -o a.db
says err 'fail/dctcp-stalls failed: exit status 1'
says err '  weir: the run stalled'
says err '1 run failed'
says out 'not run'
says err 'the same command tries it again'
runs '("fail", "dctcp-small-30", "done") in r and ("fail", "dctcp-stalls", "done") not in r'

run 3 reproduce "$tiny" fail -o a.db --fresh
says err '1 run failed; the same command without --fresh tries it again'
runs '("fail", "dctcp-small-30", "done") in r'
run 3 reproduce "$tiny" fail -o a.db
says err '1 of 2 runs are in a.db already'

# --- interrupted: the line about the short run says that the long one is on ---
called='weir reproduce stop, then SIGINT'
rm a.db
mkfifo progress
# A script's background job ignores SIGINT; the command must not inherit that here.
env --default-signal=INT "$weir" reproduce "$tiny" stop -o a.db --jobs 2 >out 2>progress &
pid=$!
{
    read -r line && kill -s INT "$pid"
    { printf '%s\n' "$line"; cat; } >err
} <progress
wait "$pid"
holds 'exit 130' [ $? -eq 130 ]
says err '1/2  stop/dctcp-small-30'
says err 'interrupted; the same command goes on'
holds 'no temporary file is left' [ -z "$(ls -A "$TMPDIR")" ]
runs '[x[1:] for x in r] == [("dctcp-small-30", "done")]'

# --- killed: the long run ends as well ---
called='weir reproduce stop, then SIGKILL'
"$weir" reproduce "$tiny" stop -o killed.db --jobs 2 >out 2>progress &
pid=$!
{
    read -r line
    child=$(grep -l "^PPid:[[:space:]]*$pid\$" /proc/[0-9]*/status 2>/dev/null | tr -dc '0-9\n')
    kill -s KILL "$pid"
    cat >err
} <progress
wait "$pid" 2>/dev/null
holds 'it had a child' [ -n "$child" ]
tries=0
while goes_on "$child" && [ $tries -lt 20000 ]; do
    tries=$((tries + 1))
done
holds 'it ends too' [ $tries -lt 20000 ]
rm -r "$TMPDIR"/weir-*

# --- each run of SIRD's evaluation can be set up; of a protocol that none of these figures varies none is wanted ---
run 0 reproduce sird fig1 fig2 fig9 fig10 fig11 --protocol expresspass -o sird.db
says out 'no runs'
says_not out 'not built'

# --- interrupted as soon as the files of the binary are laid out, before or in the first run ---
called='weir reproduce sird fig9, then SIGINT'
env --default-signal=INT "$weir" reproduce sird fig9 --jobs 1 -o early.db >out 2>err &
pid=$!
tries=0
while [ -z "$(ls -A "$TMPDIR")" ] && [ $tries -lt 20000 ]; do
    tries=$((tries + 1))
done
kill -s INT "$pid"
wait "$pid"
holds 'exit 130' [ $? -eq 130 ]
holds 'no temporary file is left' [ -z "$(ls -A "$TMPDIR")" ]

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
