#!/bin/sh
# test/cli/jobs.sh - files of jobs from the command line: what is refused, in one sentence with its place, and that the jobs that
# come with Weir run.
# usage: jobs.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
soze=$PWD/experiments/soze # meson runs tests at the top of the tree
tree=$PWD
. "$(dirname "$0")/lib.sh"

cat >s.yaml <<'END'
topology: {kind: star, hosts: 8, host_link: 100 Gbps, host_delay: 1 us}
protocol: soze
traffic: [{kind: jobs, file: jobs.yaml}]
run: {warmup: 0 ms, measure: all}
END

job() { # job FLOW..: jobs.yaml with these flows, one per line from line 4 on
    printf 'jobs:\n- name: q\n  flows:\n' >jobs.yaml
    for flow; do printf '  - {%s}\n' "$flow" >>jobs.yaml; done
}

# --- what is refused ---
run 2 run s.yaml
says err 's.yaml:3:11: '
job 'name: a, from: 0, to: 1, size: 1 KB, after: c' 'name: b, from: 1, to: 2, size: 1 KB, after: a' \
    'name: c, from: 2, to: 3, size: 1 KB, after: b'
run 2 run s.yaml
says err "jobs.yaml:4:5: flow 'a' of job 'q': "
job 'name: a, from: 0, to: 1, size: 1 KB' 'name: b, from: 1, to: 2, size: 1 KB, after: aa'
run 2 run s.yaml
says err "jobs.yaml:5:50: after: "
says err "'a'"
for weight in 0 -1 .inf 1e9 99999999; do
    job "name: a, from: 0, to: 1, size: 1 KB, weight: $weight"
    run 2 run s.yaml
    says err "jobs.yaml:4:51: weight = $weight: "
done
job 'name: a, from: 0, to: 8, size: 1 KB'
run 2 run s.yaml
says err 'jobs.yaml:4:28: host 8 '
job 'name: a, from: 3, to: 3, size: 1 KB'
run 2 run s.yaml
says err 'host 3'
job 'name: a, from: 0, to: 1, size: 1 KB, weight: 2'
run 2 run s.yaml --set protocol=hpcc
says err 'protocol hpcc '
says err 'fabric.queues: per-flow, or host.nic_schedule: weighted'
run 2 run s.yaml --set fabric.maxqd=off
says err 'fabric.maxqd'
run 2 run s.yaml --set 'traffic[0].policy=altruistic'
says err 'tick'
run 2 run s.yaml --set 'traffic[0].policy=shortest'
says err "policy = shortest: "

# --- what there is ---
run 0 list features
says out 'fabric.maxqd'
says out 'fabric.queues'
run 0 help fabric.queues
says out 'per-flow'
run 0 help policy
says out 'doc/jobs.md'

# --- the files that come with Weir ---
ended() { # ended FILE SCENARIO: every flow of the file
    run 0 run "$soze/$2.yaml" --set "traffic[0].file=$1.yaml" --json
    holds 'all flows end' python3 -c 'import json
j = json.load(open("out"))
assert j["jobs"] and all(job["flows_ended"] == job["flows"] for job in j["jobs"]), j["jobs"]'
}
for file in critical-path straggler shared-bottleneck altruistic shortest-flow; do
    ended $file applications
done
ended tpch queries
ended tpch-shapes queries
ended tpch-plans queries
ended tpch-plan-shapes queries
holds 'the plans are as tools/tpch_plans makes them' "$soze/../../tools/tpch_plans" --check

# --- idle time: steps of a policy, samples and snapshots of an hour in which nothing happens ---
cat >jobs.yaml <<'END'
tick: 1 us
jobs:
- name: a
  policy: equal-progress
  flows:
  - {name: f, from: 0, to: 1, size: 100 KB}
  - {name: g, from: 2, to: 3, size: 100 KB, delay: 3600 s}
END
run 0 run s.yaml -o idle.db --json
holds 'both flows end, an hour apart' python3 -c 'import json
j = json.load(open("out"))
assert j["jobs"][0]["flows_ended"] == 2 and j["jobs"][0]["completion_s"] > 3600, j["jobs"]'

# --- fan-out: what a task sends shares the port of its host, so weights act where that port reports its delay ---
fan_out() { # fan_out NAME POLICY SETTING..
    name=$1 policy=$2
    shift 2
    run 0 run "$soze/queries.yaml" --set "traffic[0].file=fan-out.yaml" --set "traffic[0].apart=10 ms" \
        --set "traffic[0].policy=$policy" "$@" --json
    cp out "$name"
}
for policy in fair critical-path critical-path-squared; do
    fan_out "all-$policy" "$policy" --set host.nic_queue=unlimited --set fabric.maxqd.at=all
done
fan_out switches-fair fair
fan_out switches-critical-path critical-path
holds 'the distance gains, its square more, and neither where hosts report nothing' python3 -c 'import json
def mean(ports, policy):
    fair, weighted = ({job["name"]: job["completion_s"] for job in json.load(open(ports + "-" + name))["jobs"]} for name in ("fair", policy))
    return sum(weighted[name] / fair[name] for name in fair) / len(fair)
once, squared, off = mean("all", "critical-path"), mean("all", "critical-path-squared"), mean("switches", "critical-path")
assert squared < once - 0.02 and once < 0.92 and off > 0.97, (once, squared, off)'

# --- collective operations: bandwidths in the table, in JSON and in a result file; what does not divide is noted ---
cat >collective.yaml <<'END'
topology: {kind: star, hosts: 8, host_link: 100 Gbps, host_delay: 1 us}
traffic:
  - {kind: collective, op: all-reduce, algorithm: ring, bytes: 1000001 B, steps: 2}
  - {kind: jobs, file: jobs.yaml, start: 10 ms}
run: {warmup: 0 us, measure: all}
END
job 'name: a, from: 0, to: 1, size: 1 KB'
run 0 run collective.yaml -o collective.db
says err 'traffic[0]: bytes = 1000001: 8 parts of it are not all equal'
says out 'busbw GB/s'
says out 'all-reduce#2  '
says out 'job, its coflows'
run 0 run collective.yaml --json
holds 'bandwidths follow from bytes, time and ranks' python3 -c 'import json
job, first, second = json.load(open("out"))["jobs"]
assert "bytes" not in job and job["flows_ended"] == 1, job
for step in first, second:
    algbw = step["bytes"] / step["completion_s"] / 1e9
    assert abs(step["algbw_gbytes_s"] - algbw) < 1e-8 and abs(step["busbw_gbytes_s"] - algbw * 14 / 8) < 1e-8, step
    assert step["flows_ended"] == 14 * 8 and step["bytes"] == 1000001, step
assert second["start_s"] > first["start_s"] + first["completion_s"] - 1e-6, (first, second)'
holds 'they are in the result file' python3 -c 'import json, sqlite3
db = sqlite3.connect("collective.db")
assert [row[0] for row in db.execute("SELECT name FROM job ORDER BY number")] == ["q", "all-reduce#1", "all-reduce#2"]
assert json.loads(db.execute("SELECT json FROM run").fetchone()[0])["jobs"][2]["busbw_gbytes_s"] > 5'
run 0 run "$tree/examples/training.yaml" --set 'traffic[0].steps=1'
says out 'parameters/dp7'

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
