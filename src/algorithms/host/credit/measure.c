/* src/algorithms/host/credit/measure.c - round trips to each peer, measured by the packets that messages need anyway.
 *
 * The receiver half measures one CREDIT per peer at a time, until the packet that it named arrives, or a later one of
 * that message. So a sample contains what the loss time-out has to cover: the network, both hosts' schedulers, and the
 * time for which the sender had other work. The sender half measures the first answer to each message. Neither measures
 * what was sent again (Karn's rule), for its answer may be to either copy.
 *
 * A packet that was asked for again carries WEIR_PKT_RETX. If its first copy has arrived, the time-out was too short,
 * and is raised above the silence that was seen. */
#include "core/credit_ops.h"
#include "host/common/table.h"
#include "host/credit/measure.h"

static struct credit_path *path_of(const struct host_credit *c, const struct credit_peer *peer)
{
    WEIR_ASSERT(c->paths.count == 0 || peer->index < c->paths.count);
    return c->paths.count == 0 ? NULL : host_at(&c->paths, HOST_BLOCK_SHIFT, peer->index);
}

/* Returns how long a message from this peer may be silent before its missing packets count as lost. */
uint64_t host_credit_silence_ps(const struct host_credit *c, const struct credit_peer *peer)
{
    const struct credit_path *path = path_of(c, peer);
    return path == NULL ? c->loss_ps : credit_rtt_timeout_ps(&path->rx, c->loss_ps);
}

/* Returns half the time after which a message to this peer without an answer is announced again. */
uint64_t host_credit_answer_ps(const struct host_credit *c, const struct credit_peer *peer)
{
    const struct credit_path *path = path_of(c, peer);
    return path == NULL ? c->loss_ps : credit_rtt_timeout_ps(&path->tx, c->loss_ps);
}

/* Begins to measure the CREDIT for new packets from pkt on of message `number`, unless another one is being measured.
 * One that is overdue is given up: its message was cancelled, or waits for a packet that was lost. */
void host_credit_measure_grant(const struct host_credit *c, const struct credit_peer *peer, uint64_t now_ps,
                               uint32_t number, uint32_t pkt)
{
    struct credit_path *path = path_of(c, peer);
    if (path == NULL)
        return;
    if (path->probe_ps != WEIR_NEVER && now_ps - path->probe_ps < 4 * credit_rtt_timeout_ps(&path->rx, c->loss_ps))
        return;
    path->probe_ps = now_ps;
    path->probe_number = number;
    path->probe_pkt = pkt;
}

/* Notes the silence after which a packet that had been recorded as lost arrived in its first copy. It shows that the
 * time-out was too short only if the second copy comes, too: the CREDIT may have been lost, and not the packet. */
static void note_late(struct credit_path *path, uint64_t now_ps, const struct weir_pkt *pkt)
{
    if (path->since_ps != WEIR_NEVER && path->silence_ps == 0 && path->lost_number == WEIR_PKT_CONN(pkt->conn) &&
        pkt->seq < path->lost_end)
        path->silence_ps = now_ps - path->since_ps;
}

/* Handles a second copy that was asked for: the packet had not been lost. If it is of another message than the one that
 * was noted, its first copy came some time before. */
static void note_spurious(struct weir_host *h, struct credit_path *path, uint64_t now_ps)
{
    h->stats.spurious_pkts++;
    if (path->since_ps == WEIR_NEVER)
        return; /* of a time-out that was undone already */
    credit_rtt_raise(&path->rx, now_ps, path->silence_ps != 0 ? path->silence_ps : now_ps - path->since_ps);
    path->since_ps = WEIR_NEVER;
    path->silence_ps = 0;
}

/* Tests whether credit for most of the BDP in use is outstanding. */
static bool credit_is_used(const struct host_credit *c)
{
    struct weir_credit_sums sums;
    c->ops->sums(c->config, c->state, &sums);
    return sums.outstanding_bytes > 0 && 4 * (uint64_t)sums.outstanding_bytes >= 3 * c->window.bdp_bytes;
}

/* Passes the BDP in use to the protocol, and to its part of each peer. */
static void adapt(const struct host_credit *c)
{
    WEIR_ASSERT(c->adaptive);
    c->ops->adapt(c->config, c->state, c->window.bdp_bytes);
    for (uint32_t i = 0; i < c->peers.count; i++)
        c->ops->peer_adapt(c->config, c->state, credit_peer_state(credit_peer_at(c, i)));
}

