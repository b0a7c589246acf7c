/* src/simulator/coupled/deferred_start.c - start hooks that are called late, as those of telemetry.
 * A port's hooks are called in the order of its starts. The hooks of a packet are called at the latest when the next
 * packet joins the port after its start. Hooks of packets that start in a window are called before its end, since
 * neighbours may read the packets then. Hooks that read another port are called in one order for all ports, (start,
 * port). Each is called after the hooks of both ports for earlier starts. */
#include "coupled/internal.h"
#include "state/fate.h"

enum { STARTS_AT_FIRST = 256 };

void weir_sim_deferred_start_room(const struct coupled_run *r, uint32_t n)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    uint32_t before = deferred->start_capacity, capacity = before == 0 ? STARTS_AT_FIRST : before;
    struct deferred_start *bigger;
    struct weir_heap other = deferred->other_starts;
    if (WEIR_LIKELY(deferred->start_free_count >= n))
        return;
    while (capacity - before + deferred->start_free_count < n + 1)
        capacity *= 2;
    bigger = weir_arena_take(&r->th->arena, capacity * sizeof(*bigger));
    other.entry = weir_arena_take(&r->th->arena, capacity * sizeof(*other.entry));
    other.capacity = capacity;
    if (bigger == NULL || other.entry == NULL)
        longjmp(r->th->out_of_memory, 1);
    if (before > 0)
        memcpy(bigger, deferred->start, before * sizeof(*bigger));
    if (other.count > 0)
        memcpy(other.entry, deferred->other_starts.entry, other.count * sizeof(*other.entry));
    bigger[0].start_ps = WEIR_NEVER;
    for (uint32_t i = before == 0 ? 1 : before; i < capacity; i++, deferred->start_free_count++) {
        bigger[i].next = deferred->start_free;
        deferred->start_free = i;
    }
    WEIR_ASSERT(deferred->start_free_count >= n);
    deferred->start = bigger;
    deferred->start_capacity = capacity;
    deferred->other_starts = other;
}

void weir_sim_deferred_dequeue_idle(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct deferred_port *port = &r->c->deferred.port[p];
    struct weir_dequeue_idle idle;
    weir_chain_dequeue_idle(&r->out[p].port->chain, 0, now_ps, &idle);
    port->quiet_until_ps = idle.until_ps;
    port->event_ps = idle.event_ps;
}

void weir_sim_deferred_find_drops(const struct coupled_run *r, uint64_t now_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    deferred->drop_ps = WEIR_NEVER;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct deferred_port *port = &deferred->port[p];
        if (port->start_first != 0)
            weir_sim_deferred_dequeue_idle(r, p, now_ps);
        for (uint32_t i = port->start_first; i != 0; i = deferred->start[i].next) {
            const struct deferred_start *s = &deferred->start[i];
            if (deferred_may_drop(deferred, port, s->slot->flags, s->joined_ps, s->start_ps))
                deferred->drop_ps = weir_min_u64(deferred->drop_ps, s->start_ps);
        }
    }
}

/* Relies on weir_sim_deferred_choose(): a window in which a packet might be dropped goes step by step. */
void weir_sim_deferred_dequeue(const struct coupled_run *r, uint32_t p, const struct deferred_start *s)
{
    struct sim_link *link = &r->out[p];
    struct weir_dequeue dequeue = { .pkt = s->slot,
                                    .now_ps = s->start_ps,
                                    .joined_ps = s->joined_ps,
                                    .queue_bytes = r->sw->waiting_bytes[p],
                                    .in_port = deferred_in_port(r, s->in) };
    struct weir_dequeued cause = weir_chain_dequeue(&link->port->chain, &dequeue);
    WEIR_ASSERT(cause.drop == WEIR_CAUSE_NONE);
    if (cause.mark != WEIR_CAUSE_NONE && weir_sim_mark(r->th, link, s->slot, s->start_ps, cause.mark)) {
        s->slot->flags_low |= WEIR_PKT_CE;
        link->marks++;
    }
    weir_sim_deferred_dequeue_idle(r, p, s->start_ps);
}

/* Calls the start hooks of the first noted packet of a port, and removes the packet from the list. */
SIM_COPIED static inline void call_first(const struct coupled_run *r, uint32_t p, struct coupled_deferred *deferred,
                                         struct deferred_port *port)
{
    struct deferred_start *s = &deferred->start[port->start_first];
    uint32_t next = s->next;
    r->sw->waiting_bytes[p] -= s->bytes;
    deferred_call_start(r, p, s);
    s->next = deferred->start_free;
    deferred->start_free = port->start_first;
    deferred->start_free_count++;
    port->start_first = next;
    port->start_last = next != 0 ? port->start_last : 0;
}

void weir_sim_deferred_starts(const struct coupled_run *r, uint32_t p, uint64_t end_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    struct deferred_port *port = &deferred->port[p];
    do
        call_first(r, p, deferred, port);
    while (deferred->start[port->start_first].start_ps < end_ps);
}

/* Includes starts at start_ps itself if `of` is the lower port. In-link i and port i belong to the same cable. */
void weir_sim_deferred_sync_port(const struct coupled_run *r, uint32_t of, uint32_t p, uint64_t start_ps,
                                 struct deferred_entry **log)
{
    uint64_t end_ps = start_ps + (of < p);
    if (of == r->sw->in_count)
        return;
    if (r->c->deferred.port[of].count > 0)
        weir_sim_deferred_decide_log(r, of, end_ps, log);
    deferred_starts(r, of, end_ps);
}

void weir_sim_deferred_other_start(const struct coupled_run *r, struct deferred_entry **log)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    uint64_t start_ps = deferred->other_starts.entry[0].at_ps;
    uint32_t p = (uint32_t)deferred->other_starts.entry[0].id;
    weir_heap_pop(&deferred->other_starts);
    deferred_starts(r, p, start_ps);
    WEIR_ASSERT(deferred->start[deferred->port[p].start_first].start_ps == start_ps);
    weir_sim_deferred_sync_port(r, deferred->start[deferred->port[p].start_first].in, p, start_ps, log);
    weir_sim_deferred_starts(r, p, 0); /* end 0: only the first noted packet */
}

void weir_sim_deferred_other_starts(const struct coupled_run *r, uint64_t end_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    struct deferred_entry *none = NULL; /* no decision before end_ps is left, so nothing is logged */
    while (deferred->other_starts.count > 0 && deferred->other_starts.entry[0].at_ps < end_ps)
        weir_sim_deferred_other_start(r, &none);
}

void weir_sim_deferred_starts_clear(const struct coupled_run *r)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    deferred->other_starts.count = 0;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct deferred_port *port = &deferred->port[p];
        r->sw->waiting_bytes[p] = 0;
        for (; port->start_first != 0; deferred->start_free_count++) {
            uint32_t next = deferred->start[port->start_first].next;
            deferred->start[port->start_first].next = deferred->start_free;
            deferred->start_free = port->start_first;
            port->start_first = next;
        }
        port->start_last = 0;
    }
    WEIR_ASSERT(deferred->start_capacity == 0 || deferred->start_free_count == deferred->start_capacity - 1);
}
