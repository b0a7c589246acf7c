/* src/scenario/measure/recorder.c - the recorder: counts the delivered messages of one thread; see struct
 * weir_recorder. */
#include "core/assert.h"
#include "core/math.h"
#include "core/rng.h"
#include "core/units.h"
#include "measure/result.h"
#include <stdlib.h>

#define PPM UINT64_C(1000000)
#define KBPS_PER_BIT_AND_PS (WEIR_PS_PER_S / 1000)

void weir_recorder_init(struct weir_recorder *rec, const uint64_t group_edge[3], uint64_t from_ps, uint64_t until_ps,
                        uint32_t sample_limit)
{
    *rec = (struct weir_recorder){ .from_ps = from_ps, .until_ps = until_ps };
    for (int i = 0; i < 3; i++)
        rec->group_edge[i] = group_edge[i];
    for (int kind = 0; kind < WEIR_SLOWDOWN_COUNT; kind++)
        for (int group = 0; group < WEIR_GROUP_COUNT - 1; group++)
            weir_samples_init(&rec->slowdown[kind][group], sample_limit);
    for (int group = 0; group < WEIR_GROUP_COUNT - 1; group++)
        weir_samples_init(&rec->completion[group], sample_limit);
}

/* Adds the slowdown, completion time and rate of a message that counts in results by message. */
static void recorder_message(struct weir_recorder *rec, const struct weir_delivery *d)
{
    uint64_t latency_ps = d->end_ps - d->start_ps;
    uint64_t ideal_ppm, payload_ppm, key = weir_rng_key(0, d->id, WEIR_RNG_SAMPLE, 0);
    int group = weir_group_of(rec->group_edge, d->bytes) - WEIR_GROUP_A;
    WEIR_ASSERT(d->ideal_ps > 0);
    WEIR_ASSERT(d->payload_ps > 0);
    ideal_ppm = weir_mul_div_u64(latency_ps, PPM, d->ideal_ps);
    payload_ppm = weir_mul_div_u64(latency_ps, PPM, d->payload_ps);
    weir_samples_add(&rec->slowdown[WEIR_SLOWDOWN_IDEAL][group], ideal_ppm, key);
    weir_samples_add(&rec->slowdown[WEIR_SLOWDOWN_PAYLOAD][group], payload_ppm, key);
    weir_samples_add(&rec->completion[group], latency_ps, key);
    rec->rate_sum_kbps[group] += weir_mul_div_u64(8 * d->bytes, KBPS_PER_BIT_AND_PS, weir_max_u64(latency_ps, 1));
    rec->counted++;
    rec->slowdown_sum_ppm += ideal_ppm;
    if (rec->slowdown_now != NULL)
        weir_histogram_add(rec->slowdown_now, ideal_ppm);
    if (rec->detail != NULL)
        weir_detail_add(rec->detail, d->bytes, ideal_ppm, payload_ppm);
}

void weir_recorder_delivery(struct weir_recorder *rec, const struct weir_delivery *d)
{
    WEIR_ASSERT(d->end_ps >= d->start_ps);
    if (!weir_recorder_measures(rec, d->end_ps))
        return;
    rec->delivered_measured++;
    rec->delivered_measured_bytes += d->bytes;
    if (d->bytes <= rec->short_bytes) {
        rec->short_pkts += d->pkts;
        rec->short_marked_pkts += d->marks;
    }
    if (d->measured)
        recorder_message(rec, d);
}

void weir_recorder_merge(struct weir_recorder *rec, const struct weir_recorder *from)
{
    WEIR_ASSERT(rec->from_ps == from->from_ps);
    WEIR_ASSERT(rec->until_ps == from->until_ps);
    WEIR_ASSERT(rec->short_bytes == from->short_bytes);
    for (int i = 0; i < 3; i++)
        WEIR_ASSERT(rec->group_edge[i] == from->group_edge[i]);
    rec->delivered_measured += from->delivered_measured;
    rec->delivered_measured_bytes += from->delivered_measured_bytes;
    rec->counted += from->counted;
    rec->slowdown_sum_ppm += from->slowdown_sum_ppm;
    rec->short_pkts += from->short_pkts;
    rec->short_marked_pkts += from->short_marked_pkts;
    for (int kind = 0; kind < WEIR_SLOWDOWN_COUNT; kind++)
        for (int group = 0; group < WEIR_GROUP_COUNT - 1; group++)
            weir_samples_merge(&rec->slowdown[kind][group], &from->slowdown[kind][group]);
    for (int group = 0; group < WEIR_GROUP_COUNT - 1; group++) {
        weir_samples_merge(&rec->completion[group], &from->completion[group]);
        rec->rate_sum_kbps[group] += from->rate_sum_kbps[group];
    }
    WEIR_ASSERT((rec->detail == NULL) == (from->detail == NULL));
    if (rec->detail != NULL)
        weir_detail_merge(rec->detail, from->detail);
}

void weir_recorder_free(struct weir_recorder *rec)
{
    for (int kind = 0; kind < WEIR_SLOWDOWN_COUNT; kind++)
        for (int group = 0; group < WEIR_GROUP_COUNT - 1; group++)
            weir_samples_free(&rec->slowdown[kind][group]);
    for (int group = 0; group < WEIR_GROUP_COUNT - 1; group++)
        weir_samples_free(&rec->completion[group]);
    weir_detail_free(rec->detail);
    free(rec->slowdown_now);
    rec->detail = NULL;
    rec->slowdown_now = NULL;
}
