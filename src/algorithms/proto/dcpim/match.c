/* src/algorithms/proto/dcpim/match.c - the receiver half of the matching: requests, the choice among grants, and the
 * channels of a data phase. */
#include "proto/dcpim/dcpim_core.h"
#include "proto/dcpim/dcpim_parts.h"

/* Tests whether the next round could change anything: a message may get tokens, channels are matched, or grants wait to
 * be accepted. */
bool dcpim_in_rounds(const struct weir_dcpim_host *h)
{
    return h->ask != NULL || h->matched.count + h->fresh.count > 0 || h->grants.root != NULL;
}

/* Sets round_at_ps, if it has passed, to the first begin of a round from now_ps on that was not executed. Needed after
 * dcpim_in_rounds() was false, because the rounds of that time were skipped. */
void dcpim_wake_round(struct weir_dcpim_host *h, uint64_t now_ps)
{
    if (h->round_at_ps >= now_ps)
        return;
    h->round_at_ps = weir_dcpim_round_at(&h->times, weir_max_u64(now_ps, h->round_done_ps + 1));
}

static struct weir_dcpim_match *find_match(struct weir_dcpim_matches *list, const struct weir_dcpim_peer *p)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->match[i].peer == p)
            return &list->match[i];
    return NULL;
}

/* Removes up to `channels` channels of entry m of a list. Removes the entry if no channel is left: the last entry then
 * takes its place. */
static void cut_match(struct weir_dcpim_host *h, struct weir_dcpim_matches *list, struct weir_dcpim_match *m,
                      uint32_t channels)
{
    uint32_t n = channels < m->channels ? channels : m->channels, left = m->channels - n;
    uint32_t active = m->active < left ? m->active : left;
    if (list == &h->fresh) {
        h->prompt -= m->active - active;
        m->peer->fresh -= n;
    } else {
        m->peer->matched -= n;
    }
    list->channels -= n;
    m->channels = left;
    m->active = active;
    if (active == 0)
        m->next_ps = WEIR_NEVER;
    if (left == 0)
        *m = list->match[--list->count];
}

/* --- grants --- */

void dcpim_granted(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_peer *p,
                   const struct weir_dcpim_offer *offer, uint64_t now_ps)
{
    uint32_t tie;
    bool due = offer->round == h->round && now_ps <= h->grants_until_ps;
    if (!due || p->has_grant || offer->channels == 0 || offer->channels > cfg->channels)
        return; /* of another round, repeated, or invalid */
    p->grant = *offer;
    p->has_grant = true;
    uint64_t key = dcpim_order(h, cfg, offer, &tie);
    weir_pairing_push(&h->grants, &p->grant_node, key, tie);
}

/* Adds channels to sender p for the next data phase. `prompt` of these channels are in use from now on. */
static void add_match(struct weir_dcpim_host *h, struct weir_dcpim_peer *p, uint32_t channels, uint32_t prompt,
                      uint64_t now_ps)
{
    struct weir_dcpim_match *m = find_match(&h->fresh, p);
    if (m == NULL) {
        m = &h->fresh.match[h->fresh.count++];
        *m = (struct weir_dcpim_match){
            .peer = p, .next_ps = WEIR_NEVER, .ready_ps = now_ps, .level = WEIR_DCPIM_LEVEL_PROMPT
        };
    }
    m->channels += channels;
    m->active += prompt;
    h->fresh.channels += channels;
    h->prompt += prompt;
    p->fresh += channels;
    if (prompt > 0)
        m->next_ps = weir_max_u64(now_ps, m->ready_ps);
}

/* Returns the number of channels that are not in use in this data phase. */
static uint32_t idle_channels(const struct weir_dcpim_config *cfg, const struct weir_dcpim_host *h)
{
    uint32_t used = h->matched.channels + h->prompt;
    return used < cfg->channels ? cfg->channels - used : 0;
}

/* Accepts the grants of the previous round in their order while channels are free, and queues an ACCEPT for each. Drops
 * the other grants. */
static void accept_all(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, uint64_t now_ps)
{
    struct weir_pairing_node *node;
    while ((node = weir_pairing_pop(&h->grants)) != NULL) {
        struct weir_dcpim_peer *p = WEIR_PAIRING_OF(node, struct weir_dcpim_peer, grant_node);
        uint32_t free = cfg->channels - h->fresh.channels, idle = idle_channels(cfg, h);
        struct weir_dcpim_offer accept = p->grant;
        p->has_grant = false;
        if (free == 0)
            continue;
        accept.channels = (uint8_t)weir_clamp_u32(accept.channels, 0, free);
        accept.prompt = (uint8_t)weir_clamp_u32(accept.prompt, 0, accept.channels < idle ? accept.channels : idle);
        add_match(h, p, accept.channels, accept.prompt, now_ps);
        dcpim_send(h, p, WEIR_DCPIM_ACCEPT, &accept);
    }
    WEIR_ASSERT(h->fresh.channels <= cfg->channels);
}

/* Handles a RELEASE: removes channels that this host accepted but that were not free at the sender. The channels are of
 * the epoch that is being matched, or of the present data phase. Ignores an older RELEASE. */
