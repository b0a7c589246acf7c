/* src/algorithms/proto/sird/sender.c - the sender half: credit that arrives, the choice of the next packet, and
 * unscheduled packets. */
#include "proto/sird/sird_core.h"
#include "proto/sird/sird_parts.h"

/* The key of a message is the payload left, below 2^48, and above that: */
#define URGENCY(priority) ((uint64_t)(priority) << 56)
#define SCHEDULED (UINT64_C(1) << 63) /* set in the key of a scheduled message */

static struct weir_sird_tx *first_of(const struct weir_pairing *out)
{
    return out->root != NULL ? WEIR_PAIRING_OF(out->root, struct weir_sird_tx, node) : NULL;
}

/* Returns the message to this receiver whose packet is sent next if no class is paused; NULL = none. Unscheduled
 * packets are sent first, because the receiver does not know of their messages before the first packet arrives. */
static struct weir_sird_tx *first_out(const struct weir_sird_peer *p)
{
    return first_of(&p->out[p->out[WEIR_SIRD_UNSCHED].root != NULL ? WEIR_SIRD_UNSCHED : WEIR_SIRD_SCHED]);
}

/* Returns the message to this receiver whose packet is sent next, with regard to paused classes; NULL = none. */
static struct weir_sird_tx *first_open(const struct weir_sird_host *h, const struct weir_sird_peer *p)
{
    bool unsched = p->out[WEIR_SIRD_UNSCHED].root != NULL && !h->paused[WEIR_SIRD_UNSCHED];
    if (unsched)
        return first_of(&p->out[WEIR_SIRD_UNSCHED]);
    return h->paused[WEIR_SIRD_SCHED] ? NULL : first_of(&p->out[WEIR_SIRD_SCHED]);
}

/* Tests whether the next packet of the message is unscheduled. A retransmission is not: it needs credit. */
static bool is_unscheduled(const struct weir_tx_msg *m)
{
    return m->again_pkts == 0 && m->next < m->unsched_pkts;
}

/* Returns the heap that holds the message, by its key. For a message in no heap the result is the heap of its last
 * key. */
static struct weir_pairing *heap_of(struct weir_sird_peer *p, const struct weir_sird_tx *tx)
{
    return &p->out[(tx->node.key & SCHEDULED) != 0 ? WEIR_SIRD_SCHED : WEIR_SIRD_UNSCHED];
}

/* Inserts a message into the heap of its stage, updates its position, or removes it if nothing is left to send. in:
 * whether the message is in a heap */
static inline void requeue_message(struct weir_sird_host *h, struct weir_sird_peer *p, struct weir_sird_tx *tx, bool in)
{
    uint64_t key = tx->msg.left_bytes | URGENCY(tx->priority) | (is_unscheduled(&tx->msg) ? 0 : SCHEDULED);
    bool leaves = tx->msg.next_wire_bytes == 0 || ((tx->node.key ^ key) & SCHEDULED) != 0;
    if (in && !leaves) {
        if (tx->node.key != key)
            weir_pairing_move(heap_of(p, tx), &tx->node, key, tx->msg.order);
        return;
    }
    if (in)
        weir_pairing_remove(heap_of(p, tx), &tx->node);
    h->tx_msgs -= in;
    if (tx->msg.next_wire_bytes == 0)
        return;
    weir_pairing_push(&p->out[(key & SCHEDULED) != 0 ? WEIR_SIRD_SCHED : WEIR_SIRD_UNSCHED], &tx->node, key,
                      tx->msg.order);
    h->tx_msgs++;
}

/* Adds a receiver to the ring, which is served round robin. The new member is inserted before the next one to serve, so
 * it is served last. */
static void ring_join(struct weir_sird_host *h, struct weir_sird_peer *p)
{
    if (h->ring == NULL) {
        h->ring = p->ring_next = p->ring_prev = p;
        return;
    }
    p->ring_next = h->ring;
    p->ring_prev = h->ring->ring_prev;
    p->ring_prev->ring_next = p->ring_next->ring_prev = p;
}

