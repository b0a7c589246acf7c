/* src/algorithms/proto/dcpim/tokens.c - the receiver half, packet by packet: messages that may get tokens, and the
 * token loops. */
#include "core/data.h"
#include "proto/dcpim/dcpim_core.h"
#include "proto/dcpim/dcpim_parts.h"

/* --- messages that may get tokens --- */

static void ask_join(struct weir_dcpim_host *h, struct weir_dcpim_peer *p)
{
    p->asks = true;
    if (h->ask == NULL) {
        h->ask = p->ask_next = p->ask_prev = p;
        return;
    }
    p->ask_next = h->ask;
    p->ask_prev = h->ask->ask_prev;
    p->ask_prev->ask_next = p->ask_next->ask_prev = p;
}

static void ask_leave(struct weir_dcpim_host *h, struct weir_dcpim_peer *p)
{
    p->asks = false;
    p->ask_prev->ask_next = p->ask_next;
    p->ask_next->ask_prev = p->ask_prev;
    if (h->ask == p)
        h->ask = p->ask_next != p ? p->ask_next : NULL;
}

/* Removes a message from its queue, if it is in one. */
static void take_out(struct weir_dcpim_host *h, struct weir_dcpim_rx *m)
{
    if (m->queue == WEIR_DCPIM_WAITS) {
        weir_pairing_remove(&h->waiting, &m->node);
    } else if (m->queue == WEIR_DCPIM_OPEN) {
        weir_pairing_remove(&m->peer->open, &m->node);
        if (m->peer->open.root == NULL)
            ask_leave(h, m->peer);
    }
    m->queue = WEIR_DCPIM_NOWHERE;
}

/* Wakes the sleeping token loops for sender p, if a message of p may get tokens. */
static void wake_loops(struct weir_dcpim_host *h, struct weir_dcpim_peer *p, uint64_t now_ps)
{
    struct weir_dcpim_matches *const lists[] = { &h->matched, &h->fresh };
    if (!p->asleep || p->open.root == NULL)
        return;
    p->asleep = false;
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < lists[s]->count; i++) {
            struct weir_dcpim_match *m = &lists[s]->match[i];
            if (m->peer != p || m->active == 0)
                continue;
            m->next_ps = weir_min_u64(m->next_ps, weir_max_u64(m->ready_ps, now_ps));
            h->loop_ps = weir_min_u64(h->loop_ps, m->next_ps);
        }
    }
}

/* Moves a message into its sender's queue `open`, so that it may get tokens. */
static void open_message(struct weir_dcpim_host *h, struct weir_dcpim_rx *m)
{
    take_out(h, m);
    m->queue = WEIR_DCPIM_OPEN;
    weir_pairing_push(&m->peer->open, &m->node, m->msg.left_bytes, m->msg.order);
    if (!m->peer->asks)
        ask_join(h, m->peer);
}

/* Moves a message into the queue `waiting`: it gets no tokens until at_ps. Packets that are missing at at_ps count as
 * lost. */
static void wait_until(struct weir_dcpim_host *h, struct weir_dcpim_rx *m, uint64_t at_ps)
{
    take_out(h, m);
    m->queue = WEIR_DCPIM_WAITS;
    weir_pairing_push(&h->waiting, &m->node, at_ps, m->msg.order);
}

/* --- messages and packets --- */

/* Begins a message. A short message needs no tokens: it waits until resend_ps after its packets must have arrived. With
 * key hold, as many tokens of other messages are left out as the short message has packets, because these use the
 * host's downlink. */
void dcpim_rx_message(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    const struct weir_dcpim_config *cfg = config;
    struct weir_dcpim_host *h = host;
    struct weir_dcpim_rx *m = rx;
    m->peer = peer;
    h->now_ps = now_ps;
    if (m->msg.grant_wire_bytes == 0) {
        m->token_ps = now_ps + m->msg.pkts * h->times.packet_ps; /* 2^13 * 2^37 fits */
        wait_until(h, m, m->token_ps + h->resend_ps);
        h->hold_pkts = cfg->hold ? m->msg.pkts : h->hold_pkts;
        return;
    }
    dcpim_wake_round(h, now_ps);
    open_message(h, m);
    wake_loops(h, m->peer, now_ps);
}

