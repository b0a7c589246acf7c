/* src/algorithms/host/mixed/mixed.c - a host with several laws side by side: a shell around one whole struct weir_host
 * per law, and one NIC.
 *
 * A packet names its law in the top bits of weir_pkt.conn. The shell takes these bits off what arrives and puts them
 * on what leaves.
 *
 * What leaves next: answers (ACKs, credit, notices) of all laws first, then DATA. Among laws both go round robin, one
 * packet each. */
#include "core/credit.h"
#include "core/math.h"
#include "host/mixed/mixed.h"
#include "host/mixed/shell.h"

enum { MIXED_ANSWERS, MIXED_DATA, MIXED_ROUNDS };

/* Tests whether a law has an answer to send. */
static inline bool law_answers(const struct weir_host *law)
{
    return WEIR_LIKELY(law->hold == 0) ? law->acks.count > 0 : host_has_answer(law);
}

static size_t mixed_bytes(const struct weir_host_config *cfg)
{
    WEIR_ASSERT(cfg->law_count >= 2 && cfg->law_count <= WEIR_LAWS_MAX);
    return host_shell_bytes(cfg->law, cfg->law_count);
}

static void mixed_init(struct weir_host *h)
{
    const struct weir_host_config *cfg = h->cfg;
    for (uint32_t i = 0; i < cfg->law_count; i++) {
        WEIR_ASSERT(cfg->law[i].law == NULL && cfg->law[i].law_number == i);
        WEIR_ASSERT(cfg->law[i].params.mark_bytes == 0); /* the shell marks */
    }
    host_shell_init(h, cfg->law, cfg->law_count);
}

/* ---- messages ---- */

static int mixed_send_by(struct weir_host *h, uint32_t law, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    const struct host_shell *s = host_shell_of(h);
    WEIR_ASSERT(law < s->count);
    int code = weir_host_send(s->host[law], now_ps, dst, msg, bytes);
    host_shell_settle(h, now_ps);
    return code;
}

static int mixed_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    return mixed_send_by(h, 0, now_ps, dst, msg, bytes);
}

/* ---- packets that arrive ---- */

/* Copies a packet for the host of its law, which knows numbers without a law. @return that host; NULL = there is no
 * such law */
static inline struct weir_host *mixed_take(const struct weir_host *h, const struct weir_pkt *pkt, struct weir_pkt *own)
{
    const struct host_shell *s = host_shell_of(h);
    uint32_t law = weir_pkt_law(pkt);
    *own = *pkt;
    own->conn = WEIR_PKT_CONN(pkt->conn);
    WEIR_CHECK(law < WEIR_LAWS_MAX);
    return law < s->count ? s->host[law] : NULL;
}

/* Processes one packet. Never writes *answer: another law may have the turn for the NIC. @return false */
static bool mixed_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
{
    struct weir_pkt own;
    struct weir_host *law = mixed_take(h, pkt, &own);
    (void)answer;
    WEIR_CHECK(h->rx_hops == 0 || h->rx_hop != NULL);
    if (WEIR_UNLIKELY(law == NULL))
        host_shell_of(h)->refused_pkts++;
    else if (WEIR_LIKELY(h->rx_hops == 0))
        (void)law->machine->rx(law, now_ps, &own, NULL);
    else
        (void)weir_host_rx_hops(law, now_ps, &own, h->rx_hop, NULL);
    host_shell_settle(h, now_ps);
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
    const struct host_shell *s = host_shell_of(h);
    uint64_t waiting_bytes = 0, most_bytes = h->cfg->params.mark_bytes;
    WEIR_CHECK(next < s->count && most_bytes > 0);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->host[i]->machine->waiting_bytes != NULL)
            waiting_bytes += s->host[i]->machine->waiting_bytes(s->host[i], i == next);
    return waiting_bytes > most_bytes;
}

/* Writes the packet that law i sends next, if any may leave. @return true if it wrote one */
static bool mixed_send_next(struct weir_host *h, uint64_t now_ps, uint32_t i, struct weir_pkt *out)
{
    struct host_shell *s = host_shell_of(h);
    bool mark = WEIR_UNLIKELY(h->cfg->params.mark_bytes != 0) && mixed_waits_above(h, i);
    if (weir_host_tx(s->host[i], now_ps, out, 1) == 0)
        return false;
    WEIR_CHECK(weir_pkt_law(out) == 0); /* a law's host knows one law */
    out->conn |= i << WEIR_PKT_CONN_BITS;
    h->tx_hop = s->host[i]->tx_hop;
    if (WEIR_UNLIKELY(mark) && out->kind == WEIR_PKT_DATA && (out->flags & WEIR_PKT_ECT)) {
        out->flags |= WEIR_PKT_CE;
        s->source_marked_pkts++;
    }
    host_shell_settle(h, now_ps);
    return true;
}

static uint32_t mixed_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    struct host_shell *s = host_shell_of(h);
    WEIR_CHECK(h->hold == 0 && h->acks.count == 0); /* the laws' hosts hold and answer */
    for (uint32_t round = 0; round < MIXED_ROUNDS; round++) {
        uint32_t law = s->next[round];
        for (uint32_t i = 0; i < s->count; i++, law = law + 1 < s->count ? law + 1 : 0) {
            bool can = round == MIXED_ANSWERS ? law_answers(s->host[law]) : host_can_send(s->host[law]);
            if (!can || !mixed_send_next(h, now_ps, law, out))
                continue;
            s->next[round] = law + 1 < s->count ? law + 1 : 0;
            return 1;
        }
    }
    return 0;
}

static const struct weir_host *mixed_law(const struct weir_host *h, uint32_t law)
{
    WEIR_ASSERT(law < host_shell_of(h)->count);
    return host_shell_of(h)->host[law];
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
                                                 .time_run = host_shell_settle,
                                                 .pause = host_shell_pause,
                                                 .next_pending = host_shell_next_pending,
                                                 .cancel = host_shell_cancel,
                                                 .forget = host_shell_forget,
                                                 .inbound = mixed_inbound,
                                                 .rx_prefetch = mixed_rx_prefetch,
                                                 .message_prefetch = mixed_message_prefetch,
                                                 .send_prefetch = mixed_send_prefetch,
                                                 .flow = host_shell_flow,
                                                 .credit = host_shell_credit,
                                                 .weight = host_shell_weight,
                                                 .rate = host_shell_rate,
                                                 .stats = host_shell_stats,
                                                 .check = host_shell_check,
                                                 .law = mixed_law };
