/* src/simulator/port/visit_switch.c - simulates one switch with independent ports in one window: gathers the arrivals,
 * sorts them, and forwards them. */
#include "port/visit.h"
#include "state/emit.h"
#include "state/fate.h"

/* Leaves the old arrays in the arena: all old arrays together are smaller than the new ones. */
void weir_sim_switch_grow(struct sim_thread *th, uint32_t used)
{
    uint32_t capacity = th->capacity == 0 ? 1024 : 2 * th->capacity;
    uint64_t *key = weir_arena_take(&th->arena, capacity * sizeof(*key));
    uint64_t *sorted = weir_arena_take(&th->arena, capacity * sizeof(*sorted));
    struct weir_pkt **arrived = weir_arena_take(&th->arena, capacity * sizeof(*arrived));
    uint16_t *in = weir_arena_take(&th->arena, capacity * sizeof(*in));
    WEIR_ASSERT(used <= th->capacity);
    if (key == NULL || sorted == NULL || arrived == NULL || in == NULL || capacity > SIM_KEY_ARRIVAL_MAX)
        longjmp(th->out_of_memory, 1);
    if (used > 0) {
        memcpy(key, th->key, used * sizeof(*key));
        memcpy(arrived, th->arrived, used * sizeof(struct weir_pkt *));
        memcpy(in, th->arrived_in, used * sizeof(*in));
    }
    th->key = key, th->sorted = sorted, th->arrived = arrived, th->capacity = capacity;
    th->arrived_in = in;
}

/* Gathers the arrivals for switch_gather(), with one way to find out-ports. way and lanes are constants in the frequent
 * instances: the code for the other ways would take registers from this loop. */
SIM_COPIED static inline uint32_t gather(struct sim_thread *th, const struct sim_switch *sw,
                                         const struct weir_route_here *here, enum weir_route_way way, uint32_t lanes,
                                         uint64_t start_ps, uint64_t end_ps, struct sim_chunk **drained,
                                         uint64_t *next_ps)
{
    struct weir_pkt **arrived = th->arrived;
    uint64_t *key = th->key, next = WEIR_NEVER, n = 0;
    uint32_t *bucket = th->bucket, shift = sw->bucket_shift;
    for (uint32_t i = 0; i < lanes * sw->in_count; i++) {
        struct sim_link *link = &th->engine->link[sw->in_link[i / lanes]];
        struct weir_pkt *first = sim_link_read(link, i % lanes), *read = first;
        uint64_t at_ps;
        if (i % lanes == 0)
            sim_gather_prefetch(th->engine->link, sw, i / lanes, lanes);
        for (; (at_ps = sim_arrival(read)) < end_ps; read = sim_fifo_advance(read, drained)) {
            uint64_t k = sim_key(at_ps - start_ps, n);
            uint32_t port = weir_route_pick(here, way, read->src, read->dst, read->hash);
            if (WEIR_UNLIKELY(port == WEIR_ROUTE_PORT_NONE)) {
                weir_sim_refuse(th, link, read);
                continue;
            }
            if (WEIR_UNLIKELY(n == th->capacity)) {
                weir_sim_switch_grow(th, (uint32_t)n);
                key = th->key, arrived = th->arrived;
            }
            key[n] = k | port;
            arrived[n++] = read;
            bucket[k >> shift]++;
        }
        if (read != first)
            link->read[i % lanes] = read;
        next = at_ps < next ? at_ps : next;
    }
    *next_ps = next;
    return (uint32_t)n;
}

/* Takes all packets that arrive before end_ps from the FIFOs of in-links, finds their out-ports, makes their keys,
 * and counts the keys into buckets by time. Packets without a route are dropped. In-links are emptied in order, each
 * lane in order of arrival. So each key is unique at this switch, and sorted keys have the order of the model,
 * (time, in-link). @return the number of keys; *next_ps: the earliest arrival at end_ps or later */
static uint32_t switch_gather(struct sim_thread *th, const struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps,
                              struct sim_chunk **drained, uint64_t *next_ps)
{
    const struct weir_route_here here = weir_route_here(th->routes, sw->node);
    enum weir_route_way way = weir_route_way(&here);
    if (way == WEIR_ROUTE_BY_HOST && sw->lanes == 1)
        return gather(th, sw, &here, WEIR_ROUTE_BY_HOST, 1, start_ps, end_ps, drained, next_ps);
    if (way == WEIR_ROUTE_BY_HOST)
        return gather(th, sw, &here, WEIR_ROUTE_BY_HOST, SIM_LANES, start_ps, end_ps, drained, next_ps);
    if (way == WEIR_ROUTE_BY_EDGE && sw->lanes == 1)
        return gather(th, sw, &here, WEIR_ROUTE_BY_EDGE, 1, start_ps, end_ps, drained, next_ps);
    if (way == WEIR_ROUTE_BY_EDGE)
        return gather(th, sw, &here, WEIR_ROUTE_BY_EDGE, SIM_LANES, start_ps, end_ps, drained, next_ps);
    return gather(th, sw, &here, way, sw->lanes, start_ps, end_ps, drained, next_ps);
}

