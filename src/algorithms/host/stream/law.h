/* src/algorithms/host/stream/law.h - calls of the control law. The call per ACK is inline. */
#ifndef WEIR_HOST_STREAM_LAW_H
#define WEIR_HOST_STREAM_LAW_H
#include "host/stream/pace.h"
#include "host/stream/rto.h"

void host_law_init(struct weir_host *h, uint32_t index);
/* Initialises the law's state of a connection, or of a destination, for the path to its host. */
void host_law_reset(struct weir_host *h, struct host_flow *f);
void host_law_ack_extended(const struct weir_host *h, struct host_flow *f, const struct weir_pkt *pkt,
                           struct weir_ack *ack);
void host_law_loss(struct weir_host *h, uint64_t now_ps, struct host_flow *f, uint32_t lowest, uint32_t bytes,
                   bool is_timeout);
void host_law_sent(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f,
                   const struct weir_pkt *pkt);
/* Calls the law's on_notice(), which no replay of run.skip repeats. */
void host_law_notify(struct weir_host *h, struct host_flow *f, const struct weir_notice *notice);
void host_law_notice(struct weir_host *h, uint64_t now_ps, struct host_flow *f, const struct weir_pkt *pkt);
bool host_law_due(struct weir_host *h, uint64_t now_ps, uint64_t at_ps, uint32_t index);

/* Updates the RTT estimate by an ACK, and calls the law's on_ack(). f: una and inflight_bytes are already updated;
 * acked_bytes: newly delivered; app_limited: cwnd did not limit the sender */
static inline void host_law_ack(const struct weir_host *h, uint64_t now_ps, struct host_flow *f,
                                const struct weir_pkt *pkt, uint32_t acked_bytes, bool app_limited)
{
    const struct host_stream *s = host_stream_of(h);
    struct weir_ack ack = {
        .now_ps = now_ps,
        .rtt_ps = pkt->sent_ps != 0 && pkt->sent_ps < now_ps ? now_ps - pkt->sent_ps : 0,
        .acked_seq = host_seq_of(h, f, f->una),
        .next_seq = host_seq_of(h, f, f->next),
        .acked_bytes = acked_bytes,
        .marked_bytes = pkt->flags & WEIR_PKT_ECE ? acked_bytes : 0,
        .inflight_bytes = host_law_flow(h, f)->inflight_bytes,
        .flags = app_limited ? WEIR_ACK_APP_LIMITED : 0,
    };
    if (WEIR_UNLIKELY(h->extended & (HOST_EXTENDED_ACKS | HOST_EXTENDED_NOTED))) {
        host_law_ack_extended(h, f, pkt, &ack);
        return;
    }
    if (ack.rtt_ps != 0)
        host_rto_sample(f, ack.rtt_ps);
    if (s->cc->on_ack != NULL)
        s->cc->on_ack(host_cc(h, f), h->cfg->cc_config, &ack);
}
#endif
