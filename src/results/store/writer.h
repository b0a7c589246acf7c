/* src/results/store/writer.h - a thread that writes the results of a run, so that the run does not wait for the disk.
 * The run passes batches to the thread through a ring. When the ring is full the run waits, so memory is bounded and
 * nothing is lost. There is one producer. */
#ifndef WEIR_STORE_WRITER_H
#define WEIR_STORE_WRITER_H
#include "store/store.h"

#define WEIR_WRITER_BATCH_MESSAGES 4096u
#define WEIR_WRITER_BATCH_POINTS 4096u

struct weir_writer;

/**
 * Starts the thread. Until weir_writer_stop() only the writer may use the store.
 * @param now_ns  a clock that never runs backwards; only the times of commits depend on it
 * @return 0, or WEIR_E_MEMORY with err; *writer is NULL then
 */
int weir_writer_start(struct weir_writer **writer, struct weir_store *store, int64_t run, uint64_t (*now_ns)(void),
                      struct weir_err *err);

/* Returns an empty batch of WEIR_WRITER_BATCH_MESSAGES messages; waits until a batch is free. The caller fills the
 * batch and calls weir_writer_push(). NULL = writing failed; weir_writer_stop() returns the reason */
struct weir_store_message *weir_writer_messages(struct weir_writer *writer);

/* Returns an empty batch of WEIR_WRITER_BATCH_POINTS points, as weir_writer_messages() does. */
struct weir_store_point *weir_writer_points(struct weir_writer *writer);

/* Passes to the thread the batch that weir_writer_messages() or weir_writer_points() returned last. count: number of
 * items that the caller has filled in, from the first */
void weir_writer_push(struct weir_writer *writer, size_t count);

/* Makes the thread remove all points of the run that were pushed so far. The run then pushes its points anew. @return
 * false = writing failed */
bool weir_writer_clear_points(struct weir_writer *writer);

/* Writes the remaining batches, commits, ends the thread and frees the writer. @return 0, or the code of the first
 * failure, with err. The file keeps the transactions that were committed before */
int weir_writer_stop(struct weir_writer *writer, struct weir_err *err);
#endif
