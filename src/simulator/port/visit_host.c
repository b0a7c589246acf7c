/* src/simulator/port/visit_host.c - simulates one host in one window: its arrivals, timers, message starts and NIC,
 * merged in order of time. */
#include "core/fetch.h"
#include "core/math.h"
#include "port/port_body.h"
#include "port/visit_host.h"

void weir_sim_host_start(struct sim_thread *th, struct sim_host *host, const struct weir_message *m)
{
    host_send(th, host, m);
}

/* Bits of the kind of a visit. host_visit() is specialised for constant kinds, so that dead branches are removed. */
enum host_kind {
    HOST_CONTROL = 1u << 0, /* control frames may come */
    HOST_JOBS = 1u << 1,    /* the workload has jobs or replies */
    HOST_QUICK = 1u << 2,   /* sim_host.writes_through is true, without jobs and without a control frame in effect */
    HOST_PULL = 1u << 3,    /* only with HOST_QUICK: the NIC pulls */
    HOST_RECORDS = 1u << 4, /* packets may have telemetry records */
};

static inline bool host_pulls(const struct sim_host *host, uint32_t kind)
{
    return (kind & HOST_QUICK) != 0 ? (kind & HOST_PULL) != 0 : host->pull;
}

/* Returns where the host writes its next packet. This is the next slot of the NIC's FIFO if no other thread can read
 * the slot now, else `own`, a packet of the caller. */
static inline struct weir_pkt *host_slot(struct sim_host *host, struct weir_pkt *own, uint32_t kind)
{
    return (kind & HOST_QUICK) != 0 || host->writes_through ? host->nic->write[SIM_LANE_FIRST] : own;
}

/* Attaches telemetry records to a packet that the host has just sent: an acknowledgement that returns the records of
 * the data which it acknowledges. Does nothing if the packet has none. pkt: in the NIC's FIFO */
static void host_tx_records(struct sim_thread *th, const struct sim_host *host, struct weir_pkt *pkt)
{
    struct sim_records *records;
    if (pkt->hops == 0)
        return;
    records = sim_records_take(&th->records);
    memcpy(records->record, weir_host_tx_hops(host->h), pkt->hops * sizeof(struct weir_telemetry));
    sim_records_attach(pkt, records, pkt->hops);
}

/* Sends the packet in the next slot of a plain NIC: it joins the port at now, or starts if the NIC pulls. */
SIM_COPIED static inline void host_send_here(struct sim_thread *th, struct sim_link *nic, uint64_t now_ps, bool pull)
{
    const struct weir_pkt *slot = nic->write[SIM_LANE_FIRST];
    if (pull)
        (void)port_put(th, nic, NULL, slot, now_ps, false, true, true,
                       (struct sim_port_kind){ .serve = SIM_SERVE_PULL });
    else
        (void)port_put(th, nic, NULL, slot, now_ps, false, th->counting, true,
                       (struct sim_port_kind){ .serve = SIM_SERVE_FIFO });
}

/* Takes one packet from the host for a pulling NIC, which must be free; its transmission starts at now. @return false =
 * the host has no packet to send */
SIM_COPIED static inline bool host_pull(struct sim_thread *th, struct sim_host *host, uint64_t now_ps, uint32_t kind)
{
    struct sim_link *nic = host->nic;
    struct weir_pkt own, *out = host_slot(host, &own, kind);
    bool records = (kind & HOST_RECORDS) != 0;
    if (weir_host_tx(host->h, now_ps, out, 1) == 0) {
        if (out != &own)
            sim_set_arrival(out, WEIR_NEVER);
        return false;
    }
    th->injected++;
    if ((kind & HOST_QUICK) == 0 && WEIR_UNLIKELY(host->epoch != NULL))
        host_put_epoch(host, out);
    if ((kind & HOST_QUICK) == 0 && WEIR_UNLIKELY(!sim_kind_is_plain(nic->kind))) {
        struct weir_pkt *slot = nic->write[SIM_LANE_FIRST];
        (void)sim_port_put(th, nic, NULL, out, now_ps, false);
        if (records && nic->write[SIM_LANE_FIRST] != slot) /* the packet was not lost */
            host_tx_records(th, host, slot);
        return true;
    }
    if (out == &own)
        sim_copy_body(nic->write[SIM_LANE_FIRST], out);
    if (records)
        host_tx_records(th, host, nic->write[SIM_LANE_FIRST]);
    host_send_here(th, nic, now_ps, true);
    return true;
}

