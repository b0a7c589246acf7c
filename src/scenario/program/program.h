/* src/scenario/program/program.h - programs: traffic whose messages follow from what arrives at a host. A program has
 * ranks, each at a host of its own. What a rank sends next depends on what it has received and on its own timers. So it
 * only adds to the inbox of its own host (workload/inbox.h), at the instant of a visit. Nothing stops for it, and the
 * result does not depend on the number of threads. Rules: doc/model.md [collective]. */
#ifndef WEIR_PROGRAM_PROGRAM_H
#define WEIR_PROGRAM_PROGRAM_H
#include "measure/result.h"
#include "workload/ranks.h"
#include "workload/workload.h"

#define WEIR_NO_RANK UINT32_MAX

struct weir_program_ops; /* program/run.h */

struct weir_program { /* the program of one traffic item */
    const struct weir_program_ops *ops;
    const void *what;  /* what it does, as its ops know it: struct weir_collective or struct weir_ranks */
    uint32_t *host_of; /* by rank */
    uint32_t *rank_of; /* by host; WEIR_NO_RANK = it has none */
    uint32_t ranks, item;
    uint64_t messages, bytes; /* that a run of it has */
    uint32_t results;         /* entries of struct weir_job_results that it has */
    const char *name;         /* of a graph: of its result; not owned */
    uint64_t start_ps;        /* of a graph: when it begins */
};

struct weir_programs { /* all programs of a run; read-only while the run is on. All zeros = there are none */
    struct weir_program program[WEIR_TRAFFIC_MAX];
    uint8_t of_item[WEIR_TRAFFIC_MAX]; /* index of the program of an item */
    uint32_t count, hosts;
    uint64_t messages;
};

struct weir_programs_from { /* what programs are built from; all of it must live as long as they do */
    const struct weir_traffic_config *item;
    const struct weir_ranks *graph; /* by item, finished; ranks 0 = the item has none. NULL = no item has */
    const struct weir_tok *where;   /* by item: positions for messages; may be NULL */
    uint32_t item_count, hosts;
    uint64_t seed;
    const uint16_t *server_of; /* by host: the server that it is of, or its rack; NULL = all are of one */
    bool has_rails;            /* hosts have a NIC besides that to their server */
    const char *base_dir;      /* where names of files begin; NULL = the working directory */
};

/**
 * Builds the programs of all items of kind collective and of those with a graph.
 * @return 0, or a code with err; then nothing needs freeing. Refused are more ranks than hosts, algorithms that the
 * operation does not have, fewer bytes than messages, and others
 */
int weir_programs_build(struct weir_programs *programs, const struct weir_programs_from *from, struct weir_err *err);
void weir_programs_free(struct weir_programs *programs);

/* Returns the size of about every n-th message of a program, n = 0, 1, ..; 0 = there are no more. All have equal shares
 * of its messages. */
uint64_t weir_program_size(const struct weir_program *program, uint32_t n);
/* Writes what does not divide as it should, as a sentence. @return false = there is nothing to say */
bool weir_program_note(const struct weir_program *program, char *out, size_t size);
#endif
