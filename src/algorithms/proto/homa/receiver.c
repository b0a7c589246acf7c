/* src/algorithms/proto/homa/receiver.c - the receiver half: the ranks of senders by their shortest message, and grants
 * to the first of them. */
#include "core/data.h"
#include "core/math.h"
#include "core/units.h"
#include "proto/homa/homa.h"
#include "proto/homa/homa_parts.h"

static struct weir_homa_rx *first_of(const struct weir_homa_peer *p)
{
    return WEIR_PAIRING_OF(p->in.root, struct weir_homa_rx, node);
}

/* --- senders: those with a rank are in array first[], the others with something to grant in heap `rest` --- */

static void find_next(struct weir_homa_host *h)
{
    h->next_ps = WEIR_NEVER;
    for (uint32_t rank = 0; rank < h->first_count; rank++)
        h->next_ps = weir_min_u64(h->next_ps, h->first[rank]->due_ps);
}

static void set_rank(struct weir_homa_host *h, uint32_t rank, struct weir_homa_peer *p)
{
    h->first[rank] = p;
    p->rank = (uint8_t)rank;
}

/* Moves a sender towards first[0], past all senders whose first message now comes after the first message of this
 * sender. */
static void rise(struct weir_homa_host *h, struct weir_homa_peer *p)
{
    uint32_t rank = p->rank;
    for (; rank > 0 && weir_pairing_before(p->in.root, h->first[rank - 1]->in.root); rank--)
        set_rank(h, rank, h->first[rank - 1]);
    set_rank(h, rank, p);
}

static void join_first(struct weir_homa_host *h, struct weir_homa_peer *p)
{
    set_rank(h, h->first_count++, p);
    rise(h, p);
}

static void leave_first(struct weir_homa_host *h, struct weir_homa_peer *p)
{
    h->first_count--;
    for (uint32_t rank = p->rank; rank < h->first_count; rank++)
        set_rank(h, rank, h->first[rank + 1]);
    p->rank = WEIR_HOMA_NO_RANK;
}

static void join_rest(struct weir_homa_host *h, struct weir_homa_peer *p)
{
    weir_pairing_push(&h->rest, &p->rest, p->in.root->key, p->in.root->tie);
}

/* Sets the time of the next grant to a sender of first[]: at once if its first message has room in the window, else not
 * before another packet arrives. While a grant is due or its timer runs, does nothing unless the next grant would have
 * a higher priority than the last one. */
static void try_grant(const struct weir_homa_config *cfg, struct weir_homa_host *h, struct weir_homa_peer *p)
{
    if (p->due_ps != WEIR_NEVER && p->level <= weir_homa_grant_level(cfg, p->rank, h->first_count))
        return;
    p->due_ps = first_of(p)->out_bytes < cfg->window.bytes ? 0 : WEIR_NEVER;
}

static void take_from_rest(const struct weir_homa_config *cfg, struct weir_homa_host *h)
{
    struct weir_homa_peer *p = WEIR_PAIRING_OF(weir_pairing_pop(&h->rest), struct weir_homa_peer, rest);
    join_first(h, p);
    try_grant(cfg, h, p);
}

/* Adds a sender that is neither in first[] nor in `rest`. The sender joins `rest` if it comes after the last sender of
 * a full first[], or after the first sender of `rest`. Otherwise it joins first[], and the last sender of a full
 * first[] moves to `rest`. */
static void join(const struct weir_homa_config *cfg, struct weir_homa_host *h, struct weir_homa_peer *p)
{
    struct weir_homa_peer *last = h->first_count == cfg->overcommit ? h->first[h->first_count - 1] : NULL;
    bool late = last != NULL ? !weir_pairing_before(p->in.root, last->in.root)
                             : h->rest.root != NULL && !weir_pairing_before(p->in.root, h->rest.root);
    if (late) {
        join_rest(h, p);
        return;
    }
    if (last != NULL) {
        leave_first(h, last);
        join_rest(h, last);
    }
    join_first(h, p);
    try_grant(cfg, h, p);
}

/* Updates the rank of a sender after its first message has changed. A sender without a message to grant leaves first[]
 * and `rest`. A free rank goes to the first sender of `rest`. A sender that gets a rank may be granted at once. */
static void rerank(const struct weir_homa_config *cfg, struct weir_homa_host *h, struct weir_homa_peer *p)
{
    if (p->rank != WEIR_HOMA_NO_RANK)
        leave_first(h, p);
    else if (weir_pairing_has(&h->rest, &p->rest))
        weir_pairing_remove(&h->rest, &p->rest);
    if (p->in.root != NULL)
        join(cfg, h, p);
    else
        p->due_ps = WEIR_NEVER;
    if (h->rest.root != NULL && h->first_count < cfg->overcommit)
        take_from_rest(cfg, h);
    find_next(h);
}

/* --- messages --- */

