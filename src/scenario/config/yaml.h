/* src/scenario/config/yaml.h - reads YAML text into a tree. One document of maps, lists and plain or quoted values is
 * allowed. Anchors, aliases and tags, which no scenario needs, are refused. */
#ifndef WEIR_CONFIG_YAML_H
#define WEIR_CONFIG_YAML_H
#include "config/tree.h"

/**
 * Reads one YAML document. The nodes and their texts lie in the arena and are freed with it.
 * @param file      name of the file, for positions; every token keeps this pointer, so the string must live as long as
 *                  the tree
 * @param length    bytes of text
 * @param list_max  most entries of one list; one map has at most WEIR_TREE_CHILDREN_MAX
 * @param root      gets the top node, which may be of any kind: the caller checks that
 * @return 0, or a code with err: not YAML, empty, several documents, a key twice in one map, too many entries, nested
 * too deep, out of memory
 */
int weir_yaml_read(struct weir_tree_arena *arena, const char *file, const char *text, size_t length, uint32_t list_max,
                   struct weir_tree **root, struct weir_err *err);
#endif
