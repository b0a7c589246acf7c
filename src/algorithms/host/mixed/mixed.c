/* src/algorithms/host/mixed/mixed.c - a host with several laws side by side: a shell around one whole struct weir_host
 * per law, and one NIC.
 *
 * A packet names its law in the top bits of weir_pkt.conn. The shell takes these bits off what arrives and puts them
 * on what leaves, so the laws' hosts know nothing of each other. Handles of messages are the world's and unique in the
 * host, so a call that names a handle alone is made to each law's host until one knows the message.
 *
 * What leaves next: answers (ACKs, credit, notices) of all laws first, then DATA. Among laws both go round robin, one
 * packet each. */
#include "core/credit.h"
#include "core/math.h"
#include "host/common/state.h"
#include "host/mixed/mixed.h"

enum { MIXED_ANSWERS, MIXED_DATA, MIXED_ROUNDS };

struct mixed {                                 /* follows struct weir_host; the hosts of the laws follow this record */
    uint32_t count;                            /* laws */
    uint32_t next[MIXED_ROUNDS];               /* the law that is asked first, of answers and of DATA */
    uint64_t refused_pkts, source_marked_pkts; /* counted by the shell itself */
    struct weir_host *law[WEIR_LAWS_MAX];
};

static inline struct mixed *mixed_of(const struct weir_host *h)
{
    return host_half(h);
}

/* Tests whether a law can send, without a call where nothing is paused and no NOTICE waits. */
static inline bool law_ready(const struct weir_host *law)
{
    return WEIR_LIKELY(law->hold == 0) ? law->acks.count + law->ready_count > 0 : weir_host_ready(law);
}

/* Tests likewise whether it has an answer to send. */
static inline bool law_answers(const struct weir_host *law)
{
    return WEIR_LIKELY(law->hold == 0) ? law->acks.count > 0 : host_has_answer(law);
}

static size_t mixed_bytes(const struct weir_host_config *cfg)
{
    size_t bytes = HOST_LINES(sizeof(struct mixed));
    WEIR_ASSERT(cfg->law_count >= 2 && cfg->law_count <= WEIR_LAWS_MAX);
    for (uint32_t i = 0; i < cfg->law_count; i++)
        bytes += HOST_LINES(weir_host_bytes(&cfg->law[i]));
    return bytes;
}

/* Updates the fields of the shell that its world and host.c read: when it is due, and how many laws can send. */
static inline void mixed_show(struct weir_host *h)
{
    const struct mixed *m = mixed_of(h);
    uint64_t next_ps = WEIR_NEVER;
    uint32_t ready = 0;
    WEIR_CHECK(m->count >= 2 && m->count <= WEIR_LAWS_MAX);
    for (uint32_t i = 0; i < m->count; i++) {
        next_ps = weir_min_u64(next_ps, m->law[i]->next_ps);
        ready += law_ready(m->law[i]);
    }
    h->next_ps = next_ps;
    h->ready_count = ready;
}

/* Runs the due timers of every law, then mixed_show(). To a world, a due time that is not after now means a packet that
 * waits for the NIC. So the due time of one law would hide the timers of another. */
static void mixed_settle(struct weir_host *h, uint64_t now_ps)
{
    const struct mixed *m = mixed_of(h);
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->law[i]->next_ps <= now_ps)
            (void)weir_host_tx(m->law[i], now_ps, NULL, 0);
        WEIR_CHECK(m->law[i]->next_ps > now_ps);
    }
    mixed_show(h);
}

static void mixed_init(struct weir_host *h)
{
    const struct weir_host_config *cfg = h->cfg;
    struct mixed *m = mixed_of(h);
    unsigned char *at = (unsigned char *)m + HOST_LINES(sizeof(*m));
    *m = (struct mixed){ .count = cfg->law_count };
    for (uint32_t i = 0; i < m->count; i++) {
        WEIR_ASSERT(cfg->law[i].law == NULL && cfg->law[i].law_number == i);
        WEIR_ASSERT(cfg->law[i].params.mark_bytes == 0); /* the shell marks */
        m->law[i] = weir_host_init(at, &cfg->law[i], host_self(h), &h->mem, &h->sink);
        at += HOST_LINES(weir_host_bytes(&cfg->law[i]));
    }
    mixed_show(h);
}

