/* src/algorithms/host/common/host_state.c - the state of a host, given to be compared and moved (core/state.h): what
 * both halves share, and packets. What is left out, and why: doc/skip.md. */
#include "core/cc.h"
#include "core/state.h"
#include "host/common/machine.h"
#include "host/common/state.h"
#include <string.h>

const char *weir_host_state_why(const struct weir_host *h)
{
    if (h->machine->state == NULL)
        return h->cfg->credit != NULL ? "its receiver-driven law gives no state" : "its hosts give no state";
    return h->machine->state_why(h);
}

uint32_t weir_host_una(const struct weir_host *h, uint32_t conn)
{
    WEIR_ASSERT(h->machine->una != NULL);
    return h->machine->una(h, conn);
}

bool weir_host_note(struct weir_host *h, bool on)
{
    WEIR_ASSERT(h->machine->note != NULL);
    return h->machine->note(h, on);
}

uint64_t weir_host_replay(struct weir_host *h, uint64_t first, uint64_t last, uint64_t period_ps, bool for_good)
{
    WEIR_ASSERT(first >= 1 && h->machine->replay != NULL);
    return h->machine->replay(h, first, last, period_ps, for_good);
}

/* Gives all bits of a packet: those of times relative to now, those of packet numbers to the connection. The number of
 * a message's first packet stays as it is. */
void weir_host_state_pkt(struct weir_state *s, struct weir_pkt *pkt)
{
    struct weir_pkt bits = *pkt;
    uint64_t part[sizeof(bits) / sizeof(uint64_t)];
    bool data = pkt->kind == WEIR_PKT_DATA;
    if (pkt->kind > WEIR_PKT_ACK || (!data && (pkt->flags & (WEIR_PKT_END | WEIR_PKT_RETX)) != 0)) {
        weir_state_unready(s, "packets other than DATA and its ACKs are under way");
        return;
    }
    uint32_t una = s->una(s->ctx, data ? pkt->src : pkt->dst, pkt->conn);
    bits.seq -= una;
    bits.ack -= data ? 0 : una;
    bits.arrival_ps = bits.sent_ps = 0;
    weir_state_when(s, pkt->arrival_ps == 0 ? 0 : pkt->arrival_ps - s->now_ps); /* 0: it waits at its host */
    memcpy(part, &bits, sizeof(part));
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        weir_state_value(s, part[i]);
    weir_state_value(s, pkt->arrival_ps == 0);
    weir_state_sum(s, &pkt->arrival_ps);
    weir_state_stamp(s, &pkt->sent_ps);
    weir_state_sum32(s, &pkt->seq);
    if (!data)
        weir_state_sum32(s, &pkt->ack);
}

/* Gives the counters: sums alone, but for the numbers of records, which grow with none. */
static void state_stats(struct weir_state *s, struct weir_host_stats *stats)
{
    uint64_t *const counter[] = {
        &stats->tx_data_pkts,   &stats->tx_ack_pkts,    &stats->rx_data_pkts,       &stats->rx_ack_pkts,
        &stats->rx_new_bytes,   &stats->tx_acked_bytes, &stats->tx_done_bytes,      &stats->retransmissions,
        &stats->duplicates,     &stats->rx_again_pkts,  &stats->spurious_pkts,      &stats->timeouts,
        &stats->refused_pkts,   &stats->marked_pkts,    &stats->dropped_pkts,       &stats->tx_nack_pkts,
        &stats->tx_notice_pkts, &stats->rx_notice_pkts, &stats->source_marked_pkts,
    };
    _Static_assert(sizeof(counter) / sizeof(counter[0]) * sizeof(uint64_t) ==
                       offsetof(struct weir_host_stats, connections),
                   "all of them");
    for (size_t i = 0; i < sizeof(counter) / sizeof(counter[0]); i++)
        weir_state_sum(s, counter[i]);
    weir_state_value(s, (uint64_t)stats->connections << 32 | stats->rx_connections);
}

/* Moves all timers on. They are no part of what is compared: entries that are superseded, or put back when they are
 * due, change nothing, and the others are given by who set them. */
static void state_timers(struct weir_host *h, const struct weir_state *s)
{
    struct weir_timers *t = &h->timers;
    uint64_t by_ps = s->periods * s->period_ps;
    for (uint32_t i = 0; i < t->heap.count; i++)
        t->heap.entry[i].at_ps += by_ps;
    for (uint32_t i = t->first; i < t->end; i++)
        t->heap.entry[i].at_ps += by_ps;
    t->next_ps += t->next_ps != WEIR_NEVER ? by_ps : 0;
    h->next_ps += h->next_ps != WEIR_NEVER ? by_ps : 0;
}

void weir_host_state(struct weir_host *h, struct weir_state *s)
{
    weir_state_value(s, h->ready_count);
    weir_state_value(s, (uint64_t)h->hold << 8 | h->paused_classes);
    weir_state_value(s, h->spray_count);
    weir_state_value(s, (uint64_t)h->acks.count << 32 | h->notices.count);
    for (uint32_t i = 0; i < h->acks.count; i++)
        weir_host_state_pkt(s, host_ring_at(&h->acks, i, sizeof(struct weir_pkt)));
    if (h->notices.count > 0)
        weir_state_unready(s, "notices wait to leave");
    state_stats(s, &h->stats);
    h->machine->state(h, s);
    if (s->pass == WEIR_STATE_MOVE)
        state_timers(h, s);
}
