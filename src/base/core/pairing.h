/* src/base/core/pairing.h - a pairing heap (Fredman, Sedgewick, Sleator, Tarjan, Algorithmica 1986).
 * Its nodes are members of other structs. The least (key, tie) is the root. Pushing, or lowering a key, costs O(1); pop
 * and remove cost O(log n), amortised. Unlike core/heap.h it needs no memory of its own, and any node can be moved or
 * removed. Each node that is visited costs a cache line, so a pairing heap pays where entries change more often than
 * they are popped. Equal keys are ordered by tie, never by address: give each node of a heap a different tie, and the
 * order is total. */
#ifndef WEIR_CORE_PAIRING_H
#define WEIR_CORE_PAIRING_H
#include "core/assert.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_pairing_node { /* zeroed = in no heap */
    uint64_t key;
    uint32_t tie;
    struct weir_pairing_node *prev; /* previous sibling; of a first child the parent */
    struct weir_pairing_node *child, *next;
};

struct weir_pairing { /* zeroed = empty */
    struct weir_pairing_node *root;
};

/* Returns the address of the struct of type `type` that contains *node as its member `member`. */
#define WEIR_PAIRING_OF(node, type, member) ((type *)(void *)((unsigned char *)(node)-offsetof(type, member)))

static inline bool weir_pairing_before(const struct weir_pairing_node *a, const struct weir_pairing_node *b)
{
    return a->key < b->key || (a->key == b->key && a->tie < b->tie);
}

static inline bool weir_pairing_has(const struct weir_pairing *heap, const struct weir_pairing_node *node)
{
    return heap->root == node || node->prev != NULL;
}

/* Melds two trees, whose roots have no siblings, into one. @return its root */
static inline struct weir_pairing_node *weir_pairing_meld(struct weir_pairing_node *a, struct weir_pairing_node *b)
{
    if (weir_pairing_before(b, a)) {
        struct weir_pairing_node *swap = a;
        a = b;
        b = swap;
    }
    b->next = a->child;
    b->prev = a;
    if (a->child != NULL)
        a->child->prev = b;
    a->child = b;
    return a;
}

/* Melds the children of a removed node into one tree: first melds them in pairs from the left, then melds all pairs
 * from the right. This order gives the amortised bound. first: the first child, or NULL. @return the root of the tree;
 * NULL = there were no children */
static inline struct weir_pairing_node *weir_pairing_gather(struct weir_pairing_node *first)
{
    struct weir_pairing_node *pairs = NULL, *root = NULL;
    while (first != NULL) {
        struct weir_pairing_node *a = first, *b = first->next;
        first = b != NULL ? b->next : NULL;
        a->next = a->prev = NULL;
        if (b != NULL) {
            b->next = b->prev = NULL;
            a = weir_pairing_meld(a, b);
        }
        a->next = pairs;
        pairs = a;
    }
    while (pairs != NULL) {
        struct weir_pairing_node *tree = pairs;
        pairs = tree->next;
        tree->next = NULL;
        root = root != NULL ? weir_pairing_meld(root, tree) : tree;
    }
    return root;
}

/* Detaches a node from its parent, with all nodes below it. The node must not be the root. */
static inline void weir_pairing_cut(struct weir_pairing_node *node)
{
    if (node->prev->child == node)
        node->prev->child = node->next;
    else
        node->prev->next = node->next;
    if (node->next != NULL)
        node->next->prev = node->prev;
    node->next = node->prev = NULL;
}

static inline void weir_pairing_push(struct weir_pairing *heap, struct weir_pairing_node *node, uint64_t key,
                                     uint32_t tie)
{
    node->key = key; /* one by one: gcc clears a whole struct by `rep stos`, which takes longer than all of this */
    node->tie = tie;
    node->prev = node->child = node->next = NULL;
    heap->root = heap->root != NULL ? weir_pairing_meld(heap->root, node) : node;
}

static inline void weir_pairing_remove(struct weir_pairing *heap, struct weir_pairing_node *node)
{
    struct weir_pairing_node *below;
    WEIR_ASSERT(weir_pairing_has(heap, node));
    if (heap->root != node)
        weir_pairing_cut(node);
    below = weir_pairing_gather(node->child);
    node->child = NULL;
    if (heap->root == node)
        heap->root = below;
    else if (below != NULL)
        heap->root = weir_pairing_meld(heap->root, below);
}

/* Removes the least node. @return the removed node; NULL = the heap is empty */
static inline struct weir_pairing_node *weir_pairing_pop(struct weir_pairing *heap)
{
    struct weir_pairing_node *least = heap->root;
    if (least != NULL)
        weir_pairing_remove(heap, least);
    return least;
}

/* Changes the key and tie of a node in the heap; both may rise or fall. */
static inline void weir_pairing_move(struct weir_pairing *heap, struct weir_pairing_node *node, uint64_t key,
                                     uint32_t tie)
{
    bool later = key > node->key || (key == node->key && tie > node->tie);
    WEIR_ASSERT(weir_pairing_has(heap, node));
    if (later && node->child != NULL) { /* a child may be less now */
        weir_pairing_remove(heap, node);
        weir_pairing_push(heap, node, key, tie);
        return;
    }
    node->key = key;
    node->tie = tie;
    if (later || heap->root == node || (node->prev->child == node && !weir_pairing_before(node, node->prev)))
        /* the root, or no less than its parent; the parent is known only to a first child */
        return;
    weir_pairing_cut(node);
    heap->root = weir_pairing_meld(heap->root, node);
}
#endif
