/* src/results/output/topology_svg_nics.c - places hosts with several NICs in a drawing. Switches that join hosts
 * alone are drawn below the hosts, if others do not. A host stands with the others of such a switch, which is in their
 * server; else with those of its switch that has the fewest hosts. */
#include "core/assert.h"
#include "output/topology_svg.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum {
    PITCH_MAX = 100, /* most from host to host */
    LABEL_Y = 20,    /* for slanted labels of the switches below the hosts */
};

static bool is_switch(const struct drawing *d, uint32_t node)
{
    return node >= d->topo->host_count;
}

/* --- rows --- */

bool weir_drawing_find_rows(struct drawing *d)
{
    const struct weir_topology *t = d->topo;
    uint32_t above[WEIR_AUDIT_TIERS_MAX + 1] = { 0 }, alone = 0;
    bool has_nics = weir_topology_has_nics(t);
    if (has_nics && (d->below = calloc(t->node_count, sizeof(*d->below))) == NULL)
        return false;
    for (uint32_t n = t->host_count; n < t->node_count; n++)
        alone += weir_topology_host_ports(t, n) == t->node[n].out_count;
    for (uint32_t n = t->host_count; n < t->node_count; n++) {
        bool below = has_nics && alone < t->switch_count && weir_topology_host_ports(t, n) == t->node[n].out_count;
        if (below)
            d->below[n] = true;
        else
            above[weir_audit_tier_of(t, n)]++;
    }
    for (uint32_t tier = 1; tier <= WEIR_AUDIT_TIERS_MAX; tier++)
        d->row[tier] = above[tier] > 0 ? ++d->rows : 0;
    return true;
}

uint32_t weir_drawing_below_y(const struct drawing *d)
{
    return d->y[0] + DRAWING_HOST_Y;
}

/* --- blocks --- */

/* Tests whether hosts rather stand with those of switch a than with those of b: a is below the hosts, or has fewer. */
static bool is_nearer(const struct drawing *d, uint32_t a, uint32_t b)
{
    if (d->below[a] != d->below[b])
        return d->below[a];
    return weir_topology_host_ports(d->topo, a) < weir_topology_host_ports(d->topo, b);
}

/* Returns the switch of a host with whose hosts it stands, of equals the first by NIC; NONE = it has cables to hosts
 * alone. */
static uint32_t home_of(const struct drawing *d, uint32_t host)
{
    const struct weir_node *node = &d->topo->node[host];
    uint32_t home = NONE;
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
        uint32_t to = d->topo->link[l].dst;
        if (is_switch(d, to) && (home == NONE || is_nearer(d, to, home)))
            home = to;
    }
    return home;
}

/* Numbers the blocks in the order of their lowest hosts, and lists the hosts of each. block_at: memory for node_count +
 * 1 numbers, all 0: the block of each switch, from 1. The last is of hosts that have no switch. */
static void fill_blocks(struct drawing *d, uint32_t *block_at)
{
    const struct weir_topology *t = d->topo;
    for (uint32_t h = 0; h < t->host_count; h++) {
        uint32_t home = home_of(d, h), *block = &block_at[home == NONE ? t->node_count : home];
        if (*block == 0)
            *block = ++d->blocks;
        d->block_of[h] = *block - 1;
        d->first[*block]++;
    }
    for (uint32_t b = 1; b <= d->blocks; b++)
        d->first[b] += d->first[b - 1];
    for (uint32_t h = t->host_count; h-- > 0;) /* moves the end of each block to its first host */
        d->host[--d->first[d->block_of[h] + 1]] = h;
    for (uint32_t b = 0; b < d->blocks; b++)
        d->first[b] = d->first[b + 1];
    d->first[d->blocks] = t->host_count;
    WEIR_ASSERT(d->first[0] == 0);
}

/* Returns the width of a block in the drawing. pitch: from host to host */
static uint32_t slot_of(const struct drawing *d, uint32_t block, uint32_t pitch)
{
    uint32_t slot = d->blocks <= DRAWING_WIDE_MAX ? DRAWING_WIDE_SLOT : DRAWING_NARROW_SLOT;
    uint32_t wide = d->hosts_one_by_one ? (d->first[block + 1] - d->first[block] + 1) * pitch : 0;
    return wide > slot ? wide : slot;
}

