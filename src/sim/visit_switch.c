/* src/sim/visit_switch.c - all that one switch does in one window: gather what arrives, sort it, forward it. */
#include "sim/visit.h"
#include "sim/lanes.h"
#include "sim/lost.h"

/* Doubles the sorting arrays; the old ones stay in the arena (together no more than the new). */
void weir_sim_switch_grow(struct sim_thread *th, uint32_t used)
{
    uint32_t capacity = th->capacity == 0 ? 1024 : 2 * th->capacity;
    uint64_t *key = weir_arena_take(&th->arena, capacity * sizeof(*key));
    uint64_t *sorted = weir_arena_take(&th->arena, capacity * sizeof(*sorted));
    struct weir_pkt **taken = weir_arena_take(&th->arena, capacity * sizeof(*taken));
    uint16_t *in = weir_arena_take(&th->arena, capacity * sizeof(*in));
    if (key == NULL || sorted == NULL || taken == NULL || in == NULL || capacity > SIM_KEY_TAKEN_MAX)
        longjmp(th->out_of_memory, 1);
    if (used > 0) {
        memcpy(key, th->key, used * sizeof(*key));
        memcpy(taken, th->taken, used * sizeof(struct weir_pkt *));
        memcpy(in, th->taken_in, used * sizeof(*in));
    }
    th->key = key, th->sorted = sorted, th->taken = taken, th->capacity = capacity;
    th->taken_in = in;
}

/* switch_gather(), of one way to find ports: code for the others would take registers from this loop. */
SIM_COPIED static inline uint32_t gather(struct sim_thread *th, const struct sim_switch *sw,
                                         const struct weir_route_here *here, enum weir_route_way way, uint64_t start_ps,
                                         uint64_t end_ps, struct sim_chunk **drained, uint64_t *next_ps)
{
    struct weir_pkt **taken = th->taken;
    uint64_t *key = th->key, next = WEIR_NEVER, n = 0;
    uint32_t *bucket = th->bucket, shift = sw->bucket_shift;
    for (uint32_t i = 0; i < SIM_LANES * sw->in_count; i++) {
        struct sim_link *link = &th->engine->link[sw->in_link[i / SIM_LANES]];
        struct weir_pkt *read = link->read[i % SIM_LANES];
        uint64_t at_ps;
        if (i % SIM_LANES == 0)
            sim_gather_prefetch(th->engine->link, sw, i / SIM_LANES);
        for (; (at_ps = sim_arrival(read)) < end_ps; read = sim_fifo_advance(read, drained)) {
            uint64_t k = sim_key(at_ps - start_ps, n);
            uint32_t port = weir_route_pick(here, way, read->src, read->dst, read->hash);
            if (WEIR_UNLIKELY(port == WEIR_ROUTE_PORT_NONE)) {
                weir_sim_refuse(th, link, read);
                continue;
            }
            if (WEIR_UNLIKELY(n == th->capacity)) {
                weir_sim_switch_grow(th, (uint32_t)n);
                key = th->key, taken = th->taken;
            }
            key[n] = k | port;
            taken[n++] = read;
            bucket[k >> shift]++;
        }
        link->read[i % SIM_LANES] = read;
        next = at_ps < next ? at_ps : next;
    }
    *next_ps = next;
    return (uint32_t)n;
}

/* Takes every packet that arrives before end, and finds its out-port. In-links are emptied in order, each in order
 * of arrival. So keys are in the order of the model, (time, in-link), and unique at this switch. Counts them into
 * buckets by time on the way. @return how many go on; *next_ps = earliest arrival left behind */
static uint32_t switch_gather(struct sim_thread *th, const struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps,
                              struct sim_chunk **drained, uint64_t *next_ps)
{
    const struct weir_route_here here = weir_route_here(th->routes, sw->node);
    enum weir_route_way way = weir_route_way(&here);
    if (way == WEIR_ROUTE_BY_HOST)
        return gather(th, sw, &here, WEIR_ROUTE_BY_HOST, start_ps, end_ps, drained, next_ps);
    if (way == WEIR_ROUTE_BY_EDGE)
        return gather(th, sw, &here, WEIR_ROUTE_BY_EDGE, start_ps, end_ps, drained, next_ps);
    return gather(th, sw, &here, way, start_ps, end_ps, drained, next_ps);
}

