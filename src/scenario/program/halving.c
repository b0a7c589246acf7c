/* src/scenario/program/halving.c - recursive vector halving with distance doubling, then vector doubling with distance
 * halving, for n = 2^L ranks. Reduce-scatter: at round k rank i sends rank i ^ 2^k one half of the segments that it
 * still has. It keeps the upper half if bit k of i is set. All-gather does the same rounds backwards, with what each
 * has. The largest messages go to the nearest ranks. A rank sends at a round once all messages of the rounds before
 * have arrived. Source: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH",
 * 2005. */
#include "program/algorithms.h"

/* Returns L. */
static uint32_t levels(const struct weir_collective *c)
{
    WEIR_ASSERT(c->n >= 2 && (c->n & (c->n - 1)) == 0);
    return 31 - (uint32_t)__builtin_clz(c->n);
}

static uint32_t rounds(const struct weir_collective *c)
{
    return c->item->op == WEIR_ALL_REDUCE ? 2 * levels(c) : levels(c);
}

static uint64_t messages(const struct weir_collective *c, uint32_t index)
{
    (void)index;
    return (uint64_t)rounds(c) * c->item->chunks;
}

/* Returns the first of the n / 2^k segments that rank i has after k rounds of a reduce-scatter. */
static uint32_t first_kept(const struct weir_collective *c, uint32_t index, uint32_t k)
{
    uint32_t first = 0;
    for (uint32_t j = 0; j < k; j++)
        first += (index >> j & 1) * (c->n >> (j + 1));
    return first;
}

/* Sends what rank i sends at a round. Token: round * chunks + chunk. */
static void halving_send(const struct weir_collective_call *call, uint32_t round, uint32_t chunk)
{
    const struct weir_collective *c = call->c;
    uint32_t n = c->n, L = levels(c), i = call->index;
    bool gathers = c->item->op == WEIR_ALL_GATHER || round >= L;
    uint32_t passed = c->item->op == WEIR_ALL_GATHER ? round + L : round; /* as if it were an all-reduce */
    uint32_t k = gathers ? 2 * L - 1 - passed : round;                    /* of the exchange */
    WEIR_ASSERT(round < rounds(c) && k < L && L < 32);
    uint32_t to = i ^ (1u << k), count = n >> (k + 1);
    uint32_t first = first_kept(c, gathers ? i : to, k + 1); /* all that it has, or the half that the other one keeps */
    weir_collective_send(call, to, round * c->item->chunks + chunk,
                         weir_collective_bytes(c, (uint64_t)chunk * n + first, count, (uint64_t)n * c->item->chunks));
}

static void halving_begin(const struct weir_collective_call *call)
{
    for (uint32_t chunk = 0; chunk < call->c->item->chunks; chunk++)
        halving_send(call, 0, chunk);
}

/* Returns how many messages have arrived of the first rounds, without a gap. in: bit t = that of round t */
static uint32_t without_gap(uint32_t in)
{
    return in == UINT32_MAX ? 32 : (uint32_t)__builtin_ctz(~in);
}

/* Adds a message to those that have arrived, and sends what only waited for it. The counter of a chunk has a bit for
 * each round: 2 L <= 32. */
static void halving_arrived(const struct weir_collective_call *call, uint32_t token)
{
    uint32_t chunks = call->c->item->chunks, round = token / chunks, *in = &call->counter[token % chunks];
    uint32_t before = without_gap(*in);
    WEIR_ASSERT(round < rounds(call->c) && (*in >> round & 1) == 0);
    *in |= 1u << round;
    for (uint32_t t = before; t < without_gap(*in); t++)
        if (t + 1 < rounds(call->c))
            halving_send(call, t + 1, token % chunks);
}

static uint64_t halving_size(const struct weir_collective *c, uint32_t n)
{
    uint64_t bytes = n < levels(c) ? c->item->bytes / c->item->chunks >> (n + 1) : 0;
    return n < levels(c) && bytes == 0 ? 1 : bytes;
}

#define HALVING(operation)                                                                                             \
    {                                                                                                                  \
        .op = WEIR_##operation, .algorithm = WEIR_ALGORITHM_HALVING_DOUBLING, .power_of_two = true,                    \
        .parts = weir_algorithms_segments, .counters = weir_algorithms_counters, .receives = messages,                 \
        .sends = messages, .begin = halving_begin, .arrived = halving_arrived, .size = halving_size                    \
    }
const struct weir_algorithm weir_algorithms_halving[] = { HALVING(ALL_REDUCE), HALVING(ALL_GATHER),
                                                          HALVING(REDUCE_SCATTER) };
_Static_assert(sizeof(weir_algorithms_halving) / sizeof(weir_algorithms_halving[0]) == WEIR_ALGORITHMS_HALVING,
               "as algorithms.h says");
