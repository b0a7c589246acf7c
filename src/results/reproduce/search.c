/* src/results/reproduce/search.c - see search.h. */
#include "reproduce/search.h"
#include "core/assert.h"
#include "param/number.h"
#include <math.h>

#define GOLDEN 0.38196601125010515 /* (3 - sqrt 5) / 2 */
#define LOG_FROM 10                /* a range that spans such a factor is searched on the logarithm */

/* --- positions --- */

bool weir_search_is_log(const struct weir_search *s)
{
    return s->lo > 0 && s->hi / s->lo >= LOG_FROM;
}

static double position(const struct weir_search *s, uint64_t at)
{
    return weir_search_is_log(s) ? log((double)at) : (double)at;
}

/* Rounds to WEIR_SEARCH_DIGITS digits, so that values are short to read and to type. */
static uint64_t round_value(double value)
{
    uint32_t digits = value >= 1 ? (uint32_t)floor(log10(value)) + 1 : 1;
    uint64_t step = digits > WEIR_SEARCH_DIGITS ? weir_power_of_ten(digits - WEIR_SEARCH_DIGITS) : 1;
    return (uint64_t)floor(value / (double)step + 0.5) * step;
}

/* Returns the value at a position, rounded and within the range. */
static uint64_t value_at(const struct weir_search *s, double where)
{
    uint64_t at = round_value(weir_search_is_log(s) ? exp(where) : where);
    return at < s->lo ? s->lo : at > s->hi ? s->hi : at;
}

uint64_t weir_search_middle(uint64_t lo, uint64_t hi)
{
    const struct weir_search s = { .lo = lo, .hi = hi };
    return value_at(&s, (position(&s, lo) + position(&s, hi)) / 2);
}

/* --- which value is best --- */

static bool is_better(const struct weir_search *s, const struct weir_search_value *a, const struct weir_search_value *b)
{
    if (b->mean.count == 0 || a->mean.count == 0)
        return a->mean.count > b->mean.count;
    if (a->is_sound != b->is_sound)
        return a->is_sound;
    if (a->mean.mean == b->mean.mean)
        return a->at == s->also; /* no reason to leave the value that the file has */
    return s->is_greatest ? a->mean.mean > b->mean.mean : a->mean.mean < b->mean.mean;
}

uint32_t weir_search_best(const struct weir_search *s)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->value[i].mean.count > 0 && (best == UINT32_MAX || is_better(s, &s->value[i], &s->value[best])))
            best = i;
    return best;
}

struct weir_estimate weir_search_difference(const struct weir_search *s, uint32_t value)
{
    uint32_t best = weir_search_best(s);
    if (best == UINT32_MAX)
        return (struct weir_estimate){ 0 };
    return weir_estimate_paired(s->value[value].number, s->value[best].number, s->seeds);
}

/* Tests whether two values have equal numbers with every seed. */
static bool is_same(const struct weir_search *s, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < s->seeds; i++)
        if (!(s->value[a].number[i] == s->value[b].number[i])) /* NAN equals no number */
            return false;
    return true;
}

bool weir_search_is_equal(const struct weir_search *s, uint32_t value)
{
    uint32_t best = weir_search_best(s);
    struct weir_estimate d = weir_search_difference(s, value);
    if (best == UINT32_MAX || s->value[value].is_sound != s->value[best].is_sound)
        return false;
    return is_same(s, value, best) || (d.count >= 3 && fabs(d.mean) <= d.half_width);
}

void weir_search_range(const struct weir_search *s, uint32_t *first, uint32_t *last)
{
    *first = *last = weir_search_best(s);
    WEIR_ASSERT(*first != UINT32_MAX);
    while (*first > 0 && weir_search_is_equal(s, *first - 1))
        --*first;
    while (*last + 1 < s->count && weir_search_is_equal(s, *last + 1))
        ++*last;
}

/* --- which value is next --- */

static bool is_tried(const struct weir_search *s, uint64_t at)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->value[i].at == at)
            return true;
    return false;
}

