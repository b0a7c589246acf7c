/* src/simulator/observe/interim.c - the result of a run that goes on: a copy of what weir_sim_finish() changes is
 * finished. Nodes and links are shared with the run, as they are only read. */
#include "observe/observe.h"
#include <stdlib.h>

static void copy_samples(struct weir_samples *to, const struct weir_samples *from)
{
    weir_samples_init(to, from->limit);
    weir_samples_merge(to, from);
}

/* Makes *to a copy of a shard, without rows. */
static void copy_shard(struct weir_account_shard *to, const struct weir_account_shard *from)
{
    const struct weir_recorder *rec = &from->recorder;
    WEIR_ASSERT(rec->detail == NULL && from->row == NULL);
    *to = *from;
    weir_recorder_init(&to->recorder, rec->group_edge, rec->from_ps, rec->until_ps, rec->completion[0].limit);
    to->recorder.short_bytes = rec->short_bytes;
    weir_recorder_merge(&to->recorder, rec);
    for (uint32_t k = 0; k < WEIR_LAWS_MAX; k++)
        for (int g = 0; g < WEIR_GROUP_COUNT - 1; g++)
            copy_samples(&to->law[k].slowdown[g], &from->law[k].slowdown[g]);
}

static void interim_free(struct sim_engine *x)
{
    for (uint32_t t = 0; x->account.shard != NULL && t < x->thread_count; t++) {
        weir_recorder_free(&x->account.shard[t].recorder);
        for (uint32_t k = 0; k < WEIR_LAWS_MAX; k++)
            for (int g = 0; g < WEIR_GROUP_COUNT - 1; g++)
                weir_samples_free(&x->account.shard[t].law[k].slowdown[g]);
    }
    free(x->account.shard);
    free(x->thread);
    free(x->sw);
    free(x->sample_area);
    free(x->arrived);
}

/* Makes *x a copy of an engine, with its own memory for what finish() and samples change. @return false = no memory;
 * what was copied must be freed */
static bool interim_copy(struct sim_engine *x, const struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    size_t bins = e->arrived != NULL ? (size_t)e->thread_count * weir_account_bins(e->model) : 0;
    *x = *e;
    x->account.batches = NULL; /* they are not all over, and are the run's */
    x->account.shard = calloc(e->thread_count, sizeof(*x->account.shard));
    x->thread = aligned_alloc(64, e->thread_count * sizeof(*x->thread));
    x->sw = calloc(topo->switch_count + 1u, sizeof(*x->sw));
    x->sample_area = calloc(topo->link_count, sizeof(*x->sample_area));
    x->arrived = bins > 0 ? calloc(bins, sizeof(*x->arrived)) : NULL;
    if (x->account.shard == NULL || x->thread == NULL || x->sw == NULL || x->sample_area == NULL ||
        (bins > 0 && x->arrived == NULL))
        return false;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        copy_shard(&x->account.shard[t], &e->account.shard[t]);
        memcpy(&x->thread[t], &e->thread[t], sizeof(x->thread[t]));
        x->thread[t].engine = x;
        x->thread[t].into = &x->thread[t].samples;
    }
    memcpy(x->sw, e->sw, topo->switch_count * sizeof(*x->sw));
    memcpy(x->sample_area, e->sample_area, topo->link_count * sizeof(*x->sample_area));
    if (bins > 0)
        memcpy(x->arrived, e->arrived, bins * sizeof(*x->arrived));
    return true;
}

int weir_sim_interim(const struct sim_engine *e, uint64_t at_ps, struct weir_result *result, struct weir_err *err)
{
    struct sim_engine *x = malloc(sizeof(*x));
    int code = 0;
    if (x == NULL)
        return weir_fail_memory(err);
    if (interim_copy(x, e)) {
        x->stopped_ps = at_ps;
        x->interrupted = true;
        for (uint32_t t = 0; t < x->thread_count; t++)
            weir_sim_sample_rest(&x->thread[t], at_ps);
        weir_sim_finish_as(x, false, result);
        for (uint32_t t = 0; code == 0 && t < x->thread_count; t++)
            if (x->thread[t].failed != 0 || x->account.shard[t].out_of_memory)
                code = weir_fail_memory(err);
        if (code == 0 && x->broken != NULL)
            code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "invariant broken: %s", x->broken);
    } else {
        code = weir_fail_memory(err);
    }
    interim_free(x);
    free(x);
    return code;
}
