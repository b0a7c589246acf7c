/* src/scenario/program/algorithms.h - the algorithms of collective operations, for this room. */
#ifndef WEIR_PROGRAM_ALGORITHMS_H
#define WEIR_PROGRAM_ALGORITHMS_H
#include "core/assert.h"
#include "program/collective.h"

#define WEIR_ALGORITHMS_RING 3u
#define WEIR_ALGORITHMS_HALVING 3u
#define WEIR_ALGORITHMS_DIRECT 4u
#define WEIR_ALGORITHMS_TREE 4u
extern const struct weir_algorithm weir_algorithms_ring[WEIR_ALGORITHMS_RING],
    weir_algorithms_halving[WEIR_ALGORITHMS_HALVING], weir_algorithms_direct[WEIR_ALGORITHMS_DIRECT],
    weir_algorithms_tree[WEIR_ALGORITHMS_TREE];

/* Returns the parts of data that are cut into chunks, and these into a segment for each rank. */
uint64_t weir_algorithms_segments(const struct weir_collective *c);
/* Returns the parts of data that are cut into chunks alone. */
uint64_t weir_algorithms_chunks(const struct weir_collective *c);
/* Returns the size of a part for n = 0, as weir_program_size(): all messages are of one part. */
uint64_t weir_algorithms_one_size(const struct weir_collective *c, uint32_t n);
/* Returns how many counters a rank has where it has one for each chunk. */
uint32_t weir_algorithms_counters(const struct weir_collective *c);
#endif
