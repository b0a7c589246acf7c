/* src/scenario/topology/cycle.c - builds the channel dependency graph, and searches for a cycle in it. For each switch
 * the graph is a matrix of bits: from which in-link packets go on to which out-link. */
#include "topology/cycle.h"
#include <stdlib.h>
#include <string.h>

#define NO_LINK UINT32_MAX

/* The ports of a switch to other switches, which follow its ports to hosts. In-link i is the reverse of out-link i. */
struct ports {
    uint32_t first; /* first of these out-links */
    uint32_t count, row_u64s;
    size_t row; /* index in search.bits of the switch's matrix: count rows of row_u64s elements */
};

struct search {
    const struct weir_routes *r;
    const struct weir_topology *topo;
    bool every_nic;
    struct ports *ports;   /* switch_count */
    uint64_t *bits, *mask; /* bits: all matrices; mask: the ports of one list, as bits */
    /* switch_count in each. seen: the last round in which a path contained the switch; queue: switches of this round */
    uint32_t *seen, *queue;
    uint32_t *used; /* link_count: the last round in which a path contained the link */
    uint32_t round; /* number of the round, from 1; one for each target, and with trees for each tree of a target */
    /* link_count in each; depth first. path: links on the way; position: 0 = new, UINT32_MAX = done, else the link's
     * index in path + 1 */
    uint32_t *path, *position;
    /* link_count in each. tried: the next bit to test; parent: breadth first, the link before */
    uint32_t *tried, *parent;
    uint32_t queued;
};

static bool is_switch(const struct search *s, uint32_t node)
{
    return node >= s->topo->host_count;
}

/* --- the graph --- */

/* Fills s->ports. @return number of elements of all matrices together */
static uint64_t count_ports(struct search *s)
{
    uint64_t elements = 0;
    for (uint32_t sw = 0; sw < s->topo->switch_count; sw++) {
        const struct weir_node *node = &s->topo->node[s->topo->host_count + sw];
        struct ports *p = &s->ports[sw];
        uint32_t hosts = weir_topology_host_ports(s->topo, s->topo->host_count + sw);
        *p = (struct ports){ .first = node->first_out + hosts, .count = node->out_count - hosts, .row = elements };
        p->row_u64s = (p->count + 63) / 64;
        elements += (uint64_t)p->count * p->row_u64s;
    }
    return elements;
}

static uint64_t *row_of(const struct search *s, const struct ports *p, uint32_t i)
{
    return &s->bits[p->row + (size_t)i * p->row_u64s];
}

/* Returns the ports of a switch towards target `to`, *count of them. The target is a first-hop switch, or a host of
 * several NICs. With trees, returns only the port at index `tree` of that list, and *count is 0 or 1. */
static const uint16_t *ports_to(const struct search *s, uint32_t sw, uint32_t to, uint32_t tree, uint32_t *count)
{
    uint32_t entry = weir_route_entry(s->r, sw, to), all = entry >> WEIR_ROUTE_FIRST_BITS;
    const uint16_t *port = &s->r->port[entry & WEIR_ROUTE_FIRST_MASK];
    *count = s->r->tree_count == 0 ? all : tree < all;
    return s->r->tree_count == 0 ? port : port + tree;
}

/* Queues a switch in this round. */
static void reach(struct search *s, uint32_t sw)
{
    if (s->seen[sw] == s->round)
        return;
    s->seen[sw] = s->round;
    s->queue[s->queued++] = sw;
}

/* Marks the links of ports_to() of a switch as used in this round, and queues the switches at their other ends. */
static void follow(struct search *s, uint32_t sw, uint32_t to, uint32_t tree)
{
    uint32_t first_out = s->topo->node[s->topo->host_count + sw].first_out, count;
    const uint16_t *port = ports_to(s, sw, to, tree, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t link = first_out + port[i], next = s->topo->link[link].dst;
        s->used[link] = s->round;
        if (is_switch(s, next))
            reach(s, next - s->topo->host_count);
    }
}

/* Adds the dependencies of in-link i: packets that come by it go on by the out-links of the mask. With symmetric
 * routing in a graph the reverse direction takes the same cables. Then packets that come by in-link j of the mask go on
 * by out-link i. */
static void depend(struct search *s, const struct ports *p, uint32_t i)
{
    uint64_t *row = row_of(s, p, i);
    for (uint32_t w = 0; w < p->row_u64s; w++)
        row[w] |= s->mask[w];
    for (uint32_t j = 0; s->r->step != NULL && j < p->count; j++)
        if ((s->mask[j / 64] >> j % 64 & 1) != 0)
            row_of(s, p, j)[i / 64] |= UINT64_C(1) << i % 64;
}

