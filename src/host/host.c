/* src/host/host.c - the calls of host.h: set-up, dispatch, and what a world asks. */
#include "host/credit.h"
#include "host/rto.h"

size_t weir_host_bytes(const struct weir_host_config *cfg)
{
    size_t bytes = (sizeof(struct weir_host) + 63) & ~(size_t)63;
    return cfg->credit == NULL ? bytes : bytes + host_credit_bytes(cfg);
}

static uint32_t up(size_t bytes, uint32_t to)
{
    return (uint32_t)(bytes + to - 1) & ~(to - 1);
}

static void tables_init(struct weir_host *h)
{
    const struct weir_cc_ops *cc = h->cc;
    uint32_t flow_bytes = up(sizeof(struct host_flow) + cc->state_bytes, 8);
    if (cc->on_timer != NULL) {
        h->timed_law = true;
        h->armed_offset = flow_bytes;
        flow_bytes += (uint32_t)sizeof(uint64_t);
    }
    h->flows = (struct host_table){ .stride = up(flow_bytes, 64), .free = HOST_NONE };
    h->rxs = (struct host_table){ .stride = sizeof(struct host_rx), .free = HOST_NONE };
    h->peers = (struct host_table){ .stride = sizeof(struct host_peer), .free = HOST_NONE };
    h->waits = (struct host_table){ .stride = sizeof(struct host_wait), .free = HOST_NONE };
    host_bitmaps_init(h);
    size_t bitmap_bytes = h->bitmap_words * sizeof(uint64_t);
    h->boards =
        (struct host_table){ .stride = up(sizeof(struct host_board) + 2 * bitmap_bytes, 64), .free = HOST_NONE };
    h->gaps = (struct host_table){ .stride = up(sizeof(struct host_gap) + bitmap_bytes, 64), .free = HOST_NONE };
    h->pacers = (struct host_table){ .stride = sizeof(struct host_pacer), .free = HOST_NONE };
    host_side_init(h);
    host_track_init(h);
}

struct weir_host *weir_host_init(void *memory, const struct weir_host_config *cfg, uint32_t self,
                                 const struct weir_mem *mem, const struct weir_host_sink *sink)
{
    struct weir_host *h = memory;
    WEIR_ASSERT(((uintptr_t)memory & 63) == 0);
    WEIR_ASSERT(self < WEIR_PKT_HOSTS_MAX);
    WEIR_ASSERT(cfg->params.window_pkts >= WEIR_HOST_WINDOW_PKTS_MIN);
    WEIR_ASSERT(cfg->params.window_pkts <= WEIR_HOST_WINDOW_PKTS_MAX);
    WEIR_ASSERT(cfg->params.reorder_pkts >= 1);
    WEIR_ASSERT(cfg->params.reorder_pkts < cfg->params.window_pkts);
    WEIR_ASSERT(cfg->params.connections >= 1);
    WEIR_ASSERT(cfg->params.rto_min_ps >= 1 && cfg->params.rto_min_ps <= cfg->params.rto_init_ps);
    WEIR_ASSERT(cfg->params.rto_init_ps <= cfg->params.rto_max_ps);
    WEIR_ASSERT(cfg->framing.payload_bytes >= 1);
    WEIR_ASSERT(weir_framing_wire(&cfg->framing, cfg->framing.payload_bytes) <= WEIR_WIRE_MAX_BYTES);
    /* states of a receiving host, or shared by a peer's messages, come with the first law that has them */
    WEIR_ASSERT(cfg->cc == NULL || (cfg->cc->rx_bytes == 0 && cfg->cc->per_peer == 0));
    WEIR_ASSERT((cfg->cc == NULL) != (cfg->credit == NULL));
    *h = (struct weir_host){
        .cfg = cfg,
        .cc = cfg->cc,
        .next_ps = WEIR_NEVER,
        .timers = WEIR_TIMERS_NONE,
        .window_pkts = cfg->params.window_pkts,
        .self_word = WEIR_PKT_HOST_WORD(self),
        .data_src_word = WEIR_PKT_SRC_WORD(self, weir_host_needs(cfg) & WEIR_NEED_ECN ? WEIR_PKT_ECT : 0u),
        .data_size_word = WEIR_PKT_SIZE_WORD(weir_framing_wire(&cfg->framing, cfg->framing.payload_bytes),
                                             cfg->params.data_class, cfg->framing.payload_bytes),
        .ack_size_word = WEIR_PKT_SIZE_WORD(cfg->framing.ack_wire_bytes, cfg->params.ack_class, 0),
        .mss_bytes = (uint16_t)cfg->framing.payload_bytes,
        .hash = (uint8_t)cfg->hash,
        .each_acked = cfg->params.ack_every <= 1,
        .go_back = cfg->params.reliability == WEIR_GO_BACK_N,
        .no_acks = (weir_host_needs(cfg) & WEIR_NEED_NO_ACKS) != 0,
        .sink = *sink,
        .mem = *mem,
    };
    h->spray_key = weir_rng_key(cfg->seed, self, WEIR_RNG_HOST_SPRAY, 0);
    if (cfg->credit != NULL)
        host_credit_init(h);
    else
        tables_init(h);
    return h;
}

