/* src/scenario/topology/tree.h - spanning trees for fabric.routing.mode: trees. Each connected part of the network has
 * its own. Roots are the switches of the part's highest tier: spines, core switches. From each root a breadth-first
 * search goes over the cables whose directions are both up. Where a switch has several equal parents or parallel
 * cables, there is a tree for each: the i-th tree of a root takes the i-th of them, counted round. So a leaf-spine and
 * a fat-tree use all their cables. Between two hosts a tree has one path, the same in both directions. */
#ifndef WEIR_TOPOLOGY_TREE_H
#define WEIR_TOPOLOGY_TREE_H
#include "topology/topology.h"

#define WEIR_TREES_MAX 4095u /* of one network; a routing entry has as many ports */

struct weir_trees {
    uint32_t count, switch_count;
    uint32_t most;    /* trees of one part, at most */
    uint32_t *parent; /* [tree][switch]: the next one towards the root, the root's is itself; UINT32_MAX = not in it */
    uint16_t *up;     /* [tree][switch]: the port that leads there */
    uint32_t *aimed;  /* [tree][switch]: the last target below it, counted from 1 */
    uint16_t *down;   /* [tree][switch]: the port that leads to that target */
};

/**
 * Finds the trees over the cables that are up. Trees in which two first-hop switches might be farther apart than
 * WEIR_TOPOLOGY_HOPS_MAX allows are left out: those with one deeper than half of that.
 * @return 0, or WEIR_E_RANGE: more than WEIR_TREES_MAX; WEIR_E_MEMORY; then nothing needs freeing
 */
int weir_trees_find(struct weir_trees *trees, const struct weir_topology *topo, struct weir_err *err);
void weir_trees_free(struct weir_trees *trees);

/* Makes a switch the target of weir_trees_ports(). Switches count from the first one. */
void weir_trees_aim(struct weir_trees *trees, const struct weir_topology *topo, uint32_t target);

/**
 * Finds the ports of a switch towards the target, one for each tree that has both, in the order of trees: the same
 * order at all switches.
 * @param list  WEIR_TREES_MAX
 * @return how many; 0 = the target itself, or there is no way
 */
uint32_t weir_trees_ports(const struct weir_trees *trees, uint32_t target, uint32_t sw, uint16_t *list);
#endif
