/* src/algorithms/proto/homa/sender.c - the sender half: unscheduled packets, grants that arrive, and the choice of the
 * next packet. */
#include "core/math.h"
#include "proto/homa/homa.h"
#include "proto/homa/homa_parts.h"

/* Tests whether the next packet of the message is unscheduled. A retransmission is not. */
static bool is_unscheduled(const struct weir_homa_tx *m)
{
    return m->msg.again_pkts == 0 && m->msg.next < m->msg.unsched_pkts;
}

static bool may_go(const struct weir_homa_tx *m)
{
    return m->msg.next_wire_bytes > 0 && (m->msg.again_pkts > 0 || m->msg.next < m->granted);
}

/* Returns the level of the next packet of the message: of a retransmission again_level, of an unscheduled packet by
 * cutoffs. Of a granted packet it is the least level, the highest priority, of which a grant is left. */
static uint8_t level_of(const struct weir_homa_config *cfg, const struct weir_homa_tx *m)
{
    uint8_t level = 0;
    if (m->msg.again_pkts > 0)
        return m->again_level;
    if (is_unscheduled(m))
        return weir_homa_unsched_level(cfg, m->msg.left_bytes);
    while (m->level_pkts[level] == 0)
        level++;
    WEIR_ASSERT(level < WEIR_HOMA_LEVELS_MAX);
    return level;
}

static bool is_paused(const struct weir_homa_config *cfg, const struct weir_homa_host *h, const struct weir_homa_tx *m)
{
    return (h->paused >> level_of(cfg, m) & 1) != 0;
}

/* Moves messages whose level is paused from the top of `ready` to `held`, until the top is not paused. Paused messages
 * below the top may stay in `ready`. */
static void hold_paused(const struct weir_homa_config *cfg, struct weir_homa_host *h)
{
    while (h->ready.root != NULL && is_paused(cfg, h, WEIR_PAIRING_OF(h->ready.root, struct weir_homa_tx, node))) {
        struct weir_pairing_node *node = weir_pairing_pop(&h->ready);
        weir_pairing_push(&h->held, node, node->key, node->tie);
    }
}

static struct weir_pairing *heap_of(struct weir_homa_host *h, const struct weir_homa_tx *m)
{
    const struct weir_pairing_node *root = &m->node;
    if (WEIR_LIKELY(h->held.root == NULL))
        return weir_pairing_has(&h->ready, root) ? &h->ready : NULL;
    while (root->prev != NULL)
        root = root->prev;
    return root == h->ready.root ? &h->ready : root == h->held.root ? &h->held : NULL;
}

/* Returns the key of a message; the message with the least key is sent first. SRPT: the unsent payload; among messages
 * with as much, unscheduled packets go first. Round robin: with goes_last a key above all others, else the present
 * key. */
static uint64_t key_of(const struct weir_homa_config *cfg, struct weir_homa_host *h, const struct weir_homa_tx *m,
                       bool goes_last)
{
    if (WEIR_LIKELY(cfg->sender_policy == WEIR_HOMA_SRPT))
        return m->msg.left_bytes << 1 | !is_unscheduled(m); /* 2^48 bytes at most */
    return goes_last ? ++h->served : m->node.key;
}

/* Inserts a message into `ready`, updates its position there, or removes it from its heap if no packet of it may be
 * sent. Must be called after any change of the message. sent: true = a packet of the message was sent just now */
static void requeue(const struct weir_homa_config *cfg, struct weir_homa_host *h, struct weir_homa_tx *m, bool sent)
{
    struct weir_pairing *heap = heap_of(h, m);
    if (!may_go(m)) {
        if (heap != NULL)
            weir_pairing_remove(heap, &m->node);
    } else if (heap == &h->ready) {
        weir_pairing_move(heap, &m->node, key_of(cfg, h, m, sent), m->msg.order);
    } else {
        if (heap != NULL)
            weir_pairing_remove(heap, &m->node);
        weir_pairing_push(&h->ready, &m->node, key_of(cfg, h, m, heap == NULL), m->msg.order);
    }
    if (WEIR_UNLIKELY(h->paused != 0))
        hold_paused(cfg, h);
}