/* Adds the dependencies at a switch for packets to target `to`: from each used in-link to all ports of ports_to(), but
 * those to hosts, which wait for nothing. */
static void depend_all(struct search *s, uint32_t sw, uint32_t to, uint32_t tree)
{
    const struct ports *p = &s->ports[sw];
    uint32_t hosts = p->first - s->topo->node[s->topo->host_count + sw].first_out, count;
    const uint16_t *list = ports_to(s, sw, to, tree, &count);
    for (uint32_t w = 0; w < p->row_u64s; w++)
        s->mask[w] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t port = list[i] - hosts;
        if (list[i] >= hosts)
            s->mask[port / 64] |= UINT64_C(1) << port % 64;
    }
    for (uint32_t i = 0; count > 0 && i < p->count; i++)
        if (s->used[s->topo->link[p->first + i].reverse] == s->round)
            depend(s, p, i);
} /* NOLINT(clang-analyzer-unix.Malloc): free_search() frees the ports */

/* Queues the switches at which packets to the hosts of first-hop switch `to` begin: all others. */
static void begin_at_switches(struct search *s, uint32_t to)
{
    for (uint32_t from = 0; from < s->r->edge_count; from++)
        if (from != to && (s->r->step == NULL || from < to)) /* with symmetric routing in a graph, these packets take
                                                                the paths of the reverse direction */
            reach(s, s->r->edge_node[from] - s->r->first_switch);
}

/* Queues the switches at the NICs by which hosts send to host `to`. */
static void begin_at_nics(struct search *s, uint32_t to)
{
    for (uint32_t from = 0; from < s->topo->host_count; from++) {
        const struct weir_node *node = &s->topo->node[from];
        uint32_t nics = s->every_nic ? (1u << node->out_count) - 1 : weir_route_nics(s->r, s->topo, from, to);
        for (; nics != 0 && from != to; nics &= nics - 1) {
            uint32_t at = s->topo->link[node->first_out + (uint32_t)__builtin_ctz(nics)].dst;
            if (is_switch(s, at))
                reach(s, at - s->topo->host_count);
        }
    }
}

/* Adds the dependencies of all packets to target `to`, from the hosts of all others. With trees, only those of packets
 * in this tree. */
static void add_target(struct search *s, uint32_t to, uint32_t tree)
{
    s->queued = 0;
    s->round++; /* 8192 first-hop switches by 4095 trees fit */
    if (s->r->links != NULL)
        begin_at_nics(s, to);
    else
        begin_at_switches(s, to);
    WEIR_ASSERT(s->queued <= s->topo->switch_count);
    for (uint32_t i = 0; i < s->queued; i++)
        follow(s, s->queue[i], to, tree);
    for (uint32_t i = 0; i < s->queued; i++)
        depend_all(s, s->queue[i], to, tree);
}

/* --- cycles in it --- */

/* Returns the next link on which a link depends; NO_LINK = there is no further one. *at: the bit at which to begin; it
 * is moved past the bit that was found. */
static uint32_t next_link(const struct search *s, uint32_t link, uint32_t *at)
{
    const struct weir_link *l = &s->topo->link[link];
    const struct ports *p = &s->ports[l->dst - s->topo->host_count];
    const uint64_t *row = row_of(s, p, l->reverse - p->first);
    while (*at < p->count) {
        uint64_t left = row[*at / 64] >> *at % 64;
        if (left == 0) {
            *at = (*at / 64 + 1) * 64;
            continue;
        }
        *at += (uint32_t)__builtin_ctzll(left);
        return p->first + (*at)++;
    }
    return NO_LINK;
}

/* Searches for a cycle, depth first, among the links that can be reached from `from`. @return a link on a cycle;
 * NO_LINK = there is none */
static uint32_t search_from(struct search *s, uint32_t from)
{
    uint32_t depth = 1;
    s->path[0] = from;
    s->position[from] = 1;
    while (depth > 0) {
        uint32_t at = s->path[depth - 1], next = next_link(s, at, &s->tried[at]);
        if (next == NO_LINK) {
            s->position[at] = UINT32_MAX;
            depth--;
        } else if (s->position[next] == 0) {
            s->path[depth] = next;
            s->position[next] = ++depth;
        } else if (s->position[next] != UINT32_MAX) {
            return next;
        }
    }
    return NO_LINK;
}

/* Finds a shortest cycle through link `start`, which must be on a cycle: searches breadth first until a link feeds
 * start again. @return number of links of the cycle, which are in s->path */
