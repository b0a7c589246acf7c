#!/bin/sh
# test/cli/results.sh - weir run -o: what is in the result file, what is refused, what an interrupt or a full disk leaves.
# usage: results.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

db() { # db FILE EXPRESSION: q(SQL) answers rows, one(SQL) a single value; j is the JSON object in out
    checks=$((checks + 1))
    python3 - "$1" "$2" <<'END' || fail "$called: $1: $2"
import json, sqlite3, sys
c = sqlite3.connect(sys.argv[1])
q = lambda sql: c.execute(sql).fetchall()
one = lambda sql: q(sql)[0][0]
try:
    j = json.load(open("out"))
except ValueError:
    j = None
assert eval(sys.argv[2])
END
}

cat >small.yaml <<'END'
name: small
topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}
protocol: dctcp
traffic:
  - {kind: poisson, sizes: 10 KB, load: 30%}
run: {warmup: 1 ms, measure: 2 ms, seed: 1}
END

# --- a new file ---
run 0 --version
says out 'sqlite '
says out 'commit '
run 0 run small.yaml --json
cp out plain
run 0 run small.yaml -o out.db --json
holds 'the same digest with and without -o' \
    [ "$(grep '"digest"' out)" = "$(grep '"digest"' plain)" ]
holds 'nothing beside the file' [ "$(echo out.db*)" = out.db ]
db out.db 'q("PRAGMA application_id") == [(0x57656972,)] and q("PRAGMA user_version") == [(1,)]'
db out.db 'q("SELECT id, name, label, status, protocol, preset, seed, threads FROM run") == [(1, "small", "small", "done", "dctcp", "rfc8257", 1, 1)]'
db out.db 'one("SELECT digest FROM run") == j["digest"] and json.loads(one("SELECT json FROM run")) == j'
db out.db 'one("SELECT count(*) FROM message") == j["messages_completed"] > 100'
db out.db 'dict(q("SELECT name, value FROM metric"))["slowdown.all.p99"] == j["slowdown"]["all"]["p99"]'
db out.db 'dict(q("SELECT name, value FROM metric"))["goodput_gbps"] == j["goodput_gbps"]'
db out.db 'one("SELECT sum(count) FROM histogram WHERE name = \"slowdown\"") == j["messages_measured"]'
db out.db 'one("SELECT sum(count) FROM by_size WHERE denominator = \"payload\"") == j["messages_measured"]'
db out.db 'one("SELECT max(hi) FROM histogram WHERE name = \"slowdown\"") > j["slowdown"]["all"]["p999"]'
db out.db '{n for n, in q("SELECT DISTINCT name FROM histogram")} == {"slowdown", "slowdown_payload", "tor_queue", "port_queue"}'
db out.db 'q("SELECT min(n), max(n) FROM (SELECT count(*) AS n FROM point GROUP BY series)") == [(1000, 1000)]'
db out.db 'one("SELECT count(*) FROM series WHERE name = \"host_goodput\"") == 4'
# bytes that arrived, from the series and from the messages that were delivered: what is on its way makes the difference
db out.db '0 <= one("SELECT sum(value) * 3e-6 * 4e9 / 8 FROM point JOIN series ON series = id WHERE name = \"goodput\"") - one("SELECT sum(bytes) FROM message") < 100000'
db out.db 'abs(one("SELECT avg(value) FROM point JOIN series ON series = id WHERE name = \"host_goodput\"") - one("SELECT avg(value) FROM point JOIN series ON series = id WHERE name = \"goodput\"")) < 1e-6'
python3 -c 'import sqlite3; open("back.yaml", "w").write(sqlite3.connect("out.db").execute("SELECT scenario FROM run").fetchone()[0])'
run 0 run back.yaml --json
holds 'the scenario in the file gives the same run' [ "$(grep '"digest"' out)" = "$(grep '"digest"' plain)" ]

# --- more runs in it ---
run 0 run small.yaml -o out.db --seed 2 --label second --no-messages --series 100us --messages m.csv --json
db out.db 'q("SELECT id, label, settings, status FROM run") == [(1, "small", "", "done"), (2, "second", "run.seed=2", "done")]'
db out.db 'one("SELECT count(*) FROM message WHERE run = 2") == 0'
db out.db 'sum(1 for _ in open("m.csv")) - 1 == j["messages_completed"]'
db out.db 'q("SELECT count(*), min(t_ps), max(t_ps) FROM point JOIN series ON series = id WHERE run = 2 AND name = \"marks\"") == [(30, 100000000, 3000000000)]'
run 0 run small.yaml -o sweep.db --sweep sird/fig6/wka/50
run 0 run small.yaml -o sweep.db --sweep sird/fig6/wka/50 --seed 3
db sweep.db 'q("SELECT experiment, figure, point, label, seed FROM run") == [("sird", "fig6", "wka/50", "wka/50", 3)]'
db sweep.db 'one("SELECT count(*) FROM series WHERE run NOT IN (SELECT id FROM run)") == 0'
run 0 run small.yaml --set run.measure=all --set 'traffic[0].stop=1 ms' -o all.db
db all.db '[t for t, in q("SELECT t_ps FROM point JOIN series ON series = id WHERE name = \"marks\" ORDER BY t_ps")][:50] == [10000000 * i for i in range(1, 51)]'

