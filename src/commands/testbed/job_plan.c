/* src/commands/testbed/job_plan.c - see job_plan.h. */
#include "testbed/job_plan.h"
#include "engine/sim.h"
#include "model/account.h"
#include "reproduce/sweep_dir.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SET_MAX = 8 };

#define BIN_PS (WEIR_TRACE_BIN_MS * WEIR_PS_PER_US * 1000)

/* Loads the scenario while the experiment's files are in a temporary folder. */
static int load(struct weir_job_plan *plan, const struct weir_sweep_dir *dir, const char *const *set,
                const struct weir_tcp_keys *keys, struct weir_err *err)
{
    struct weir_override override[SET_MAX] = { { .text = NULL } };
    char path[WEIR_SWEEP_DIR_MAX + 16];
    uint32_t count = 0;
    int code;
    while (set[count] != NULL && count < SET_MAX) {
        override[count].text = set[count];
        count++;
    }
    (void)snprintf(path, sizeof(path), "%s/star.yaml", dir->path);
    code = weir_scenario_load(&plan->scn, path, override, count, err);
    if (code != 0)
        return code;
    if (keys != NULL)
        memcpy(plan->scn.protocol_config, keys->config, plan->scn.protocol->config_bytes);
    code = weir_setup_init(&plan->setup, &plan->scn, err);
    if (code == 0 && (plan->setup.jobs.flow_count == 0 || plan->setup.jobs.flow_count > WEIR_PLAN_FLOWS)) {
        weir_setup_free(&plan->setup);
        code =
            weir_fail(err, WEIR_E_RANGE, NULL, NULL, "%s: a testbed runs 1 to %u flows of jobs", path, WEIR_PLAN_FLOWS);
    }
    if (code != 0)
        weir_scenario_free(&plan->scn);
    return code;
}

int weir_job_plan_open(struct weir_job_plan *plan, struct weir_tree_arena *arena, const char *id,
                       const char *const *set, const struct weir_tcp_keys *keys, struct weir_err *err)
{
    const struct weir_origin origin = { .id = id };
    struct weir_sweep_dir dir;
    int code = weir_sweep_dir_open(&dir, &origin, arena, err);
    memset(plan, 0, sizeof(*plan));
    if (code != 0)
        return code;
    code = load(plan, &dir, set, keys, err);
    weir_sweep_dir_close(&dir);
    plan->is_open = code == 0;
    return code;
}

void weir_job_plan_close(struct weir_job_plan *plan)
{
    if (!plan->is_open)
        return;
    weir_setup_free(&plan->setup);
    weir_scenario_free(&plan->scn);
    plan->is_open = false;
}

/* --- the simulation --- */

struct watching {
    const struct weir_jobs *jobs;
    struct weir_trace *trace;
};

static int take_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    const struct watching *w = ctx;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t f = 0; f < w->jobs->flow_count; f++) { /* no two flows of a plan agree in all three */
            const struct weir_job_flow *flow = &w->jobs->flow[f];
            if (flow->src != row[i].d.src || flow->dst != row[i].d.dst || flow->bytes != row[i].d.bytes)
                continue;
            w->trace->start_s[f] = (double)row[i].d.start_ps / (double)WEIR_PS_PER_S;
            w->trace->end_s[f] = (double)row[i].d.end_ps / (double)WEIR_PS_PER_S;
        }
    }
    return 0;
}

static int take_snapshot(void *ctx, const struct weir_snapshot *snapshot)
{
    const struct watching *w = ctx;
    struct weir_trace *trace = w->trace;
    if (trace->bins == WEIR_TRACE_BINS || snapshot->at_ps != (trace->bins + 1) * BIN_PS)
        return 0; /* the last snapshot is at the end of the run */
    for (uint32_t f = 0; f < w->jobs->flow_count; f++)
        trace->bytes[trace->bins][f] = snapshot->flow[f].now.acked_bytes;
    trace->rtt_ms[trace->bins++] = NAN;
    return 0;
}

int weir_job_plan_simulate(struct weir_job_plan *plan, struct weir_trace *trace, struct weir_err *err)
{
    struct watching w = { .jobs = &plan->setup.jobs, .trace = trace };
    const struct weir_sim_options options = { .threads = 1,
                                              .rows = take_rows,
                                              .rows_ctx = &w,
                                              .snapshot_ps = BIN_PS,
                                              .snapshot = take_snapshot,
                                              .snapshot_ctx = &w,
                                              .snapshot_flows = true };
    struct weir_result result;
    int code;
    memset(trace, 0, sizeof(*trace));
    for (uint32_t f = 0; f < WEIR_PLAN_FLOWS; f++)
        trace->start_s[f] = trace->end_s[f] = NAN;
    weir_setup_track(&plan->setup);
    code = weir_sim_run(&plan->setup.model, &options, &result, err);
    if (code == 0)
        weir_result_free(&result);
    return code;
}

/* --- what a trace says --- */

double weir_trace_job_s(const struct weir_trace *trace, const struct weir_jobs *jobs, uint32_t job)
{
    double last_s = 0;
    for (uint32_t f = jobs->job[job].first; f < jobs->job[job].first + jobs->job[job].count; f++) {
        if (isnan(trace->end_s[f]))
            return (double)NAN;
        last_s = fmax(last_s, trace->end_s[f]);
    }
    return last_s - (double)jobs->job[job].start_ps / (double)WEIR_PS_PER_S;
}

double weir_trace_mbps(const struct weir_trace *trace, uint32_t flow, double from_s, double to_s)
{
    uint32_t from = (uint32_t)(from_s * 1000 / WEIR_TRACE_BIN_MS), to = (uint32_t)(to_s * 1000 / WEIR_TRACE_BIN_MS);
    uint64_t before;
    if (to > trace->bins || from >= to)
        return (double)NAN;
    before = from == 0 ? 0 : trace->bytes[from - 1][flow];
    return (double)(trace->bytes[to - 1][flow] - before) * 8 / ((to - from) * WEIR_TRACE_BIN_MS * 1000.0);
}
