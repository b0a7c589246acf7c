/* src/algorithms/proto/dcpim/sender.c - the sender half: tokens that arrive, the choice of the next packet, and the
 * choice among requests. */
#include "proto/dcpim/dcpim_core.h"
#include "proto/dcpim/dcpim_parts.h"

/* --- the choice of the next packet --- */

static uint8_t data_class(const struct weir_dcpim_config *cfg, const struct weir_dcpim_tx *m, bool is_short)
{
    if (cfg->levels == WEIR_DCPIM_BY_SIZE)
        return weir_dcpim_size_level(m->msg.pkts, cfg->level_factor);
    return is_short ? WEIR_DCPIM_SHORT_CLASS : WEIR_DCPIM_LONG_CLASS;
}

static bool may_send(const struct weir_dcpim_config *cfg, const struct weir_dcpim_host *h,
                     const struct weir_dcpim_tx *m, bool is_short)
{
    return (h->paused >> data_class(cfg, m, is_short) & 1) == 0;
}

/* Returns the group of tokens with the best level, which is the least number. Among groups of that level, returns the
 * one that expires first. NULL = the message has no tokens. */
static struct weir_dcpim_tokens *best_group(struct weir_dcpim_tx *m)
{
    struct weir_dcpim_tokens *best = NULL;
    if (WEIR_LIKELY(m->group[0].count == m->held)) /* nearly always all tokens are in group[0], or there are none */
        return m->held > 0 ? &m->group[0] : NULL;
    for (uint32_t i = 0; m->held > 0 && i < WEIR_DCPIM_GROUPS; i++) {
        struct weir_dcpim_tokens *g = &m->group[i];
        if (g->count == 0)
            continue;
        if (best == NULL || g->level < best->level || (g->level == best->level && g->expire_ps < best->expire_ps))
            best = g;
    }
    return best;
}

/* Returns the level of the next packet of a message; 8 = no packet may be sent. */
static uint32_t next_level(const struct weir_dcpim_config *cfg, const struct weir_dcpim_host *h,
                           struct weir_dcpim_tx *m)
{
    if (m->msg.next_wire_bytes == 0)
        return 8;
    if (m->self_pkts > 0 && may_send(cfg, h, m, true))
        return WEIR_DCPIM_LEVEL_SHORT;
    return m->held > 0 && may_send(cfg, h, m, false) ? best_group(m)->level : 8;
}

/* Inserts a message into `ready`, updates its position, or removes it if no packet of it may be sent. */
static void requeue_tx(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_tx *m)
{
    uint64_t level = next_level(cfg, h, m), key = level << WEIR_DCPIM_LEFT_BITS | m->msg.left_bytes;
    bool in = weir_pairing_has(&h->ready, &m->ready);
    if (level == 8 && in)
        weir_pairing_remove(&h->ready, &m->ready);
    else if (level != 8 && !in)
        weir_pairing_push(&h->ready, &m->ready, key, m->msg.order);
    else if (in && m->ready.key != key)
        weir_pairing_move(&h->ready, &m->ready, key, m->msg.order);
}

static void list_join(struct weir_dcpim_host *h, struct weir_dcpim_tx *m)
{
    m->prev = NULL;
    m->next = h->holders;
    if (m->next != NULL)
        m->next->prev = m;
    h->holders = m;
}

static void list_leave(struct weir_dcpim_host *h, struct weir_dcpim_tx *m)
{
    if (m->prev != NULL)
        m->prev->next = m->next;
    else
        h->holders = m->next;
    if (m->next != NULL)
        m->next->prev = m->prev;
}

/* Removes n tokens from a group, and from the sums of message and host. */
static void take_tokens(struct weir_dcpim_host *h, struct weir_dcpim_tx *m, struct weir_dcpim_tokens *g, uint32_t n)
{
    g->count -= n;
    m->held -= n;
    h->held_tokens -= n;
}

static bool holds(const struct weir_dcpim_tx *m)
{
    return m->held + m->self_pkts > 0;
}

void dcpim_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps)
{
    struct weir_dcpim_host *h = host;
    struct weir_dcpim_tx *m = tx;
    (void)now_ps;
    m->peer = peer;
    if (m->msg.pkts > h->short_pkts)
        return;
    m->self_pkts = m->msg.unsched_pkts = m->msg.pkts;
    list_join(h, m);
    requeue_tx(config, h, m);
}

/* Updates the position of a message in `ready`. Serves as tx_again() and tx_sent() of the ops table: packets must be
 * sent again, or a packet was sent. */
void dcpim_tx_again(const void *config, void *host, void *peer, void *tx)
{
    (void)peer;
    requeue_tx(config, host, tx);
}

/* Returns the message's group of tokens with this level and expiry, or makes an empty one. If all groups are in use,
 * the new one replaces the group that expires first, whose tokens are dropped. */
