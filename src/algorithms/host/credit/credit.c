/* src/algorithms/host/credit/credit.c - receiver-driven hosts: set-up, dispatch of packets that arrive, the check of
 * silent peers, and the function table. */
#include "core/math.h"
#include "host/common/machine.h"
#include "host/common/reassembly.h"
#include "host/common/table.h"
#include "host/common/timers.h"
#include "host/credit/control.h"
#include "host/credit/credit.h"
#include "host/credit/credit_rx.h"
#include "host/credit/credit_tx.h"
#include "host/credit/grant.h"
#include "host/credit/measure.h"
#include "host/credit/peers.h"
#include "host/credit/prefetch.h"
#include "host/credit/widen.h"

static size_t credit_bytes(const struct weir_host_config *cfg)
{
    return HOST_LINES(sizeof(struct host_credit)) + HOST_LINES(cfg->credit->host_bytes);
}

static struct host_table credit_table(size_t ours, uint32_t protocols)
{
    return (struct host_table){ .stride = (uint32_t)HOST_LINES(ours + protocols), .free = HOST_NONE };
}

static void credit_init(struct weir_host *h)
{
    const struct weir_host_config *cfg = h->cfg;
    const struct weir_credit_ops *ops = cfg->credit;
    struct host_credit *c = host_credit_of(h);
    const struct weir_path path = weir_host_path(cfg, host_self(h), host_self(h));
    WEIR_ASSERT(path.rate_bps > 0);
    unsigned char *state = (unsigned char *)c + HOST_LINES(sizeof(*c));
    for (size_t i = 0; i < ops->host_bytes; i++)
        state[i] = 0;
    *c = (struct host_credit){
        .ops = ops,
        .config = cfg->cc_config,
        .state = (void *)state,
        .clocked = ops->tx_next_ps != NULL,
        .tx_at_ps = WEIR_NEVER,
        .rx_at_ps = WEIR_NEVER,
        .limits = { .path = path,
                    .framing = cfg->framing,
                    .ps_per_kbyte = (8000 * WEIR_PS_PER_S + path.rate_bps - 1) / path.rate_bps,
                    .self = host_self(h),
                    .seed = cfg->seed },
        .loss_ps = ops->loss_ps(cfg->cc_config),
        .heard_ps = WEIR_NEVER,
        .peers = credit_table(sizeof(struct credit_peer), ops->peer_bytes),
        .txs = credit_table(sizeof(struct credit_tx), ops->tx_bytes),
        .rxs = credit_table(sizeof(struct credit_rx), ops->rx_bytes),
        .agains = credit_table(sizeof(struct credit_again), 0),
        .paths = credit_table(sizeof(struct credit_path), 0),
    };
    h->extended = cfg->rates != NULL ? HOST_EXTENDED_READ : 0;
    h->window_pkts = WEIR_CREDIT_WINDOW_PKTS;
    host_bitmaps_init(h);
    host_gaps_init(h, 2);
    h->ack_size_word = WEIR_PKT_SIZE_WORD(cfg->framing.ack_wire_bytes, ops->control_class(cfg->cc_config), 0);
    ops->init(c->config, c->state, &c->limits);
    host_credit_adapt_begin(h);
}

/* Passes a control packet of the protocol's own to the protocol. If the packet has WEIR_PKT_OWN, it is about a message
 * that is outbound at this host, else about an inbound one. */
static void credit_own(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt)
{
    const struct host_credit *c = host_credit_of(h);
    bool outbound = (pkt->flags & WEIR_PKT_OWN) != 0;
    const struct weir_own_pkt control = {
        .now_ps = now_ps,
        .peer = credit_peer_state(peer),
        .tx = outbound ? host_credit_tx_of(h, now_ps, peer, pkt) : NULL,
        .rx = outbound ? NULL : host_credit_rx_of(h, peer, pkt),
        .value = pkt->value,
        .sequence = pkt->ack,
        .wire_bytes = pkt->wire_bytes,
        .kind = (uint8_t)pkt->seq,
        .class_id = pkt->class_id,
        .ce = (pkt->flags & WEIR_PKT_CE) != 0,
    };
    c->ops->control(c->config, c->state, &control);
    host_credit_tx_changed(h);
}

/* Processes any packet but DATA and REQUEST: reports it to the receiver half as a packet from this peer, then handles
 * it by kind. @return true if it may have made credit due */
