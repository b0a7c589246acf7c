/* src/simulator/coupled/coupled_init.c - the set-up of coupled switches. */
#include "core/feature.h"
#include "coupled/internal.h"
#include "ranks/ranks.h"

enum { DUE_ROOM = 32 }; /* entries besides two per port; with fewer the list is compacted more often */

/* Lists the features with on_timer that are on at the node in c->timer, and sets c->step_ps and c->timer_state. @return
 * false = no memory */
static bool coupled_timers_init(struct sim_thread *th, struct sim_coupled *c, const struct weir_features *features,
                                uint32_t node)
{
    size_t most_bytes = 0;
    c->timer = weir_arena_take(&th->arena, (features->count + 1) * sizeof(*c->timer));
    if (c->timer == NULL)
        return false;
    for (uint32_t i = 0; i < features->count; i++) {
        const struct weir_feature_on *on = &features->on[i];
        if (on->row->on_timer == NULL || !weir_feature_at(on, node).on)
            continue;
        WEIR_ASSERT(on->period_ps > 0);
        c->timer[c->timer_count++] =
            (struct coupled_timer){ .period_ps = on->period_ps, .next_ps = on->period_ps, .feature = i };
        c->step_ps = weir_min_u64(c->step_ps, on->period_ps);
        most_bytes = on->row->port_bytes > most_bytes ? on->row->port_bytes : most_bytes;
    }
    c->timer_state = weir_arena_take(&th->arena, most_bytes + 1);
    return c->timer_state != NULL;
}

/* Tests whether some port of the switch has on_sent hooks. */
static bool coupled_asks_sent(const struct sim_engine *e, const struct sim_switch *sw)
{
    for (uint32_t p = 0; p < sw->out_count; p++)
        if (e->link[sw->first_out + p].port->chain.sent_count > 0)
            return true;
    return false;
}

/* Makes one scheduler of weighted round robin for each port of a switch. @return an array, one per port; NULL = no
 * memory */
static struct weir_wrr *coupled_wrr(struct sim_thread *th, struct sim_engine *e, const struct sim_switch *sw)
{
    const struct weir_mem mem = { .grow = weir_arena_take, .ctx = &th->arena };
    const struct weir_chain **chain = weir_arena_take(&th->arena, sw->out_count * sizeof(*chain));
    for (uint32_t p = 0; chain != NULL && p < sw->out_count; p++)
        chain[p] = &e->link[sw->first_out + p].port->chain;
    return chain != NULL ? weir_wrr_init(&mem, chain, sw->out_count) : NULL;
}

bool weir_sim_coupled_init(struct sim_thread *th, struct sim_engine *e, struct sim_switch *sw)
{
    const struct weir_model *m = e->model;
    bool limited = sw->memory_bytes != UINT64_MAX || weir_features_admit(&m->features);
    uint32_t due_capacity = 2 * sw->out_count + DUE_ROOM;
    struct weir_wrr *wrr = NULL;
    bool has_wrr;
    struct sim_coupled *c;
    if (!sim_is_coupled(m, sw->node))
        return true;
    has_wrr = e->link[sw->first_out].port->chain.wrr.queue_of != NULL;
    c = sw->coupled = weir_arena_take(&th->arena, sizeof(*c));
    if (c == NULL)
        return false;
    *c = (struct sim_coupled){ .port = weir_arena_take(&th->arena, sw->out_count * sizeof(*c->port)),
                               .armed_ps = weir_arena_take(&th->arena, sw->out_count * sizeof(*c->armed_ps)),
                               .dirty_count = (sw->out_count + 63) / 64,
                               .dirty = weir_arena_take(&th->arena, (sw->out_count / 64 + 1) * sizeof(*c->dirty)),
                               .due = weir_arena_take(&th->arena, due_capacity * sizeof(*c->due)),
                               .due_capacity = due_capacity,
                               .due_ps = WEIR_NEVER,
                               .has_control = weir_features_have_control(&m->features),
                               .step_ps = WEIR_NEVER,
                               .cable_ps = WEIR_NEVER };
    if (!coupled_timers_init(th, c, &m->features, sw->node))
        return false;
    c->ends_matter = limited || c->timer_count > 0 || coupled_asks_sent(e, sw);
    if (has_wrr)
        wrr = coupled_wrr(th, e, sw);
    if (c->port == NULL || c->armed_ps == NULL || c->due == NULL || c->dirty == NULL || (wrr == NULL && has_wrr))
        return false;
    for (uint32_t p = 0; p < sw->out_count; p++) {
        e->link[sw->first_out + p].port->wrr = wrr != NULL ? &wrr[p] : NULL;
        c->armed_ps[p] = WEIR_NEVER;
        c->port[p].frame_ps = weir_control_frame_ps(m->topo->link[sw->first_out + p].rate_bps);
        c->cable_ps = weir_min_u64(c->cable_ps, weir_sim_control_cable_ps(e->link[sw->first_out + p].port, 0));
    }
    return weir_sim_deferred_init(th, e, sw);
}

uint64_t weir_sim_coupled_with_records(const struct sim_link *link)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < WEIR_CLASSES_MAX; k++)
        for (uint32_t i = 0; i < link->port->waiting[k].count; i++)
            n += ((const struct sim_stepped *)ring_at(&link->port->waiting[k], sizeof(struct sim_stepped), i))
                     ->pkt.hops > 0;
    return n;
}

void weir_sim_coupled_count(const struct sim_engine *e, struct weir_result *result)
{
    uint64_t sum[3] = { 0 };
    for (uint32_t s = 0; s < e->model->topo->switch_count; s++) {
        const struct sim_coupled *c = e->sw[s].coupled;
        sum[0] += c != NULL ? c->deferred.windows : 0;
        sum[1] += c != NULL ? c->deferred.step_windows : 0;
        sum[2] += c != NULL ? c->deferred.switch_overs : 0;
    }
    weir_sim_ranks_sum(e, sum, 3);
    result->calm_windows = sum[0];
    result->exact_windows = sum[1];
    result->handovers = sum[2];
}