# --- a sample of the messages ---
run 0 run small.yaml -o kept.db --keep-messages 100
db kept.db 'q("SELECT most, messages, slowest, others FROM kept") == [(100, sqlite3.connect("out.db").execute("SELECT count(*) FROM message WHERE run = 1").fetchone()[0], 50, 50)]'
db kept.db 'q("SELECT count(*), round(total(weight), 6) FROM message") == [(100, one("SELECT messages FROM kept"))]'
db kept.db 'q("SELECT id FROM message WHERE weight = 1 ORDER BY id") == sorted(sqlite3.connect("out.db").execute("SELECT id FROM message WHERE run = 1 ORDER BY (end_ps - start_ps) * 1000000 / ideal_ps DESC, id DESC LIMIT 50").fetchall())'
run 0 export kept.db --table message -o kept.csv
for threads in 2 3; do # any number of threads, and all kinds of ports by one code
    run 0 run small.yaml -o again.db --keep-messages 100 --threads $threads --check=general
    run 0 export again.db --table message -o again.csv
    holds "the same rows on $threads threads" cmp -s kept.csv again.csv
    rm again.db
done
run 0 run small.yaml -o kept.db --keep-messages 1000000
db kept.db 'q("SELECT count(*), min(weight), max(weight) FROM message WHERE run = 2") == [(one("SELECT messages FROM kept WHERE run = 2"), 1, 1)]'
for n in 0 1000001; do
    run 2 run small.yaml -o no.db --keep-messages $n
    says err "--keep-messages = $n: must be 1 to 1000000"
done
for n in many 1.5; do
    run 2 run small.yaml -o no.db --keep-messages $n
    says err "--keep-messages = $n: not a whole number"
done
run 2 run small.yaml -o no.db --keep-messages -1
says err '--keep-messages = -1: must not be negative'
run 2 run small.yaml --keep-messages 10
says err '--keep-messages: is for a result file, and there is no -o'
run 2 run small.yaml -o no.db --keep-messages 10 --no-messages
says err '--keep-messages: is given with --no-messages, which keeps none'
holds 'a run that was refused leaves no file' [ ! -e no.db ]

# --- refusals, all of them before the run ---
run 2 run small.yaml -o no/such/out.db
says err 'no/such/out.db: '
run 2 run small.yaml -o small.yaml
says err 'small.yaml: '
holds 'the scenario is untouched' grep -q '^protocol: dctcp' small.yaml
run 2 run small.yaml -o .
run 2 run small.yaml -o new.db --threads 6
says err '5 nodes'
holds 'a run that was refused leaves no file' [ ! -e new.db ]
run 2 run small.yaml -o out.db --threads 6
db out.db 'one("SELECT count(*) FROM run") == 2'
ln -s out.db link.db
ln out.db hard.db
for name in out.db ./out.db link.db hard.db; do
    run 2 run small.yaml -o out.db --messages "$name"
    says err "$name: "
done
db out.db 'one("SELECT count(*) FROM run") == 2'
run 2 run small.yaml -o new.db --messages ./new.db
says err './new.db: '
holds 'a run that was refused leaves no file' [ ! -e new.db ]
rm link.db hard.db
run 2 run small.yaml -o out.db --messages out.db-wal
says err 'out.db-wal: '
sweep=$(printf '%0600d' 7)
run 2 run small.yaml -o new.db --sweep "$sweep/f/p"
says err '--sweep: '
holds 'a run that was refused leaves no file' [ ! -e new.db ]
run 2 run small.yaml --label x
says err ' -o'
python3 -c 'import sqlite3; c = sqlite3.connect("other.db"); c.execute("CREATE TABLE t (x)"); c.commit()'
run 2 run small.yaml -o other.db
says err 'other.db: '

