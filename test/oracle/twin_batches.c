/* test/oracle/twin_batches.c - compares the batches of the measured part, [run.batches], number by number. */
#include "test/oracle/twin.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint32_t twin_compare_batches(const char *who, const struct weir_batches *is, const struct weir_batches *must)
{
    if (is == NULL && must == NULL)
        return 0;
    if (is == NULL || must == NULL || is->count != must->count || is->length_ps != must->length_ps) {
        (void)fprintf(stderr, "    %s: batches differ in number or length\n", who);
        return 1;
    }
    for (uint32_t i = 0; i < must->count; i++) {
        const struct weir_batch *a = &is->batch[i], *b = &must->batch[i];
        if (memcmp(a, b, sizeof(*a)) == 0 &&
            (must->slowdown == NULL || memcmp(&is->slowdown[i], &must->slowdown[i], sizeof(must->slowdown[i])) == 0))
            continue;
        (void)fprintf(stderr,
                      "    %s: batch %" PRIu32 " has %" PRIu64 " messages, %" PRIu64 " B, queue %" PRIu64
                      ", must have %" PRIu64 ", %" PRIu64 " B, %" PRIu64 "; or its histogram differs\n",
                      who, i, a->messages, a->arrived_bytes, a->queue_millibytes, b->messages, b->arrived_bytes,
                      b->queue_millibytes);
        return 1;
    }
    return 0;
}
