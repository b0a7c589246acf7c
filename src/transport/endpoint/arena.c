/* src/transport/endpoint/arena.c - see arena.h. Blocks are powers of two of 64 bytes. Two neighbours that are free
 * become one (a buddy system).
 *
 * A tree of bytes has the state: node 1 is the arena, 2n and 2n + 1 are the halves of n. A node's byte is 0 if all of
 * it is free. Otherwise it is 1 if nothing of it is free, else 2 + the order of the largest free block in it. A block
 * has 2^order units. So a tree of zeros is an arena that is free, and the nodes below a block in use are 0. */
#define _GNU_SOURCE /* madvise() */
#include "endpoint/arena.h"
#include <sys/mman.h>
#include <sys/resource.h>

#define UNIT_SHIFT 6u                    /* 64 bytes */
#define GRAIN_BYTES (UINT64_C(1) << 16)  /* reserved memory is a multiple of this */
#define RETURN_BYTES (UINT64_C(1) << 20) /* a free block of so much has no physical memory */
#if defined(__SANITIZE_ADDRESS__)
#define CHECKED true /* each block comes from the heap, which shows what is written beyond it */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECKED true
#endif
#endif
#ifndef CHECKED
#define CHECKED false
#endif

void *ep_reserve(uint64_t *bytes)
{
    uint64_t size = *bytes & ~(GRAIN_BYTES - 1);
    struct rlimit space;
    void *base = MAP_FAILED;
    if (size > 0 && getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur == RLIM_INFINITY)
        base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *bytes = base != MAP_FAILED ? size : 0;
    return base != MAP_FAILED ? base : NULL;
}

void ep_unreserve(void *base, uint64_t bytes)
{
    if (base != NULL)
        (void)munmap(base, bytes);
}

/* Returns the smallest order whose blocks have at least `bytes` bytes. */
static uint32_t order_of(uint64_t bytes)
{
    uint64_t units = (bytes + (1u << UNIT_SHIFT) - 1) >> UNIT_SHIFT;
    WEIR_ASSERT(bytes > 0);
    return units == 1 ? 0 : 64 - weir_leading_zeros_u64(units - 1);
}

/* Returns 1 + the order of the largest free block in a node of this order; 0 = none. */
static uint32_t best(const struct ep_arena *a, uint64_t node, uint32_t order)
{
    WEIR_ASSERT(order <= a->order && a->tree[node] <= order + 1);
    return a->tree[node] == 0 ? order + 1 : a->tree[node] - 1u;
}

void ep_arena_open(struct ep_arena *a, uint64_t bytes)
{
    *a = (struct ep_arena){ 0 };
    if (CHECKED)
        return;
    /* twice a power of two, and so much that the tree is a multiple of GRAIN_BYTES, too */
    a->bytes = UINT64_C(2) << UNIT_SHIFT << order_of(weir_min_u64(bytes, EP_ARENA_MOST / 2));
    a->bytes = weir_max_u64(a->bytes, GRAIN_BYTES << (UNIT_SHIFT - 1));
    uint64_t tree_bytes = a->bytes >> (UNIT_SHIFT - 1), had = tree_bytes; /* a byte for each node, two nodes a unit */
    a->order = order_of(a->bytes);
    a->base = ep_reserve(&a->bytes);
    a->tree = ep_reserve(&had);
    WEIR_ASSERT(a->tree == NULL || had == tree_bytes);
    if (a->base != NULL && a->tree != NULL)
        return;
    ep_unreserve(a->tree, had);
    ep_unreserve(a->base, a->bytes);
    *a = (struct ep_arena){ 0 };
}

/* Sets the bytes of the nodes above `node`, which has changed. @return the largest node that is free, or `node`; its
 * order replaces *order */
static uint64_t update(struct ep_arena *a, uint64_t node, uint32_t *order)
{
    uint64_t free_node = node;
    uint32_t free_order = *order;
    for (uint32_t o = *order; node > 1; o++) {
        uint32_t left = best(a, node & ~UINT64_C(1), o), right = best(a, node | 1, o);
        node /= 2;
        a->tree[node] = (uint8_t)(1 + (left > right ? left : right));
        if (left > o && right > o) {
            a->tree[node] = 0;
            free_node = node;
            free_order = o + 1;
        }
    }
    *order = free_order;
    return free_node;
}

void *ep_arena_take(struct ep_arena *a, uint64_t bytes)
{
    uint32_t order = order_of(bytes), at = a->order;
    uint64_t node = 1;
    if (a->base == NULL || best(a, node, at) <= order)
        return NULL;
    for (; at > order; at--) {
        node *= 2;
        if (best(a, node, at - 1) <= order)
            node++;
    }
    WEIR_ASSERT(a->tree[node] == 0);
    a->tree[node] = 1;
    (void)update(a, node, &at);
    return a->base + ((node - (UINT64_C(1) << (a->order - order))) << order << UNIT_SHIFT);
}

bool ep_arena_owns(const struct ep_arena *a, const void *block)
{
    uintptr_t at = (uintptr_t)block, base = (uintptr_t)a->base;
    return a->base != NULL && at >= base && at - base < a->bytes;
}

void ep_arena_give(struct ep_arena *a, void *block, uint64_t bytes)
{
    uint32_t order = order_of(bytes);
    uint64_t at = (uint64_t)((unsigned char *)block - a->base) >> UNIT_SHIFT >> order, size;
    uint64_t node = (UINT64_C(1) << (a->order - order)) + at;
    WEIR_ASSERT(ep_arena_owns(a, block) && a->tree[node] == 1);
    a->tree[node] = 0;
    node = update(a, node, &order);
    size = UINT64_C(1) << order << UNIT_SHIFT;
    at = node - (UINT64_C(1) << (a->order - order));
    if (size >= RETURN_BYTES)
        (void)madvise(a->base + at * size, size, MADV_DONTNEED);
}

void ep_arena_close(struct ep_arena *a)
{
    ep_unreserve(a->tree, a->bytes >> (UNIT_SHIFT - 1));
    ep_unreserve(a->base, a->bytes);
    *a = (struct ep_arena){ 0 };
}
