#!/bin/sh
# test/cli/figures.sh WEIR [all] - a short figure of each paper, or more of them: which of the published numbers are within their
# bands, and that they leave them when what causes them is taken away.
source=$PWD/experiments # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"
[ "${2:-}" = all ] || without_gnuplot
TMPDIR=$dir
export TMPDIR

# figure NAME PAPER FIGURE [CELL..]: just these cells are outside their bands
figure() {
    name=$1 paper=$2 figure=$3
    shift 3
    "$weir" reproduce "$paper" "$figure" -o "$name.db" --json >"$name.json" 2>err </dev/null
    checks=$((checks + 1))
    python3 - "$name.json" "$@" <<'PY' || fail "$paper $figure: $(cat err)"
import json, sys
tables = next(iter(json.load(open(sys.argv[1]))["figures"].values()))
cells = {name + " " + key: cell["verdict"] for name, table in tables.items() if isinstance(table, dict) for key, cell in table["cells"].items()}
outside = sorted(key for key, verdict in cells.items() if verdict == "outside")
assert outside == sorted(sys.argv[2:]), "outside: %s" % outside
assert "within" in cells.values(), "nothing is within"
PY
}

# planted PAPER FIGURE FILE FROM TO CELL: with TO in place of FROM in a file of the experiment, a cell that was within is not
planted() {
    paper=$1 figure=$2 file=$3 from=$4 to=$5 cell=$6
    rm -rf fault fault.db
    cp -r "$source/$paper" fault
    python3 - "fault/$file" "$from" "$to" <<'PY' || fail "$paper $figure: $file has no '$from'"
import sys
text = open(sys.argv[1]).read()
assert sys.argv[2] in text
open(sys.argv[1], "w").write(text.replace(sys.argv[2], sys.argv[3]))
PY
    "$weir" reproduce ./fault "$figure" -o fault.db --json >fault.json 2>err </dev/null
    checks=$((checks + 1))
    python3 - "$cell" "$paper-$figure.json" fault.json <<'PY' || fail "$paper $figure, $to: $cell is not outside; $(cat err)"
import json, sys
table, key = sys.argv[1].split(" ", 1)
whole, fault = (next(iter(json.load(open(name))["figures"].values()))[table]["cells"][key] for name in sys.argv[2:4])
assert (whole["verdict"], fault["verdict"]) == ("within", "outside"), (whole, fault)
PY
}

figure sird-fig4 sird fig4 'held 2-SThr_infinite'
planted sird fig4 experiment.yaml 'protocol.SThr: 0.5 BDP' 'protocol.SThr: infinite' 'held 3-SThr_0.5_BDP'

figure soze-shared_bottleneck soze shared_bottleneck
planted soze shared_bottleneck experiment.yaml '{label: weighted}' '{label: weighted, set: {"traffic[0].policy": fair}}' \
    'ratio weighted job 2'

figure dart-fig9 dart fig9 'half '
planted dart fig9 pair.yaml '{name: dart, preset: dasr}' '{name: dcqcn, preset: dart, link_rate: any}' 'round_trips 12.1'

# What RPM's reaction takes can be summed up by hand: 10 ms to the switch, 10 ms back; without RPM 10 to 50 ms to the receiver, and these
# and 20 ms back. The queue adds at most 0.6 ms.
figure rpm-reaction rpm reaction
checks=$((checks + 1))
python3 - rpm-reaction.json <<'PY' || fail "rpm reaction: not what it is by hand"
import json, sys
cells = json.load(open(sys.argv[1]))["figures"]["reaction"]["cut"]["cells"]
for place in range(1, 6):
    for scheme, by_hand in (("rpm", 20), ("forward", 20 + 20 * place)):
        cut = cells["%d-%s window cut" % (place, scheme)]["measured"]
        assert by_hand <= cut <= by_hand + 0.6, (scheme, place, cut)
PY

[ "${2:-}" != all ] && { printf '%u checks, %u failures\n' "$checks" "$failures"; [ "$failures" -eq 0 ]; exit; }

# --- longer ones, for ./dev soak ---
figure fncc-fig13 fncc fig13 'peak-reduction first-fncc' 'peak-reduction first-fncc_direct' 'peak-reduction last-fncc' \
    'peak-reduction-quantised first-fncc_quantised' 'lhcs fncc flow 0' 'lhcs fncc flow 1' 'lhcs fncc_quantised flow 0' \
    'lhcs fncc_quantised flow 1' 'drained fncc' 'drained fncc_direct' 'drained fncc_direct_quantised' 'not-emptier '
planted fncc fig13 experiment.yaml 'protocol.preset: no-lhcs, framing.ack_wire: 126 B}' 'fabric.int.period: 100 us}' \
    'peak-reduction last-fncc_no_lhcs'
figure soze-critical_path soze critical_path
planted soze critical_path experiment.yaml '{label: weighted}' '{label: weighted, set: {"traffic[0].policy": fair}}' \
    'ratio weighted-ahead'
figure dart-fig15 dart fig15
planted dart fig15 experiment.yaml '{protocol.name: dart, protocol.preset: dasr, fabric.pfc.xoff: 2 MB}' '{protocol.name: rcp}' 'dart dart'
planted rpm reaction experiment.yaml '{label: rpm, set: {fabric.rpm.mode: "on"}}' '{label: rpm, set: {fabric.rpm.mode: "off"}}' 'time '
checks=$((checks + 1))
python3 - fault.json <<'PY' || fail "rpm reaction without RPM: not what it is by hand"
import json, sys
cells = json.load(open(sys.argv[1]))["figures"]["reaction"]["cut"]["cells"]
for place in range(1, 6):
    cut = cells["%d-rpm window cut" % place]["measured"]
    assert 20 + 20 * place <= cut <= 20 + 20 * place + 0.6, (place, cut)
PY
figure fncc-fig13e fncc fig13e 'rates-2 fncc flow 0 rising' 'rates-2 fncc flow 2 falling'
planted fncc fig13e experiment.yaml '{protocol.name: fncc, framing.ack_wire: 126 B}' '{protocol.name: fncc, fabric.int.period: 1 ms}' \
    'rates-4 fncc flow 0'
figure soze-altruistic soze altruistic
planted soze altruistic experiment.yaml '{label: weighted}' '{label: weighted, set: {"traffic[0].policy": fair}}' 'ratio weighted-ahead f3'
figure soze-shortest_flow soze shortest_flow
planted soze shortest_flow experiment.yaml '{label: weighted}' '{label: weighted, set: {"traffic[0].policy": fair}}' 'shorter weighted'
figure soze-maxmin soze maxmin
planted soze maxmin maxmin.yaml \
    ', weights: [{at: 10 ms, weight: 2}, {at: 20 ms, weight: 3}, {at: 30 ms, weight: 4}, {at: 40 ms, weight: 5}]' '' 'rates-3 soze f1'
figure soze-weight_steps soze weight_steps
planted soze weight_steps weight-steps-20.yaml '{at: 20 ms, weight: 1.005}' '{at: 20 ms, weight: 1}' 'long soze weight 1.005'

printf '%u checks, %u failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
