/* src/algorithms/host/stream/timers.c - the entries of a sender-driven host in the timer heap: room for all it may
 * hold, and those of receiving connections whose host is forgotten. */
#include "host/stream/inbound.h"
#include "host/stream/timers.h"

/* Makes room for every entry the timer heap may hold, so that none is refused later. These are an RTO per sending
 * connection, a delayed ACK per receiving one, and two for each half of a law, as one may be superseded. @return
 * false = no memory */
bool host_time_room(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t need = s->flows.count * (s->armed_offset != 0 ? 3 : 1);
    if (h->cfg->params.ack_every > 1)
        need += s->rxs.count;
    if (s->rx_states.stride != 0)
        need += 2 * s->rxs.count;
    if (s->rx_law != NULL)
        need += 2;
    return host_timers_room(h, need);
}

struct of_host { /* the receiving connections from a host */
    struct weir_host *h;
    uint32_t src;
};

/* Tests whether an entry is not for a delayed ACK, nor for a law's receiver half, of a connection from that host. */
static bool is_of_others(void *ctx, const struct weir_heap_entry *e)
{
    const struct of_host *of = ctx;
    uint32_t kind = HOST_TIMER_KIND(e->id), index = HOST_TIMER_INDEX(e->id);
    if ((kind != HOST_TIMER_ACK && kind != HOST_TIMER_NOTICE) || index == HOST_NONE)
        return true;
    if (host_rx_at(of->h, index)->src != of->src)
        return true;
    WEIR_ASSERT(kind != HOST_TIMER_NOTICE || host_stream_of(of->h)->law_entries > 0);
    host_stream_of(of->h)->law_entries -= kind == HOST_TIMER_NOTICE;
    return false;
}

/* Removes the entries of the receiving connections from a host. */
void host_rx_timers_drop(struct weir_host *h, uint32_t src)
{
    weir_timers_keep(&h->timers, is_of_others, &(struct of_host){ h, src });
}
