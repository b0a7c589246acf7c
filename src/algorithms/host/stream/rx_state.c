/* src/algorithms/host/stream/rx_state.c - the receiver half of a law: its state, one per receiving connection or one
 * per host; its events; and the notices that it sends to senders. */
#include "core/data.h"
#include "host/common/table.h"
#include "host/stream/answers.h"
#include "host/stream/inbound.h"
#include "host/stream/pace.h"
#include "host/stream/rx_state.h"

/* Initialises the law's receiver state of this host, which lies right behind struct host_stream, see stream_bytes(). */
static void rx_law_init(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    unsigned char *law = (unsigned char *)host_stream_of(h) + HOST_LINES(sizeof(struct host_stream));
    for (uint32_t i = 0; i < s->cc->rx_bytes; i++)
        law[i] = 0;
    s->rx_law = law;
    s->rx_law_armed_ps = WEIR_NEVER;
    if (s->cc->rx_init != NULL) {
        const struct weir_path path = weir_host_path(h->cfg, host_self(h), host_self(h));
        s->cc->rx_init(law, h->cfg->cc_config, &path);
    }
}

/* Decides whether there are receiver states, and sets h->extended and s->plain_rx. Receiver states are needed by the
 * law's receiver half, and by telemetry that waits for a delayed ACK. */
void host_rx_state_init(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    const struct weir_cc_ops *cc = s->cc;
    bool telemetry = h->cfg->rates != NULL && (cc->needs & WEIR_NEED_INT) != 0;
    bool keeps = telemetry && !s->each_acked;
    bool has_law = cc->rx_data != NULL || cc->rx_notice != NULL || cc->rx_begin != NULL || cc->rx_end != NULL;
    uint32_t bytes = (uint32_t)sizeof(struct host_rx_state) + (keeps ? (uint32_t)sizeof(struct host_hops) : 0);
    WEIR_ASSERT(cc->rx_flow_bytes <= UINT16_MAX);
    s->rx_state_law_offset = bytes;
    s->rx_states.free = HOST_NONE;
    if (keeps || has_law)
        s->rx_states.stride = (bytes + cc->rx_flow_bytes + 7) & ~7u;
    h->extended =
        (telemetry ? HOST_EXTENDED_HOPS : 0) | (h->cfg->rates != NULL || cc->rx_data != NULL ? HOST_EXTENDED_ACKS : 0) |
        (cc->needs & WEIR_NEED_HELD ? HOST_EXTENDED_ACKS | HOST_EXTENDED_HELD : 0) |
        (cc->on_sent != NULL || h->cfg->wrr || h->cfg->tokens > 0 || s->source_marks || h->cfg->params.short_bytes != 0
             ? HOST_EXTENDED_DATA
             : 0);
    if (h->cfg->qdelay_unit_ps != 0)
        h->extended |= HOST_EXTENDED_ACKS | HOST_EXTENDED_DATA | HOST_EXTENDED_STAMP;
    if (cc->rx_bytes > 0)
        rx_law_init(h);
    s->plain_rx = s->each_acked && !s->go_back && !s->latch_ece && !has_law;
}

/* Makes the receiver state of connection `index`, zeroed, if there are receiver states. @return false = no memory */
bool host_rx_state_open(struct weir_host *h, uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t last;
    if (s->rx_states.stride == 0)
        return true;
    while (s->rx_states.count <= index)
        if (host_table_add(h, &s->rx_states, HOST_BLOCK_SHIFT, &last) == NULL)
            return false;
    struct host_rx_state *state = host_rx_state_at(h, index);
    for (uint32_t i = 0; i < s->rx_states.stride; i++)
        ((unsigned char *)state)[i] = 0;
    state->armed_ps = WEIR_NEVER;
    return true;
}

/* Returns the law's receiver state, of receiving connection `index` or of the host. index: ignored if the state is the
 * host's */
static void *rx_state_law(const struct weir_host *h, uint32_t index)
{
    const struct host_stream *s = host_stream_of(h);
    return s->rx_law != NULL ? s->rx_law : (unsigned char *)host_rx_state_at(h, index) + s->rx_state_law_offset;
}

