/* src/scenario/config/tree.h - a scenario's text as maps, lists and values, each with its position; nothing of what the
 * keys mean. Nodes and their texts live in an arena that the scenario keeps, so a token stays valid as long as the
 * scenario does. */
#ifndef WEIR_CONFIG_TREE_H
#define WEIR_CONFIG_TREE_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>

#define WEIR_TREE_DEPTH_MAX 8u       /* deepest scenario key: fabric.events[0].at */
#define WEIR_TREE_CHILDREN_MAX 1024u /* of one map, and of one list of a scenario */

struct weir_tree_arena;                                                 /* memory that is given back all at once */
struct weir_tree_arena *weir_tree_arena_new(void);                      /* NULL = no memory */
void *weir_tree_arena_take(struct weir_tree_arena *arena, size_t size); /* zeroed, aligned to 16; NULL = no memory */
char *weir_tree_arena_text(struct weir_tree_arena *arena, const char *text,
                           size_t length); /* a copy with a NUL; NULL = no memory */
void weir_tree_arena_free(struct weir_tree_arena *arena);

enum weir_tree_kind {
    WEIR_TREE_VALUE,
    WEIR_TREE_MAP,
    WEIR_TREE_LIST,
};

struct weir_tree {
    enum weir_tree_kind kind;
    bool is_empty;       /* VALUE: nothing was written */
    uint32_t count;      /* MAP, LIST: children */
    struct weir_tok key; /* child of a map: its key; else text NULL */
    struct weir_tok at;  /* VALUE: its text; MAP, LIST: where it begins, text "" */
    struct weir_tree *first, *last, *next;
};

/* Adds a new last child. @return NULL = no memory */
struct weir_tree *weir_tree_add(struct weir_tree_arena *arena, struct weir_tree *parent);
struct weir_tree *weir_tree_find(const struct weir_tree *map, const char *key); /* NULL = not there, or no map */
const char *weir_tree_kind_text(const struct weir_tree *node);                  /* "a map" */

/**
 * Sets one value, over what is there; maps on the way are made.
 * @param path   "protocol.g", "traffic[0].load"; list items must exist
 * @param value  text, and the file that new keys count as written in
 * @return 0, or a code with err
 */
int weir_tree_set(struct weir_tree_arena *arena, struct weir_tree *root, const char *path, const struct weir_tok *value,
                  struct weir_err *err);
#endif
