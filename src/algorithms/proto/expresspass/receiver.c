/* src/algorithms/proto/expresspass/receiver.c - the receiver half: the loop that sends credit for a message, and
 * packets that are granted by name. */
#include "core/data.h"
#include "proto/expresspass/expresspass_core.h"
#include "proto/expresspass/expresspass_parts.h"

static void drop_node(struct weir_pairing *heap, struct weir_pairing_node *node)
{
    if (weir_pairing_has(heap, node))
        weir_pairing_remove(heap, node);
}

static bool is_credited(const struct weir_expresspass_host *h, const struct weir_expresspass_rx *r)
{
    return weir_pairing_has(&h->credit, &r->credit);
}

/* Begins to send credit for a message, or begins again after a stop. Credits sent before, and still under way, are not
 * counted. */
static void begin(const struct weir_expresspass_config *cfg, struct weir_expresspass_host *h,
                  struct weir_expresspass_rx *r, uint64_t now_ps)
{
    uint64_t left_pkts = (r->msg.left_bytes + h->mss_bytes - 1) / h->mss_bytes;
    weir_expresspass_begin(cfg, &r->flow, h->rate_max, weir_clamp_u32(left_pkts, 0, UINT32_MAX), now_ps);
    r->expected_seq = r->next_seq & ((1u << WEIR_EXPRESSPASS_SEQ_BITS) - 1);
    r->due_ps = now_ps;
    weir_pairing_push(&h->credit, &r->credit, now_ps, r->msg.order);
}

void expresspass_rx_stop(struct weir_expresspass_host *h, struct weir_expresspass_rx *r)
{
    drop_node(&h->credit, &r->credit);
}

void expresspass_rx_reply(const void *config, void *rx, enum weir_reply reply)
{
    const struct weir_expresspass_config *cfg = config;
    ((struct weir_expresspass_rx *)rx)->is_reply = cfg->wait_reply && reply == WEIR_REPLY_IS;
}

void expresspass_rx_message(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    struct weir_expresspass_rx *r = rx;
    r->peer = peer;
    begin(config, host, r, now_ps);
}

/* Tests whether new packets may be granted by name: at least half of WEIR_CREDIT_WINDOW_PKTS, or all that are left. So
 * grants are few, and come long before the sender needs them. */
static bool has_room(const struct weir_expresspass_rx *r)
{
    uint32_t end = weir_clamp_u32((uint64_t)r->msg.cum + WEIR_CREDIT_WINDOW_PKTS, 0, r->msg.pkts);
    return r->msg.grant_wire_bytes > 0 && (end == r->msg.pkts || end - r->msg.granted >= WEIR_CREDIT_WINDOW_PKTS / 2);
}

static bool requeue_due(struct weir_expresspass_host *h, struct weir_expresspass_rx *r)
{
    bool in = r->msg.grant_wire_bytes > 0 && (r->lost || has_room(r));
    if (in == weir_pairing_has(&h->due, &r->due))
        return false;
    if (in)
        weir_pairing_push(&h->due, &r->due, r->msg.order, 0);
    else
        weir_pairing_remove(&h->due, &r->due);
    return true;
}

/* Handles a packet of a message, and ignores all other packets. A packet without payload is a request: it begins credit
 * for the message, unless credit is being sent. DATA updates the round trip and the count of lost credits. */
bool expresspass_rx_packet(const void *config, void *host, void *peer, void *rx, const struct weir_data *data)
{
    struct weir_expresspass_host *h = host;
    struct weir_expresspass_rx *r = rx;
    (void)peer;
    h->now_ps = data->now_ps;
    if (r == NULL)
        return false;
    if ((data->flags & WEIR_DATA_PAYLOAD) == 0) {
        if (!is_credited(h, r))
            begin(config, h, r, data->now_ps);
        return true;
    }
    weir_expresspass_sample(config, &r->flow, data->sequence, data->now_ps, h->time_shift);
    weir_expresspass_count(&r->flow, &r->expected_seq, data->sequence);
    return r->msg.grant_wire_bytes > 0 && requeue_due(h, r);
}

void expresspass_rx_again(const void *config, void *host, void *peer, void *rx)
{
    (void)config, (void)peer;
    (void)requeue_due(host, rx);
}

