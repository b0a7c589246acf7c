/* src/scenario/measure/batches.h - the measured part of a run in batches of equal length, each with counters and a
 * histogram of its own [run.batches]. means.h computes intervals from them. Integers only. */
#ifndef WEIR_MEASURE_BATCHES_H
#define WEIR_MEASURE_BATCHES_H
#include "measure/histogram.h"
#include <stdbool.h>

#define WEIR_BATCHES 20u /* in a run of a given length */

struct weir_batch {
    uint64_t messages;         /* that ended in the batch and count in results by message */
    uint64_t slowdown_ppm;     /* sum of their slowdowns, in millionths */
    uint64_t arrived_bytes;    /* payload that arrived for the first time */
    uint64_t queue_millibytes; /* mean queue of a first-hop switch, in thousandths of a byte; 0 = there is none */
    uint64_t started_bytes;    /* payload of messages that started in the batch */
    uint64_t unfinished_bytes; /* of messages started and not delivered, at the end of the batch */
};

struct weir_batches {
    uint64_t length_ps;              /* of each batch */
    uint32_t count, done;            /* done: batches that are over, from the first on */
    bool begun;                      /* the first one has begun */
    uint64_t unfinished_bytes;       /* of messages started and not delivered, when the first one began */
    struct weir_batch *batch;        /* count of them; owned */
    struct weir_batch last;          /* counters when the last one ended, since the run began */
    struct weir_histogram *slowdown; /* of each batch, in millionths; owned; NULL = not kept */
};

/* Allocates batches, none of which is over. has_slowdown: they have histograms. Free with weir_batches_free().
 * @return NULL = no memory */
struct weir_batches *weir_batches_new(uint32_t count, uint64_t length_ps, bool has_slowdown);
void weir_batches_free(struct weir_batches *b); /* b: may be NULL */

/* Begins the first batch at the first call, and ends a batch at each further one; done must be less than count. now:
 * counters since the run began, but queue_millibytes and unfinished_bytes as those of the batch that ends */
void weir_batches_pass(struct weir_batches *b, const struct weir_batch *now);
#endif
