/* src/simulator/hooks/chain.c - makes the chain of each port, its lists of hooks, from the features of a run; calls the
 * rarer hooks; adds up counters. */
#include "hooks/chain.h"
#include "core/assert.h"
#include "core/feature.h"
#include "core/math.h"
#include "hooks/features.h"
#include <string.h>

enum {
    SCRATCH_BYTES = 512
}; /* state of one port or node, for a feature that is asked before memory is taken for its state */

/* Tests whether a feature is coupled, or has one of the hooks admit, on_dequeue, on_start, queue_of and gate. */
static bool has_more_than_join(const struct weir_feature *row)
{
    return row->admit != NULL || row->on_dequeue != NULL || row->on_start != NULL || row->queue_of != NULL ||
           row->gate != NULL || row->when == WEIR_WHEN_COUPLED;
}

/* Makes the chain of a port that needs no calls of hooks: at most one feature acts at the port, and it only marks
 * from a threshold on. @return false = the port needs more than that, and the chain is not valid */
static bool port_is_threshold(struct weir_chain *chain, const struct weir_features *features,
                              const struct weir_fabric_port *port)
{
    *chain = (struct weir_chain){ .is_threshold = true, .threshold_bytes = UINT64_MAX };
    for (uint32_t i = 0; i < features->count; i++) {
        const struct weir_feature *row = features->on[i].row;
        const struct weir_feature_variant variant = weir_feature_at(&features->on[i], port->node);
        _Alignas(16) unsigned char state[2][SCRATCH_BYTES] = { { 0 } };
        struct weir_here here = { .model = variant.model, .node = state[0], .port = state[1] };
        uint64_t threshold_bytes;
        if (!weir_feature_has_hooks(row) || !variant.on)
            continue;
        if (row->port_bytes > SCRATCH_BYTES || row->node_bytes > SCRATCH_BYTES)
            return false;
        if (row->port_init != NULL && !row->port_init(&here, port))
            continue;
        if (has_more_than_join(row) || row->counters != NULL || row->join_threshold == NULL ||
            !row->join_threshold(&here, &threshold_bytes))
            return false;
        if (threshold_bytes == UINT64_MAX)
            continue;
        if (chain->threshold_bytes != UINT64_MAX)
            return false; /* two thresholds: each of them has its own rule as cause */
        chain->threshold_bytes = threshold_bytes;
        chain->threshold_cause = weir_features_cause(features, i); /* rule 0 */
    }
    return true;
}

bool weir_chains_of_thresholds(struct weir_chain *chain, const struct weir_features *features,
                               const struct weir_fabric_port *port, uint32_t ports)
{
    for (uint32_t p = 0; p < ports; p++)
        if (!port_is_threshold(&chain[p], features, &port[p]))
            return false;
    return true;
}

/* Sets up an empty chain, and takes memory for lists of up to `features` hooks each. @return false = no memory */
static bool chain_alloc(struct weir_chain *chain, uint32_t features, const struct weir_mem *mem)
{
    *chain = (struct weir_chain){ .admit = mem->grow(mem->ctx, features * sizeof(*chain->admit)),
                                  .join = mem->grow(mem->ctx, features * sizeof(*chain->join)),
                                  .dequeue = mem->grow(mem->ctx, features * sizeof(*chain->dequeue)),
                                  .start = mem->grow(mem->ctx, features * sizeof(*chain->start)),
                                  .arrive = mem->grow(mem->ctx, features * sizeof(*chain->arrive)),
                                  .mark = mem->grow(mem->ctx, features * sizeof(*chain->mark)),
                                  .joined = mem->grow(mem->ctx, features * sizeof(*chain->joined)),
                                  .sent = mem->grow(mem->ctx, features * sizeof(*chain->sent)),
                                  .state = mem->grow(mem->ctx, features * sizeof(*chain->state)),
                                  .late_start = true,
                                  .dequeue_idles = true,
                                  .threshold_bytes = UINT64_MAX };
    return chain->admit != NULL && chain->state != NULL && chain->join != NULL && chain->dequeue != NULL &&
           chain->start != NULL && chain->arrive != NULL && chain->mark != NULL && chain->joined != NULL &&
           chain->sent != NULL;
}

/* Adds the hooks of a feature to a port's chain, after those of earlier features. has_queue: false = no packet waits at
 * the port, and only on_start, on_arrive, on_forward and hooks for control frames are called */