/* Takes all packets that the host may send now into the port of an unlimited NIC, which has a queue like a switch's
 * port. */
SIM_COPIED static inline void host_push(struct sim_thread *th, struct sim_host *host, uint64_t now_ps, uint32_t kind)
{
    while (weir_host_ready(host->h)) {
        struct weir_pkt own, *out = host_slot(host, &own, kind);
        if (weir_host_tx(host->h, now_ps, out, 1) == 0) {
            if (out != &own)
                sim_set_arrival(out, WEIR_NEVER);
            return;
        }
        th->injected++;
        if ((kind & HOST_QUICK) == 0 && WEIR_UNLIKELY(host->epoch != NULL))
            host_put_epoch(host, out);
        if (out != &own)
            host_send_here(th, host->nic, now_ps, false);
        else
            (void)sim_port_put(th, host->nic, NULL, out, now_ps, host->nic->kind.gate && !weir_host_ready(host->h));
    }
}

/* Serves a pulling NIC at now, as the last step of an instant: sends at most one packet, if the wire is free and the
 * cable up. @return when the NIC has to be served next; WEIR_NEVER = the host has nothing to send */
SIM_COPIED static inline uint64_t host_transmit(struct sim_thread *th, struct sim_host *host, uint64_t now_ps,
                                                uint32_t kind)
{
    const struct sim_link *nic = host->nic;
    uint64_t free_ps = nic->free_at_ps;
    bool cable = (kind & HOST_QUICK) == 0 && nic->kind.cable;
    if (WEIR_UNLIKELY(cable))
        free_ps = weir_sim_port_up_ps(nic->port, weir_max_u64(free_ps, now_ps));
    if (free_ps <= now_ps && weir_host_ready(host->h) && host_pull(th, host, now_ps, kind)) {
        free_ps = nic->free_at_ps;
        if (WEIR_UNLIKELY(cable))
            free_ps = weir_sim_port_up_ps(nic->port, free_ps);
    }
    return weir_pick_u64(weir_host_ready(host->h), free_ps, WEIR_NEVER);
}

static uint64_t host_decide(struct sim_thread *th, struct sim_host *host, uint64_t end_ps)
{
    return host->nic->waiting_pkts > 0 ? sim_port_decide(th, host->nic, end_ps) : WEIR_NEVER;
}

/* Handles the control frames that arrive at now, and cable events up to now: passes them to the features of the NIC,
 * then pauses or resumes classes at the host. @return when to call again; WEIR_NEVER = not before another frame is
 * sent */
static uint64_t host_control(struct sim_thread *th, struct sim_host *host, uint64_t now_ps, struct sim_chunk **drained)
{
    bool changed = false;
    uint64_t next_ps = host_nic_control(th, host->nic, host->in, &host->events_done, now_ps, drained, &changed);
    uint32_t closed = host->nic->control != NULL ? host->nic->control->closed : 0;
    host->closed = closed != 0;
    if (changed)
        weir_host_pause(host->h, weir_closed_at_host(closed, th->engine->model->classes));
    return next_ps;
}

/* Prefetches the data that the host needs to receive a packet that begins or ends a message, or a control packet.
 * The last packet of a message, and the packet that acknowledges the whole message, need the record of the message.
 * That record is in the memory of the message's sender. */
static __attribute__((noinline)) void host_message_prefetch(const struct sim_host *host, const struct weir_pkt *next)
{
    const struct weir_account_host *all = host->account->account->host;
    weir_host_message_prefetch(host->h, next);
    if (next->kind == WEIR_PKT_DATA && next->flags & WEIR_PKT_END)
        weir_fetch(weir_account_msg(&all[next->src], next->msg));
    else if (next->kind == WEIR_PKT_DONE || next->kind == WEIR_PKT_REPLY)
        weir_fetch(weir_account_msg(&all[next->dst], next->msg));
}

/* Prefetches the data that the host needs to receive `next`, the next packet of a lane, if that packet arrives
 * before end_ps. */
static inline void host_rx_prefetch(const struct sim_host *host, const struct weir_pkt *next, uint64_t end_ps,
                                    uint32_t kind)
{
    if (sim_arrival(next) >= end_ps || ((kind & HOST_QUICK) == 0 && host->epoch != NULL)) /* no number but with epoch */
        return;
    weir_host_rx_prefetch(host->h, next);
    if (WEIR_UNLIKELY((uint32_t)(next->seq == 0) | (uint32_t)(next->kind == WEIR_PKT_REPLY) |
                      (next->flags & WEIR_PKT_END)))
        host_message_prefetch(host, next);
}

