/* src/algorithms/proto/dart/dart_core.h - the receiver's set of senders and its state machine, and the sender's rate
 * from the count. Apart from dart.h, includes core/ and dcqcn only. */
#ifndef WEIR_PROTO_DART_CORE_H
#define WEIR_PROTO_DART_CORE_H
#include "core/rng.h"
#include "proto/dart/dart.h"
#include "proto/dcqcn/dcqcn_core.h"

/* ---- the count on the wire ---- */

#define WEIR_DART_CODE_MAX 16383u /* weir_pkt.share_count has 14 bits */
#define WEIR_DART_WEIGHT_ONE (UINT64_C(1) << 20)

/* Encodes the quotient of line rate and a sender's rate, for runs with weights. parts_q10: the quotient in Q10, at
 * least 1024. Code c >= 1 stands for (1024 + (c - 1) mod 1024) * 2^((c - 1) / 1024), in Q10, with integer division.
 * Whole quotients up to 2048 are exact. Quotients between two codes are rounded up. Quotients above the largest are
 * coded as WEIR_DART_CODE_MAX. */
static inline uint32_t weir_dart_code(uint64_t parts_q10)
{
    uint32_t shift = 0;
    while (parts_q10 > 2047) { /* rounding up once or at each step gives the same */
        parts_q10 = (parts_q10 + 1) / 2;
        shift++;
    }
    return weir_clamp_u32(1 + ((uint64_t)shift << 10) + (parts_q10 - 1024), 1, WEIR_DART_CODE_MAX);
}

static inline uint32_t weir_dart_parts_q10(const struct weir_dart_config *cfg, uint32_t count)
{
    return !cfg->weights ? count << 10 : (1024 + (count - 1) % 1024) << (count - 1) / 1024;
}

/* ---- the set of active unique senders (AUSS) ---- */

#define WEIR_DART_HOST_BITS 20u /* bits of a host number: WEIR_PKT_HOSTS_MAX */

/* Returns the key of a sender: the host number src, and with cfg->tenants the tenant in the bits above. */
static inline uint32_t weir_dart_key(const struct weir_dart_config *cfg, uint32_t src, uint32_t tenant)
{
    return cfg->tenants ? tenant << WEIR_DART_HOST_BITS | src : src;
}

/* Returns the tenant in a key; 0 without cfg->tenants. */
static inline uint32_t weir_dart_tenant(uint32_t key)
{
    return (key >> WEIR_DART_HOST_BITS) % WEIR_TENANTS_MAX;
}

/* Returns the slot of the sender with this key; if the sender is not in the set, the free slot in which it would be
 * stored. The search ends, because at most three quarters of the slots are in use; BPF's verifier needs a bound. */
static inline uint32_t weir_dart_slot(const struct weir_dart_rx *rx, uint32_t key)
{
    uint32_t at = weir_mix_u32(key + 1) % WEIR_DART_SENDERS;
    for (uint32_t i = 0; i < WEIR_DART_SENDERS && rx->slot[at].id != 0 && rx->slot[at].id != key + 1; i++)
        at = (at + 1) % WEIR_DART_SENDERS;
    return at;
}

static inline struct weir_dart_sender *weir_dart_find(struct weir_dart_rx *rx, uint32_t key)
{
    struct weir_dart_sender *s = &rx->slot[weir_dart_slot(rx, key)];
    return s->id != 0 ? s : NULL;
}

/* Adds to the sums of the key's tenant and to those of rx. `senders` are members of the set, `others` are messages of
 * senders without room in the set. To subtract, pass -1u or the negated weight. Also updates rx->tenants. */
static inline void weir_dart_tally(struct weir_dart_rx *rx, uint32_t key, uint32_t senders, uint32_t others,
                                   uint64_t weight_q20)
{
    struct weir_dart_tenant *t = &rx->tenant[weir_dart_tenant(key)];
    uint32_t was_active = t->senders + t->others > 0;
    t->senders += senders;
    t->others += others;
    t->weight_q20 += weight_q20;
    rx->senders += senders;
    rx->others += others;
    rx->tenants += (t->senders + t->others > 0) - was_active;
}

