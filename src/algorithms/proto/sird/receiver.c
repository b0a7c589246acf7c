/* src/algorithms/proto/sird/receiver.c - the receiver half: which message is credited next and when, and how credit is
 * returned. */
#include "core/data.h"
#include "proto/sird/sird_core.h"
#include "proto/sird/sird_parts.h"

static struct weir_sird_rx *first_in(const struct weir_sird_peer *p)
{
    return p->in.root != NULL ? WEIR_PAIRING_OF(p->in.root, struct weir_sird_rx, node) : NULL;
}

/* Inserts a message into its sender's heap `in`, updates its position, or removes it if no packet of it can be
 * credited. Must be called after any change of rx->msg. */
static void requeue_message(struct weir_sird_peer *p, struct weir_sird_rx *rx)
{
    bool in = weir_pairing_has(&p->in, &rx->node);
    if (rx->msg.grant_wire_bytes == 0) {
        if (in)
            weir_pairing_remove(&p->in, &rx->node);
    } else if (!in) {
        weir_pairing_push(&p->in, &rx->node, rx->msg.left_bytes, rx->msg.order);
    } else if (rx->node.key != rx->msg.left_bytes) {
        weir_pairing_move(&p->in, &rx->node, rx->msg.left_bytes, rx->msg.order);
    }
}

/* Returns the key of a sender whose first message is `first`; the sender with the least key is credited first. The key
 * is 0 if `first` has arrived completely, sent in part on credit of other messages. Then `first` must still be granted,
 * because the other messages lack that credit. The last packet of `first` has just returned enough credit for the
 * grant. Until the grant, the sender holds a remainder of less than a packet, which occupies B. */
static uint64_t peer_key(const struct weir_sird_config *cfg, const struct weir_sird_peer *p,
                         const struct weir_sird_rx *first)
{
    if (cfg->receiver_policy == WEIR_SIRD_SRPT || first->msg.left_bytes == 0)
        return first->node.key;
    return 1 + (cfg->receiver_policy == WEIR_SIRD_ROUND_ROBIN ? p->credit_count : p->outstanding_bytes);
}

/* Inserts a sender into the heap `open`, updates its position, or removes it if it may get no credit now. Must be
 * called after any change of the sender. */
static void requeue_peer(const struct weir_sird_config *cfg, struct weir_sird_host *h, struct weir_sird_peer *p)
{
    const struct weir_sird_rx *first = first_in(p);
    bool in = weir_pairing_has(&h->open, &p->open);
    uint64_t key;
    if (first == NULL || !weir_sird_admits(cfg, h, p, first->msg.grant_wire_bytes)) {
        if (in)
            weir_pairing_remove(&h->open, &p->open);
        return;
    }
    key = peer_key(cfg, p, first);
    if (!in)
        weir_pairing_push(&h->open, &p->open, key, first->msg.order);
    else if (p->open.key != key || p->open.tie != first->msg.order)
        weir_pairing_move(&h->open, &p->open, key, first->msg.order);
}

/* --- the account: see sird.h --- */

/* Charges `bytes` to the buckets: credit that is granted, or unscheduled bytes of a message that begins. Bytes that
 * were returned early are not charged. */
static void charge(struct weir_sird_host *h, struct weir_sird_peer *p, uint32_t bytes)
{
    uint32_t early = p->early_bytes < bytes ? p->early_bytes : bytes;
    p->early_bytes -= early;
    p->outstanding_bytes += bytes - early;
    h->outstanding_bytes += bytes - early;
}

/* Returns `bytes` of credit to the buckets. Any bytes beyond the outstanding ones are counted. If unscheduled bytes are
 * charged, they are of a message not announced yet, and are counted in early_bytes. Otherwise they are a peer's error,
 * and are counted in surplus_bytes. */
static void give_back(const struct weir_sird_config *cfg, struct weir_sird_host *h, struct weir_sird_peer *p,
                      uint32_t bytes)
{
    uint32_t back = (uint32_t)weir_min_u64(bytes, p->outstanding_bytes);
    p->outstanding_bytes -= back;
    h->outstanding_bytes -= back;
    if (cfg->unsched_accounting == WEIR_SIRD_CHARGED)
        p->early_bytes += bytes - back;
    else
        h->surplus_bytes += bytes - back;
}

