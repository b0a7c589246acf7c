/* src/scenario/topology/lists.c - see lists.h. */
#include "topology/lists.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX (UINT32_MAX >> WEIR_ROUTE_FIRST_BITS)

bool weir_lists_init(struct weir_lists *lists, struct weir_routes *routes, size_t lists_max)
{
    size_t slots = 2;
    /* a stored list has at least one port, so the table is at most half full */
    while (slots < 2 * lists_max && slots < 2 * (size_t)WEIR_LISTS_PORTS_MAX)
        slots *= 2;
    *lists = (struct weir_lists){ .routes = routes, .slot_mask = (uint32_t)(slots - 1) };
    lists->list = calloc(WEIR_PORTS_MAX, sizeof(*lists->list));
    lists->slot = calloc(slots, sizeof(*lists->slot));
    routes->port = malloc(WEIR_LISTS_PORTS_MAX * sizeof(*routes->port));
    if (routes->port != NULL)
        routes->port[routes->port_len++] = WEIR_ROUTE_PORT_NONE;
    return lists->list != NULL && lists->slot != NULL && routes->port != NULL;
}

void weir_lists_free(struct weir_lists *lists)
{
    struct weir_routes *r = lists->routes;
    uint16_t *fitted = r != NULL && r->port != NULL ? realloc(r->port, r->port_len * sizeof(*r->port)) : NULL;
    if (fitted != NULL) /* else the larger block is kept */
        r->port = fitted;
    free(lists->list);
    free(lists->slot);
    *lists = (struct weir_lists){ 0 };
}

static uint32_t hash_list(const struct weir_lists *lists, uint32_t count)
{
    uint32_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash =
            (hash ^ lists->list[i]) * UINT32_C(0x9e3779b1); /* odd and near 2^32 / golden ratio: Knuth's multiplier */
    return weir_mix_u32(hash);
}

static bool is_stored(const struct weir_lists *lists, uint32_t entry, uint32_t count)
{
    return entry >> WEIR_ROUTE_FIRST_BITS == count &&
           memcmp(&lists->routes->port[entry & WEIR_ROUTE_FIRST_MASK], lists->list, count * sizeof(*lists->list)) == 0;
}

int weir_lists_intern(struct weir_lists *lists, uint32_t count, uint32_t *entry, struct weir_err *err)
{
    struct weir_routes *r = lists->routes;
    uint32_t slot;
    WEIR_ASSERT(count <= WEIR_PORTS_MAX);
    *entry = 0;
    if (count == 0)
        return 0;
    if (count > COUNT_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "fewer spines or parallel cables",
                         "%" PRIu32 " equal paths at one switch: at most %u", count, COUNT_MAX);
    slot = hash_list(lists, count) & lists->slot_mask;
    for (; lists->slot[slot] != 0; slot = (slot + 1) & lists->slot_mask)
        if (is_stored(lists, lists->slot[slot], count)) {
            *entry = lists->slot[slot];
            return 0;
        }
    if (count > WEIR_LISTS_PORTS_MAX - r->port_len)
        return weir_fail(err, WEIR_E_RANGE, NULL, "fewer switches, or a more regular network",
                         "the equal paths of this network differ so much that they need more than %u list entries",
                         WEIR_LISTS_PORTS_MAX);
    memcpy(&r->port[r->port_len], lists->list, count * sizeof(*lists->list));
    *entry = lists->slot[slot] = r->port_len | count << WEIR_ROUTE_FIRST_BITS;
    r->port_len += count;
    return 0;
}
