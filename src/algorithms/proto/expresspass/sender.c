/* src/algorithms/proto/expresspass/sender.c - the sender half: connections, requests and stops, and a packet for each
 * credit. */
#include "proto/expresspass/expresspass_core.h"
#include "proto/expresspass/expresspass_parts.h"

static uint32_t left_pkts(const struct weir_expresspass_tx *m)
{
    return m->msg.again_pkts + (m->msg.pkts - m->msg.next);
}

/* Tests whether a packet may be sent once there is credit for it. The receiver has no room for packets from limit_pkts
 * on. */
static bool has_pkt(const struct weir_expresspass_tx *m)
{
    return m->msg.next_wire_bytes > 0 && (m->msg.again_pkts > 0 || m->msg.next < m->limit_pkts);
}

/* Inserts a message into the heap `ready`, or removes it if it has no unspent credit or no packet to send. Limits
 * may_pkts to the packets left. Must be called after any change of the message. */
static void requeue(struct weir_expresspass_host *h, struct weir_expresspass_tx *m)
{
    m->may_pkts = weir_clamp_u32(m->may_pkts, 0, left_pkts(m)); /* packets may have arrived after all */
    bool in = m->may_pkts > 0 && has_pkt(m);
    if (in == weir_pairing_has(&h->ready, &m->ready))
        return;
    if (in)
        weir_pairing_push(&h->ready, &m->ready, h->joins++, 0);
    else
        weir_pairing_remove(&h->ready, &m->ready);
}

/* Queues a control packet about a message. The host fetches it right after the present call, so a message never has
 * two. */
static void send_control(struct weir_expresspass_host *h, struct weir_expresspass_tx *m, uint8_t kind)
{
    WEIR_ASSERT(!weir_pairing_has(&h->controls, &m->control));
    m->control_kind = kind;
    weir_pairing_push(&h->controls, &m->control, h->joins++, 0);
    h->head.controls++;
}

void expresspass_tx_control_next(struct weir_expresspass_host *h, struct weir_own_pkt *out)
{
    struct weir_pairing_node *first = weir_pairing_pop(&h->controls);
    struct weir_expresspass_tx *m = WEIR_PAIRING_OF(first, struct weir_expresspass_tx, control);
    *out =
        (struct weir_own_pkt){ .peer = m->peer, .tx = m, .kind = m->control_kind, .class_id = EXPRESSPASS_DATA_CLASS };
}

static void request(const struct weir_expresspass_config *cfg, struct weir_expresspass_host *h,
                    struct weir_expresspass_tx *m, uint64_t now_ps)
{
    m->state = WEIR_EXPRESSPASS_REQUEST_SENT;
    m->asked_ps = now_ps;
    expresspass_set_timer(h, m, now_ps + cfg->request_ps);
    send_control(h, m, WEIR_CONTROL_REQUEST);
}

/* Sends a STOP: the receiver then sends no more credit. Credits under way may still be spent for two round trips from
 * now. The connection is closed after three. */
static void stop(struct weir_expresspass_host *h, struct weir_expresspass_tx *m, uint64_t now_ps)
{
    m->state = WEIR_EXPRESSPASS_STOP_SENT;
    m->closed_ps = now_ps + 3 * m->rtt_ps;
    expresspass_set_timer(h, m, now_ps + 2 * m->rtt_ps);
    send_control(h, m, WEIR_EXPRESSPASS_STOP);
}

/* ---- connections ---- */

static bool pool_is_limited(const struct weir_expresspass_config *cfg)
{
    return cfg->connections > 0;
}

/* Frees connections that are closed by now. @return the time at which the next connection is closed; WEIR_NEVER = no
 * other one is closing */
static uint64_t close_due(struct weir_expresspass_peer *p, uint64_t now_ps)
{
    uint64_t next_ps = WEIR_NEVER;
    uint32_t left = 0;
    for (uint32_t i = 0; i < p->closing; i++) {
        if (p->closed_ps[i] <= now_ps)
            continue;
        next_ps = weir_min_u64(next_ps, p->closed_ps[i]);
        p->closed_ps[left++] = p->closed_ps[i];
    }
    p->busy -= p->closing - left;
    p->closing = left;
    return next_ps;
}

