/* src/scenario/program/tree.c - trees and chains. In a tree position p has the children 2 p + 1 and 2 p + 2. A chunk
 * goes on as soon as it is there: down to all children, and up once it is there from all children.
 *
 * All-reduce has two trees with one half of the data each, as NCCL has: rank i is at position i of the first, and at n
 * - 1 - i of the second. So no rank but the middle one is a leaf in both, and none has children in both. Each chunk
 * goes up to position 0, and down again. Broadcast has one tree from rank 0; `pipeline` is one of one child, a chain,
 * and `direct` one of a single level. Source: Sanders, Speck, Traff, "Two-tree algorithms for full bandwidth broadcast,
 * reduction and scan", 2009. */
#include "program/algorithms.h"

/* --- one tree, or a chain --- */

/* Returns the number of children of a position, at most `arity`; the first is arity * p + 1. */
static uint32_t children(const struct weir_collective *c, uint32_t arity, uint32_t p)
{
    uint64_t first = (uint64_t)arity * p + 1;
    if (first >= c->n)
        return 0;
    return c->n - first < arity ? (uint32_t)(c->n - first) : arity;
}

static uint32_t arity_of(const struct weir_collective *c)
{
    return c->item->algorithm == WEIR_ALGORITHM_PIPELINE ? 1
           : c->item->algorithm == WEIR_ALGORITHM_DIRECT ? c->n - 1
                                                         : 2;
}

static uint64_t spread_receives(const struct weir_collective *c, uint32_t index)
{
    return index > 0 ? c->item->chunks : 0;
}

static uint64_t spread_sends(const struct weir_collective *c, uint32_t index)
{
    return (uint64_t)children(c, arity_of(c), index) * c->item->chunks;
}

/* Sends a chunk to all children. Token: the chunk. */
static void spread_arrived(const struct weir_collective_call *call, uint32_t chunk)
{
    const struct weir_collective *c = call->c;
    uint32_t arity = arity_of(c);
    WEIR_ASSERT(chunk < c->item->chunks);
    for (uint32_t i = 0; i < children(c, arity, call->index); i++)
        weir_collective_send(call, arity * call->index + 1 + i, chunk,
                             weir_collective_bytes(c, chunk, 1, c->item->chunks));
}

static void spread_begin(const struct weir_collective_call *call)
{
    for (uint32_t chunk = 0; call->index == 0 && chunk < call->c->item->chunks; chunk++)
        spread_arrived(call, chunk);
}

/* --- two trees, up and down --- */

enum { UP, DOWN, WAYS };

static uint64_t halves(const struct weir_collective *c)
{
    return 2 * (uint64_t)c->item->chunks;
}

static uint32_t two_counters(const struct weir_collective *c)
{
    return 2 * c->item->chunks;
}

/* Returns the position of a rank in a tree, and the rank at a position. */
static uint32_t position(const struct weir_collective *c, uint32_t tree, uint32_t index)
{
    WEIR_ASSERT(tree < 2 && index < c->n);
    return tree == 0 ? index : c->n - 1 - index;
}

/* Counts messages of a rank: up and down each position has one with its parent, and one with each child. */
static uint64_t two_messages(const struct weir_collective *c, uint32_t index)
{
    uint64_t count = 0;
    for (uint32_t tree = 0; tree < 2; tree++) {
        uint32_t p = position(c, tree, index);
        count += children(c, 2, p) + (p > 0);
    }
    return count * c->item->chunks;
}

/* Sends chunk `part` of 2 chunks, of which each tree has one half, to a position. Token: way * 2 chunks + part. */
static void two_send(const struct weir_collective_call *call, uint32_t way, uint32_t part, uint32_t to)
{
    const struct weir_collective *c = call->c;
    uint32_t tree = part / c->item->chunks;
    weir_collective_send(call, position(c, tree, to), way * 2 * c->item->chunks + part,
                         weir_collective_bytes(c, part, 1, halves(c)));
}

static void two_down(const struct weir_collective_call *call, uint32_t part, uint32_t p)
{
    for (uint32_t i = 0; i < children(call->c, 2, p); i++)
        two_send(call, DOWN, part, 2 * p + 1 + i);
}

/* Sends a part up if it is there from all children; at the root it goes down. */
static void two_up(const struct weir_collective_call *call, uint32_t part)
{
    uint32_t p = position(call->c, part / call->c->item->chunks, call->index);
    if (call->counter[part] < children(call->c, 2, p))
        return;
    if (p == 0)
        two_down(call, part, p);
    else
        two_send(call, UP, part, (p - 1) / 2);
}

static void two_begin(const struct weir_collective_call *call)
{
    for (uint32_t part = 0; part < 2 * call->c->item->chunks; part++)
        two_up(call, part);
}

static void two_arrived(const struct weir_collective_call *call, uint32_t token)
{
    uint32_t chunks = call->c->item->chunks, part = token % (2 * chunks);
    WEIR_ASSERT(token < 2 * WAYS * chunks);
    if (token / (2 * chunks) == DOWN) {
        two_down(call, part, position(call->c, part / chunks, call->index));
        return;
    }
    call->counter[part]++;
    two_up(call, part);
}

#define SPREAD(name)                                                                                                   \
    {                                                                                                                  \
        .op = WEIR_BROADCAST, .algorithm = WEIR_ALGORITHM_##name, .parts = weir_algorithms_chunks,                     \
        .receives = spread_receives, .sends = spread_sends, .begin = spread_begin, .arrived = spread_arrived,          \
        .size = weir_algorithms_one_size                                                                               \
    }
const struct weir_algorithm weir_algorithms_tree[] = {
    SPREAD(TREE),
    SPREAD(PIPELINE),
    SPREAD(DIRECT),
    { .op = WEIR_ALL_REDUCE,
      .algorithm = WEIR_ALGORITHM_TREE,
      .parts = halves,
      .counters = two_counters,
      .receives = two_messages,
      .sends = two_messages,
      .begin = two_begin,
      .arrived = two_arrived,
      .size = weir_algorithms_one_size },
};
_Static_assert(sizeof(weir_algorithms_tree) / sizeof(weir_algorithms_tree[0]) == WEIR_ALGORITHMS_TREE,
               "as algorithms.h says");