/* ---- messages ---- */

static int mixed_send_by(struct weir_host *h, uint32_t law, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    const struct mixed *m = mixed_of(h);
    WEIR_ASSERT(law < m->count);
    int code = weir_host_send(m->law[law], now_ps, dst, msg, bytes);
    mixed_settle(h, now_ps);
    return code;
}

static int mixed_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    return mixed_send_by(h, 0, now_ps, dst, msg, bytes);
}

static int mixed_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    const struct mixed *m = mixed_of(h);
    int code = WEIR_E_UNKNOWN;
    for (uint32_t i = 0; i < m->count && code == WEIR_E_UNKNOWN; i++)
        code = weir_host_cancel(m->law[i], now_ps, msg);
    mixed_settle(h, now_ps);
    return code;
}

static void mixed_forget(struct weir_host *h, uint64_t now_ps, uint32_t peer)
{
    const struct mixed *m = mixed_of(h);
    for (uint32_t i = 0; i < m->count; i++)
        weir_host_forget(m->law[i], now_ps, peer);
    mixed_settle(h, now_ps);
}

/* Tests whether the hosts of a law keep the weights of its messages. */
static bool law_tracks(const struct weir_host *law)
{
    return law->cfg->track && law->machine->weight != NULL;
}

/* Sets the weight of a message by the one law that knows it. A message that no law tracks has none: then the call has
 * no effect. */
static int mixed_weight(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20)
{
    const struct mixed *m = mixed_of(h);
    int code = 0;
    WEIR_ASSERT(weight_q20 > 0);
    for (uint32_t i = 0; i < m->count; i++)
        if (law_tracks(m->law[i]) && (code = weir_host_weight(m->law[i], now_ps, msg, weight_q20)) != WEIR_E_UNKNOWN)
            break;
    mixed_settle(h, now_ps);
    return code;
}

/* Sets the initial rate of a message, as mixed_weight() does its weight. */
static int mixed_rate(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment)
{
    const struct mixed *m = mixed_of(h);
    int code = 0;
    WEIR_ASSERT(allotment != NULL);
    for (uint32_t i = 0; i < m->count; i++)
        if (law_tracks(m->law[i]) && (code = weir_host_rate(m->law[i], now_ps, msg, allotment)) != WEIR_E_UNKNOWN)
            break;
    mixed_settle(h, now_ps);
    return code;
}

static bool mixed_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out)
{
    const struct mixed *m = mixed_of(h);
    for (uint32_t i = 0; i < m->count; i++)
        if (weir_host_flow(m->law[i], msg, out))
            return true;
    return false;
}

#define CURSOR_BITS 60 /* of a cursor for a law's own cursor; above them is the law */

static bool mixed_next_pending(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out)
{
    const struct mixed *m = mixed_of(h);
    uint64_t own = *cursor & ((UINT64_C(1) << CURSOR_BITS) - 1);
    for (uint64_t law = *cursor >> CURSOR_BITS; law < m->count; law++, own = 0) {
        bool more = weir_host_next_pending(m->law[law], &own, out);
        WEIR_ASSERT(own >> CURSOR_BITS == 0);
        *cursor = law << CURSOR_BITS | own;
        if (more)
            return true;
    }
    return false;
}

/* ---- packets that arrive ---- */

/* Copies a packet for the host of its law, which knows numbers without a law. @return that host; NULL = there is no
 * such law */
