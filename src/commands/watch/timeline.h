/* src/commands/watch/timeline.h - timelines: text files of timed changes of a run, which `weir run --timeline` repeats.
 * `weir run --live` writes what was done. A line is a time, an action and what it is about:
 *
 *     500 us  cut     leaf 0 - spine 1
 *     1.2 ms  weight  4 host 3 message 12
 *
 * doc/web.md describes them. */
#ifndef WEIR_WATCH_TIMELINE_H
#define WEIR_WATCH_TIMELINE_H
#include "config/scenario.h"
#include "model/model.h"
#include "setup/setup.h"
#include <stdio.h>

struct weir_sim;

enum weir_action_kind {
    WEIR_ACTION_CUT,
    WEIR_ACTION_HOLD,
    WEIR_ACTION_MEND,
    WEIR_ACTION_WEIGHT,
    WEIR_ACTIONS,
};

enum { WEIR_ACTION_NAME = 128 }; /* bytes of the name of a part or of a job's flow, with the NUL */

struct weir_action {
    uint64_t at_ps;
    uint64_t weight_q20;         /* of weight */
    uint64_t message;            /* of weight: id of the message; WEIR_NEVER = name is that of a job's flow */
    char name[WEIR_ACTION_NAME]; /* of a cable, a switch or a host; of a job's flow, JOB/FLOW */
    uint32_t flow;               /* of a job's flow, once weir_timeline_check() has found it */
    uint32_t line, column;       /* of what it is about */
    enum weir_action_kind kind;
};

struct weir_timeline { /* all zeros = there is none */
    const char *file;  /* lent */
    struct weir_action *action;
    uint32_t count, room;
};

struct weir_action_row {
    const char *name;
    /* Changes a cable, a switch or a host at an instant, as weir_sim_cut(); NULL = it changes a weight */
    int (*change)(struct weir_sim *sim, const char *name, uint64_t at_ps);
    bool cable_alone; /* not a switch, nor a host */
};
extern const struct weir_action_row weir_actions[WEIR_ACTIONS];

/* Reads a timeline. @return 0, then weir_timeline_free() must follow; or a code with err, which has file and line */
int weir_timeline_read(struct weir_timeline *timeline, const char *file, struct weir_err *err);
/* Reads the text of a timeline; file: for errors. Otherwise as weir_timeline_read(). */
int weir_timeline_parse(struct weir_timeline *timeline, const char *file, const char *text, struct weir_err *err);
void weir_timeline_free(struct weir_timeline *timeline);

/* Reads the scenario of a run with a timeline: it announces what the timeline changes, and nothing else. @return 0, or
 * a code with err */
int weir_timeline_load(const struct weir_timeline *timeline, struct weir_scenario *scn, const char *file,
                       const struct weir_override *set, uint32_t count, struct weir_err *err);

/* Tests whether all that a timeline names is there, and before the end of the run. @return 0, or a code with err */
int weir_timeline_check(struct weir_timeline *timeline, const struct weir_setup *setup, struct weir_err *err);

/* Runs a scenario, and changes it as the timeline says; else as weir_sim_run(). @return 0, or a code with err:
 * WEIR_E_RANGE and others with a position: a change was not possible, and there is no result */
int weir_timeline_run(const struct weir_timeline *timeline, struct weir_setup *setup,
                      const struct weir_sim_options *options, struct weir_result *result, struct weir_err *err);

/* Adds an action at the end. @return 0, or WEIR_E_MEMORY with err */
int weir_timeline_add(struct weir_timeline *timeline, const struct weir_action *action, struct weir_err *err);
/* Tests whether an action is given before its instant, by weir_sim_lead(): it changes cables. */
bool weir_timeline_is_early(const struct weir_action *action);
/* Executes an action: one of cables is given early enough, one of weights at its instant. @return 0, or a code with
 * err, which has the position of the action */
int weir_timeline_execute(const struct weir_timeline *timeline, const struct weir_action *action, struct weir_sim *sim,
                          struct weir_err *err);
/* Writes a timeline as weir_timeline_read() reads it. */
void weir_timeline_write(FILE *out, const struct weir_timeline *timeline);
/* The same as a text, which the caller frees. @return NULL = no memory */
char *weir_timeline_text(const struct weir_timeline *timeline);
#endif
