/* src/scenario/topology/levels.c - see levels.h. */
#include "topology/levels.h"
#include "core/assert.h"
#include "core/math.h"
#include "topology/ends.h"
#include <stdlib.h>
#include <string.h>

struct climb { /* all first-hop switches, at one level */
    const struct weir_routes *r;
    const struct weir_topology *topo;
    uint32_t *at;   /* edge_count: the switch that each has climbed to, counted from the first; at level 0 itself */
    uint32_t *from; /* edge_count: the same at the level before */
    uint32_t *link; /* edge_count: the link up between the two */
    uint32_t level;
};

static bool climb_init(struct climb *c, const struct weir_routes *r, const struct weir_topology *topo)
{
    *c = (struct climb){ .r = r, .topo = topo };
    c->at = malloc(r->edge_count * sizeof(*c->at));
    c->from = malloc(r->edge_count * sizeof(*c->from));
    c->link = malloc(r->edge_count * sizeof(*c->link));
    for (uint32_t e = 0; e < r->edge_count && c->at != NULL; e++)
        c->at[e] = r->edge_node[e] - r->first_switch;
    return c->at != NULL && c->from != NULL && c->link != NULL;
}

static void climb_free(struct climb *c)
{
    free(c->at);
    free(c->from);
    free(c->link);
}

/* Returns the first link of a switch that leads up; UINT32_MAX = none does. */
static uint32_t link_up(const struct climb *c, uint32_t sw)
{
    const struct weir_node *node = &c->topo->node[c->r->first_switch + sw];
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++)
        if (c->topo->node[c->topo->link[l].dst].tier > node->tier)
            return l;
    return UINT32_MAX;
}

/* Goes to the next level. @return false = this was the last; all first-hop switches are in one group there */
static bool climb(struct climb *c)
{
    if (link_up(c, c->at[0]) == UINT32_MAX)
        return false;
    for (uint32_t e = 0; e < c->r->edge_count; e++) {
        c->link[e] = link_up(c, c->at[e]);
        WEIR_ASSERT(c->link[e] != UINT32_MAX); /* groups of a level are as high as each other */
        c->from[e] = c->at[e];
        c->at[e] = c->topo->link[c->link[e]].dst - c->r->first_switch;
    }
    c->level++;
    return true;
}

uint32_t weir_levels_links_max(const struct weir_routes *r, const struct weir_topology *topo)
{
    uint32_t links = 0;
    struct climb c;
    bool has_memory = climb_init(&c, r, topo);
    while (has_memory && climb(&c))
        for (uint32_t e = 0; e < r->edge_count; e++) {
            const struct weir_route_range *group = &r->below[c.at[e]], *part = &r->below[c.from[e]];
            if (group->first != part->first || group->end != part->end)
                links = 2 * c.level;
        }
    climb_free(&c);
    return has_memory ? links + 2 : 0; /* 2: the links of the two hosts */
}

bool weir_levels_switches(const struct weir_routes *r, const struct weir_topology *topo, uint8_t *out)
{
    struct climb c;
    bool has_memory = climb_init(&c, r, topo);
    for (uint32_t e = 0; e < r->edge_count && has_memory; e++)
        out[(size_t)e * r->edge_count + e] = 1;
    while (has_memory && climb(&c))
        for (uint32_t e = 0; e < r->edge_count; e++) {
            const struct weir_route_range *group = &r->below[c.at[e]], *part = &r->below[c.from[e]];
            uint8_t *row = &out[(size_t)e * r->edge_count], switches = (uint8_t)(2 * c.level + 1);
            memset(&row[group->first], switches, part->first - group->first);
            memset(&row[part->end], switches, group->end - part->end);
        }
    climb_free(&c);
    return has_memory;
}

/* --- round trips --- */

/* Sets the parts of each first-hop switch to the largest of its hosts. @return the longest trip between two hosts of
 * one first-hop switch */
static uint64_t begin_parts(const struct weir_ends *ends, uint32_t edges, uint64_t *send_ps, uint64_t *receive_ps)
{
    uint64_t longest = 0;
    for (uint32_t e = 0; e < edges; e++) {
        send_ps[e] = ends[e].send_ps;
        receive_ps[e] = ends[e].receive_ps;
        longest = weir_max_u64(longest, weir_ends_sum_ps(&ends[e]));
    }
    return longest;
}

/* Adds the links of the present level to the parts of each first-hop switch. */
static void add_links(const struct climb *c, uint32_t data_wire_bytes, uint32_t ack_wire_bytes, uint64_t *send_ps,
                      uint64_t *receive_ps)
{
    for (uint32_t e = 0; e < c->r->edge_count; e++) {
        const struct weir_link *up = &c->topo->link[c->link[e]], *down = &c->topo->link[up->reverse];
        send_ps[e] += weir_link_ps(up, data_wire_bytes) + weir_link_ps(down, ack_wire_bytes);
        receive_ps[e] += weir_link_ps(down, data_wire_bytes) + weir_link_ps(up, ack_wire_bytes);
    }
}

/* Returns the longest trip that is highest at the present level: between two parts of the group of first-hop switch
 * `first`, which is its first. */
static uint64_t group_ps(const struct climb *c, uint32_t first, const uint64_t *send_ps, const uint64_t *receive_ps)
{
    struct weir_ends ends = { 0 };
    uint32_t end = c->r->below[c->at[first]].end;
    WEIR_ASSERT(c->r->below[c->at[first]].first == first);
    for (uint32_t e = first; e < end;) {
        uint32_t part = e, part_end = c->r->below[c->from[e]].end;
        uint64_t send = 0, receive = 0;
        WEIR_ASSERT(part < part_end && part_end <= end);
        for (; e < part_end; e++) {
            send = weir_max_u64(send, send_ps[e]);
            receive = weir_max_u64(receive, receive_ps[e]);
        }
        weir_ends_add(&ends, send, receive, part);
    }
    return weir_ends_sum_ps(&ends);
}

uint64_t weir_levels_base_rtt_ps(const struct weir_routes *r, const struct weir_topology *topo,
                                 uint32_t data_wire_bytes, uint32_t ack_wire_bytes)
{
    struct weir_ends *ends = calloc(r->edge_count, sizeof(*ends));
    uint64_t *send_ps = calloc(r->edge_count, sizeof(*send_ps));
    uint64_t *receive_ps = calloc(r->edge_count, sizeof(*receive_ps));
    uint64_t longest = UINT64_MAX;
    struct climb c;
    if (climb_init(&c, r, topo) && ends != NULL && send_ps != NULL && receive_ps != NULL) {
        weir_ends_of_hosts(ends, topo, data_wire_bytes, ack_wire_bytes);
        longest = begin_parts(ends, r->edge_count, send_ps, receive_ps);
        while (climb(&c)) {
            add_links(&c, data_wire_bytes, ack_wire_bytes, send_ps, receive_ps);
            for (uint32_t e = 0; e < r->edge_count; e = r->below[c.at[e]].end)
                longest = weir_max_u64(longest, group_ps(&c, e, send_ps, receive_ps));
        }
    }
    climb_free(&c);
    free(ends);
    free(send_ps);
    free(receive_ps);
    return longest;
}
