/* src/commands/soft/counters.c - see counters.h. */
#include "soft/counters.h"
#include "core/assert.h"
#include "core/feature.h"
#include "core/feature_set.h"
#include <stdlib.h>
#include <string.h>

struct copies { /* of the state of one node; one per feature that has an on_end hook, else NULL */
    const struct weir_model *model;
    void **node;
    void **port;                    /* of the port that is added */
    struct weir_chain_state *state; /* of its chain, with these copies */
};

/* Returns a copy, or NULL: no memory. */
static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes + 1);
    if (copy != NULL && bytes > 0)
        memcpy(copy, from, bytes);
    return copy;
}

static void forget(void **copy, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(copy[i]);
        copy[i] = NULL;
    }
}

/* Copies the state of a feature at a port, and at its node unless an earlier port of the node did. */
static bool copy_state(struct copies *c, struct weir_chain_state *state, uint32_t node, bool from_host)
{
    const struct weir_feature_variant variant = weir_feature_at(&c->model->features.on[state->feature], node);
    size_t node_bytes = variant.node_bytes > 0 && !from_host ? variant.node_bytes : state->row->node_bytes;
    void **of_node = &c->node[state->feature], **of_port = &c->port[state->feature];
    if (*of_node == NULL)
        *of_node = copy_of(state->here.node, node_bytes);
    *of_port = copy_of(state->here.port, state->row->port_bytes);
    state->here.node = *of_node;
    state->here.port = *of_port;
    return *of_node != NULL && *of_port != NULL;
}

/* Adds the counters of one port. */
static bool add_port(struct copies *c, const struct weir_chain *chain, uint32_t link, uint64_t now_ps,
                     struct weir_feature_count *count, uint32_t counts)
{
    const struct weir_link *of = &c->model->topo->link[link];
    struct weir_chain copy = *chain;
    bool done = true;
    WEIR_ASSERT(chain->state_count <= c->model->features.count);
    copy.state = c->state;
    for (uint32_t i = 0; i < chain->state_count && done; i++) {
        c->state[i] = chain->state[i];
        if (chain->state[i].row->on_end != NULL)
            done = copy_state(c, &c->state[i], of->src, of->src < c->model->topo->host_count);
    }
    if (done) {
        weir_chain_end(&copy, now_ps);
        weir_chain_add_counts(&copy, link, of->reverse, count, counts);
    }
    forget(c->port, c->model->features.count);
    return done;
}

bool soft_counters(const struct weir_model *m, struct weir_network *net, uint64_t now_ps,
                   struct weir_feature_count *count, uint32_t counts)
{
    uint32_t features = m->features.count, node = UINT32_MAX;
    struct copies c = { .model = m,
                        .node = calloc(features + 1u, sizeof(*c.node)),
                        .port = calloc(features + 1u, sizeof(*c.port)),
                        .state = calloc(features + 1u, sizeof(*c.state)) };
    bool done = c.node != NULL && c.port != NULL && c.state != NULL;
    for (uint32_t l = 0; l < m->topo->link_count && done; l++) {
        uint32_t src = m->topo->link[l].src;
        if (src != node) /* the links of a node follow each other */
            forget(c.node, features);
        node = src;
        done = add_port(&c, weir_switch_chain(weir_network_node(net, src), l - m->topo->node[src].first_out), l, now_ps,
                        count, counts);
    }
    if (c.node != NULL)
        forget(c.node, features);
    free(c.node);
    free(c.port);
    free(c.state);
    return done;
}
