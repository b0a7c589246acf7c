/* src/simulator/ranks/fold.c - sums, maxima and decisions over all ranks. Rank 0 gets what the others have, in the
 * order of ranks, so results do not depend on who comes first. */
#include "ranks/internal.h"
#include "model/profile.h"

enum { PART = 1 << 17 }; /* values of a sum in one message */

bool weir_sim_ranks_swap(struct sim_ranks *r)
{
    int code = 0;
    for (uint32_t q = 0; q < r->carrier->ranks && !r->failed; q++)
        if (r->out[q].out_of_memory)
            code = weir_fail_memory(&r->err);
    if (code == 0 && !r->failed)
        code = r->carrier->exchange(r->carrier, r->out, r->in, &r->err);
    r->failed = r->failed || code != 0;
    return !r->failed;
}

bool weir_sim_ranks_to_first(struct sim_ranks *r, const struct weir_buffer *own)
{
    uint32_t rank = r->carrier->rank;
    for (uint32_t q = 0; q < r->carrier->ranks; q++)
        r->out[q].bytes = 0;
    if (rank != 0) {
        weir_buffer_put(&r->out[0], own->data, own->bytes);
        r->out[0].out_of_memory |= own->out_of_memory;
    }
    return weir_sim_ranks_swap(r) && rank == 0;
}

void weir_sim_ranks_merge(const struct sim_engine *e, void *value, size_t bytes,
                          void (*add)(void *sum, const void *of, size_t bytes))
{
    struct sim_ranks *r = e->ranks;
    struct weir_buffer own = { .data = value, .bytes = bytes };
    if (r == NULL || !weir_sim_ranks_to_first(r, &own))
        return;
    for (uint32_t q = 1; q < r->carrier->ranks; q++) {
        WEIR_ASSERT(r->in[q].bytes == bytes);
        if (bytes > 0)
            add(value, r->in[q].data, bytes);
    }
}

static void add_sums(void *sum, const void *of, size_t bytes)
{
    uint64_t *to = sum;
    const uint64_t *from = of;
    for (size_t i = 0; i < bytes / sizeof(*to); i++)
        to[i] += from[i];
}

static void keep_most(void *sum, const void *of, size_t bytes)
{
    uint64_t *to = sum;
    const uint64_t *from = of;
    for (size_t i = 0; i < bytes / sizeof(*to); i++)
        to[i] = weir_max_u64(to[i], from[i]);
}

/* Adds arrays of all links, too: so it goes by parts, and buffers stay small. */
void weir_sim_ranks_sum(const struct sim_engine *e, uint64_t *value, size_t count)
{
    for (size_t i = 0; i < count && e->ranks != NULL; i += PART)
        weir_sim_ranks_merge(e, value + i, weir_min_u64(PART, count - i) * sizeof(*value), add_sums);
}

void weir_sim_ranks_most(const struct sim_engine *e, uint64_t *value, size_t count)
{
    weir_sim_ranks_merge(e, value, count * sizeof(*value), keep_most);
}

void weir_sim_ranks_share(const struct sim_engine *e, void *value, size_t bytes)
{
    struct sim_ranks *r = e->ranks;
    if (r != NULL && !r->failed)
        r->failed = weir_carrier_share(r->carrier, value, bytes, &r->err) != 0;
}

void weir_sim_ranks_append(const struct sim_engine *e, struct weir_buffer *rows)
{
    struct sim_ranks *r = e->ranks;
    if (r == NULL)
        return;
    if (weir_sim_ranks_to_first(r, rows))
        for (uint32_t q = 1; q < r->carrier->ranks; q++)
            weir_buffer_put(rows, r->in[q].data, r->in[q].bytes);
    if (r->carrier->rank != 0)
        rows->bytes = 0;
}

const char *weir_sim_ranks_first(const struct sim_engine *e, const char *broken)
{
    struct sim_ranks *r = e->ranks;
    struct weir_buffer own = { 0 };
    bool first;
    if (r == NULL)
        return broken;
    if (broken != NULL)
        weir_buffer_put(&own, broken, weir_min_u64(strlen(broken) + 1, sizeof(r->broken)));
    first = weir_sim_ranks_to_first(r, &own);
    weir_buffer_free(&own);
    for (uint32_t q = 1; first && broken == NULL && q < r->carrier->ranks; q++)
        if (r->in[q].bytes > 0) {
            memcpy(r->broken, r->in[q].data, r->in[q].bytes);
            r->broken[sizeof(r->broken) - 1] = 0;
            broken = r->broken;
        }
    return broken;
}

void weir_sim_ranks_agree(struct sim_engine *e)
{
    struct {
        uint64_t snapshot_every_ps;
        int callback_code;
        bool stalled, broken;
    } agreed = { .callback_code = e->callback_code, .stalled = e->stalled, .broken = e->broken != NULL };
    if (e->ranks == NULL)
        return;
    if (e->options->snapshot_every_ps != NULL)
        agreed.snapshot_every_ps = *e->options->snapshot_every_ps;
    weir_sim_ranks_share(e, &agreed, sizeof(agreed));
    e->callback_code = agreed.callback_code;
    e->stalled = agreed.stalled;
    if (agreed.broken && e->broken == NULL)
        e->broken = "an invariant is broken";
    e->ranks->snapshot_every_ps = agreed.snapshot_every_ps;
}

const struct weir_err *weir_sim_ranks_error(const struct sim_engine *e)
{
    return e->ranks != NULL && e->ranks->failed ? &e->ranks->err : NULL;
}

void weir_sim_ranks_profile(const struct sim_engine *e)
{
    const struct sim_ranks *r = e->ranks;
    struct weir_profile_rank all[WEIR_SIM_RANKS_MAX] = { 0 };
    if (r == NULL)
        return;
    all[r->carrier->rank] = (struct weir_profile_rank){ .rounds = r->rounds, .bytes = r->sent_bytes };
    for (uint32_t t = 0; t < r->threads; t++)
        all[r->carrier->rank].pkts += r->away[t].pkts;
    weir_sim_ranks_sum(e, &all[0].rounds, sizeof(all) / (sizeof(uint64_t)));
    if (e->options->profile != NULL)
        memcpy(e->options->profile->rank, all, sizeof(all));
}

uint32_t weir_sim_ranks_count(const struct sim_engine *e)
{
    return e->options->carrier != NULL ? e->options->carrier->ranks : 1;
}

void weir_sim_ranks_fail(struct sim_engine *e)
{
    if (e->ranks == NULL || e->ranks->failed)
        return;
    (void)weir_fail_memory(&e->ranks->err);
    e->ranks->failed = true;
}
