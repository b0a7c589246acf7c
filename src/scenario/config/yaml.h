/* src/scenario/config/yaml.h - YAML text -> tree. One document of maps, lists and plain or quoted values; anchors,
 * aliases and tags, which no scenario needs, are refused. */
#ifndef WEIR_CONFIG_YAML_H
#define WEIR_CONFIG_YAML_H
#include "config/tree.h"

/**
 * Reads one document.
 * @param file  stays in every token; lent, as long as the tree
 * @param list_max  most entries of one list; of one map it is WEIR_TREE_CHILDREN_MAX
 * @param root  gets the top node; its kind is the caller's to check
 * @return 0, or a code with err: not YAML, empty, several documents, a key twice in one map, nested too deep
 */
int weir_yaml_read(struct weir_tree_arena *arena, const char *file, const char *text, size_t length, uint32_t list_max,
                   struct weir_tree **root, struct weir_err *err);
#endif