/* Adds a sender that is not in the set, with weight 1. @return the sender, or NULL if there is no room */
static inline struct weir_dart_sender *weir_dart_add(struct weir_dart_rx *rx, const struct weir_dart_config *cfg,
                                                     uint32_t key, uint64_t now_ps)
{
    struct weir_dart_sender *s = &rx->slot[weir_dart_slot(rx, key)];
    if (rx->senders >= WEIR_DART_SENDERS / 4 * 3)
        return NULL;
    *s = (struct weir_dart_sender){ .id = key + 1, .last_ps = now_ps, .weight_q20 = WEIR_DART_WEIGHT_ONE };
    weir_dart_tally(rx, key, 1, 0, s->weight_q20);
    rx->changed_ps = now_ps;
    rx->soft_ps = weir_min_u64(rx->soft_ps, now_ps + cfg->t_soft_ps);
    return s;
}

/* Removes the sender in slot `at`. Moves later entries into the gap if a search would no longer find them behind it.
 * Knuth, TAOCP 3, 6.4, algorithm R. */
static inline void weir_dart_remove(struct weir_dart_rx *rx, uint32_t at, uint64_t now_ps)
{
    uint32_t hole = at, next = at;
    WEIR_ASSERT(at < WEIR_DART_SENDERS);
    weir_dart_tally(rx, rx->slot[at].id - 1, -1u, 0, -rx->slot[at].weight_q20);
    rx->changed_ps = now_ps;
    for (uint32_t i = 0; i < WEIR_DART_SENDERS; i++) {
        next = (next + 1) % WEIR_DART_SENDERS;
        if (rx->slot[next].id == 0)
            break;
        uint32_t home = weir_mix_u32(rx->slot[next].id) % WEIR_DART_SENDERS;
        if ((next - home) % WEIR_DART_SENDERS < (next - hole) % WEIR_DART_SENDERS)
            continue;
        rx->slot[hole] = rx->slot[next];
        hole = next;
    }
    rx->slot[hole] = (struct weir_dart_sender){ 0 };
}

static inline void weir_dart_weigh(struct weir_dart_rx *rx, struct weir_dart_sender *s, uint64_t weight_q20,
                                   uint64_t now_ps)
{
    if (weight_q20 == 0 || weight_q20 == s->weight_q20)
        return;
    weir_dart_tally(rx, s->id - 1, 0, 0, weight_q20 - s->weight_q20);
    s->weight_q20 = weight_q20;
    rx->changed_ps = now_ps; /* parts change as if a sender had come or gone */
}

/* Counts the begin or the end of a message whose sender has no room in the set. */
static inline void weir_dart_other(struct weir_dart_rx *rx, uint32_t key, bool begins)
{
    weir_dart_tally(rx, key, 0, begins ? 1 : -1u, begins ? WEIR_DART_WEIGHT_ONE : -WEIR_DART_WEIGHT_ONE);
}

/* Returns the count to advertise to a sender, 1 .. WEIR_DART_CODE_MAX. Without weights it is n: the senders of its
 * tenant, plus the messages of that tenant's senders without room, times the number of active tenants. With weights it
 * is the code of a quotient: the tenant's sum of weights times the active tenants, over the sender's weight. s: NULL =
 * a sender without room, with weight 1 */
static inline uint32_t weir_dart_count(const struct weir_dart_rx *rx, const struct weir_dart_config *cfg, uint32_t key,
                                       const struct weir_dart_sender *s)
{
    const struct weir_dart_tenant *t = &rx->tenant[weir_dart_tenant(key)];
    uint64_t own_q20, sum_q20;
    if (!cfg->weights)
        return weir_clamp_u32(((uint64_t)t->senders + t->others) * rx->tenants, 1, WEIR_DART_CODE_MAX);
    own_q20 = s != NULL ? s->weight_q20 : WEIR_DART_WEIGHT_ONE;
    sum_q20 = weir_max_u64(t->weight_q20 * rx->tenants, own_q20);
    /* 192 senders of 2^40, 2^24 others of 2^20, 16 tenants: 2^62 fits */
    return weir_dart_code((sum_q20 * 1024 + own_q20 - 1) / own_q20);
}

