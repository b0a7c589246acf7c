/* src/scenario/topology/layers.c - see layers.h. A row is described by its sections: consecutive first-hop switches
 * with one entry. Switches with equal sections share a row. Rows are made of blocks, and equal blocks are stored once,
 * too. A switch of a pod has entries of its own for the pod, and the same entry for all else. */
#include "topology/layers.h"
#include "core/assert.h"
#include "topology/once.h"
#include <stdlib.h>

#define NONE UINT32_MAX

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, "a smaller topology needs less", "no memory for routes");
}

/* --- is the network in layers? --- */

static bool cables_join_tiers(const struct weir_topology *topo)
{
    for (uint32_t l = 0; l < topo->link_count; l++) {
        const struct weir_link *link = &topo->link[l];
        uint32_t from = topo->node[link->src].tier, to = topo->node[link->dst].tier;
        if (link->src < topo->host_count || link->dst < topo->host_count)
            continue;
        if (!link->up || (from + 1 != to && to + 1 != from))
            return false;
    }
    return true;
}

/* Sets what is below a switch, which is of tier 2 or more. @return false = it is not consecutive */
static bool find_below(struct weir_route_range *below, const struct weir_topology *topo, uint32_t sw)
{
    const struct weir_node *node = &topo->node[topo->host_count + sw];
    struct weir_route_range all = { 0 }, last = { 0 };
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
        const struct weir_node *peer = &topo->node[topo->link[l].dst];
        struct weir_route_range part;
        if (peer->tier > node->tier)
            continue;
        part = below[topo->link[l].dst - topo->host_count];
        if (all.end == 0)
            all.first = part.first;
        else if (part.first != all.end && (part.first != last.first || part.end != last.end))
            return false;
        all.end = part.end;
        last = part;
    }
    below[sw] = all;
    return true;
}

/* Sets *up to what is below the neighbours above a switch; to zeros if it has none. @return false = they differ */
static bool find_above(const struct weir_route_range *below, const struct weir_topology *topo, uint32_t sw,
                       struct weir_route_range *up)
{
    const struct weir_node *node = &topo->node[topo->host_count + sw];
    *up = (struct weir_route_range){ 0 };
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
        uint32_t peer = topo->link[l].dst;
        if (topo->node[peer].tier <= node->tier)
            continue;
        if (up->end == 0)
            *up = below[peer - topo->host_count];
        else if (up->first != below[peer - topo->host_count].first || up->end != below[peer - topo->host_count].end)
            return false;
    }
    return up->end != 0 || (below[sw].first == 0 && below[sw].end == topo->edge_count);
}

/* Tests whether the switches of a tier are of classes. with: edge_count numbers; gets the first switch, plus 1, whose
 * first-hop switches begin with each */
static bool tier_has_classes(const struct weir_route_range *below, const struct weir_topology *topo, uint32_t tier,
                             uint32_t *with)
{
    for (uint32_t sw = 0; sw < topo->switch_count; sw++) {
        struct weir_route_range up, same_up = { 0 };
        uint32_t *same;
        if (topo->node[topo->host_count + sw].tier != tier)
            continue;
        same = &with[below[sw].first];
        if (!find_above(below, topo, sw, &up))
            return false;
        if (*same == 0)
            *same = sw + 1;
        (void)find_above(below, topo, *same - 1, &same_up); /* it was asked before */
        if (below[sw].end != below[*same - 1].end || up.first != same_up.first || up.end != same_up.end)
            return false;
    }
    return true;
}

/* Tests whether the network is in layers, and fills below[]. with: edge_count numbers */
static bool has_layers(struct weir_route_range *below, const struct weir_topology *topo, uint32_t *with)
{
    uint32_t tiers = 1;
    for (uint32_t e = 0; e < topo->edge_count; e++)
        below[topo->edge_node[e] - topo->host_count] = (struct weir_route_range){ e, e + 1 };
    for (uint32_t tier = 2; tier <= tiers + 1; tier++)
        for (uint32_t sw = 0; sw < topo->switch_count; sw++) {
            if (topo->node[topo->host_count + sw].tier != tier)
                continue;
            tiers = tier;
            if (!find_below(below, topo, sw))
                return false;
        }
    for (uint32_t tier = 1; tier <= tiers; tier++) {
        for (uint32_t e = 0; e < topo->edge_count; e++)
            with[e] = 0;
        if (!tier_has_classes(below, topo, tier, with))
            return false;
    }
    return true;
}

