/* src/simulator/state/row_log.h - logs of rows that threads write during a run, each thread the rows of its own nodes.
 * The rows are reported in order of time, batch by batch. A log is on the heap, since it may grow to any size. */
#ifndef WEIR_STATE_ROW_LOG_H
#define WEIR_STATE_ROW_LOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Log of one thread and kind of row; all zeros = empty. A row begins with its time, uint64_t at_ps. */
struct sim_row_log {
    char *row;
    size_t count, capacity;
    bool out_of_memory;
};

/* Appends a row of `bytes` bytes, the same for all rows of a log and at least 8. @return the row, which the caller
 * writes before the next call; NULL = no memory, and log->out_of_memory is set */
void *weir_sim_row_log_add(struct sim_row_log *log, size_t bytes);
/* Frees the rows and sets the log to zeros: it is empty and may be used again. */
void weir_sim_row_log_free(struct sim_row_log *log);

/* Moves the rows with at_ps < until_ps to the array `to`, in the order of the log; the array must have room for
 * log->count rows. The other rows stay in the log, in their order. bytes: size of a row. @return how many rows were
 * moved */
size_t weir_sim_row_log_split(struct sim_row_log *log, size_t bytes, uint64_t until_ps, char *to);
#endif