/* Returns a packet with the fields of a NOTICE that depend on its destination: the sender of connection `index`, or the
 * host that the law named in notice->dst. */
static struct weir_pkt notice_head(struct weir_host *h, uint32_t index, const struct weir_notice *notice)
{
    if (host_stream_of(h)->rx_law == NULL) {
        const struct host_rx *r = host_rx_at(h, index);
        return (struct weir_pkt){ .conn = r->conn,
                                  .hash = host_answer_hash(h, host_rx_state_at(h, index)->hash),
                                  .dst = r->src };
    }
    WEIR_ASSERT(notice->dst < WEIR_PKT_HOSTS_MAX);
    return (struct weir_pkt){ .conn = WEIR_PKT_NO_CONN,
                              .hash = h->hash == WEIR_HASH_PACKET ? host_spray(h)
                                                                  : host_path_hash(h, notice->dst, HOST_NONE),
                              .dst = WEIR_PKT_HOST(notice->dst) };
}

/* Queues a NOTICE. If there is no room, the NOTICE is dropped and counted in refused_pkts: laws tolerate lost
 * notices. */
static void notice_push(struct weir_host *h, uint32_t index, const struct weir_notice *notice)
{
    struct weir_pkt *pkt;
    if (!host_ring_room(h, &h->notices, sizeof(struct weir_pkt), h->notices.count + 1, HOST_ACKS_MAX)) {
        h->stats.refused_pkts++;
        return;
    }
    WEIR_ASSERT(notice->kind <= UINT16_MAX);
    h->hold |= HOST_HOLD_HAS_NOTICES;
    pkt = host_ring_at(&h->notices, h->notices.count++, sizeof(struct weir_pkt));
    *pkt = notice_head(h, index, notice);
    pkt->value = notice->value;
    pkt->msg = notice->source;
    pkt->seq = notice->kind;
    pkt->src = WEIR_PKT_HOST(host_self(h));
    pkt->wire_bytes = WEIR_PKT_BYTES(host_ack_wire_bytes(h));
    pkt->kind = WEIR_PKT_NOTICE;
}

/* Queues the notices that the law's receiver half returns, and arms the timer for the next time to ask for notices. */
static void rx_state_ask(struct weir_host *h, uint64_t now_ps, uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    void *law = rx_state_law(h, index);
    struct weir_notice notice;
    if (s->cc->rx_notice == NULL)
        return;
    while (s->cc->rx_notice(law, h->cfg->cc_config, now_ps, &notice))
        notice_push(h, index, &notice);
    if (s->cc->rx_next_ps == NULL)
        return;
    uint64_t at_ps = s->cc->rx_next_ps(law, h->cfg->cc_config);
    WEIR_ASSERT(at_ps > now_ps);
    if (s->rx_law != NULL)
        host_law_arm(h, &s->rx_law_armed_ps, at_ps, HOST_NONE, HOST_TIMER_NOTICE);
    else
        host_law_arm(h, &host_rx_state_at(h, index)->armed_ps, at_ps, index, HOST_TIMER_NOTICE);
}

/* Notifies the law's receiver state of this host that a message of connection `index` begins, or has ended. */
void host_rx_message(struct weir_host *h, uint64_t now_ps, uint32_t index, bool begins)
{
    struct host_stream *s = host_stream_of(h);
    const struct host_rx *r = host_rx_at(h, index);
    WEIR_ASSERT(host_stream_of(h)->rx_law != NULL);
    void (*call)(void *, const void *, const struct weir_rx_event *) = begins ? s->cc->rx_begin : s->cc->rx_end;
    struct weir_rx_event event = { .now_ps = now_ps, .src = r->src, .msg = r->msg };
    if (call == NULL)
        return;
    if (begins && h->sink.head != NULL && s->cc->rx_heads != NULL) {
        event.head = h->sink.head(h->sink.ctx, r->src, r->msg);
        WEIR_ASSERT(event.head.tenant < WEIR_TENANTS_MAX);
        host_rx_state_at(h, index)->tenant = (uint8_t)event.head.tenant;
    }
    event.head.tenant = host_rx_state_at(h, index)->tenant;
    call(s->rx_law, h->cfg->cc_config, &event);
    rx_state_ask(h, now_ps, index);
}

