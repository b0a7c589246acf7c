/* src/scenario/measure/batches.c - see batches.h. */
#include "measure/batches.h"
#include "core/assert.h"
#include <stdlib.h>

struct weir_batches *weir_batches_new(uint32_t count, uint64_t length_ps, bool has_slowdown)
{
    struct weir_batches *b = calloc(1, sizeof(*b));
    WEIR_ASSERT(count > 0 && length_ps > 0);
    if (b == NULL)
        return NULL;
    b->count = count;
    b->length_ps = length_ps;
    b->batch = calloc(count, sizeof(*b->batch));
    if (has_slowdown) /* only the pages of buckets with a count are touched */
        b->slowdown = calloc(count, sizeof(*b->slowdown));
    if (b->batch != NULL && (b->slowdown != NULL || !has_slowdown))
        return b;
    weir_batches_free(b);
    return NULL;
}

void weir_batches_free(struct weir_batches *b)
{
    if (b == NULL)
        return;
    free(b->batch);
    free(b->slowdown);
    free(b);
}

void weir_batches_pass(struct weir_batches *b, const struct weir_batch *now)
{
    WEIR_ASSERT(b->done < b->count);
    WEIR_ASSERT(now->messages >= b->last.messages && now->arrived_bytes >= b->last.arrived_bytes);
    if (b->begun)
        b->batch[b->done++] = (struct weir_batch){ .messages = now->messages - b->last.messages,
                                                   .slowdown_ppm = now->slowdown_ppm - b->last.slowdown_ppm,
                                                   .arrived_bytes = now->arrived_bytes - b->last.arrived_bytes,
                                                   .started_bytes = now->started_bytes - b->last.started_bytes,
                                                   .queue_millibytes = now->queue_millibytes,
                                                   .unfinished_bytes = now->unfinished_bytes };
    else
        b->unfinished_bytes = now->unfinished_bytes;
    b->begun = true;
    b->last = *now;
}
