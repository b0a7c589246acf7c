/* src/transport/endpoint/pressure.c - see pressure.h.
 *
 * A peer lags if its data have come at less than LEAST_BPS for a second or two, and it had unspent credit all the time.
 * The running totals of SIRD show that. Other receiver-driven protocols show it by the credit of messages that are
 * arriving. Sender-driven ones need no credit. A peer that has spent its credit may be as fast as any
 * other. This receiver may prefer others' messages, or the credit may have gone on messages for which there is no
 * memory.
 *
 * Of many peers that share a slow link none holds more than its share, so none is refused. Nobody is refused either if
 * most of the memory in use is lent to the application, because then that is why there is none.
 * Replies are not refused, because a call of this endpoint waits for them. */
#include "endpoint/pressure.h"
#include "core/credit_ops.h"
#include "endpoint/memory.h"
#include "endpoint/msg.h"
#include "endpoint/peer.h"
#include "endpoint/shake_tx.h"
#include "endpoint/share.h"
#include <errno.h>

/* a peer that is silent this long and holds memory is ended; looked for this often */
#define SILENT_PS WEIR_PS_PER_S
#define RELIEVE_PS (100 * WEIR_PS_PER_MS)
/* arrivals are measured over this time, at most twice of it */
#define MEASURE_PS WEIR_PS_PER_S
/* data of a peer that come slower than this lag */
#define LEAST_BPS 2000000u
/* a peer that has not confirmed so many refusals of a message, one per RELIEVE_PS, is ended */
#define REFUSALS_MAX 10u

uint64_t ep_pressure_next_ps(const struct weir_ep *ep)
{
    bool waits = ep->wait_count > 0 && ep->messages_arriving > 0;
    return waits || ep_share_lacks(ep) ? ep->relieved_ps : WEIR_NEVER;
}

static void end(struct weir_ep *ep, struct weir_peer *q)
{
    WEIR_ASSERT(q->state == EP_PEER_UP);
    ep_shake_close(ep, q);
    ep_peer_end(ep, q, -ECONNRESET);
}

/* Tests whether a peer has credit that it has not spent. A sender-driven protocol needs none. */
static bool has_credit(const struct weir_ep *ep, const struct weir_peer *q)
{
    if (ep->stream)
        return true;
    if (ep->host_config.credit->credit_supersedes)
        return (int32_t)(q->granted - q->spent) > 0;
    return weir_host_owed(ep->host, q->number);
}

/* Measures how fast data of a peer come, and sets q->lags, once per MEASURE_PS. The time begins anew if the peer has
 * spent its credit, or was not looked at for twice that time: it does not lag. */
static void measure(const struct weir_ep *ep, struct weir_peer *q)
{
    uint64_t time_ps = ep->now_ps - q->measured_ps, bytes = q->data_bytes;
    bool valid = has_credit(ep, q) && time_ps < 2 * MEASURE_PS;
    if (valid && time_ps < MEASURE_PS)
        return;
    /* 2^21 us * 2^21 b/s fits */
    q->lags = valid && bytes * 8 < time_ps / WEIR_PS_PER_US * LEAST_BPS / 1000000;
    q->speed_bytes = (uint32_t)weir_min_u64(bytes, UINT32_MAX);
    q->measured_ps = ep->now_ps;
    q->data_bytes = 0;
}

/* Tests whether a message may be a reply. Its first packet, once it is there, shows that. */
static bool may_be_reply(const struct ep_msg *m)
{
    return m->head[0] == EP_REPLY || (m->head[0] == EP_FREE && m->peer->calls > 0);
}

/* Returns the largest message that a peer may be refused, or the one that was refused already; NULL = none. */
static struct ep_msg *victim(const struct weir_peer *q)
{
    struct ep_msg *found = NULL;
    for (struct ep_msg *m = q->msgs; m != NULL; m = m->next) {
        if (!(m->flags & EP_MSG_ARRIVING) || m->room == 0 || may_be_reply(m))
            continue;
        if (m->flags & EP_MSG_REFUSED)
            return m;
        if (found == NULL || m->room > found->room)
            found = m;
    }
    return found;
}

/* Refuses a message of a slow peer, once per call until its sender has confirmed it by ABORT. @return true: the sender
 * did not, and was ended */
static bool refuse(struct weir_ep *ep, struct weir_peer *q)
{
    struct ep_msg *m = victim(q);
    WEIR_ASSERT(q->lags && q->arriving > 0);
    if (m == NULL)
        return false;
    if (!(m->flags & EP_MSG_REFUSED))
        q->refusals = 0;
    m->flags |= EP_MSG_REFUSED;
    if (q->refusals++ < REFUSALS_MAX) { /* without the ration of answers: this is one in RELIEVE_PS */
        ep_shake_refuse(ep, q, m->number, m->handle);
        return false;
    }
    end(ep, q);
    return true;
}

/* Tests whether messages that are arriving are why the last message found no memory: there still is none for it, and
 * most of the memory in use is theirs. */
static bool is_short(const struct weir_ep *ep)
{
    return ep->arriving_bytes > ep->rx.used / 2 && !ep_pool_has(&ep->rx, ep->wanted_bytes + ep_msg_reserve(ep));
}

bool ep_pressure_relieve(struct weir_ep *ep)
{
    uint64_t silent_ps = weir_min_u64(SILENT_PS, ep->peer_timeout_ps / 2), share;
    struct weir_peer *slowest = NULL;
    bool any = false;
    /* if the application did not poll for a while, silence may be our fault */
    if (ep->now_ps < ep->relieved_ps || ep->now_ps - ep->last_poll_ps > silent_ps / 4)
        return false;
    ep->relieved_ps = ep->now_ps + RELIEVE_PS;
    share = ep_share(ep);
    for (uint32_t i = 0; i < ep->peer_count; i++) {
        struct weir_peer *q = &ep->peers[i];
        if (q->arriving == q->parts) /* none, or such that wait for this application and take none of what is short */
            continue;
        if (ep->now_ps - q->heard_ps >= silent_ps) {
            end(ep, q);
            any = true;
            continue;
        }
        measure(ep, q);
        if (!q->lags || q->arriving_bytes <= share || !ep_share_is_wanted(ep, q))
            continue;
        if (slowest == NULL || q->speed_bytes < slowest->speed_bytes)
            slowest = q;
    }
    return any || (slowest != NULL && is_short(ep) && refuse(ep, slowest));
}
