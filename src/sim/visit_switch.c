/* src/sim/visit_switch.c - all that one switch does in one window: gather what arrives, sort it, forward it. */
#include "sim/engine.h"

enum { KEY_TIME_SHIFT = 40, KEY_IN_SHIFT = 24, KEY_SLOT_MASK = (1 << KEY_IN_SHIFT) - 1 };

/* Doubles the sorting arrays; the old ones stay in the arena (together no more than the new). */
static void switch_grow(struct sim_thread *th, uint32_t used)
{
    uint32_t capacity = th->capacity == 0 ? 1024 : 2 * th->capacity;
    uint64_t *key = weir_arena_take(&th->arena, capacity * sizeof(*key));
    uint64_t *sorted = weir_arena_take(&th->arena, capacity * sizeof(*sorted));
    struct weir_pkt **taken = weir_arena_take(&th->arena, capacity * sizeof(*taken));
    if (key == NULL || sorted == NULL || taken == NULL || capacity > KEY_SLOT_MASK)
        longjmp(th->out_of_memory, 1);
    if (used > 0) {
        memcpy(key, th->key, used * sizeof(*key));
        memcpy(taken, th->taken, used * sizeof(struct weir_pkt *));
    }
    th->key = key, th->sorted = sorted, th->taken = taken, th->capacity = capacity;
}

/* Takes every packet that arrives before end. Key: (time in window, in-link, order within it), unique at this switch. Counts them
 * into buckets by time on the way. @return how many; *next_ps = earliest arrival left behind */
static uint32_t switch_gather(struct sim_thread *th, const struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps,
                              struct sim_chunk **drained, uint64_t *next_ps)
{
    struct sim_link *links = th->engine->link;
    struct weir_pkt **taken = th->taken;
    uint64_t *key = th->key, next = WEIR_NEVER;
    uint32_t *bucket = th->bucket, n = 0, shift = sw->bucket_shift;
    for (uint32_t i = 0; i < sw->in_count; i++) {
        struct sim_link *link = &links[sw->in_link[i]];
        struct weir_pkt *read = link->read;
        uint64_t at_ps, base = ((uint64_t)i << KEY_IN_SHIFT) - (start_ps << KEY_TIME_SHIFT);
        while ((at_ps = sim_arrival(read)) < end_ps) {
            uint64_t k = (at_ps << KEY_TIME_SHIFT) + base + n;
            if (WEIR_UNLIKELY(n == th->capacity)) {
                switch_grow(th, n);
                key = th->key, taken = th->taken;
            }
            key[n] = k;
            bucket[k >> shift]++;
            taken[n++] = read;
            read = sim_fifo_advance(read, drained);
        }
        link->read = read;
        next = at_ps < next ? at_ps : next;
    }
    *next_ps = next;
    return n;
}

