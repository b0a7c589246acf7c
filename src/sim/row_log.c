/* src/sim/row_log.c - see row_log.h. */
#include "sim/row_log.h"
#include "sim/engine.h"
#include <stdlib.h>

enum { ROWS_AT_FIRST = 1024 };

void *weir_sim_row_log_add(struct sim_row_log *log, size_t bytes)
{
    if (log->count == log->capacity) {
        size_t capacity = log->capacity == 0 ? ROWS_AT_FIRST : 2 * log->capacity;
        char *bigger = realloc(log->row, capacity * bytes);
        if (bigger == NULL) {
            log->out_of_memory = true;
            return NULL;
        }
        log->row = bigger;
        log->capacity = capacity;
    }
    return log->row + bytes * log->count++;
}

void weir_sim_row_log_free(struct sim_row_log *log)
{
    free(log->row);
    *log = (struct sim_row_log){ 0 };
}

/* Moves the rows before until to `to`; the others move up. @return how many were moved */
static size_t log_split(struct sim_row_log *log, size_t bytes, uint64_t until_ps, char *to)
{
    size_t moved = 0, kept = 0;
    for (size_t i = 0; i < log->count; i++) {
        const char *row = log->row + i * bytes;
        uint64_t at_ps;
        memcpy(&at_ps, row, sizeof(at_ps));
        if (at_ps < until_ps)
            memcpy(to + moved++ * bytes, row, bytes);
        else if (kept++ < i)
            memcpy(log->row + (kept - 1) * bytes, row, bytes);
    }
    log->count = kept;
    return moved;
}

int weir_sim_row_logs_take(struct sim_engine *e, size_t log, size_t bytes, uint64_t until_ps,
                           int (*compare)(const void *, const void *), void **out, size_t *count)
{
    size_t most = 0;
    char *all;
    *out = NULL;
    *count = 0;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        const struct sim_row_log *of = (const struct sim_row_log *)(const void *)((const char *)&e->thread[t] + log);
        most += of->count;
        if (of->out_of_memory)
            return WEIR_E_MEMORY;
    }
    if (most == 0)
        return 0;
    all = malloc(most * bytes);
    if (all == NULL)
        return WEIR_E_MEMORY;
    for (uint32_t t = 0; t < e->thread_count; t++)
        *count += log_split((struct sim_row_log *)(void *)((char *)&e->thread[t] + log), bytes, until_ps,
                            all + *count * bytes);
    if (*count > 0)
        qsort(all, *count, bytes, compare);
    *out = all;
    return 0;
}