void homa_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps)
{
    const struct weir_homa_config *cfg = config;
    const struct weir_homa_host *h = host;
    struct weir_homa_tx *m = tx;
    (void)now_ps;
    m->peer = peer;
    m->granted = m->msg.unsched_pkts = m->msg.left_bytes <= cfg->unsched.bytes
                                           ? m->msg.pkts
                                           : (uint32_t)(cfg->unsched.bytes / h->limits->path.mss_bytes);
    requeue(cfg, host, m, false);
}

void homa_tx_again(const void *config, void *host, void *peer, void *tx)
{
    (void)peer;
    requeue(config, host, tx, false);
}

/* Handles a GRANT or RESEND. Either allows all packets below its end, so it makes up for lost earlier ones. An end more
 * than WEIR_CREDIT_WINDOW_PKTS beyond the next new packet allows nothing. A RESEND also sets the level of
 * retransmissions. A RESEND of packets none of which was sent yet is answered by BUSY. */
void homa_tx_credit(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit)
{
    struct weir_homa_host *h = host;
    struct weir_homa_tx *m = tx;
    (void)peer;
    if (m == NULL)
        return;
    uint64_t end = weir_min_u64((uint64_t)credit->first_pkt + credit->pkts, m->msg.pkts);
    if (end > m->granted && end - m->msg.next <= WEIR_CREDIT_WINDOW_PKTS) {
        m->level_pkts[credit->class_id] += (uint16_t)(end - m->granted);
        m->granted = (uint32_t)end;
    }
    if (credit->sequence == WEIR_HOMA_RESEND) {
        m->again_level = credit->class_id;
        if (credit->first_pkt >= m->msg.next && h->head.controls == 0) {
            h->busy = m;
            h->head.controls = 1;
        }
    }
    requeue(config, h, m, false);
}

void homa_control_next(const void *config, void *host, struct weir_own_pkt *out)
{
    struct weir_homa_host *h = host;
    (void)config;
    *out = (struct weir_own_pkt){ .peer = h->busy->peer, .tx = h->busy, .kind = WEIR_HOMA_BUSY };
    h->head.controls = 0;
}

bool homa_tx_ready(const void *host)
{
    return ((const struct weir_homa_host *)host)->ready.root != NULL;
}

bool homa_tx_next(const void *config, void *host, uint64_t now_ps, struct weir_send *out)
{
    const struct weir_homa_config *cfg = config;
    struct weir_homa_host *h = host;
    (void)now_ps;
    if (h->ready.root == NULL)
        return false;
    struct weir_homa_tx *m = WEIR_PAIRING_OF(h->ready.root, struct weir_homa_tx, node);
    uint8_t level = level_of(cfg, m);
    if (m->msg.again_pkts == 0 && m->msg.next >= m->msg.unsched_pkts)
        m->level_pkts[level]--;
    *out = (struct weir_send){ .peer = m->peer, .tx = m, .class_id = level };
    return true;
}

void homa_tx_sent(const void *config, void *host, void *peer, void *tx)
{
    (void)peer;
    requeue(config, host, tx, true);
}

/* Sets the paused levels. Moves all messages from `held` back to `ready`, then those at the top of `ready` whose level
 * is paused to `held`. */
void homa_tx_pause(const void *config, void *host, uint32_t class_mask)
{
    struct weir_homa_host *h = host;
    struct weir_pairing_node *node;
    h->paused = class_mask;
    while ((node = weir_pairing_pop(&h->held)) != NULL)
        weir_pairing_push(&h->ready, node, node->key, node->tie);
    hold_paused(config, h);
}

/* Leaves the order of messages unchanged: all receivers share one order, which homa_tx_pause() has updated. */
void homa_tx_resume(const void *config, void *host, void *peer)
{
    (void)config, (void)host, (void)peer;
}

void homa_tx_done(const void *config, void *host, void *peer, void *tx)
{
    struct weir_homa_host *h = host;
    struct weir_homa_tx *m = tx;
    struct weir_pairing *heap = heap_of(h, m);
    (void)peer;
    if (heap != NULL)
        weir_pairing_remove(heap, &m->node);
    if (WEIR_UNLIKELY(h->paused != 0))
        hold_paused(config, h);
}