static bool credit_control_packet(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer,
                                  const struct weir_pkt *pkt)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_data data = { .now_ps = now_ps, .wire_bytes = pkt->wire_bytes, .src = peer->id };
    h->stats.rx_ack_pkts++;
    data.flags = pkt->flags & WEIR_PKT_CE ? WEIR_DATA_CE : 0;
    bool due = c->ops->rx_packet(c->config, c->state, credit_peer_state(peer), NULL, &data);
    if (pkt->kind == WEIR_PKT_CREDIT) {
        host_credit_granted(h, now_ps, peer, pkt);
    } else if (pkt->kind == WEIR_PKT_CONTROL) {
        credit_own(h, now_ps, peer, pkt);
        due = true;
    } else if (pkt->kind == WEIR_PKT_DONE) {
        host_credit_done(h, now_ps, peer, pkt);
    } else if (pkt->kind == WEIR_PKT_ABORT) {
        host_credit_abort(h, now_ps, peer, pkt);
        due = true; /* another message may be credited now */
    }
    return due;
}

/* Tests whether the protocol handles the CONTROL packet pkt: it has own control packets, and the kind exists. */
static HOST_COLD bool credit_has_control(const struct weir_host *h, const struct weir_pkt *pkt)
{
    return host_credit_of(h)->ops->control != NULL && pkt->seq < WEIR_CONTROL_KINDS;
}

/* Processes one packet. @return true if it may have made credit due */
static bool credit_rx_one(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct credit_peer *peer = NULL;
    uint32_t kind = weir_pkt_kind_for(pkt, h->self_word);
    bool known_kind = kind == WEIR_PKT_DATA || (kind >= WEIR_PKT_REQUEST && kind <= WEIR_PKT_ABORT);
    if (WEIR_UNLIKELY(kind == WEIR_PKT_CONTROL))
        known_kind = credit_has_control(h, pkt);
    if (WEIR_LIKELY(known_kind && pkt->src != host_self(h)))
        peer = host_credit_peer(h, pkt->src);
    if (WEIR_UNLIKELY(peer == NULL)) {
        h->stats.refused_pkts++;
        return false;
    }
    if (kind == WEIR_PKT_DATA)
        host_credit_data(h, now_ps, peer, pkt);
    else if (kind == WEIR_PKT_REQUEST)
        host_credit_request(h, now_ps, peer, pkt);
    else
        return credit_control_packet(h, now_ps, peer, pkt);
    return true;
}

static void credit_rx_many(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count)
{
    bool due = false;
    for (uint32_t i = 0; i < count; i++) {
        due |= credit_rx_one(h, now_ps, &pkt[i]);
        host_credit_flush(h);
    }
    if (due)
        host_credit_grants(h, now_ps);
}

/* Processes one packet. A receiver-driven host never writes *answer. @return false */
static bool credit_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
{
    (void)answer;
    credit_rx_many(h, now_ps, pkt, 1);
    return false;
}

/* Checks a peer whose timer expired: lets the protocol decide on silent inbound messages, repeats requests that got no
 * answer, and restarts the timer while any message is unfinished. */
static void credit_probe_peer(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer)
{
    WEIR_ASSERT(peer->timed);
    bool more = host_credit_recover(h, now_ps, peer);
    peer->timed = false;
    host_credit_ask(h, now_ps, peer);
    if (more || peer->tx_head != HOST_NONE)
        host_credit_watch(h, now_ps, peer);
}

static HOST_COLD void credit_tx_time(struct weir_host *h, uint64_t now_ps)
{
    const struct host_credit *c = host_credit_of(h);
    if (c->tx_at_ps > now_ps)
        return;
    c->ops->tx_time(c->config, c->state, now_ps);
    host_credit_flush(h);
    host_credit_tx_changed(h);
    WEIR_ASSERT(c->tx_at_ps > now_ps);
}

static bool credit_measured(const struct weir_host *h, struct weir_host_measured *out)
{
    const struct host_credit *c = host_credit_of(h);
    if (c->adaptive)
        *out = (struct weir_host_measured){ .rtt_ps = c->rtt_ps, .bdp_bytes = c->window.bdp_bytes };
    return c->adaptive;
}

static void credit_heard(struct weir_host *h, uint64_t heard_ps, uint64_t late_ps)
{
    struct host_credit *c = host_credit_of(h);
    WEIR_ASSERT(late_ps >= c->late_ps);
    c->heard_ps = c->heard_ps == WEIR_NEVER ? heard_ps : weir_max_u64(c->heard_ps, heard_ps);
    c->late_ps = late_ps;
}

/* Runs the clock of the sender half and the checks of peers that are due, then sends all credit that may go now. If the
 * sender half has no clock and no check is due, h->next_ps was the time of the next credit, so one is sent at once. A
 * check that is due later than heard_ps waits: what seems silent may have been heard, and not been received yet. */
