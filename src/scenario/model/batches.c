/* src/scenario/model/batches.c - ends the batches of the measured part [run.batches]; see account.h. */
#include "core/math.h"
#include "model/account.h"

uint64_t weir_account_batch_ps(const struct weir_account *acc)
{
    const struct weir_batches *b = acc->batches;
    if (b == NULL || b->done == b->count)
        return WEIR_NEVER;
    return acc->model->warmup_ps + (b->done + b->begun) * b->length_ps;
}

uint64_t weir_account_batch_queue(struct weir_account *acc, uint64_t tor_bytes, uint64_t samples)
{
    uint64_t bytes = tor_bytes - acc->batch_tor_bytes, count = samples - acc->batch_tor_samples;
    WEIR_ASSERT(acc->model->sampled);
    acc->batch_tor_bytes = tor_bytes;
    acc->batch_tor_samples = samples;
    return count > 0 ? weir_mul_div_u64(bytes, 1000, count) : 0;
}

int weir_account_batch(struct weir_account *acc, const struct weir_sim_options *options, uint64_t arrived_bytes,
                       uint64_t queue_millibytes)
{
    struct weir_batches *b = acc->batches;
    struct weir_batch now = { .arrived_bytes = arrived_bytes,
                              .queue_millibytes = queue_millibytes,
                              .unfinished_bytes = weir_account_unfinished_bytes(acc) };
    uint32_t done = b->done;
    for (uint32_t i = 0; i < acc->shard_count; i++) {
        struct weir_recorder *rec = &acc->shard[i].recorder;
        now.messages += rec->counted;
        now.started_bytes += acc->shard[i].started_bytes;
        now.slowdown_ppm += rec->slowdown_sum_ppm;
        if (b->begun && b->slowdown != NULL)
            weir_histogram_move(&b->slowdown[done], rec->slowdown_now);
    }
    weir_batches_pass(b, &now);
    return b->done > done && options->batch != NULL ? options->batch(options->batch_ctx, b) : 0;
}
