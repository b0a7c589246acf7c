/* src/results/report/runs.h - the runs of one or more result files, in the order of the page. */
#ifndef WEIR_REPORT_RUNS_H
#define WEIR_REPORT_RUNS_H
#include "report/db.h"
#include "report/number.h"
#include "report/elements.h"
#include <stddef.h>

enum weir_run_text { /* any of them may be NULL */
                     WEIR_RUN_NAME,
                     WEIR_RUN_LABEL, /* never NULL; runs of its group have the same if they are of its set (labels.h) */
                     WEIR_RUN_STATUS,
                     WEIR_RUN_STARTED,
                     WEIR_RUN_VERSION,
                     WEIR_RUN_COMMIT,
                     WEIR_RUN_MACHINE,
                     WEIR_RUN_PROTOCOL,
                     WEIR_RUN_PRESET,
                     WEIR_RUN_SEED,
                     WEIR_RUN_THREADS,
                     WEIR_RUN_DIGEST,
                     WEIR_RUN_SCENARIO,
                     WEIR_RUN_SETTINGS,
                     WEIR_RUN_EXPERIMENT,
                     WEIR_RUN_FIGURE,
                     WEIR_RUN_POINT,
                     WEIR_RUN_TOPOLOGY,
                     WEIR_RUN_HOSTS,
                     WEIR_RUN_UNSTABLE_WHY, /* of a run that was not just too short */
                     WEIR_RUN_VERDICT,
                     WEIR_RUN_FINDINGS, /* sentences, one a line */
                     /* A line for each cause: its name, and packets of data, ACKs, credits, control packets:
                      * "loss.random[4,0,2,1]" */
                     WEIR_RUN_DROPS_BY_CAUSE,
                     WEIR_RUN_LOSSES_BY_CAUSE,
                     WEIR_RUN_TEXT_COUNT
};

enum weir_run_value { /* of the summary; not a number where it does not apply */
                      WEIR_RUN_OFFERED,
                      WEIR_RUN_GOODPUT,
                      WEIR_RUN_COMPLETED,
                      WEIR_RUN_P50,
                      WEIR_RUN_P99,
                      WEIR_RUN_PAYLOAD_P50,
                      WEIR_RUN_PAYLOAD_P99,
                      WEIR_RUN_TOR_MEAN,
                      WEIR_RUN_TOR_P99,
                      WEIR_RUN_TOR_MAX,
                      WEIR_RUN_PORT_MAX,
                      WEIR_RUN_MESSAGES,
                      WEIR_RUN_DROPS,
                      WEIR_RUN_MARKS,
                      WEIR_RUN_RETRANSMISSIONS,
                      WEIR_RUN_SIM_S, /* these have columns of their own or stand in the JSON */
                      WEIR_RUN_WALL_S,
                      WEIR_RUN_MEASURED_S,
                      WEIR_RUN_STABLE, /* 1 or 0 */
                      WEIR_RUN_VALUE_COUNT
};

struct weir_run_value_info {
    char title[64]; /* of a column of the summary */
    enum weir_unit unit;
    bool needs_stable; /* grows with the length of a run that is not stable: flagged */
};

/* Returns the name of a number of the summary, as in the table `metric`. */
const char *weir_run_value_name(enum weir_run_value value);

/* Returns what a number of the summary is, by its row (core/metric.h). value: up to WEIR_RUN_RETRANSMISSIONS */
struct weir_run_value_info weir_run_value_info(enum weir_run_value value);

#define WEIR_RUNS_ELEMENTS_MAX 8u /* of at most so many runs all have their elements */

struct weir_run {
    const struct weir_db *db;
    int64_t id;
    size_t set;                      /* runs of one set have one number: they differ in the seed only */
    char *text[WEIR_RUN_TEXT_COUNT]; /* owned */
    double value[WEIR_RUN_VALUE_COUNT];
    uint32_t lacks; /* bit i: the file has no row for value i, as if an older Weir had written it; null has a row */
    struct weir_elements elements; /* of all its series; of many runs only the first of each set has them */
};

/* Returns one of the texts of a run; "" if it has none. */
static inline const char *weir_run_text_of(const struct weir_run *run, enum weir_run_text which)
{
    return run->text[which] != NULL ? run->text[which] : "";
}

struct weir_runs {
    struct weir_db *db;
    struct weir_run *run;
    size_t db_count, count;
};

/* Sorts runs by experiment, figure, label and seed; numbers in names count as numbers. For the page, those that have
 * measured nothing come last within a figure. */
void weir_runs_sort_by_name(struct weir_runs *runs);
void weir_runs_sort_for_page(struct weir_runs *runs);

/* Tests whether both are of the same figure of the same experiment, or of none. */
bool weir_runs_same_group(const struct weir_run *a, const struct weir_run *b);

/* Tests whether the run ended, and less arrived than was offered, or its queues grew: in a longer run slowdown and
 * queues would differ. */
bool weir_run_unstable(const struct weir_run *run);

/* Returns how many runs from the first on are of its set: 1 .. count. */
size_t weir_runs_set(const struct weir_run *run, size_t count);

/* Returns the name of a file in the page: the shortest end of its path, from a '/' on, that no other file has; the
 * whole path where none is. */
const char *weir_runs_file(const struct weir_runs *runs, const struct weir_db *db);

/* Compares texts with numbers by value: "B 2" comes before "B 10". Returns 0 only if they are the same. */
int weir_natural_compare(const char *a, const char *b);
#endif