static void chain_add(struct weir_chain *chain, const struct weir_feature_on *on, const struct weir_here *here,
                      uint32_t feature, struct weir_chain_rules rules, bool has_queue)
{
    const struct weir_feature *row = on->row;
    WEIR_ASSERT(chain->state_count == 0 || chain->state[chain->state_count - 1].feature < feature);
    chain->state[chain->state_count++] = (struct weir_chain_state){ row, *here, feature, on->skips_joined };
    chain->has_control |= weir_feature_has_control(row);
    if (row->admit != NULL && has_queue)
        chain->admit[chain->admit_count++] = (struct weir_admit_hook){ row->admit, *here, rules };
    if (row->on_join != NULL && has_queue)
        chain->join[chain->join_count++] = (struct weir_join_hook){ row->on_join, *here, rules };
    if (row->on_dequeue != NULL && has_queue) {
        chain->dequeue[chain->dequeue_count++] = (struct weir_dequeue_hook){ row->on_dequeue, *here, rules };
        chain->dequeue_idles &= row->dequeue_idle != NULL;
    }
    if (row->on_arrive != NULL) {
        chain->arrive[chain->arrive_count++] = (struct weir_arrive_hook){ row->on_arrive, *here };
        chain->arrive_kinds |= row->arrive_kinds;
    }
    if (row->on_mark != NULL && has_queue)
        chain->mark[chain->mark_count++] = (struct weir_mark_hook){ row->on_mark, *here, rules };
    if (row->on_forward != NULL) {
        WEIR_ASSERT(chain->forward.call == NULL);
        chain->forward = (struct weir_forward_hook){ row->on_forward, *here, rules };
    }
    if (row->on_escape != NULL && has_queue) {
        WEIR_ASSERT(chain->escape.call == NULL);
        chain->escape = (struct weir_escape_hook){ row->on_escape, *here };
    }
    WEIR_ASSERT((row->queue_of == NULL) == (row->quantum_pkts == NULL));
    if (row->queue_of != NULL && has_queue)
        chain->wrr = (struct weir_wrr_hook){ row->queue_of, row->quantum_pkts, *here };
    if (row->gate != NULL && has_queue) {
        WEIR_ASSERT(chain->gate.gate == NULL);
        chain->gate = (struct weir_gate_hook){ row->gate, *here, rules, row->gate->classes(here) };
    }
    if (row->on_start != NULL) {
        chain->start[chain->start_count++] = (struct weir_start_hook){ row->on_start, *here, rules };
        chain->late_start &= on->late_start;
        chain->other_port_kinds |= on->other_port_kinds;
    }
    if (row->on_joined != NULL && has_queue && !on->skips_joined)
        chain->joined[chain->joined_count++] = (struct weir_joined_hook){ row->on_joined, *here, rules, feature };
    if (row->on_sent != NULL && has_queue)
        chain->sent[chain->sent_count++] = (struct weir_sent_hook){ row->on_sent, *here, feature };
}

/* Adds a feature to the chain of each port of a node at which it acts: it is on at the node, and port_init is NULL or
 * returns true. Takes zeroed memory for the feature's state of the node and of each port. @return false = no memory */
static bool chains_add(struct weir_chain *chain, const struct weir_features *features, uint32_t feature,
                       const struct weir_fabric_port *port, uint32_t ports, const uint64_t *waiting_bytes,
                       const struct weir_mem *mem)
{
    const struct weir_feature_on *on = &features->on[feature];
    const struct weir_feature *row = on->row;
    const struct weir_feature_variant variant = weir_feature_at(on, port[0].node);
    const struct weir_chain_rules rules = { weir_features_cause(features, feature), weir_feature_rules(row) };
    size_t stride = weir_port_stride(row->port_bytes);
    size_t node_bytes = variant.node_bytes > 0 && !port[0].from_host ? variant.node_bytes : row->node_bytes;
    unsigned char *state, *node;
    WEIR_ASSERT(ports > 0);
    if (!variant.on)
        return true;
    state = mem->grow(mem->ctx, ports * stride + 1);
    node = mem->grow(mem->ctx, node_bytes + 1);
    if (state == NULL || node == NULL)
        return false;
    for (uint32_t p = 0; p < ports; p++) {
        struct weir_here here = { .model = variant.model,
                                  .node = node,
                                  .port = state + p * stride,
                                  .ports = state,
                                  .waiting_bytes = waiting_bytes };
        WEIR_ASSERT(port[p].node == port[0].node); /* all have its variant */
        if (row->port_init == NULL || row->port_init(&here, &port[p]))
            chain_add(&chain[p], on, &here, feature, rules, port[p].has_queue);
    }
    return true;
}

