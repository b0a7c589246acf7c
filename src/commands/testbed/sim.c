/* src/commands/testbed/sim.c - see sim.h. */
#include "testbed/sim.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_BYTES = 1024, HOST_DELAYS = 4 /* a round trip passes cables of hosts so often */ };

struct weir_testbed_sim *weir_testbed_sim_open(const char *path, const char *const *set, struct weir_err *err)
{
    struct weir_override override[WEIR_TESTBED_SETTINGS] = { { .text = NULL } };
    struct weir_testbed_sim *sim = calloc(1, sizeof(*sim));
    uint32_t count = 0;
    int code = sim != NULL ? 0 : weir_fail_memory(err);
    for (; set[count] != NULL && count < WEIR_TESTBED_SETTINGS; count++)
        override[count].text = set[count];
    WEIR_ASSERT(set[count] == NULL);
    if (code == 0)
        code = weir_scenario_load(&sim->scn, path, override, count, err);
    if (code == 0) {
        code = weir_setup_init(&sim->setup, &sim->scn, err);
        if (code == 0)
            return sim;
        weir_scenario_free(&sim->scn);
    }
    free(sim);
    return NULL;
}

int weir_testbed_sim_run(struct weir_testbed_sim *sim, const struct weir_sim_options *options, struct weir_err *err)
{
    return weir_sim_run(&sim->setup.model, options, &sim->result, err);
}

void weir_testbed_sim_close(struct weir_testbed_sim *sim)
{
    if (sim == NULL)
        return;
    weir_result_free(&sim->result);
    weir_setup_free(&sim->setup);
    weir_scenario_free(&sim->scn);
    free(sim);
}

/* --- an experiment's files and settings --- */

int weir_testbed_scenario_open(struct weir_testbed_scenario *s, const char *experiment, struct weir_tree_arena *arena,
                               struct weir_err *err)
{
    *s = (struct weir_testbed_scenario){ .origin = { .id = experiment } };
    return weir_sweep_dir_open(&s->dir, &s->origin, arena, err);
}

void weir_testbed_scenario_close(struct weir_testbed_scenario *s)
{
    weir_sweep_dir_close(&s->dir);
}

void weir_testbed_scenario_set(struct weir_testbed_scenario *s, const char *format, ...)
{
    va_list args;
    int bytes;
    WEIR_ASSERT(s->count < WEIR_TESTBED_SETTINGS);
    va_start(args, format);
    bytes = vsnprintf(s->text[s->count], WEIR_TESTBED_SETTING, format, args);
    va_end(args);
    WEIR_ASSERT(bytes > 0 && bytes < WEIR_TESTBED_SETTING);
    s->count++;
}

void weir_testbed_scenario_rtt(struct weir_testbed_scenario *s, double rtt_us, double heads_us)
{
    weir_testbed_scenario_set(s, "topology.host_delay=%.0f ns", fmax((rtt_us - heads_us) / HOST_DELAYS, 1) * 1000);
}

struct weir_testbed_sim *weir_testbed_scenario_load(const struct weir_testbed_scenario *s, const char *file,
                                                    struct weir_err *err)
{
    char path[PATH_BYTES];
    const char *set[WEIR_TESTBED_SETTINGS + 1] = { NULL };
    for (uint32_t i = 0; i < s->count; i++)
        set[i] = s->text[i];
    (void)snprintf(path, sizeof(path), "%s/%s", s->dir.path, file);
    return weir_testbed_sim_open(path, set, err);
}

/* --- figure 4 of SIRD's paper --- */

struct held { /* credit held by host 0: sum over the snapshots of the measured part */
    uint64_t from_ps, sum_bytes, snapshots;
};

static int take_snapshot(void *ctx, const struct weir_snapshot *snapshot)
{
    struct held *held = ctx;
    if (snapshot->at_ps < held->from_ps || snapshot->host == NULL)
        return 0;
    held->sum_bytes += snapshot->host[0].credit_held_bytes;
    held->snapshots++;
    return 0;
}

int weir_testbed_sim_held(const char *dir, uint32_t receivers, bool informed, uint64_t rtt_ps, double *held_bytes,
                          struct weir_err *err)
{
    char path[PATH_BYTES], file[64], delay[64];
    const char *const set[] = { file, delay, informed ? "protocol.SThr=0.5 BDP" : "protocol.SThr=infinite", NULL };
    struct held held = { 0 };
    struct weir_sim_options options = {
        .threads = 1, .snapshot_ps = 100 * WEIR_PS_PER_US, .snapshot = take_snapshot, .snapshot_ctx = &held
    };
    struct weir_testbed_sim *sim;
    int code;
    (void)snprintf(path, sizeof(path), "%s/outcast.yaml", dir);
    (void)snprintf(file, sizeof(file), "traffic[0].file=outcast-%u.csv", (unsigned)receivers);
    (void)snprintf(delay, sizeof(delay), "topology.host_delay=%llu ps", (unsigned long long)(rtt_ps / 4));
    sim = weir_testbed_sim_open(path, set, err);
    if (sim == NULL)
        return (int)err->code;
    held.from_ps = sim->setup.model.warmup_ps;
    code = weir_testbed_sim_run(sim, &options, err);
    if (code == 0 && held.snapshots == 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "the simulation of the testbed measured nothing");
    if (code == 0)
        *held_bytes = (double)held.sum_bytes / (double)held.snapshots;
    weir_testbed_sim_close(sim);
    return code;
}
