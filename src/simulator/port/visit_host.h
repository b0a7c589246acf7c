/* src/simulator/port/visit_host.h - parts of visits to hosts that visit_host.c and visit_nics.c share. */
#ifndef WEIR_PORT_VISIT_HOST_H
#define WEIR_PORT_VISIT_HOST_H
#include "core/cc.h"
#include "port/jobs_run.h"
#include "port/port.h"
#include "port/programs_run.h"

/* Makes the record of a message and passes the message to the host. Then sets its weight, if weights differ in this
 * run, and its initial rate, if the run sets initial rates. */
static inline void host_send(struct sim_thread *th, struct sim_host *host, const struct weir_message *m)
{
    uint32_t handle;
    if (weir_account_start(host->account, m, &handle) != 0 ||
        weir_host_send_by(host->h, weir_account_msg(host->account, handle)->law, m->start_ps, m->dst, handle,
                          weir_message_bytes(host->source.wl, m)) != 0)
        longjmp(th->out_of_memory, 1);
    if (WEIR_UNLIKELY(host->source.wl->weighted) &&
        weir_host_weight(host->h, m->start_ps, handle, m->weight_q20) == WEIR_E_MEMORY)
        longjmp(th->out_of_memory, 1);
    if (WEIR_UNLIKELY(host->source.wl->start != NULL) && m->tag != 0)
        (void)weir_host_rate(host->h, m->start_ps, handle, &host->source.wl->start[m->tag - 1]);
}

static inline void host_start_prefetch(const struct sim_host *host, uint64_t end_ps)
{
    if (weir_source_next_ps(&host->source) < end_ps)
        weir_host_send_prefetch(host->h, weir_source_next_dst(&host->source));
}

/* Starts all messages of the host's source that are due at now, and calls its timers. */
static inline void host_start(struct sim_thread *th, struct sim_host *host, uint64_t now_ps, uint64_t end_ps)
{
    while (weir_source_next_ps(&host->source) == now_ps) {
        struct weir_message m;
        weir_host_connection_prefetch(host->h, weir_source_next_dst(&host->source));
        weir_source_take(&host->source, &m);
        host_start_prefetch(host, end_ps);
        if (WEIR_UNLIKELY(m.dst == WEIR_INBOX_TIMER))
            weir_sim_inbox_timer(th, &m, now_ps);
        else
            host_send(th, host, &m);
    }
}

/* Handles the events of a NIC's cable and the control frames that have come by it until now. *events_done: how many of
 * the events are handled. *changed: set if its closed classes may have changed. @return when the next is due */
static inline uint64_t host_nic_control(struct sim_thread *th, struct sim_link *nic, struct sim_link *in,
                                        uint32_t *events_done, uint64_t now_ps, struct sim_chunk **drained,
                                        bool *changed)
{
    uint64_t next_ps;
    if (nic->control == NULL || nic->port == NULL || !nic->port->chain.has_control)
        return WEIR_NEVER;
    if (weir_sim_control_cable_ps(nic->port, *events_done) <= now_ps &&
        weir_sim_control_cable_down(nic->port, events_done, now_ps)) {
        weir_sim_control_cut(nic, now_ps);
        *changed = true;
    }
    while (sim_control_ps(in->control) == now_ps)
        *changed |= weir_sim_control_take(th, in, nic, drained);
    next_ps = sim_control_ps(in->control);
    WEIR_ASSERT(next_ps > now_ps);
    if (nic->control->closed == 0) /* while no class is closed, cable events are handled late: see coupled_finish() */
        return next_ps;
    return weir_min_u64(next_ps, weir_sim_control_cable_ps(nic->port, *events_done));
}

/* Writes the epoch of a packet that the host has just sent. */
static inline void host_put_epoch(const struct sim_host *host, struct weir_pkt *pkt)
{
    WEIR_ASSERT(WEIR_PKT_CONN(pkt->conn) < WEIR_PKT_EPOCH_CONNS || WEIR_PKT_CONN(pkt->conn) == WEIR_PKT_NO_CONN);
    weir_pkt_put_epoch(pkt, (uint32_t)host->epoch[pkt->src] + host->epoch[pkt->dst]);
}

#endif