/* Moves sorted[i] back to where it belongs among the sorted keys before it. */
static void switch_put_back(uint64_t *sorted, uint32_t i)
{
    uint64_t low = sorted[i];
    for (; i > 0 && sorted[i - 1] > low; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = low;
}

/* Arrivals are spread evenly over a window, near enough: with about two buckets per key every key lands within an index
 * or two of its own. One pass then carries the larger of two neighbours along, without a branch to mispredict, and puts
 * right the few that were further off. @return the sorted keys; the buckets are empty again */
static const uint64_t *switch_sort(struct sim_thread *th, const struct sim_switch *sw, uint32_t n)
{
    uint64_t *key = th->key, *sorted = th->sorted, carried, last = 0;
    uint32_t *bucket = th->bucket, buckets = 1u << sw->bucket_bits, at = 0, shift = sw->bucket_shift;
    for (uint32_t i = 0; i < buckets; i += 4) { /* counts become indices; four at a time */
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

/* A port with strict priorities and nothing else out of the ordinary. What joins the highest class leaves next, and
 * what finds an idle port leaves at once: their departure is final now, as on a FIFO port. Only the rest waits for
 * decisions. `alone`: nothing else arrives at this instant, which a decision at it would have to see. */
static __attribute__((noinline)) void switch_forward_classes(struct sim_thread *th, struct sim_link *link,
                                                             const struct weir_pkt *pkt, uint64_t now_ps, bool alone)
{
    uint8_t flags;
    bool idle = (uint32_t)alone & (link->waiting_pkts == 0) & (link->busy_until_ps <= now_ps);
    uint64_t tx_ps = sim_join(link, pkt, now_ps, th->measuring, &flags);
    if ((uint32_t)idle | (pkt->class_id == 0)) {
        if (link->waiting_pkts > 0)
            weir_sim_port_replay(th, link, now_ps);
        struct weir_pkt *slot = link->write[SIM_LANE_FIRST];
        link->busy_until_ps = weir_max_u64(link->busy_until_ps, now_ps) + tx_ps;
        sim_copy_body(slot, pkt);
        slot->flags_low = flags;
        sim_emit(th, link, link->busy_until_ps + link->delay_ps);
        return;
    }
    weir_sim_port_enqueue(th, link, pkt, now_ps, tx_ps)->flags_low = flags;
}

/* All decisions before end. @return when the next one is due */
static uint64_t switch_decide(struct sim_link *link, uint64_t end_ps)
{
    struct sim_due due = sim_due_of(link);
    uint64_t start_ps;
    while ((start_ps = sim_due_start_ps(due)) < end_ps)
        due = sim_decide_one(link, due, end_ps);
    link->undecided = due.slot;
    link->busy_until_ps = due.busy_until_ps;
    return start_ps;
}

/* Two strict priorities. What joins the higher class leaves next: its departure is known once the decisions before it
 * are made. What joins the lower class goes to its place in a FIFO of its own, and waits there for its decision. Of
 * those there is about one per packet that joins. */
static inline void switch_forward_lanes(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                        uint64_t now_ps, bool measuring)
{
    bool high = pkt->class_id == 0;
    struct weir_pkt **write = &link->write[!high], *slot = *write;
    struct sim_due due = sim_due_of(link);
    uint8_t flags;
    uint64_t tx_ps = sim_join(link, pkt, now_ps, measuring, &flags), free_ps;
    due = sim_decide_one(link, due, now_ps);
    while (WEIR_UNLIKELY(sim_due_start_ps(due) < now_ps))
        due = sim_decide_one(link, due, now_ps);
    free_ps = weir_max_u64(due.busy_until_ps, now_ps) + tx_ps;
    link->busy_until_ps = weir_pick_u64(high, free_ps, due.busy_until_ps);
    link->undecided = due.slot;
    sim_copy_body(slot, pkt);
    slot->flags_low = flags;
    *write = sim_fifo_publish(&th->pool, slot, weir_pick_u64(high, free_ps + link->delay_ps, now_ps | SIM_UNDECIDED));
}

/* A FIFO port whose features have on_start, and nothing else out of the ordinary: it knows at once when the packet
 * will start. */
SIM_COPIED static inline void switch_forward_start(struct sim_thread *th, struct sim_link *link,
                                                   const struct weir_pkt *pkt, uint64_t now_ps)
{
    struct sim_port *port = link->port;
    struct weir_pkt *slot = link->write[SIM_LANE_FIRST];
    uint8_t flags;
    uint64_t tx_ps = sim_join(link, pkt, now_ps, th->measuring, &flags), start_ps = link->free_at_ps - tx_ps;
    sim_copy_body(slot, pkt);
    slot->flags_low = flags;
    struct weir_start start = { .pkt = slot,
                                .now_ps = start_ps,
                                .joined_ps = now_ps,
                                .tx_ps = tx_ps,
                                .begun = port->begun++,
                                .in_port = WEIR_PORT_NONE };
    uint32_t answer = weir_chain_start(&port->chain, &start);
    if (WEIR_UNLIKELY((answer & WEIR_LOSE) != 0)) {
        weir_sim_lose(th, link, slot, start_ps, weir_answer_cause(answer));
        return;
    }
    sim_emit(th, link, link->free_at_ps + link->delay_ps);
}

/* Everything off the fast path but lanes. key: of this packet and of the next, if there is one. @return false if the
 * buffer refused it */
static __attribute__((noinline)) bool switch_forward_general(struct sim_thread *th, struct sim_switch *sw,
                                                             struct sim_link *link, const struct weir_pkt *pkt,
                                                             uint64_t now_ps, const uint64_t *key, bool last)
{
    bool alone = last || key[1] >> SIM_KEY_TIME_SHIFT != key[0] >> SIM_KEY_TIME_SHIFT;
    if (link->general == SIM_GENERAL_GATED)
        return weir_sim_port_gate_join(th, link, pkt, now_ps, alone);
    if ((link->general & ~(uint32_t)SIM_GENERAL_QUEUE) != 0)
        return weir_sim_port_join(th, link, sw, pkt, now_ps);
    switch_forward_classes(th, link, pkt, now_ps, alone);
    return true;
}

/* Forwards key .. end - 1 in order. general: of all ports, or SIM_GENERAL_MIXED. The loop keeps what every packet needs
 * in locals: stores into packets would make them be read again. */
SIM_COPIED static inline void forward(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key,
                                      const uint64_t *end, uint64_t start_ps, uint32_t general, bool measuring)
{
    struct sim_link *out = &th->engine->link[sw->first_out];
    struct weir_pkt *const *taken = th->taken;
    bool track = sw->track_sum;
    for (; key < end; key++) {
        const struct weir_pkt *pkt = taken[sim_key_taken(*key)];
        uint64_t now_ps = start_ps + (*key >> SIM_KEY_TIME_SHIFT);
        struct sim_link *link = &out[sim_key_port(*key)];
        uint32_t of_port = general == SIM_GENERAL_MIXED ? link->general : general;
        if (of_port == 0)
            sim_forward_fast(th, link, pkt, now_ps, measuring);
        else if (of_port == SIM_GENERAL_LANES)
            switch_forward_lanes(th, link, pkt, now_ps, measuring);
        else if (of_port == SIM_GENERAL_START)
            switch_forward_start(th, link, pkt, now_ps);
        else if (!switch_forward_general(th, sw, link, pkt, now_ps, key, key + 1 == end))
            continue;
        if (track)
            sim_watch_sum(th, sw, pkt->wire_bytes, now_ps);
    }
}

/* A loop for each kind of switch: most have ports that are all alike. */
static __attribute__((noinline)) void switch_forward(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key,
                                                     const uint64_t *end, uint64_t start_ps)
{
    if (sw->general == 0 && !th->measuring)
        forward(th, sw, key, end, start_ps, 0, false);
    else if (sw->general == 0)
        forward(th, sw, key, end, start_ps, 0, true);
    else if (sw->general == SIM_GENERAL_LANES && !th->measuring)
        forward(th, sw, key, end, start_ps, SIM_GENERAL_LANES, false);
    else if (sw->general == SIM_GENERAL_LANES)
        forward(th, sw, key, end, start_ps, SIM_GENERAL_LANES, true);
    else if (sw->general == SIM_GENERAL_START)
        forward(th, sw, key, end, start_ps, SIM_GENERAL_START, th->measuring);
    else
        forward(th, sw, key, end, start_ps, SIM_GENERAL_MIXED, th->measuring);
}

/* Forwards all, and takes samples on the way: each before anything at its instant. */
static void switch_pass(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key, uint32_t n,
                        uint64_t start_ps, uint64_t end_ps)
{
    const uint64_t *end = key + n;
    for (; sw->sample_ps < end_ps; weir_sim_sample_switch(th, sw)) {
        const uint64_t *first = key;
        while (key < end && start_ps + (*key >> SIM_KEY_TIME_SHIFT) < sw->sample_ps)
            key++;
        switch_forward(th, sw, first, key, start_ps);
    }
    switch_forward(th, sw, key, end, start_ps);
}

/* Makes the decisions due before end, and wakes the other ends. @return when the next decision is due */
static uint64_t switch_finish(struct sim_thread *th, const struct sim_switch *sw, uint64_t end_ps)
{
    uint64_t next_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < sw->out_count; i++) {
        struct sim_link *link = &th->engine->link[sw->first_out + i];
        if ((link->general & SIM_GENERAL_QUEUE) != 0 && link->waiting_pkts > 0) {
            weir_sim_port_replay(th, link, end_ps);
            next_ps = weir_min_u64(next_ps, weir_sim_port_next_ps(link));
        }
        if (link->undecided != link->write[SIM_LANE_LOW]) {
            uint64_t due_ps = switch_decide(link, end_ps);
            if (link->undecided != link->write[SIM_LANE_LOW])
                next_ps = weir_min_u64(next_ps, due_ps);
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
    sw->bucket_shift = SIM_KEY_TIME_SHIFT + sw->span_bits - bits;
}

void weir_sim_switch_prepare(struct sim_switch *sw, const struct sim_link *out, uint64_t window_ps)
{
    sw->general = sw->out_count > 0 ? out[0].general : 0;
    for (uint32_t i = 1; i < sw->out_count; i++)
        sw->general = out[i].general == sw->general ? sw->general : SIM_GENERAL_MIXED;
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
    const uint64_t none = 0; /* a visit for samples or decisions alone has no keys */
    struct sim_chunk *drained = NULL;
    uint64_t next_ps;
    uint32_t n = switch_gather(th, sw, start_ps, end_ps, &drained, &next_ps);
    switch_pass(th, sw, n > 0 ? switch_sort(th, sw, n) : &none, n, start_ps, end_ps);
    switch_adapt(sw, n);
    th->hops += n;
    sim_chunk_give_all(&th->pool, drained);
    return weir_min_u64(next_ps, switch_finish(th, sw, end_ps));
}