/* Returns the queue length in bytes below which no on_join hook of the chain does anything; UINT64_MAX = no on_join
 * hook does anything at any length. */
static uint64_t chain_join_bytes(const struct weir_chain *chain)
{
    uint64_t join_bytes = UINT64_MAX;
    for (uint32_t i = 0; chain->join_count > 0 && i < chain->state_count; i++) {
        const struct weir_feature *row = chain->state[i].row;
        uint64_t least_bytes = 0;
        if (row->on_join == NULL)
            continue;
        if (row->join_threshold != NULL)
            (void)row->join_threshold(&chain->state[i].here, &least_bytes);
        join_bytes = least_bytes < join_bytes ? least_bytes : join_bytes;
    }
    return join_bytes;
}

/* Finds whether the on_join hooks of a chain do no more than mark from one threshold on. Sets is_threshold,
 * threshold_bytes, threshold_cause and join_bytes. */
static void chain_note_threshold(struct weir_chain *chain, const struct weir_features *features)
{
    chain->is_threshold = chain->join_count == 0;
    chain->join_bytes = chain_join_bytes(chain);
    if (chain->join_count != 1)
        return;
    for (uint32_t i = 0; i < features->count; i++) {
        const struct weir_feature *row = features->on[i].row;
        if (row->on_join == chain->join[0].call && row->join_threshold != NULL && row->counters == NULL)
            chain->is_threshold = row->join_threshold(&chain->join[0].here, &chain->threshold_bytes);
        if (row->on_join == chain->join[0].call)
            chain->threshold_cause = chain->join[0].rules.first_cause;
    }
    if (!chain->is_threshold)
        chain->threshold_bytes = UINT64_MAX;
    if (chain->threshold_bytes == UINT64_MAX)
        chain->threshold_cause = WEIR_CAUSE_NONE;
    WEIR_ASSERT(chain->threshold_bytes == UINT64_MAX || chain->threshold_cause != WEIR_CAUSE_NONE);
}

bool weir_chains_init(struct weir_chain *chain, const struct weir_features *features,
                      const struct weir_fabric_port *port, uint32_t ports, const uint64_t *waiting_bytes,
                      const struct weir_mem *mem)
{
    for (uint32_t p = 0; p < ports; p++)
        if (!chain_alloc(&chain[p], features->count + 1, mem))
            return false;
    for (uint32_t i = 0; i < features->count; i++)
        if (weir_feature_has_hooks(features->on[i].row) &&
            !chains_add(chain, features, i, port, ports, waiting_bytes, mem))
            return false;
    for (uint32_t p = 0; p < ports; p++)
        chain_note_threshold(&chain[p], features);
    return true;
}

/* ---- the rarer hooks ---- */

const struct weir_chain_state *weir_chain_find(const struct weir_chain *chain, uint32_t feature)
{
    for (uint32_t i = 0; i < chain->state_count; i++)
        if (chain->state[i].feature == feature)
            return &chain->state[i];
    return NULL;
}

void weir_chain_control(const struct weir_chain *chain, uint64_t now_ps, const struct weir_chain_control *control)
{
    const struct weir_chain_state *state = weir_chain_find(chain, control->feature);
    WEIR_ASSERT(state != NULL); /* the feature that sends such frames is at all ports that may receive them */
    WEIR_ASSERT(state->row->on_control != NULL);
    state->row->on_control(&state->here, now_ps, &control->frame);
}

uint32_t weir_chain_closed(const struct weir_chain *chain)
{
    uint32_t closed = 0;
    for (uint32_t i = 0; i < chain->state_count; i++)
        if (chain->state[i].row->closed != NULL)
            closed |= chain->state[i].row->closed(&chain->state[i].here);
    return closed;
}

bool weir_chain_dropped(const struct weir_chain *chain, uint32_t *i, const struct weir_departure *left,
                        struct weir_chain_control *out)
{
    while (*i < chain->state_count) {
        const struct weir_chain_state *state = &chain->state[(*i)++];
        out->feature = state->feature;
        out->cause = WEIR_CAUSE_NONE; /* a departure pauses no class */
        if (state->row->on_dropped != NULL && !state->skips_joined &&
            (state->row->on_dropped(&state->here, left, &out->frame) & WEIR_CONTROL) != 0)
            return true;
    }
    return false;
}