static int send_single(struct weir_host *h, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    if (bytes > h->mss_bytes)
        return WEIR_E_RANGE;
    if (!host_ring_room(h, &h->singles, sizeof(struct host_single), h->singles.count + 1, UINT32_MAX / 2))
        return WEIR_E_MEMORY;
    struct host_single *s = host_ring_at(&h->singles, h->singles.count++, sizeof(*s));
    *s = (struct host_single){ .msg = msg, .dst = dst, .bytes = (uint16_t)bytes };
    h->ready_count++;
    return 0;
}

int weir_host_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    uint64_t mss = h->mss_bytes;
    WEIR_ASSERT(bytes > 0);
    if (dst >= WEIR_PKT_HOSTS_MAX || bytes > UINT32_MAX * mss)
        return WEIR_E_RANGE;
    if (h->credit != NULL)
        return host_credit_send(h, now_ps, dst, msg, bytes);
    if (h->no_acks)
        return send_single(h, dst, msg, bytes);
    return host_peer_send(h, now_ps, dst, msg, bytes);
}

static HOST_APART void rx_odd(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    if (weir_pkt_kind_for(pkt, h->self_word) == WEIR_PKT_NOTICE)
        host_flow_notice(h, now_ps, pkt);
    else
        h->stats.refused_pkts++;
}

/* @return true if the answer was written to *answer, see weir_host_rx_free() */
static inline bool rx_one(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
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
        else if (!(pkt->flags & WEIR_PKT_END)) /* else it answers a REPLY: nobody waits for it */
            host_flow_nack(h, now_ps, pkt);
    } else {
        host_flow_reply(h, now_ps, pkt);
    }
    return false;
}

