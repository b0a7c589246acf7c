/* src/sim/coupled_rocc.c - RoCC's controllers: at every period each port of a switch finds its fair rate and tells the flows that
 * have data in it. */
#include "sim/coupled.h"

struct coupled_flow { /* an entry of the table of flows told, good if round is this one's */
    uint32_t conn, round;
    uint32_t src;
};

/* A table with room for twice as many flows; a new round empties it. */
static void rocc_begin_flows(const struct coupled_run *r, uint32_t flows)
{
    struct sim_coupled *c = r->c;
    if (2 * flows + 2 > c->flow_capacity) {
        c->flow_capacity = 64;
        while (c->flow_capacity < 2 * flows + 2)
            c->flow_capacity *= 2;
        c->flow = weir_arena_take(&r->th->arena, c->flow_capacity * sizeof(*c->flow)); /* zeroed */
        if (c->flow == NULL)
            longjmp(r->th->out_of_memory, 1);
        c->flow_round = 0;
    }
    c->flow_round++;
}

static bool rocc_is_new(struct sim_coupled *c, const struct weir_pkt *pkt)
{
    uint64_t i = weir_mix_u64((uint64_t)pkt->src << 32 | pkt->conn);
    for (;; i++) {
        struct coupled_flow *f = &c->flow[i & (c->flow_capacity - 1)];
        if (f->round != c->flow_round) {
            *f = (struct coupled_flow){ .conn = pkt->conn, .src = pkt->src, .round = c->flow_round };
            return true;
        }
        if (f->conn == pkt->conn && f->src == pkt->src)
            return false;
    }
}

/* pkt: data of a flow that is in port p. */
static void rocc_tell(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint64_t rate_bps,
                      uint64_t now_ps)
{
    uint32_t out = weir_route_pick(&r->here, pkt->dst, pkt->src, pkt->hash);
    struct coupled_queued notice = { .pkt = { .value = rate_bps,
                                              .conn = pkt->conn,
                                              .msg = r->sw->first_out + p,
                                              .seq = WEIR_ROCC_CP_NOTICE,
                                              .hash = pkt->hash,
                                              .src = pkt->dst,
                                              .dst = pkt->src,
                                              .wire_bytes = WEIR_ROCC_CP_NOTICE_BYTES,
                                              .kind = WEIR_PKT_NOTICE },
                                     .in = COUPLED_NO_IN };
    r->c->notices++;
    r->th->injected++;
    if (out == WEIR_ROUTE_PORT_NONE) {
        r->out[p].drops++;
        r->th->gone++;
        return;
    }
    weir_sim_coupled_put(r, out, &notice, NULL, now_ps);
}

static void rocc_consider(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint64_t rate_bps,
                          uint64_t now_ps)
{
    if (pkt->kind == WEIR_PKT_DATA && rocc_is_new(r->c, pkt))
        rocc_tell(r, p, pkt, rate_bps, now_ps);
}

/* Notices may join the very class that is looked through: only what waited before is of interest, and a ring may move. */
static void rocc_step_port(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    struct coupled_port *cp = &r->c->port[p];
    uint64_t rate_bps =
        weir_rocc_cp_step(&cp->cp, &cp->cp_config, sim_queue_bytes(link, coupled_backlog_ps(link, now_ps)));
    uint32_t count[WEIR_CLASSES_MAX];
    struct weir_pkt pkt;
    rocc_begin_flows(r, link->waiting_pkts + 1);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        count[c] = link->port->waiting[c].count;
    if (cp->is_sending)
        rocc_consider(r, p, &cp->sending, rate_bps, now_ps);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++) {
        for (uint32_t i = 0; i < count[c]; i++) {
            pkt = ((const struct coupled_queued *)ring_at(&link->port->waiting[c], r->c->queued_bytes, i))->pkt;
            rocc_consider(r, p, &pkt, rate_bps, now_ps);
        }
    }
}

void weir_sim_rocc_step(const struct coupled_run *r, uint64_t now_ps)
{
    for (uint32_t p = 0; p < r->sw->out_count; p++)
        if ((r->out[p].slow & SIM_SLOW_CABLE) == 0 || weir_sim_port_up_ps(r->out[p].port, now_ps) == now_ps)
            rocc_step_port(r, p, now_ps);
    r->c->step_ps += r->model->fabric.rocc.period_ps;
}

/* Empty ports speak to nobody, and once two steps say the same so do all others, until something comes. */
void weir_sim_rocc_catch_up(const struct coupled_run *r, uint64_t now_ps)
{
    uint64_t first_ps = r->c->step_ps, period_ps = r->model->fabric.rocc.period_ps, steps;
    if (first_ps >= now_ps)
        return;
    steps = (now_ps - 1 - first_ps) / period_ps + 1;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct coupled_port *cp = &r->c->port[p];
        bool has_cable = (r->out[p].slow & SIM_SLOW_CABLE) != 0;
        for (uint64_t i = 0; i < steps; i++) {
            struct weir_rocc_cp before = cp->cp;
            uint64_t at_ps = first_ps + i * period_ps;
            if (has_cable && weir_sim_port_up_ps(r->out[p].port, at_ps) != at_ps)
                continue;
            (void)weir_rocc_cp_step(&cp->cp, &cp->cp_config, 0);
            if (cp->cp.f_micro == before.f_micro && cp->cp.q_old == before.q_old)
                break;
        }
    }
    r->c->step_ps = first_ps + steps * period_ps;
}
