/* src/scenario/topology/bisection.c - the least cut between the two halves of the hosts, as a greatest flow. It flows
 * between switches; where hosts have several NICs, from hosts to hosts, and through none.
 * Source: Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation", Soviet
 * Mathematics Doklady 1970. Each round finds the distance of every node from the first half by links that still have
 * room. Then it fills paths that get farther with every link, until there is none. */
#include "core/assert.h"
#include "core/math.h"
#include "topology/audit.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
/* Links looked at before the search is given up. A fat-tree of 250000 hosts needs a tenth of this. */
#define STEPS_MAX (UINT64_C(1) << 28)

struct flow {
    const struct weir_topology *topo;
    uint32_t base, count; /* the nodes between which it flows: the first, and how many: the switches, or all nodes */
    uint64_t *room_bps;   /* link_count: what each link can carry besides the flow so far */
    /* Each of the next has `count` entries. first, last: where the flow begins and ends. A switch has hosts of the
     * first half, or of the last half alone; a host is of that half. */
    bool *first, *last;
    uint32_t *distance; /* links from the first half; NONE = not reached */
    uint32_t *queue;
    uint32_t *next; /* port to try next in this round */
    uint32_t *path; /* links of the present path */
    uint64_t steps;
};

static bool alloc_flow(struct flow *f)
{
    size_t nodes = f->count;
    f->room_bps = malloc(f->topo->link_count * sizeof(*f->room_bps));
    f->first = calloc(nodes, sizeof(*f->first));
    f->last = calloc(nodes, sizeof(*f->last));
    f->distance = malloc(nodes * sizeof(*f->distance));
    f->queue = malloc(nodes * sizeof(*f->queue));
    f->next = malloc(nodes * sizeof(*f->next));
    f->path = malloc(nodes * sizeof(*f->path));
    return f->room_bps != NULL && f->first != NULL && f->last != NULL && f->distance != NULL && f->queue != NULL &&
           f->next != NULL && f->path != NULL;
}

static void free_flow(struct flow *f)
{
    free(f->room_bps);
    free(f->first);
    free(f->last);
    free(f->distance);
    free(f->queue);
    free(f->next);
    free(f->path);
}

/* Returns the node at which the flow of a host begins or ends: its switch, or with several NICs itself. */
static uint32_t node_at(const struct weir_topology *topo, uint32_t host)
{
    return weir_topology_has_nics(topo) ? host : topo->edge_node[topo->edge_of[host]] - topo->host_count;
}

/* Marks the two halves. @return false = every switch with hosts is of the first half */
static bool mark_halves(struct flow *f)
{
    const struct weir_topology *topo = f->topo;
    uint32_t half = (topo->host_count + 1) / 2;
    bool any = false;
    for (uint32_t h = 0; h < topo->host_count; h++) {
        uint32_t at = node_at(topo, h);
        f->first[at] = f->first[at] || h < half;
        f->last[at] = !f->first[at];
        any = any || f->last[at];
    }
    for (uint32_t l = 0; l < topo->link_count; l++)
        f->room_bps[l] = topo->link[l].rate_bps;
    return any;
}

/* Returns the node at the end of a link that has room; NONE = nothing flows there, or there is no room. */
static uint32_t reached_by(const struct flow *f, uint32_t link)
{
    uint32_t dst = f->topo->link[link].dst;
    return dst >= f->base && f->room_bps[link] > 0 ? dst - f->base : NONE;
}

static const struct weir_node *node_of(const struct flow *f, uint32_t at)
{
    return &f->topo->node[f->base + at];
}

/* Tests whether a flow ends at a node for good: at a host of the last half. */
static bool is_end(const struct flow *f, uint32_t at)
{
    return f->base + at < f->topo->host_count && f->last[at];
}

/* Sets the distances of all nodes. @return true = the last half is reached */
static bool search(struct flow *f)
{
    uint32_t tail = 0;
    bool found = false;
    for (uint32_t at = 0; at < f->count; at++) {
        f->distance[at] = f->first[at] ? 0 : NONE;
        f->next[at] = 0;
        if (f->first[at])
            f->queue[tail++] = at;
    }
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t at = f->queue[head];
        const struct weir_node *node = node_of(f, at);
        found = found || f->last[at];
        f->steps += node->out_count;
        for (uint32_t p = 0; p < node->out_count && !is_end(f, at); p++) {
            uint32_t peer = reached_by(f, node->first_out + p);
            if (peer == NONE || f->distance[peer] != NONE)
                continue;
            f->distance[peer] = f->distance[at] + 1;
            f->queue[tail++] = peer;
        }
    }
    WEIR_ASSERT(tail <= f->count);
    return found;
}

/* Fills the links of f->path. @return the rate that the path takes */
static uint64_t fill_path(struct flow *f, uint32_t length)
{
    uint64_t room_bps = UINT64_MAX;
    WEIR_ASSERT(length > 0);
    for (uint32_t i = 0; i < length; i++)
        room_bps = weir_min_u64(room_bps, f->room_bps[f->path[i]]);
    for (uint32_t i = 0; i < length; i++) {
        f->room_bps[f->path[i]] -= room_bps;
        f->room_bps[f->topo->link[f->path[i]].reverse] += room_bps; /* the flow can be taken back */
    }
    return room_bps;
}

/* Finds a path from a node to the last half, each link one farther, and writes it to f->path. Ports that lead nowhere
 * are not tried again in this round. @return its links; 0 = there is none */
static uint32_t find_path(struct flow *f, uint32_t from)
{
    uint32_t length = 0, at = from;
    while (!f->last[at]) {
        const struct weir_node *node = node_of(f, at);
        uint32_t peer = NONE;
        for (; f->next[at] < node->out_count; f->next[at]++) {
            f->steps++;
            peer = reached_by(f, node->first_out + f->next[at]);
            if (peer != NONE && f->distance[peer] == f->distance[at] + 1)
                break;
        }
        if (f->next[at] < node->out_count) {
            f->path[length++] = node->first_out + f->next[at];
            at = peer;
        } else if (length == 0) {
            return 0;
        } else { /* back by one link, which leads nowhere */
            at = f->topo->link[f->path[--length]].src - f->base;
            f->next[at]++;
        }
    }
    return length;
}

static uint64_t greatest_flow(struct flow *f)
{
    uint64_t sum_bps = 0;
    while (f->steps <= STEPS_MAX && search(f))
        for (uint32_t at = 0; at < f->count; at++) {
            uint32_t length = f->first[at] ? find_path(f, at) : 0;
            for (; length > 0; length = f->steps <= STEPS_MAX ? find_path(f, at) : 0) {
                uint64_t path_bps = fill_path(f, length);
                sum_bps = path_bps > UINT64_MAX - sum_bps ? UINT64_MAX : sum_bps + path_bps;
            }
        }
    return f->steps <= STEPS_MAX ? sum_bps : 0;
}

int weir_bisection(const struct weir_topology *topo, uint64_t *out_bps, struct weir_err *err)
{
    bool of_hosts = weir_topology_has_nics(topo);
    struct flow f = { .topo = topo,
                      .base = of_hosts ? 0 : topo->host_count,
                      .count = of_hosts ? topo->node_count : topo->switch_count };
    bool has_memory = alloc_flow(&f);
    *out_bps = has_memory && mark_halves(&f) ? greatest_flow(&f) : 0;
    free_flow(&f);
    return has_memory ? 0 : weir_fail_memory(err);
}