/* Opens free connections for messages that wait, first come, first served. */
static void open_waiting(const struct weir_expresspass_config *cfg, struct weir_expresspass_host *h,
                         struct weir_expresspass_peer *p, uint64_t now_ps)
{
    uint64_t next_ps = close_due(p, now_ps);
    while (p->waiting.root != NULL && p->busy < cfg->connections) {
        struct weir_pairing_node *first = weir_pairing_pop(&p->waiting);
        p->busy++;
        request(cfg, h, WEIR_PAIRING_OF(first, struct weir_expresspass_tx, control), now_ps);
    }
    expresspass_open_at(h, p, next_ps);
}

void expresspass_peer_init(const void *config, void *host, void *peer)
{
    struct weir_expresspass_host *h = host;
    (void)config;
    *(struct weir_expresspass_peer *)peer = (struct weir_expresspass_peer){ .number = h->peers++ };
}

void expresspass_peer_forget(const void *config, void *host, void *peer)
{
    struct weir_expresspass_host *h = host;
    struct weir_expresspass_peer *p = peer;
    (void)config;
    if (weir_pairing_has(&h->opening, &p->opening))
        weir_pairing_remove(&h->opening, &p->opening);
}

/* ---- messages ---- */

void expresspass_tx_reply(const void *config, void *tx, enum weir_reply reply)
{
    const struct weir_expresspass_config *cfg = config;
    ((struct weir_expresspass_tx *)tx)->reply = (uint8_t)(cfg->wait_reply ? reply : WEIR_REPLY_NONE);
}

/* Begins a message: requests credit. If no connection is free, or other messages to the peer wait, the message waits.
 * The first WEIR_CREDIT_WINDOW_PKTS packets are unscheduled as far as the host knows: the receiver has room for them
 * without a grant, but each needs a credit. With wait_reply a reply is part of the connection of the message that it
 * answers, which is the peer's. */
void expresspass_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps)
{
    const struct weir_expresspass_config *cfg = config;
    struct weir_expresspass_host *h = host;
    struct weir_expresspass_peer *p = peer;
    struct weir_expresspass_tx *m = tx;
    h->now_ps = now_ps;
    m->peer = p;
    m->limit_pkts = m->msg.unsched_pkts = weir_clamp_u32(m->msg.pkts, 0, WEIR_CREDIT_WINDOW_PKTS);
    if (m->reply == WEIR_REPLY_IS) {
        request(cfg, h, m, now_ps);
        return;
    }
    uint64_t free_ps = 0;
    if (pool_is_limited(cfg) && p->busy == cfg->connections)
        free_ps = close_due(p, now_ps);
    if (pool_is_limited(cfg) && (p->waiting.root != NULL || p->busy == cfg->connections)) {
        m->state = WEIR_EXPRESSPASS_WAITING;
        weir_pairing_push(&p->waiting, &m->control, m->msg.order, 0);
        expresspass_open_at(h, p, p->busy < cfg->connections ? now_ps + 1 : free_ps);
        return;
    }
    p->busy++;
    request(cfg, h, m, now_ps);
}

static bool is_open(const struct weir_expresspass_tx *m)
{
    return m->state != WEIR_EXPRESSPASS_WAITING && m->state != WEIR_EXPRESSPASS_REQUEST_SENT;
}

/* Handles a CREDIT of the host, which names packets: the receiver has room for them, or they must be sent again. A
 * credit->sequence above 0 means that the receiver sends no credit for the message now. Then requests credit, unless
 * the message waits for a connection or for the answer to a request. */
void expresspass_tx_credit(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit)
{
    struct weir_expresspass_host *h = host;
    struct weir_expresspass_tx *m = tx;
    (void)peer;
    h->now_ps = credit->now_ps;
    if (m == NULL)
        return;
    m->limit_pkts = weir_clamp_u32((uint64_t)credit->first_pkt + credit->pkts, m->limit_pkts, m->msg.pkts);
    if (credit->sequence != 0 && is_open(m))
        request(config, h, m, credit->now_ps);
    requeue(h, m);
}

/* Handles a change of the packets to be sent again. Requests credit if packets are left and the state is CLOSE_WAIT or
 * CLOSED. */
void expresspass_tx_again(const void *config, void *host, void *peer, void *tx)
{
    struct weir_expresspass_host *h = host;
    struct weir_expresspass_tx *m = tx;
    (void)peer;
    if (m->state >= WEIR_EXPRESSPASS_CLOSE_WAIT && left_pkts(m) > 0)
        request(config, h, m, h->now_ps);
    requeue(h, m);
}

