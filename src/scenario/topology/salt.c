/* src/scenario/topology/salt.c - what a seed changes of routes, and routes that differ in nothing else. */
#include "topology/salt.h"
#include "core/rng.h"
#include <stdlib.h>

/* Sets one salt per tier for SYMMETRIC in a layered topology. (The last argument, 1, keeps keys
 * of tiers apart from those of switches.) The reverse direction then makes the same choices: going up, tier by tier,
 * from the same lists. Going down there is only one way. TREES: one salt for all switches, so that they choose the same
 * tree. */
void weir_salts_fill(struct weir_routes *r, const struct weir_topology *topo, enum weir_routing routing, uint64_t seed)
{
    r->nic_salt = (uint32_t)(weir_rng_key(seed, 0, WEIR_RNG_SWITCH_SALT, 3) >> 32);
    for (uint32_t sw = 0; sw < r->switch_count; sw++) {
        uint64_t key = weir_rng_key(seed, sw, WEIR_RNG_SWITCH_SALT, 0);
        if (routing == WEIR_ROUTE_SYMMETRIC && topo->layered)
            key = weir_rng_key(seed, topo->node[r->first_switch + sw].tier, WEIR_RNG_SWITCH_SALT, 1);
        else if (routing == WEIR_ROUTE_TREES)
            key = weir_rng_key(seed, 0, WEIR_RNG_SWITCH_SALT, 2);
        r->salt[sw] = (uint32_t)(key >> 32);
    }
}

int weir_routes_share(struct weir_routes *routes, const struct weir_routes *of, const struct weir_topology *topo,
                      enum weir_routing routing, uint64_t seed, struct weir_err *err)
{
    *routes = *of;
    routes->is_shared = true;
    routes->salt = calloc(of->switch_count, sizeof(*routes->salt));
    if (routes->salt != NULL) {
        weir_salts_fill(routes, topo, routing, seed);
        return 0;
    }
    *routes = (struct weir_routes){ 0 };
    return weir_fail(err, WEIR_E_MEMORY, NULL, "a smaller topology needs less", "no memory for routes");
}

/* Frees the tables, which are not shared. */
static void free_tables(struct weir_routes *routes)
{
    if (routes->by_host != routes->entry)
        free(routes->by_host);
    free(routes->entry);
    free(routes->row);
    free(routes->row_of);
    free(routes->below);
    free(routes->links);
    free(routes->nics);
    free(routes->port);
    free(routes->own_edge);
    free(routes->host);
    free(routes->step);
    free(routes->first_step);
}

void weir_routes_free(struct weir_routes *routes)
{
    if (!routes->is_shared)
        free_tables(routes);
    free(routes->salt);
    *routes = (struct weir_routes){ 0 };
}
