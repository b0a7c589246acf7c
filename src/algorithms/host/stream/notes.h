/* src/algorithms/host/stream/notes.h - the calls of a law in one period, to be replayed in further periods without
 * packets (doc/skip.md). */
#ifndef WEIR_HOST_STREAM_NOTES_H
#define WEIR_HOST_STREAM_NOTES_H
#include "core/cc.h"
#include "host/stream/connection.h"

#define HOST_LAW_COPY 512u /* largest state of a law whose calls can be replayed */

struct host_windows { /* windows that admit the same packets as one that was noted */
    uint32_t least_bytes, most_bytes;
};

struct host_noted { /* one call of on_ack(), and the law's answer */
    struct weir_ack ack;
    uint64_t rate_bps, timer_ps;
    uint32_t cwnd_bytes;
    uint32_t next;              /* the next call for the same connection; HOST_NONE = none */
    struct host_windows window; /* from this call on, until the next one or the end of the period */
};

struct host_noted_flow {
    uint32_t first, last;       /* its calls; HOST_NONE = none */
    uint64_t bytes;             /* newly acknowledged by them */
    uint32_t cwnd_bytes;        /* at the beginning of the period, */
    uint32_t inflight_bytes;    /* and in flight then */
    struct host_windows window; /* from then until the first call */
};

struct host_notes {
    struct weir_host *h;
    struct host_ring call;        /* struct host_noted, in order of time */
    struct host_noted_flow *flow; /* flow_count of them, by connection; room for flow_room */
    uint32_t flow_count, flow_room;
    bool other; /* the law was called for something else, or there was no memory: nothing can be replayed */
};

bool host_stream_note(struct weir_host *h, bool on);
uint64_t host_stream_replay(struct weir_host *h, uint64_t first, uint64_t last, uint64_t period_ps, bool for_good);

/* Notes a call of the law's on_ack() for flow f, after it. */
void host_notes_ack(struct host_notes *notes, struct host_flow *f, const struct weir_ack *ack);
#endif
