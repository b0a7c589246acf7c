/* src/results/reproduce/search.h - searches the best value of one number by golden section (Kiefer, "Sequential minimax
 * search for a maximum", Proc. AMS 4, 1953), with seeds in common. It decides which values to try and which is best,
 * and runs nothing: the caller asks for values, and gives the numbers of their runs.
 *
 * The first values are both ends, the two golden sections between them, and the values that the caller wants besides.
 * Each further value is the golden section of the wider of the two intervals next to the best value so far. Positions
 * are logarithms where the range spans a factor of ten or more. */
#ifndef WEIR_REPRODUCE_SEARCH_H
#define WEIR_REPRODUCE_SEARCH_H
#include "reproduce/comparison.h"
#include <stdbool.h>
#include <stdint.h>

#define WEIR_SEARCH_VALUES_MAX 12u
#define WEIR_SEARCH_FIRST_MAX 5u /* values of the first question */
#define WEIR_SEARCH_NOISE_MIN 6u /* fewest values after which noise ends the search */
#define WEIR_SEARCH_DIGITS 3u    /* values between the ends are rounded to so many digits */
#define WEIR_SEARCH_NARROW                                                                                             \
    0.05 /* the search ends when the neighbours of the best value are this close, as a share
                                     of the range */

enum weir_search_end {                       /* why a search has ended */
                       WEIR_SEARCH_OPEN,     /* it has not */
                       WEIR_SEARCH_CLOSE,    /* the neighbours of the best value are close to it */
                       WEIR_SEARCH_BUDGET,   /* all values that it may try are tried */
                       WEIR_SEARCH_NO_VALUE, /* there is no value left between the best and its neighbours */
                       WEIR_SEARCH_NOISE,    /* the neighbours are as good as the best value, for these seeds */
                       WEIR_SEARCH_EQUAL,    /* all values give the same numbers */
};

struct weir_search_value { /* a value that was tried */
    uint64_t at;
    const double *number; /* one for each seed, NAN = none; lent */
    struct weir_estimate mean;
    bool is_sound; /* every run is done and none is doubtful */
};

struct weir_search {
    uint64_t lo, hi;  /* lo < hi */
    uint64_t also;    /* one more first value, within the range; lo = none */
    uint32_t seeds;   /* at most WEIR_COMPARISON_SEEDS_MAX */
    uint32_t most;    /* most values, WEIR_SEARCH_FIRST_MAX .. WEIR_SEARCH_VALUES_MAX */
    bool is_greatest; /* the greatest number is best, else the least */
    struct weir_search_value value[WEIR_SEARCH_VALUES_MAX]; /* count values, in ascending order */
    uint32_t count;
};

/* Returns the values to try next, in ascending order, none of which was tried. @return how many; 0 = the search has
 * ended */
uint32_t weir_search_ask(const struct weir_search *s, uint64_t at[WEIR_SEARCH_FIRST_MAX]);

/* Adds a value with the numbers of its runs, s->seeds of them, lent as long as s is used. */
void weir_search_add(struct weir_search *s, uint64_t at, const double *number, bool is_sound);

/* Returns why the search has ended. */
enum weir_search_end weir_search_end(const struct weir_search *s);

/* Returns the index of the best value: the best mean of the sound values, or if none is sound of all. Of equal ones
 * s->also is best. UINT32_MAX = no value has a number. */
uint32_t weir_search_best(const struct weir_search *s);

/* Returns the difference between a value and the best one, paired by seed. */
struct weir_estimate weir_search_difference(const struct weir_search *s, uint32_t value);

/* Tests whether a value is as good as the best one for these seeds: the paired difference is not larger than half its
 * 95 % interval. With fewer than three seeds only equal numbers are as good. */
bool weir_search_is_equal(const struct weir_search *s, uint32_t value);

/* Finds the values around the best one that are as good, without a gap: value[*first] to value[*last]. There must be a
 * best value. */
void weir_search_range(const struct weir_search *s, uint32_t *first, uint32_t *last);

/* Tests whether the range spans a factor of ten or more, and values are spread by their logarithms. */
bool weir_search_is_log(const struct weir_search *s);
/* Returns the value in the middle of a range: of the logarithms if it spans a factor of ten or more. */
uint64_t weir_search_middle(uint64_t lo, uint64_t hi);
#endif
