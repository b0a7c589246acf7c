/* src/scenario/program/direct.c - every rank sends to every other one. The data are chunks of n segments each, segment
 * j is rank j's. Reduce-scatter and all-to-all: each rank sends segment j to rank j. All-gather: each sends its own to
 * all others. All-reduce is a reduce-scatter, then an all-gather: a rank sends its segment of a chunk once it has it
 * from all others. Rank i begins with rank i + 1. A direct broadcast is a tree of one level: tree.c. */
#include "program/algorithms.h"

static uint32_t phases(const struct weir_collective *c)
{
    return c->item->op == WEIR_ALL_REDUCE ? 2 : 1;
}

static uint64_t messages(const struct weir_collective *c, uint32_t index)
{
    (void)index;
    return (uint64_t)phases(c) * (c->n - 1) * c->item->chunks;
}

/* Sends segments of a chunk to all others: their own, or the rank's. Token: phase * chunks + chunk. */
static void direct_send(const struct weir_collective_call *call, uint32_t phase, uint32_t chunk)
{
    const struct weir_collective *c = call->c;
    uint32_t n = c->n;
    bool gathers = c->item->op == WEIR_ALL_GATHER || phase == 1;
    WEIR_ASSERT(phase < phases(c) && chunk < c->item->chunks);
    for (uint32_t d = 1; d < n; d++) {
        uint32_t to = (call->index + d) % n, segment = gathers ? call->index : to;
        weir_collective_send(call, to, phase * c->item->chunks + chunk,
                             weir_collective_bytes(c, (uint64_t)chunk * n + segment, 1, (uint64_t)n * c->item->chunks));
    }
}

static void direct_begin(const struct weir_collective_call *call)
{
    for (uint32_t chunk = 0; chunk < call->c->item->chunks; chunk++)
        direct_send(call, 0, chunk);
}

static void direct_arrived(const struct weir_collective_call *call, uint32_t token)
{
    if (phases(call->c) == 2 && token < call->c->item->chunks && ++call->counter[token] == call->c->n - 1)
        direct_send(call, 1, token);
}

#define DIRECT(operation)                                                                                              \
    {                                                                                                                  \
        .op = WEIR_##operation, .algorithm = WEIR_ALGORITHM_DIRECT, .to_all = true, .parts = weir_algorithms_segments, \
        .counters = weir_algorithms_counters, .receives = messages, .sends = messages, .begin = direct_begin,          \
        .arrived = direct_arrived, .size = weir_algorithms_one_size                                                    \
    }
const struct weir_algorithm weir_algorithms_direct[] = {
    DIRECT(ALL_REDUCE),
    DIRECT(ALL_GATHER),
    DIRECT(REDUCE_SCATTER),
    DIRECT(ALL_TO_ALL),
};
_Static_assert(sizeof(weir_algorithms_direct) / sizeof(weir_algorithms_direct[0]) == WEIR_ALGORITHMS_DIRECT,
               "as algorithms.h says");
