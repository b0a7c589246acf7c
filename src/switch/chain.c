/* src/switch/chain.c - from the features of a run to the hooks of each port. */
#include "switch/chain.h"
#include "core/assert.h"
#include <string.h>

enum { SCRATCH_BYTES = 512 }; /* state of one port or node, to ask a feature before there is memory for it */

static bool has_hooks(const struct weir_feature *row)
{
    return row->admit != NULL || row->on_join != NULL || row->on_dequeue != NULL || row->on_start != NULL ||
           row->queue_of != NULL;
}

/* @return false = this port needs more than a threshold */
static bool port_is_threshold(struct weir_chain *chain, const struct weir_features *features,
                              const struct weir_fabric_port *port)
{
    *chain = (struct weir_chain){ .is_threshold = true, .threshold_bytes = UINT64_MAX };
    for (uint32_t i = 0; i < features->count; i++) {
        const struct weir_feature *row = features->on[i].row;
        _Alignas(16) unsigned char state[2][SCRATCH_BYTES] = { { 0 } };
        struct weir_here here = { .model = features->on[i].model, .node = state[0], .port = state[1] };
        uint64_t threshold_bytes;
        if (!has_hooks(row))
            continue;
        if (row->port_bytes > SCRATCH_BYTES || row->node_bytes > SCRATCH_BYTES)
            return false;
        if (row->port_init != NULL && !row->port_init(&here, port))
            continue;
        if (row->admit != NULL || row->queue_of != NULL || row->on_dequeue != NULL || row->on_start != NULL ||
            row->counters != NULL || row->join_threshold == NULL || !row->join_threshold(&here, &threshold_bytes))
            return false;
        if (threshold_bytes < chain->threshold_bytes) /* of several the lowest decides */
            chain->threshold_bytes = threshold_bytes;
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

static bool chain_alloc(struct weir_chain *chain, uint32_t features, const struct weir_mem *mem)
{
    *chain = (struct weir_chain){ .admit = mem->grow(mem->ctx, features * sizeof(*chain->admit)),
                                  .join = mem->grow(mem->ctx, features * sizeof(*chain->join)),
                                  .dequeue = mem->grow(mem->ctx, features * sizeof(*chain->dequeue)),
                                  .start = mem->grow(mem->ctx, features * sizeof(*chain->start)),
                                  .state = mem->grow(mem->ctx, features * sizeof(*chain->state)),
                                  .threshold_bytes = UINT64_MAX };
    return chain->admit != NULL && chain->state != NULL && chain->join != NULL && chain->dequeue != NULL &&
           chain->start != NULL;
}

/* Nothing waits at a port without a queue: there a packet only starts. */
static void chain_add(struct weir_chain *chain, const struct weir_feature *row, const struct weir_here *here,
                      bool has_queue)
{
    chain->state[chain->state_count++] = (struct weir_chain_state){ row, here->port };
    if (row->admit != NULL && has_queue)
        chain->admit[chain->admit_count++] = (struct weir_admit_hook){ row->admit, *here };
    if (row->on_join != NULL && has_queue)
        chain->join[chain->join_count++] = (struct weir_join_hook){ row->on_join, *here };
    if (row->on_dequeue != NULL && has_queue)
        chain->dequeue[chain->dequeue_count++] = (struct weir_dequeue_hook){ row->on_dequeue, *here };
    if (row->queue_of != NULL && has_queue)
        chain->turn = (struct weir_turn_hook){ row->queue_of, row->turn_pkts, *here };
    if (row->on_start != NULL)
        chain->start[chain->start_count++] = (struct weir_start_hook){ row->on_start, *here };
}

/* One feature at every port of a node. */
static bool chains_add(struct weir_chain *chain, const struct weir_feature_on *on, const struct weir_fabric_port *port,
                       uint32_t ports, const struct weir_mem *mem)
{
    const struct weir_feature *row = on->row;
    size_t stride = (row->port_bytes + 15u) & ~(size_t)15;
    unsigned char *state = mem->grow(mem->ctx, ports * stride + 1), *node = mem->grow(mem->ctx, row->node_bytes + 1u);
    if (state == NULL || node == NULL)
        return false;
    for (uint32_t p = 0; p < ports; p++) {
        struct weir_here here = { .model = on->model, .node = node, .port = state + p * stride };
        if (row->port_init == NULL || row->port_init(&here, &port[p]))
            chain_add(&chain[p], row, &here, port[p].has_queue);
    }
    return true;
}

/* Is what is to be called on joining one threshold? */
static void chain_note_threshold(struct weir_chain *chain, const struct weir_features *features)
{
    chain->is_threshold = chain->join_count == 0;
    if (chain->join_count != 1)
        return;
    for (uint32_t i = 0; i < features->count; i++) {
        const struct weir_feature *row = features->on[i].row;
        if (row->on_join == chain->join[0].call && row->join_threshold != NULL)
            chain->is_threshold = row->join_threshold(&chain->join[0].here, &chain->threshold_bytes);
    }
    if (!chain->is_threshold)
        chain->threshold_bytes = UINT64_MAX;
}

bool weir_chains_init(struct weir_chain *chain, const struct weir_features *features,
                      const struct weir_fabric_port *port, uint32_t ports, const struct weir_mem *mem)
{
    for (uint32_t p = 0; p < ports; p++)
        if (!chain_alloc(&chain[p], features->count + 1, mem))
            return false;
    for (uint32_t i = 0; i < features->count; i++)
        if (has_hooks(features->on[i].row) && !chains_add(chain, &features->on[i], port, ports, mem))
            return false;
    for (uint32_t p = 0; p < ports; p++)
        chain_note_threshold(&chain[p], features);
    return true;
}

uint32_t weir_features_counts(const struct weir_features *features, struct weir_feature_count *count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < features->count; i++) {
        const struct weir_feature *row = features->on[i].row;
        for (const struct weir_feature_counter *c = row->counters; c != NULL && c->name != NULL; c++) {
            WEIR_ASSERT(n < WEIR_FEATURE_COUNTS_MAX);
            count[n++] = (struct weir_feature_count){ .feature = row->name, .name = c->name, .hint = c->hint };
        }
    }
    return n;
}

/* A feature's counters stand one after the other: found by its first. */
static void add_counts(const struct weir_chain_state *state, struct weir_feature_count *count, uint32_t counts)
{
    uint32_t k = 0;
    while (k < counts && strcmp(count[k].feature, state->row->name) != 0)
        k++;
    for (const struct weir_feature_counter *c = state->row->counters; c->name != NULL; c++, k++) {
        uint64_t value;
        WEIR_ASSERT(k < counts);
        memcpy(&value, (const char *)state->port + c->offset, sizeof(value));
        count[k].value += value;
    }
}

void weir_chain_add_counts(const struct weir_chain *chain, struct weir_feature_count *count, uint32_t counts)
{
    for (uint32_t i = 0; i < chain->state_count; i++)
        if (chain->state[i].row->counters != NULL)
            add_counts(&chain->state[i], count, counts);
}
