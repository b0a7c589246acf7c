/* src/scenario/measure/detail.c - see detail.h. */
#include "measure/detail.h"
#include "core/assert.h"
#include <stdlib.h>
#include <string.h>

uint64_t weir_detail_edge(uint32_t bin)
{
    static const uint64_t quarter[] = { 1000000000, 1778279410, 3162277660, 5623413252 }; /* 10^(i / 4) * 10^9 */
    uint64_t decade = 1;
    WEIR_ASSERT(bin <= WEIR_DETAIL_BINS);
    if (bin == WEIR_DETAIL_BINS)
        return INT64_MAX;
    for (uint32_t i = 0; i < bin / 4; i++)
        decade *= 10;
    return (quarter[bin % 4] * decade + 500000000) / 1000000000; /* the product is below 10^19, which fits */
}

struct weir_detail *weir_detail_new(void)
{
    return calloc(1, sizeof(struct weir_detail));
}

void weir_detail_free(struct weir_detail *detail)
{
    free(detail);
}

uint32_t weir_detail_bin(uint64_t bytes)
{
    uint32_t low = 0, high = WEIR_DETAIL_BINS; /* edge(low) <= bytes < edge(high), except for 0 and for 2^63 and more */
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (bytes >= weir_detail_edge(middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

void weir_detail_add(struct weir_detail *detail, uint64_t bytes, uint64_t ideal_ppm, uint64_t payload_ppm)
{
    uint32_t bin = weir_detail_bin(bytes);
    weir_histogram_add(&detail->slowdown[WEIR_SLOWDOWN_IDEAL][bin], ideal_ppm);
    weir_histogram_add(&detail->slowdown[WEIR_SLOWDOWN_PAYLOAD][bin], payload_ppm);
}

/* Adds `from` to h. An empty `from` is not read or written: pages of h that hold nothing stay untouched. */
static void detail_merge_one(struct weir_histogram *h, const struct weir_histogram *from)
{
    if (from->total > 0)
        weir_histogram_merge(h, from);
}

void weir_detail_merge(struct weir_detail *detail, const struct weir_detail *from)
{
    for (uint32_t d = 0; d < WEIR_SLOWDOWN_COUNT; d++)
        for (uint32_t bin = 0; bin < WEIR_DETAIL_BINS; bin++)
            detail_merge_one(&detail->slowdown[d][bin], &from->slowdown[d][bin]);
    detail_merge_one(&detail->tor_queue, &from->tor_queue);
    detail_merge_one(&detail->port_queue, &from->port_queue);
}

uint64_t weir_detail_quantile(const struct weir_detail *detail, uint32_t denominator, uint32_t bin, uint32_t ppm)
{
    WEIR_ASSERT(denominator < WEIR_SLOWDOWN_COUNT);
    WEIR_ASSERT(bin < WEIR_DETAIL_BINS);
    return weir_histogram_quantile(&detail->slowdown[denominator][bin], ppm);
}

void weir_detail_all(const struct weir_detail *detail, uint32_t denominator, struct weir_histogram *all)
{
    WEIR_ASSERT(denominator < WEIR_SLOWDOWN_COUNT);
    memset(all, 0, sizeof(*all));
    for (uint32_t bin = 0; bin < WEIR_DETAIL_BINS; bin++)
        detail_merge_one(all, &detail->slowdown[denominator][bin]);
}
