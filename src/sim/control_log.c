/* src/sim/control_log.c - the trace of control frames. A run without that option touches nothing of it. */
#include "sim/engine.h"
#include <stdlib.h>

void weir_sim_control_note(struct sim_thread *th, const struct weir_pkt *frame, uint32_t link)
{
    struct weir_control_row *row;
    if (th->engine->options->control == NULL)
        return;
    row = weir_sim_row_log_add(&th->control, sizeof(*row));
    if (row != NULL)
        *row = (struct weir_control_row){
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
    void *row;
    size_t count;
    int code = weir_sim_row_logs_take(e, offsetof(struct sim_thread, control), sizeof(struct weir_control_row),
                                      WEIR_NEVER, control_compare, &row, &count);
    if (code == 0 && count > 0)
        code = e->options->control(e->options->control_ctx, row, count);
    free(row);
    return code;
}
