/* src/scenario/program/run.h - programs in a run. The engine, the oracle and sessions drive them by the functions
 * below, each called by the thread of the host that is being visited, and at its instant. */
#ifndef WEIR_PROGRAM_RUN_H
#define WEIR_PROGRAM_RUN_H
#include "program/program.h"

#define WEIR_RANK_TIME_MAX (UINT64_C(1) << 61) /* no timer is later: 26 days */

struct weir_rank_visit {      /* a rank that may act now */
    struct weir_inbox *inbox; /* of its host */
    const struct weir_program *program;
    uint32_t rank;
    uint64_t now_ps;
    bool failed; /* there was no memory for what it had to do */
};

struct weir_program_merge { /* how processes of one simulation meet: each calls merge() equally often */
    /* Changes *value of rank 0 by add(value, of, bytes) for what each other process has */
    void (*merge)(const void *ctx, void *value, size_t bytes, void (*add)(void *sum, const void *of, size_t bytes));
    const void *ctx;
};

struct weir_program_ops {
    /* Makes the state of a run. @return NULL = no memory */
    void *(*init)(const struct weir_program *program);
    void (*free)(void *state);
    /* Sets the first timers of a rank, before the run. */
    void (*start)(void *state, struct weir_rank_visit *visit);
    void (*timer)(void *state, struct weir_rank_visit *visit, uint64_t user);
    /* A message from another rank has arrived at the rank. */
    void (*arrived)(void *state, struct weir_rank_visit *visit, uint32_t from, uint64_t user);
    /* The rank knows that a message of its own has arrived. */
    void (*known)(void *state, struct weir_rank_visit *visit, uint64_t user);
    /* Gives rank 0 of a simulation in several processes what the others have: each knows of the ranks of its hosts.
     * Calls merge() for what results need; see weir_programs_fold(). Called after the run. */
    void (*fold)(void *state, const struct weir_program_merge *merge);
    /* Writes the program's results to out[0 .. results - 1]. Called after the run. */
    void (*result)(const void *state, struct weir_job_result *out);
    /* Frees program->what, which may be NULL; NULL = the program does not own it. */
    void (*free_what)(struct weir_program *program);
    uint64_t (*size)(const struct weir_program *program, uint32_t n); /* weir_program_size() */
    /* weir_program_note(); may be NULL */
    bool (*note)(const struct weir_program *program, char *out, size_t size_bytes);
};

struct weir_programs_run {
    const struct weir_programs *programs;
    struct weir_inbox *inbox;      /* by host; not owned */
    void *state[WEIR_TRAFFIC_MAX]; /* by program */
    uint64_t arrived;              /* messages so far; counted by the oracle alone */
};

/* Begins the run of all programs: puts their first timers into the inboxes. @return false = no memory; the caller then
 * calls weir_programs_run_free() */
bool weir_programs_run_init(struct weir_programs_run *run, const struct weir_programs *programs,
                            struct weir_inbox *inbox);
void weir_programs_run_free(struct weir_programs_run *run);

/* A message of an item with a program has arrived at host `here`. row: of the inbox of its sender. @return false = no
 * memory */
bool weir_programs_arrived(struct weir_programs_run *run, uint32_t here, uint32_t src, uint32_t row, uint64_t now_ps);
/* Its sender knows, which is host `here`: the row of its inbox is given back. @return false = no memory */
bool weir_programs_known(struct weir_programs_run *run, uint32_t here, uint32_t row, uint64_t now_ps);
/* A timer in the inbox of host `here` is due, whose item has a program. @return false = no memory */
bool weir_programs_timer(struct weir_programs_run *run, uint32_t here, uint32_t row, uint64_t now_ps);

/* Makes the results of the process of rank 0 those of all processes, after the run. */
void weir_programs_fold(const struct weir_programs_run *run, const struct weir_program_merge *merge);
/* Writes the results of all programs, in their order. */
void weir_programs_result(const struct weir_programs_run *run, struct weir_job_result *out);
/* Tests whether some program has not ended. @return false also if memory is short */
bool weir_programs_wait(const struct weir_programs_run *run);
/* Returns how many there are. */
uint32_t weir_programs_results(const struct weir_programs *programs);

/* Lets the visited rank send a message now, to another rank. user: what its receiver and the rank itself get back */
void weir_rank_send(struct weir_rank_visit *visit, uint32_t to, uint64_t bytes, uint64_t user);
/* Sets a timer of the rank; a later time than WEIR_RANK_TIME_MAX counts as that. */
void weir_rank_timer(struct weir_rank_visit *visit, uint64_t at_ps, uint64_t user);
#endif