/* Records the number of the token that a packet carries: all tokens up to that number were used or lost. */
static void see_token(struct weir_dcpim_host *h, struct weir_dcpim_rx *m, uint32_t number)
{
    uint32_t more = (number - m->seen) & WEIR_DCPIM_NUMBER_MASK;
    if (more > m->issued - m->seen)
        return; /* an earlier token, or one that was never issued */
    m->seen += more;
    h->out_tokens -= more;
}

bool dcpim_rx_packet(const void *config, void *host, void *peer, void *rx, const struct weir_data *data)
{
    struct weir_dcpim_host *h = host;
    struct weir_dcpim_rx *m = rx;
    (void)config;
    h->now_ps = data->now_ps;
    dcpim_wake_round(h, data->now_ps);
    if (m == NULL)
        return false; /* dcpim_in_rounds() is false if round_at_ps was moved, so no time changes */
    if (data->flags & WEIR_DATA_OWN)
        see_token(h, m, data->sequence);
    if (m->queue == WEIR_DCPIM_OPEN && m->node.key != m->msg.left_bytes)
        weir_pairing_move(&m->peer->open, &m->node, m->msg.left_bytes, m->msg.order);
    wake_loops(h, peer, data->now_ps);
    return true;
}

/* Handles a message of which packets were found lost, or arrived after all. */
void dcpim_rx_again(const void *config, void *host, void *peer, void *rx)
{
    struct weir_dcpim_host *h = host;
    struct weir_dcpim_rx *m = rx;
    (void)config;
    if (m->msg.grant_wire_bytes == 0) {
        wait_until(h, m, m->token_ps + h->resend_ps);
        return;
    }
    dcpim_wake_round(h, h->now_ps);
    open_message(h, m);
    wake_loops(h, peer, h->now_ps); /* h->now_ps is now, or the time of the packet that is being received */
}

/* Returns false, so no packet counts as lost: dcPIM has timeouts of its own. */
bool dcpim_rx_silent(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    (void)config, (void)host, (void)peer, (void)rx, (void)now_ps;
    return false;
}

void dcpim_rx_done(const void *config, void *host, void *peer, void *rx)
{
    struct weir_dcpim_host *h = host;
    struct weir_dcpim_rx *m = rx;
    (void)config, (void)peer;
    take_out(h, m);
    h->out_tokens -= m->issued - m->seen;
}

/* --- token loops --- */

/* Sets loop_ps to the earliest next_ps of all loops. */
void dcpim_next_loop(struct weir_dcpim_host *h)
{
    h->loop_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < h->matched.count; i++)
        h->loop_ps = weir_min_u64(h->loop_ps, h->matched.match[i].next_ps);
    for (uint32_t i = 0; i < h->fresh.count; i++)
        h->loop_ps = weir_min_u64(h->loop_ps, h->fresh.match[i].next_ps);
}

static struct weir_dcpim_match *due_loop(struct weir_dcpim_host *h)
{
    for (uint32_t i = 0; i < h->matched.count; i++)
        if (h->matched.match[i].next_ps == h->loop_ps)
            return &h->matched.match[i];
    for (uint32_t i = 0; i < h->fresh.count; i++)
        if (h->fresh.match[i].next_ps == h->loop_ps)
            return &h->fresh.match[i];
    return NULL;
}

/* Tests whether the window of a message over `channels` channels is full. If it is full, and the message got no token
 * for window_timeout_ps, the oldest tokens beyond the window count as lost. @return 0 = a token may be sent, else the
 * time of the next test */
