/* src/results/reproduce/fullest.h - finds the fullest port and the fullest link of several runs. They are the port with
 * the longest queue, and the link that was given the greatest share of what it can carry. */
#ifndef WEIR_REPRODUCE_FULLEST_H
#define WEIR_REPRODUCE_FULLEST_H
#include <stddef.h>

#define WEIR_FULLEST_NAME 96u /* bytes of a name as a run has it, "leaf 2 > host 17", with its NUL */

enum weir_fullest_kind {
    WEIR_FULLEST_PORT, /* values are bytes of the longest queue */
    WEIR_FULLEST_LINK, /* values are bytes given over bytes that it can carry */
    WEIR_FULLEST_KINDS
};

/* Names of these in the JSON of a run, and of their values: "fullest_port", "port_queue_bytes.max". */
extern const char *const weir_fullest_keys[WEIR_FULLEST_KINDS], *const weir_fullest_values[WEIR_FULLEST_KINDS];

struct weir_fullest_of { /* the fullest port, or link, of one run; lent */
    const char *name;    /* "" = the run names none: nothing queued, or the file is of an older Weir */
    double value;
};

struct weir_fullest { /* of several runs; most.name NULL if none names one */
    struct weir_fullest_of most;
    size_t run;         /* index of the run with the greatest value, of several the first */
    size_t named, same; /* runs that name one; runs that name the same as `most` */
};

/* Finds the fullest of `count` runs. of(ctx, i): returns that of run i. A run that names none is left out. */
struct weir_fullest weir_fullest_find(size_t count, struct weir_fullest_of (*of)(const void *ctx, size_t i),
                                      const void *ctx);
#endif