/* Counts the connections that sent data in the present period and in the period before. A period lasts one base RTT,
 * and begins with the first packet after the end of the last period. @return the larger count, saturated:
 * weir_echo.recent_count */
static uint16_t rx_state_recent(struct weir_host *h, struct host_rx_state *state, uint64_t now_ps)
{
    struct host_stream *s = host_stream_of(h);
    uint64_t period_ps = h->cfg->path.base_rtt_ps;
    if (now_ps >= s->rx_period_end_ps) {
        s->rx_recent_before = now_ps - s->rx_period_end_ps < period_ps ? s->rx_recent : 0;
        s->rx_recent = 0;
        s->rx_period++;
        s->rx_period_end_ps = now_ps + period_ps;
    }
    s->rx_recent += state->period != s->rx_period;
    state->period = s->rx_period;
    return (uint16_t)weir_clamp_u32(s->rx_recent > s->rx_recent_before ? s->rx_recent : s->rx_recent_before, 0,
                                    UINT16_MAX);
}

/**
 * Calls the law's rx_data() for a DATA packet that arrived, in order or not, and was not refused; then sends notices.
 * @param new_bytes  payload that arrived for the first time; 0 if the packet is dropped by go-back-N
 * @param known      the packet is a duplicate
 * @return whether the packet's ACK shall carry ECE: as rx_data() decides, by default if the packet has CE
 */
bool host_rx_state_data(struct weir_host *h, uint64_t now_ps, uint32_t index, const struct weir_pkt *pkt,
                        uint32_t new_bytes, bool known)
{
    struct host_stream *s = host_stream_of(h);
    struct host_rx_state *state = host_rx_state_at(h, index);
    WEIR_CHECK(new_bytes <= pkt->payload_bytes && (!known || new_bytes == 0));
    struct weir_int_hop hop[WEIR_TELEMETRY_HOPS_MAX];
    bool ce = pkt->flags & WEIR_PKT_CE, in_message = host_rx_at(h, index)->flags & HOST_RX_OPEN;
    struct weir_data data = {
        .now_ps = now_ps,
        .wire_bytes = pkt->wire_bytes,
        .payload_bytes = new_bytes,
        .flags = WEIR_DATA_PAYLOAD | (ce ? WEIR_DATA_CE : 0) | (known ? WEIR_DATA_KNOWN : 0),
        .src = pkt->src,
        .tenant = state->tenant,
    };
    struct weir_echo echo = { .share_count = (uint16_t)weir_clamp_u32(s->rx_active + !in_message, 0, UINT16_MAX),
                              .conn_count = (uint16_t)weir_clamp_u32(s->rxs.count, 0, UINT16_MAX),
                              .recent_count =
                                  (s->cc->needs & WEIR_NEED_RECENT) != 0 ? rx_state_recent(h, state, now_ps) : 0,
                              .ce = ce };
    state->hash = pkt->hash;
    if (s->cc->rx_data != NULL) {
        data.hop = hop;
        data.hop_count = host_hops_unpack(h, hop);
        s->cc->rx_data(rx_state_law(h, index), h->cfg->cc_config, &data, &echo);
        state->share_count = echo.share_count;
    }
    rx_state_ask(h, now_ps, index);
    return echo.ce;
}

/* Asks the law for notices when the timer entry at at_ps is due, unless the entry was superseded. index: receiving
 * connection, HOST_NONE = the host's state */
void host_rx_state_due(struct weir_host *h, uint64_t now_ps, uint64_t at_ps, uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    uint64_t *armed_ps = index == HOST_NONE ? &s->rx_law_armed_ps : &host_rx_state_at(h, index)->armed_ps;
    WEIR_ASSERT(s->law_entries > 0);
    s->law_entries--;
    if (*armed_ps != at_ps)
        return;
    *armed_ps = WEIR_NEVER;
    rx_state_ask(h, now_ps, index);
}
