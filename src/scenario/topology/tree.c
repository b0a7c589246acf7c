/* src/scenario/topology/tree.c - finds the spanning trees of fabric.routing.mode: trees. */
#include "topology/tree.h"
#include "core/assert.h"
#include "core/math.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
/* Largest distance of a first-hop switch from a root: a path goes up and down, and has two links of hosts */
#define DEPTH_MAX ((WEIR_TOPOLOGY_HOPS_MAX - 2u) / 2)

struct grow {
    const struct weir_topology *topo;
    struct weir_trees *trees;
    uint32_t *part;     /* switch_count: the lowest switch of the switch's part; this number names the part */
    uint32_t *tier;     /* switch_count, indexed by part: the highest tier of the part */
    uint32_t *own;      /* switch_count, indexed by part: number of trees of the part so far */
    uint32_t *distance; /* switch_count: links from the root; NONE = not reached */
    uint32_t *queue;
    bool *needed; /* switch_count: the switch is on a shortest path from the root to a first-hop switch */
};

static bool alloc_grow(struct grow *g)
{
    size_t switches = g->topo->switch_count;
    g->part = malloc(switches * sizeof(*g->part));
    g->tier = calloc(switches, sizeof(*g->tier));
    g->own = calloc(switches, sizeof(*g->own));
    g->distance = malloc(switches * sizeof(*g->distance));
    g->queue = malloc(switches * sizeof(*g->queue));
    g->needed = malloc(switches * sizeof(*g->needed));
    return g->part != NULL && g->tier != NULL && g->own != NULL && g->distance != NULL && g->queue != NULL &&
           g->needed != NULL;
}

static void free_grow(struct grow *g)
{
    free(g->part);
    free(g->tier);
    free(g->own);
    free(g->distance);
    free(g->queue);
    free(g->needed);
}

static const struct weir_node *node_of(const struct grow *g, uint32_t sw)
{
    return &g->topo->node[g->topo->host_count + sw];
}

/* Returns the switch at the other end of a port; NONE = a host is there, or the cable is down in some direction. */
static uint32_t peer_of(const struct grow *g, uint32_t sw, uint32_t port)
{
    const struct weir_link *link = &g->topo->link[node_of(g, sw)->first_out + port];
    bool joins = link->dst >= g->topo->host_count && link->up && g->topo->link[link->reverse].up;
    return joins ? link->dst - g->topo->host_count : NONE;
}

/* Searches breadth first from a root. Sets distance[] of every switch, and queue[] to the switches of the root's part,
 * nearest first. @return number of these switches, the root included */
static uint32_t search(struct grow *g, uint32_t root)
{
    uint32_t tail = 0;
    memset(g->distance, 0xff, g->topo->switch_count * sizeof(*g->distance)); /* all NONE */
    g->distance[root] = 0;
    g->queue[tail++] = root;
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t sw = g->queue[head];
        for (uint32_t p = 0; p < node_of(g, sw)->out_count; p++) {
            uint32_t peer = peer_of(g, sw, p);
            if (peer == NONE || g->distance[peer] != NONE)
                continue;
            g->distance[peer] = g->distance[sw] + 1;
            g->queue[tail++] = peer;
        }
    }
    return tail;
}

static void find_parts(struct grow *g)
{
    memset(g->part, 0xff, g->topo->switch_count * sizeof(*g->part)); /* all NONE */
    for (uint32_t first = 0; first < g->topo->switch_count; first++) {
        uint32_t count = g->part[first] == NONE ? search(g, first) : 0;
        for (uint32_t i = 0; i < count; i++) {
            g->part[g->queue[i]] = first;
            g->tier[first] = (uint32_t)weir_max_u64(g->tier[first], node_of(g, g->queue[i])->tier);
        }
    }
}

/* Returns a port of a switch that leads closer to the root of the last search(): the one at index i modulo *count. Sets
 * *count to the number of such ports. */
static uint32_t closer_port(const struct grow *g, uint32_t sw, uint32_t i, uint32_t *count)
{
    uint32_t found = 0, want;
    for (uint32_t p = 0; p < node_of(g, sw)->out_count; p++) {
        uint32_t peer = peer_of(g, sw, p);
        found += peer != NONE && g->distance[peer] + 1 == g->distance[sw];
    }
    *count = found;
    WEIR_ASSERT(found > 0); /* a switch that the search has reached has such a port */
    want = i % found;
    for (uint32_t p = 0;; p++) {
        uint32_t peer = peer_of(g, sw, p);
        if (peer != NONE && g->distance[peer] + 1 == g->distance[sw] && want-- == 0)
            return p;
    }
}

static void need_closer(struct grow *g, uint32_t sw)
{
    for (uint32_t p = 0; p < node_of(g, sw)->out_count; p++) {
        uint32_t peer = peer_of(g, sw, p);
        if (peer != NONE && g->distance[peer] + 1 == g->distance[sw])
            g->needed[peer] = true;
    }
}

/* Returns the number of trees of the root of the last search(); 0 = some first-hop switch is too far from the root. All
 * switches on shortest paths from first-hop switches to the root count, but the root does not. The number is the
 * largest number of ports that lead closer to the root at one of these switches, and at least 1. reached: the return
 * value of search() */
