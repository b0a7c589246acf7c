#!/bin/sh
# test/cli/arena.sh - `weir reproduce arena` runs its cheapest benchmark, and tools/arena_matrix makes the right matrix: of these runs, and of a
# small JSON in which each mark is known by hand.
# usage: arena.sh BINARY
# shellcheck source=test/cli/lib.sh disable=SC2016 # backquotes are of Markdown
set -u
tool=$PWD/tools/arena_matrix
. "$(dirname "$0")/lib.sh"
without_gnuplot

# matrix STATUS ARGS..: runs the tool, with stdout in out and stderr in err
matrix() {
    want=$1
    shift
    called="tools/arena_matrix $*"
    "$tool" "$@" >out 2>err
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$want" ] || fail "$called: exit $got, not $want; stderr: $(cat err)"
}

row() { # row TEXT: a whole line of the matrix
    checks=$((checks + 1))
    grep -qxF -e "$1" out || fail "$called: no row '$1' in $(cat out)"
}

# --- six runs of the cheapest benchmark ---
run 2 reproduce arena sirt
says err "'sird'"
run 0 reproduce arena rpm --scale 0.001 --protocol soze --protocol dart --json
mv out rpm.json
holds 'each mean has three numbers' python3 -c '
import json
for table in ("jain", "goodput", "queue"):
    cells = json.load(open("rpm.json"))["figures"]["rpm"][table]["cells"]
    assert set(cells) == {"soze", "phantom", "dart"}, cells
    for cell in cells.values():
        assert len(cell["numbers"]) == 3 and abs(sum(cell["numbers"]) / 3 / cell["measured"] - 1) < 1e-4, cell'
matrix 0 rpm.json
says out '| benchmark | metric | Dart |'
says out '| RPM, 40 to 120 us | goodput, Gb/s | '
says out '`weir reproduce arena --scale 0.001`'

# --- a JSON by hand ---
python3 - <<'PY'
import json
def cell(*numbers):
    known = [x for x in numbers if x is not None]
    return {"measured": sum(known) / len(known) if known else None, "numbers": list(numbers)} if known else {"measured": None}
def table(**cells):
    return {"cells": {key.replace("__", " ").replace("_of_", "-"): cell(*numbers) for key, numbers in cells.items()}}
figures = {
    "sird": {
        "slowdown-wkb": table(sird_of_balanced_of_80__A=(1.1, 1.2, 1.3), homa_of_balanced_of_80__A=(1.0, 1.1, 1.2), fncc_of_balanced_of_80__A=(1.05, 1.1, 1.3),
                              dart_of_balanced_of_80__A=(0.5, 0.5, 0.5), hpcc_of_balanced_of_80__A=(0.6, 0.6, 0.6)),
        "messages-wkb": table(sird_of_balanced_of_80__A=(1000, 1000, 1000), homa_of_balanced_of_80__A=(1001, 1000, 1000),
                              fncc_of_balanced_of_80__A=(2000, 2000, 2000), dart_of_balanced_of_80__A=(2000, 2000, 2000),
                              hpcc_of_balanced_of_80__A=(999, 1000, 1000)),
        "backlog": table(sird_of_balanced_of_wkb_of_80=(1, 1, 1), homa_of_balanced_of_wkb_of_80=(1.4, 1.5, 1.5), dart_of_balanced_of_wkb_of_80=(1, 1, 3)),
        "goodput": table(sird_of_balanced_of_wkb_of_80=(70.0, 70.1, 70.2), homa_of_balanced_of_wkb_of_80=(69.5, 69.6, 69.7),
                         dart_of_balanced_of_wkb_of_80=(60.0, 61.0, 59.0)),
    },
    "fncc": {"fair": table(sird_of_last=(None, None, None), dart_of_last=(80, 90, 100), fncc_of_last=(150, 160, 170), soze_of_last=(10, None, 10))},
    "soze": {"receiver": table(dart=(0.0, 0.0, 0.0), soze=(0.009, 0.009, 0.009), hpcc=(0.2, 0.2, 0.2))},
}
json.dump({"version": "0", "commit": "c", "scale": 0.1, "figures": figures}, open("hand.json", "w"))
json.dump({"version": "0", "commit": "c", "scale": 0.1, "figures": {}}, open("empty.json", "w"))
PY
matrix 0 hand.json
row '| benchmark | metric | SIRD | Dart | FNCC | Söze | Homa | HPCC |'
# Homa is best: SIRD is 0.1 worse with every seed, FNCC 0.05 +- 0.12; Dart's backlog grew, HPCC has too few
row '| SIRD, WKb, balanced, 80 % | p99 slowdown, A | 1.20 | 0.500 ! | 1.15 ~ |  | **1.10** | few |'
# more is better; Homa is 0.5 lower with every seed, which is below 1 %
row '| SIRD, balanced, WKb, 80 % | goodput, Gb/s | **70.1** | 60.0 |  |  | 69.6 ~ |  |'
row '| FNCC, last hop | shares after, us | - | **90.0** | 160 | 10.0 (2 of 3) |  |  |'
row '| Söze, one receiver | distance from shares |  | **0** |  | 0.0090 ~ |  | 0.200 |'
matrix 0 hand.json --intervals
row '| FNCC, last hop | shares after, us | - | **90.0 +- 24.8** | 160 +- 24.8 | 10.0 (2 of 3) |  |  |'

# --- into a page, whatever was there before; and what is refused ---
printf 'above\n<!-- matrix -->\nold\n<!-- /matrix -->\nbelow\n' >page.md
matrix 0 hand.json --page page.md
matrix 0 hand.json --page page.md
holds 'the page keeps what is around the matrix' [ "$(head -n 1 page.md)/$(tail -n 1 page.md)" = above/below ]
holds 'the page has one matrix, and no other' [ "$(grep -c '^| benchmark' page.md)/$(grep -c old page.md)" = 1/0 ]
echo none >page.md
matrix 1 hand.json --page page.md
says err 'page.md: no <!-- matrix -->'
matrix 1 empty.json
says err 'no table of the matrix'
matrix 1 page.md
says err 'not the JSON'
matrix 1 nowhere.json
says err 'nowhere.json: No such file'
matrix 2
says err 'usage: tools/arena_matrix JSON'
matrix 2 hand.json --pag page.md
matrix 0 --help
says out 'Exit status'

printf '%u checks, %u failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