# --- a run that fails ---
called='weir run small.yaml -o full.db, files of at most 80 KiB'
( # the limit counts blocks of 512 bytes here and of 1 KiB there; either is less than the file wants
    ulimit -f 160
    exec "$weir" run small.yaml -o full.db --set 'run.measure=100 ms'
) >out 2>err </dev/null
holds 'exit 3 when the file cannot grow' [ $? -eq 3 ]
says err 'full.db: cannot be written: File too large'
holds 'no results on stdout' [ ! -s out ]
run 0 run small.yaml -o full.db
db full.db 'q("SELECT status FROM run") == [("failed",), ("done",)]'

# --- tables as CSV and JSON ---
run 0 export full.db
says out '2,"small","small","done"'
run 0 run small.yaml --messages all.csv -o t.db
for table in run message kept metric series histogram by_size job coflow law class finding failure; do
    run 0 export t.db --table $table -o t.csv
    run 0 export t.db --table $table --format json --runs 1
    checks=$((checks + 1))
    python3 - $table <<'END' || fail "$called: CSV, JSON and the file differ"
import csv, json, sqlite3, sys
table, db = sys.argv[1], sqlite3.connect("t.db")
rows, whole = list(csv.DictReader(open("t.csv"))), json.load(open("out"))
assert whole["table"] == table and len(rows) == len(whole["rows"]), (len(rows), len(whole["rows"]))
assert len(rows) == db.execute("SELECT count(*) FROM " + ("point" if table == "series" else table)).fetchone()[0]
for text, row in zip(rows, whole["rows"]):
    for name, value in row.items():
        assert text[name] == "" if value is None else type(value)(text[name]) == value, (name, text[name], value)
if table == "message": # as --messages has them, apart from digits of the slowdown
    other = {r["id"]: r for r in csv.DictReader(open("all.csv"))}
    assert len(other) == len(rows) > 0
    assert all(r[k] == other[r["id"]][k] for r in rows for k in r if k not in ("run", "slowdown", "weight"))
    assert {r["weight"] for r in rows} == {"1"}
    assert all(0 <= float(r["slowdown"]) - float(other[r["id"]]["slowdown"]) < 1e-6 for r in rows)
if table == "metric":
    assert {(r["name"], r["value"]) for r in whole["rows"]} == set(db.execute("SELECT name, value FROM metric"))
if table == "series":
    assert [(r["t_ps"], r["value"]) for r in whole["rows"]] == db.execute("SELECT t_ps, value FROM point ORDER BY series, t_ps").fetchall()
END
done
run 2 export
says err 'export: which result file?'
run 2 export t.db other.db
says err 'export: one result file, not other.db, too'
run 2 export t.db --table mesage
says err "did you mean 'message'?"
run 2 export t.db --format xml
says err '--format xml: no such format'
run 2 export t.db --runs 1,x
says err '--runs 1,x: must be numbers of runs'
run 2 export t.db --runs 1,7 --table metric
says err 't.db: there is no run 7'
run 2 export t.db -o t.db
says err 't.db: is the result file itself'
run 2 export small.yaml
says err 'small.yaml: is no result file'
python3 -c 'import sqlite3; c = sqlite3.connect("t.db"); c.execute("DROP TABLE law"); c.commit()'
run 2 export t.db --table law --format json
holds 'nothing on stdout' [ ! -s out ]
run 2 export t.db --table law -o law.csv
says err 't.db: an older Weir wrote it, without table law'
holds 'no file of an export that failed' [ ! -e law.csv ]

# --- an interrupt: the first progress line says that the run is on ---
called='weir run -o, then SIGINT'
mkfifo progress
env --default-signal=INT "$weir" run small.yaml --json --progress always -o int.db --set 'run.measure=90000 s' \
    --series 1ms >out 2>progress &
pid=$!
{
    read -r _
    called='a second writer beside the first'
    "$weir" run small.yaml -o int.db --wait 0 >out2 2>err2 </dev/null
    [ $? -eq 75 ] || fail "$called: not refused for now"
    grep -q 'int.db: another program is writing to it' err2 || fail "$called: $(cat err2)"
    python3 -c 'import sqlite3; assert sqlite3.connect("int.db").execute("SELECT status FROM run").fetchall() == [("running",)]' ||
        fail 'a reader beside the writer'
    called='weir run -o, then SIGINT'
    kill -s INT "$pid"
    cat >err
} <progress
wait "$pid"
holds 'exit 130' [ $? -eq 130 ]
says err 'interrupted'
db int.db 'q("SELECT status, digest FROM run") == [("interrupted", j["digest"])]'
db int.db 'one("SELECT count(*) FROM message") == j["messages_completed"] > 0'
holds 'nothing beside the file' [ "$(echo int.db*)" = int.db ]

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
