/* src/sim/visit_switch.c - all that one switch does in one window: gather what arrives, sort it, forward it. */
#include "sim/engine.h"

enum { KEY_TIME_SHIFT = 40, KEY_IN_SHIFT = 24, KEY_SLOT_MASK = (1 << KEY_IN_SHIFT) - 1, SMALL = 16 };

/* Doubles the sorting arrays; the old ones stay in the arena (together no more than the new). */
static void switch_grow(struct sim_thread *th, uint32_t used)
{
    uint32_t capacity = th->capacity == 0 ? 1024 : 2 * th->capacity;
    uint64_t *key = weir_arena_take(&th->arena, capacity * sizeof(*key));
    uint64_t *sorted = weir_arena_take(&th->arena, capacity * sizeof(*sorted));
    struct weir_pkt **taken = weir_arena_take(&th->arena, capacity * sizeof(*taken));
    uint32_t *bucket = weir_arena_take(&th->arena, (capacity + 1) * sizeof(*bucket));
    if (key == NULL || sorted == NULL || taken == NULL || bucket == NULL || capacity > KEY_SLOT_MASK)
        longjmp(th->out_of_memory, 1);
    if (used > 0) {
        memcpy(key, th->key, used * sizeof(*key));
        memcpy(taken, th->taken, used * sizeof(struct weir_pkt *));
    }
    th->key = key, th->sorted = sorted, th->taken = taken, th->bucket = bucket, th->capacity = capacity;
}

/* Takes every packet that arrives before end. Key: (time in window, in-link, order within it), unique at this switch.
 * @return how many; *next_ps = earliest arrival left behind */
static uint32_t switch_gather(struct sim_thread *th, uint32_t node_id, uint64_t start_ps, uint64_t end_ps,
                              struct sim_chunk **drained, uint64_t *next_ps)
{
    struct sim_engine *e = th->engine;
    const struct weir_node *node = &e->model->topo->node[node_id];
    const uint32_t *in_link = &e->model->topo->in_link[node->first_in];
    uint64_t next = WEIR_NEVER;
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->in_count; i++) {
        struct sim_link *link = &e->link[in_link[i]];
        struct weir_pkt *read = link->read;
        uint64_t at_ps;
        if (i + 1 < node->in_count)
            __builtin_prefetch(&e->link[in_link[i + 1]].read);
        while ((at_ps = sim_arrival(read)) < end_ps) {
            if (WEIR_UNLIKELY(n == th->capacity))
                switch_grow(th, n);
            th->key[n] = (at_ps - start_ps) << KEY_TIME_SHIFT | (uint64_t)i << KEY_IN_SHIFT | n;
            th->taken[n++] = read;
            read = sim_fifo_advance(read, drained);
        }
        link->read = read;
        next = at_ps < next ? at_ps : next;
    }
    *next_ps = next;
    return n;
}

static void sort_insertion(uint64_t *key, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint64_t k = key[i];
        uint32_t j = i;
        for (; j > 0 && key[j - 1] > k; j--)
            key[j] = key[j - 1];
        key[j] = k;
    }
}

/* Arrivals are spread evenly over a window, near enough: one counting pass into about n buckets by time leaves every key within
 * a place or two of its own, and insertion finishes. @return the sorted keys */
static const uint64_t *switch_sort(struct sim_thread *th, uint32_t n, uint64_t span_ps)
{
    uint32_t *bucket = th->bucket, shift = KEY_TIME_SHIFT, at = 0;
    if (n <= SMALL) {
        sort_insertion(th->key, n);
        return th->key;
    }
    while (span_ps >> (shift - KEY_TIME_SHIFT) >= n)
        shift++;
    memset(bucket, 0, n * sizeof(*bucket));
    for (uint32_t i = 0; i < n; i++)
        bucket[th->key[i] >> shift]++;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = bucket[i];
        bucket[i] = at;
        at += count;
    }
    for (uint32_t i = 0; i < n; i++)
        th->sorted[bucket[th->key[i] >> shift]++] = th->key[i];
    sort_insertion(th->sorted, n);
    return th->sorted;
}

/* First-hop switches in the measured part: has the sum over all ports a new maximum? The bound says no nearly always. */
static inline void switch_watch_sum(struct sim_thread *th, struct sim_switch *sw, uint32_t bytes, uint64_t now_ps)
{
    sw->sum_bound += bytes;
    if (WEIR_UNLIKELY(sw->sum_bound > sw->sum_max)) {
        sw->sum_bound = weir_sim_switch_queue_bytes(th, sw, now_ps);
        sw->sum_max = weir_max_u64(sw->sum_max, sw->sum_bound);
    }
}

static void switch_forward_slow(struct sim_thread *th, struct sim_switch *sw, struct sim_link *link,
                                const struct weir_pkt *pkt, uint64_t now_ps)
{
    struct weir_pkt out = *pkt;
    out.hop++;
    if (weir_sim_port_join(th, link, sw, &out, now_ps) && sw->track_sum)
        switch_watch_sum(th, sw, out.wire_bytes + 1u, now_ps); /* 1: a fractional rate may round the other way */
}

static void switch_unrouted(struct sim_thread *th, const struct sim_switch *sw, uint64_t key)
{
    const struct weir_topology *topo = th->engine->model->topo;
    uint32_t in = (uint32_t)(key >> KEY_IN_SHIFT & ((1u << (KEY_TIME_SHIFT - KEY_IN_SHIFT)) - 1));
    th->engine->link[topo->in_link[topo->node[sw->node].first_in + in]].unrouted++;
}

static uint64_t switch_replay(struct sim_thread *th, const struct sim_switch *sw, uint64_t end_ps)
{
    uint64_t next_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < sw->out_count; i++) {
        struct sim_link *link = &th->engine->link[sw->first_out + i];
        if ((link->slow & SIM_SLOW_QUEUE) != 0 && link->port->waiting_pkts > 0) {
            weir_sim_port_replay(th, link, end_ps);
            next_ps = weir_min_u64(next_ps, weir_sim_port_next_ps(link));
        }
    }
    return next_ps;
}

uint64_t weir_sim_visit_switch(struct sim_thread *th, struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps)
{
    struct sim_chunk *drained = NULL;
    uint64_t next_ps;
    uint32_t n = switch_gather(th, sw->node, start_ps, end_ps, &drained, &next_ps);
    const uint64_t *key = switch_sort(th, n, end_ps - start_ps);
    for (uint32_t i = 0; i < n; i++) {
        const struct weir_pkt *pkt = th->taken[key[i] & KEY_SLOT_MASK];
        uint64_t now_ps = start_ps + (key[i] >> KEY_TIME_SHIFT);
        uint32_t port = weir_route(th->routes, sw->node, pkt->dst, pkt->hash);
        struct sim_link *link = &th->engine->link[sw->first_out + port];
        if (WEIR_UNLIKELY(port == WEIR_ROUTE_PORT_NONE)) {
            switch_unrouted(th, sw, key[i]);
        } else if (WEIR_UNLIKELY(link->slow != 0)) {
            switch_forward_slow(th, sw, link, pkt, now_ps);
        } else {
            sim_forward_fast(th, link, pkt, now_ps, 1);
            if (sw->track_sum)
                switch_watch_sum(th, sw, pkt->wire_bytes, now_ps);
        }
    }
    th->hops += n;
    th->in_flight -= n;
    sim_pool_give_all(&th->pool, drained);
    if (sw->replays)
        next_ps = weir_min_u64(next_ps, switch_replay(th, sw, end_ps));
    return next_ps;
}