/* Adds a value to a list in ascending order, unless it is there or was tried. */
static uint32_t add(const struct weir_search *s, uint64_t *at, uint32_t count, uint64_t value)
{
    uint32_t i = count;
    for (uint32_t k = 0; k < count; k++)
        if (at[k] == value)
            return count;
    if (is_tried(s, value))
        return count;
    for (; i > 0 && at[i - 1] > value; i--)
        at[i] = at[i - 1];
    at[i] = value;
    return count + 1;
}

/* Tests whether every value has the numbers of the best one. */
static bool all_same(const struct weir_search *s, uint32_t best)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (!is_same(s, i, best))
            return false;
    return true;
}

/* Returns the golden section of the wider of the two intervals next to the best value. */
static uint64_t next_value(const struct weir_search *s, uint32_t best)
{
    double at = position(s, s->value[best].at);
    double below = best > 0 ? at - position(s, s->value[best - 1].at) : 0;
    double above = best + 1 < s->count ? position(s, s->value[best + 1].at) - at : 0;
    return value_at(s, below > above ? at - GOLDEN * below : at + GOLDEN * above);
}

enum weir_search_end weir_search_end(const struct weir_search *s)
{
    uint32_t best = weir_search_best(s), left, right;
    bool noise;
    if (s->count == 0)
        return WEIR_SEARCH_OPEN;
    if (best == UINT32_MAX)
        return WEIR_SEARCH_NO_VALUE; /* no run has the number: further ones would not have it either */
    if (s->count > 1 && all_same(s, best))
        return WEIR_SEARCH_EQUAL;
    left = best > 0 ? best - 1 : best;
    right = best + 1 < s->count ? best + 1 : best;
    noise = weir_search_is_equal(s, left) && weir_search_is_equal(s, right);
    if (noise && s->count >= WEIR_SEARCH_NOISE_MIN)
        return WEIR_SEARCH_NOISE;
    if (position(s, s->value[right].at) - position(s, s->value[left].at) <=
        WEIR_SEARCH_NARROW * (position(s, s->hi) - position(s, s->lo)))
        return WEIR_SEARCH_CLOSE;
    if (s->count >= s->most)
        return WEIR_SEARCH_BUDGET;
    return is_tried(s, next_value(s, best)) ? WEIR_SEARCH_NO_VALUE : WEIR_SEARCH_OPEN;
}

uint32_t weir_search_ask(const struct weir_search *s, uint64_t at[WEIR_SEARCH_FIRST_MAX])
{
    double lo = position(s, s->lo), width = position(s, s->hi) - lo;
    uint32_t count = 0;
    WEIR_ASSERT(s->lo < s->hi);
    WEIR_ASSERT(s->most >= WEIR_SEARCH_FIRST_MAX);
    WEIR_ASSERT(s->most <= WEIR_SEARCH_VALUES_MAX);
    if (s->count > 0) {
        if (weir_search_end(s) != WEIR_SEARCH_OPEN)
            return 0;
        at[0] = next_value(s, weir_search_best(s));
        return 1;
    }
    count = add(s, at, count, s->lo);
    count = add(s, at, count, s->hi);
    count = add(s, at, count, value_at(s, lo + GOLDEN * width));
    count = add(s, at, count, value_at(s, lo + width - GOLDEN * width));
    return s->also > s->lo && s->also < s->hi ? add(s, at, count, s->also) : count;
}

void weir_search_add(struct weir_search *s, uint64_t at, const double *number, bool is_sound)
{
    uint32_t i = s->count;
    WEIR_ASSERT(s->count < WEIR_SEARCH_VALUES_MAX);
    WEIR_ASSERT(!is_tried(s, at));
    for (; i > 0 && s->value[i - 1].at > at; i--)
        s->value[i] = s->value[i - 1];
    s->value[i] = (struct weir_search_value){ .at = at, .number = number, .is_sound = is_sound };
    s->value[i].mean = weir_estimate_of(number, s->seeds);
    s->count++;
}