void weir_chain_cut(const struct weir_chain *chain, uint64_t now_ps)
{
    for (uint32_t i = 0; i < chain->state_count; i++)
        if (chain->state[i].row->on_cut != NULL)
            chain->state[i].row->on_cut(&chain->state[i].here, now_ps);
}

void weir_chain_dequeue_idle(const struct weir_chain *chain, uint32_t class_id, uint64_t now_ps,
                             struct weir_dequeue_idle *idle)
{
    *idle = (struct weir_dequeue_idle){ .wait_ps = UINT64_MAX, .until_ps = UINT64_MAX, .event_ps = UINT64_MAX };
    for (uint32_t i = 0; i < chain->state_count; i++) {
        struct weir_dequeue_idle own;
        if (chain->state[i].row->dequeue_idle == NULL)
            continue;
        chain->state[i].row->dequeue_idle(&chain->state[i].here, class_id, now_ps, &own);
        idle->wait_ps = weir_min_u64(idle->wait_ps, own.wait_ps);
        idle->until_ps = weir_min_u64(idle->until_ps, own.until_ps);
        idle->event_ps = weir_min_u64(idle->event_ps, own.event_ps);
    }
}

const char *weir_chain_broken(const struct weir_chain *chain, uint32_t ports)
{
    const char *broken = NULL;
    for (uint32_t i = 0; broken == NULL && i < chain->state_count; i++)
        if (chain->state[i].row->broken != NULL)
            broken = chain->state[i].row->broken(&chain->state[i].here, ports);
    return broken;
}

void weir_chain_end(const struct weir_chain *chain, uint64_t end_ps)
{
    for (uint32_t i = 0; i < chain->state_count; i++)
        if (chain->state[i].row->on_end != NULL)
            chain->state[i].row->on_end(&chain->state[i].here, end_ps);
}

/* ---- counters ---- */

uint32_t weir_features_counts(const struct weir_features *features, struct weir_feature_count *count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < features->count; i++) {
        const struct weir_feature_on *on = &features->on[i];
        for (const struct weir_feature_counter *c = on->row->counters; c != NULL && c->name != NULL; c++) {
            if (count != NULL)
                count[n] = (struct weir_feature_count){ .feature = on->row->name,
                                                        .counter = c,
                                                        .per_port = on->lanes > 0 ? on->lanes : 1,
                                                        .link = UINT32_MAX };
            n++;
        }
    }
    return n;
}

/* Adds the value of one port to a counter that is a sum, or raises a counter that is a maximum to this value. link:
 * the link by which results may name this port. For a sum, count->link becomes the lowest link with a value above 0.
 * For a maximum, count->link becomes the link of the first port that has the maximum, if the maximum is above 0 */
static void add_count(struct weir_feature_count *count, uint64_t value, uint32_t link)
{
    bool most = count->counter->how == WEIR_COUNT_MOST_PS;
    bool leads = most ? value > count->value : value > 0 && link < count->link;
    if (leads)
        count->link = link;
    if (!most)
        count->value += value;
    else if (leads)
        count->value = value;
}

void weir_features_add_count(struct weir_feature_count *sum, const struct weir_feature_count *of)
{
    bool most = sum->counter->how == WEIR_COUNT_MOST_PS;
    bool leads =
        !most ? of->link < sum->link : of->value > sum->value || (of->value == sum->value && of->link < sum->link);
    WEIR_ASSERT(of->value > 0 || of->link == UINT32_MAX);
    sum->link = leads ? of->link : sum->link;
    sum->value = most ? weir_max_u64(sum->value, of->value) : sum->value + of->value;
    sum->lanes += of->lanes;
}

void weir_chain_add_counts(const struct weir_chain *chain, uint32_t link, uint32_t in_link,
                           struct weir_feature_count *count, uint32_t counts)
{
    for (uint32_t i = 0; i < chain->state_count; i++) {
        const struct weir_chain_state *state = &chain->state[i];
        uint32_t k = 0; /* the counters of a feature are contiguous: search for the first of them */
        while (state->row->counters != NULL && k < counts && strcmp(count[k].feature, state->row->name) != 0)
            k++;
        for (const struct weir_feature_counter *c = state->row->counters; c != NULL && c->name != NULL; c++, k++) {
            uint64_t value;
            WEIR_ASSERT(k < counts);
            memcpy(&value, (const char *)state->here.port + c->offset, sizeof(value));
            count[k].lanes += count[k].per_port;
            add_count(&count[k], value, c->where == WEIR_COUNT_AT_IN_LINK ? in_link : link);
        }
    }
}