/* Handles the first credit after a request. The time from the request to this credit is the round trip. */
static void receive(const struct weir_expresspass_config *cfg, struct weir_expresspass_host *h,
                    struct weir_expresspass_tx *m, uint64_t now_ps)
{
    m->state = WEIR_EXPRESSPASS_RECEIVING;
    m->rtt_ps = now_ps - m->asked_ps;
    m->mark_ps = now_ps;
    m->credits = 0;
    expresspass_set_timer(h, m, cfg->idle_ps > 0 ? now_ps + cfg->idle_ps : WEIR_NEVER);
}

/* Sends a STOP if the credit under way is enough. Must be called in state RECEIVING only. left: packets for which no
 * credit has come. Credit is enough if left is 0 and no credit is unspent. With early_stop it is also enough if at
 * least `left` credits came in the last round trip. */
static void consider_stop(const struct weir_expresspass_config *cfg, struct weir_expresspass_host *h,
                          struct weir_expresspass_tx *m, uint32_t left, uint64_t now_ps)
{
    if (left == 0 && m->may_pkts == 0) {
        stop(h, m, now_ps);
    } else if (left > 0 && now_ps - m->mark_ps >= m->rtt_ps) {
        if (cfg->early_stop && m->credits >= left)
            stop(h, m, now_ps);
        m->credits = 0;
        m->mark_ps = now_ps;
    }
}

static void take_credit(const struct weir_expresspass_config *cfg, struct weir_expresspass_host *h,
                        struct weir_expresspass_tx *m, const struct weir_own_pkt *control)
{
    uint64_t now_ps = control->now_ps;
    bool open = m->state >= WEIR_EXPRESSPASS_REQUEST_SENT && m->state <= WEIR_EXPRESSPASS_STOP_SENT;
    bool sends = open && has_pkt(m) && left_pkts(m) > m->may_pkts;
    if (m->state == WEIR_EXPRESSPASS_REQUEST_SENT)
        receive(cfg, h, m, now_ps);
    m->credits++;
    m->credited_ps = now_ps;
    h->wasted += !sends;
    if (sends) {
        m->may_pkts++;
        m->echo = weir_expresspass_echo(control->sequence, control->value, h->time_shift);
    }
    if (m->state == WEIR_EXPRESSPASS_RECEIVING)
        consider_stop(cfg, h, m, left_pkts(m) - m->may_pkts, now_ps);
    requeue(h, m);
}

void expresspass_control(const void *config, void *host, const struct weir_own_pkt *control)
{
    struct weir_expresspass_host *h = host;
    h->now_ps = control->now_ps;
    if (control->kind == WEIR_EXPRESSPASS_STOP) {
        if (control->rx != NULL)
            expresspass_rx_stop(h, control->rx);
    } else if (control->tx != NULL) {
        take_credit(config, h, control->tx, control);
    } else {
        h->wasted++;
    }
}

bool expresspass_tx_ready(const void *host)
{
    return ((const struct weir_expresspass_host *)host)->ready.root != NULL;
}

/* Chooses the message that has been longest in `ready`, and spends one of its credits. The packet returns the number of
 * the oldest unspent credit, computed back from that of the last credit. @return false = no packet may be sent */
bool expresspass_tx_next(const void *config, void *host, uint64_t now_ps, struct weir_send *out)
{
    struct weir_expresspass_host *h = host;
    struct weir_pairing_node *first = weir_pairing_pop(&h->ready);
    (void)config;
    h->now_ps = now_ps;
    if (first == NULL)
        return false;
    struct weir_expresspass_tx *m = WEIR_PAIRING_OF(first, struct weir_expresspass_tx, ready);
    m->may_pkts--;
    *out = (struct weir_send){ .peer = m->peer,
                               .tx = m,
                               .sequence = m->echo - (m->may_pkts << WEIR_EXPRESSPASS_TIME_BITS),
                               .class_id = EXPRESSPASS_DATA_CLASS };
    return true;
}

/* Handles a packet that was sent: sends a STOP if it was the last one of its message. */
void expresspass_tx_sent(const void *config, void *host, void *peer, void *tx)
{
    struct weir_expresspass_host *h = host;
    struct weir_expresspass_tx *m = tx;
    (void)config, (void)peer;
    if (m->state == WEIR_EXPRESSPASS_RECEIVING && left_pkts(m) == 0)
        stop(h, m, h->now_ps);
    requeue(h, m);
}

uint64_t expresspass_tx_next_ps(const void *config, const void *host)
{
    const struct weir_expresspass_host *h = host;
    uint64_t timer_ps = h->timers.root != NULL ? h->timers.root->key : WEIR_NEVER;
    (void)config;
    return h->opening.root != NULL ? weir_min_u64(timer_ps, h->opening.root->key) : timer_ps;
}

