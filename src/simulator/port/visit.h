/* src/simulator/port/visit.h - parts of visits to switches of both kinds, visit_switch.c and visit_coupled.c. */
#ifndef WEIR_PORT_VISIT_H
#define WEIR_PORT_VISIT_H
#include "port/port.h"
#include "core/fetch.h"

/* The number by which arrivals are sorted, a key. From the top bits: time in the window, index among all arrivals,
 * out-port. */
enum {
    SIM_KEY_TIME_SHIFT = 40,
    SIM_KEY_ARRIVAL_SHIFT = 16,
    SIM_KEY_ARRIVAL_MAX = (1 << (SIM_KEY_TIME_SHIFT - SIM_KEY_ARRIVAL_SHIFT)) - 1
};
_Static_assert(WEIR_ROUTE_PORT_NONE < 1 << SIM_KEY_ARRIVAL_SHIFT, "a port fits into a key");

/* Returns the key of an arrival, without its port. */
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

/* Prefetches for the gathering of in-links: the packets of the one after the i-th, and the pointers to those of the
 * third after it. */
static inline void sim_gather_prefetch(const struct sim_link *link, const struct sim_switch *sw, uint32_t i)
{
    if (i + 1 < sw->in_count) {
        weir_fetch_read(link[sw->in_link[i + 1]].read[SIM_LANE_FIRST]);
        weir_fetch_read(link[sw->in_link[i + 1]].read[SIM_LANE_LOW]);
    }
    if (i + 3 < sw->in_count)
        weir_fetch(link[sw->in_link[i + 3]].read);
}

/* Updates the maximum of the sum over a first-hop switch's ports, in the measured part, after a packet has joined. The
 * bound nearly always rules out a new one. */
static inline void sim_watch_sum(struct sim_thread *th, struct sim_switch *sw, uint32_t bytes, uint64_t now_ps)
{
    sw->sum_bound += bytes + 1u; /* 1: a fractional rate may round the other way */
    if (WEIR_UNLIKELY(sw->sum_bound > sw->sum_max)) {
        sw->sum_bound = weir_sim_switch_queue_bytes(th, sw, now_ps);
        sw->sum_max = weir_max_u64(sw->sum_max, sw->sum_bound);
    }
}
#endif