/* ---- look-ahead: senders that a list announced (section III-D) ---- */

/* Counts an announced message that has not begun. If the set has no room for its sender, the message is not counted
 * before it begins. */
static inline void weir_dart_announce(struct weir_dart_rx *rx, const struct weir_dart_config *cfg, uint32_t key,
                                      uint64_t now_ps)
{
    struct weir_dart_sender *s = weir_dart_find(rx, key);
    if (s == NULL)
        s = weir_dart_add(rx, cfg, key, now_ps);
    if (s == NULL || s->messages == UINT16_MAX)
        return;
    s->messages++;
    s->announced++;
    s->announced_ps = s->last_ps = now_ps;
    rx->soft_ps = weir_min_u64(rx->soft_ps, now_ps + cfg->t_soft_ps);
}

/* Removes `count` groups from entry `at` on. */
static inline void weir_dart_groups_drop(struct weir_dart_rx *rx, uint32_t at, uint32_t count)
{
    rx->groups -= count;
    for (; count > 0 && at < rx->groups; at++)
        rx->group[at] = rx->group[at + count];
}

/* Returns the index in rx->group[] of the group with this id; rx->groups = there is none. First removes the groups
 * whose lists were read t_soft_ps ago or earlier. */
static inline uint32_t weir_dart_group(struct weir_dart_rx *rx, const struct weir_dart_config *cfg, uint32_t id,
                                       uint64_t now_ps)
{
    uint32_t old = 0, at = 0;
    while (old < rx->groups && now_ps - rx->group[old].read_ps >= cfg->t_soft_ps)
        old++;
    weir_dart_groups_drop(rx, 0, old);
    while (at < rx->groups && rx->group[at].id != id)
        at++;
    return at;
}

/* Reads the list in a group's first message, and counts all its senders as active. With WEIR_DART_BY_PACKET,
 * weir_dart_rx_notice() then sends a notice to each of them except event->src. rx->groups must be below
 * WEIR_DART_GROUPS. */
static inline void weir_dart_read_list(struct weir_dart_rx *rx, const struct weir_dart_config *cfg,
                                       const struct weir_rx_event *event)
{
    const struct weir_sender_group *group = event->head.group;
    WEIR_ASSERT(rx->advertised == NULL); /* the host has fetched all notices of the previous list */
    for (uint32_t i = 0; i < group->count; i++)
        weir_dart_announce(rx, cfg, weir_dart_key(cfg, group->sender[i], event->head.tenant), event->now_ps);
    rx->group[rx->groups++] =
        (struct weir_dart_group){ .read_ps = event->now_ps, .id = group->id, .left = group->count };
    if (cfg->advertise != WEIR_DART_BY_PACKET)
        return;
    rx->advertised = group;
    rx->advertised_next = 0;
    rx->advertised_by = event->src;
    rx->advertised_tenant = event->head.tenant;
}

/* Handles the begin of a message of a group. If the group is not known yet, reads its list, unless WEIR_DART_GROUPS
 * groups are known. @return true if the message was announced, and so is counted already */
static inline bool weir_dart_begin_announced(struct weir_dart_rx *rx, const struct weir_dart_config *cfg,
                                             const struct weir_rx_event *event)
{
    uint32_t at = weir_dart_group(rx, cfg, event->head.group->id, event->now_ps);
    struct weir_dart_sender *s;
    if (at == WEIR_DART_GROUPS)
        return false;
    if (at == rx->groups)
        weir_dart_read_list(rx, cfg, event);
    if (--rx->group[at].left == 0)
        weir_dart_groups_drop(rx, at, 1);
    s = weir_dart_find(rx, weir_dart_key(cfg, event->src, event->head.tenant));
    if (s == NULL || s->announced == 0)
        return false;
    s->announced--;
    return true;
}