static uint32_t width_of(struct grow *g, uint32_t reached)
{
    uint32_t width = 1, count;
    memset(g->needed, 0, g->topo->switch_count * sizeof(*g->needed));
    for (uint32_t e = 0; e < g->topo->edge_count; e++) {
        uint32_t sw = g->topo->edge_node[e] - g->topo->host_count;
        if (g->distance[sw] == NONE)
            continue;
        if (g->distance[sw] > DEPTH_MAX)
            return 0;
        g->needed[sw] = true;
    }
    for (uint32_t i = reached; i-- > 1;) { /* from the farthest switch to the nearest; the root itself is left out */
        if (!g->needed[g->queue[i]])
            continue;
        need_closer(g, g->queue[i]);
        (void)closer_port(g, g->queue[i], 0, &count);
        width = (uint32_t)weir_max_u64(width, count);
    }
    return width;
}

static bool is_root(const struct grow *g, uint32_t sw)
{
    return node_of(g, sw)->tier == g->tier[g->part[sw]];
}

static int fail_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, "a smaller topology needs less", "no memory for spanning trees");
}

/* Counts the trees of all parts: sets trees->count and trees->most. @return 0, or WEIR_E_RANGE with err if there are
 * too many */
static int count_trees(struct grow *g, struct weir_err *err)
{
    for (uint32_t sw = 0; sw < g->topo->switch_count; sw++) {
        uint32_t *own = &g->own[g->part[sw]], width = is_root(g, sw) ? width_of(g, search(g, sw)) : 0;
        if (width > WEIR_TREES_MAX - g->trees->count)
            return weir_fail(err, WEIR_E_RANGE, NULL, "fewer spines or parallel cables, or routing: symmetric",
                             "routing: trees: this network has more than %u spanning trees", WEIR_TREES_MAX);
        *own += width;
        g->trees->count += width;
        g->trees->most = (uint32_t)weir_max_u64(g->trees->most, *own);
    }
    return 0;
}

static bool alloc_trees(struct weir_trees *t)
{
    size_t size = (size_t)t->count * t->switch_count + 1; /* + 1: there may be no tree */
    t->parent = malloc(size * sizeof(*t->parent));
    t->up = calloc(size, sizeof(*t->up));
    t->aimed = calloc(size, sizeof(*t->aimed));
    t->down = calloc(size, sizeof(*t->down));
    return t->parent != NULL && t->up != NULL && t->aimed != NULL && t->down != NULL;
}

static void add_tree(struct grow *g, uint32_t tree, uint32_t root, uint32_t nth, uint32_t reached)
{
    size_t first = (size_t)tree * g->trees->switch_count;
    uint32_t *parent = &g->trees->parent[first], count;
    memset(parent, 0xff, g->trees->switch_count * sizeof(*parent)); /* all NONE */
    parent[root] = root;
    for (uint32_t i = 1; i < reached; i++) {
        uint32_t sw = g->queue[i], port = closer_port(g, sw, nth, &count);
        parent[sw] = peer_of(g, sw, port);
        g->trees->up[first + sw] = (uint16_t)port;
    }
}

static int grow_all(struct grow *g, struct weir_err *err)
{
    uint32_t tree = 0;
    int code;
    find_parts(g);
    code = count_trees(g, err);
    if (code != 0)
        return code;
    if (!alloc_trees(g->trees))
        return fail_memory(err);
    for (uint32_t sw = 0; sw < g->topo->switch_count; sw++) {
        uint32_t reached = is_root(g, sw) ? search(g, sw) : 0, width = reached > 0 ? width_of(g, reached) : 0;
        for (uint32_t i = 0; i < width; i++)
            add_tree(g, tree++, sw, i, reached);
    }
    return 0;
}

int weir_trees_find(struct weir_trees *trees, const struct weir_topology *topo, struct weir_err *err)
{
    struct grow g = { .topo = topo, .trees = trees };
    int code;
    *trees = (struct weir_trees){ .switch_count = topo->switch_count };
    if (alloc_grow(&g))
        code = grow_all(&g, err);
    else
        code = fail_memory(err);
    free_grow(&g);
    if (code != 0)
        weir_trees_free(trees);
    return code;
}

void weir_trees_free(struct weir_trees *trees)
{
    free(trees->parent);
    free(trees->up);
    free(trees->aimed);
    free(trees->down);
    *trees = (struct weir_trees){ 0 };
}

void weir_trees_aim(struct weir_trees *trees, const struct weir_topology *topo, uint32_t target)
{
    for (uint32_t t = 0; t < trees->count; t++) {
        size_t first = (size_t)t * trees->switch_count;
        const uint32_t *parent = &trees->parent[first];
        for (uint32_t sw = target; parent[sw] != NONE && parent[sw] != sw; sw = parent[sw]) {
            uint32_t out = topo->node[topo->host_count + sw].first_out + trees->up[first + sw];
            trees->down[first + parent[sw]] = (uint16_t)topo->link[out].in_index; /* the port that leads back */
            trees->aimed[first + parent[sw]] = target + 1;
        }
    }
}

uint32_t weir_trees_ports(const struct weir_trees *trees, uint32_t target, uint32_t sw, uint16_t *list)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < trees->count && sw != target; t++) {
        size_t first = (size_t)t * trees->switch_count;
        if (trees->parent[first + sw] == NONE || trees->parent[first + target] == NONE)
            continue;
        list[count++] = trees->aimed[first + sw] == target + 1 ? trees->down[first + sw] : trees->up[first + sw];
    }
    return count;
}