/* Returns the bound of out_bytes of a message: its unscheduled bytes, or the window and one GRANT if these are more. A
 * RESEND ends with the packet that fills the window, so it keeps to this bound, too. */
static uint32_t most_of(const struct weir_homa_config *cfg, const struct weir_homa_host *h,
                        const struct weir_homa_rx *m)
{
    uint64_t granted = cfg->window.bytes + cfg->grant_pkts * (uint64_t)h->packet_bytes; /* 2^30 + 2^20 fits */
    return (uint32_t)weir_max_u64(granted, m->msg.unsched_wire_bytes);
}

static void set_out(struct weir_homa_host *h, struct weir_homa_rx *m, uint32_t bytes)
{
    h->out_bytes = h->out_bytes + bytes - m->out_bytes;
    m->out_bytes = bytes;
}

static uint64_t payload_out(const struct weir_homa_rx *m)
{
    return m->msg.left_bytes > m->msg.ungranted_bytes ? m->msg.left_bytes - m->msg.ungranted_bytes : 0;
}

/* Returns the bytes on the wire of `payload` bytes, sent in full packets and, for a remainder, one short packet. */
static uint32_t wire_of(const struct weir_homa_host *h, uint64_t payload)
{
    uint64_t full = payload / h->limits->path.mss_bytes;
    uint32_t rest = (uint32_t)(payload % h->limits->path.mss_bytes);
    return (uint32_t)full * h->packet_bytes + (rest > 0 ? weir_framing_wire(&h->limits->framing, rest) : 0);
}

/* Inserts a message into its sender's heap `in`, updates its position, or removes it if no packet of it can be granted
 * now. @return false = the message is not in `in`, and was not before */
static bool queue(struct weir_homa_peer *p, struct weir_homa_rx *m)
{
    bool in = weir_pairing_has(&p->in, &m->node);
    if (m->msg.grant_wire_bytes > 0 && in)
        weir_pairing_move(&p->in, &m->node, m->msg.ungranted_bytes, m->msg.order);
    else if (m->msg.grant_wire_bytes > 0)
        weir_pairing_push(&p->in, &m->node, m->msg.ungranted_bytes, m->msg.order);
    else if (in)
        weir_pairing_remove(&p->in, &m->node);
    return in || m->msg.grant_wire_bytes > 0;
}

/* Recomputes out_bytes of a lossy message, then updates the message's order among its sender's messages and the
 * sender's rank. Called after a loss, and after packets of a lossy message. The host has already updated m->msg. */
static void settle(const struct weir_homa_config *cfg, struct weir_homa_host *h, struct weir_homa_peer *p,
                   struct weir_homa_rx *m)
{
    if (m->lossy)
        set_out(h, m, wire_of(h, payload_out(m)));
    if (queue(p, m))
        rerank(cfg, h, p);
}

void homa_peer_init(const void *config, void *host, void *peer)
{
    (void)config, (void)host;
    *(struct weir_homa_peer *)peer = (struct weir_homa_peer){ .due_ps = WEIR_NEVER, .rank = WEIR_HOMA_NO_RANK };
}

void homa_rx_message(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    struct weir_homa_host *h = host;
    struct weir_homa_rx *m = rx;
    (void)now_ps;
    m->bytes = m->msg.left_bytes;
    set_out(h, m, m->msg.unsched_wire_bytes);
    h->most_bytes += most_of(config, h, m);
    if (queue(peer, m))
        rerank(config, h, peer);
}

/* Handles a packet. Only DATA with new payload counts. Any such packet of a sender may make a grant to its first
 * message due, whatever message the packet is of. @return false = the packet changed nothing */
bool homa_rx_packet(const void *config, void *host, void *peer, void *rx, const struct weir_data *data)
{
    const struct weir_homa_config *cfg = config;
    struct weir_homa_host *h = host;
    struct weir_homa_peer *p = peer;
    struct weir_homa_rx *m = rx;
    if (m == NULL || data->payload_bytes == 0)
        return false;
    if (WEIR_UNLIKELY(m->lossy))
        settle(cfg, h, p, m);
    else
        set_out(h, m, data->wire_bytes < m->out_bytes ? m->out_bytes - data->wire_bytes : 0);
    if (p->rank == WEIR_HOMA_NO_RANK)
        return true;
    uint64_t before_ps = p->due_ps;
    try_grant(cfg, h, p);
    if (p->due_ps < before_ps)
        h->next_ps = weir_min_u64(h->next_ps, p->due_ps);
    else if (p->due_ps > before_ps)
        find_next(h);
    return true;
}

void homa_rx_again(const void *config, void *host, void *peer, void *rx)
{
    settle(config, host, peer, rx);
}