void weir_host_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count)
{
    if (h->credit != NULL) {
        host_credit_rx(h, now_ps, pkt, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        (void)rx_one(h, now_ps, &pkt[i], NULL);
}

bool weir_host_rx_free(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
{
    if (h->credit == NULL)
        return rx_one(h, now_ps, pkt, answer);
    host_credit_rx(h, now_ps, pkt, 1);
    return false;
}

bool weir_host_rx_hops(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt,
                       const struct weir_telemetry *hop, struct weir_pkt *answer)
{
    bool answered;
    WEIR_ASSERT(hop == NULL || pkt->hops <= WEIR_TELEMETRY_HOPS_MAX);
    h->rx_hop = hop;
    h->rx_hops = hop != NULL && h->cfg->rates != NULL ? pkt->hops : 0;
    answered = weir_host_rx_free(h, now_ps, pkt, answer);
    h->rx_hops = 0;
    return answered;
}

const struct weir_telemetry *weir_host_tx_hops(const struct weir_host *h)
{
    return h->tx_hop;
}

void weir_host_pause(struct weir_host *h, uint32_t class_mask)
{
    WEIR_ASSERT(h->credit == NULL);
    uint8_t aside = h->aside & HOST_ASIDE_SPEAKS;
    aside |= class_mask >> h->cfg->params.data_class & 1 ? HOST_ASIDE_DATA : 0;
    aside |= class_mask >> h->cfg->params.ack_class & 1 ? HOST_ASIDE_ANSWERS : 0;
    aside |= class_mask & 1 ? HOST_ASIDE_NOTICES : 0;
    h->aside = aside;
}

static uint32_t tx_single(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    const struct host_single *s = host_ring_at(&h->singles, 0, sizeof(*s));
    uint64_t key = weir_rng_key(h->cfg->seed, host_self(h), WEIR_RNG_HOST_CONN, s->dst);
    *out = (struct weir_pkt){
        .sent_ps = now_ps,
        .msg = s->msg,
        .hash = h->hash == WEIR_HASH_PACKET ? host_spray(h) : (uint32_t)(key >> 32),
        .src_word = h->data_src_word | WEIR_PKT_END,
        .dst_word = WEIR_PKT_DST_WORD(s->dst, WEIR_PKT_DATA),
        .size_word =
            WEIR_PKT_SIZE_WORD(weir_framing_wire(&h->cfg->framing, s->bytes), h->cfg->params.data_class, s->bytes),
    };
    host_ring_drop(&h->singles);
    h->ready_count--;
    h->stats.tx_data_pkts++;
    return 1;
}

static inline void tx_answer(struct weir_host *h, struct weir_pkt *out)
{
    *out = *(const struct weir_pkt *)host_ring_at(&h->acks, 0, sizeof(*out));
    host_ring_drop(&h->acks);
    h->stats.tx_ack_pkts++;
    if (WEIR_UNLIKELY(h->rich & HOST_RICH_HOPS)) {
        h->tx_hop = ((const struct host_hops *)host_ring_at(&h->hops, 0, sizeof(struct host_hops)))->hop;
        host_ring_drop(&h->hops);
    }
}

/* h->ready_count > 0 */
static inline uint32_t tx_data(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    if (h->credit != NULL)
        return host_credit_tx(h, now_ps, out);
    return WEIR_LIKELY(!h->no_acks) ? host_flow_send(h, now_ps, out) : tx_single(h, now_ps, out);
}

static inline bool notices_may(const struct weir_host *h)
{
    return h->aside & HOST_ASIDE_SPEAKS && !(h->aside & HOST_ASIDE_NOTICES);
}

static inline bool answers_may(const struct weir_host *h)
{
    return h->acks.count > 0 && !(h->aside & HOST_ASIDE_ANSWERS);
}

static inline bool data_may(const struct weir_host *h)
{
    return h->ready_count > 0 && !(h->aside & HOST_ASIDE_DATA);
}

/* tx_one() where something is paused, or a notice waits. */
static HOST_APART uint32_t tx_aside(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    if (notices_may(h)) {
        *out = *(const struct weir_pkt *)host_ring_at(&h->notices, 0, sizeof(*out));
        host_ring_drop(&h->notices);
        h->stats.tx_notice_pkts++;
        if (h->notices.count == 0)
            h->aside &= (uint8_t)~HOST_ASIDE_SPEAKS;
        return 1;
    }
    if (!answers_may(h))
        return data_may(h) ? tx_data(h, now_ps, out) : 0;
    tx_answer(h, out);
    return 1;
}

/* @return 1 = a packet was written, 0 = there is none */
static inline uint32_t tx_one(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    if (WEIR_UNLIKELY(h->aside != 0))
        return tx_aside(h, now_ps, out);
    if (h->acks.count > 0) {
        tx_answer(h, out);
        return 1;
    }
    return h->ready_count == 0 ? 0 : tx_data(h, now_ps, out);
}

static HOST_APART uint32_t tx_many(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out, uint32_t max)
{
    uint32_t n = 0;
    while (n < max && tx_one(h, now_ps, &out[n]) != 0)
        n++;
    return n;
}

static HOST_APART void time_run(struct weir_host *h, uint64_t now_ps)
{
    if (h->credit != NULL)
        host_credit_time_run(h, now_ps);
    else
        host_time_run(h, now_ps);
}

uint32_t weir_host_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out, uint32_t max)
{
    if (WEIR_UNLIKELY(h->next_ps <= now_ps))
        time_run(h, now_ps);
    return WEIR_LIKELY(max == 1) ? tx_one(h, now_ps, out) : tx_many(h, now_ps, out, max);
}

uint64_t weir_host_next_ps(const struct weir_host *h)
{
    return h->next_ps;
}

static HOST_APART bool ready_aside(const struct weir_host *h)
{
    return notices_may(h) || answers_may(h) || data_may(h);
}

bool weir_host_ready(const struct weir_host *h)
{
    bool any = h->acks.count + h->ready_count > 0;
    if (WEIR_LIKELY(h->aside == 0))
        return any;
    return ready_aside(h);
}

const struct weir_host_stats *weir_host_stats(const struct weir_host *h)
{
    return &h->stats;
}

/* A message on a connection. */
static bool flow_pending(const struct weir_host *h, uint32_t index, struct weir_host_pending *out)
{
    const struct host_flow *f = host_flow_at(h, index);
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
    };
    return true;
}

void weir_host_credit(const struct weir_host *h, struct weir_credit_sums *out)
{
    *out = (struct weir_credit_sums){ .most_bytes = INT64_MAX };
    if (h->credit != NULL)
        h->cfg->credit->sums(h->cfg->cc_config, h->credit->state, out);
}

const char *weir_host_check(const struct weir_host *h)
{
    struct weir_credit_sums sums;
    weir_host_credit(h, &sums);
    if (sums.outstanding_bytes > sums.most_bytes)
        return "a receiver has more credit outstanding than its bucket holds";
    if (sums.surplus_bytes > 0)
        return "more credit came back to a receiver than it gave";
    return NULL;
}

int weir_host_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    WEIR_ASSERT(h->credit != NULL);
    return host_credit_cancel(h, now_ps, msg);
}

void weir_host_forget(struct weir_host *h, uint64_t now_ps, uint32_t peer)
{
    WEIR_ASSERT(h->credit != NULL);
    host_credit_forget(h, now_ps, peer);
}

enum weir_host_inbound weir_host_inbound(const struct weir_host *h, uint32_t src, uint32_t conn)
{
    WEIR_ASSERT(h->credit != NULL);
    return host_credit_inbound(h, src, conn);
}

bool weir_host_next_pending(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out)
{
    if (h->credit != NULL)
        return host_credit_pending(h, cursor, out);
    for (; *cursor < h->flows.count; (*cursor)++) {
        if (flow_pending(h, (uint32_t)*cursor, out)) {
            ++*cursor;
            return true;
        }
    }
    bool more = host_peer_pending(h, *cursor - h->flows.count, out);
    *cursor += more;
    return more;
}
