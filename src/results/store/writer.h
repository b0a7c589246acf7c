/* src/results/store/writer.h - a thread that writes a run's results, so that the run does not wait for the disk.
 * Between them is a ring of batches: when it is full the run waits, so memory is bounded and nothing is lost. One
 * producer. */
#ifndef WEIR_STORE_WRITER_H
#define WEIR_STORE_WRITER_H
#include "store/store.h"

#define WEIR_WRITER_BATCH_MESSAGES 4096u
#define WEIR_WRITER_BATCH_POINTS 4096u

struct weir_writer;

/**
 * Starts the thread. The store is the writer's until weir_writer_stop().
 * @param now_ns  a clock that never runs backwards: what is committed when depends on it, nothing else
 */
int weir_writer_start(struct weir_writer **writer, struct weir_store *store, int64_t run, uint64_t (*now_ns)(void),
                      struct weir_err *err);

/* Returns room for one batch of up to the number above, to be filled and pushed; waits for it. NULL = writing failed,
 * and weir_writer_stop() will return why. */
struct weir_delivery *weir_writer_messages(struct weir_writer *writer);
struct weir_store_point *weir_writer_points(struct weir_writer *writer);
void weir_writer_push(struct weir_writer *writer, size_t count);

/* Removes all points of the run so far: it will write them anew. @return false = writing failed */
bool weir_writer_clear_points(struct weir_writer *writer);

/* Writes what is left, commits and ends the thread. @return 0, or the code of what failed first, with err; what was
 * committed before that is in the file */
int weir_writer_stop(struct weir_writer *writer, struct weir_err *err);
#endif
