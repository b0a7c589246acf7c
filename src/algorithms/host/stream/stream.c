/* src/algorithms/host/stream/stream.c - the sender-driven host: set-up, dispatch of packets that arrive, and its
 * function tables, with acknowledgements and without. */
#include "host/common/bitmap.h"
#include "host/common/reassembly.h"
#include "host/stream/cancel.h"
#include "host/stream/flow.h"
#include "host/stream/handshake.h"
#include "host/stream/inbound.h"
#include "host/stream/loss.h"
#include "host/stream/mark.h"
#include "host/stream/notes.h"
#include "host/stream/message.h"
#include "host/stream/pace.h"
#include "host/stream/peers.h"
#include "host/stream/prefetch.h"
#include "host/stream/receiver.h"
#include "host/stream/room.h"
#include "host/stream/rto.h"
#include "host/stream/rx_state.h"
#include "host/stream/schedule.h"
#include "host/stream/send.h"
#include "host/stream/single.h"
#include "host/stream/stream.h"
#include "host/stream/stream_state.h"
#include "host/stream/tcp.h"
#include "host/stream/telemetry.h"
#include "host/stream/time.h"
#include "host/stream/track.h"

static uint32_t up(size_t bytes, uint32_t to)
{
    return (uint32_t)(bytes + to - 1) & ~(to - 1);
}

static size_t stream_bytes(const struct weir_host_config *cfg)
{
    return HOST_LINES(sizeof(struct host_stream)) + cfg->cc->rx_bytes;
}

static void stream_init(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    const struct weir_host_params *params = &h->cfg->params;
    const struct weir_cc_ops *cc = h->cfg->cc;
    uint32_t flow_bytes = up(sizeof(struct host_flow) + cc->state_bytes, 8);
    *s = (struct host_stream){ .cc = cc,
                               .each_acked = params->ack_every <= 1,
                               .go_back = params->reliability == WEIR_GO_BACK_N,
                               .newreno = params->reliability == WEIR_NEWRENO,
                               .latch_ece = params->ecn == WEIR_ECN_RFC3168,
                               .source_marks = params->mark_bytes != 0 && params->nic_queue == WEIR_NIC_PULL,
                               .weighted = params->nic_schedule == WEIR_NIC_WEIGHTED,
                               .per_peer = cc->per_peer };
    if (cc->on_timer != NULL) {
        s->timed_law = true;
        s->armed_offset = flow_bytes;
        flow_bytes += (uint32_t)sizeof(uint64_t);
    }
    s->flows = (struct host_table){ .stride = up(flow_bytes, 64), .free = HOST_NONE };
    s->rxs = (struct host_table){ .stride = sizeof(struct host_rx), .free = HOST_NONE };
    s->peers = (struct host_table){ .stride = sizeof(struct host_peer), .free = HOST_NONE };
    s->waits = (struct host_table){ .stride = sizeof(struct host_wait), .free = HOST_NONE };
    host_bitmaps_init(h);
    size_t bitmap_bytes = h->bitmap_units * sizeof(uint64_t);
    s->boards =
        (struct host_table){ .stride = up(sizeof(struct host_board) + 2 * bitmap_bytes, 64), .free = HOST_NONE };
    host_gaps_init(h, 1);
    s->pacers = (struct host_table){ .stride = sizeof(struct host_pacer), .free = HOST_NONE };
    host_rx_state_init(h);
    host_tcp_init(h);
    host_track_init(h);
    host_schedule_init(h);
    if (params->short_bytes != 0)
        h->hold |= HOST_HOLD_BY_CLASS;
}

/* Processes a SYN-ACK, which opens a connection. On that connection starts the message that has waited longest for its
 * destination; if none waits, the connection becomes idle. */
static HOST_COLD void rx_syn_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = host_handshake_syn_ack(h, now_ps, pkt);
    if (f != NULL)
        host_message_next(h, now_ps, pkt->conn, f);
}

static HOST_COLD void rx_odd(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    uint32_t kind = weir_pkt_kind_for(pkt, h->self_word);
    bool notice = kind == WEIR_PKT_NOTICE;
    if (notice && pkt->conn == WEIR_PKT_NO_CONN && host_stream_of(h)->per_peer)
        host_flow_notice_shared(h, now_ps, pkt);
    else if (notice)
        host_flow_notice(h, now_ps, pkt);
    else if (kind == WEIR_PKT_ABORT && h->machine == &host_stream_machine)
        host_rx_abort(h, now_ps, pkt);
    else if (kind == WEIR_PKT_DONE)
        host_stream_done(h, now_ps, pkt);
    else if (kind == WEIR_PKT_SYN && h->machine == &host_stream_machine)
        host_handshake_syn(h, pkt);
    else if (kind == WEIR_PKT_SYN_ACK)
        rx_syn_ack(h, now_ps, pkt);
    else
        h->stats.refused_pkts++;
}