static inline struct weir_host *mixed_take(const struct weir_host *h, const struct weir_pkt *pkt, struct weir_pkt *own)
{
    const struct mixed *m = mixed_of(h);
    uint32_t law = weir_pkt_law(pkt);
    *own = *pkt;
    own->conn = WEIR_PKT_CONN(pkt->conn);
    WEIR_CHECK(law < WEIR_LAWS_MAX);
    return law < m->count ? m->law[law] : NULL;
}

/* Processes one packet. Never writes *answer: another law may have the turn for the NIC. @return false */
static bool mixed_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
{
    struct weir_pkt own;
    struct weir_host *law = mixed_take(h, pkt, &own);
    (void)answer;
    WEIR_CHECK(h->rx_hops == 0 || h->rx_hop != NULL);
    if (WEIR_UNLIKELY(law == NULL))
        mixed_of(h)->refused_pkts++;
    else if (WEIR_LIKELY(h->rx_hops == 0))
        (void)law->machine->rx(law, now_ps, &own, NULL);
    else
        (void)weir_host_rx_hops(law, now_ps, &own, h->rx_hop, NULL);
    mixed_settle(h, now_ps);
    return false;
}

static void mixed_rx_many(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void)mixed_rx(h, now_ps, &pkt[i], NULL);
}

static enum weir_host_inbound mixed_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt)
{
    struct weir_pkt own;
    const struct weir_host *law = mixed_take(h, pkt, &own);
    return law != NULL ? weir_host_inbound(law, src, &own) : WEIR_INBOUND_BEYOND;
}

/* ---- packets that leave ---- */

/* Tests whether more than host.mark of DATA waits in the laws behind the packet that law `next` sends now. */
static HOST_COLD bool mixed_waits_above(const struct weir_host *h, uint32_t next)
{
    const struct mixed *m = mixed_of(h);
    uint64_t waiting_bytes = 0, most_bytes = h->cfg->params.mark_bytes;
    WEIR_CHECK(next < m->count && most_bytes > 0);
    for (uint32_t i = 0; i < m->count; i++)
        if (m->law[i]->machine->waiting_bytes != NULL)
            waiting_bytes += m->law[i]->machine->waiting_bytes(m->law[i], i == next);
    return waiting_bytes > most_bytes;
}

/* Writes the packet that law i sends next, if any may leave. @return true if it wrote one */
static bool mixed_send_next(struct weir_host *h, uint64_t now_ps, uint32_t i, struct weir_pkt *out)
{
    struct mixed *m = mixed_of(h);
    bool mark = WEIR_UNLIKELY(h->cfg->params.mark_bytes != 0) && mixed_waits_above(h, i);
    if (weir_host_tx(m->law[i], now_ps, out, 1) == 0)
        return false;
    WEIR_CHECK(weir_pkt_law(out) == 0); /* a law's host knows one law */
    out->conn |= i << WEIR_PKT_CONN_BITS;
    h->tx_hop = m->law[i]->tx_hop;
    if (WEIR_UNLIKELY(mark) && out->kind == WEIR_PKT_DATA && (out->flags & WEIR_PKT_ECT)) {
        out->flags |= WEIR_PKT_CE;
        m->source_marked_pkts++;
    }
    mixed_settle(h, now_ps);
    return true;
}

static uint32_t mixed_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    struct mixed *m = mixed_of(h);
    WEIR_CHECK(h->hold == 0 && h->acks.count == 0); /* the laws' hosts hold and answer */
    for (uint32_t round = 0; round < MIXED_ROUNDS; round++) {
        uint32_t law = m->next[round];
        for (uint32_t i = 0; i < m->count; i++, law = law + 1 < m->count ? law + 1 : 0) {
            bool can = round == MIXED_ANSWERS ? law_answers(m->law[law]) : law_ready(m->law[law]);
            if (!can || !mixed_send_next(h, now_ps, law, out))
                continue;
            m->next[round] = law + 1 < m->count ? law + 1 : 0;
            return 1;
        }
    }
    return 0;
}