void host_credit_adapt_begin(struct weir_host *h)
{
    struct host_credit *c = host_credit_of(h);
    c->adaptive = h->cfg->adaptive && c->ops->adapt != NULL && c->ops->sums != NULL;
    if (!c->adaptive)
        return;
    WEIR_ASSERT(h->cfg->measured);
    credit_window_init(&c->window, c->limits.path.bdp_bytes, CREDIT_LEAST_PKTS * (uint64_t)host_full_wire_bytes(h),
                       h->cfg->bdp_most_bytes);
    c->ops->adapt(c->config, c->state, c->window.bdp_bytes);
}

/* Learns a round trip from the DATA that ends the measurement of a CREDIT. */
static void sample(struct weir_host *h, struct credit_path *path, uint64_t now_ps)
{
    struct host_credit *c = host_credit_of(h);
    WEIR_ASSERT(path->probe_ps <= now_ps);
    uint64_t rtt_ps = now_ps - path->probe_ps;
    credit_rtt_sample(&path->rx, now_ps, rtt_ps);
    path->probe_ps = WEIR_NEVER;
    c->rtt_ps = path->rx.srtt_ps;
    if (c->adaptive && credit_window_sample(&c->window, now_ps, rtt_ps, path->rx.srtt_ps, credit_is_used(c)))
        adapt(c);
}

/* Learns from a DATA packet that was not refused. */
void host_credit_measure_data(struct weir_host *h, uint64_t now_ps, const struct credit_peer *peer,
                              const struct weir_pkt *pkt, enum host_arrival arrival)
{
    struct credit_path *path = path_of(host_credit_of(h), peer);
    if (path == NULL)
        return;
    WEIR_ASSERT(arrival != HOST_REFUSED);
    if (arrival == HOST_NEW)
        credit_window_arrived(&host_credit_of(h)->window, pkt->wire_bytes);
    if ((pkt->flags & WEIR_PKT_RETX) != 0) {
        if (arrival == HOST_KNOWN) {
            note_spurious(h, path, now_ps);
        } else {
            host_credit_of(h)->window.lost = true;
            credit_rtt_recovered(&path->rx);
        }
        return;
    }
    note_late(path, now_ps, pkt);
    if (path->probe_ps == WEIR_NEVER || path->probe_number != WEIR_PKT_CONN(pkt->conn) || pkt->seq < path->probe_pkt)
        return;
    sample(h, path, now_ps);
}

/* Notes a time-out: packets of r were recorded as lost after silence since since_ps. Of several messages at once, the
 * last one is noted. */
void host_credit_measure_lost(const struct host_credit *c, const struct credit_peer *peer, const struct credit_rx *r,
                              uint64_t since_ps)
{
    struct credit_path *path = path_of(c, peer);
    if (path == NULL)
        return;
    if (path->probe_number == r->number)
        path->probe_ps = WEIR_NEVER;
    WEIR_ASSERT(!(r->flags & CREDIT_RX_DELIVERED));
    path->lost_number = r->number;
    path->lost_end = credit_rx_state((struct credit_rx *)(uintptr_t)r)->granted;
    path->since_ps = since_ps;
    path->silence_ps = 0;
}

/* Doubles the time-out of the receiver half: packets of the peer were recorded as lost. */
void host_credit_measure_expired(const struct host_credit *c, const struct credit_peer *peer)
{
    struct credit_path *path = path_of(c, peer);
    if (path != NULL)
        credit_rtt_expired(&path->rx);
}

/* Measures the first answer to an outbound message, unless the message was announced again, or sent packets on credit
 * of others. Must be called before since_ps and asked are changed. */
void host_credit_measure_answer(const struct host_credit *c, const struct credit_peer *peer, struct credit_tx *t,
                                uint64_t now_ps)
{
    struct credit_path *path = path_of(c, peer);
    const struct weir_tx_msg *m = credit_tx_state(t);
    if (path == NULL || t->flags != CREDIT_TX_LIVE)
        return;
    WEIR_ASSERT(t->since_ps <= now_ps);
    t->flags |= CREDIT_TX_ANSWERED;
    if (t->asked == 0 && m->next == m->unsched_pkts && m->again_pkts == 0)
        credit_rtt_sample(&path->tx, now_ps, now_ps - t->since_ps);
}

void host_credit_measure_forget(const struct host_credit *c, const struct credit_peer *peer)
{
    struct credit_path *path = path_of(c, peer);
    if (path != NULL)
        *path = (struct credit_path){ .probe_ps = WEIR_NEVER, .since_ps = WEIR_NEVER };
}
