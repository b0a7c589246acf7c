/* src/simulator/state/row_log.h - rows that threads note while a run goes on, each those of its own nodes, to be handed
 * over in order now and then. On the heap, since a log may grow to any size. */
#ifndef WEIR_STATE_ROW_LOG_H
#define WEIR_STATE_ROW_LOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_row_log { /* one per thread and kind of row; zeros at first. A row begins with its time, uint64_t at_ps */
    char *row;
    size_t count, capacity;
    bool out_of_memory;
};

/* Appends a row. @return the row, to be written; NULL = no memory, and log->out_of_memory is set */
void *weir_sim_row_log_add(struct sim_row_log *log, size_t bytes);
/* Frees the rows; the log is empty then. */
void weir_sim_row_log_free(struct sim_row_log *log);

/* Moves the rows before `until` to `to`, which has room for all; the others move up. @return how many were moved */
size_t weir_sim_row_log_split(struct sim_row_log *log, size_t bytes, uint64_t until_ps, char *to);
#endif
