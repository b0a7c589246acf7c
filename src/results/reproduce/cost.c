/* src/results/reproduce/cost.c - see cost.h. */
#include "reproduce/cost.h"
#include <sqlite3.h>

/* Runs with fewer packet-hops are left out: they are mostly set-up and empty queues. */
#define HOPS_MIN "1000000"

static const char speed_sql[] =
    "SELECT CAST(sum(wall_s) * 1e12 / sum(json_extract(json, '$.packet_hops')) AS INTEGER) FROM run"
    " WHERE protocol = ?1 AND status = 'done' AND json_extract(json, '$.packet_hops') >= " HOPS_MIN;

static const char *protocol_of(const struct weir_plan *plan, const struct weir_point *p)
{
    const char *protocol = NULL;
    for (uint32_t a = 0; a < plan->exp->axis_count; a++)
        if (p->value[a] != WEIR_AXIS_NONE && plan->exp->axis[a].value[p->value[a]].protocol != NULL)
            protocol = plan->exp->axis[a].value[p->value[a]].protocol;
    return protocol;
}

/* Returns the mean real time of a packet-hop, in ps, over the done runs of the protocol in the file that have enough
 * packet-hops (HOPS_MIN); 0 = there are none. */
static uint64_t measured_hop_ps(struct weir_store *store, const char *protocol)
{
    sqlite3_stmt *stmt = NULL;
    uint64_t hop_ps = 0;
    if (protocol == NULL || sqlite3_prepare_v2(weir_store_db(store), speed_sql, -1, &stmt, NULL) != SQLITE_OK)
        return 0;
    (void)sqlite3_bind_text(stmt, 1, protocol, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int64(stmt, 0) > 0)
        hop_ps = (uint64_t)sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    return hop_ps;
}

static void add_by_hops(struct weir_cost *cost, const struct weir_plan *plan, const struct weir_point *p,
                        struct weir_store *store)
{
    uint64_t hop_ps = measured_hop_ps(store, protocol_of(plan, p));
    cost->hop_runs++;
    cost->measured_runs += hop_ps > 0;
    cost->hops += p->hops;
    cost->hop_runs_ps += p->hops * (hop_ps > 0 ? hop_ps : plan->exp->hop_ps); /* 10^14 hops of 100 ns fit */
}

/* Returns the length of a point's run in millionths of the published one. --scale changes only runs whose length the
 * experiment sets. */
static uint64_t length_ppm(const struct weir_plan *plan, const struct weir_point *p)
{
    double part = (double)plan->exp->measured_ppm / 1e6;
    if (p->length_us == 0)
        return 1000000;
    return (uint64_t)((double)plan->scale_ppm * (1 - part) + (double)plan->measure_ppm * part + 0.5);
}

struct weir_cost weir_cost_estimate(const struct weir_plan *plan, struct weir_store *store)
{
    struct weir_cost cost = { 0 };
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct weir_point *p = &plan->point[i];
        if (!p->wanted || p->state != WEIR_POINT_PENDING)
            continue;
        cost.runs++;
        if (p->figure->run_ps > 0)
            cost.all_ps += p->figure->run_ps / 1000000 * length_ppm(plan, p);
        else if (plan->exp->hop_ps > 0)
            add_by_hops(&cost, plan, p, store);
    }
    cost.all_ps += cost.hop_runs_ps;
    return cost;
}

/* Replaces the weights of a figure's points by microseconds of processor time, each at least 1. */
static void weigh_figure(struct weir_plan *plan, const struct weir_figure *figure)
{
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].figure == figure && plan->point[i].wanted) {
            sum += (double)plan->point[i].weight;
            count++;
        }
    for (uint32_t i = 0; i < plan->point_count; i++) {
        struct weir_point *p = &plan->point[i];
        double mean_us = (double)figure->run_ps / 1e6 * (double)length_ppm(plan, p) / 1e6;
        if (p->figure == figure && p->wanted)
            p->weight = (uint64_t)(sum > 0 ? mean_us * (double)p->weight * count / sum : mean_us) + 1;
    }
}

void weir_cost_weigh(struct weir_plan *plan)
{
    bool timed = false;
    for (uint32_t i = 0; i < plan->point_count; i++)
        timed = timed || (plan->point[i].wanted && plan->point[i].figure->run_ps > 0);
    for (uint32_t f = 0; f < plan->exp->figure_count && timed && plan->exp->hop_ps == 0; f++)
        weigh_figure(plan, &plan->exp->figure[f]);
}