/* Returns to the buckets the credit that a new packet spent, unless the packet was counted as lost before. */
static void return_spent(const struct weir_sird_config *cfg, struct weir_sird_host *h, struct weir_sird_peer *p,
                         const struct weir_data *data)
{
    if (cfg->unsched_accounting == WEIR_SIRD_IGNORED && data->flags & WEIR_DATA_UNSCHED)
        return; /* spent nothing */
    if (cfg->loss_ps != 0 && (int32_t)(data->sequence - p->settled) <= 0)
        return; /* counted as lost before. Without recovery no packet is, and `settled` never changes */
    if ((int32_t)(data->sequence - p->mark) <= 0)
        p->returned_due += data->wire_bytes;
    else
        p->returned_next += data->wire_bytes;
    give_back(cfg, h, p, data->wire_bytes);
}

/* Ends an interval of the account of a peer, once per loss_ps, or sooner after a loss. Packets that were reported as
 * spent before the previous call, and have not arrived, are lost: their credit is returned to the buckets. @return the
 * credit that is outstanding at this peer, in bytes */
int64_t sird_rx_settle(const struct weir_sird_config *cfg, struct weir_sird_host *h, struct weir_sird_peer *p,
                       uint64_t now_ps)
{
    uint32_t lost = p->mark - p->settled - p->returned_due;
    if ((int32_t)lost > 0)
        give_back(cfg, h, p, lost);
    p->settled = p->mark;
    p->settled_ps = now_ps;
    p->mark = p->spent_seen;
    p->returned_due = p->returned_next;
    p->returned_next = 0;
    requeue_peer(cfg, h, p);
    return (int64_t)p->outstanding_bytes;
}

/* --- arriving packets and messages --- */

bool sird_rx_packet(const void *config, void *host, void *peer, void *rx, const struct weir_data *data)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_host *h = host;
    struct weir_sird_peer *p = peer;
    const struct weir_pairing_node *first = h->open.root;
    bool payload = (data->flags & WEIR_DATA_PAYLOAD) != 0;
    bool has_total = payload && weir_sird_believable(cfg, p, data->sequence);
    uint32_t least_bytes = p->aimd.least_bytes;
    if (payload)
        weir_sird_note_spent(p, data->now_ps, data->sequence);
    if (has_total && !(data->flags & WEIR_DATA_KNOWN))
        return_spent(cfg, h, p, data);
    if (has_total && (int32_t)(data->sequence - p->spent_seen) > 0)
        p->spent_seen = data->sequence;
    if (!payload && cfg->aimd_input == WEIR_SIRD_DATA)
        return false;
    weir_sird_aimd(&p->aimd, &h->rule, (data->flags & WEIR_DATA_CE) != 0, (data->flags & WEIR_DATA_OWN) != 0);
    if (rx != NULL)
        requeue_message(p, rx);
    else if (!payload && p->aimd.least_bytes == least_bytes)
        return false; /* a control packet returns no credit */
    requeue_peer(cfg, h, p);
    return payload || h->open.root != first;
}

void sird_rx_message(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_rx *m = rx;
    weir_sird_owed(peer, now_ps);
    if (cfg->unsched_accounting == WEIR_SIRD_CHARGED)
        charge(host, peer, m->msg.unsched_wire_bytes);
    requeue_message(peer, m);
    requeue_peer(cfg, host, peer);
}

void sird_rx_again(const void *config, void *host, void *peer, void *rx)
{
    requeue_message(peer, rx);
    requeue_peer(config, host, peer);
}

/* Handles a loss. The credit of lost packets comes back by the account alone, since their place in it is not known; so
 * the account is settled sooner. */
void sird_rx_lost(const void *config, void *host, void *peer, void *rx, uint32_t pkts, uint64_t now_ps)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_peer *p = peer;
    (void)rx, (void)pkts;
    if (now_ps - p->settled_ps >= cfg->loss_ps / 4)
        (void)sird_rx_settle(cfg, host, p, now_ps);
}

void sird_rx_done(const void *config, void *host, void *peer, void *rx)
{
    struct weir_sird_peer *p = peer;
    struct weir_sird_rx *m = rx;
    if (weir_pairing_has(&p->in, &m->node))
        weir_pairing_remove(&p->in, &m->node);
    requeue_peer(config, host, p);
}

/* --- sending of credit --- */

/* Returns the earliest time >= now_ps at which the next credit may leave: when the pacer's backlog is down to the
 * slack, rounded up to a multiple of poll_ps. WEIR_NEVER = no sender is in `open`, or B has no room for the packet. */
