/* src/sim/calm_start.c - calm switches with start hooks, as telemetry has. They are called late and, per port, in
 * order. The hook of a packet is called when the next one joins the port. Those of all that start in a window are
 * called before its end, when neighbours may see them. Some hooks read another port, too. Those are called in one
 * order for all ports, (start, port), after those of both ports that start before. */
#include "sim/coupled.h"
#include "sim/fate.h"

enum { STARTS_AT_FIRST = 256 };

void weir_sim_calm_start_room(const struct coupled_run *r, uint32_t n)
{
    struct coupled_calm *calm = &r->c->calm;
    uint32_t before = calm->start_capacity, capacity = before == 0 ? STARTS_AT_FIRST : before;
    struct calm_start *bigger;
    struct weir_heap far = calm->far;
    if (WEIR_LIKELY(calm->start_free_count >= n))
        return;
    while (capacity - before + calm->start_free_count < n + 1)
        capacity *= 2;
    bigger = weir_arena_take(&r->th->arena, capacity * sizeof(*bigger));
    far.entry = weir_arena_take(&r->th->arena, capacity * sizeof(*far.entry));
    far.capacity = capacity;
    if (bigger == NULL || far.entry == NULL)
        longjmp(r->th->out_of_memory, 1);
    if (before > 0)
        memcpy(bigger, calm->start, before * sizeof(*bigger));
    if (far.count > 0)
        memcpy(far.entry, calm->far.entry, far.count * sizeof(*far.entry));
    bigger[0].start_ps = WEIR_NEVER;
    for (uint32_t i = before == 0 ? 1 : before; i < capacity; i++, calm->start_free_count++) {
        bigger[i].next = calm->start_free;
        calm->start_free = i;
    }
    calm->start = bigger;
    calm->start_capacity = capacity;
    calm->far = far;
}

void weir_sim_calm_leaving_idle(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct calm_port *port = &r->c->calm.port[p];
    struct weir_dequeue_idle idle;
    weir_chain_dequeue_idle(&r->out[p].port->chain, 0, now_ps, &idle);
    port->quiet_until_ps = idle.until_ps;
    port->event_ps = idle.event_ps;
}

void weir_sim_calm_find_drops(const struct coupled_run *r, uint64_t now_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    calm->drop_ps = WEIR_NEVER;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct calm_port *port = &calm->port[p];
        if (port->start_first != 0)
            weir_sim_calm_leaving_idle(r, p, now_ps);
        for (uint32_t i = port->start_first; i != 0; i = calm->start[i].next) {
            const struct calm_start *s = &calm->start[i];
            if (calm_may_drop(calm, port, s->slot->flags, s->joined_ps, s->start_ps))
                calm->drop_ps = weir_min_u64(calm->drop_ps, s->start_ps);
        }
    }
}

/* A window in which a packet might be dropped is not calm. */
void weir_sim_calm_leaving(const struct coupled_run *r, uint32_t p, const struct calm_start *s)
{
    struct sim_link *link = &r->out[p];
    struct weir_dequeue dequeue = { .pkt = s->slot,
                                    .now_ps = s->start_ps,
                                    .joined_ps = s->joined_ps,
                                    .queue_bytes = r->sw->waiting_bytes[p],
                                    .in_port = calm_in_back(r, s->in) };
    struct weir_dequeued cause = weir_chain_dequeue(&link->port->chain, &dequeue);
    WEIR_ASSERT(cause.drop == WEIR_CAUSE_NONE);
    if (cause.mark != WEIR_CAUSE_NONE && weir_sim_mark(r->th, link, s->slot, s->start_ps, cause.mark)) {
        s->slot->flags_low |= WEIR_PKT_CE;
        link->marks++;
    }
    weir_sim_calm_leaving_idle(r, p, s->start_ps);
}

/* The first packet of the port starts: it does not wait any more. */
SIM_COPIED static inline void call_first(const struct coupled_run *r, uint32_t p, struct coupled_calm *calm,
                                         struct calm_port *port)
{
    struct calm_start *s = &calm->start[port->start_first];
    uint32_t next = s->next;
    r->sw->waiting_bytes[p] -= s->bytes;
    calm_call_start(r, p, s);
    s->next = calm->start_free;
    calm->start_free = port->start_first;
    calm->start_free_count++;
    port->start_first = next;
    port->start_last = next != 0 ? port->start_last : 0;
}

void weir_sim_calm_starts(const struct coupled_run *r, uint32_t p, uint64_t end_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    struct calm_port *port = &calm->port[p];
    do
        call_first(r, p, calm, port);
    while (calm->start[port->start_first].start_ps < end_ps);
}

/* At the same instant lower ports come first. In-link i and port i are of one cable. */
void weir_sim_calm_sync_port(const struct coupled_run *r, uint32_t of, uint32_t p, uint64_t start_ps,
                             struct calm_entry **log)
{
    uint64_t end_ps = start_ps + (of < p);
    if (of == r->sw->in_count)
        return;
    if (r->c->calm.port[of].count > 0)
        weir_sim_calm_decide_log(r, of, end_ps, log);
    calm_starts(r, of, end_ps);
}

void weir_sim_calm_far_start(const struct coupled_run *r, struct calm_entry **log)
{
    struct coupled_calm *calm = &r->c->calm;
    uint64_t start_ps = calm->far.entry[0].at_ps;
    uint32_t p = (uint32_t)calm->far.entry[0].id;
    weir_heap_pop(&calm->far);
    calm_starts(r, p, start_ps);
    WEIR_ASSERT(calm->start[calm->port[p].start_first].start_ps == start_ps);
    weir_sim_calm_sync_port(r, calm->start[calm->port[p].start_first].in, p, start_ps, log);
    weir_sim_calm_starts(r, p, 0); /* just this one */
}

void weir_sim_calm_far_starts(const struct coupled_run *r, uint64_t end_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    struct calm_entry *none = NULL; /* nothing is left to decide before end */
    while (calm->far.count > 0 && calm->far.entry[0].at_ps < end_ps)
        weir_sim_calm_far_start(r, &none);
}

void weir_sim_calm_starts_clear(const struct coupled_run *r)
{
    struct coupled_calm *calm = &r->c->calm;
    calm->far.count = 0;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct calm_port *port = &calm->port[p];
        r->sw->waiting_bytes[p] = 0;
        for (; port->start_first != 0; calm->start_free_count++) {
            uint32_t next = calm->start[port->start_first].next;
            calm->start[port->start_first].next = calm->start_free;
            calm->start_free = port->start_first;
            port->start_first = next;
        }
        port->start_last = 0;
    }
}