/* Writes the notice with the count for the next sender of the list to *out. Skips the sender whose message carried the
 * list, because its ACK has the count. @return false = no sender is left */
static inline bool weir_dart_advertisement(struct weir_dart_rx *rx, const struct weir_dart_config *cfg, uint64_t now_ps,
                                           struct weir_notice *out)
{
    while (rx->advertised_next < rx->advertised->count) {
        uint32_t dst = rx->advertised->sender[rx->advertised_next++];
        uint32_t key = weir_dart_key(cfg, dst, rx->advertised_tenant);
        if (dst == rx->advertised_by)
            continue;
        *out = (struct weir_notice){ .now_ps = now_ps,
                                     .kind = WEIR_DART_COUNT,
                                     .value = weir_dart_count(rx, cfg, key, weir_dart_find(rx, key)),
                                     .dst = dst };
        return true;
    }
    rx->advertised = NULL;
    return false;
}

/* ---- begin and end of messages, silent senders ---- */

static inline void weir_dart_rx_begin(void *state, const void *config, const struct weir_rx_event *event)
{
    struct weir_dart_rx *rx = state;
    const struct weir_dart_config *cfg = config;
    bool announced = event->head.group != NULL && weir_dart_begin_announced(rx, cfg, event);
    uint32_t key = weir_dart_key(cfg, event->src, event->head.tenant);
    struct weir_dart_sender *s = weir_dart_find(rx, key);
    if (s == NULL)
        s = weir_dart_add(rx, cfg, key, event->now_ps);
    if (s == NULL) {
        weir_dart_other(rx, key, true);
        return;
    }
    if (!announced && s->messages < UINT16_MAX)
        s->messages++;
    if (cfg->weights)
        weir_dart_weigh(rx, s, event->head.weight_q20, event->now_ps);
}

static inline void weir_dart_rx_end(void *state, const void *config, const struct weir_rx_event *event)
{
    struct weir_dart_rx *rx = state;
    uint32_t key = weir_dart_key(config, event->src, event->head.tenant), at = weir_dart_slot(rx, key);
    struct weir_dart_sender *s = &rx->slot[at];
    if (s->id == 0 || s->messages == s->announced) { /* its sender had no room, or was removed as silent */
        if (rx->tenant[weir_dart_tenant(key)].others > 0)
            weir_dart_other(rx, key, false);
        return;
    }
    s->messages--;
    if (s->messages == 0)
        weir_dart_remove(rx, at, event->now_ps);
}

/* Tests whether a sender must be removed: neither packets nor announcements of it for t_soft_ps, or no messages. First
 * drops its announced messages, if the latest announcement is t_soft_ps ago: they will not begin. */
static inline bool weir_dart_is_silent(struct weir_dart_sender *s, uint64_t t_soft_ps, uint64_t now_ps)
{
    if (s->announced > 0 && now_ps - s->announced_ps >= t_soft_ps) {
        s->messages -= s->announced;
        s->announced = 0;
    }
    return s->messages == 0 || now_ps - s->last_ps >= t_soft_ps;
}

/* Removes silent senders from the set, and sets soft_ps to the next check; WEIR_NEVER = the set is empty. */
static inline void weir_dart_expire(struct weir_dart_rx *rx, const struct weir_dart_config *cfg, uint64_t now_ps)
{
    rx->soft_ps = WEIR_NEVER;
    for (uint32_t at = 0; at < WEIR_DART_SENDERS;) {
        struct weir_dart_sender *s = &rx->slot[at];
        if (s->id != 0 && weir_dart_is_silent(s, cfg->t_soft_ps, now_ps)) {
            weir_dart_remove(rx, at, now_ps); /* another sender may have moved here */
            continue;
        }
        if (s->id != 0)
            rx->soft_ps = weir_min_u64(rx->soft_ps, s->last_ps + cfg->t_soft_ps);
        if (s->announced > 0) /* a free slot has none */
            rx->soft_ps = weir_min_u64(rx->soft_ps, s->announced_ps + cfg->t_soft_ps);
        at++;
    }
}