/* Handles a loss: what is missing is no longer on its way, so it leaves room in the window. */
void homa_rx_lost(const void *config, void *host, void *peer, void *rx, uint32_t pkts, uint64_t now_ps)
{
    struct weir_homa_rx *m = rx;
    (void)pkts, (void)now_ps;
    m->lossy = true;
    settle(config, host, peer, m);
}

/* Decides on a silent message. @return true = its outstanding packets count as lost; false = no packet is outstanding,
 * or the sender reported BUSY since the last silence */
bool homa_rx_silent(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    struct weir_homa_rx *m = rx;
    (void)config, (void)host, (void)peer, (void)now_ps;
    bool busy = m->busy;
    m->busy = false;
    if (busy || payload_out(m) == 0)
        return false;
    m->lossy = true;
    return true;
}

void homa_control(const void *config, void *host, const struct weir_own_pkt *control)
{
    (void)config, (void)host;
    if (control->kind == WEIR_HOMA_BUSY && control->rx != NULL)
        ((struct weir_homa_rx *)control->rx)->busy = true;
}

/* --- grants --- */

uint64_t homa_rx_next_ps(const void *config, const void *host, uint64_t now_ps)
{
    (void)config;
    return weir_max_u64(((const struct weir_homa_host *)host)->next_ps, now_ps);
}

/* Tests whether the next packet to grant was granted or unscheduled before and was lost. */
static bool is_again(const struct weir_homa_host *h, const struct weir_homa_rx *m)
{
    uint64_t begun = (uint64_t)m->msg.granted * h->limits->path.mss_bytes;
    return m->lossy && m->msg.ungranted_bytes > (begun < m->bytes ? m->bytes - begun : 0);
}

static uint8_t level_of(const struct weir_homa_config *cfg, const struct weir_homa_host *h,
                        const struct weir_homa_peer *p, const struct weir_homa_rx *m)
{
    if (m->msg.ungranted_bytes <= cfg->boost.bytes)
        return weir_homa_unsched_level(cfg, m->msg.ungranted_bytes);
    return weir_homa_grant_level(cfg, p->rank, h->first_count);
}

bool homa_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *out)
{
    const struct weir_homa_config *cfg = config;
    struct weir_homa_host *h = host;
    uint32_t rank = 0;
    while (rank < h->first_count && h->first[rank]->due_ps > now_ps)
        rank++;
    WEIR_ASSERT(rank < h->first_count);
    struct weir_homa_peer *p = h->first[rank];
    struct weir_homa_rx *m = first_of(p);
    if (m->out_bytes >= cfg->window.bytes) { /* another message has become the first */
        p->due_ps = WEIR_NEVER;
        find_next(h);
        return false;
    }
    uint64_t room = cfg->window.bytes - m->out_bytes + h->packet_bytes - 1;
    bool again = WEIR_UNLIKELY(is_again(h, m));
    p->level = weir_homa_grant_level(cfg, rank, h->first_count);
    *out = (struct weir_grant){ .peer = p,
                                .rx = m,
                                .pkts = again ? weir_clamp_u32(room / h->packet_bytes, 1, WEIR_CREDIT_WINDOW_PKTS)
                                              : cfg->grant_pkts,
                                .sequence = again ? WEIR_HOMA_RESEND : WEIR_HOMA_GRANT,
                                .class_id = level_of(cfg, h, p, m) };
    return true;
}

/* Updates message and sender after a grant. If the sender's first message has room in the window, the next grant to the
 * sender is due when the link has carried the packets of this grant. A packet that arrives may make it due earlier. */
void homa_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps)
{
    const struct weir_homa_config *cfg = config;
    struct weir_homa_host *h = host;
    struct weir_homa_peer *p = grant->peer;
    struct weir_homa_rx *m = grant->rx;
    p->due_ps = WEIR_NEVER; /* before rerank(), after which the sender may have no rank */
    set_out(h, m, m->lossy ? wire_of(h, payload_out(m)) : m->out_bytes + grant->wire_bytes);
    WEIR_ASSERT(m->out_bytes <= most_of(cfg, h, m));
    (void)queue(p, m);
    if (p->in.root != NULL && first_of(p)->out_bytes < cfg->window.bytes)
        p->due_ps = now_ps + (grant->wire_bytes * h->limits->ps_per_kbyte + 999) / 1000; /* 2^27 * 2^33 fits */
    if (WEIR_LIKELY(p->in.root == &m->node)) {
        rise(h, p);
        find_next(h);
    } else {
        rerank(cfg, h, p);
    }
}

void homa_rx_done(const void *config, void *host, void *peer, void *rx)
{
    struct weir_homa_host *h = host;
    struct weir_homa_peer *p = peer;
    struct weir_homa_rx *m = rx;
    set_out(h, m, 0);
    h->most_bytes -= most_of(config, h, m);
    if (!weir_pairing_has(&p->in, &m->node))
        return;
    weir_pairing_remove(&p->in, &m->node);
    rerank(config, h, p);
}
