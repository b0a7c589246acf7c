/* src/algorithms/host/stream/pace.h - the pacer of a connection, and the timer of its law. */
#ifndef WEIR_HOST_STREAM_PACE_H
#define WEIR_HOST_STREAM_PACE_H
#include "host/stream/connection.h"
#include "host/stream/timers.h"

struct host_pacer {      /* pacer of a sending connection, or of a destination if the law is per_peer */
    uint64_t since_ps;   /* when the latest paced packet left */
    uint64_t from_ps;    /* when the interval after that packet began; at most that packet's interval before since_ps */
    uint64_t rate_bps;   /* rate that sets the time between that packet and the next */
    uint64_t hold_ps;    /* host.overhead: no packet leaves before, whatever the rate */
    uint64_t next_ps;    /* when the next packet may leave, or might have left if the NIC was busy then */
    uint64_t open_ps;    /* since when data and window admit the next packet; WEIR_NEVER = they do not */
    uint64_t armed_ps;   /* time of its valid entry in the pace heap; WEIR_NEVER = none */
    uint32_t wire_bytes; /* size of the latest paced packet */
    bool is_new;         /* the law has set a rate, and no packet has left since: no wait is made up for */
};

void host_law_arm(struct weir_host *h, uint64_t *armed, uint64_t at_ps, uint32_t index, enum host_timer kind);
void host_pace_arm(struct weir_host *h, uint32_t index, struct host_pacer *p);
void host_pace(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t wire_bytes,
               bool is_open);
void host_overhead_hold(struct weir_host *h, uint32_t index, struct host_flow *f, uint64_t at_ps);
void host_overhead_sent(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t wire_bytes);
void host_pace_open(struct weir_host *h, uint64_t now_ps, uint32_t index, bool is_open);
void host_law_times(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);

/* Handles an entry of the pace heap that is due; at_ps: its time. @return true if the pacer has just released the
 * connection, which may now be able to send; false = superseded, released before, or to wait longer */
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