static void ring_leave(struct weir_sird_host *h, struct weir_sird_peer *p)
{
    p->ring_prev->ring_next = p->ring_next;
    p->ring_next->ring_prev = p->ring_prev;
    if (h->ring == p)
        h->ring = p->ring_next != p ? p->ring_next : NULL;
}

static bool can_send(const struct weir_sird_config *cfg, const struct weir_sird_peer *p, const struct weir_sird_tx *tx)
{
    if (tx == NULL)
        return false;
    if (cfg->unsched_accounting == WEIR_SIRD_IGNORED && is_unscheduled(&tx->msg))
        return true;
    return tx->msg.next_wire_bytes <= p->credit_bytes;
}

/* Inserts a receiver into heap `ready` and ring, updates its position, or removes it if no packet can be sent to it.
 * Must be called after any change of the receiver. in: whether the receiver is in heap and ring */
static inline void requeue_peer(const struct weir_sird_config *cfg, struct weir_sird_host *h, struct weir_sird_peer *p,
                                bool in)
{
    const struct weir_sird_tx *first = first_open(h, p);
    uint64_t key;
    if (!can_send(cfg, p, first)) {
        if (in) {
            weir_pairing_remove(&h->ready, &p->ready);
            ring_leave(h, p);
        }
        return;
    }
    /* priorities order messages to one receiver, not receivers */
    key = cfg->sender_policy == WEIR_SIRD_LARGEST ? UINT64_MAX - p->credit_bytes : first->node.key & ~URGENCY(7);
    if (!in) {
        weir_pairing_push(&h->ready, &p->ready, key, first->msg.order);
        ring_join(h, p);
    } else if (p->ready.key != key || p->ready.tie != first->msg.order) {
        weir_pairing_move(&h->ready, &p->ready, key, first->msg.order);
    }
}

static bool is_ready(const struct weir_sird_host *h, const struct weir_sird_peer *p)
{
    return weir_pairing_has(&h->ready, &p->ready);
}

/* --- credit --- */

static void hold(struct weir_sird_host *h, struct weir_sird_peer *p, uint64_t bytes)
{
    p->credit_bytes += bytes;
    h->held_bytes += bytes;
}

static void spend(struct weir_sird_host *h, struct weir_sird_peer *p, uint64_t bytes)
{
    WEIR_ASSERT(bytes <= p->credit_bytes);
    p->credit_bytes -= bytes;
    h->held_bytes -= bytes;
    p->spent_total += (uint32_t)bytes; /* modulo 2^32 */
}

/* Adapts SThr: to its share, in BDP, of the most credit that one receiver lately let us hold. That is what a receiver
 * with a measured BDP gives at once to a sender that was not scheduled for a while. An older maximum is forgotten, by
 * 1/256 per CREDIT. */
static void adapt_sthr(const struct weir_sird_config *cfg, struct weir_sird_host *h, const struct weir_sird_peer *p)
{
    h->peak_bytes = weir_max_u64(h->peak_bytes - h->peak_bytes / 256, p->credit_bytes);
    h->sthr_bytes = weir_max_u64(cfg->sthr.bytes, h->peak_bytes * cfg->sthr.bdp_milli / 1000);
}

/* Tests whether the sender may say that it holds too much credit. With a measured BDP only if it holds credit of
 * several receivers, so that they share its link. A single receiver sees by its own rate that more credit is of no
 * use. */
static bool may_inform(const struct weir_sird_config *cfg, const struct weir_sird_host *h,
                       const struct weir_sird_peer *p)
{
    return !h->adaptive || cfg->sthr.bdp_milli == 0 || h->held_bytes > p->credit_bytes;
}

/* Handles a CREDIT. The credit may be spent on any message to the receiver that sent it. */
void sird_tx_credit(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_host *h = host;
    struct weir_sird_peer *p = peer;
    uint32_t more = credit->sequence - p->granted_seen;
    (void)tx;
    if ((int32_t)more <= 0)
        return; /* a later CREDIT came first */
    p->granted_seen = credit->sequence;
    hold(h, p, more);
    if (h->adaptive && cfg->sthr.bdp_milli != 0)
        adapt_sthr(cfg, h, p);
    bool ready = is_ready(h, p);
    if (!ready || cfg->sender_policy == WEIR_SIRD_LARGEST) /* else more credit changes nothing */
        requeue_peer(cfg, h, p, ready);
}

