/* src/results/reproduce/comparison_keys.h - finds the scenario keys whose values differ in a comparison. The resolved
 * scenarios (config/dump.h) of the file and of each law are compared. The name, the seed and the size groups are left
 * out. Keys of the section protocol are there where laws of one protocol, which are variants of it, differ in them. */
#ifndef WEIR_REPRODUCE_COMPARISON_KEYS_H
#define WEIR_REPRODUCE_COMPARISON_KEYS_H
#include "config/tree.h"
#include "reproduce/comparison.h"

#define WEIR_COMPARISON_KEYS_MAX 96u

struct weir_comparison_key {
    const char *path;                                /* "fabric.ecn.threshold" */
    const char *value[WEIR_COMPARISON_LAWS_MAX + 1]; /* [0] of the file, then of each law; "-" = the scenario has no
                                                        such key */
};

struct weir_comparison_keys {
    struct weir_comparison_key key[WEIR_COMPARISON_KEYS_MAX]; /* `count` of them, in the order of the scenario */
    uint32_t count;
    bool is_cut; /* the list is full, and at least one more key differs */
};

/**
 * Finds the keys whose values are not all the same.
 * @param text   `count` resolved scenarios, of the file, then of each law; count: 2 .. WEIR_COMPARISON_LAWS_MAX + 1
 * @param arena  owns the texts to which *keys points
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_comparison_keys_find(struct weir_comparison_keys *keys, const char *const *text, uint32_t count,
                              struct weir_tree_arena *arena, struct weir_err *err);
#endif
