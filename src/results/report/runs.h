/* src/results/report/runs.h - the runs of one or more result files: their texts and numbers, and their order on the
 * page. */
#ifndef WEIR_REPORT_RUNS_H
#define WEIR_REPORT_RUNS_H
#include "core/metric.h"
#include "report/db.h"
#include "report/number.h"
#include "report/elements.h"
#include "report/line_style.h"
#include "reproduce/settle.h"
#include <stddef.h>

enum weir_run_text { /* texts of a run; NULL if the file does not have the text */
                     WEIR_RUN_NAME,
                     WEIR_RUN_LABEL, /* never NULL; runs of one set have the same label */
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
                     WEIR_RUN_VERDICT,
                     WEIR_RUN_FULLEST_PORT, /* names; NULL also if nothing queued */
                     WEIR_RUN_FULLEST_LINK,
                     WEIR_RUN_FINDINGS, /* sentences, one per line */
                     /* A line for each cause that dropped or lost a packet: the cause, and the numbers of its data,
                      * ACKs, credit and control packets: "loss.random[4,0,2,1]" */
                     WEIR_RUN_DROPS_BY_CAUSE,
                     WEIR_RUN_LOSSES_BY_CAUSE,
                     WEIR_RUN_TEXT_COUNT
};

enum weir_run_value { /* numbers of a run; NaN if a number does not apply or the file does not have it */
                      WEIR_RUN_JOB_MEAN, /* up to WEIR_RUN_BUSBW: of runs with jobs or collective operations */
                      WEIR_RUN_JOB_P99,
                      WEIR_RUN_JOB_MAX,
                      WEIR_RUN_ALGBW,
                      WEIR_RUN_BUSBW,
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
                      WEIR_RUN_LOSSES,
                      WEIR_RUN_MARKS,
                      WEIR_RUN_RETRANSMISSIONS,
                      WEIR_RUN_SIM_S, /* from here on: not from table `metric`, but from table `run` or its JSON */
                      WEIR_RUN_WALL_S,
                      WEIR_RUN_MEASURED_S,
                      WEIR_RUN_STABLE,     /* 1 or 0 */
                      WEIR_RUN_LINK_SHARE, /* of the fullest link */
                      WEIR_RUN_PACKET_HOPS,
                      WEIR_RUN_VALUE_COUNT
};

struct weir_run_value_info { /* describes a number of the summary */
    char title[64];          /* heading of its column */
    enum weir_unit unit;
    bool needs_stable; /* the number grows with the length of an unstable run, so it is coloured for unstable runs */
};

/* Returns the name of a number in table `metric`. value: up to WEIR_RUN_RETRANSMISSIONS; NULL for later ones */
const char *weir_run_value_name(enum weir_run_value value);

/* Returns title and unit of a number from its metric row (core/metric.h). value: up to WEIR_RUN_RETRANSMISSIONS */
struct weir_run_value_info weir_run_value_info(enum weir_run_value value);

/* Returns the unit of a metric on the page. Microseconds become ps, so such values must be multiplied by 10^6. */
enum weir_unit weir_run_unit(enum weir_metric_unit unit);

#define WEIR_RUNS_ELEMENTS_MAX 8u /* on a page of more runs only the first run of each set has `elements` */

struct weir_run {
    const struct weir_db *db;        /* the file of the run; lent */
    int64_t id;                      /* of the run in its file */
    size_t set;                      /* number of its set; runs that differ only in the seed are one set */
    char *text[WEIR_RUN_TEXT_COUNT]; /* owned */
    double value[WEIR_RUN_VALUE_COUNT];
    char *doubt;                   /* why its numbers are not reliable (weir_comparison_doubt()); owned, NULL = none is
                                      known, or it is not done */
    enum weir_advice_kind settles; /* what settles a run in doubt */
    struct weir_line_style style;  /* of its set: that of its law (weir_sets_style()) */
    uint32_t lacks;                /* bit i: the run is done, but its file, of an older Weir, has no row for value i */
    struct weir_elements elements; /* hosts, ports and flows; see WEIR_RUNS_ELEMENTS_MAX */
};

/* Returns a text of a run; "" if the run does not have it. */
static inline const char *weir_run_text_of(const struct weir_run *run, enum weir_run_text which)
{
    return run->text[which] != NULL ? run->text[which] : "";
}

struct weir_runs {
    struct weir_db *db;
    struct weir_run *run;
    size_t db_count, count;
};

/* Sorts runs by experiment, figure, label and seed, each by weir_natural_compare(), then by file and id. */
void weir_runs_sort_by_name(struct weir_runs *runs);
/* Sorts runs like weir_runs_sort_by_name(), but within each figure runs that have measured nothing come last. */
void weir_runs_sort_for_page(struct weir_runs *runs);

/* Tests whether two runs belong to the same figure of the same experiment, or both to none. */
bool weir_runs_same_group(const struct weir_run *a, const struct weir_run *b);
/* Returns the index behind the last run of the part of the page that begins with run `first`. */
size_t weir_runs_group_end(const struct weir_runs *runs, size_t first);

/* Tests whether the numbers of a done run are not to be relied on: slowdown and queues of a longer run may differ. */
bool weir_run_doubtful(const struct weir_run *run);

/* Returns the run as a point of a plan, whose store is open. */
struct weir_point weir_run_point(const struct weir_run *run);

/* Returns how many of the `count` runs, from run[0] on, belong to the set of run[0]: 1 .. count. count: 1 or more */
size_t weir_runs_set(const struct weir_run *run, size_t count);

/* Returns the name of a file on the page: the shortest end of its path, beginning after a '/', with which no other path
 * ends. If each such end is also the end of another path, returns the whole path. The name is a part of db->path. */
const char *weir_runs_file(const struct weir_runs *runs, const struct weir_db *db);

/* Compares texts like strcmp(), but numbers in the texts by their values: "B 2" comes before "B 10". Returns 0 only if
 * the texts are identical. */
int weir_natural_compare(const char *a, const char *b);
#endif
