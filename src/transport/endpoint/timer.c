/* src/transport/endpoint/timer.c - the clock of an endpoint, and the timers of operations and peers.
 *
 * The timers are entries of a heap. Of each operation or peer (the owner) at most one entry is valid: the one whose
 * time is the owner's timer_ps. An entry may be due before the owner needs it; the owner then starts its timer again.
 * An entry becomes invalid when an earlier one is added. It stays until its time, or until the heap is full and sweep()
 * removes all invalid entries. The heap has room for two entries per owner. */
#include "endpoint/timer.h"

void ep_clock(struct weir_ep *ep)
{
    uint64_t now_ns = ep->net->now_ns(ep->net);
    uint64_t now_ps = now_ns < ep->opened_ns ? 0 : (now_ns - ep->opened_ns) * WEIR_PS_PER_NS;
    if (now_ps > ep->now_ps)
        ep->now_ps = now_ps;
}

static uint64_t *owner(struct weir_ep *ep, uint64_t id)
{
    uint32_t index = (uint32_t)(id >> 1);
    WEIR_ASSERT(index < ((id & 1) == EP_TIMER_OP ? ep->op_count : ep->peer_count));
    return (id & 1) == EP_TIMER_OP ? &ep->ops[index].timer_ps : &ep->peers[index].timer_ps;
}

static void sweep(struct weir_ep *ep)
{
    struct weir_heap *heap = &ep->timers;
    uint32_t count = heap->count;
    heap->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct weir_heap_entry e = heap->entry[i]; /* valid entries move to the front, never beyond i */
        if (*owner(ep, e.id) != e.at_ps)
            continue;
        *owner(ep, e.id) = WEIR_NEVER; /* else a second entry with the same time would be kept too */
        weir_heap_push(heap, e.at_ps, e.id);
    }
    for (uint32_t i = 0; i < heap->count; i++)
        *owner(ep, heap->entry[i].id) = heap->entry[i].at_ps;
}

void ep_timer_arm(struct weir_ep *ep, enum ep_timer kind, uint32_t index, uint64_t at_ps)
{
    uint64_t id = (uint64_t)index << 1 | kind, *timer_ps = owner(ep, id);
    if (*timer_ps <= at_ps)
        return;
    if (ep->timers.count == ep->timers.capacity)
        sweep(ep);
    WEIR_ASSERT(ep->timers.count < ep->timers.capacity); /* sweep() leaves at most one entry per owner */
    *timer_ps = at_ps;
    weir_heap_push(&ep->timers, at_ps, id);
}

uint64_t ep_timer_ask_ps(const struct weir_ep *ep)
{
    return weir_min_u64(WEIR_PS_PER_S, ep->peer_timeout_ps / 4);
}

void ep_timer_await(struct weir_ep *ep, struct weir_peer *p)
{
    if (ep_peer_owes(p))
        return;
    uint64_t first_ps = ep->peer_timeout_ps / 8 * 7;
    if (ep->stream) /* ep_shake_timer() asks the senders of messages whether they are there */
        first_ps = weir_min_u64(first_ps, WEIR_PS_PER_S);
    p->since_ps = ep->now_ps;
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, ep->now_ps + first_ps);
}

bool ep_timer_due(struct weir_ep *ep, struct ep_due *due)
{
    while (ep->timers.count > 0 && ep->timers.entry[0].at_ps <= ep->now_ps) {
        struct weir_heap_entry e = ep->timers.entry[0];
        weir_heap_pop(&ep->timers);
        if (*owner(ep, e.id) != e.at_ps)
            continue;
        *owner(ep, e.id) = WEIR_NEVER;
        *due = (struct ep_due){ .kind = (e.id & 1) == EP_TIMER_OP ? EP_TIMER_OP : EP_TIMER_PEER,
                                .index = (uint32_t)(e.id >> 1) };
        return true;
    }
    return false;
}
