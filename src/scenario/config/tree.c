/* src/scenario/config/tree.c - see tree.h: the arena, the tree, and setting a value by its path. */
#include "config/tree.h"
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 16384, ALIGN = 16, NAME_MAX_BYTES = 64, INDEX_MAX = 999999 };

struct chunk {
    struct chunk *older;
    size_t used, size;
    _Alignas(ALIGN) unsigned char bytes[];
};

struct weir_tree_arena {
    struct chunk *newest;
};

struct weir_tree_arena *weir_tree_arena_new(void)
{
    return calloc(1, sizeof(struct weir_tree_arena));
}

void *weir_tree_arena_take(struct weir_tree_arena *arena, size_t size)
{
    struct chunk *c = arena->newest;
    void *memory;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (c == NULL || c->size - c->used < size) {
        size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        c = calloc(1, sizeof(*c) + room);
        if (c == NULL)
            return NULL;
        c->older = arena->newest;
        c->size = room;
        arena->newest = c;
    }
    memory = c->bytes + c->used;
    c->used += size;
    return memory;
}

char *weir_tree_arena_text(struct weir_tree_arena *arena, const char *text, size_t length)
{
    char *copy = weir_tree_arena_take(arena, length + 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

void weir_tree_arena_free(struct weir_tree_arena *arena)
{
    if (arena == NULL)
        return;
    for (struct chunk *c = arena->newest, *older; c != NULL; c = older) {
        older = c->older;
        free(c);
    }
    free(arena);
}

struct weir_tree *weir_tree_add(struct weir_tree_arena *arena, struct weir_tree *parent)
{
    struct weir_tree *node = weir_tree_arena_take(arena, sizeof(*node));
    if (node == NULL)
        return NULL;
    if (parent->last != NULL)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    parent->count++;
    return node;
}

bool weir_tree_add_copy(struct weir_tree_arena *arena, struct weir_tree *parent, const struct weir_tree *node)
{
    struct weir_tree *copy = weir_tree_add(arena, parent);
    if (copy == NULL)
        return false;
    *copy = *node;
    copy->first = copy->last = copy->next = NULL;
    copy->count = 0;
    for (const struct weir_tree *child = node->first; child != NULL; child = child->next)
        if (!weir_tree_add_copy(arena, copy, child))
            return false;
    return true;
}

struct weir_tree *weir_tree_find(const struct weir_tree *map, const char *key)
{
    struct weir_tree *node = map != NULL && map->kind == WEIR_TREE_MAP ? map->first : NULL;
    while (node != NULL && strcmp(node->key.text, key) != 0)
        node = node->next;
    return node;
}

const char *weir_tree_kind_text(const struct weir_tree *node)
{
    switch (node->kind) {
    case WEIR_TREE_MAP:
        return "a map";
    case WEIR_TREE_LIST:
        return "a list";
    case WEIR_TREE_VALUE:
        break;
    }
    return node->is_empty ? "nothing" : "a single value";
}

/* --- setting by path --- */

struct walk { /* state while weir_tree_set() follows a path */
    struct weir_tree_arena *arena;
    const char *path, *at; /* the whole path; the part of it that is still ahead */
    const struct weir_tok *value;
    struct weir_err *err;
};

static int fail_path(const struct walk *w)
{
    return weir_fail(w->err, WEIR_E_SYNTAX, w->value, "write it like run.seed=2 or traffic[0].load=80%",
                     "'%.80s' is not the path of a key", w->path);
}

static int fail_memory(const struct walk *w)
{
    return weir_fail(w->err, WEIR_E_MEMORY, w->value, NULL, "out of memory");
}

/* Moves *node to its child of the name at w->at; adds the child if it does not exist. @return 0, or a code with err,
 * also if *node is no map and not empty */
static int step_name(struct walk *w, struct weir_tree **node)
{
    size_t len = strcspn(w->at, ".[]");
    struct weir_tree *child;
    char *name;
    if (len == 0 || len >= NAME_MAX_BYTES)
        return fail_path(w);
    name = weir_tree_arena_text(w->arena, w->at, len);
    if (name == NULL)
        return fail_memory(w);
    if ((*node)->kind == WEIR_TREE_VALUE && (*node)->is_empty) {
        (*node)->kind = WEIR_TREE_MAP;
        (*node)->is_empty = false;
    }
    if ((*node)->kind != WEIR_TREE_MAP)
        return weir_fail(w->err, WEIR_E_SYNTAX, w->value, "items of a list are named like traffic[0].load",
                         "'%.80s': '%s' cannot follow %s", w->path, name, weir_tree_kind_text(*node));
    child = weir_tree_find(*node, name);
    if (child == NULL) {
        child = weir_tree_add(w->arena, *node);
        if (child == NULL)
            return fail_memory(w);
        child->is_empty = true;
        child->at = child->key = *w->value;
        child->key.text = name;
        child->at.text = "";
    }
    w->at += len;
    *node = child;
    return 0;
}

/* Moves *node to the item of a list whose index, as "[0]", is at w->at. @return 0, or a code with err, also if there is
 * no such item */
static int step_index(struct walk *w, struct weir_tree **node)
{
    uint32_t index = 0;
    const char *digit = w->at + 1;
    for (; *digit >= '0' && *digit <= '9' && index <= INDEX_MAX; digit++)
        index = index * 10 + (uint32_t)(*digit - '0');
    if (*digit != ']' || digit == w->at + 1)
        return fail_path(w);
    if ((*node)->kind != WEIR_TREE_LIST || index >= (*node)->count)
        return weir_fail(w->err, WEIR_E_RANGE, w->value, "items count from 0; --set changes them, it does not add any",
                         "'%.80s': there is no item %u (%u in the file)", w->path, index,
                         (*node)->kind == WEIR_TREE_LIST ? (*node)->count : 0);
    *node = (*node)->first;
    while (index-- > 0)
        *node = (*node)->next;
    w->at = digit + 1;
    return 0;
}

int weir_tree_set(struct weir_tree_arena *arena, struct weir_tree *root, const char *path, const struct weir_tok *value,
                  struct weir_err *err)
{
    struct walk w = { .arena = arena, .path = path, .at = path, .value = value, .err = err };
    struct weir_tree *node = root;
    int code = step_name(&w, &node);
    while (code == 0 && *w.at != '\0') {
        if (*w.at == '[')
            code = step_index(&w, &node);
        else if (*w.at++ == '.')
            code = step_name(&w, &node);
        else
            code = fail_path(&w);
    }
    if (code != 0)
        return code;
    node->kind = WEIR_TREE_VALUE;
    node->is_empty = false;
    node->count = 0;
    node->first = node->last = NULL;
    node->at = *value;
    return 0;
}
