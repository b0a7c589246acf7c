/* src/algorithms/host/stream/pace.h - when a connection acts by itself: its pacer, and the timer that its law asks for.
 * */
#ifndef WEIR_HOST_STREAM_PACE_H
#define WEIR_HOST_STREAM_PACE_H
#include "host/stream/connection.h"
#include "host/stream/timers.h"

struct host_pacer {      /* of a sending connection that ever had a rate, or host.overhead */
    uint64_t since_ps;   /* when the latest packet left that had one */
    uint64_t rate_bps;   /* at which the next one waits for it */
    uint64_t hold_ps;    /* host.overhead: nothing leaves before, whatever the rate */
    uint64_t next_ps;    /* until then */
    uint64_t armed_ps;   /* its entry in the pace heap that counts; WEIR_NEVER = none */
    uint32_t wire_bytes; /* of that packet */
};

/* Supersede an entry, or add one, for an earlier instant; called by host_law_arm() and host_pace_arm() alone. */
void host_law_arm_earlier(struct weir_host *h, uint64_t *armed, uint64_t at_ps, uint32_t index, enum host_timer kind);
void host_pace_arm_earlier(struct weir_host *h, uint32_t index, struct host_pacer *p);
void host_pace(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t wire_bytes);
void host_overhead_hold(struct weir_host *h, uint32_t index, struct host_flow *f, uint64_t at_ps);
void host_overhead_sent(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t wire_bytes);
void host_law_times(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);

/* Moves a law's entry forward where it asks for an earlier instant than *armed; else none is wanted, or the entry there
 * is comes first and will be put back. index, kind: of the entry */
static inline void host_law_arm(struct weir_host *h, uint64_t *armed, uint64_t at_ps, uint32_t index,
                                enum host_timer kind)
{
    if (WEIR_UNLIKELY(at_ps < *armed))
        host_law_arm_earlier(h, armed, at_ps, index, kind);
}

/* Adds an entry for when the packet's time has come, unless one comes before, which will be put back. */
static inline void host_pace_arm(struct weir_host *h, uint32_t index, struct host_pacer *p)
{
    if (p->next_ps < p->armed_ps)
        host_pace_arm_earlier(h, index, p);
}

/* Takes an entry of the pace heap that is due. @return true if the connection is not paced any more: it may send */
static inline bool host_pace_due(struct weir_host *h, uint64_t now_ps, uint64_t at_ps, uint32_t index)
{
    struct host_flow *f = host_flow_at(h, index);
    struct host_pacer *p = HOST_RECORD(struct host_pacer, &host_stream_of(h)->pacers, index);
    WEIR_CHECK(index < host_stream_of(h)->pacers.count);
    if (p->armed_ps != at_ps)
        return false; /* superseded */
    p->armed_ps = WEIR_NEVER;
    if (!(f->flags & HOST_PACED))
        return false; /* a faster rate let it go before */
    if (p->next_ps > now_ps) {
        host_pace_arm(h, index, p);
        return false;
    }
    f->flags &= (uint8_t)~HOST_PACED;
    return true;
}
#endif