static uint64_t window_shut(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_rx *m,
                            uint32_t channels, uint64_t now_ps)
{
    uint32_t out = m->issued - m->seen, most = h->window_pkts * channels / cfg->channels;
    if (weir_dcpim_within(cfg, out, h->window_pkts, channels))
        return 0;
    if (now_ps < m->token_ps + h->window_timeout_ps)
        return m->token_ps + h->window_timeout_ps;
    h->out_tokens -= out - most;
    m->seen = m->issued - most;
    return 0;
}

/* Executes a token loop that is due, and sets the time of its next execution. @return true = the token in *out is sent.
 * false = no token: one is left out for a short message, no message may get tokens, or the window is full */
static bool fire(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_match *loop,
                 uint64_t now_ps, struct weir_grant *out)
{
    struct weir_dcpim_rx *m = weir_dcpim_first(loop->peer);
    uint64_t shut_ps;
    loop->ready_ps = loop->next_ps = now_ps + h->times.packet_ps * cfg->channels / loop->active;
    if (h->hold_pkts > 0) {
        h->hold_pkts--;
        return false;
    }
    loop->peer->asleep |= m == NULL;
    if (m == NULL) {
        loop->next_ps = WEIR_NEVER;
        return false;
    }
    if ((shut_ps = window_shut(cfg, h, m, loop->active, now_ps)) != 0) {
        loop->next_ps = weir_max_u64(loop->ready_ps, shut_ps);
        loop->peer->asleep = true;
        return false;
    }
    m->issued++;
    h->out_tokens++;
    *out = (struct weir_grant){ .peer = loop->peer,
                                .rx = m,
                                .pkts = 1,
                                .sequence = (m->issued & WEIR_DCPIM_NUMBER_MASK) | h->phase << WEIR_DCPIM_NUMBER_BITS,
                                .class_id = loop->level };
    return true;
}

uint64_t dcpim_rx_next_ps(const void *config, const void *host, uint64_t now_ps)
{
    const struct weir_dcpim_host *h = host;
    uint64_t next_ps = h->loop_ps;
    (void)config;
    if (h->waiting.root != NULL)
        next_ps = weir_min_u64(next_ps, h->waiting.root->key);
    if (dcpim_in_rounds(h))
        next_ps = weir_min_u64(next_ps, h->round_at_ps);
    return weir_max_u64(next_ps, now_ps);
}

/* Handles the first timeout in `waiting` that has passed. Sets out->peer and out->rx to its message: the host then
 * counts the missing packets as lost, and the message may get tokens again. If no packet is missing, the message waits
 * for another resend_ps. @return false = no timeout has passed */
static bool time_out(struct weir_dcpim_host *h, uint64_t now_ps, struct weir_grant *out)
{
    if (h->waiting.root == NULL || h->waiting.root->key > now_ps)
        return false;
    struct weir_dcpim_rx *m = WEIR_PAIRING_OF(h->waiting.root, struct weir_dcpim_rx, node);
    m->token_ps = now_ps;
    wait_until(h, m, now_ps + h->resend_ps);
    *out = (struct weir_grant){ .peer = m->peer, .rx = m };
    return true;
}

bool dcpim_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *out)
{
    struct weir_dcpim_host *h = host;
    bool goes;
    h->now_ps = now_ps;
    if (time_out(h, now_ps, out))
        return false;
    if (dcpim_in_rounds(h) && h->round_at_ps <= now_ps) {
        dcpim_round(config, h);
        return false;
    }
    goes = fire(config, h, due_loop(h), now_ps, out);
    dcpim_next_loop(h);
    return goes;
}

/* Records the time of the token. If the message has no packet left to request, it gets no tokens for resend_ps. */
void dcpim_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps)
{
    struct weir_dcpim_host *h = host;
    struct weir_dcpim_rx *m = grant->rx;
    (void)config;
    m->token_ps = now_ps;
    if (m->msg.grant_wire_bytes == 0)
        wait_until(h, m, now_ps + h->resend_ps);
}
