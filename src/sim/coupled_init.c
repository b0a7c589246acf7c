/* src/sim/coupled_init.c - sets coupled switches up, and says at the end what became of them. */
#include "sim/coupled.h"

bool weir_sim_beside_init(struct sim_thread *th, const struct weir_model *model, struct sim_link *link)
{
    struct sim_beside *beside;
    if (model->fabric.telemetry.mode == WEIR_TELEMETRY_NONE && !model->fabric.pfc.on)
        return true;
    beside = link->beside = weir_arena_take(&th->arena, sizeof(*beside));
    if (beside == NULL)
        return false;
    beside->record_read = beside->record_write = sim_record_init(&th->pool);
    beside->control_read = beside->control_write = beside->control_told = sim_fifo_init(&th->pool);
    beside->obeys.link = (uint32_t)(link - th->engine->link);
    beside->obeys.log = th->engine->options->pauses != NULL ? &th->pauses : NULL;
    return true;
}

static void coupled_port_init(const struct weir_model *m, struct sim_coupled *c, uint32_t p,
                              const struct weir_link *out, const struct weir_link *in)
{
    struct coupled_port *cp = &c->port[p];
    c->armed_ps[p] = WEIR_NEVER;
    cp->frame_ps = weir_pfc_frame_ps(out->rate_bps);
    if (m->fabric.telemetry.mode != WEIR_TELEMETRY_NONE)
        cp->telemetry.rate_id = weir_int_rate_id(m->fabric.telemetry.rates, out->rate_bps);
    if (m->fabric.pfc.on) {
        struct weir_pfc_cable cable = { in->rate_bps, in->delay_ps, out->rate_bps, out->delay_ps };
        cp->in = weir_pfc_in_of(&m->fabric.pfc, &cable, m->host.path.rate_bps);
        c->pool.size_bytes -= weir_min_u64(c->pool.size_bytes, weir_pfc_in_bytes(&m->fabric.pfc, &cp->in));
    }
    if (m->fabric.rocc.on) {
        WEIR_ASSERT(weir_rocc_cp_config_for(out->rate_bps, &cp->cp_config)); /* checked before the run */
        cp->cp = weir_rocc_cp_begin(&cp->cp_config);
    }
}

/* The scheduler of ports whose DATA takes turns. */
static struct weir_turns *coupled_turns(struct sim_thread *th, struct sim_engine *e, const struct sim_switch *sw)
{
    const struct weir_mem mem = { .grow = weir_arena_take, .ctx = &th->arena };
    const struct weir_chain **chain = weir_arena_take(&th->arena, sw->out_count * sizeof(*chain));
    for (uint32_t p = 0; chain != NULL && p < sw->out_count; p++)
        chain[p] = &e->link[sw->first_out + p].port->chain;
    return chain != NULL ? weir_turns_init(&mem, chain, sw->out_count) : NULL;
}

bool weir_sim_coupled_init(struct sim_thread *th, struct sim_engine *e, struct sim_switch *sw)
{
    const struct weir_model *m = e->model;
    const struct weir_fabric_model *f = &m->fabric;
    bool limited = m->memory_bytes != UINT64_MAX || weir_features_admit(&m->features);
    struct weir_turns *turns = NULL;
    bool has_turns;
    struct sim_coupled *c;
    if (!sim_is_coupled(m))
        return true;
    has_turns = e->link[sw->first_out].port->chain.turn.queue_of != NULL;
    c = sw->coupled = weir_arena_take(&th->arena, sizeof(*c));
    if (c == NULL)
        return false;
    *c = (struct sim_coupled){ .port = weir_arena_take(&th->arena, sw->out_count * sizeof(*c->port)),
                               .armed_ps = weir_arena_take(&th->arena, sw->out_count * sizeof(*c->armed_ps)),
                               .dirty = weir_arena_take(&th->arena, (sw->out_count / 64 + 1) * sizeof(*c->dirty)),
                               .armed_min_ps = WEIR_NEVER,
                               .queued_bytes = sizeof(struct coupled_queued) +
                                               f->telemetry.hops_max * sizeof(struct weir_telemetry),
                               .ends_matter = f->pfc.on || f->rocc.on || limited,
                               .pool = { .size_bytes = m->memory_bytes },
                               .step_ps = f->rocc.on ? f->rocc.period_ps : WEIR_NEVER,
                               .cable_ps = WEIR_NEVER };
    if (has_turns)
        turns = coupled_turns(th, e, sw);
    if (c->port == NULL || c->armed_ps == NULL || c->dirty == NULL || (turns == NULL && has_turns))
        return false;
    for (uint32_t p = 0; p < sw->out_count; p++) {
        e->link[sw->first_out + p].port->queued_bytes = c->queued_bytes;
        e->link[sw->first_out + p].port->turns = turns != NULL ? &turns[p] : NULL;
        coupled_port_init(m, c, p, &m->topo->link[sw->first_out + p], &m->topo->link[sw->in_link[p]]);
        if (f->pfc.on)
            c->cable_ps = weir_min_u64(c->cable_ps, weir_sim_pfc_cable_ps(e->link[sw->first_out + p].port, 0));
    }
    return true;
}

