/* src/algorithms/host/stream/timeout.c - handles the retransmission timer. Source: RFC 6298. */
#include "host/stream/answers.h"
#include "host/stream/handshake.h"
#include "host/stream/law.h"
#include "host/stream/newreno.h"
#include "host/stream/ready.h"
#include "host/stream/timeout.h"

/* Records all packets in flight as lost, and notifies the law of the timeout. If ACKs report ranges, one packet leaves
 * alone: what its ACK reports is not sent again. */
static void lose_all(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    uint32_t lowest = f->una, bytes = 0;
    struct host_board *b;
    if (host_stream_of(h)->newreno)
        host_newreno_timeout(h, index, f);
    b = host_board_open(h, f);
    if (b != NULL && host_board_room(h, f, b, f->next)) {
        bytes = host_board_lose(h, f, b, f->una, f->next, &lowest);
        b->scan = f->next;
        b->resent = false;
        b->tries |= h->cfg->ack_ranges && h->cfg->params.reliability == WEIR_SELECTIVE;
    }
    host_law_loss(h, now_ps, f, lowest, bytes, true);
}

/* Handles an RTO in which no ACK arrived. Repeats ABORT or SYN, records packets as lost, or retransmits the last packet
 * if only the REPLY is missing. Doubles the RTO. */
static void rto_expire(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    WEIR_ASSERT(f->flags & HOST_BUSY || f->una == f->next); /* a SYN has no message */
    h->stats.timeouts++;
    if (host_flow_aborts(f))
        host_answer_abort(h, index, f);
    else if (f->una != f->end)
        lose_all(h, now_ps, index, f);
    else if (!host_handshake_syn_again(h, index))
        f->flags |= HOST_AGAIN;
    if (f->backoff < HOST_BACKOFF_MAX)
        f->backoff++;
    f->since_ps = now_ps;
    host_flow_update(h, now_ps, index, f);
}

/* Moves the start of the timer of a paced connection, whose packet may leave long after the ACK that restarted the
 * timer. With nothing in flight the timer starts now. With one packet in flight it starts when that packet left (RFC
 * 6298, section 5.1). */
static void rto_put_off(const struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    const struct host_stream *s = host_stream_of(h);
    if (s->per_peer || index >= s->pacers.count || f->una == f->end || host_flow_aborts(f))
        return;
    if (f->inflight_bytes == 0)
        f->since_ps = now_ps;
    else if (f->inflight_bytes <= h->mss_bytes)
        f->since_ps =
            weir_max_u64(f->since_ps, HOST_RECORD(struct host_pacer, &host_stream_of(h)->pacers, index)->since_ps);
}

/* Handles a timer entry of connection `index`: runs the timeout if the deadline has come. Adds the next entry unless
 * the timer does not run. Entries are lazy, see host_rto_restart(). */
void host_rto_due(struct weir_host *h, uint64_t now_ps, uint32_t index)
{
    struct host_flow *f = host_flow_at(h, index);
    WEIR_ASSERT(f->flags & HOST_TIMED);
    f->flags &= (uint8_t)~HOST_TIMED;
    if (f->since_ps == WEIR_NEVER)
        return;
    rto_put_off(h, now_ps, index, f);
    if (host_rto_deadline_ps(h, f) <= now_ps)
        rto_expire(h, now_ps, index, f);
    f->flags |= HOST_TIMED;
    uint64_t at_ps = weir_min_u64(host_rto_deadline_ps(h, f), now_ps + h->cfg->params.rto_min_ps);
    host_timer_push(h, at_ps, index, HOST_TIMER_RTO);
}