static struct weir_dcpim_tokens *group_for(struct weir_dcpim_host *h, struct weir_dcpim_tx *m, uint8_t level,
                                           uint64_t expire_ps)
{
    struct weir_dcpim_tokens *to = &m->group[0];
    if (WEIR_LIKELY(to->count > 0 && to->level == level && to->expire_ps == expire_ps))
        return to;
    for (uint32_t i = 0; i < WEIR_DCPIM_GROUPS; i++) {
        struct weir_dcpim_tokens *g = &m->group[i];
        if (g->count > 0 && g->level == level && g->expire_ps == expire_ps)
            return g;
        if (to->count > 0 && (g->count == 0 || g->expire_ps < to->expire_ps))
            to = g;
    }
    take_tokens(h, m, to, to->count);
    *to = (struct weir_dcpim_tokens){ .expire_ps = expire_ps, .level = level };
    return to;
}

/* Adds a token to its message, unless the token has expired or the message has ended. The token carries the low 8 bits
 * of the number of its data phase. The phase meant is the one nearest to the present phase: 2^8 phases last
 * milliseconds. */
void dcpim_tx_credit(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit)
{
    struct weir_dcpim_host *h = host;
    struct weir_dcpim_tx *m = tx;
    uint64_t phase = weir_dcpim_phase(&h->times, credit->now_ps);
    int8_t phases = (int8_t)(uint8_t)((credit->sequence >> WEIR_DCPIM_NUMBER_BITS) - phase);
    (void)peer;
    if (m == NULL || (phases < 0 && phase < (uint64_t)-phases))
        return;
    uint64_t expire_ps = weir_dcpim_phase_end_ps(&h->times, phase + (uint64_t)(int64_t)phases) + h->times.slack_ps;
    if (expire_ps <= credit->now_ps)
        return;
    if (!holds(m))
        list_join(h, m);
    struct weir_dcpim_tokens *g = group_for(h, m, credit->class_id, expire_ps);
    g->count++;
    g->last = credit->sequence & WEIR_DCPIM_NUMBER_MASK;
    m->held++;
    h->held_tokens++;
    h->expire_ps = weir_min_u64(h->expire_ps, expire_ps);
    requeue_tx(config, h, m);
}

bool dcpim_tx_ready(const void *host)
{
    return ((const struct weir_dcpim_host *)host)->ready.root != NULL;
}

/* Chooses the message at the top of `ready`, and spends one of its tokens unless its packet needs none. The packet
 * carries a token number, last - (count - 1). That is the oldest token of the group if their numbers are consecutive.
 * @return false = no packet may be sent */
bool dcpim_tx_next(const void *config, void *host, uint64_t now_ps, struct weir_send *out)
{
    struct weir_dcpim_host *h = host;
    (void)now_ps;
    if (h->ready.root == NULL)
        return false;
    struct weir_dcpim_tx *m = WEIR_PAIRING_OF(h->ready.root, struct weir_dcpim_tx, ready);
    struct weir_dcpim_tokens *g = NULL;
    if (m->self_pkts > 0 && may_send(config, h, m, true))
        m->self_pkts--;
    else
        g = best_group(m);
    *out =
        (struct weir_send){ .peer = m->peer, .tx = m, .class_id = data_class(config, m, g == NULL), .own = g != NULL };
    if (g != NULL) {
        out->sequence = (g->last - (g->count - 1)) & WEIR_DCPIM_NUMBER_MASK;
        take_tokens(h, m, g, 1);
    }
    if (!holds(m))
        list_leave(h, m);
    return true;
}

/* Sets the paused classes, and updates the position in `ready` of all messages with tokens or self_pkts. Other messages
 * have no packet that may be sent. */
void dcpim_tx_pause(const void *config, void *host, uint32_t class_mask)
{
    struct weir_dcpim_host *h = host;
    h->paused = class_mask;
    for (struct weir_dcpim_tx *m = h->holders; m != NULL; m = m->next)
        requeue_tx(config, h, m);
}

void dcpim_tx_resume(const void *config, void *host, void *peer)
{
    (void)config, (void)host, (void)peer;
}

void dcpim_tx_done(const void *config, void *host, void *peer, void *tx)
{
    struct weir_dcpim_host *h = host;
    struct weir_dcpim_tx *m = tx;
    (void)config, (void)peer;
    if (weir_pairing_has(&h->ready, &m->ready))
        weir_pairing_remove(&h->ready, &m->ready);
    if (holds(m))
        list_leave(h, m);
    h->held_tokens -= m->held;
    m->held = m->self_pkts = 0;
}

