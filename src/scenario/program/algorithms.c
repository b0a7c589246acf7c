/* src/scenario/program/algorithms.c - finds algorithms, and has what several of them share. */
#include "program/algorithms.h"
#include "core/math.h"

static const struct weir_algorithm *find(const struct weir_algorithm *row, uint32_t count, uint32_t op,
                                         uint32_t algorithm)
{
    for (uint32_t i = 0; i < count; i++)
        if (row[i].op == op && row[i].algorithm == algorithm)
            return &row[i];
    return NULL;
}

const struct weir_algorithm *weir_algorithm_of(uint32_t op, uint32_t algorithm)
{
    static const struct {
        const struct weir_algorithm *row;
        uint32_t count;
    } tables[] = {
        { weir_algorithms_ring, WEIR_ALGORITHMS_RING },
        { weir_algorithms_halving, WEIR_ALGORITHMS_HALVING },
        { weir_algorithms_direct, WEIR_ALGORITHMS_DIRECT },
        { weir_algorithms_tree, WEIR_ALGORITHMS_TREE },
    };
    const struct weir_algorithm *found = NULL;
    for (uint32_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && found == NULL; i++)
        found = find(tables[i].row, tables[i].count, op, algorithm);
    return found;
}

uint64_t weir_collective_bytes(const struct weir_collective *c, uint64_t first, uint64_t count, uint64_t parts)
{
    WEIR_ASSERT(count > 0 && first + count <= parts);
    return weir_mul_div_u64(c->item->bytes, first + count, parts) - weir_mul_div_u64(c->item->bytes, first, parts);
}

uint64_t weir_algorithms_segments(const struct weir_collective *c)
{
    return (uint64_t)c->n * c->item->chunks; /* 2^20 * 2^10 */
}

uint64_t weir_algorithms_chunks(const struct weir_collective *c)
{
    return c->item->chunks;
}

uint64_t weir_algorithms_one_size(const struct weir_collective *c, uint32_t n)
{
    return n == 0 ? weir_max_u64(c->item->bytes / c->algorithm->parts(c), 1) : 0;
}

uint32_t weir_algorithms_counters(const struct weir_collective *c)
{
    return c->item->chunks;
}