int weir_layers_find(struct weir_routes *routes, const struct weir_topology *topo, struct weir_err *err)
{
    struct weir_route_range *below;
    uint32_t *with;
    bool found;
    routes->below = NULL;
    if (topo->edge_count == 0 || !cables_join_tiers(topo))
        return 0;
    below = calloc(topo->switch_count, sizeof(*below));
    with = calloc(topo->edge_count, sizeof(*with));
    found = below != NULL && with != NULL && has_layers(below, topo, with);
    free(with);
    if (found)
        routes->below = below;
    else
        free(below);
    return found || (below != NULL && with != NULL) ? 0 : no_memory(err);
}

/* --- rows --- */

struct layers { /* while rows are filled */
    struct weir_routes *r;
    const struct weir_topology *topo;
    struct weir_lists *lists;
    struct weir_once
        sections;            /* of each row: (end, entry) of consecutive first-hop switches; value: the row's number */
    struct weir_once blocks; /* of entries */
    uint32_t *row;           /* [row][block]: where the block begins in blocks.number */
    uint32_t rows, row_room, row_blocks;
    uint32_t *one;   /* the sections of the present row: room for 2 numbers for each port of a switch, and 4 more */
    uint32_t length; /* in `one` */
    uint32_t *block; /* the present block */
};

static void add_section(struct layers *w, uint32_t end, uint32_t entry)
{
    w->one[w->length++] = end;
    w->one[w->length++] = entry;
}

/* Sets *entry to that of the ports up. @return 0, or a code with err */
static int list_up(const struct layers *w, const struct weir_node *node, uint32_t *entry, struct weir_err *err)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < node->out_count; p++)
        if (w->topo->node[w->topo->link[node->first_out + p].dst].tier > node->tier)
            w->lists->list[count++] = (uint16_t)p;
    return weir_lists_intern(w->lists, count, entry, err);
}

/* Adds the sections of what is below a switch, which is no first-hop switch: of neighbours below that have the same
 * first-hop switches below them the ports are one list. @return 0, or a code with err */
static int list_down(struct layers *w, const struct weir_node *node, struct weir_err *err)
{
    uint32_t count = 0, end = 0, entry;
    int code = 0;
    for (uint32_t p = 0; p < node->out_count && code == 0; p++) {
        uint32_t peer = w->topo->link[node->first_out + p].dst;
        const struct weir_route_range *part = &w->r->below[peer - w->topo->host_count];
        if (w->topo->node[peer].tier > node->tier)
            continue;
        if (count > 0 && part->end != end) {
            code = weir_lists_intern(w->lists, count, &entry, err);
            add_section(w, end, entry);
            count = 0;
        }
        w->lists->list[count++] = (uint16_t)p;
        end = part->end;
    }
    WEIR_ASSERT(count > 0 && end == w->r->below[node - &w->topo->node[w->topo->host_count]].end);
    code = code != 0 ? code : weir_lists_intern(w->lists, count, &entry, err);
    add_section(w, end, code == 0 ? entry : 0);
    return code;
}

/* Describes the row of a switch in w->one. That of a first-hop switch has the ports up for the switch itself, too, so
 * that all of them share a row: this entry is never used. @return 0, or a code with err */
static int describe(struct layers *w, uint32_t sw, struct weir_err *err)
{
    const struct weir_node *node = &w->topo->node[w->topo->host_count + sw];
    const struct weir_route_range *below = &w->r->below[sw];
    uint32_t up;
    int code = list_up(w, node, &up, err);
    w->length = 0;
    if (code == 0 && node->tier > 1 && below->first > 0)
        add_section(w, below->first, up);
    if (code == 0 && node->tier > 1)
        code = list_down(w, node, err);
    if (node->tier == 1 || below->end < w->r->edge_count)
        add_section(w, w->r->edge_count, up);
    return code;
}

