#!/bin/sh
# test/cli/model.sh - weir model: what it prints and what it refuses. The six rows were computed apart from this program.
# usage: model.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

json() { # json EXPRESSION: j is the JSON object in out, i its integrations
    checks=$((checks + 1))
    python3 - "$1" <<'END_OF_PYTHON' || fail "$called: $1"
import json, sys
j = json.load(open("out"))
i = j.get("integration")
near = lambda a, b, tolerance=1e-2: abs(a - b) <= tolerance * abs(b)
assert eval(sys.argv[1]), j
END_OF_PYTHON
}

refused() { # refused TEXT ARGS..: exit status 2, one sentence with TEXT and a hint, nothing on stdout
    text=$1
    shift
    run 2 model "$@"
    says err "$text"
    holds 'one sentence and a hint' [ "$(wc -l <err)" -eq 2 ]
    says err '  hint: '
    holds 'nothing printed' [ ! -s out ]
}

rpm() { # rpm CAPACITY RTT SHORT_RTT OPTIONS..
    capacity=$1 rtt=$2 short=$3
    shift 3
    run 0 model rpm --capacity "$capacity" --rtt "$rtt" --short-rtt "$short" "$@"
}

# --- six models: gamma, s* as printed, s_1, the largest eta, the limits ---
while read -r capacity rtt short gamma printed right eta_max limit forward; do
    rpm "$capacity" "$rtt" "$short" --json
    json "near(j['gamma'], $gamma, 3e-4) and near(j['s_printed'], $printed, 3e-4) and near(j['s_right'], $right, 1e-5)"
    json "near(j['eta_max'], $eta_max, 3e-4) and near(j['eta_crit'], $limit, 1e-4) and near(j['eta_crit_forward'], $forward, 1e-4)"
    json "j['eta_printed'] < 0 and j['eta_below_printed'] < 0 and j['eta_printed_sign'] == j['eta_below_printed_sign'] == -1"
    json "j['residual'] < 1e-12 and near(j['eta_crit_approx'], $limit, 0.03) and near(j['s_exact'], $right, 1e-4)"
done <<'END_OF_ROWS'
1000pps 100ms 20ms 0.09998 -2101 -0.198355 1.979e-8 2.0472e-5 4.0117e-6
1000pps 100ms 50ms 0.09998 -2681 -0.198951 1.979e-8 8.0683e-6 4.0117e-6
1000pps 100ms 90ms 0.09998 -10540 -0.199757 1.979e-8 4.4605e-6 4.0117e-6
833333pps 40ms 20ms 0.00075 -2222000 -0.00149998 1.62e-18 2.16006e-13 1.08e-13
833333pps 100ms 20ms 0.00012 -1736000 -0.000239998 4.147e-20 3.45611e-14 6.912e-15
833333pps 100us 50us 120 -2236000 -238.475 4.094e-8 1.39635e-5 6.9355e-6
END_OF_ROWS
json 'j["input"] == {"capacity_pps": 833333, "rtt_s": 1e-4, "short_rtt_s": 5e-5, "a": 1, "b": 0.5}'
json 'j["units"]["eta"] == "1/packet" and "integration" not in j'

# --- capacity in bit/s, other windows, forward marking ---
rpm '10 Gbps' '40 ms' '20 ms' --json
json 'near(j["input"]["capacity_pps"], 1e10 / 12000, 1e-5)'
rpm 1Mbps 100ms 20ms --mtu 125B --json
json 'j["input"]["capacity_pps"] == 1000 and near(j["eta_crit"], 2.0472e-5, 1e-4)'
rpm 1Kpps 100ms 20ms --a 2 --b 25% --json
json 'j["input"]["a"] == 2 and j["input"]["b"] == 0.25 and near(j["gamma"], 500 / 2502, 1e-5)'
json 'near(j["eta_crit_approx"], 2 * j["gamma"] / (0.25 * 1e6 * 0.02), 1e-5)'
rpm 1000pps 100ms 100ms --json
json 'j["s_printed"] is None and j["eta_printed"] is None and j["eta_printed_sign"] is None and j["eta_below_printed_log10"] is None'
json 'j["eta_crit"] == j["eta_crit_forward"] and near(j["s_right"], -2 * j["gamma"], 1e-5)'
rpm 1000pps 100ms 100ms
says out 'none, as d_s = d'

# --- table ---
rpm 1000pps '100 ms' '20 ms'
says out 'capacity c                        1000 packets/s'
says out 'root s* as (6) is printed         -2100.62 1/s'
says out '-2.10019 and -2.1212 per packet: negative'
says out 'right root s_1                    -0.198355 1/s'
says out 'eta, per packet                         2.0472e-05     4.01167e-06     5.103'
holds 'nothing is integrated' sh -c '! grep -q decays out'