void dcpim_released(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_peer *p,
                    const struct weir_dcpim_offer *offer)
{
    bool fresh = offer->round - h->fresh_round < cfg->rounds;
    struct weir_dcpim_matches *list = fresh ? &h->fresh : &h->matched;
    struct weir_dcpim_match *m = find_match(list, p);
    if (m == NULL || (!fresh && h->fresh_round - 1 - offer->round >= cfg->rounds))
        return; /* too late: the data phase of these channels is over */
    cut_match(h, list, m, offer->channels);
    dcpim_next_loop(h);
}

/* --- data phases --- */

static bool shorter(const struct weir_dcpim_peer *a, const struct weir_dcpim_peer *b)
{
    if (a->open.root == NULL || b->open.root == NULL)
        return a->open.root != NULL;
    return weir_pairing_before(a->open.root, b->open.root);
}

/* Orders matches by the shortest message of their senders, and sets the level of their tokens. The first match gets the
 * best level. The level of each other match is one worse per channel of the matches before, down to
 * WEIR_DCPIM_LEVEL_LAST. */
static void order_matches(struct weir_dcpim_matches *list)
{
    uint32_t before = 0;
    for (uint32_t i = 1; i < list->count; i++) {
        struct weir_dcpim_match m = list->match[i];
        uint32_t j = i;
        for (; j > 0 && shorter(m.peer, list->match[j - 1].peer); j--)
            list->match[j] = list->match[j - 1];
        list->match[j] = m;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        list->match[i].level = (uint8_t)weir_clamp_u32(WEIR_DCPIM_LEVEL_MATCHED + before, 0, WEIR_DCPIM_LEVEL_LAST);
        before += list->match[i].channels;
    }
}

/* Begins a data phase: the channels in `fresh` become those in `matched`, all in use from now on. `fresh` is empty
 * afterwards. */
static void begin_phase(struct weir_dcpim_host *h, uint64_t now_ps)
{
    for (uint32_t i = 0; i < h->matched.count; i++)
        h->matched.match[i].peer->matched = 0;
    h->matched = h->fresh;
    h->fresh.count = h->fresh.channels = h->prompt = 0;
    for (uint32_t i = 0; i < h->matched.count; i++) {
        struct weir_dcpim_match *m = &h->matched.match[i];
        m->peer->matched = m->channels;
        m->peer->fresh = 0;
        m->active = m->channels;
        m->next_ps = m->ready_ps = now_ps;
    }
    order_matches(&h->matched);
}

/* --- requests --- */

static uint32_t left_pkts(const struct weir_dcpim_host *h, const struct weir_dcpim_rx *m)
{
    return (uint32_t)((m->msg.left_bytes + h->mss_bytes - 1) / h->mss_bytes);
}

static void request_all(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h)
{
    uint32_t free = cfg->channels - h->fresh.channels, idle = cfg->prompt ? idle_channels(cfg, h) : 0;
    struct weir_dcpim_peer *p = h->ask;
    if (p == NULL || free == 0)
        return;
    do {
        const struct weir_dcpim_rx *m = weir_dcpim_first(p);
        uint32_t want = weir_dcpim_want(left_pkts(h, m), h->times.channel_pkts, p->matched + p->fresh, free);
        const struct weir_dcpim_offer request = { .left_bytes = m->msg.left_bytes,
                                                  .round = h->round,
                                                  .channels = (uint8_t)want,
                                                  .prompt = (uint8_t)(want < idle ? want : idle) };
        if (want > 0)
            dcpim_send(h, p, WEIR_DCPIM_REQUEST, &request);
        p = p->ask_next;
    } while (p != h->ask);
}

/* Executes what is due at h->round_at_ps: the begin of a round, or the end of the last round of an epoch. Accepts
 * grants, and begins a data phase if one is due. At the begin of a round it also sends requests. Sets h->round_at_ps to
 * the next such time. */
void dcpim_round(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h)
{
    const struct weir_dcpim_times *t = &h->times;
    uint64_t now_ps = h->round_at_ps, epoch = now_ps / t->epoch_ps, since_ps = now_ps - epoch * t->epoch_ps;
    accept_all(cfg, h, now_ps);
    if (since_ps == t->match_ps || (since_ps == 0 && t->match_ps == t->epoch_ps))
        begin_phase(h, now_ps);
    h->phase = (uint32_t)weir_dcpim_phase(t, now_ps);
    h->fresh_round = (uint32_t)((epoch + (since_ps >= t->match_ps)) * cfg->rounds);
    h->grants_until_ps = 0;
    if (since_ps < t->match_ps) {
        h->grants_until_ps = now_ps + t->round_ps;
        h->round = weir_dcpim_round(cfg, t, now_ps);
        request_all(cfg, h);
    }
    h->round_done_ps = now_ps;
    h->round_at_ps = weir_dcpim_round_at(t, now_ps + 1);
    dcpim_next_loop(h);
}

void dcpim_forget_match(struct weir_dcpim_host *h, struct weir_dcpim_peer *p)
{
    struct weir_dcpim_match *m;
    if ((m = find_match(&h->fresh, p)) != NULL)
        cut_match(h, &h->fresh, m, m->channels);
    if ((m = find_match(&h->matched, p)) != NULL)
        cut_match(h, &h->matched, m, m->channels);
    if (p->has_grant)
        weir_pairing_remove(&h->grants, &p->grant_node);
    p->has_grant = false;
    dcpim_next_loop(h);
}