/* Handles a message of which no packet arrived for loss_ps(). Stops its credit, because the sender does not seem to use
 * it. @return true: the missing packets count as lost; CREDIT packets that name these packets then request them
 * again */
bool expresspass_rx_silent(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    struct weir_expresspass_rx *r = rx;
    (void)config, (void)peer, (void)now_ps;
    expresspass_rx_stop(host, r);
    r->lost = true;
    return true;
}

uint64_t expresspass_rx_next_ps(const void *config, const void *host, uint64_t now_ps)
{
    const struct weir_expresspass_host *h = host;
    (void)config;
    if (h->due.root != NULL)
        return now_ps;
    return h->credit.root != NULL ? weir_max_u64(h->credit.root->key, now_ps) : WEIR_NEVER;
}

/* Updates the rate of a message, queues its next credit to leave now, and sets the time of the credit after that. A
 * real host may be late for a credit: the next ones then come earlier, one in each call, until they have made up for
 * at most h->late_ps. */
static void credit(const struct weir_expresspass_config *cfg, struct weir_expresspass_host *h,
                   struct weir_expresspass_rx *r, uint64_t now_ps)
{
    uint64_t draw = weir_rng_at(h->draw_key, h->draws++);
    weir_expresspass_feedback(cfg, &r->flow, h->rate_max, now_ps);
    r->leaving_bytes = weir_expresspass_credit_bytes(cfg, draw);
    WEIR_ASSERT(!weir_pairing_has(&h->leaving, &r->leaving)); /* the host fetches it before it asks again */
    weir_pairing_push(&h->leaving, &r->leaving, h->joins++, 0);
    h->head.controls++;
    r->due_ps += weir_expresspass_gap_ps(cfg, r->flow.rate, draw);
    if (now_ps > h->late_ps)
        r->due_ps = weir_max_u64(r->due_ps, now_ps - h->late_ps);
    weir_pairing_move(&h->credit, &r->credit, weir_max_u64(r->due_ps, now_ps + 1), r->msg.order);
}

bool expresspass_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *out)
{
    struct weir_expresspass_host *h = host;
    h->now_ps = now_ps;
    if (h->due.root != NULL) {
        struct weir_expresspass_rx *r = WEIR_PAIRING_OF(h->due.root, struct weir_expresspass_rx, due);
        *out = (struct weir_grant){ .peer = r->peer,
                                    .rx = r,
                                    .pkts = WEIR_CREDIT_WINDOW_PKTS,
                                    .sequence = !is_credited(h, r),
                                    .class_id = EXPRESSPASS_DATA_CLASS };
        return true;
    }
    if (h->credit.root != NULL && h->credit.root->key <= now_ps)
        credit(config, h, WEIR_PAIRING_OF(h->credit.root, struct weir_expresspass_rx, credit), now_ps);
    return false;
}

void expresspass_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps)
{
    struct weir_expresspass_rx *r = grant->rx;
    (void)config, (void)now_ps;
    r->lost &= grant->again;
    (void)requeue_due(host, r);
}

void expresspass_rx_credit_next(struct weir_expresspass_host *h, struct weir_own_pkt *out)
{
    struct weir_pairing_node *first = weir_pairing_pop(&h->leaving);
    struct weir_expresspass_rx *r = WEIR_PAIRING_OF(first, struct weir_expresspass_rx, leaving);
    *out = (struct weir_own_pkt){ .peer = r->peer,
                                  .rx = r,
                                  .value = h->now_ps,
                                  .sequence = r->next_seq++,
                                  .wire_bytes = r->leaving_bytes,
                                  .kind = WEIR_EXPRESSPASS_CREDIT,
                                  .class_id = EXPRESSPASS_CREDIT_CLASS };
}

void expresspass_rx_done(const void *config, void *host, void *peer, void *rx)
{
    struct weir_expresspass_host *h = host;
    struct weir_expresspass_rx *r = rx;
    (void)config;
    expresspass_rx_stop(h, r);
    drop_node(&h->due, &r->due);
    WEIR_ASSERT(!weir_pairing_has(&h->leaving, &r->leaving));
    if (r->is_reply)
        expresspass_replied(h, peer);
}