/* Passes a packet to the host, with its telemetry records if it has any. slot: where the host may write one packet that
 * leaves at once; NULL = none may leave now. @return true if the host wrote a packet there */
SIM_COPIED static inline bool host_rx_answer(struct sim_thread *th, struct sim_host *host, struct weir_pkt *pkt,
                                             uint64_t now_ps, uint32_t kind, struct weir_pkt *slot)
{
    struct sim_records *records;
    bool answered;
    if ((kind & HOST_RECORDS) == 0 || pkt->hops == 0)
        return weir_host_rx_free(host->h, now_ps, pkt, slot);
    records = sim_records_detach(pkt);
    answered = weir_host_rx_hops(host->h, now_ps, pkt, records->record, slot);
    if (answered && slot != NULL && slot->hops > 0)
        sim_records_attach(slot, records, slot->hops);
    else
        sim_records_give(&th->records, records);
    return answered;
}

/* Tests whether a packet that arrives left its host before one of its two hosts restarted: then the host does not get
 * it. Else takes its epoch off. */
static bool host_is_stale(struct sim_thread *th, const struct sim_host *host, struct weir_pkt *pkt, uint32_t kind)
{
    if (weir_pkt_take_epoch(pkt, (uint32_t)host->epoch[pkt->src] + host->epoch[pkt->dst]))
        return false;
    if ((kind & HOST_RECORDS) != 0 && pkt->hops > 0)
        sim_records_give(&th->records, sim_records_detach(pkt));
    th->stale++;
    return true;
}

/* Receives a packet at the host. In a quick visit an answer starts at once if a pulling NIC is free, or joins the port
 * of an unlimited NIC. */
SIM_COPIED static inline void host_rx(struct sim_thread *th, struct sim_host *host, struct weir_pkt *pkt,
                                      uint64_t now_ps, uint32_t kind)
{
    struct sim_link *nic = host->nic;
    bool pull = (kind & HOST_PULL) != 0;
    if ((kind & HOST_QUICK) == 0) {
        if (WEIR_UNLIKELY(host->epoch != NULL) && host_is_stale(th, host, pkt, kind))
            return;
        (void)host_rx_answer(th, host, pkt, now_ps, kind, NULL);
    } else if (host_rx_answer(th, host, pkt, now_ps, kind,
                              !pull || nic->free_at_ps <= now_ps ? nic->write[SIM_LANE_FIRST] : NULL)) {
        th->injected++;
        host_send_here(th, nic, now_ps, pull);
    }
}

/* Simulates a host up to, not including, end: all that is due at each instant, in the order of the model. kind: bits of
 * enum host_kind. @return when the host has to be visited next */