/* Stores the block in w->block. *where: gets its place. @return false = no memory */
static bool add_block(struct layers *w, uint32_t *where)
{
    bool is_new;
    const struct weir_once_slot *slot = weir_once_intern(&w->blocks, w->block, w->r->block_mask + 1, &is_new);
    if (slot != NULL)
        *where = slot->first;
    return slot != NULL;
}

/* Fills a new row by its sections in w->one. Blocks that are all of one section, which most are, are looked up once.
 * After the last first-hop switch comes the entry of the last section. @return false = no memory */
static bool fill_row(struct layers *w)
{
    uint32_t size = w->r->block_mask + 1, section = 0, even = NONE, where = 0;
    for (uint32_t b = 0; b < w->row_blocks; b++) {
        uint32_t first = b * size, at;
        bool is_even;
        while (w->one[section] <= first)
            section += 2;
        WEIR_ASSERT(section < w->length);
        is_even = w->one[section] >= first + size || section + 2 == w->length;
        if (!is_even || w->one[section + 1] != even) {
            at = section;
            for (uint32_t i = 0; i < size; i++) {
                if (first + i == w->one[at] && at + 2 < w->length)
                    at += 2;
                w->block[i] = w->one[at + 1];
            }
            if (!add_block(w, &where))
                return false;
            even = is_even ? w->one[section + 1] : NONE;
        }
        w->row[(size_t)w->rows * w->row_blocks + b] = where;
    }
    return true;
}

/* Makes room for one more row. @return false = no memory */
static bool more_rows(struct layers *w)
{
    uint32_t room = w->row_room == 0 ? 16 : 2 * w->row_room;
    uint32_t *bigger;
    if (w->rows < w->row_room)
        return true;
    bigger = realloc(w->row, (size_t)room * w->row_blocks * sizeof(*bigger));
    if (bigger == NULL)
        return false;
    w->row = bigger;
    w->row_room = room;
    return true;
}

/* Sets the row of a switch, which is filled if it is new. @return 0, or a code with err */
static int set_row(struct layers *w, uint32_t sw, struct weir_err *err)
{
    struct weir_once_slot *slot;
    bool is_new = false;
    int code = describe(w, sw, err);
    if (code != 0)
        return code;
    slot = weir_once_intern(&w->sections, w->one, w->length, &is_new);
    if (slot == NULL || (is_new && (!more_rows(w) || !fill_row(w))))
        return no_memory(err);
    if (is_new)
        slot->value = w->rows++;
    w->r->row_of[sw] = slot->value * w->row_blocks;
    return 0;
}

/* Returns how many first-hop switches are in a block, as a power of two: as many as a pod of a fat-tree of that size
 * has, or somewhat fewer. Then a row has about as many blocks as a block has entries. */
static uint32_t block_shift(uint32_t edges)
{
    uint32_t shift = 0;
    while ((UINT64_C(4) << 2 * shift) <= edges)
        shift++;
    return shift;
}

int weir_layers_fill(struct weir_lists *lists, const struct weir_topology *topo, struct weir_err *err)
{
    struct weir_routes *r = lists->routes;
    struct layers w = { .r = r, .topo = topo, .lists = lists };
    uint32_t ports_max = 0, *one, *block;
    int code = 0;
    r->block_shift = block_shift(r->edge_count);
    r->block_mask = (1u << r->block_shift) - 1;
    w.row_blocks = (r->edge_count + r->block_mask) >> r->block_shift;
    for (uint32_t sw = 0; sw < topo->switch_count; sw++)
        ports_max = topo->node[topo->host_count + sw].out_count > ports_max
                        ? topo->node[topo->host_count + sw].out_count
                        : ports_max;
    one = w.one = calloc(2 * (size_t)ports_max + 4, sizeof(*w.one));
    block = w.block = calloc((size_t)r->block_mask + 1, sizeof(*w.block));
    if (one == NULL || block == NULL)
        code = no_memory(err);
    for (uint32_t sw = 0; sw < topo->switch_count && code == 0; sw++)
        code = set_row(&w, sw, err);
    free(one);
    free(block);
    weir_once_free(&w.sections);
    free(w.blocks.slot);
    r->entry = w.blocks.number;
    r->row = w.row;
    return code;
}