/* Moves sorted[i] back to where it belongs among the sorted keys before it. */
static void switch_put_back(uint64_t *sorted, uint32_t i)
{
    uint64_t low = sorted[i];
    for (; i > 0 && sorted[i - 1] > low; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = low;
}

/* Arrivals are spread evenly over a window, near enough: with about two buckets per key every key lands within a place or two of
 * its own. One pass then carries the larger of two neighbours along, without a branch to mispredict, and puts right the few
 * that were further off. @return the sorted keys; the buckets are empty again */
static const uint64_t *switch_sort(struct sim_thread *th, const struct sim_switch *sw, uint32_t n)
{
    uint64_t *key = th->key, *sorted = th->sorted, carried, last = 0;
    uint32_t *bucket = th->bucket, buckets = 1u << sw->bucket_bits, at = 0, shift = sw->bucket_shift;
    for (uint32_t i = 0; i < buckets; i += 4) { /* counts become places; four at a time */
        uint32_t first = bucket[i], second = bucket[i + 1], third = bucket[i + 2], fourth = bucket[i + 3];
        bucket[i] = at;
        bucket[i + 1] = at += first;
        bucket[i + 2] = at += second;
        bucket[i + 3] = at += third;
        at += fourth;
    }
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
    if (weir_sim_port_join(th, link, sw, pkt, now_ps) && sw->track_sum)
        switch_watch_sum(th, sw, pkt->wire_bytes + 1u, now_ps); /* 1: a fractional rate may round the other way */
}

/* A port with strict priorities and nothing else out of the ordinary. What joins the highest class leaves next, and what finds an
 * idle port leaves at once: their departure is final now, as on a FIFO port. Only the rest waits for decisions. `alone`: nothing else
 * arrives at this instant, which a decision at it would have to see. */
static inline void switch_forward_classes(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                          uint64_t now_ps, bool alone)
{
    uint32_t bytes = pkt->wire_bytes;
    uint64_t backlog_ps = sim_fifo_backlog_ps(link, now_ps), tx_ps = (uint64_t)bytes * link->ps_per_byte;
    uint32_t mark = (uint32_t)(backlog_ps >= link->mark_ps) & pkt->flags & WEIR_PKT_ECT;
    bool idle = (uint32_t)alone & (link->waiting_pkts == 0) & (link->busy_until_ps <= now_ps);
    link->area += (sim_area)tx_ps * (2 * backlog_ps + tx_ps);
    backlog_ps += tx_ps;
    link->free_at_ps = now_ps + backlog_ps;
    link->bytes += bytes;
    link->marks += mark;
    link->backlog_max_ps = weir_max_u64(link->backlog_max_ps, backlog_ps);
    if ((uint32_t)idle | (pkt->class_id == 0)) {
        if (link->waiting_pkts > 0)
            weir_sim_port_replay(th, link, now_ps);
        struct weir_pkt *slot = link->write;
        link->busy_until_ps = weir_max_u64(link->busy_until_ps, now_ps) + tx_ps;
        sim_copy_body(slot, pkt);
        slot->flags = (uint8_t)(pkt->flags | mark * WEIR_PKT_CE);
        sim_emit(th, link, link->busy_until_ps + link->delay_ps);
        return;
    }
    weir_sim_port_enqueue(th, link, pkt, now_ps, tx_ps)->flags |= (uint8_t)(mark * WEIR_PKT_CE);
}

static void switch_unrouted(struct sim_thread *th, const struct sim_switch *sw, uint64_t key)
{
    uint32_t in = (uint32_t)(key >> KEY_IN_SHIFT & ((1u << (KEY_TIME_SHIFT - KEY_IN_SHIFT)) - 1));
    th->engine->link[sw->in_link[in]].unrouted++;
}

/* Forwards in order. The loop keeps what every packet needs in locals: stores into packets would make them be read again. */
static void switch_forward(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key, uint32_t n,
                           uint64_t start_ps)
{
    const struct weir_route_here here = weir_route_here(th->routes, sw->node);
    struct sim_link *out = &th->engine->link[sw->first_out];
    struct weir_pkt *const *taken = th->taken;
    bool track = sw->track_sum;
    for (uint32_t i = 0; i < n; i++) {
        const struct weir_pkt *pkt = taken[key[i] & KEY_SLOT_MASK];
        uint64_t now_ps = start_ps + (key[i] >> KEY_TIME_SHIFT);
        uint32_t port = weir_route_pick(&here, pkt->dst, pkt->hash);
        struct sim_link *link = &out[port];
        if (WEIR_UNLIKELY(port == WEIR_ROUTE_PORT_NONE)) {
            switch_unrouted(th, sw, key[i]);
        } else if (WEIR_UNLIKELY((link->slow & ~(uint32_t)SIM_SLOW_QUEUE) != 0)) {
            switch_forward_slow(th, sw, link, pkt, now_ps);
        } else {
            if (link->slow == 0)
                sim_forward_fast(th, link, pkt, now_ps);
            else
                switch_forward_classes(th, link, pkt, now_ps,
                                       i + 1 == n || key[i + 1] >> KEY_TIME_SHIFT != key[i] >> KEY_TIME_SHIFT);
            if (track)
                switch_watch_sum(th, sw, pkt->wire_bytes, now_ps);
        }
    }
}

/* Makes the decisions due before end, and wakes the other ends. @return when the next decision is due */
static uint64_t switch_finish(struct sim_thread *th, const struct sim_switch *sw, uint64_t end_ps)
{
    uint64_t next_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < sw->out_count; i++) {
        struct sim_link *link = &th->engine->link[sw->first_out + i];
        if ((link->slow & SIM_SLOW_QUEUE) != 0 && link->waiting_pkts > 0) {
            weir_sim_port_replay(th, link, end_ps);
            next_ps = weir_min_u64(next_ps, weir_sim_port_next_ps(link));
        }
        sim_wake(th, link);
    }
    return next_ps;
}

/* About two buckets per key next time, if next time is like this one. */
static void switch_adapt(struct sim_switch *sw, uint32_t n)
{
    uint32_t bits = sw->bucket_bits;
    if (n > 1u << bits && bits < SIM_BUCKET_BITS_MAX && bits < sw->span_bits)
        bits++;
    else if (4 * n < 1u << bits && bits > SIM_BUCKET_BITS_MIN)
        bits--;
    sw->bucket_bits = bits;
    sw->bucket_shift = KEY_TIME_SHIFT + sw->span_bits - bits;
}

void weir_sim_switch_prepare(struct sim_switch *sw, uint64_t window_ps)
{
    sw->span_bits = 64 - (uint32_t)__builtin_clzll(window_ps | 1u << SIM_BUCKET_BITS_MIN);
    sw->bucket_bits = SIM_BUCKET_BITS_MIN;
    switch_adapt(sw, 0);
}

uint64_t weir_sim_visit_switch(struct sim_thread *th, struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps)
{
    struct sim_chunk *drained = NULL;
    uint64_t next_ps;
    uint32_t n = switch_gather(th, sw, start_ps, end_ps, &drained, &next_ps);
    if (n > 0)
        switch_forward(th, sw, switch_sort(th, sw, n), n, start_ps);
    switch_adapt(sw, n);
    th->hops += n;
    th->in_flight -= n;
    sim_pool_give_all(&th->pool, drained);
    return weir_min_u64(next_ps, switch_finish(th, sw, end_ps));
}
