/* src/simulator/observe/report.c - passes to the callbacks of the options what the run has logged: messages that ended,
 * control frames, packets at taps. Rows of packets may be logged before their time, or later than others. So they are
 * passed only up to an instant before which all decisions have been made. */
#include "observe/observe.h"
#include "ranks/ranks.h"
#include "state/tap.h"
#include <stdlib.h>

/* Moves the rows with at_ps < until_ps from the logs of all threads to *out, at rank 0 those of all ranks, sorted.
 * The caller frees *out, which may be NULL if *count is 0. log: offset of the log in struct sim_thread. bytes: size
 * of a row. compare: a total order, by time first. *count: number of rows. @return 0 or WEIR_E_MEMORY */
static int take_rows(struct sim_engine *e, size_t log, size_t bytes, uint64_t until_ps,
                     int (*compare)(const void *, const void *), void **out, size_t *count)
{
    struct weir_buffer all = { 0 };
    *out = NULL;
    *count = 0;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        struct sim_row_log *of = (struct sim_row_log *)(void *)((char *)&e->thread[t] + log);
        size_t had = all.bytes;
        all.out_of_memory |= of->out_of_memory;
        if (of->count > 0 && weir_buffer_grow(&all, of->count * bytes) != NULL)
            all.bytes = had + bytes * weir_sim_row_log_split(of, bytes, until_ps, (char *)all.data + had);
    }
    weir_sim_ranks_append(e, &all);
    if (all.out_of_memory) {
        weir_buffer_free(&all);
        return WEIR_E_MEMORY;
    }
    *count = all.bytes / bytes;
    if (*count > 0)
        qsort(all.data, *count, bytes, compare);
    *out = all.data;
    return 0;
}

/* Compares packet rows by time, link, event and order. Two rows with equal time, link and event come from one thread,
 * and are drops: .order has the order in which the model drops them. */
static int tap_compare(const void *a, const void *b)
{
    const struct weir_packet_row *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Passes the rows of packets before until_ps to options->packets. */
static int report_packets(struct sim_engine *e, uint64_t until_ps)
{
    void *row;
    size_t count;
    int code = take_rows(e, offsetof(struct sim_thread, tap), sizeof(struct weir_packet_row), until_ps, tap_compare,
                         &row, &count);
    if (code == 0 && count > 0 && e->callback_code == 0)
        code = e->options->packets(e->options->packets_ctx, row, count);
    free(row);
    return code;
}

/* Compares rows of control frames by time and link. No two frames arrive by one link at one instant: each takes time on
 * the wire. */
static int control_compare(const void *a, const void *b)
{
    const struct weir_control_row *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

/* Reports all rows that are in the logs: at a boundary of windows these are all frames that arrived before it. So
 * batches are in order of time. */
static int report_control(struct sim_engine *e)
{
    void *row;
    size_t count;
    int code = take_rows(e, offsetof(struct sim_thread, control), sizeof(struct weir_control_row), WEIR_NEVER,
                         control_compare, &row, &count);
    if (code == 0 && count > 0 && e->callback_code == 0)
        code = e->options->control(e->options->control_ctx, row, count);
    free(row);
    return code;
}

/* Keeps the first error of those that callbacks return. */
static void keep_first(struct sim_engine *e, int code)
{
    e->callback_code = e->callback_code != 0 ? e->callback_code : code;
}

void weir_sim_report(struct sim_engine *e, uint64_t until_ps)
{
    /* all ranks give rank 0 their rows, whatever it does with them */
    if (e->options->rows != NULL) {
        weir_sim_ranks_rows(e);
        if (sim_is_first(e) && e->callback_code == 0)
            e->callback_code = weir_account_rows(&e->account, e->options);
    }
    if (e->options->control != NULL)
        keep_first(e, report_control(e));
    if (e->options->packets != NULL)
        keep_first(e, report_packets(e, until_ps));
    weir_sim_ranks_agree(e);
}