/* Releases all credit from a peer, by counting it as spent, if the next packet to the peer cannot be sent with that
 * credit. There are two cases. Nothing is left to send, after repeated grants or packets that had arrived after all. Or
 * the credit is less than the packet: the remainders of many senders may fill B, and then no sender is granted more.
 * @return spent_total afterwards */
uint32_t sird_tx_settle(const struct weir_sird_config *cfg, struct weir_sird_host *h, struct weir_sird_peer *p)
{
    if (!can_send(cfg, p, first_out(p)))
        spend(h, p, p->credit_bytes);
    return p->spent_total;
}

/* --- messages --- */

/* Returns the number of unscheduled packets of a message. A message above UnschT has none. A message up to unsched_max
 * is unscheduled as a whole, a longer one with the whole packets that fit unsched_max. Sizes are in payload or wire
 * bytes, by unsched_unit. */
static uint32_t prefix_pkts(const struct weir_sird_config *cfg, const struct weir_sird_host *h,
                            const struct weir_tx_msg *m, uint64_t wire_bytes)
{
    bool by_wire = cfg->unsched_unit == WEIR_SIRD_WIRE;
    uint64_t size = by_wire ? wire_bytes : m->left_bytes;
    uint32_t per_packet = by_wire ? h->rule.packet_bytes : h->limits->path.mss_bytes;
    if (size > cfg->unscht.bytes)
        return 0;
    return size <= cfg->prefix.bytes ? m->pkts : (uint32_t)(cfg->prefix.bytes / per_packet);
}

/* Returns the bytes on the wire of a whole message of which nothing was sent yet. m->pkts < 2^32 and a packet < 2^14 B,
 * so the result fits. */
static uint64_t message_wire(const struct weir_sird_host *h, const struct weir_tx_msg *m)
{
    uint64_t full = m->pkts - 1;
    uint32_t last = (uint32_t)(m->left_bytes - full * h->limits->path.mss_bytes);
    return full * h->rule.packet_bytes + weir_framing_wire(&h->limits->framing, last);
}

/* Grants the sender credit for its unscheduled packets, if these are charged. pkts: their number, at least 1. It is
 * limited so that the sender holds at most a BDP of credit for this receiver, but not below one packet. @return the
 * limited number of packets */
static uint32_t grant_self(struct weir_sird_host *h, struct weir_sird_peer *p, struct weir_sird_tx *tx, uint32_t pkts,
                           uint64_t wire_bytes)
{
    uint64_t packet = h->rule.packet_bytes, most = h->rule.most_bytes;
    uint64_t space = weir_max_u64(most > p->credit_bytes ? most - p->credit_bytes : 0, packet);
    uint64_t want = pkts == tx->msg.pkts ? wire_bytes : pkts * packet;
    if (want > space) {
        pkts = (uint32_t)(space / packet);
        want = pkts * packet;
    }
    tx->self_bytes = (uint32_t)want; /* <= 1 GiB: the BDP's bound */
    hold(h, p, want);
    return pkts;
}

void sird_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_host *h = host;
    struct weir_sird_tx *m = tx;
    uint64_t wire_bytes = message_wire(h, &m->msg);
    uint32_t pkts = prefix_pkts(cfg, h, &m->msg, wire_bytes);
    (void)now_ps;
    if (pkts > 0 && cfg->unsched_accounting == WEIR_SIRD_CHARGED)
        pkts = grant_self(h, peer, m, pkts, wire_bytes);
    m->msg.unsched_pkts = pkts;
    requeue_message(h, peer, m, false);
    requeue_peer(cfg, h, peer, is_ready(h, peer));
}

void sird_tx_again(const void *config, void *host, void *peer, void *tx)
{
    struct weir_sird_peer *p = peer;
    struct weir_sird_tx *m = tx;
    requeue_message(host, p, m, weir_pairing_has(heap_of(p, m), &m->node));
    requeue_peer(config, host, p, is_ready(host, p));
}

