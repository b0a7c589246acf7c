/* src/algorithms/host/stream/timers.c - the timer heap of a sender-driven host: room for all its entries, and removal
 * of those of a forgotten host. */
#include "host/stream/inbound.h"
#include "host/stream/timers.h"

/* Makes room for every entry that the timer heap may hold, so that no push can fail later. These are one RTO per
 * sending connection, one delayed ACK per receiving connection, and two timers per law state of each half: one of the
 * two may be superseded. @return false = no memory */
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

struct of_host { /* context of is_of_others(): host h, and src, the host that is forgotten */
    struct weir_host *h;
    uint32_t src;
};

/* Tests whether a timer entry must be kept: it is no delayed ACK or receiver-half timer of a connection from host
 * of->src. Reduces law_entries for each receiver-half timer that is not kept. */
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

/* Removes the timer entries of all receiving connections from host src. */
void host_rx_timers_drop(struct weir_host *h, uint32_t src)
{
    weir_timers_keep(&h->timers, is_of_others, &(struct of_host){ h, src });
}