/* Removes expired tokens, and sets h->expire_ps to the next expiry; WEIR_NEVER = no token is left. */
static void expire(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, uint64_t now_ps)
{
    h->expire_ps = WEIR_NEVER;
    for (struct weir_dcpim_tx *m = h->holders, *next; m != NULL; m = next) {
        next = m->next;
        for (uint32_t i = 0; i < WEIR_DCPIM_GROUPS; i++) {
            struct weir_dcpim_tokens *g = &m->group[i];
            if (g->count > 0 && g->expire_ps <= now_ps)
                take_tokens(h, m, g, g->count);
            if (g->count > 0)
                h->expire_ps = weir_min_u64(h->expire_ps, g->expire_ps);
        }
        if (!holds(m))
            list_leave(h, m);
        requeue_tx(cfg, h, m);
    }
}

/* --- the matching --- */

void dcpim_requested(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_peer *p,
                     const struct weir_dcpim_offer *offer, uint64_t now_ps)
{
    uint64_t half_ps = weir_dcpim_half_at(cfg, &h->times, now_ps);
    bool due = half_ps != WEIR_NEVER && offer->round == weir_dcpim_round(cfg, &h->times, now_ps);
    uint32_t tie;
    if (!due || p->has_request || offer->channels == 0)
        return; /* too late, repeated, or invalid */
    p->request = *offer;
    p->has_request = true;
    h->half_ps = half_ps;
    uint64_t key = dcpim_order(h, cfg, offer, &tie);
    weir_pairing_push(&h->requests, &p->request_node, key, tie);
}

/* Returns the record of the channels that this sender has given in an epoch. A new record replaces that of two epochs
 * before. */
static struct weir_dcpim_given *given_in(struct weir_dcpim_host *h, uint64_t epoch)
{
    struct weir_dcpim_given *t = &h->given[epoch % 2];
    if (t->epoch != epoch)
        *t = (struct weir_dcpim_given){ .epoch = epoch };
    return t;
}

/* Grants the free channels to the requests of the present round, in the order of dcpim_order(), half a round after its
 * begin. Drops the requests for which no channel is left. */
static void grant_all(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h)
{
    uint64_t epoch = h->half_ps / h->times.epoch_ps;
    const struct weir_dcpim_given *now = given_in(h, epoch), *before = epoch > 0 ? given_in(h, epoch - 1) : NULL;
    uint32_t used = now->prompt + (before != NULL ? before->channels : 0);
    uint32_t free = cfg->channels - now->channels, idle = used < cfg->channels ? cfg->channels - used : 0;
    struct weir_pairing_node *node;
    while ((node = weir_pairing_pop(&h->requests)) != NULL) {
        struct weir_dcpim_peer *p = WEIR_PAIRING_OF(node, struct weir_dcpim_peer, request_node);
        struct weir_dcpim_offer grant = p->request;
        p->has_request = false;
        if (free == 0)
            continue;
        grant.channels = (uint8_t)weir_clamp_u32(grant.channels, 0, free);
        grant.prompt = (uint8_t)weir_clamp_u32(grant.prompt, 0, grant.channels < idle ? grant.channels : idle);
        free -= grant.channels;
        idle -= grant.prompt;
        dcpim_send(h, p, WEIR_DCPIM_GRANT, &grant);
    }
    h->half_ps = WEIR_NEVER;
}

/* Handles an ACCEPT: gives channels of the epoch of its round, which is the present epoch or the one before. Ignores an
 * older ACCEPT. Answers by a RELEASE of the channels that are not free. */
void dcpim_accepted(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_peer *p,
                    const struct weir_dcpim_offer *offer, uint64_t now_ps)
{
    uint64_t epoch = now_ps / h->times.epoch_ps;
    uint32_t ago = (uint32_t)(epoch * cfg->rounds) + cfg->rounds - 1 - offer->round;
    if (ago >= 2 * cfg->rounds || ago / cfg->rounds > epoch)
        return; /* of an epoch that is over */
    struct weir_dcpim_given *t = given_in(h, epoch - ago / cfg->rounds);
    uint32_t free = cfg->channels - t->channels, n = offer->channels < free ? offer->channels : free;
    t->channels += n;
    t->prompt += offer->prompt < n ? offer->prompt : n;
    WEIR_ASSERT(t->channels <= cfg->channels);
    if (n == offer->channels)
        return;
    dcpim_send(h, p, WEIR_DCPIM_RELEASE,
               &(struct weir_dcpim_offer){ .round = offer->round, .channels = (uint8_t)(offer->channels - n) });
}

/* --- timers --- */

uint64_t dcpim_tx_next_ps(const void *config, const void *host)
{
    const struct weir_dcpim_host *h = host;
    (void)config;
    return weir_min_u64(h->half_ps, h->held_tokens > 0 ? h->expire_ps : WEIR_NEVER);
}

void dcpim_tx_time(const void *config, void *host, uint64_t now_ps)
{
    struct weir_dcpim_host *h = host;
    if (h->half_ps <= now_ps)
        grant_all(config, h);
    if (h->expire_ps <= now_ps)
        expire(config, h, now_ps);
}
