/* src/scenario/topology/bisection.c - the least cut between the two halves of the hosts, as a greatest flow.
 * Source: Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation", Soviet
 * Mathematics Doklady 1970. Each round finds the distance of every switch from the first half by links that still have
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
    uint64_t *room_bps; /* link_count: what each link can carry besides the flow so far */
    bool *first, *last; /* switch_count: the switch has hosts of the first half; of the last half alone */
    uint32_t *distance; /* switch_count: links from the first half; NONE = not reached */
    uint32_t *queue;
    uint32_t *next; /* switch_count: port to try next in this round */
    uint32_t *path; /* links of the present path */
    uint64_t steps;
};

static bool alloc_flow(struct flow *f)
{
    size_t switches = f->topo->switch_count;
    f->room_bps = malloc(f->topo->link_count * sizeof(*f->room_bps));
    f->first = calloc(switches, sizeof(*f->first));
    f->last = calloc(switches, sizeof(*f->last));
    f->distance = malloc(switches * sizeof(*f->distance));
    f->queue = malloc(switches * sizeof(*f->queue));
    f->next = malloc(switches * sizeof(*f->next));
    f->path = malloc(switches * sizeof(*f->path));
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

/* Marks the switches of the two halves. @return false = every switch with hosts is of the first half */
static bool mark_halves(struct flow *f)
{
    const struct weir_topology *topo = f->topo;
    uint32_t half = (topo->host_count + 1) / 2;
    bool any = false;
    for (uint32_t h = 0; h < topo->host_count; h++) {
        uint32_t sw = topo->edge_node[topo->edge_of[h]] - topo->host_count;
        f->first[sw] = f->first[sw] || h < half;
        f->last[sw] = !f->first[sw];
        any = any || f->last[sw];
    }
    for (uint32_t l = 0; l < topo->link_count; l++)
        f->room_bps[l] = topo->link[l].rate_bps;
    return any;
}

/* Returns the switch at the end of a link that has room; NONE = a host is there, or there is no room. */
static uint32_t reached_by(const struct flow *f, uint32_t link)
{
    uint32_t dst = f->topo->link[link].dst;
    return dst >= f->topo->host_count && f->room_bps[link] > 0 ? dst - f->topo->host_count : NONE;
}

static const struct weir_node *node_of(const struct flow *f, uint32_t sw)
{
    return &f->topo->node[f->topo->host_count + sw];
}

/* Sets the distances of all switches. @return true = the last half is reached */
static bool search(struct flow *f)
{
    uint32_t tail = 0;
    bool found = false;
    for (uint32_t sw = 0; sw < f->topo->switch_count; sw++) {
        f->distance[sw] = f->first[sw] ? 0 : NONE;
        f->next[sw] = 0;
        if (f->first[sw])
            f->queue[tail++] = sw;
    }
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t sw = f->queue[head];
        const struct weir_node *node = node_of(f, sw);
        found = found || f->last[sw];
        f->steps += node->out_count;
        for (uint32_t p = 0; p < node->out_count; p++) {
            uint32_t peer = reached_by(f, node->first_out + p);
            if (peer == NONE || f->distance[peer] != NONE)
                continue;
            f->distance[peer] = f->distance[sw] + 1;
            f->queue[tail++] = peer;
        }
    }
    WEIR_ASSERT(tail <= f->topo->switch_count);
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

/* Finds a path from a switch to the last half, each link one farther, and writes it to f->path. Ports that lead nowhere
 * are not tried again in this round. @return its links; 0 = there is none */
static uint32_t find_path(struct flow *f, uint32_t from)
{
    uint32_t length = 0, sw = from;
    while (!f->last[sw]) {
        const struct weir_node *node = node_of(f, sw);
        uint32_t peer = NONE;
        for (; f->next[sw] < node->out_count; f->next[sw]++) {
            f->steps++;
            peer = reached_by(f, node->first_out + f->next[sw]);
            if (peer != NONE && f->distance[peer] == f->distance[sw] + 1)
                break;
        }
        if (f->next[sw] < node->out_count) {
            f->path[length++] = node->first_out + f->next[sw];
            sw = peer;
        } else if (length == 0) {
            return 0;
        } else { /* back by one link, which leads nowhere */
            sw = f->topo->link[f->path[--length]].src - f->topo->host_count;
            f->next[sw]++;
        }
    }
    return length;
}

static uint64_t greatest_flow(struct flow *f)
{
    uint64_t sum_bps = 0;
    while (f->steps <= STEPS_MAX && search(f))
        for (uint32_t sw = 0; sw < f->topo->switch_count; sw++) {
            uint32_t length = f->first[sw] ? find_path(f, sw) : 0;
            for (; length > 0; length = f->steps <= STEPS_MAX ? find_path(f, sw) : 0) {
                uint64_t path_bps = fill_path(f, length);
                sum_bps = path_bps > UINT64_MAX - sum_bps ? UINT64_MAX : sum_bps + path_bps;
            }
        }
    return f->steps <= STEPS_MAX ? sum_bps : 0;
}

int weir_bisection(const struct weir_topology *topo, uint64_t *out_bps, struct weir_err *err)
{
    struct flow f = { .topo = topo };
    bool has_memory = alloc_flow(&f);
    *out_bps = has_memory && mark_halves(&f) ? greatest_flow(&f) : 0;
    free_flow(&f);
    return has_memory ? 0 : weir_fail_memory(err);
}