static void time_out(const struct weir_expresspass_config *cfg, struct weir_expresspass_host *h,
                     struct weir_expresspass_tx *m, uint64_t now_ps)
{
    if (m->state == WEIR_EXPRESSPASS_REQUEST_SENT) {
        request(cfg, h, m, now_ps);
    } else if (m->state == WEIR_EXPRESSPASS_RECEIVING) { /* the receiver may have no state of the message */
        if (now_ps - m->credited_ps >= cfg->idle_ps)
            request(cfg, h, m, now_ps);
        else
            expresspass_set_timer(h, m, m->credited_ps + cfg->idle_ps);
    } else if (m->state == WEIR_EXPRESSPASS_STOP_SENT) {
        if (left_pkts(m) > 0) {
            request(cfg, h, m, now_ps);
        } else {
            m->state = WEIR_EXPRESSPASS_CLOSE_WAIT;
            expresspass_set_timer(h, m, now_ps + m->rtt_ps);
        }
    } else {
        m->state = WEIR_EXPRESSPASS_CLOSED;
    }
}

void expresspass_tx_time(const void *config, void *host, uint64_t now_ps)
{
    struct weir_expresspass_host *h = host;
    h->now_ps = now_ps;
    while (h->timers.root != NULL && h->timers.root->key <= now_ps) {
        struct weir_pairing_node *first = weir_pairing_pop(&h->timers);
        time_out(config, h, WEIR_PAIRING_OF(first, struct weir_expresspass_tx, timer), now_ps);
    }
    while (h->opening.root != NULL && h->opening.root->key <= now_ps) {
        struct weir_pairing_node *first = weir_pairing_pop(&h->opening);
        open_waiting(config, h, WEIR_PAIRING_OF(first, struct weir_expresspass_peer, opening), now_ps);
    }
}

/* Decides on a silent message. @return true = send the REQUEST again: all packets were sent and the connection is
 * closed, but the receiver has not reported that the message has arrived */
bool expresspass_tx_silent(const void *config, void *host, void *peer, void *tx, uint64_t now_ps)
{
    const struct weir_expresspass_tx *m = tx;
    (void)config, (void)host, (void)peer, (void)now_ps;
    return m->state == WEIR_EXPRESSPASS_CLOSED && left_pkts(m) == 0;
}

static void free_connection(struct weir_expresspass_host *h, struct weir_expresspass_peer *p)
{
    WEIR_ASSERT(p->busy > p->closing);
    p->busy--;
    expresspass_open_at(h, p, h->now_ps + 1);
}

/* Handles the end of a reply from a peer. If no message to the peer waits for a reply, this one has overtaken the DONE
 * of its message, and frees the connection when the message ends. */
void expresspass_replied(struct weir_expresspass_host *h, struct weir_expresspass_peer *p)
{
    if (p->replies_due-- > 0)
        free_connection(h, p);
}

/* Frees the connection of a message that ends. If a reply is expected: when the reply comes. Else at once, or at
 * m->closed_ps if connections are limited and the connection is closing. */
static void leave_connection(const struct weir_expresspass_config *cfg, struct weir_expresspass_host *h,
                             struct weir_expresspass_peer *p, const struct weir_expresspass_tx *m)
{
    bool closing = m->state == WEIR_EXPRESSPASS_STOP_SENT || m->state == WEIR_EXPRESSPASS_CLOSE_WAIT;
    if (m->reply == WEIR_REPLY_EXPECTED) {
        if (p->replies_due++ < 0)
            free_connection(h, p);
        return;
    }
    if (!pool_is_limited(cfg) || !closing) {
        free_connection(h, p);
        return;
    }
    WEIR_ASSERT(p->closing < cfg->connections);
    p->closed_ps[p->closing++] = m->closed_ps;
    expresspass_open_at(h, p, weir_max_u64(m->closed_ps, h->now_ps + 1));
}

void expresspass_tx_done(const void *config, void *host, void *peer, void *tx)
{
    struct weir_expresspass_host *h = host;
    struct weir_expresspass_peer *p = peer;
    struct weir_expresspass_tx *m = tx;
    if (weir_pairing_has(&h->ready, &m->ready))
        weir_pairing_remove(&h->ready, &m->ready);
    expresspass_set_timer(h, m, WEIR_NEVER);
    if (m->state == WEIR_EXPRESSPASS_WAITING)
        weir_pairing_remove(&p->waiting, &m->control);
    else if (m->reply != WEIR_REPLY_IS)
        leave_connection(config, h, p, m);
}
