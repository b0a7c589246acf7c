/* src/sim/control_log.c - the trace of control frames: each thread keeps those that came to its nodes, and now and
 * then they are handed over in order. A run without that option touches nothing of it. */
#include "sim/engine.h"
#include <stdlib.h>

void weir_sim_control_note(struct sim_thread *th, const struct weir_pkt *frame, uint32_t link)
{
    struct sim_control_log *log = &th->control;
    if (th->engine->options->control == NULL)
        return;
    if (log->count == log->capacity) {
        size_t capacity = log->capacity == 0 ? 1024 : 2 * log->capacity;
        struct weir_control_row *bigger = realloc(log->row, capacity * sizeof(*bigger));
        if (bigger == NULL) {
            log->out_of_memory = true;
            return;
        }
        log->row = bigger;
        log->capacity = capacity;
    }
    log->row[log->count++] = (struct weir_control_row){
        .at_ps = frame->arrival_ps, .link = link, .class_id = frame->class_id, .code = (uint8_t)frame->flags
    };
}

/* One link brings at most one frame at an instant: frames take time on the wire. */
static int control_compare(const void *a, const void *b)
{
    const struct weir_control_row *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

/* All threads stand still, and all before now has been noted: batches follow each other in order. */
int weir_sim_control_report(struct sim_engine *e)
{
    size_t count = 0, filled = 0;
    struct weir_control_row *all;
    int code;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        count += e->thread[t].control.count;
        if (e->thread[t].control.out_of_memory)
            return WEIR_E_MEMORY;
    }
    if (count == 0)
        return 0;
    all = malloc(count * sizeof(*all));
    if (all == NULL)
        return WEIR_E_MEMORY;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        struct sim_control_log *log = &e->thread[t].control;
        for (size_t i = 0; i < log->count; i++)
            all[filled++] = log->row[i];
        log->count = 0;
    }
    qsort(all, count, sizeof(*all), control_compare);
    code = e->options->control(e->options->control_ctx, all, count);
    free(all);
    return code;
}