# --- integration ---
rpm 1000pps 100ms 20ms --integrate
holds 'below the limits it decays' [ "$(grep -c '0\.93 .* decays$' out)" -eq 2 ]
holds 'above the limits it grows' [ "$(grep -c '1\.07 .* grows$' out)" -eq 2 ]
rpm 1000pps 100ms 20ms --window 20s --eta 1.9e-5,0.000022 --json
json '[k["marking"] for k in i] == ["rpm", "rpm", "forward", "forward"]'
json 'near(i[0]["per_window"], 0.867, 2e-3) and i[0]["oscillation"] == "decays" and len(i[0]["peak"]) == 5'
json 'near(i[1]["per_window"], 1.159, 2e-3) and i[1]["oscillation"] == "grows" and i[1]["clipped_s"] is None'
json 'near(i[0]["per_window_expected"], 0.867, 1e-3) and near(i[1]["per_window_expected"], 1.159, 1e-3)'
json 'i[2]["oscillation"] == i[3]["oscillation"] == "grows" and i[2]["clipped_s"] < 20 and near(i[2]["of_limit"], 1.9e-5 / 4.01167e-6, 1e-4)'
rpm 1000pps 100ms 20ms --at 0.9,2 --eta 1E-5 --windows 3 --target 0 --json
json 'len(i) == 6 and near(i[1]["of_limit"], 2, 1e-6) and i[2]["eta"] == 1e-5 and i[0]["target_packets"] == 0 and len(i[1]["peak"]) == 3'
json 'i[1]["clipped_s"] > 20 and i[1]["per_window"] is None'

# --- page ---
rpm 1000pps 100ms 20ms --report model.html
says model.html '<h1>Fluid model of RPM</h1>'
says model.html 'eta, per packet                         2.0472e-05'
holds 'a page to its end' [ "$(tail -n 1 model.html)" = '</html>' ]
holds 'two figures with their numbers' [ "$(grep -c '<figure>' model.html)" -eq 2 ]
if gnuplot --version >version 2>/dev/null; then
    holds 'both are drawn' [ "$(grep -c '<svg class="plot"' model.html)" -eq 2 ]
fi
cp model.html first.html
rpm 1000pps 100ms 20ms --report model.html
holds 'the same page again' cmp -s model.html first.html
says model.html 'right root s_1</th><th>root s* as printed</th>'
rpm 1000pps 100ms 100ms --report forward.html
holds 'without the root that is not there' sh -c '! grep -q "as printed</th>" forward.html'
mkdir empty
env PATH="$dir/empty" "$weir" model rpm --capacity 1000pps --rtt 100ms --short-rtt 20ms --report tables.html >out 2>err
says err 'no figures: '
holds 'tables are open' [ "$(grep -c '<details open>' tables.html)" -eq 2 ]
printf 'precious' >text
refused 'text: is there and is no HTML page' rpm --capacity 10pps --rtt 1s --short-rtt 1s --report text
holds 'it is still there' grep -q precious text
run 2 model rpm --capacity 10pps --rtt 1s --short-rtt 1s --report no/such/folder.html
run 2 model rpm --capacity 1000pps --rtt 100ms --short-rtt 20ms --report none.html --integrate --window 1s
holds 'no page where the rest is refused' [ ! -e none.html ]

# --- what is refused ---
refused 'model: which model?'
refused 'rmp: no such model' rmp
refused 'rpm is the model already' rpm rpm
refused '--capacity is missing' rpm --rtt 1s --short-rtt 1s
refused '--rtt is missing' rpm --capacity 10pps --short-rtt 1s
refused '--short-rtt is missing' rpm --capacity 10pps --rtt 1s
refused '--short-rtt 20 ms: longer than --rtt 10 ms' rpm --capacity 10pps --rtt 10ms --short-rtt 20ms
refused 'less than a millionth of --rtt 1 s' rpm --capacity 10pps --rtt 1s --short-rtt 2ns
refused 'must be 1 ns to 1000 s' rpm --capacity 10pps --rtt 0s --short-rtt 0s
refused 'unit missing' rpm --capacity 10pps --rtt 100 --short-rtt 1s
refused 'not a number' rpm --capacity 10pps --rtt nan --short-rtt 1s
refused 'must not be negative' rpm --capacity 10pps --rtt -1s --short-rtt 1s
refused '--capacity 10: unit missing' rpm --capacity 10 --rtt 1s --short-rtt 1s
refused '--capacity nan: not a number' rpm --capacity nan --rtt 1s --short-rtt 1s
refused '--capacity -1pps: not a number' rpm --capacity -1pps --rtt 1s --short-rtt 1s
refused '--capacity 10GB: not a unit of rate' rpm --capacity 10GB --rtt 1s --short-rtt 1s
refused '--capacity 0pps: must be 0.001 to 1e+12' rpm --capacity 0pps --rtt 1s --short-rtt 1s
refused '--capacity 1001Gpps: must be' rpm --capacity 1001Gpps --rtt 1s --short-rtt 1s
refused 'is in packets already' rpm --capacity 10pps --rtt 1s --short-rtt 1s --mtu 1500B
refused '--a = 0: must be' rpm --capacity 10pps --rtt 1s --short-rtt 1s --a 0
refused '--b = 1.5: must be' rpm --capacity 10pps --rtt 1s --short-rtt 1s --b 1.5
refused '--at 0: must be 0.01 to 100' rpm --capacity 10pps --rtt 1s --short-rtt 1s --at 0
refused '--at nan: not a number' rpm --capacity 10pps --rtt 1s --short-rtt 1s --at nan
refused '--at : not a number' rpm --capacity 10pps --rtt 1s --short-rtt 1s --at 1,
refused '--at: more than 16' rpm --capacity 10pps --rtt 1s --short-rtt 1s --at 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
for eta in -1 1e 1e- 1e-1.5 1e-5x 1x-5 e-5 1e301; do
    refused "--eta $eta: not a number" rpm --capacity 10pps --rtt 1s --short-rtt 1s --eta "$eta"
