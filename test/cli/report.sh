#!/bin/sh
# test/cli/report.sh - weir report: where the page goes, what is refused, what is left alone. gnuplot is not needed.
# usage: report.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
sql=$PWD/test/report/sample.sql # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"

make() { # make FILE [SQL]: the sample, changed
    python3 - "$1" "$sql" "${2:-}" <<'END'
import sqlite3, sys
sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read() + sys.argv[3])
END
}

make a.db 'DELETE FROM run WHERE id > 1;'
make b.db
PATH_HERE=$PATH

# --- usage ---
run 0 report --help
says out 'weir report OUT.db'
run 2 report
says err 'which result file?'
run 2 report a.db --hlep
says err "did you mean '--help'?"
run 2 report a.db -o
says err 'the name of a file is missing'

# --- what is no result file ---
run 2 report nowhere.db
says err 'nowhere.db'
says err 'No such file'
echo text >text.db
run 2 report text.db
says err 'text.db: is no result file'
make other.db 'PRAGMA application_id = 7;'
run 2 report other.db
says err 'other.db: is no result file'
make newer.db 'PRAGMA user_version = 2;'
run 2 report newer.db
says err 'newer Weir'
make empty.db 'DELETE FROM run;'
run 2 report empty.db
says err 'empty.db: no runs in it'
run 2 report a.db text.db -o both.html
holds 'no page after a refusal' [ ! -e both.html ]
holds 'no page after a refusal' [ ! -e text.html ]

# --- where the page goes; without gnuplot it has tables ---
mkdir bin
PATH=$dir/bin
export PATH
run 0 report a.db
PATH=$PATH_HERE
says out 'a.html: 1 run, 0 figures'
says err 'no figures: there is no program gnuplot'
says a.html '<!DOCTYPE html>'
says a.html 'No figures: there is no program gnuplot.'
says a.html '</html>'
run 0 report a.db b.db -o page.html
says out 'page.html: 21 runs'
says page.html 'from a.db, b.db.'
cp page.html first.html
run 0 report a.db b.db -o page.html
holds 'the same files give the same page' cmp -s page.html first.html
run 2 report a.db -o nowhere/page.html
says err 'nowhere/page.html'

# --- what is there already ---
cp a.db before.db
run 2 report a.db -o a.db
says err 'a.db: is there and is no HTML page'
holds 'the result file is as it was' cmp -s a.db before.db
echo precious >notes.txt
run 2 report a.db -o notes.txt
says err 'not overwritten'
holds 'a text is as it was' [ "$(cat notes.txt)" = precious ]
: >new.html
run 0 report a.db -o new.html
says new.html '<!DOCTYPE html>'
holds 'nothing is left beside the pages' [ -z "$(ls | grep -e part- -e wal -e shm)" ]

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
