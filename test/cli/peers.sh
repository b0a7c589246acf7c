#!/bin/sh
# test/cli/peers.sh - bench/peers beside a small program that stands for htsim: what it refuses, how the peer is called, and what is written. No
# figure is looked at but for its sign.
# usage: peers.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
bench=$PWD/bench/peers
. "$(dirname "$0")/lib.sh"

measure() { # measure STATUS ARGS..: as `run`, of the benchmark, on a small network
    want=$1
    shift
    called="peers $*"
    "$python" -S "$bench" --k 4 --size 20000 "$@" >out 2>err </dev/null
    got=$?
    holds "exit $got, not $want; stderr: $(tail -n 3 err)" [ "$got" -eq "$want" ]
}

cat >peer <<'END'
#!/bin/sh
# Takes the longer the later its end, as a simulator does; keeps how it was called.
echo "$@" >>"$CALLS"
while [ $# -gt 0 ]; do
    case $1 in -end) end=$2 ;; -tm) matrix=$2 ;; esac
    shift
done
cp "$matrix" "$CALLS.cm"
[ "$end" -le 60 ] || end=100
i=0
while [ $i -lt $((end * 10)) ]; do i=$((i + 1)); done
END
printf '#!/bin/sh\nexit 0\n' >still
printf '#!/bin/sh\necho "no such matrix" >&2\nexit 4\n' >broken
printf '#!/bin/sh\nexec sleep 60\n' >endless
chmod +x peer still broken endless
CALLS=$PWD/calls
export CALLS

measure 0 --help
says out 'usage: bench/peers'
measure 2 "$weir"
says err 'a peer as NAME=PROGRAM'
measure 2 "$weir" ns3=./peer
says err 'ns3=./peer: a peer is NAME=PROGRAM, NAME one of htsim'
measure 2 "$weir" htsim=./nowhere
says err './nowhere: not a program'
measure 2 --k 5 "$weir" htsim=./peer
says err '--k 5: must be 4, 8 or 16'
measure 2 --rounds 101 "$weir" htsim=./peer
says err '--rounds 101: must be a whole number, 0 to 100'
measure 2 --fast "$weir" htsim=./peer
says err 'there is no option --fast'
measure 2 "$weir" htsim=./peer --laws
says err '--laws needs a value'
measure 2 --no-counts --rounds 0 "$weir" htsim=./peer
says err 'nothing to measure'
measure 2 --csv nowhere/a.csv "$weir" htsim=./peer
says err '--csv nowhere/a.csv: No such file or directory'
measure 3 --no-counts --csv a.csv "$weir" htsim=./broken
says err 'broken'
says err 'ended with 4: no such matrix'
measure 3 --no-counts --limit 1 --csv a.csv "$weir" htsim=./endless
says err 'had not ended after 1 s'
measure 3 --no-counts --laws dance --csv a.csv "$weir" htsim=./peer
says err 'dance'

rm -f calls
measure 0 --no-counts --laws dctcp,sird --rounds 2 --csv a.csv "$weir" htsim=./peer@1.0 uet-htsim=./peer
says out '4 rows are in a.csv'
holds 'the peer runs once a round and law' [ "$(wc -l <calls)" -eq 8 ]
holds 'half the calls have the options of NDP' [ "$(grep -c -- '-strat perm' calls)" -eq 4 ]
"$python" - <<'END' || fail "a.csv, or what the peer was given: not as expected"
import csv
import datetime
rows = list(csv.DictReader(open("a.csv", encoding="utf-8")))
assert [(r["peer"], r["peer_version"], r["law"]) for r in rows] == [(p, v, l) for p, v in (("htsim", "1.0"), ("uet-htsim", "")) for l in ("dctcp", "sird")]
assert all(r["instructions_ratio"] == "" and r["k"] == "4" and r["size_bytes"] == "20000" and r["rounds"] == "2" and r["weir"] for r in rows)
assert abs(datetime.date.fromisoformat(rows[0]["date"]) - datetime.date.today()).days <= 1
lines = open("calls.cm", encoding="ascii").read().splitlines()
ends = [line.split()[0].split("->") for line in lines[2:]]
assert lines[:2] == ["Nodes 16", "Connections 16"] and len(ends) == 16 and all(" start 0 size 20000" in line for line in lines[2:])
assert sorted(int(s) for s, _ in ends) == sorted(int(d) for _, d in ends) == list(range(16)) and all(s != d for s, d in ends)
END

finish() {
    echo "$checks checks, $failures failures$1"
    [ "$failures" -eq 0 ]
    exit
}

command -v valgrind >/dev/null 2>&1 || finish '; without valgrind'
measure 3 --laws dctcp --rounds 0 --csv a.csv "$weir" htsim=./still
says err 'a run of 60 us takes no more instructions than one of 30 us'
measure 0 --size 1000000 --laws dctcp --rounds 0 --csv a.csv "$weir" htsim=./peer
"$python" - <<'END' || fail "a.csv, with counts: not as expected"
import csv
(row,) = csv.DictReader(open("a.csv", encoding="utf-8"))
assert int(row["peer_instructions"]) > 0 and int(row["weir_instructions"]) > 0 and float(row["instructions_ratio"]) > 0 and row["cpu_ratio"] == ""
END
finish ''
