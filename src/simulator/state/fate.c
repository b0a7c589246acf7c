/* src/simulator/state/fate.c - see fate.h. The cause of a fate is decided where its rule is applied. Each thread counts
 * the fates at its own nodes. Counts by link are written by the thread that owns the source of the link. */
#include "state/fate.h"
#include "core/credit_ops.h"
#include "state/tap.h"
#include <stdlib.h>

bool weir_sim_fate_init(struct sim_engine *e)
{
    size_t links = e->options->causes && e->options->links ? e->model->topo->link_count : 0;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        struct sim_thread *th = &e->thread[t];
        th->lost = weir_arena_take(&th->arena, e->cause_count * sizeof(*th->lost)); /* zeroed */
        th->decided = weir_arena_take(&th->arena, e->cause_count * sizeof(*th->decided));
        if (th->lost == NULL || th->decided == NULL)
            return false;
    }
    if (links > 0)
        e->fates_at = calloc(links * e->cause_count, sizeof(*e->fates_at));
    return links == 0 || e->fates_at != NULL;
}

void weir_sim_fate_free(struct sim_engine *e)
{
    free(e->fates_at);
    free(e->snapshot_lost);
}

/* Counts a packet that was dropped or lost: by cause, kind of packet and class. A class beyond the last of the run
 * counts as the last. */
static void count(struct sim_thread *th, const struct weir_pkt *pkt, uint32_t cause)
{
    const struct weir_host_config *cfg = weir_host_config_of(&th->engine->model->host, weir_pkt_law(pkt));
    const struct weir_credit_ops *credit = cfg->credit;
    enum weir_lost_kind kind = weir_lost_kind(pkt, credit != NULL ? credit->credit_kinds : 0);
    uint32_t last = th->engine->model->classes - 1;
    WEIR_ASSERT(cause != WEIR_CAUSE_NONE);
    WEIR_ASSERT(cause < th->engine->cause_count);
    th->lost[cause][kind][pkt->class_id < last ? pkt->class_id : last]++;
    th->law[weir_pkt_law(pkt)].drops++;
    th->law[weir_pkt_law(pkt)].data_drops += kind == WEIR_LOST_DATA;
}

/* Counts a cause once at a link, if causes by link were requested. The calling thread must own the source of the
 * link. */
static void count_link(const struct sim_thread *th, const struct sim_link *link, uint32_t cause)
{
    struct sim_engine *e = th->engine;
    if (e->fates_at != NULL)
        e->fates_at[(size_t)(link - e->link) * e->cause_count + cause]++;
}

void weir_sim_fate(struct sim_thread *th, const struct sim_link *link, uint32_t cause)
{
    WEIR_ASSERT(cause < th->engine->cause_count);
    if (cause == WEIR_CAUSE_NONE)
        return;
    th->decided[cause]++;
    count_link(th, link, cause);
}

uint32_t weir_sim_mark(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                       uint32_t cause)
{
    uint32_t by = weir_chain_takes(&link->port->chain, pkt, now_ps);
    weir_sim_fate(th, link, by != WEIR_CAUSE_NONE ? by : cause);
    link->port->hook_marks += by == WEIR_CAUSE_NONE;
    return by == WEIR_CAUSE_NONE;
}

void weir_sim_drop(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                   uint32_t cause)
{
    link->drops++;
    th->ended++;
    count(th, pkt, cause);
    count_link(th, link, cause);
    weir_sim_tap_drop(th, link, pkt, now_ps, cause);
}

void weir_sim_lose(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint32_t cause)
{
    th->ended++;
    link->losses++;
    count(th, pkt, cause);
    count_link(th, link, cause);
}

void weir_sim_refuse(struct sim_thread *th, struct sim_link *in, const struct weir_pkt *pkt)
{
    in->unrouted++;
    th->ended++;
    th->hops++;
    count(th, pkt, WEIR_CAUSE_NO_ROUTE); /* weir_sim_fate_result() adds it by link */
    weir_sim_tap_refuse(th, in, pkt);
    if (sim_has_records(th->engine->model))
        sim_records_drop(&th->records, pkt);
}

/* Returns how many CE marks of a link's port came from the port's threshold, not from a hook. */
static uint64_t threshold_marks(const struct sim_link *link)
{
    return link->marks - (link->port != NULL ? link->port->hook_marks : 0);
}

/* Returns the counts of one cause: the sum over all threads, plus the marks of all ports whose threshold has this
 * cause. */
static struct weir_cause_count sum_of(const struct sim_engine *e, uint32_t cause)
{
    struct weir_cause_count sum = { .cause = weir_cause_of(&e->model->features, cause) };
    WEIR_ASSERT(cause < e->cause_count);
    for (uint32_t t = 0; t < e->thread_count; t++) {
        for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++)
            for (uint32_t i = 0; i < WEIR_CLASSES_MAX; i++)
                sum.pkts[k][i] += e->thread[t].lost[cause][k][i];
        sum.decided += e->thread[t].decided[cause];
    }
    for (uint32_t i = 0; sum.cause.rule->fate == WEIR_FATE_MARKED && i < e->model->topo->link_count; i++)
        sum.decided += e->link[i].mark_cause == cause ? threshold_marks(&e->link[i]) : 0;
    return sum;
}

void weir_sim_fate_sums(const struct sim_engine *e, uint64_t *sum)
{
    for (uint32_t c = 0; c < e->cause_count; c++) {
        const struct weir_cause_count row = sum_of(e, c);
        sum[c] = weir_cause_times(&row);
    }
}

bool weir_sim_fate_result(struct sim_engine *e, struct weir_result *result)
{
    struct weir_causes *causes = weir_causes_new(&e->model->features, e->model->classes, 0);
    if (causes == NULL)
        return false;
    WEIR_ASSERT(causes->count == e->cause_count);
    for (uint32_t c = 0; c < causes->count; c++)
        causes->row[c] = sum_of(e, c);
    for (uint32_t i = 0; e->fates_at != NULL && i < e->model->topo->link_count; i++) {
        uint64_t *at = e->fates_at + (size_t)i * e->cause_count;
        at[WEIR_CAUSE_NO_ROUTE] += e->link[i].unrouted;
        if (e->link[i].mark_cause != WEIR_CAUSE_NONE)
            at[e->link[i].mark_cause] += threshold_marks(&e->link[i]);
    }
    causes->of_link = e->fates_at;
    e->fates_at = NULL;
    result->causes = causes;
    return true;
}

const char *weir_sim_fate_check(const struct sim_engine *e)
{
    uint64_t left[WEIR_FATES] = { 0 };
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        const struct sim_link *link = &e->link[i];
        left[WEIR_FATE_DROPPED] += link->drops + link->unrouted;
        left[WEIR_FATE_LOST] += link->losses;
        left[WEIR_FATE_MARKED] += link->marks;
        if (link->mark_cause == WEIR_CAUSE_NONE && threshold_marks(link) != 0)
            return "a port that has no threshold has marked without a rule";
    }
    for (uint32_t c = 0; c < e->cause_count; c++) {
        const struct weir_cause_count row = sum_of(e, c);
        left[row.cause.rule->fate] -= weir_cause_times(&row);
    }
    return left[WEIR_FATE_DROPPED] != 0 || left[WEIR_FATE_LOST] != 0 || left[WEIR_FATE_MARKED] != 0
               ? "what was dropped, lost or marked is not the sum over its causes"
               : NULL;
}
