/* src/simulator/coupled/coupled_parts.c - functions that step-by-step and deferred-hook windows share, and functions
 * that few packets need: on_forward, the order of virtual lanes, packets that the switch makes itself. */
#include "coupled/step_join.h"

void weir_sim_coupled_enqueue(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry)
{
    coupled_enqueue(r, p, entry);
}

void weir_sim_coupled_put(const struct coupled_run *r, uint32_t p, struct sim_stepped *entry, uint64_t now_ps)
{
    coupled_put(r, p, entry, sim_counted_backlog_ps(&r->out[p], now_ps), now_ps);
}

void weir_sim_coupled_drop(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint64_t now_ps,
                           uint32_t cause)
{
    weir_sim_drop(r->th, &r->out[p], pkt, now_ps, cause);
    if (sim_has_records(r->model))
        sim_records_drop(&r->th->records, pkt);
}

/* Returns how many links a packet takes from this switch to its destination if it leaves by `port`: the callback
 * weir_forward.links. */
static uint32_t coupled_links(const struct weir_forward *f, uint32_t port)
{
    const struct coupled_run *r = f->ctx;
    const struct weir_topology *topo = r->model->topo;
    uint32_t node = topo->link[topo->node[r->sw->node].first_out + port].dst;
    return 1 + weir_route_links_from(r->th->routes, topo, node, f->pkt->src, f->pkt->dst, f->pkt->hash);
}

uint32_t weir_sim_coupled_forward(const struct coupled_run *r, uint32_t p, struct weir_pkt *pkt, uint32_t in,
                                  uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    uint64_t backlog_ps =
        r->c->deferred.active ? sim_fifo_backlog_ps(link, now_ps) : sim_counted_backlog_ps(link, now_ps);
    struct weir_forward f = { .pkt = pkt,
                              .now_ps = now_ps,
                              .queue_bytes = sim_queue_bytes(link, backlog_ps),
                              .in_port = in,
                              .out_port = p,
                              .links = coupled_links,
                              .ctx = r };
    weir_sim_fate(r->th, link, weir_chain_forward(&r->out[in].port->chain, &f));
    WEIR_ASSERT(f.out_port < r->sw->out_count);
    return f.out_port;
}

uint32_t weir_sim_coupled_forward_entry(const struct coupled_run *r, uint32_t p, struct sim_stepped *entry,
                                        uint64_t now_ps)
{
    p = weir_sim_coupled_forward(r, p, &entry->pkt, entry->in, now_ps);
    entry->class_id = (uint16_t)coupled_class(r, &r->out[p], &entry->pkt);
    return p;
}

uint32_t weir_sim_coupled_escaping(const struct coupled_run *r, const struct sim_link *link)
{
    uint32_t upper = r->model->classes - 1, closed = coupled_closed(link);
    const struct sim_stepped *q;
    WEIR_ASSERT(r->model->aged_classes == 2);
    if ((link->waiting_classes & closed & 1u << upper) == 0 || (closed & 1u << (upper - 1)) != 0)
        return 0;
    q = ring_at(&link->port->waiting[upper], sizeof(*q), 0);
    return q->pkt.stays == 0 ? 1u << upper : 0;
}

/* Breaks ties by in-link: simultaneous arrivals join in the order of their in-links. */
uint32_t weir_sim_coupled_oldest(const struct sim_port *port, uint32_t ready)
{
    uint32_t oldest;
    WEIR_ASSERT(ready != 0);
    oldest = (uint32_t)__builtin_ctz(ready);
    for (uint32_t left = ready & (ready - 1); left != 0; left &= left - 1) {
        uint32_t class_id = (uint32_t)__builtin_ctz(left);
        const struct sim_stepped *q = ring_at(&port->waiting[class_id], sizeof(*q), 0),
                                 *first = ring_at(&port->waiting[oldest], sizeof(*q), 0);
        if (q->pkt.arrival_ps < first->pkt.arrival_ps ||
            (q->pkt.arrival_ps == first->pkt.arrival_ps && q->in < first->in))
            oldest = class_id;
    }
    return oldest;
}
