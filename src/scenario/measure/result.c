/* src/scenario/measure/result.c - numbers of a result that are computed when the run is over: slowdowns, rates, Jain's
 * index. */
#include "measure/result.h"
#include "core/round.h"
#include <stdlib.h>

void weir_result_free(struct weir_result *result)
{
    weir_detail_free(result->detail);
    weir_batches_free(result->batches);
    weir_causes_free(result->causes);
    weir_job_results_free(result->jobs);
    free(result->law);
    free(result->of_class);
    free(result->feature_count);
    free(result->link);
    free(result->skipped.stretch);
    result->detail = NULL;
    result->batches = NULL;
    result->causes = NULL;
    result->jobs = NULL;
    result->law = result->of_class = NULL;
    result->law_count = result->class_count = 0;
    result->feature_count = NULL;
    result->feature_counts = 0;
    result->link = NULL;
    result->skipped = (struct weir_skipped){ 0 };
}

bool weir_group_dists(struct weir_samples group[WEIR_GROUP_COUNT - 1], struct weir_dist dist[WEIR_GROUP_COUNT])
{
    for (int g = 0; g < WEIR_GROUP_COUNT - 1; g++)
        dist[WEIR_GROUP_A + g] = weir_samples_dist(&group[g]);
    for (int g = 1; g < WEIR_GROUP_COUNT - 1; g++) {
        weir_samples_merge(&group[0], &group[g]);
        weir_samples_free(&group[g]);
    }
    dist[WEIR_GROUP_ALL] = weir_samples_dist(&group[0]);
    return !group[0].failed;
}

void weir_result_slowdown(struct weir_result *result, struct weir_recorder *merged)
{
    uint64_t sum_kbps = 0;
    result->samples_lost = false;
    for (int kind = 0; kind < WEIR_SLOWDOWN_COUNT; kind++)
        result->samples_lost |= !weir_group_dists(merged->slowdown[kind], result->slowdown[kind]);
    result->samples_lost |= !weir_group_dists(merged->completion, result->completion);
    for (int g = 0; g < WEIR_GROUP_COUNT - 1; g++) {
        uint64_t count = result->completion[WEIR_GROUP_A + g].count;
        result->rate_kbps[WEIR_GROUP_A + g] = count > 0 ? merged->rate_sum_kbps[g] / count : 0;
        sum_kbps += merged->rate_sum_kbps[g];
    }
    if (result->completion[WEIR_GROUP_ALL].count > 0)
        result->rate_kbps[WEIR_GROUP_ALL] = sum_kbps / result->completion[WEIR_GROUP_ALL].count;
}

static uint32_t bit_length(uint64_t x)
{
    return x == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(x);
}

/* Scales the largest value to exactly `bits` bits, and all others by the same shift, so that n * (2^bits)^2 <= 2^64.
 * For 65536 values this leaves 24 bits of each: the error of the index is below 10^-6. */
uint64_t weir_jain_ppm(const uint64_t *value, uint32_t n)
{
    uint32_t bits = n == 0 ? 0 : (64 - bit_length(n - 1)) / 2, length;
    uint64_t max = 0, sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
        max = weir_max_u64(max, value[i]);
    if (max == 0)
        return 0;
    length = bit_length(max);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = length > bits ? value[i] >> (length - bits) : value[i] << (bits - length);
        sum += x;
        squares += x * x;
    }
    return weir_mul_div_round_u64(weir_mul_div_u64(sum, sum, n), 1000000, squares);
}
