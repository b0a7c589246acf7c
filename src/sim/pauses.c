/* src/sim/pauses.c - the trace of pause and resume frames: each thread keeps what its nodes were told, now and then it is told in
 * order. Nothing of it is touched by a run that nobody asked for it. */
#include "sim/engine.h"
#include <stdlib.h>

void weir_sim_pauses_note(struct sim_pauses *obeys, const struct weir_pkt *frame)
{
    struct sim_pause_log *log = obeys->log;
    if (log == NULL)
        return;
    if (log->count == log->capacity) {
        size_t capacity = log->capacity == 0 ? 1024 : 2 * log->capacity;
        struct weir_pause_row *bigger = realloc(log->row, capacity * sizeof(*bigger));
        if (bigger == NULL) {
            log->out_of_memory = true;
            return;
        }
        log->row = bigger;
        log->capacity = capacity;
    }
    log->row[log->count++] = (struct weir_pause_row){
        .at_ps = frame->arrival_ps, .link = obeys->link, .class_id = frame->class_id, .pause = frame->flags != 0
    };
}

/* One link brings at most one frame at an instant: frames take time on the wire. */
static int pauses_compare(const void *a, const void *b)
{
    const struct weir_pause_row *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

/* All threads stand still, and all before now has been noted: batches follow each other in order. */
int weir_sim_pauses_tell(struct sim_engine *e)
{
    size_t count = 0, filled = 0;
    struct weir_pause_row *all;
    int code;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        count += e->thread[t].pauses.count;
        if (e->thread[t].pauses.out_of_memory)
            return WEIR_E_MEMORY;
    }
    if (count == 0)
        return 0;
    all = malloc(count * sizeof(*all));
    if (all == NULL)
        return WEIR_E_MEMORY;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        struct sim_pause_log *log = &e->thread[t].pauses;
        for (size_t i = 0; i < log->count; i++)
            all[filled++] = log->row[i];
        log->count = 0;
    }
    qsort(all, count, sizeof(*all), pauses_compare);
    code = e->options->pauses(e->options->pauses_ctx, all, count);
    free(all);
    return code;
}