uint64_t sird_rx_next_ps(const void *config, const void *host, uint64_t now_ps)
{
    const struct weir_sird_config *cfg = config;
    const struct weir_sird_host *h = host;
    uint64_t at_ps;
    if (h->open.root == NULL)
        return WEIR_NEVER;
    const struct weir_sird_peer *p = WEIR_PAIRING_OF(h->open.root, struct weir_sird_peer, open);
    if (h->outstanding_bytes + first_in(p)->msg.grant_wire_bytes > h->bucket_bytes)
        return WEIR_NEVER;
    at_ps = h->free_ps > h->slack_ps ? weir_max_u64(h->free_ps - h->slack_ps, now_ps) : now_ps;
    return cfg->poll_ps == 0 ? at_ps : (at_ps + cfg->poll_ps - 1) / cfg->poll_ps * cfg->poll_ps;
}

static void pace(struct weir_sird_host *h, uint64_t now_ps, uint32_t wire_bytes)
{
    uint64_t milli_ps = wire_bytes * h->ps_per_kbyte; /* 2^14 * 2^40: rates from 1 Mb/s, paced at 1 % */
    if (h->free_ps < now_ps) {
        h->free_ps = now_ps;
        h->rem = 0;
    }
    milli_ps += h->rem;
    h->free_ps += milli_ps / 1000;
    h->rem = (uint32_t)(milli_ps % 1000);
}

bool sird_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *out)
{
    struct weir_sird_host *h = host;
    struct weir_sird_peer *p;
    struct weir_sird_rx *rx;
    WEIR_ASSERT(h->open.root != NULL);
    p = WEIR_PAIRING_OF(h->open.root, struct weir_sird_peer, open);
    rx = first_in(p);
    WEIR_ASSERT(h->outstanding_bytes + rx->msg.grant_wire_bytes <= h->bucket_bytes);
    WEIR_ASSERT(weir_sird_admits(config, h, p, rx->msg.grant_wire_bytes));
    charge(h, p, rx->msg.grant_wire_bytes);
    pace(h, now_ps, rx->msg.grant_wire_bytes);
    p->granted_total += rx->msg.grant_wire_bytes;
    p->credit_count = ++h->credit_count;
    out->peer = p;
    out->rx = rx;
    out->pkts = 1;
    out->sequence = p->granted_total;
    out->class_id = 0;
    return true;
}

void sird_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps)
{
    weir_sird_owed(grant->peer, now_ps);
    requeue_message(grant->peer, grant->rx);
    requeue_peer(config, host, grant->peer);
}

/* --- a measured BDP --- */

/* Returns a size of the configuration for another BDP than that of the path. */
static uint64_t size_at(const struct weir_size *size, uint64_t bdp_bytes)
{
    return size->bdp_milli != 0 ? weir_mul_div_u64(size->bdp_milli, bdp_bytes, 1000) : size->bytes;
}

/* Sets B, the largest bucket of a sender and its floors to those of bdp_bytes. A B in bytes remains, and bounds the
 * bucket of a sender. Credit is not paced any more: B bounds what is under way, and what arrives lets credit go. */
void sird_adapt(const void *config, void *host, uint64_t bdp_bytes)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_host *h = host;
    struct weir_sird_aimd_rule *rule = &h->rule;
    uint32_t least = cfg->bucket_test == WEIR_SIRD_PAPER ? 2 * rule->packet_bytes : rule->packet_bytes;
    uint64_t bucket_bytes = size_at(&cfg->bucket, bdp_bytes);
    h->before_bytes = rule->most_bytes;
    rule->most_bytes = weir_clamp_u32(weir_min_u64(bdp_bytes, bucket_bytes), least, WEIR_CWND_MAX_BYTES);
    for (uint32_t x = WEIR_SIRD_NET; x <= WEIR_SIRD_SENDER; x++)
        rule->floor_bytes[x] = weir_clamp_u32(size_at(&cfg->floor[x], bdp_bytes), least, rule->most_bytes);
    h->bucket_bytes = weir_max_u64(bucket_bytes, rule->most_bytes);
    h->ps_per_kbyte = h->slack_ps = 0;
    if (!h->adaptive)
        h->sthr_bytes = cfg->sthr.bytes;
    h->adaptive = true;
}

/* Adapts the buckets of a sender in the proportion in which rule->most_bytes changed. So a sender that marks have not
 * limited may use all of it at once. */
void sird_peer_adapt(const void *config, void *host, void *peer)
{
    struct weir_sird_host *h = host;
    struct weir_sird_peer *p = peer;
    struct weir_sird_aimd *a = &p->aimd;
    for (uint32_t x = WEIR_SIRD_NET; x <= WEIR_SIRD_SENDER; x++)
        a->bucket_bytes[x] = weir_clamp_u32(weir_mul_div_u64(a->bucket_bytes[x], h->rule.most_bytes, h->before_bytes),
                                            h->rule.floor_bytes[x], h->rule.most_bytes);
    weir_sird_aimd_least(a, &h->rule);
    requeue_peer(config, h, p);
}
