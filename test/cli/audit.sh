#!/bin/sh
# test/cli/audit.sh - tools/audit_published: the tree passes, and each of some faults in either transcription is named with its file
# and line. Run from the top of the tree.
audit=$PWD/tools/audit_published
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/data" "$dir/experiments"
cp -r data/published "$dir/data"
for paper in data/published/*.csv; do
    cp -r "experiments/$(basename "$paper" .csv)" "$dir/experiments"
done
cd "$dir" || exit 1
failures=0
checks=0

fail() {
    printf 'not ok: %s\n' "$*"
    failures=$((failures + 1))
}

# audits STATUS PAPER..: runs the tool on the copy, keeps stdout in out, and compares the exit status.
audits() {
    want=$1
    shift
    "$audit" --root . "$@" >out 2>err
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$want" ] || fail "audit $*: exit $got, not $want: $(cat out err)"
}

# fault FILE ID FROM TO TEXT: with TO in place of FROM in the first row of ID, a line names this file and line and has the text, and no
# more than two lines are printed.
fault() {
    file=$1 id=$2 from=$3 to=$4 text=$5
    line=$(grep -n -m 1 -e "^$id," -e ",$id,[a-z]*\$" "$file" | cut -d: -f1)
    [ -n "$line" ] || { fail "$file has no row of $id"; return; }
    cp "$file" kept
    sed "${line}s|$from|$to|" kept >"$file"
    ! cmp -s kept "$file" || fail "$file has no '$from' in the row of $id"
    audits 1 "$(echo "$file" | sed 's|^experiments/||; s|^data/published/||; s|/.*||; s|\.csv$||')"
    checks=$((checks + 1))
    grep -e "${file}:${line}[: ]" out | grep -qF -e "$text" || fail "$file, $id, $from to $to: no '$file:$line' with '$text' in: $(head -c 900 out)"
    [ "$(wc -l <out)" -le 2 ] || fail "$file, $id, $from to $to: more than two lines: $(head -c 900 out)"
    cp kept "$file"
}

audits 0
checks=$((checks + 1))
[ "$(grep -c 'of them on a row' out)" -eq 5 ] || fail "not a line of counts for each of five papers: $(cat out)"

# digits: in either, and in both what is printed and what follows from it
fault experiments/dart/published.csv table1/marked/typical-20/dcqcn ',0.17,' ',0.71,' \
    "is 0.71, data/published/dart.csv:$(grep -n '^table1/marked/typical-20/dcqcn,' data/published/dart.csv | cut -d: -f1) has 0.17 (printed 17 %)"
fault data/published/dart.csv table1/marked/typical-40/dcqcn ',0.41,' ',0.14,' 'value 0.14 does not follow from "41 %" by percent, which gives 0.41'
fault data/published/sird.csv table5/queue/incast/wkc/dctcp ',21.06,MB,same,21.06,' ',12.06,MB,same,12.06,' 'has 12.06 (printed 12.06)'
# a cell that is unstable
fault experiments/sird/table4.csv table4/slowdown/incast/wka/dctcp ',unstable,' ',7.69,' 'is 7.69'
# ends of ranges
fault experiments/soze/published.csv fig19/rtts ',0..10,' ',0..12,' 'is 0..12'
fault data/published/sird.csv fig10/queue/max ',696..747,' ',696..774,' 'value 696..774 does not follow from "696 to 747 KB" by range'
# rules
fault data/published/soze.csv eq6/delay/16 'ln(16)' 'ln(15)' 'value 15.04 does not follow from formula'
fault data/published/fncc.csv fig10b/slow-down/rocc 'minus 300' 'minus 330' 'which gives 40'
# ids
fault experiments/sird/table5.csv table5/goodput/incast/wkc/homa 'wkc/homa' 'wkc/hom' 'is no id of data/published/sird.csv: table5/goodput/incast/wkc/homa is one'
fault data/published/rpm.csv table2/jain/1/rpm '1/rpm' '1/rpn' 'is printed, and on no row of experiments/rpm'
# kinds
fault experiments/fncc/published.csv fig13e/rate/2 ',derived$' ',printed' 'is printed here, and derived in data/published/fncc.csv'
fault data/published/soze.csv eq6/delay/32 ',derived,' ',printed,' 'has a formula, so it is derived, not printed'
fault data/published/dart.csv fig9/convergence/lowest ',unused,.*' ',unused,' 'is unused, and no note says why'
# labels
fault experiments/rpm/published.csv table2/jain/2/forward ',forward,' ',rpm,' 'is on the row of scheme rpm'

audits 2 no-such-paper

printf '%u checks, %u failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
