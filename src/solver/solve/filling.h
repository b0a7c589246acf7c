/* src/solver/solve/filling.h - arithmetic of solvers of max-min rates: sums from which terms can be taken out again,
 * and levels as keys of a heap. A level is a rate per weight. */
#ifndef WEIR_SOLVE_FILLING_H
#define WEIR_SOLVE_FILLING_H
#include <stdint.h>
#include <string.h>

/* A sum and its rounding error (Knuth's two-sum). A number that was added can be subtracted again exactly, even if the
 * terms differ by many orders of magnitude. There are only additions: no multiplication that a compiler could fuse
 * with an addition. */
struct weir_sum {
    double high, low;
};

static inline void weir_sum_add(struct weir_sum *s, double x)
{
    double high = s->high + x, part = high - s->high;
    s->low += (s->high - (high - part)) + (x - part);
    s->high = high;
}

static inline double weir_sum_value(struct weir_sum s)
{
    return s.high + s.low;
}

/* Returns the bits of a level as its key in a heap, whose keys are integers. Doubles that are not negative have the
 * same order as their bits. */
static inline uint64_t weir_level_key(double level)
{
    uint64_t bits;
    memcpy(&bits, &level, sizeof(bits));
    return bits;
}
#endif