static uint32_t shortest_cycle(struct search *s, uint32_t start)
{
    uint32_t head = 0, tail = 0, last = NO_LINK, count = 0;
    memset(s->parent, 0xff, s->topo->link_count * sizeof(*s->parent)); /* all NO_LINK */
    s->path[tail++] = start;
    while (last == NO_LINK) {
        uint32_t at = s->path[head++], bit = 0, next;
        while (last == NO_LINK && (next = next_link(s, at, &bit)) != NO_LINK) {
            if (next == start)
                last = at;
            else if (s->parent[next] == NO_LINK) {
                s->parent[next] = at;
                s->path[tail++] = next;
            }
        }
    }
    for (uint32_t at = last; at != start; at = s->parent[at])
        s->tried[count++] = at;
    s->path[0] = start;
    for (uint32_t i = 0; i < count; i++)
        s->path[1 + i] = s->tried[count - 1 - i];
    return count + 1;
}

static void write_cycle(const struct search *s, uint32_t count, uint32_t *cycle, uint32_t max)
{
    uint32_t lowest = 0;
    for (uint32_t i = 1; i < count; i++)
        lowest = s->path[i] < s->path[lowest] ? i : lowest;
    for (uint32_t i = 0; i < count && i < max; i++)
        cycle[i] = s->path[(lowest + i) % count];
}

static uint32_t find_cycle(struct search *s, uint32_t *cycle, uint32_t max)
{
    uint32_t found = NO_LINK, count;
    for (uint32_t l = 0; l < s->topo->link_count && found == NO_LINK; l++)
        if (s->position[l] == 0 && is_switch(s, s->topo->link[l].src) && is_switch(s, s->topo->link[l].dst))
            found = search_from(s, l);
    if (found == NO_LINK)
        return 0;
    count = shortest_cycle(s, found);
    write_cycle(s, count, cycle, max);
    return count;
}

/* --- together --- */

static bool alloc_search(struct search *s, uint64_t elements)
{
    size_t links = s->topo->link_count, switches = s->topo->switch_count;
    s->bits = calloc(elements + 1, sizeof(*s->bits));
    s->mask = calloc(WEIR_PORTS_MAX / 64 + 1, sizeof(*s->mask));
    s->seen = calloc(switches, sizeof(*s->seen));
    s->queue = calloc(switches, sizeof(*s->queue));
    s->used = calloc(links + 1, sizeof(*s->used));
    s->path = calloc(links + 1, sizeof(*s->path));
    s->position = calloc(links + 1, sizeof(*s->position));
    s->tried = calloc(links + 1, sizeof(*s->tried));
    s->parent = calloc(links + 1, sizeof(*s->parent));
    return s->bits != NULL && s->mask != NULL && s->seen != NULL && s->queue != NULL && s->used != NULL &&
           s->path != NULL && s->position != NULL && s->tried != NULL && s->parent != NULL;
}

static void free_search(struct search *s)
{
    free(s->ports);
    free(s->bits);
    free(s->mask);
    free(s->seen);
    free(s->queue);
    free(s->used);
    free(s->path);
    free(s->position);
    free(s->tried);
    free(s->parent);
}

bool weir_route_goes_up_and_down(const struct weir_topology *topo)
{
    bool all_up = true;
    for (uint32_t l = 0; l < topo->link_count; l++)
        all_up = all_up && topo->link[l].up;
    return topo->layered && all_up;
}

int weir_route_cycle(const struct weir_routes *r, const struct weir_topology *topo, bool every_nic, uint32_t *cycle,
                     uint32_t max, uint32_t *count, struct weir_err *err)
{
    struct search s = { .r = r, .topo = topo, .every_nic = every_nic };
    uint64_t elements;
    int code = 0;
    *count = 0;
    if (topo->switch_count == 0 || weir_route_goes_up_and_down(topo))
        return 0;
    s.ports = calloc(topo->switch_count, sizeof(*s.ports));
    elements = s.ports != NULL ? count_ports(&s) : 0;
    if (elements > WEIR_CYCLE_BYTES_MAX / 8)
        code = weir_fail(err, WEIR_E_RANGE, NULL, NULL,
                         "the network is too large for a search for cyclic buffer dependencies");
    else if (s.ports == NULL || !alloc_search(&s, elements))
        code = weir_fail_memory(err);
    else {
        uint32_t trees = r->tree_count > 0 ? r->tree_count : 1;
        for (uint32_t to = 0; to < r->edge_count; to++)
            for (uint32_t tree = 0; tree < trees; tree++)
                add_target(&s, to, tree);
        *count = find_cycle(&s, cycle, max);
    }
    free_search(&s);
    return code;
}
