/* src/algorithms/host/stream/time.c - runs timers that are due (of connections, of laws, of delayed ACKs), and releases
 * paced connections. */
#include "host/stream/law.h"
#include "host/stream/ready.h"
#include "host/stream/receiver.h"
#include "host/stream/rx_state.h"
#include "host/stream/time.h"
#include "host/stream/timeout.h"

/* Runs one entry of the timer heap. */
static void entry_run(struct weir_host *h, uint64_t now_ps, const struct weir_heap_entry *e)
{
    uint32_t index = HOST_TIMER_INDEX(e->id);
    switch ((enum host_timer)HOST_TIMER_KIND(e->id)) {
    case HOST_TIMER_RTO:
        host_rto_due(h, now_ps, index);
        break;
    case HOST_TIMER_LAW:
        if (host_law_due(h, now_ps, e->at_ps, index))
            host_flow_update(h, now_ps, index, host_flow_at(h, index));
        break;
    case HOST_TIMER_ACK:
        host_rx_ack_due(h, now_ps, index);
        break;
    case HOST_TIMER_NOTICE:
        host_rx_state_due(h, now_ps, e->at_ps, index);
        break;
    }
}

/* Runs all timers and paced connections due by now_ps, and sets h->next_ps. */
void host_time_run(struct weir_host *h, uint64_t now_ps)
{
    struct weir_heap *paced = &host_stream_of(h)->paced;
    while (h->timers.next_ps <= now_ps) {
        struct weir_heap_entry e = weir_timers_take(&h->timers);
        entry_run(h, now_ps, &e);
    }
    while (paced->count > 0 && paced->entry[0].at_ps <= now_ps) {
        struct weir_heap_entry e = paced->entry[0];
        weir_heap_pop(paced);
        if (host_pace_due(h, now_ps, e.at_ps, (uint32_t)e.id))
            host_ready_update(h, now_ps, (uint32_t)e.id, host_flow_at(h, (uint32_t)e.id));
    }
    h->next_ps = h->timers.next_ps;
    if (paced->count > 0)
        h->next_ps = weir_min_u64(h->next_ps, paced->entry[0].at_ps);
}