uint64_t weir_sim_coupled_backlog_ps(const struct sim_link *link, uint64_t now_ps)
{
    return coupled_backlog_ps(link, now_ps);
}

/* What waits for its turn adds to A(now). */
static sim_area turns_area(const struct weir_turns *turns, uint64_t now_ps)
{
    const struct weir_waiting *w;
    uint64_t cursor = 0;
    sim_area area = 0;
    while ((w = weir_turns_next(turns, &cursor)) != NULL)
        if (w->pkt.arrival_ps < now_ps)
            area += (sim_area)w->tx_ps * 2 * (now_ps - w->pkt.arrival_ps);
    return area;
}

sim_area weir_sim_coupled_area(const struct sim_link *link, uint64_t now_ps)
{
    uint64_t left = link->busy_until_ps > now_ps ? link->busy_until_ps - now_ps : 0;
    sim_area area = link->port->area - (sim_area)left * left;
    if (link->port->turns != NULL)
        area += turns_area(link->port->turns, now_ps);
    for (uint32_t k = 0; k < WEIR_CLASSES_MAX; k++) {
        for (uint32_t i = 0; i < link->port->waiting[k].count; i++) {
            const struct coupled_queued *q = ring_at(&link->port->waiting[k], link->port->queued_bytes, i);
            if (q->pkt.arrival_ps < now_ps)
                area += (sim_area)q->tx_ps * 2 * (now_ps - q->pkt.arrival_ps);
        }
    }
    return area;
}

static void result_link(const struct sim_engine *e, uint32_t i, uint64_t end_ps, struct weir_result *result)
{
    struct sim_beside *beside = e->link[i].beside;
    weir_sim_pfc_close(&beside->obeys, end_ps, e->model->fabric.pfc.storm_ps);
    result->pause_frames += beside->pauses_sent;
    result->resume_frames += beside->resumes_sent;
    result->pause_frames_arrived += beside->obeys.pauses;
    result->resume_frames_arrived += beside->obeys.resumes;
    result->paused_ps += beside->obeys.sum_ps;
    result->pause_storms += beside->obeys.storms;
    if (beside->obeys.longest_ps > result->paused_longest_ps) {
        result->paused_longest_ps = beside->obeys.longest_ps;
        result->paused_longest_link = i;
    }
    if (beside->lossless_drops > 0 && result->lossless_drops == 0)
        result->lossless_drop_link = i; /* the lowest */
    result->lossless_drops += beside->lossless_drops;
}

void weir_sim_coupled_result(struct sim_engine *e, uint64_t end_ps, struct weir_result *result)
{
    for (uint32_t i = 0; e->model->fabric.pfc.on && i < e->model->topo->link_count; i++)
        result_link(e, i, end_ps, result);
    for (uint32_t s = 0; s < e->model->topo->switch_count; s++)
        result->notices += e->sw[s].coupled != NULL ? e->sw[s].coupled->notices : 0;
}