/* Moves sorted[i] to its place among the keys before it, which are sorted. */
static void switch_put_back(uint64_t *sorted, uint32_t i)
{
    uint64_t low = sorted[i];
    for (; i > 0 && sorted[i - 1] > low; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = low;
}

/* Sorts the n > 0 keys of th->key. Arrivals are spread nearly evenly over a window: with about two buckets per key, a
 * counting pass puts nearly every key within one or two indices of its final one. A second pass exchanges neighbours,
 * without a branch to mispredict, and moves the few keys that were further off. @return the sorted keys; th->bucket is
 * all 0 again */
static const uint64_t *switch_sort(struct sim_thread *th, const struct sim_switch *sw, uint32_t n)
{
    uint64_t *key = th->key, *sorted = th->sorted, carried, last = 0;
    uint32_t *bucket = th->bucket, buckets = 1u << sw->bucket_bits, at = 0, shift = sw->bucket_shift;
    for (uint32_t i = 0; i < buckets; i += 4) { /* counts become first indices; four buckets at a time */
        uint32_t first = bucket[i], second = bucket[i + 1], third = bucket[i + 2], fourth = bucket[i + 3];
        bucket[i] = at;
        bucket[i + 1] = at += first;
        bucket[i + 2] = at += second;
        bucket[i + 3] = at += third;
        at += fourth;
    }
    WEIR_ASSERT(at == n);
    for (uint32_t i = 0; i < n; i++)
        sorted[bucket[key[i] >> shift]++] = key[i];
    memset(bucket, 0, buckets * sizeof(*bucket));
    carried = sorted[0];
    for (uint32_t i = 1; i < n; i++) {
        uint64_t k = sorted[i], low = weir_min_u64(k, carried);
        carried = weir_max_u64(k, carried);
        sorted[i - 1] = low;
        if (WEIR_UNLIKELY(low < last))
            switch_put_back(sorted, i - 1);
        last = sorted[i - 1];
    }
    sorted[n - 1] = carried;
    return sorted;
}

static inline void switch_forward(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key,
                                  const uint64_t *end, uint64_t start_ps)
{
    weir_sim_port_rows[sw->row].forward(th, sw, key, end, start_ps);
}

/* Forwards the n arrivals of a visit, and takes the samples that are due before end_ps. Each sample is taken before
 * the arrivals at its own instant. */
static void switch_pass(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key, uint32_t n,
                        uint64_t start_ps, uint64_t end_ps)
{
    const uint64_t *end = key + n;
    while (sw->sample_ps < end_ps) {
        const uint64_t *first = key, before = sim_key(weir_max_u64(sw->sample_ps, start_ps) - start_ps, 0);
        while (key < end && *key < before)
            key++;
        switch_forward(th, sw, first, key, start_ps);
        weir_sim_sample_switch(th, sw, key < end ? start_ps + (*key >> SIM_KEY_TIME_SHIFT) + 1 : end_ps);
    }
    switch_forward(th, sw, key, end, start_ps);
}

/* Makes all decisions of a switch's ports before end, and makes the destinations of its links due. @return when the
 * next decision is due; WEIR_NEVER = no packet waits */
static uint64_t switch_finish(struct sim_thread *th, const struct sim_switch *sw, uint64_t end_ps)
{
    uint64_t next_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < sw->out_count; i++) {
        struct sim_link *link = &th->engine->link[sw->first_out + i];
        if (sw->waits && (link->waiting_pkts > 0 || link->undecided != link->write[SIM_LANE_LOW]))
            next_ps = weir_min_u64(next_ps, sim_port_decide(th, link, end_ps));
        sim_wake(th, link, sw->lanes);
    }
    WEIR_ASSERT(next_ps >= end_ps);
    return next_ps;
}

/* Adapts the number of buckets: doubles, halves or keeps it. It becomes about two per key if the next visit has n keys,
 * too. */
static void switch_adapt(struct sim_switch *sw, uint32_t n)
{
    uint32_t bits = sw->bucket_bits;
    if (n > 1u << bits && bits < SIM_BUCKET_BITS_MAX && bits < sw->span_bits)
        bits++;
    else if (4 * n < 1u << bits && bits > SIM_BUCKET_BITS_MIN)
        bits--;
    WEIR_ASSERT(bits >= SIM_BUCKET_BITS_MIN && bits <= SIM_BUCKET_BITS_MAX);
    sw->bucket_bits = bits;
    sw->bucket_shift = SIM_KEY_TIME_SHIFT + sw->span_bits - bits;
}

void weir_sim_switch_prepare(struct sim_switch *sw, const struct sim_link *out, uint64_t window_ps)
{
    WEIR_ASSERT(window_ps <= SIM_WINDOW_MAX_PS);
    weir_sim_ports_common(sw, out);
    sw->span_bits = 64 - (uint32_t)__builtin_clzll(window_ps | 1u << SIM_BUCKET_BITS_MIN);
    sw->bucket_bits = SIM_BUCKET_BITS_MIN;
    switch_adapt(sw, 0);
}

const uint64_t *weir_sim_switch_sort(struct sim_thread *th, struct sim_switch *sw, uint32_t n)
{
    const uint64_t *sorted = n > 0 ? switch_sort(th, sw, n) : NULL;
    switch_adapt(sw, n);
    return sorted;
}

uint64_t weir_sim_visit_switch(struct sim_thread *th, struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps)
{
    const uint64_t none = 0; /* for a visit without arrivals, for samples or decisions alone */
    struct sim_chunk *drained = NULL;
    uint64_t next_ps;
    uint32_t n;
    WEIR_ASSERT(start_ps < end_ps);
    sim_sample_wake(th, sw);
    n = switch_gather(th, sw, start_ps, end_ps, &drained, &next_ps);
    switch_pass(th, sw, n > 0 ? switch_sort(th, sw, n) : &none, n, start_ps, end_ps);
    switch_adapt(sw, n);
    th->hops += n;
    sim_chunk_give_all(&th->pool, drained);
    return weir_min_u64(next_ps, switch_finish(th, sw, end_ps));
}