SIM_COPIED static inline uint64_t host_visit(struct sim_thread *th, struct sim_host *host, uint64_t end_ps,
                                             uint32_t kind)
{
    bool pull = host_pulls(host, kind), control = (kind & HOST_CONTROL) != 0, jobs = (kind & HOST_JOBS) != 0;
    struct weir_pkt *read[SIM_LANES] = { sim_link_read(host->in, SIM_LANE_FIRST), host->in->read[SIM_LANE_LOW] };
    struct sim_chunk *drained = NULL;
    uint64_t control_ps = control ? host_control(th, host, 0, &drained) : WEIR_NEVER; /* gets the time: none is at 0 */
    uint64_t lane_ps[SIM_LANES] = { sim_arrival(read[SIM_LANE_FIRST]), sim_arrival(read[SIM_LANE_LOW]) };
    uint64_t in_ps = weir_min_u64(lane_ps[SIM_LANE_FIRST], lane_ps[SIM_LANE_LOW]), timer_ps = host->timer_ps,
             nic_ps = host->nic_ps, start_ps, now_ps;
    uint32_t received = 0;
    if (jobs)
        weir_sim_jobs_collect(th->engine->jobs, host->jobs);
    for (;;) {
        start_ps = weir_source_next_ps(&host->source);
        now_ps = weir_min_u64(weir_min_u64(in_ps, timer_ps), weir_min_u64(start_ps, nic_ps));
        if (control)
            now_ps = weir_min_u64(now_ps, control_ps);
        if (jobs)
            now_ps = weir_min_u64(now_ps, sim_jobs_next_ps(host->jobs));
        if (now_ps >= end_ps)
            break;
        if (control && control_ps == now_ps)
            control_ps = host_control(th, host, now_ps, &drained);
        if (in_ps == now_ps) {
            enum sim_lane lane = lane_ps[SIM_LANE_LOW] == now_ps ? SIM_LANE_LOW : SIM_LANE_FIRST;
            struct weir_pkt *pkt = read[lane];
            read[lane] = sim_fifo_advance(read[lane], &drained);
            weir_fetch_read((const char *)read[lane] + 64);
            lane_ps[lane] = sim_arrival(read[lane]);
            in_ps = weir_min_u64(lane_ps[SIM_LANE_FIRST], lane_ps[SIM_LANE_LOW]);
            host_rx_prefetch(host, read[lane], end_ps, kind);
            host_rx(th, host, pkt, now_ps, kind);
            received++;
        }
        if (weir_host_next_ps(host->h) <= now_ps)
            (void)weir_host_tx(host->h, now_ps, NULL, 0);
        if (weir_source_next_ps(&host->source) == now_ps) /* also what a session gave just now */
            host_start(th, host, now_ps, end_ps);
        if (jobs && sim_jobs_next_ps(host->jobs) == now_ps) /* also flows that were released just now */
            weir_sim_jobs_step(th, host, now_ps);
        if (pull)
            nic_ps = host_transmit(th, host, now_ps, kind);
        else
            host_push(th, host, now_ps, kind);
        timer_ps = weir_host_next_ps(host->h);
        /* a due time not after now means a paced packet that waits for the NIC: nic_ps covers it */
        timer_ps = weir_pick_u64(timer_ps <= now_ps, WEIR_NEVER, timer_ps);
    }
    if (received > 0) {
        host->in->read[SIM_LANE_FIRST] = read[SIM_LANE_FIRST];
        host->in->read[SIM_LANE_LOW] = read[SIM_LANE_LOW];
    }
    host->timer_ps = timer_ps;
    host->nic_ps = nic_ps;
    th->hops += received;
    th->absorbed += received;
    sim_chunk_give_all(&th->pool, drained);
    now_ps = weir_min_u64(now_ps, host_decide(th, host, end_ps));
    sim_wake(th, host->nic, 1);
    return now_ps;
}

void weir_sim_host_prefetch(const struct sim_host *next, const struct sim_host *second, uint64_t end_ps)
{
    weir_fetch(second);
    weir_fetch(&second->source.head_ps);
    weir_fetch(&second->timer_ps);
    weir_fetch(next->in->read);
    weir_fetch(next->nic);
    weir_fetch(&next->nic->notified);
    host_start_prefetch(next, end_ps);
    if (next->timer_ps < end_ps)
        weir_host_timers_prefetch(next->h, end_ps);
}

/* Tests whether a host may be visited with HOST_QUICK now. If its NIC handles control frames, none may be in flight to
 * the host and no class of the NIC closed. */
static inline bool host_is_quick(const struct sim_engine *e, const struct sim_host *host)
{
    return host->quick && (!host->has_control || (!host->closed && !sim_control_comes(e, host->nic->src)));
}

/* Visits a host without HOST_QUICK. */
static uint64_t host_visit_any(struct sim_thread *th, struct sim_host *host, uint64_t end_ps)
{
    bool control = host->nic->control != NULL;
    if (host->nics != NULL)
        return weir_sim_visit_nics(th, host, end_ps);
    if (sim_has_records(th->engine->model)) /* both are rare together: one loop does */
        return host_visit(th, host, end_ps, HOST_RECORDS | HOST_CONTROL | (host->jobs != NULL ? HOST_JOBS : 0));
    if (host->jobs == NULL)
        return control ? host_visit(th, host, end_ps, HOST_CONTROL) : host_visit(th, host, end_ps, 0);
    return host_visit(th, host, end_ps, HOST_JOBS | (control ? HOST_CONTROL : 0));
}

uint64_t weir_sim_visit_host(struct sim_thread *th, struct sim_host *host, uint64_t end_ps)
{
    if (WEIR_UNLIKELY(!host_is_quick(th->engine, host)))
        return host_visit_any(th, host, end_ps);
    if (WEIR_UNLIKELY(sim_has_records(th->engine->model))) /* NICs pull then: see weir_sim_engine_init() */
        return host_visit(th, host, end_ps, HOST_QUICK | HOST_PULL | HOST_RECORDS);
    return host->pull ? host_visit(th, host, end_ps, HOST_QUICK | HOST_PULL) : host_visit(th, host, end_ps, HOST_QUICK);
}
