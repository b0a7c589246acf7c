/* src/algorithms/host/stream/law.c - calls of the control law. Each call may change the law's timer and rate. */
#include "host/stream/law.h"
#include "host/stream/notes.h"
#include "host/stream/tcp.h"

/* Returns the path of a flow: its rate, and the number of its switches for a law that needs that. */
static struct weir_path law_path(const struct weir_host *h, const struct host_flow *f)
{
    const struct weir_host_hops *hops = &h->cfg->hops;
    struct weir_path path = weir_host_path(h->cfg, host_self(h), f->dst);
    if (hops->switches != NULL)
        path.hops = hops->switches[(size_t)hops->edge_of[host_self(h)] * hops->edges + hops->edge_of[f->dst]];
    return path;
}

void host_law_reset(struct weir_host *h, struct host_flow *f)
{
    const struct weir_path path = law_path(h, f);
    host_stream_of(h)->cc->init(host_cc(h, f), h->cfg->cc_config, &path);
}

/* Initialises the law's state in flow record `index`, of a connection or of a destination, and arms the law's timer. */
void host_law_init(struct weir_host *h, uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    struct host_flow *f = host_flow_at(h, index);
    WEIR_ASSERT(f->una == f->end);
    host_law_reset(h, f);
    if (s->armed_offset != 0)
        host_law_arm(h, host_law_armed(h, f), host_cc(h, f)->timer_ps, index, HOST_TIMER_LAW);
}

/* Sets ack->rtt_ps and ack->qdelay_max_ps from the field of an ACK that holds both: sent_ps modulo 2^48 and qdelay. */
static void read_stamp(const struct weir_host *h, const struct weir_pkt *pkt, struct weir_ack *ack)
{
    uint64_t since_ps = (ack->now_ps - pkt->sent48_ps) & ((UINT64_C(1) << 48) - 1);
    /* a round trip of 2^47 ps (140 s) or more means a stamp from the future */
    ack->rtt_ps = pkt->sent48_ps != 0 && since_ps < UINT64_C(1) << 47 ? since_ps : 0;
    ack->qdelay_max_ps = pkt->qdelay * h->cfg->qdelay_unit_ps; /* 2^16 units of at most 256 ns */
}

/* Completes *ack, updates the RTT estimate, and calls the law's on_ack(). Adds telemetry records, the receiver's count
 * of flows or how long the ACK was held, the queueing delay, and TCP's flags. Records do not name their switch, so
 * path_id stays 0. Laws recognise another path by another number of hops, or by records that a single port cannot have
 * made (hpcc_core.h). */
void host_law_ack_extended(const struct weir_host *h, struct host_flow *f, const struct weir_pkt *pkt,
                           struct weir_ack *ack)
{
    const struct host_stream *s = host_stream_of(h);
    struct weir_int_hop hop[WEIR_TELEMETRY_HOPS_MAX];
    if (h->extended & HOST_EXTENDED_STAMP)
        read_stamp(h, pkt, ack);
    if (ack->rtt_ps != 0)
        host_rto_sample(f, ack->rtt_ps);
    if (s->tcps.stride != 0)
        host_tcp_ack(h, f, pkt, ack);
    if (s->cc->on_ack == NULL)
        return;
    ack->hop_count = (uint16_t)host_hops_unpack(h, hop);
    if (h->extended & HOST_EXTENDED_HELD)
        ack->held_ps = pkt->share_count * WEIR_PKT_HELD_UNIT_PS; /* 2^14 * 2^16 fits */
    else
        ack->share_count = pkt->share_count;
    ack->hop = h->rx_hops > 0 ? hop : NULL;
    s->cc->on_ack(host_cc(h, f), h->cfg->cc_config, ack);
    if (h->extended & HOST_EXTENDED_NOTED)
        host_notes_ack(s->notes, f, ack);
}

/* Calls the law's on_loss(). lowest: first lost packet; bytes: payload of the packets newly recorded as lost, 0 only
 * with is_timeout */
void host_law_loss(struct weir_host *h, uint64_t now_ps, struct host_flow *f, uint32_t lowest, uint32_t bytes,
                   bool is_timeout)
{
    struct host_stream *s = host_stream_of(h);
    WEIR_ASSERT(bytes > 0 || is_timeout);
    struct weir_loss loss = { .now_ps = now_ps,
                              .lost_seq = host_seq_of(h, f, lowest),
                              .next_seq = host_seq_of(h, f, f->next),
                              .lost_bytes = bytes,
                              .is_timeout = is_timeout };
    if (h->extended & HOST_EXTENDED_NOTED)
        s->notes->other = true;
    if (s->cc->on_loss != NULL)
        s->cc->on_loss(host_cc(h, f), h->cfg->cc_config, &loss);
}

/* Calls the law's on_sent() for the DATA packet pkt that is leaving, then updates the law's timer and pacer. */
void host_law_sent(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f,
                   const struct weir_pkt *pkt)
{
    const struct host_stream *s = host_stream_of(h);
    struct weir_sent sent = { now_ps, host_seq_of(h, f, pkt->seq), pkt->payload_bytes, pkt->flags & WEIR_PKT_RETX };
    s->cc->on_sent(host_cc(h, f), h->cfg->cc_config, &sent);
    if (s->timed_law)
        host_law_times(h, now_ps, index, f);
}

void host_law_notify(struct weir_host *h, struct host_flow *f, const struct weir_notice *notice)
{
    struct host_stream *s = host_stream_of(h);
    WEIR_ASSERT(s->cc->on_notice != NULL);
    if (h->extended & HOST_EXTENDED_NOTED)
        s->notes->other = true;
    s->cc->on_notice(host_cc(h, f), h->cfg->cc_config, notice);
}

/* Calls the law's on_notice() with the contents of the NOTICE pkt. f: flow record with the law's state */
void host_law_notice(struct weir_host *h, uint64_t now_ps, struct host_flow *f, const struct weir_pkt *pkt)
{
    struct weir_notice notice = {
        .now_ps = now_ps, .value = pkt->value, .kind = (uint16_t)pkt->seq, .source = pkt->msg
    };
    host_law_notify(h, f, &notice);
}

/* Handles a timer entry of the law that was made for at_ps. Calls on_timer() if the time that the law now asks for has
 * come. index: flow record with the law's state. @return false = the entry was superseded, and nothing was done; true =
 * the caller calls host_flow_update(), which also arms the timer again */
bool host_law_due(struct weir_host *h, uint64_t now_ps, uint64_t at_ps, uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    struct host_flow *f = host_flow_at(h, index);
    WEIR_ASSERT(s->law_entries > 0);
    s->law_entries--;
    if (*host_law_armed(h, f) != at_ps)
        return false;
    *host_law_armed(h, f) = WEIR_NEVER;
    if (host_cc(h, f)->timer_ps <= now_ps) {
        host_cc(h, f)->timer_ps = WEIR_NEVER;
        s->cc->on_timer(host_cc(h, f), h->cfg->cc_config, now_ps);
    }
    return true;
}