/* ---- the location of congestion ---- */

/* Adds bytes to the current bucket, and clears the buckets older than a window. So window_bytes covers the last window,
 * less up to a bucket. */
static inline void weir_dart_measure(struct weir_dart_rx *rx, uint64_t now_ps, uint32_t bytes)
{
    uint64_t bucket = now_ps / rx->bucket_ps, passed = weir_min_u64(bucket - rx->bucket, WEIR_DART_BUCKETS);
    for (uint64_t i = 1; i <= passed; i++) {
        uint32_t *old = &rx->bucket_bytes[(rx->bucket + i) % WEIR_DART_BUCKETS];
        rx->window_bytes -= *old;
        *old = 0;
    }
    rx->bucket = bucket;
    rx->bucket_bytes[bucket % WEIR_DART_BUCKETS] += bytes; /* a bucket of 100 Gb/s and 1 s would fit */
    rx->window_bytes += bytes;
}

/* Returns the state of section III-C: WEIR_DART_NONE if no mark counted within the last window. Otherwise
 * WEIR_DART_RECEIVER if the receiver's link was full, WEIR_DART_ELSEWHERE if it was not. */
static inline enum weir_dart_state weir_dart_state(const struct weir_dart_rx *rx, uint64_t now_ps)
{
    if (rx->mark_ps == 0 || now_ps - rx->mark_ps >= rx->window_ps)
        return WEIR_DART_NONE;
    return rx->window_bytes >= rx->full_bytes ? WEIR_DART_RECEIVER : WEIR_DART_ELSEWHERE;
}

/* Handles a packet from a sender, and sets the count and CE of its ACK. In state ELSEWHERE marks are passed on and the
 * count is 1. Marks do not count for the state until a window after the last change of the set, because the change
 * explains them. */
static inline void weir_dart_rx_data(void *state, const void *config, const struct weir_data *data,
                                     struct weir_echo *echo)
{
    struct weir_dart_rx *rx = state;
    const struct weir_dart_config *cfg = config;
    uint32_t key = weir_dart_key(cfg, data->src, data->tenant);
    struct weir_dart_sender *s = weir_dart_find(rx, key);
    bool ce = data->flags & WEIR_DATA_CE;
    enum weir_dart_state where;
    if (s == NULL && !(data->flags & WEIR_DATA_KNOWN) && rx->others == 0 &&
        (s = weir_dart_add(rx, cfg, key, data->now_ps)) != NULL)
        s->messages = 1; /* it was silent for T_soft within a message, and sends again */
    if (s != NULL)
        s->last_ps = data->now_ps;
    weir_dart_measure(rx, data->now_ps, data->wire_bytes);
    if (ce && data->now_ps > rx->changed_ps + rx->window_ps)
        rx->mark_ps = data->now_ps;
    where = weir_dart_state(rx, data->now_ps);
    echo->ce = ce && where == WEIR_DART_ELSEWHERE;
    echo->share_count = 1; /* 1 is the whole line rate, as a code, too */
    if (where != WEIR_DART_ELSEWHERE && (where != WEIR_DART_NONE || cfg->idle_count != WEIR_DART_ONE))
        echo->share_count = (uint16_t)weir_dart_count(rx, cfg, key, s);
    if (echo->ce && s != NULL && !s->marked) {
        s->marked = true;
        rx->cnp_ps = weir_min_u64(rx->cnp_ps, weir_max_u64(s->cnp_end_ps, data->now_ps));
    }
}

/* ---- CNPs, where DCQCN decides ---- */

/* Writes a CNP to *out if one is due. Also sets rx->cnp_ps to the time of the next CNP; WEIR_NEVER = none.
 * @return true = *out was written */
