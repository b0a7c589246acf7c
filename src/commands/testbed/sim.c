/* src/commands/testbed/sim.c - see sim.h. */
#include "testbed/sim.h"
#include "setup/setup.h"
#include "engine/sim.h"
#include <stdio.h>
#include <stdlib.h>

enum { PATH_BYTES = 1024, SETTINGS = 3 };

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

struct sim { /* large: on the heap */
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_result result;
};

static int simulate(struct sim *sim, double *held_bytes, struct weir_err *err)
{
    struct held held = { .from_ps = sim->setup.model.warmup_ps };
    struct weir_sim_options options = {
        .threads = 1, .snapshot_ps = 100 * WEIR_PS_PER_US, .snapshot = take_snapshot, .snapshot_ctx = &held
    };
    int code = weir_sim_run(&sim->setup.model, &options, &sim->result, err);
    if (code == 0 && held.snapshots == 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "the simulation of the testbed measured nothing");
    if (code == 0)
        *held_bytes = (double)held.sum_bytes / (double)held.snapshots;
    weir_result_free(&sim->result);
    return code;
}

int weir_testbed_sim_held(const char *dir, uint32_t receivers, bool informed, uint64_t rtt_ps, double *held_bytes,
                          struct weir_err *err)
{
    char path[PATH_BYTES], file[64], delay[64], sthr[64];
    struct weir_override set[SETTINGS] = { { .text = file }, { .text = delay }, { .text = sthr } };
    struct sim *sim = calloc(1, sizeof(*sim));
    int code;
    if (sim == NULL)
        return weir_fail_memory(err);
    (void)snprintf(path, sizeof(path), "%s/outcast.yaml", dir);
    (void)snprintf(file, sizeof(file), "traffic[0].file=outcast-%u.csv", (unsigned)receivers);
    (void)snprintf(delay, sizeof(delay), "topology.host_delay=%llu ps", (unsigned long long)(rtt_ps / 4));
    (void)snprintf(sthr, sizeof(sthr), "protocol.SThr=%s", informed ? "0.5 BDP" : "infinite");
    code = weir_scenario_load(&sim->scn, path, set, SETTINGS, err);
    if (code == 0) {
        code = weir_setup_init(&sim->setup, &sim->scn, err);
        if (code == 0) {
            code = simulate(sim, held_bytes, err);
            weir_setup_free(&sim->setup);
        }
        weir_scenario_free(&sim->scn);
    }
    free(sim);
    return code;
}
