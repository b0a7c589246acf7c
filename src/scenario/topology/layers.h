/* src/scenario/topology/layers.h - routes of networks in layers, without a search: leaf-spines and fat-trees whose
 * cables are all up. The ports of a switch towards a first-hop switch then are those down to it, or else all its ports
 * up. So most switches have the same entries, and rows of entries are stored once. The work is linear in the links.
 *
 * What is checked of the network, and why the ports are those of a search:
 * 1. Every cable between switches is up, and joins neighbouring tiers.
 * 2. The first-hop switches below a switch are consecutive; so are those below each of its neighbours below, and of two
 *    such neighbours they are the same or have none in common.
 * 3. All neighbours above a switch have the same first-hop switches below them. Of a tier, switches with the same
 *    first-hop switches below them agree in those of their neighbours above, too.
 * 4. A switch without neighbours above has all first-hop switches below it.
 * Say that a switch is of the class (tier, first-hop switches below). Take a first-hop switch e below it. Each cable is
 * one tier, so no path to e is shorter than one that goes down in each step. All ports down to e are shortest, and no
 * others. If e is not below, the distance depends on the class alone, by induction from the top. By 3 all neighbours
 * above are of one class, and nearer to e by one. A neighbour below does not have e below it either. Its neighbours
 * above are of the class of this switch, so it is farther by one. All ports up are shortest, and no others. */
#ifndef WEIR_TOPOLOGY_LAYERS_H
#define WEIR_TOPOLOGY_LAYERS_H
#include "topology/lists.h"

/* Sets routes->below, by switch: the first-hop switches below it. Leaves NULL there if the network is not in layers.
 * @return 0, or WEIR_E_MEMORY with err */
int weir_layers_find(struct weir_routes *routes, const struct weir_topology *topo, struct weir_err *err);

/* Fills routes->entry, row and row_of, by the classes that weir_layers_find() found. @return 0, or with err
 * WEIR_E_MEMORY or a code of weir_lists_intern() */
int weir_layers_fill(struct weir_lists *lists, const struct weir_topology *topo, struct weir_err *err);
#endif
