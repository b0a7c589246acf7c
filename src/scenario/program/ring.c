/* src/scenario/program/ring.c - rank i sends to rank i + 1. The data are chunks of n segments each. At round t rank i
 * sends segment i - t of a chunk, once the message of round t - 1 of this chunk has arrived. Over n - 1 rounds each
 * segment has been everywhere: it is summed up (reduce-scatter), or known to all (all-gather). All-reduce is a
 * reduce-scatter, then an all-gather. Source: Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
 * workstations", 2009. */
#include "program/algorithms.h"

static uint32_t rounds(const struct weir_collective *c)
{
    return c->item->op == WEIR_ALL_REDUCE ? 2 * (c->n - 1) : c->n - 1;
}

static uint64_t messages(const struct weir_collective *c, uint32_t index)
{
    (void)index;
    return (uint64_t)rounds(c) * c->item->chunks;
}

/* Sends what rank i sends at a round. Token: round * chunks + chunk. */
static void ring_send(const struct weir_collective_call *call, uint32_t round, uint32_t chunk)
{
    const struct weir_collective *c = call->c;
    uint32_t n = c->n, segment = (call->index + 2 * n - round) % n; /* round <= 2 n - 3 */
    WEIR_ASSERT(round < rounds(c));
    weir_collective_send(call, (call->index + 1) % n, round * c->item->chunks + chunk,
                         weir_collective_bytes(c, (uint64_t)chunk * n + segment, 1, (uint64_t)n * c->item->chunks));
}

static void ring_begin(const struct weir_collective_call *call)
{
    for (uint32_t chunk = 0; chunk < call->c->item->chunks; chunk++)
        ring_send(call, 0, chunk);
}

static void ring_arrived(const struct weir_collective_call *call, uint32_t token)
{
    uint32_t chunks = call->c->item->chunks;
    if (token / chunks + 1 < rounds(call->c))
        ring_send(call, token / chunks + 1, token % chunks);
}

#define RING(operation)                                                                                                \
    {                                                                                                                  \
        .op = WEIR_##operation, .algorithm = WEIR_ALGORITHM_RING, .parts = weir_algorithms_segments,                   \
        .receives = messages, .sends = messages, .begin = ring_begin, .arrived = ring_arrived,                         \
        .size = weir_algorithms_one_size                                                                               \
    }
const struct weir_algorithm weir_algorithms_ring[] = { RING(ALL_REDUCE), RING(ALL_GATHER), RING(REDUCE_SCATTER) };
_Static_assert(sizeof(weir_algorithms_ring) / sizeof(weir_algorithms_ring[0]) == WEIR_ALGORITHMS_RING,
               "as algorithms.h says");
