/* src/algorithms/host/stream/ready.h - the ready ring: which connections may send now. */
#ifndef WEIR_HOST_STREAM_READY_H
#define WEIR_HOST_STREAM_READY_H
#include "host/stream/loss.h"
#include "host/stream/pace.h"
#include "host/stream/peers.h"

void host_flow_leave_line(struct weir_host *h, uint32_t index);
void host_flow_reorder(struct weir_host *h, uint64_t now_ps, uint32_t index);
void host_ready_update(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);
bool host_flow_has_packet(const struct weir_host *h, const struct host_flow *f);
bool host_flow_may_send_rare(const struct weir_host *h, struct host_flow *f);
bool host_shared_begin(const struct weir_host *h, struct host_flow *f);
bool host_shared_waits(const struct weir_host *h, struct host_flow *f);
void host_shared_end(const struct weir_host *h, struct host_flow *f);
void host_shared_count(const struct weir_host *h, struct host_flow *f);
void host_shared_sent(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);
void host_shared_forget(struct host_flow *f);

/* Tests whether cwnd admits `bytes` more; if not, sets f->limited. With nothing in flight the result is always true:
 * otherwise a cwnd below one packet would stop the connection for ever. */
static inline bool host_window_admits(const struct weir_host *h, struct host_flow *f, uint32_t bytes)
{
    const struct host_flow *law = host_law_flow(h, f);
    if (WEIR_LIKELY(law->inflight_bytes + bytes <= host_cc(h, f)->cwnd_bytes) || law->inflight_bytes == 0)
        return true;
    f->limited = f->next;
    return false;
}

/* Tests whether connection f may send a packet now, regardless of its pacer. */
static inline bool host_flow_may_send(const struct weir_host *h, struct host_flow *f)
{
    if (WEIR_UNLIKELY(f->board != 0 || f->end - f->next <= 1 || f->next - f->una >= h->window_pkts))
        return host_flow_may_send_rare(h, f);
    return host_window_admits(h, f, h->mss_bytes);
}

/* Updates the ready ring after calls of the law. First arms the law's timer, and applies the law's latest rate to the
 * time of the next packet. */
static inline void host_flow_update(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    if (WEIR_UNLIKELY(host_stream_of(h)->timed_law))
        host_law_times(h, now_ps, index, f);
    host_ready_update(h, now_ps, index, f);
}
#endif
