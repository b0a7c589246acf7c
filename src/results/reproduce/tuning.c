/* src/results/reproduce/tuning.c - the trials of a tuning: finds them, and counts their runs; see tuning.h. */
#include "reproduce/tuning.h"
#include <math.h>
#include <string.h>

struct weir_tuning_trial *weir_tuning_find(struct weir_tuning *t, const uint64_t at[WEIR_TUNING_KEYS_MAX])
{
    for (uint32_t i = 0; i < t->trial_count; i++)
        if (memcmp(t->trial[i].at, at, t->key_count * sizeof(*at)) == 0)
            return &t->trial[i];
    return NULL;
}

void weir_tuning_settle(const struct weir_tuning *t, struct weir_tuning_trial *trial)
{
    trial->done = trial->doubtful = 0;
    for (uint32_t s = 0; s < t->seeds; s++) {
        const struct weir_comparison_run *run = &trial->run[s];
        trial->number[s] = run->is_done ? run->value[0] : (double)NAN;
        trial->done += run->is_done;
        trial->doubtful += run->is_done && run->doubt[0] != '\0';
    }
}

bool weir_tuning_is_sound(const struct weir_tuning *t, const struct weir_tuning_trial *trial)
{
    return trial->done == t->seeds && trial->doubtful == 0;
}

const struct weir_tuning_search *weir_tuning_last(const struct weir_tuning *t)
{
    const struct weir_tuning_search *last = NULL;
    for (uint32_t i = 0; i < t->search_count; i++)
        if (weir_search_best(&t->search[i].search) != UINT32_MAX)
            last = &t->search[i];
    return last;
}