/* Pauses classes in each law's host. The shell itself holds nothing back. */
static void mixed_pause(struct weir_host *h, uint32_t class_mask)
{
    const struct mixed *m = mixed_of(h);
    WEIR_ASSERT(class_mask >> WEIR_CLASSES_MAX == 0);
    h->hold = 0;
    for (uint32_t i = 0; i < m->count; i++)
        weir_host_pause(m->law[i], class_mask);
    mixed_show(h);
}

/* ---- sums over laws ---- */

/* Sums the credit of all receiver-driven laws. */
static void mixed_credit(const struct weir_host *h, struct weir_credit_sums *out)
{
    const struct mixed *m = mixed_of(h);
    WEIR_ASSERT(out->outstanding_bytes == 0 && out->most_bytes == INT64_MAX);
    for (uint32_t i = 0; i < m->count; i++) {
        struct weir_credit_sums own;
        weir_host_credit(m->law[i], &own);
        out->bucket_bytes += own.bucket_bytes;
        out->outstanding_bytes += own.outstanding_bytes;
        out->surplus_bytes += own.surplus_bytes;
        out->held_bytes += own.held_bytes;
        if (own.most_bytes != INT64_MAX)
            out->most_bytes = out->most_bytes == INT64_MAX ? own.most_bytes : out->most_bytes + own.most_bytes;
    }
}

static const char *mixed_check(const struct weir_host *h)
{
    const struct mixed *m = mixed_of(h);
    const char *broken = NULL;
    for (uint32_t i = 0; i < m->count && broken == NULL; i++)
        broken = weir_host_check(m->law[i]);
    return broken;
}

/* Sets h->stats to the sum of all laws' counters and the shell's own. */
static void mixed_stats(struct weir_host *h)
{
    const struct mixed *m = mixed_of(h);
    h->stats = (struct weir_host_stats){ .refused_pkts = m->refused_pkts, .source_marked_pkts = m->source_marked_pkts };
    for (uint32_t i = 0; i < m->count; i++)
        weir_host_stats_add(&h->stats, weir_host_stats(m->law[i]));
}

static const struct weir_host *mixed_law(const struct weir_host *h, uint32_t law)
{
    WEIR_ASSERT(law < mixed_of(h)->count);
    return mixed_of(h)->law[law];
}

/* ---- prefetches ---- */

static void mixed_rx_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    struct weir_pkt own;
    const struct weir_host *law = mixed_take(h, pkt, &own);
    if (law != NULL)
        weir_host_rx_prefetch(law, &own);
}

static void mixed_message_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    struct weir_pkt own;
    const struct weir_host *law = mixed_take(h, pkt, &own);
    if (law != NULL)
        weir_host_message_prefetch(law, &own);
}

/* Prefetches nothing: the law of the message is not known yet. */
static void mixed_send_prefetch(const struct weir_host *h, uint32_t dst)
{
    (void)h, (void)dst;
}

const struct host_machine host_mixed_machine = { .bytes = mixed_bytes,
                                                 .init = mixed_init,
                                                 .send = mixed_send,
                                                 .send_by = mixed_send_by,
                                                 .rx = mixed_rx,
                                                 .rx_many = mixed_rx_many,
                                                 .tx = mixed_tx,
                                                 .time_run = mixed_settle,
                                                 .pause = mixed_pause,
                                                 .next_pending = mixed_next_pending,
                                                 .cancel = mixed_cancel,
                                                 .forget = mixed_forget,
                                                 .inbound = mixed_inbound,
                                                 .rx_prefetch = mixed_rx_prefetch,
                                                 .message_prefetch = mixed_message_prefetch,
                                                 .send_prefetch = mixed_send_prefetch,
                                                 .flow = mixed_flow,
                                                 .credit = mixed_credit,
                                                 .weight = mixed_weight,
                                                 .rate = mixed_rate,
                                                 .stats = mixed_stats,
                                                 .check = mixed_check,
                                                 .law = mixed_law };
