/* src/simulator/port/visit.h - parts of visits that visit_switch.c and coupled/visit_coupled.c share. */
#ifndef WEIR_PORT_VISIT_H
#define WEIR_PORT_VISIT_H
#include "port/port.h"
#include "core/fetch.h"

/* Fields of a key, the 64-bit number by which arrivals are sorted. From the highest bit: 24 bits of time in the window,
 * 24 bits of index among all arrivals of the visit, 16 bits of out-port. */
enum {
    SIM_KEY_TIME_SHIFT = 40,
    SIM_KEY_ARRIVAL_SHIFT = 16,
    SIM_KEY_ARRIVAL_MAX = (1 << (SIM_KEY_TIME_SHIFT - SIM_KEY_ARRIVAL_SHIFT)) - 1
};
_Static_assert(WEIR_ROUTE_PORT_NONE < 1 << SIM_KEY_ARRIVAL_SHIFT, "a port fits into a key");

/* Returns the key of an arrival, with out-port 0. arrival: its index among all arrivals of the visit */
static inline uint64_t sim_key(uint64_t in_window_ps, uint64_t arrival)
{
    return in_window_ps << SIM_KEY_TIME_SHIFT | arrival << SIM_KEY_ARRIVAL_SHIFT;
}

static inline uint32_t sim_key_arrival(uint64_t key)
{
    return (uint32_t)(key >> SIM_KEY_ARRIVAL_SHIFT & SIM_KEY_ARRIVAL_MAX);
}

static inline uint32_t sim_key_port(uint64_t key)
{
    return (uint16_t)key;
}

/* Prefetches while packets of in-link i of a switch are gathered: the first packets of in-link i + 1, and the pointers
 * to those of in-link i + 3. Another thread may just give a link its first chunk (first_chunk.c); to prefetch either is
 * right. link: the array of all links; lanes: those of an in-link */
static inline void sim_gather_prefetch(const struct sim_link *link, const struct sim_switch *sw, uint32_t i,
                                       uint32_t lanes)
{
    if (i + 1 < sw->in_count) {
        struct weir_pkt *const *read = link[sw->in_link[i + 1]].read;
        weir_fetch_read(__atomic_load_n(&read[SIM_LANE_FIRST], __ATOMIC_RELAXED));
        if (lanes > 1)
            weir_fetch_read(__atomic_load_n(&read[SIM_LANE_LOW], __ATOMIC_RELAXED));
    }
    if (i + 3 < sw->in_count)
        weir_fetch(link[sw->in_link[i + 3]].read);
}

/* Updates sw->sum_max, the largest sum of the queues of a first-hop switch, after a packet of `bytes` bytes has joined
 * in the measured part. The exact sum is computed only if an upper bound exceeds the maximum so far, which is rare. */
static inline void sim_watch_sum(struct sim_thread *th, struct sim_switch *sw, uint32_t bytes, uint64_t now_ps)
{
    sw->sum_bound += bytes + 1u; /* + 1: at a fractional rate the queue may be rounded differently */
    if (WEIR_UNLIKELY(sw->sum_bound > sw->sum_max)) {
        weir_sim_switch_pass_events(th, sw, now_ps);
        sw->sum_bound = weir_sim_switch_queue_bytes(th, sw, now_ps);
        sw->sum_max = weir_max_u64(sw->sum_max, sw->sum_bound);
    }
}
#endif
