/* src/scenario/topology/tree.h - spanning trees for fabric.routing.mode: trees. Each connected part of the network has
 * its own. Roots are the switches of the part's highest tier: spines, core switches. From each root a breadth-first
 * search goes over the cables of which both directions are up.
 * If a switch has several equal parents or parallel cables, there is a tree for each: the i-th tree of a root takes the
 * i-th of them, modulo their number. So a leaf-spine and a fat-tree use all their cables. Between two hosts a tree has
 * one path, the same in both directions. */
#ifndef WEIR_TOPOLOGY_TREE_H
#define WEIR_TOPOLOGY_TREE_H
#include "topology/topology.h"

#define WEIR_TREES_MAX 4095u /* largest number of trees of a network; a routing entry has one port for each */

struct weir_trees {
    uint32_t count, switch_count;
    uint32_t most; /* largest number of trees of one part */
    /* [tree][switch]: the next switch towards the root; the root has itself; UINT32_MAX = not in the tree */
    uint32_t *parent;
    uint16_t *up;    /* [tree][switch]: the port that leads to parent */
    uint32_t *aimed; /* [tree][switch]: the latest target below the switch, + 1; 0 = none so far */
    uint16_t *down;  /* [tree][switch]: the port that leads to the target in aimed */
};

/**
 * Finds the spanning trees over the cables that are up. Leaves out a root that is more than
 * (WEIR_TOPOLOGY_HOPS_MAX - 2) / 2 links away from a first-hop switch of its part. (In the trees of such a root, a path
 * between hosts might have more than WEIR_TOPOLOGY_HOPS_MAX links.)
 * @return 0, or with err WEIR_E_RANGE (more than WEIR_TREES_MAX trees) or WEIR_E_MEMORY; then nothing needs freeing
 */
int weir_trees_find(struct weir_trees *trees, const struct weir_topology *topo, struct weir_err *err);
void weir_trees_free(struct weir_trees *trees);

/* Prepares weir_trees_ports() for packets to one target. target: a switch, counted from the first switch */
void weir_trees_aim(struct weir_trees *trees, const struct weir_topology *topo, uint32_t target);

/**
 * Writes the ports of switch sw towards a target: one for each tree that contains both switches. Ports are in the order
 * of trees, which is the same at all switches.
 * @param target  the argument of the last weir_trees_aim()
 * @param sw      counted from the first switch
 * @param list    room for WEIR_TREES_MAX ports
 * @return number of ports; 0 = the switch is the target, or there is no way
 */
uint32_t weir_trees_ports(const struct weir_trees *trees, uint32_t target, uint32_t sw, uint16_t *list);
#endif
