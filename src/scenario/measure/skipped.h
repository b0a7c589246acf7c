/* src/scenario/measure/skipped.h - what a run with run.skip: exact has computed instead of simulated. */
#ifndef WEIR_MEASURE_SKIPPED_H
#define WEIR_MEASURE_SKIPPED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_skip { /* a stretch of repeated periods */
    uint64_t from_ps, to_ps, periods;
};

#define WEIR_SKIPS_MAX 4096u /* further stretches are in the sums alone */

struct weir_skipped {  /* of one component; there is one, the whole network */
    bool asked;        /* run.skip: exact */
    const char *never; /* why nothing of the run can repeat, as the end of a sentence; NULL = it may */
    const char *last;  /* why the last try failed, likewise; NULL = the last one did not, or there was none */
    uint64_t tries, failed;
    uint64_t stretches, skipped_ps, packet_hops; /* sums: how many stretches, how long, packet-hops in them */
    struct weir_skip *stretch;                   /* the first ones, stretch_count of them; owned */
    size_t stretch_count, stretch_room;
};
#endif