static void credit_time_run(struct weir_host *h, uint64_t now_ps)
{
    uint64_t heard_ps = weir_min_u64(now_ps, host_credit_of(h)->heard_ps);
    if (WEIR_UNLIKELY(host_credit_of(h)->clocked))
        credit_tx_time(h, now_ps);
    else if (h->timers.next_ps > now_ps)
        host_credit_grant(h, now_ps);
    while (h->timers.next_ps <= heard_ps) {
        uint32_t index = HOST_TIMER_INDEX(weir_timers_take(&h->timers).id);
        credit_probe_peer(h, now_ps, credit_peer_at(host_credit_of(h), index));
    }
    host_credit_grants(h, now_ps);
    WEIR_CHECK(h->next_ps > heard_ps);
}

/* Forgets host id as if it had never been met. The peer's record and its entry in the timer heap remain: the check of
 * the peer then finds no messages, or only new ones. */
static void credit_forget(struct weir_host *h, uint64_t now_ps, uint32_t id)
{
    const struct host_credit *c = host_credit_of(h);
    struct credit_peer *peer = credit_peer_known(h, id);
    if (peer == NULL)
        return;
    host_credit_forget_tx(h, peer);
    host_credit_forget_rx(h, peer);
    host_packets_drop(&h->acks, NULL, 0, peer->id);
    host_credit_measure_forget(c, peer);
    if (c->ops->peer_forget != NULL)
        c->ops->peer_forget(c->config, c->state, credit_peer_state(peer));
    if (c->ops->peer_init != NULL)
        c->ops->peer_init(c->config, c->state, credit_peer_state(peer));
    host_credit_flush(h);
    host_credit_tx_changed(h);
    host_credit_grants(h, now_ps); /* the forgotten peer's credit may go to others */
}

static void credit_pause(struct weir_host *h, uint32_t class_mask)
{
    const struct host_credit *c = host_credit_of(h);
    if (c->ops->tx_pause == NULL) {
        h->hold |= (class_mask >> c->ops->data_class(c->config) & 1) != 0 ? HOST_HOLD_DATA : 0;
        return;
    }
    c->ops->tx_pause(c->config, c->state, class_mask);
    for (uint32_t i = 0; i < c->peers.count; i++) {
        struct credit_peer *peer = credit_peer_at(c, i);
        if (peer->tx_head != HOST_NONE)
            c->ops->tx_resume(c->config, c->state, credit_peer_state(peer));
    }
    host_credit_tx_changed(h);
}

static bool credit_next_pending(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out)
{
    const struct host_credit *c = host_credit_of(h);
    for (; *cursor < c->txs.count; (*cursor)++) {
        struct credit_tx *t = credit_tx_at(c, (uint32_t)*cursor);
        const struct weir_tx_msg *m = credit_tx_state(t);
        if (t->flags == 0)
            continue;
        *out = (struct weir_host_pending){ .dst = credit_peer_at(c, t->peer)->id,
                                           .msg = t->msg,
                                           .conn = t->number,
                                           .unacked_pkts = m->next,
                                           .left_pkts = m->pkts - m->next,
                                           .timeouts = t->asked,
                                           .deadline_ps = WEIR_NEVER,
                                           .hash = credit_peer_at(c, t->peer)->hash };
        ++*cursor;
        return true;
    }
    return false;
}

static void credit_sums(const struct weir_host *h, struct weir_credit_sums *out)
{
    const struct host_credit *c = host_credit_of(h);
    if (c->ops->sums != NULL)
        c->ops->sums(c->config, c->state, out);
}

const struct host_machine host_credit_machine = {
    .bytes = credit_bytes,
    .init = credit_init,
    .send = host_credit_send,
    .rx = credit_rx,
    .rx_many = credit_rx_many,
    .tx = host_credit_tx,
    .time_run = credit_time_run,
    .pause = credit_pause,
    .next_pending = credit_next_pending,
    .flow = host_credit_flow,
    .credit = credit_sums,
    .measured = credit_measured,
    .heard = credit_heard,
    .cancel = host_credit_cancel,
    .hold = host_credit_hold,
    .resume = host_credit_resume,
    .probe = host_credit_probe,
    .priority = host_credit_priority,
    .forget = credit_forget,
    .inbound = host_credit_inbound,
    .owed = host_credit_owed,
    .rx_bound = host_credit_rx_bound,
    .tx_bound = host_credit_tx_bound,
    .edge = host_credit_edge,
    .rx_prefetch = host_credit_rx_prefetch,
    .message_prefetch = host_credit_message_prefetch,
    .send_prefetch = host_credit_send_prefetch,
};
