#!/bin/sh
# test/cli/scoreboard.sh - tools/scoreboard: page, README and JSON of the tree agree, and each of some faults is named; a run of another
# commit is named, and is no fault. Run from the top of the tree.
tool=$PWD/tools/scoreboard
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/whole/doc"
cp doc/scoreboard.md doc/scoreboard.json "$dir/whole/doc"
cp README.md "$dir/whole"
cd "$dir" || exit 1
failures=0
checks=0

fail() {
    printf 'not ok: %s\n' "$*"
    failures=$((failures + 1))
}

# tool STATUS TEXT ARGS..: runs the tool; compares the exit status, and finds the text in what it prints.
tool() {
    want=$1 text=$2
    shift 2
    "$tool" "$@" >out 2>err
    got=$?
    checks=$((checks + 2))
    [ "$got" -eq "$want" ] || fail "$*: exit $got, not $want: $(head -c 900 out) $(cat err)"
    cat out err | grep -qF -e "$text" || fail "$*: no '$text' in $(head -c 900 out) $(cat err)"
}

# fault TEXT PYTHON: PYTHON changes page, readme or board, and the tool names it.
fault() {
    rm -rf fault
    cp -r whole fault
    python3 - "$2" <<'PY' || fail "$2"
import json, sys
page, readme, board = open("fault/doc/scoreboard.md").read(), open("fault/README.md").read(), json.load(open("fault/doc/scoreboard.json"))
before = page, readme, json.dumps(board)
def first(kind, verdict):
    """The first number of that class with that verdict, of any paper."""
    return next((paper, n) for paper in board for n in board[paper]["numbers"] if n["class"] == kind and n["verdict"] == verdict and n["id"])
names = {"page": page, "readme": readme, "board": board, "first": first, "json": json}
exec(sys.argv[1], names)
page, readme, board = names["page"], names["readme"], names["board"]
assert before != (page, readme, json.dumps(board)), "nothing changed"
open("fault/doc/scoreboard.md", "w").write(page)
open("fault/README.md", "w").write(readme)
json.dump(board, open("fault/doc/scoreboard.json", "w"))
PY
    tool 1 "$1" check --root fault
}

"$tool" check --root whole >out || fail "the tree: $(cat out)"
fault 'README.md: the totals' 'readme = readme.replace("| all | ", "| all | 1", 1)'
fault 'doc/scoreboard.md: the totals' 'page = page.replace("| all | ", "| all | 1", 1)'
fault 'the counts are not those of the numbers' 'first("printed", "within")[1]["verdict"] = "outside"'
fault 'counts 2 times' 'paper, n = first("printed", "within"); board[paper]["numbers"].append(n)'
fault 'doc/scoreboard.json has within' 'paper, n = first("printed", "within"); page = "\n".join(line for line in page.split("\n") if not line.startswith("| " + n["id"] + " |"))'
fault 'is outside, doc/scoreboard.json has within' 'paper, n = first("printed", "within"); page = "\n".join(line.replace("| within |", "| outside |") if line.startswith("| " + n["id"] + " |") else line for line in page.split("\n"))'
fault 'is not in doc/scoreboard.json' 'paper, n = first("printed", "within"); board[paper]["numbers"].remove(n)'

# a run of another commit: named by both, no fault; of the same commit another digest is one
cat >other.py <<'PY'
import json, sys
board = json.load(open("whole/doc/scoreboard.json"))
run = next(run for paper in board for run in board[paper]["runs"])
run["digest"] = "0" * 16
if sys.argv[1] == "commit":
    run["commit"] = "f" * 40
json.dump(board, open("whole/other.json", "w"))
PY
python3 other.py commit
tool 0 'digest 0000000000000000 of commit fffffffff' compare whole/other.json whole/doc/scoreboard.json
cp -r whole other
cp whole/other.json other/doc/scoreboard.json
tool 0 'are of commit fffffffff' check --root other
python3 other.py digest
tool 1 'digest 0000000000000000' compare whole/other.json whole/doc/scoreboard.json
tool 0 'runs that both have are equal' compare whole/doc/scoreboard.json whole/doc/scoreboard.json
tool 2 'usage' check it
tool 2 'none.json' compare none.json
echo '[]' >empty.json
tool 2 'not the JSON' compare empty.json whole/doc/scoreboard.json
tool 0 'usage' --help

printf '%u checks, %u failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
