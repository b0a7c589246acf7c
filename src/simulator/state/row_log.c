/* src/simulator/state/row_log.c - see row_log.h. */
#include "state/row_log.h"
#include "core/assert.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_FIRST = 1024 };

void *weir_sim_row_log_add(struct sim_row_log *log, size_t bytes)
{
    WEIR_ASSERT(bytes >= sizeof(uint64_t)); /* a row begins with uint64_t at_ps */
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

size_t weir_sim_row_log_split(struct sim_row_log *log, size_t bytes, uint64_t until_ps, char *to)
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
    WEIR_ASSERT(moved + kept == log->count);
    log->count = kept;
    return moved;
}
