/* src/scenario/topology/lists.h - the lists of ports that entries of routes refer to. Equal lists are stored once. A
 * fat-tree of k = 32 has 655360 entries but 33 different lists. So the lists that a packet needs stay in the cache. (A
 * list for each entry would be 8 million ports.) */
#ifndef WEIR_TOPOLOGY_LISTS_H
#define WEIR_TOPOLOGY_LISTS_H
#include "topology/route.h"

#define WEIR_LISTS_PORTS_MAX (1u << WEIR_ROUTE_FIRST_BITS)

struct weir_lists { /* the lists while routes are built */
    struct weir_routes *routes;
    uint16_t *list; /* room for WEIR_PORTS_MAX ports: the list that is looked up */
    uint32_t *slot; /* open hash table of the entries whose lists are stored; 0 = free */
    uint32_t slot_mask;
};

/* Makes an empty table, and routes->port. lists_max: how many lists there may be. @return false = no memory;
 * weir_lists_free() then frees what was allocated */
bool weir_lists_init(struct weir_lists *lists, struct weir_routes *routes, size_t lists_max);
/* Frees the table. The lists themselves are of the routes: gives back the memory behind the last one. */
void weir_lists_free(struct weir_lists *lists);

/* Sets *entry to the entry of the first `count` ports in lists->list, which are stored if they are new; to 0 if there
 * are none. @return 0, or WEIR_E_RANGE with err if there is no room, or a list has more than 4095 ports */
int weir_lists_intern(struct weir_lists *lists, uint32_t count, uint32_t *entry, struct weir_err *err);
#endif
