/* src/state/row_log.h - what threads note down while a run goes on, to be handed over in order now and then: each keeps
 * the rows of its own nodes. On the heap, since it may grow to any size. */
#ifndef WEIR_SIM_ROW_LOG_H
#define WEIR_SIM_ROW_LOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_row_log { /* one per thread and kind of row; zeros at first. A row begins with its time, uint64_t at_ps */
    char *row;
    size_t count, capacity;
    bool out_of_memory;
};

/* @return room for one more row of so many bytes; NULL = no memory, which log->out_of_memory says */
void *weir_sim_row_log_add(struct sim_row_log *log, size_t bytes);
void weir_sim_row_log_free(struct sim_row_log *log);

/* Moves the rows before `until` to `to`, which has room; the others move up. @return how many were moved */
size_t weir_sim_row_log_split(struct sim_row_log *log, size_t bytes, uint64_t until_ps, char *to);
#endif