/* Processes one packet. @return true if the ACK was written to *answer, see weir_host_rx_free() */
static bool stream_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
{
    uint32_t kind = weir_pkt_kind_for(pkt, h->self_word);
    if (WEIR_UNLIKELY(kind > WEIR_PKT_REPLY)) {
        rx_odd(h, now_ps, pkt);
    } else if (kind == WEIR_PKT_DATA) {
        return host_rx_data(h, now_ps, pkt, answer);
    } else if (kind == WEIR_PKT_ACK) {
        h->stats.rx_ack_pkts++;
        if (WEIR_LIKELY(!(pkt->flags & (WEIR_PKT_END | WEIR_PKT_RETX))))
            host_flow_ack(h, now_ps, pkt);
        else if (!(pkt->flags & WEIR_PKT_END)) /* with END it is the ACK of a REPLY: nothing to do */
            host_flow_nack(h, now_ps, pkt);
    } else {
        host_flow_reply(h, now_ps, pkt);
    }
    return false;
}

static void stream_rx_many(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void)stream_rx(h, now_ps, &pkt[i], NULL);
}

static bool single_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
{
    if (weir_pkt_kind_for(pkt, h->self_word) != WEIR_PKT_DATA)
        return stream_rx(h, now_ps, pkt, answer);
    host_single_rx(h, now_ps, pkt);
    return false;
}

static void single_rx_many(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void)single_rx(h, now_ps, &pkt[i], NULL);
}

/* Describes the message of connection `index` in *out. @return false = the connection has no message */
static bool flow_pending(const struct weir_host *h, uint32_t index, struct weir_host_pending *out)
{
    struct host_flow *f = host_flow_at(h, index);
    if (!(f->flags & HOST_BUSY))
        return false;
    *out = (struct weir_host_pending){
        .dst = f->dst,
        .msg = f->msg,
        .conn = index,
        .unacked_pkts = f->next - f->una,
        .left_pkts = f->end - f->next,
        .timeouts = f->backoff,
        .deadline_ps = host_rto_deadline_ps(h, f),
        .hash = f->hash,
        .cwnd_bytes = host_cc(h, f)->cwnd_bytes,
        .rate_bps = host_cc(h, f)->rate_bps,
    };
    return true;
}

static bool stream_next_pending(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out)
{
    const struct host_stream *s = host_stream_of(h);
    for (; *cursor < s->flows.count; (*cursor)++) {
        if (flow_pending(h, (uint32_t)*cursor, out)) {
            ++*cursor;
            return true;
        }
    }
    bool more = host_peer_pending(h, *cursor - s->flows.count, out);
    *cursor += more;
    return more;
}

/* Sets the hold mask for paused DATA. DATA has one class, or one per virtual lane, or with host.short two: one for
 * short messages and one for all others. */
static void stream_pause(struct weir_host *h, uint32_t class_mask)
{
    bool short_first = h->cfg->params.short_bytes != 0;
    uint32_t classes = h->cfg->lanes > 0 ? h->cfg->lanes : 1u + short_first, all = (1u << classes) - 1;
    uint32_t closed = class_mask >> h->cfg->params.data_class & all;
    if (closed == all)
        h->hold |= HOST_HOLD_DATA;
    else if (closed != 0 || short_first || host_stream_of(h)->urgent)
        h->hold |= HOST_HOLD_BY_CLASS;
}

#define STREAM_CALLS                                                                                                   \
    .bytes = stream_bytes, .init = stream_init, .time_run = host_time_run, .pause = stream_pause,                      \
    .next_pending = stream_next_pending, .rx_prefetch = host_stream_rx_prefetch,                                       \
    .message_prefetch = host_stream_message_prefetch, .send_prefetch = host_stream_send_prefetch,                      \
    .connection_prefetch = host_stream_connection_prefetch, .timers_prefetch = host_stream_timers_prefetch,            \
    .answer_leaves = host_answer_leaves

const struct host_machine host_stream_machine = { .send = host_message_send,
                                                  .rx = stream_rx,
                                                  .rx_many = stream_rx_many,
                                                  .tx = host_flow_send,
                                                  .has_open = host_flow_has_open,
                                                  .tx_open = host_flow_send_open,
                                                  .cancel = host_stream_cancel,
                                                  .forget = host_stream_forget,
                                                  .inbound = host_rx_inbound,
                                                  .weight = host_track_set_weight,
                                                  .priority = host_track_set_priority,
                                                  .rate = host_track_set_rate,
                                                  .flow = host_track_flow,
                                                  .hold = host_room_hold,
                                                  .resume = host_room_resume,
                                                  .probe = host_room_probe,
                                                  .begun = host_room_begun,
                                                  .ranges = host_rx_ranges,
                                                  .waiting_bytes = host_stream_waiting_bytes,
                                                  .state = host_stream_state,
                                                  .state_why = host_stream_state_why,
                                                  .una = host_stream_una,
                                                  .note = host_stream_note,
                                                  .replay = host_stream_replay,
                                                  STREAM_CALLS };

const struct host_machine host_single_machine = { .send = host_single_send,
                                                  .rx = single_rx,
                                                  .rx_many = single_rx_many,
                                                  .tx = host_single_tx,
                                                  .cancel = host_single_cancel,
                                                  .forget = host_single_forget,
                                                  .inbound = host_single_inbound,
                                                  STREAM_CALLS };
