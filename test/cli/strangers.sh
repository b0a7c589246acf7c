#!/bin/sh
# test/cli/strangers.sh - result files that somebody sent, as every command that opens one meets them, and pipes in place of files.
# usage: strangers.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
tiny=$PWD/test/cli/tiny # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC3045 # every sh that we meet has it
ulimit -t 60 # seconds of CPU: what has no end fails, and does not hang
mkdir bin
PATH_HERE=$PATH
bare() { # bare STATUS ARGS..: run without gnuplot, which takes time
    PATH=$dir/bin
    run "$@"
    PATH=$PATH_HERE
}

refused() { # refused ARGS..: the command refuses $file with one sentence, and leaves it as it is
    cp "$file" before
    bare 2 "$@"
    says err "$file: "
    holds 'one sentence and a hint' [ "$(sed '/^  hint: /d' err | grep -c '')" -eq 1 ]
    holds 'no bytes for the terminal' [ "$(LC_ALL=C grep -c '[^ -~]' err)" -eq 0 ]
    holds 'the file is as it was' cmp -s "$file" before
    holds 'nothing is beside it' [ "$(echo "$file"*)" = "$file" ]
}

cp "$tiny/star.yaml" .
echo 'scenario: star.yaml
axes:
  - {name: load, set: {"traffic[0].load": $}, values: [30%]}' >net.yaml
run 0 run star.yaml -o sound.db
run 0 sweep net.yaml --report /dev/null
cp sound.db other.db
python3 - <<'END' || fail 'the files of strangers'
import shutil, sqlite3
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
BY_HAND = "PRAGMA writable_schema = 1; "
for name, sql in {
    "view": "DROP TABLE metric; CREATE VIEW metric AS %s SELECT 1 AS run, 'x' AS name, i AS value FROM n" % ENDLESS,
    "trigger": "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run WHERE id <> new.id; END",
    "finding": "DROP TABLE finding; CREATE VIEW finding AS %s SELECT 1 AS run, i AS number FROM n" % ENDLESS,
    "run": "ALTER TABLE run RENAME TO was; CREATE VIEW run AS SELECT was.* FROM was, (%s SELECT i FROM n)" % ENDLESS,
    "virtual": BY_HAND + "INSERT INTO sqlite_master VALUES"
               " ('table', 'notes', 'notes', 0, 'CREATE VIRTUAL TABLE notes USING fts5(note)')",
    "computed": "DROP TABLE metric; CREATE TABLE metric (run, name, value AS (length(hex(zeroblob(400000000)))))",
    "check": "DROP TABLE metric; CREATE TABLE metric (run, name, value CHECK (length(hex(zeroblob(400000000))) > 0))",
    "default": "DROP TABLE failure; CREATE TABLE failure (run, reason DEFAULT (abs(-9223372036854775808)))",
    "index": "CREATE INDEX i ON run (abs(-9223372036854775806 - id))",
    "cell": "UPDATE run SET json = zeroblob(70000000)",
    "bytes": BY_HAND + "UPDATE sqlite_master SET sql = CAST(x'435245415445205441424c4520ff1b5b324a2028782c' AS TEXT)"
             " WHERE name = 'metric'",
    "name": "CREATE TRIGGER '\x1b[2J\x9b' AFTER UPDATE ON run BEGIN SELECT 1; END",
    "metric": "DROP TABLE metric",
    "column": "ALTER TABLE run RENAME COLUMN json TO jason",
    # of these nothing runs
    "types": "UPDATE run SET seed = x'00ff', threads = 'many', sim_s = 'long', json = x'7b', name = x'ff1b5b', machine = 7;"
             "UPDATE metric SET value = 'high'",
    "mine": "CREATE VIEW mine AS SELECT * FROM metric; CREATE INDEX by_src ON message (src);"
            "CREATE TABLE notes (run INTEGER, note TEXT DEFAULT 'none'); INSERT INTO notes (run) VALUES (1)",
    "net": "UPDATE run SET status = 'failed'; INSERT INTO failure SELECT id, 'bad ' || char(27) || '[2J' || char(10) || x'ff' FROM run",
}.items():
    if name != "net":
        shutil.copy("sound.db", name + ".db")
    sqlite3.connect(name + ".db").executescript(sql)
END

# --- files that would run, never end or cannot be read ---
for kind in view finding run virtual computed check default index cell bytes name metric column; do
    file=$kind.db
    refused report "$file"
done
file=trigger.db
refused report trigger.db
refused scoreboard trigger.db
refused export trigger.db
refused diff trigger.db other.db
refused diff other.db trigger.db
refused merge trigger.db other.db
refused merge other.db trigger.db
refused run star.yaml -o trigger.db
refused compare star.yaml --protocols dctcp,swift --seeds 1 -o trigger.db
refused sweep net.yaml -o trigger.db
refused status net.yaml trigger.db
file=half.db
head -c 20480 sound.db >half.db
refused report half.db
refused run star.yaml -o half.db

# --- what is wrong, and is data, is shown ---
bare 0 report types.db
says types.html '</html>'
holds 'nothing that is no text' [ "$(LC_ALL=C grep -c "$(printf '\033')" types.html)" -eq 0 ]
run 75 status net.yaml
says out '  bad \x1b[2J'
says out '  \xff'
run 75 status net.yaml --json
holds 'JSON without escape codes' [ "$(LC_ALL=C grep -c "$(printf '\033')" out)" -eq 0 ]

# --- what a user has added is named and left alone ---
named="mine.db: not weir's, and ignored: view mine, index by_src, table notes"
bare 0 report mine.db
says err "$named"
run 0 scoreboard mine.db
says err "$named"
run 0 run star.yaml -o mine.db --label second
says err "$named"
run 0 merge other.db mine.db
says err "$named"
holds 'they are still there' [ "$(python3 -c 'import sqlite3
print(*sqlite3.connect("mine.db").execute("SELECT count(*), max(note), (SELECT count(*) FROM run) FROM notes").fetchone())')" = '1 none 2' ]

# --- pipes that no program writes to, and one to which one does ---
mkfifo pipe
for words in 'run pipe' 'allocate pipe' 'topology pipe' 'sweep pipe' 'status pipe' 'report sound.db --text pipe' 'report pipe' \
    'scoreboard pipe' 'export pipe' 'diff pipe other.db' 'merge pipe sound.db' 'merge other.db pipe' 'run star.yaml -o pipe' 'compare pipe --protocols dctcp,swift' \
    'run star.yaml --set traffic[0].sizes=pipe'; do
    # shellcheck disable=SC2086 # words
    run 2 $words
    says err pipe
done
called='weir run /dev/stdin'
# shellcheck disable=SC2002 # a pipe, not the file
cat star.yaml | "$weir" run /dev/stdin >out 2>err
holds 'exit 0' [ $? -eq 0 ]
says out 'scenario    tiny'

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
