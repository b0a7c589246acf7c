/* src/sim/row_log.h - what threads note down while a run goes on, to be handed over in order now and then: each keeps
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

/* @return room for one more row of so many bytes; NULL = no memory, which weir_sim_row_logs_take() reports */
void *weir_sim_row_log_add(struct sim_row_log *log, size_t bytes);
void weir_sim_row_log_free(struct sim_row_log *log);

struct sim_engine;
/**
 * Takes the rows before `until` out of all threads' logs, and sorts them. Between windows only.
 * @param log      offset of the log in struct sim_thread
 * @param compare  a total order, time first
 * @param out      *count rows, to be freed by the caller; NULL if there are none
 * @return 0 or WEIR_E_MEMORY
 */
int weir_sim_row_logs_take(struct sim_engine *e, size_t log, size_t bytes, uint64_t until_ps,
                           int (*compare)(const void *, const void *), void **out, size_t *count);
#endif