/* Places the hosts of all blocks in the middle of a row. @return the width of all */
static uint32_t lay_out_hosts(struct drawing *d)
{
    uint32_t pitch = DRAWING_WIDTH / (d->topo->host_count + d->blocks), width = 0, x = DRAWING_LEFT;
    pitch = pitch < DRAWING_HOST_X ? DRAWING_HOST_X : pitch > PITCH_MAX ? PITCH_MAX : pitch;
    for (uint32_t b = 0; b < d->blocks; b++)
        width += slot_of(d, b, pitch);
    x += width < DRAWING_WIDTH ? (DRAWING_WIDTH - width) / 2 : 0;
    for (uint32_t b = 0; b < d->blocks; b++) {
        uint32_t hosts = d->first[b + 1] - d->first[b], slot = slot_of(d, b, pitch);
        uint32_t step = d->hosts_one_by_one ? pitch : 0;
        for (uint32_t i = 0; i < hosts; i++)
            d->x[d->host[d->first[b] + i]] = x + slot / 2 - (hosts - 1) * step / 2 + i * step;
        x += slot;
    }
    return width;
}

/* Adds room for what is below the hosts: switches, or cables between hosts. */
static void add_room(struct drawing *d)
{
    const struct weir_topology *t = d->topo;
    uint32_t room = 0;
    for (uint32_t n = t->host_count; n < t->node_count; n++)
        room = d->below[n] ? DRAWING_HOST_Y + LABEL_Y : room;
    for (uint32_t l = 0; d->hosts_one_by_one && l < t->link_count && !is_switch(d, t->link[l].src); l++)
        room = is_switch(d, t->link[l].dst) ? room : DRAWING_HOST_Y;
    d->height += room;
}

bool weir_drawing_lay_out_nics(struct drawing *d)
{
    uint32_t *block_at = calloc(d->topo->node_count + (size_t)1, sizeof(*block_at));
    bool has_memory;
    d->block_of = calloc(d->topo->host_count, sizeof(*d->block_of));
    d->host = calloc(d->topo->host_count, sizeof(*d->host));
    d->first = calloc(d->topo->host_count + (size_t)1, sizeof(*d->first));
    has_memory = block_at != NULL && d->block_of != NULL && d->host != NULL && d->first != NULL;
    if (has_memory) {
        fill_blocks(d, block_at);
        weir_drawing_set_size(d, lay_out_hosts(d));
        add_room(d);
    }
    free(block_at);
    return has_memory;
}

/* --- drawing --- */

/* Draws a block's lines to the switches of its hosts: one to each, in the colour of the first cable. d->order has, by
 * switch, the last block with a line to it, from 1. */
static void put_lines(const struct drawing *d, uint32_t block)
{
    const struct weir_topology *t = d->topo;
    for (uint32_t i = d->first[block]; i < d->first[block + 1]; i++) {
        const struct weir_node *node = &t->node[d->host[i]];
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
            uint32_t to = t->link[l].dst;
            if (!is_switch(d, to) || d->order[to - t->host_count] == block + 1)
                continue;
            d->order[to - t->host_count] = block + 1;
            (void)fprintf(d->out, "<path class='c%" PRIu32 "' d='M%" PRIu32 " %" PRIu32 "L%" PRIu32 " %" PRIu32 "'/>\n",
                          weir_drawing_colour(d, t->link[l].rate_bps), d->x[d->host[i]], d->y[d->host[i]], d->x[to],
                          d->y[to]);
        }
    }
}

void weir_drawing_put_blocks(const struct drawing *d)
{
    memset(d->order, 0, d->topo->switch_count * sizeof(*d->order)); /* the layout is done */
    for (uint32_t b = 0; b < d->blocks; b++) {
        uint32_t host = d->host[d->first[b]];
        put_lines(d, b);
        (void)fprintf(d->out, "<rect class='h' x='%" PRIu32 "' y='%" PRIu32 "' width='10' height='7'/>\n",
                      d->x[host] - 5, d->y[host] - 3);
    }
}

void weir_drawing_label_blocks(const struct drawing *d)
{
    for (uint32_t b = 0; b < d->blocks; b++) {
        uint32_t hosts = d->first[b + 1] - d->first[b], first = d->host[d->first[b]],
                 last = d->host[d->first[b + 1] - 1];
        weir_drawing_put_numbers(d, (d->x[first] + d->x[last]) / 2, d->y[first] + 18,
                                 last - first == hosts - 1 && d->blocks <= DRAWING_WIDE_MAX, first, hosts);
    }
}
