/* src/transport/endpoint/poll.c - weir_poll(), which alone makes progress, and the calls for event loops. */
#define _GNU_SOURCE
#include "endpoint/enter.h"
#include "endpoint/hold.h"
#include "endpoint/msg.h"
#include "endpoint/op.h"
#include "endpoint/post.h"
#include "endpoint/pressure.h"
#include "endpoint/report.h"
#include "endpoint/rx.h"
#include "endpoint/silence.h"
#include "endpoint/tag.h"
#include "endpoint/timer.h"
#include "endpoint/trouble.h"
#include "endpoint/tx.h"
#include <errno.h>

#define CROWDED_PS WEIR_PS_PER_MS
#define CROWDED_FOR_PS (200 * WEIR_PS_PER_MS)
/* most batches of datagrams in one poll_once(), so that timers and events are served under any load */
#define BATCHES_MAX 16
#define REPORTS_PASSES 64u
/* an endpoint whose queue is never found empty counts as having received all once in so many passes */
#define HEARD_PASSES 64u
#define LATE_PS WEIR_PS_PER_MS /* a pass may take so long */

/* Returns the time at which there is work even if no datagram arrives, perhaps in the past; WEIR_NEVER = none. */
static uint64_t next_ps(const struct weir_ep *ep)
{
    uint64_t at_ps = ep_tx_next_ps(ep);
    if (ep->timers.count > 0)
        at_ps = weir_min_u64(at_ps, ep->timers.entry[0].at_ps);
    at_ps = weir_min_u64(at_ps, ep_rx_waiting_ps(ep));
    if (ep->net->strangers_wait)
        at_ps = weir_min_u64(at_ps, ep->strangers_ps);
    if (ep->released_head != NULL)
        at_ps = weir_min_u64(at_ps, ep->released_again_ps);
    at_ps = weir_min_u64(at_ps, ep_tag_next_ps(ep));
    return weir_min_u64(at_ps, ep_pressure_next_ps(ep));
}

/* Returns the time, by the driver's clock, at which weir_poll() must run again even if no datagram arrives; 0 = now,
 * UINT64_MAX = never. */
static uint64_t next_ns(const struct weir_ep *ep)
{
    uint64_t at_ps = next_ps(ep);
    if (ep->events_pending > 0 || ep->wake_due || ep_post_due(ep))
        return 0;
    if (at_ps == WEIR_NEVER)
        return UINT64_MAX;
    return at_ps <= ep->now_ps ? 0 : ep->opened_ns + (at_ps + WEIR_PS_PER_NS - 1) / WEIR_PS_PER_NS;
}

/* Runs the timers of all operations and peers that are due. */
static void run_timers(struct weir_ep *ep)
{
    struct ep_due due;
    while (ep_timer_due(ep, &due)) {
        if (due.kind == EP_TIMER_OP) {
            ep_hold_timer(ep, &ep->ops[due.index]);
            ep_op_timer(ep, &ep->ops[due.index]);
        } else {
            ep_shake_timer(ep, &ep->peers[due.index]);
        }
    }
}

/* Tests whether the reports of the network may be handled now: after all datagrams that came before them. What a peer
 * sent before it closed its port arrives before the report that nobody has the port, and may complete a message. An
 * endpoint whose queue is never empty handles them after REPORTS_PASSES passes.
 * @param count  datagrams that the last read of the queue returned */
static bool may_handle_reports(struct weir_ep *ep, uint32_t count)
{
    if (!ep->net->troubled)
        return false;
    if (count > 0 && ++ep->troubled_passes < REPORTS_PASSES)
        return false;
    ep->troubled_passes = 0;
    return true;
}

/* Notifies the host that it has received all that had arrived, if the queue of peers' datagrams was found empty. What
 * queued while this process was not scheduled is no silence of its senders.
 * @param count  datagrams that the driver returned last */
static void note_heard(struct weir_ep *ep, uint32_t count)
{
    if (count > 0 && ++ep->unheard_passes < HEARD_PASSES)
        return;
    WEIR_ASSERT(count <= WEIR_NET_BATCH);
    ep->unheard_passes = 0;
    weir_host_heard(ep->host, ep->now_ps, ep->late_ps);
}

/* Counts the time for which this pass comes late, beyond LATE_PS: it was due, and this process was not scheduled, or
 * the application did not poll. Others may have waited for CREDIT that waits here, so their silence proves nothing. */
static void note_late(struct weir_ep *ep)
{
    if (ep->now_ps <= ep->due_ps || ep->now_ps - ep->due_ps <= LATE_PS)
        return;
    ep->late_ps += ep->now_ps - ep->due_ps - LATE_PS;
    WEIR_ASSERT(ep->late_ps <= ep->now_ps);
    weir_host_heard(ep->host, 0, ep->late_ps);
}

/* Makes one pass: sends submitted packets, processes received datagrams, runs due timers, and sends the packets that
 * result. */
