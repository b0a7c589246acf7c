/* src/scenario/config/tree.h - a YAML text as a tree of maps, lists and values, each with its position. The tree knows
 * nothing of the meaning of keys. Nodes and their texts lie in an arena, which a scenario keeps, so a token stays valid
 * as long as the scenario. */
#ifndef WEIR_CONFIG_TREE_H
#define WEIR_CONFIG_TREE_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>

#define WEIR_TREE_DEPTH_MAX 10u      /* deepest: figures[0].tables[0].main.where.scheme[0] of an experiment */
#define WEIR_TREE_CHILDREN_MAX 1024u /* most children of one map, and of one list of a scenario */

struct weir_tree_arena; /* memory that is freed all at once */
/* Allocates an empty arena; NULL = no memory. */
struct weir_tree_arena *weir_tree_arena_new(void);
/* Returns size bytes of the arena, zeroed and aligned to 16; NULL = no memory. */
void *weir_tree_arena_take(struct weir_tree_arena *arena, size_t size);
/* Returns a copy, in the arena, of length bytes of text, with a NUL behind; NULL = no memory. */
char *weir_tree_arena_text(struct weir_tree_arena *arena, const char *text, size_t length);
/* Frees the arena and everything in it. arena: may be NULL */
void weir_tree_arena_free(struct weir_tree_arena *arena);

enum weir_tree_kind {
    WEIR_TREE_VALUE,
    WEIR_TREE_MAP,
    WEIR_TREE_LIST,
};

struct weir_tree { /* one node */
    enum weir_tree_kind kind;
    bool is_empty;       /* VALUE: the text has nothing where the value belongs */
    bool is_quoted;      /* VALUE: in double quotes */
    bool has_quoted_key; /* child of a map: the same of its key */
    uint32_t count;      /* MAP, LIST: number of children */
    struct weir_tok key; /* child of a map: its key; any other node: text NULL */
    struct weir_tok at;  /* VALUE: its text and position; MAP, LIST: position of the beginning, text "" */
    struct weir_tree *first, *last, *next; /* first and last child; next child of the same parent */
};

/* Appends a child to a node. @return the child, zeroed; NULL = no memory */
struct weir_tree *weir_tree_add(struct weir_tree_arena *arena, struct weir_tree *parent);
/* Appends a copy of `node`, with its key and all its children, to a node. @return false = no memory */
bool weir_tree_add_copy(struct weir_tree_arena *arena, struct weir_tree *parent, const struct weir_tree *node);
/* Returns the child of a map that has this key; NULL = there is none, or map is NULL or no map. */
struct weir_tree *weir_tree_find(const struct weir_tree *map, const char *key);
/* Returns the kind of a node for messages: "a map", "a list", "a single value", or "nothing" for an empty value. */
const char *weir_tree_kind_text(const struct weir_tree *node);

/**
 * Sets one value by its path, and replaces what the tree has there. Maps on the path that do not exist are added.
 * @param path   "protocol.g", "traffic[0].load"; items of lists must exist
 * @param value  text and position of the value; keys that are added get the same position
 * @return 0, or a code with err: no path, no such item, or no memory
 */
int weir_tree_set(struct weir_tree_arena *arena, struct weir_tree *root, const char *path, const struct weir_tok *value,
                  struct weir_err *err);
#endif
