/* src/host/stream/timers.c - the entries of a sender-driven host in the timer heap: room for all it may hold, and the instants that laws
 * ask for. A law may ask for an earlier one than before: the entry that was there is superseded, and counts no more. */
#include "host/stream/connection.h"
#include "host/stream/inbound.h"
#include "host/stream/timers.h"

/* Returns where the instant is kept that the entry `id` must agree with; NULL = it always counts. */
static const uint64_t *armed_of(const struct weir_host *h, uint64_t id)
{
    uint32_t index = HOST_TIMER_INDEX(id);
    if (HOST_TIMER_KIND(id) == HOST_TIMER_LAW)
        return host_law_armed(h, host_flow_at(h, index));
    if (HOST_TIMER_KIND(id) != HOST_TIMER_NOTICE)
        return NULL;
    return index == HOST_NONE ? &host_stream_of(h)->rx_law_armed_ps : &host_rx_state_at(h, index)->armed_ps;
}

/* Makes room for every entry the timer heap may hold, so that none is refused later. These are an RTO per sending connection, a
 * delayed ACK per receiving one, and two for each half of a law, as one may be superseded. @return false = no memory */
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

/* Tests whether an entry counts: it agrees with armed_of(), or was not superseded by an earlier one. */
static bool counts(void *ctx, const struct weir_heap_entry *e)
{
    struct weir_host *h = ctx;
    const uint64_t *armed = armed_of(h, e->id);
    if (armed != NULL && *armed != e->at_ps)
        return false;
    host_stream_of(h)->law_entries += armed != NULL;
    return true;
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
    host_stream_of(of->h)->law_entries -= kind == HOST_TIMER_NOTICE;
    return false;
}

/* Removes the entries of the receiving connections from a host. */
void host_rx_timers_drop(struct weir_host *h, uint32_t src)
{
    weir_timers_keep(&h->timers, is_of_others, &(struct of_host){ h, src });
}

static void drop_superseded(struct weir_host *h)
{
    host_stream_of(h)->law_entries = 0;
    weir_timers_keep(&h->timers, counts, h);
}

/* Moves a law's entry forward where it asks for an earlier instant than *armed. index, kind: of the entry */
void host_law_arm(struct weir_host *h, uint64_t *armed, uint64_t at_ps, uint32_t index, enum host_timer kind)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t laws = s->rx_states.count + (s->armed_offset != 0 ? s->flows.count : 0) + (s->rx_law != NULL);
    if (at_ps >= *armed)
        return;          /* none wanted, or the entry there is comes first and will be put back */
    *armed = WEIR_NEVER; /* what is in the heap for this connection, if anything, is superseded */
    if (s->law_entries >= 2 * laws)
        drop_superseded(h); /* at least half of them: each is paid for by the push that superseded it */
    *armed = at_ps;
    s->law_entries++;
    host_timer_push(h, at_ps, index, kind);
}