static void poll_once(struct weir_ep *ep)
{
    uint32_t count = WEIR_NET_BATCH, all = 0, strangers;
    ep->worked = false;
    ep_clock(ep);
    note_late(ep);
    ep_tag_run(ep);
    ep_tx_run(ep);
    /* Strangers' datagrams are received before those of peers, but processed after them. A peer that was killed sent
     * its last DONE, and its successor sends RESET. Of the two the RESET alone is in the strangers' queue, and it must
     * not overtake the DONE. */
    strangers = ep_rx_strangers(ep);
    for (int i = 0; i < BATCHES_MAX && (count == WEIR_NET_BATCH || (strangers > 0 && count > 0)); i++) {
        count = ep_rx_run(ep);
        all += count;
        if (count > 0)
            ep_tx_run(ep);
        if (count == WEIR_NET_BATCH)
            ep_clock(ep);
    }
    note_heard(ep, count);
    ep_rx_take_strangers(ep, strangers);
    if (may_handle_reports(ep, count))
        ep_trouble_run(ep);
    run_timers(ep);
    ep_msg_answer(ep);
    if (ep_pressure_next_ps(ep) <= ep->now_ps)
        (void)ep_pressure_relieve(ep);
    ep_rx_waiting(ep);
    ep_tx_run(ep);
    ep->took = all > 0;
    if (!ep->took)
        ep_tx_idle(ep);
    ep->last_poll_ps = ep->now_ps;
    ep->due_ps = ep->took ? ep->now_ps : weir_max_u64(next_ps(ep), ep->now_ps);
}

/* Tests whether weir_poll() should poll again instead of sleeping. It polls for spin_us after the last pass that sent
 * or received something, because a wake-up costs more than a round trip; with spin_us = UINT32_MAX it always polls. If
 * a pass that did neither took over 1 ms, another process probably ran on this processor, perhaps the one that has to
 * answer. Then weir_poll() sleeps instead of polling for the next 200 ms. It also sleeps if the clock has not advanced,
 * as with the in-memory driver of tests.
 * @param since_ps  time of the last pass that sent or received something, or of the first pass of this call
 * @param last_ps   time of the previous pass; WEIR_NEVER = none since the last sleep */
static bool spins(struct weir_ep *ep, uint64_t now_ps, uint64_t since_ps, uint64_t last_ps)
{
    if (now_ps == last_ps)
        return false;
    if (ep->opts.spin_us == UINT32_MAX)
        return true;
    if (last_ps != WEIR_NEVER && !ep->worked && now_ps - last_ps > CROWDED_PS)
        ep->crowded_until_ps = now_ps + CROWDED_FOR_PS;
    return now_ps >= ep->crowded_until_ps && now_ps - since_ps < ep->opts.spin_us * WEIR_PS_PER_US;
}

static int sleep_until(struct weir_ep *ep, uint64_t end_ps)
{
    ep_tx_idle(ep);
    uint64_t until_ns = next_ns(ep);
    if (end_ps != WEIR_NEVER)
        until_ns = weir_min_u64(until_ns, ep->opened_ns + (end_ps + WEIR_PS_PER_NS - 1) / WEIR_PS_PER_NS);
    return until_ns == 0 ? 0 : ep->net->driver->wait(ep->net, until_ns, ep->wake_fd);
}

/* Tests whether all events are of calls and replies. Then the application will most likely send an answer or a new call
 * next. */
static bool comes_back(const struct weir_event *events, int n)
{
    for (int i = 0; i < n; i++)
        if (events[i].type != WEIR_EV_CALL && events[i].type != WEIR_EV_REPLY && events[i].type != WEIR_EV_REPLIED)
            return false;
    return true;
}

static int poll_events(struct weir_ep *ep, struct weir_event *events, int max, int64_t timeout_ns)
{
    uint64_t end_ps = WEIR_NEVER, since_ps = 0, last_ps = WEIR_NEVER;
    ep->polls++; /* handles that the last call lent go back */
    for (bool first = true;; first = false) {
        poll_once(ep);
        ep_bell_hear(ep);
        int n = ep_report(ep, events, max);
        if (n > 0 && (ep->off_credit || !comes_back(events, n)))
            ep_tx_put_off_no_more(ep);
        if (n > 0)
            return n;
        if (ep->failed != 0)
            return ep->failed;
        if (ep->wake_due) {
            ep->wake_due = false;
            return -EINTR;
        }
        if (first && timeout_ns > 0 && (uint64_t)timeout_ns < (WEIR_NEVER - ep->now_ps) / WEIR_PS_PER_NS)
            end_ps = ep->now_ps + (uint64_t)timeout_ns * WEIR_PS_PER_NS;
        if (timeout_ns == 0 || max == 0 || ep->now_ps >= end_ps)
            return 0;
        if (first || ep->worked)
            since_ps = ep->now_ps;
        if (ep->took) /* the driver may have more datagrams; its descriptor is reliable only after recv() returned 0 */
            continue;
        if (!spins(ep, ep->now_ps, since_ps, last_ps)) {
            int code = sleep_until(ep, end_ps);
            if (code < 0)
                return code;
            last_ps = WEIR_NEVER;
            continue;
        }
        last_ps = ep->now_ps;
    }
}

int weir_poll(struct weir_ep *ep, struct weir_event *events, int max, int64_t timeout_ns)
{
    int n, saved = errno;
    if (max < 0 || (max > 0 && events == NULL))
        return -EINVAL;
    EP_ENTER_OR_RETURN(ep, "weir_poll");
    n = poll_events(ep, events, max, timeout_ns);
    EP_LEAVE(ep);
    errno = saved; /* system calls may have changed it */
    return n;
}

/* Returns the time at which weir_poll() must be called (weir.h): 0 if the last poll_once() received datagrams of peers.
 * Then the driver may have more, and its descriptor is reliable only after recv() returned 0. */
uint64_t weir_deadline(const struct weir_ep *ep)
{
    return ep->took ? 0 : next_ns(ep);
}

int weir_fd(const struct weir_ep *ep)
{
    return ep->epoll_fd;
}

int weir_wake(struct weir_ep *ep)
{
    return ep_bell_ring(ep, EP_BELL_WOKEN) ? 0 : -EAGAIN;
}