void sird_tx_priority(const void *config, void *host, void *peer, void *tx, uint32_t priority)
{
    struct weir_sird_tx *m = tx;
    WEIR_ASSERT(priority <= 7);
    m->priority = (uint8_t)priority;
    sird_tx_again(config, host, peer, tx);
}

void sird_tx_done(const void *config, void *host, void *peer, void *tx)
{
    struct weir_sird_host *h = host;
    struct weir_sird_peer *p = peer;
    struct weir_sird_tx *m = tx;
    if (weir_pairing_has(heap_of(p, m), &m->node)) {
        weir_pairing_remove(heap_of(p, m), &m->node);
        h->tx_msgs--;
    }
    spend(h, p, weir_min_u64(m->self_bytes, p->credit_bytes)); /* self-granted, not sent: of no use to others */
    m->self_bytes = 0;
    requeue_peer(config, h, p, is_ready(h, p));
}

/* --- sending --- */

/* Chooses the receiver of the next packet: fair_ppm of the packets go to the next receiver of the ring, the others to
 * the first of heap `ready`. No branch, because with the default of one half it would often be mispredicted. */
static struct weir_sird_peer *choose(const struct weir_sird_config *cfg, struct weir_sird_host *h)
{
    uint32_t acc_ppm = h->fair_acc_ppm + (cfg->sender_policy == WEIR_SIRD_FAIR ? 1000000 : cfg->fair_ppm);
    bool fair = acc_ppm >= 1000000;
    struct weir_sird_peer *top = WEIR_PAIRING_OF(h->ready.root, struct weir_sird_peer, ready);
    struct weir_sird_peer *p = weir_pick(fair, h->ring, top);
    h->fair_acc_ppm = acc_ppm - fair * 1000000u;
    h->ring = weir_pick(fair, p->ring_next, h->ring);
    return p;
}

static uint8_t data_class(const struct weir_sird_config *cfg, bool unscheduled)
{
    if (cfg->priorities == WEIR_SIRD_UNSCHEDULED)
        return !unscheduled;
    return cfg->priorities == WEIR_SIRD_CONTROL;
}

bool sird_tx_next(const void *config, void *host, uint64_t now_ps, struct weir_send *out)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_host *h = host;
    (void)now_ps;
    if (h->ring == NULL)
        return false;
    struct weir_sird_peer *p = choose(cfg, h);
    struct weir_sird_tx *tx = first_open(h, p);
    uint32_t wire_bytes = tx->msg.next_wire_bytes;
    bool unscheduled = is_unscheduled(&tx->msg);
    uint32_t spent_bytes = unscheduled && cfg->unsched_accounting == WEIR_SIRD_IGNORED ? 0 : wire_bytes;
    bool csn = may_inform(cfg, h, p) && weir_sird_csn(cfg, h, !unscheduled, spent_bytes);
    spend(h, p, spent_bytes);
    if (unscheduled)
        tx->self_bytes -= tx->self_bytes < spent_bytes ? tx->self_bytes : spent_bytes;
    *out = (struct weir_send){
        .peer = p, .tx = tx, .sequence = p->spent_total, .class_id = data_class(cfg, unscheduled), .own = csn
    };
    return true;
}

void sird_tx_sent(const void *config, void *host, void *peer, void *tx)
{
    requeue_message(host, peer, tx, true);
    requeue_peer(config, host, peer, true);
}

void sird_tx_pause(const void *config, void *host, uint32_t class_mask)
{
    struct weir_sird_host *h = host;
    for (uint32_t stage = WEIR_SIRD_UNSCHED; stage <= WEIR_SIRD_SCHED; stage++)
        h->paused[stage] = (class_mask >> data_class(config, stage == WEIR_SIRD_UNSCHED) & 1) != 0;
}

void sird_tx_resume(const void *config, void *host, void *peer)
{
    requeue_peer(config, host, peer, is_ready(host, peer));
}

uint8_t sird_data_class(const void *config)
{
    return data_class(config, false);
}

bool sird_tx_ready(const void *host)
{
    return ((const struct weir_sird_host *)host)->ring != NULL;
}
