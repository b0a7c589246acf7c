#!/bin/sh
# test/cli/old.sh - result files and names of Weir 0.2.0 are still understood: read, reported, merged, asked for.
# test/cli/old/0.2.0.sql is the dump of a file that 0.2.0 wrote: a run of its own, and one of `weir compare`.
# usage: old.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
old=$PWD/test/cli/old/0.2.0.sql tiny=$PWD/test/cli/tiny # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"

python3 -c 'import sqlite3, sys; sqlite3.connect("old.db").executescript(open(sys.argv[1]).read())' "$old"
cp "$tiny/star.yaml" .

# The page has the numbers; where a number's row is not in the file, it says so.
run 0 report old.db -o old.html
says old.html '<th>p99 slowdown</th>'
holds 'nothing is lacking' sh -c '! grep -q "no number" old.html'
python3 -c 'import sqlite3; c = sqlite3.connect("old.db"); c.execute("DELETE FROM metric WHERE name = '"'marks'"'"); c.commit()'
run 0 report old.db -o old.html
says old.html '1 run here has no number <code>marks</code>: the file was written by Weir 0.2.0'


# A run of today without a measured part has a null in the place of its queues: nothing is lacking.
sed -e 's/kind: poisson, sizes: 10 KB, load: 30%/kind: permutation, size: 10 KB/' -e '/^run:/s/.*/run: {warmup: 10 ms, measure: all}/' \
    star.yaml >null.yaml
run 0 run null.yaml -o null.db
run 0 report null.db -o null.html
holds 'no number of today is lacking' sh -c '! grep -q "no number" null.html'

# Its messages stand for themselves, whether the file has weights yet or not.
python3 -c 'import sqlite3; c = sqlite3.connect("old.db"); c.execute("INSERT INTO message VALUES (1, 7, 0, 1, 0, 1000, 5, 9, 2, 1, 0, 0, 1 << 40)"); c.commit()'
run 0 export old.db --table message
says out ',7,0,1,1000,5,9,2,1,2,0,0,0,1'
run 2 export old.db --table kept
says err 'old.db: an older Weir wrote it, without table kept'

# Its runs go into another file, and runs of today into it.
run 0 run star.yaml --set 'run.measure=20 us' -o new.db
run 0 merge new.db old.db
run 0 run star.yaml --set 'run.measure=20 us' -o old.db
checks=$((checks + 1))
python3 - <<'END' || fail 'three runs are in each file'
import sqlite3
assert all(sqlite3.connect(f).execute("SELECT count(*) FROM run").fetchone() == (3,) for f in ("new.db", "old.db"))
END
run 0 export old.db --table message
says out ',7,0,1,1000,5,9,2,1,2,0,0,0,1'
run 0 export old.db --table kept
run 0 report new.db -o new.html --only 'protocol=dctcp'
run 0 scoreboard old.db

# Names of 0.2.0: of `weir compare --json`, and of values of experiments.
for name in p50 p99 p99_A p99_B p99_C p99_D goodput tor_p99 tor_max pauses unfinished; do
    run 0 help "$name"
done
run 0 compare star.yaml --protocols dctcp,sird --seeds 1 --metrics p99,goodput,tor_max,unfinished -o c.db --report c.html --json
says out '"slowdown.all.p99": {"title"'
says out '"unfinished.messages": {"title"'
printf 'scenario: star.yaml\nseeds: 1\naxes: [{name: size, set: {"traffic[0].sizes": $}, values: [10 KB]}]\n%s\n' \
    'tables: [{name: t, title: T, values: {left: unfinished, p99: {path: slowdown.all.p99}}, columns: true}]' >sweep.yaml
run 0 sweep sweep.yaml -o s.db --report s.html
says out 'left'
holds 'both numbers are there' sh -c '! grep -q " - " out'

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
