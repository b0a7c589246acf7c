/* src/sim/lost.c - see lost.h. The cause is decided where its rule is applied. A thread counts what its own nodes drop
 * or lose; counts of links are written by the thread of the port alone. */
#include "sim/lost.h"
#include <stdlib.h>

bool weir_sim_lost_init(struct sim_engine *e)
{
    size_t links = e->options->causes && e->options->links ? e->model->topo->link_count : 0;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        struct sim_thread *th = &e->thread[t];
        th->lost = weir_arena_take(&th->arena, e->cause_count * sizeof(*th->lost)); /* zeroed */
        if (th->lost == NULL)
            return false;
    }
    if (links > 0)
        e->lost_at = calloc(links * e->cause_count, sizeof(*e->lost_at));
    return links == 0 || e->lost_at != NULL;
}

void weir_sim_lost_free(struct sim_engine *e)
{
    free(e->lost_at);
    free(e->snapshot_lost);
}

/* Counts a packet under its cause. */
static void count(struct sim_thread *th, const struct weir_pkt *pkt, uint32_t cause)
{
    const struct weir_credit_ops *credit = th->engine->model->host.credit;
    enum weir_lost_kind kind = weir_lost_kind(pkt, credit != NULL ? credit->credit_kinds : 0);
    uint32_t last = th->engine->model->classes - 1;
    WEIR_ASSERT(cause != WEIR_CAUSE_NONE && cause < th->engine->cause_count);
    th->lost[cause][kind][pkt->class_id < last ? pkt->class_id : last]++;
}

/* Counts it likewise, and at the port, which is the caller's. */
static void count_at(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *pkt, uint32_t cause)
{
    struct sim_engine *e = th->engine;
    count(th, pkt, cause);
    if (e->lost_at != NULL)
        e->lost_at[(size_t)(link - e->link) * e->cause_count + cause]++;
}

void weir_sim_drop(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                   uint32_t cause)
{
    link->drops++;
    th->gone++;
    count_at(th, link, pkt, cause);
    weir_sim_tap_drop(th, link, pkt, now_ps, cause);
}

void weir_sim_lose(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t start_ps,
                   uint32_t cause)
{
    th->gone++;
    if (start_ps >= th->engine->end_ps) { /* the run is over before */
        link->losses_later++;
        return;
    }
    link->losses++;
    count_at(th, link, pkt, cause);
}

void weir_sim_refuse(struct sim_thread *th, struct sim_link *in, const struct weir_pkt *pkt)
{
    in->unrouted++;
    th->gone++;
    th->hops++;
    count(th, pkt, WEIR_CAUSE_NO_ROUTE); /* of the link: weir_sim_lost_result() */
    weir_sim_tap_refuse(th, in, pkt);
    if (sim_has_records(th->engine->model))
        sim_records_drop(&th->records, pkt);
}

/* Adds up what all threads have counted under a cause: a count of each kind and class. */
static struct weir_cause_count sum_of(const struct sim_engine *e, uint32_t cause)
{
    struct weir_cause_count sum = { .cause = weir_cause_of(&e->model->features, cause) };
    for (uint32_t t = 0; t < e->thread_count; t++)
        for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++)
            for (uint32_t i = 0; i < WEIR_CLASSES_MAX; i++)
                sum.pkts[k][i] += e->thread[t].lost[cause][k][i];
    return sum;
}

void weir_sim_lost_sums(const struct sim_engine *e, uint64_t *sum)
{
    for (uint32_t c = 0; c < e->cause_count; c++) {
        const struct weir_cause_count row = sum_of(e, c);
        sum[c] = weir_cause_pkts(&row);
    }
}

bool weir_sim_lost_result(struct sim_engine *e, struct weir_result *result)
{
    struct weir_causes *causes = weir_causes_new(&e->model->features, e->model->classes, 0);
    if (causes == NULL)
        return false;
    for (uint32_t c = 0; c < causes->count; c++)
        causes->row[c] = sum_of(e, c);
    for (uint32_t i = 0; e->lost_at != NULL && i < e->model->topo->link_count; i++)
        e->lost_at[(size_t)i * e->cause_count + WEIR_CAUSE_NO_ROUTE] += e->link[i].unrouted;
    causes->of_link = e->lost_at;
    e->lost_at = NULL;
    result->causes = causes;
    return true;
}

const char *weir_sim_lost_check(const struct sim_engine *e)
{
    uint64_t dropped = 0, lost = 0;
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        dropped += e->link[i].drops + e->link[i].unrouted;
        lost += e->link[i].losses;
    }
    for (uint32_t c = 0; c < e->cause_count; c++) {
        const struct weir_cause_count row = sum_of(e, c);
        *(row.cause.rule->on_wire ? &lost : &dropped) -= weir_cause_pkts(&row);
    }
    return dropped != 0 || lost != 0 ? "what was dropped or lost is not the sum over its causes" : NULL;
}