static inline bool weir_dart_cnp(struct weir_dart_rx *rx, const struct weir_dart_config *cfg, uint64_t now_ps,
                                 struct weir_notice *out)
{
    bool found = false;
    rx->cnp_ps = WEIR_NEVER;
    for (uint32_t at = 0; at < WEIR_DART_SENDERS; at++) {
        struct weir_dart_sender *s = &rx->slot[at];
        if (s->id == 0 || !s->marked)
            continue;
        if (!found && s->cnp_end_ps <= now_ps) {
            *out = (struct weir_notice){ .now_ps = now_ps,
                                         .kind = WEIR_DART_CNP,
                                         .dst = (s->id - 1) % (1u << WEIR_DART_HOST_BITS) };
            s->marked = false;
            s->cnp_end_ps = now_ps + cfg->dcqcn.cnp_interval_ps;
            found = true;
        } else {
            rx->cnp_ps = weir_min_u64(rx->cnp_ps, weir_max_u64(s->cnp_end_ps, now_ps));
        }
    }
    return found;
}

static inline bool weir_dart_rx_notice(void *state, const void *config, uint64_t now_ps, struct weir_notice *out)
{
    struct weir_dart_rx *rx = state;
    if (rx->soft_ps <= now_ps)
        weir_dart_expire(rx, config, now_ps);
    if (rx->advertised != NULL && weir_dart_advertisement(rx, config, now_ps, out))
        return true;
    return rx->cnp_ps <= now_ps && weir_dart_cnp(rx, config, now_ps, out);
}

static inline uint64_t weir_dart_rx_next_ps(const void *state, const void *config)
{
    const struct weir_dart_rx *rx = state;
    (void)config;
    return weir_min_u64(rx->cnp_ps, rx->soft_ps);
}

/* ---- the sender ---- */

/* Sets the pace to the lower of line rate / n and DCQCN's rate; at least 1 bit/s, because a pacer cannot use 0. */
static inline void weir_dart_answer(struct weir_dart *d)
{
    uint64_t share_bps = d->dcqcn.line_bps * 1024 / d->parts_q10; /* 2^43 * 2^10 fits */
    d->dcqcn.cc.rate_bps = weir_max_u64(weir_min_u64(share_bps, d->dcqcn.rc_bps), 1);
}

/* Stores a count from the receiver, limited to 1 .. WEIR_DART_CODE_MAX. weir_dart_answer() must follow. */
static inline void weir_dart_take(struct weir_dart *d, const struct weir_dart_config *cfg, uint64_t count)
{
    d->count = weir_clamp_u32(count, 1, WEIR_DART_CODE_MAX);
    d->parts_q10 = weir_dart_parts_q10(cfg, d->count);
}

static inline void weir_dart_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct weir_dart *d = (struct weir_dart *)cc;
    if (ack->share_count == 0 || ack->share_count == d->count)
        return;
    weir_dart_take(d, config, ack->share_count);
    weir_dart_answer(d);
}

static inline void weir_dart_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    struct weir_dart *d = (struct weir_dart *)cc;
    const struct weir_dart_config *cfg = config;
    if (notice->kind == WEIR_DART_COUNT) {
        weir_dart_take(d, cfg, notice->value);
        d->hold_ps = notice->now_ps + d->dcqcn.base_rtt_ps;
    } else {
        weir_dcqcn_on_notice(cc, &cfg->dcqcn, notice);
    }
    weir_dart_answer(d);
}

static inline void weir_dart_on_timer(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    weir_dcqcn_on_timer(cc, &((const struct weir_dart_config *)config)->dcqcn, now_ps);
    weir_dart_answer((struct weir_dart *)cc);
}

static inline void weir_dart_on_sent(struct weir_cc *cc, const void *config, const struct weir_sent *sent)
{
    weir_dcqcn_on_sent(cc, &((const struct weir_dart_config *)config)->dcqcn, sent);
    weir_dart_answer((struct weir_dart *)cc);
}
#endif