done
refused '--eta 1e-100: must be 1e-30 to 1' rpm --capacity 10pps --rtt 1s --short-rtt 1s --eta 1e-100
refused '--eta 1.5: must be 1e-30 to 1' rpm --capacity 10pps --rtt 1s --short-rtt 1s --eta 1.5 # certain for any packet above the target
refused '--eta 0: must be 1e-30 to 1' rpm --capacity 10pps --rtt 1s --short-rtt 1s --eta 0
refused '--windows = 1: must be 2 to 64' rpm --capacity 10pps --rtt 1s --short-rtt 1s --windows 1
refused '--window: 1 s is less than an oscillation' rpm --capacity 1000pps --rtt 100ms --short-rtt 20ms --integrate --window 1s
refused 'a round trip of 0.5 packets is less than one' rpm --capacity 5pps --rtt 100ms --short-rtt 20ms --integrate
refused 'takes 5e+10 steps, about 1e+03 s of one core' rpm --capacity 1000pps --rtt 100ms --short-rtt 20ms --integrate --window 1000000s
refused "did you mean '--short-rtt'?" rpm --short-rt 1s

# --- phantom: the least stable p; the linear ones by hand, those in time computed apart (test/unit/solve/test_loop.c) ---
run 0 model phantom --flow 1,0.5,0.5 --rho 1 --m 0.785398 --json
json 'near(j["p_at_once"], 2.93174, 1e-5) and near(j["limits"][0]["p_linear"], 4.14614, 1e-5) and near(j["limits"][0]["period"], 8, 1e-5)'
json 'near(j["limits"][0]["p_in_time"], 4.14614, 0.02) and j["flows"] == [{"rtt": 1, "out": 0.5, "back": 0.5}]'
run 0 model phantom --flow 1,0.375,0.375 --flow 0.5,0.125,0.125 --ratio 10
says out 'alpha / beta = 10, rho = 0.99'
holds 'three rows' [ "$(grep -cE '^(0.25|1|4) +0\.[0-9]+ +[0-9.]+ +0\.[0-9]+ +0\.[0-9]+$' out)" -eq 3 ]
refused '--flow is missing' phantom
refused 'rpm: phantom is the model already' phantom rpm
refused '--flow 1,0.5: three numbers are wanted' phantom --flow 1,0.5
refused '--flow: more than 3' phantom --flow 1,0.5,0.5,0.5
refused '--flow 1.1: must be 0 to 1' phantom --flow 1.1,0.5,0.5
refused '--flow 1,0.5,0.51: to the port and back must be 0.01 to the round trip' phantom --flow 1,0.5,0.51
refused '--flow 1,0,0.009: to the port and back' phantom --flow 1,0,0.009
refused '--m 0.09: must be 0.1 to 64' phantom --flow 1,0.5,0.5 --m 0.09
refused '--ratio 1: must be 1.01' phantom --flow 1,0.5,0.5 --ratio 1
refused '--ratio: more than 1' phantom --flow 1,0.5,0.5 --ratio 10,100
refused '--rho 1.5: must be 0.1 to 1' phantom --flow 1,0.5,0.5 --rho 1.5
seventeen=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do printf '%s 1,0.5,0.5 ' --flow; done)
# shellcheck disable=SC2086 # words
refused '--flow: more than 16' phantom $seventeen
refused "did you mean 'phantom'?" fantom

run 0 help model
says out 'weir model rpm|phantom [options]'
run 0 model --help
says out '--short-rtt TIME'
run 0 model rpm -h

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
