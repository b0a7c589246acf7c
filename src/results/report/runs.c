/* src/results/report/runs.c - see runs.h. */
#include "report/runs.h"
#include "core/assert.h"
#include "output/metrics.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of numbers in table `metric`, by enum weir_run_value. The values from WEIR_RUN_SIM_S on are not in that table
 * and have no name. */
static const char *const value_names[WEIR_RUN_VALUE_COUNT] = {
    [WEIR_RUN_OFFERED] = "offered_gbps",
    [WEIR_RUN_JOB_MEAN] = "job_completion_us.mean",
    [WEIR_RUN_JOB_P99] = "job_completion_us.p99",
    [WEIR_RUN_JOB_MAX] = "job_completion_us.max",
    [WEIR_RUN_ALGBW] = "algbw_gbytes_s.mean",
    [WEIR_RUN_BUSBW] = "busbw_gbytes_s.mean",
    [WEIR_RUN_GOODPUT] = "goodput_gbps",
    [WEIR_RUN_COMPLETED] = "goodput_completed_gbps",
    [WEIR_RUN_P50] = "slowdown.all.p50",
    [WEIR_RUN_P99] = "slowdown.all.p99",
    [WEIR_RUN_PAYLOAD_P50] = "slowdown_payload.all.p50",
    [WEIR_RUN_PAYLOAD_P99] = "slowdown_payload.all.p99",
    [WEIR_RUN_TOR_MEAN] = "tor_queue_bytes.mean",
    [WEIR_RUN_TOR_P99] = "tor_queue_bytes.p99",
    [WEIR_RUN_TOR_MAX] = "tor_queue_bytes.max",
    [WEIR_RUN_PORT_MAX] = "port_queue_bytes.max",
    [WEIR_RUN_MESSAGES] = "messages_measured",
    [WEIR_RUN_DROPS] = "drops",
    [WEIR_RUN_LOSSES] = "losses",
    [WEIR_RUN_MARKS] = "marks",
    [WEIR_RUN_RETRANSMISSIONS] = "retransmissions",
};

enum weir_unit weir_run_unit(enum weir_metric_unit unit)
{
    static const enum weir_unit shown[WEIR_METRIC_UNITS] = {
        [WEIR_METRIC_COUNT] = WEIR_UNIT_COUNT,
        [WEIR_METRIC_RATIO] = WEIR_UNIT_RATIO,
        [WEIR_METRIC_BYTES] = WEIR_UNIT_BYTES,
        [WEIR_METRIC_SECONDS] = WEIR_UNIT_S,
        [WEIR_METRIC_GBPS] = WEIR_UNIT_GBPS,
        [WEIR_METRIC_PER_SECOND] = WEIR_UNIT_PER_S,
        [WEIR_METRIC_GBYTES_PER_SECOND] = WEIR_UNIT_GBYTES_PER_S,
        [WEIR_METRIC_MICROSECONDS] = WEIR_UNIT_PS, /* take_metrics() converts them */
    };
    return shown[unit];
}

struct weir_run_value_info weir_run_value_info(enum weir_run_value value)
{
    struct weir_run_value_info info = { .unit = WEIR_UNIT_COUNT };
    struct weir_metric row;
    bool found = weir_metric_find(value_names[value], &row);
    WEIR_ASSERT(found);
    info.unit = weir_run_unit(row.unit);
    info.needs_stable = row.of_end;
    (void)snprintf(info.title, sizeof(info.title), "%s", row.title);
    if (!isdigit((unsigned char)info.title[1])) /* "p99" keeps its small letter */
        info.title[0] = (char)toupper((unsigned char)info.title[0]);
    return info;
}

/* Compares texts like strcmp(), but numbers in the texts by their values. Returns 0 also for texts that differ only in
 * leading zeros of numbers. */
static int compare_numbers(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            size_t m, n;
            int order;
            a += strspn(a, "0"), b += strspn(b, "0");
            m = strspn(a, "0123456789"), n = strspn(b, "0123456789");
            order = m != n ? (m < n ? -1 : 1) : strncmp(a, b, m);
            if (order != 0)
                return order;
            a += m, b += n;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++, b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

int weir_natural_compare(const char *a, const char *b)
{
    int order = compare_numbers(a, b);
    return order != 0 ? order : strcmp(a, b);
}

static int compare_text(const struct weir_run *a, const struct weir_run *b, enum weir_run_text which)
{
    return weir_natural_compare(a->text[which] != NULL ? a->text[which] : "",
                                b->text[which] != NULL ? b->text[which] : "");
}

bool weir_run_doubtful(const struct weir_run *run)
{
    return run->doubt != NULL;
}

struct weir_point weir_run_point(const struct weir_run *run)
{
    bool done = strcmp(weir_run_text_of(run, WEIR_RUN_STATUS), "done") == 0;
    return (struct weir_point){ .state = done ? WEIR_POINT_DONE : WEIR_POINT_FAILED,
                                .store = run->db->store,
                                .run = run->id,
                                .doubt = run->doubt };
}

static int compare_groups(const struct weir_run *a, const struct weir_run *b)
{
    int order = compare_text(a, b, WEIR_RUN_EXPERIMENT);
    return order != 0 ? order : compare_text(a, b, WEIR_RUN_FIGURE);
}

bool weir_runs_same_group(const struct weir_run *a, const struct weir_run *b)
{
    return compare_groups(a, b) == 0;
}

size_t weir_runs_group_end(const struct weir_runs *runs, size_t first)
{
    size_t end = first + 1;
    while (end < runs->count && weir_runs_same_group(&runs->run[first], &runs->run[end]))
        end++;
    return end;
}

/* Compares runs by experiment, figure, label and seed, so that sorting makes the runs of one part of the page adjacent.
 * File and id decide last. So no two runs are equal, and every qsort() gives the same order. */
static int compare_names(const void *left, const void *right)
{
    const struct weir_run *a = left, *b = right;
    int order = compare_groups(a, b);
    if (order == 0)
        order = compare_text(a, b, WEIR_RUN_LABEL);
    if (order == 0)
        order = compare_text(a, b, WEIR_RUN_SEED);
    if (order == 0)
        order = a->db != b->db ? (a->db < b->db ? -1 : 1) : (a->id > b->id) - (a->id < b->id);
    return order;
}

/* Compares runs by experiment and figure. Then runs that have measured nothing come after the others. Then compares
 * like compare_names(). */
static int compare_runs(const void *left, const void *right)
{
    const struct weir_run *a = left, *b = right;
    int order = compare_groups(a, b);
    if (order == 0)
        order = isnan(a->value[WEIR_RUN_GOODPUT]) - isnan(b->value[WEIR_RUN_GOODPUT]);
    return order != 0 ? order : compare_names(a, b);
}

void weir_runs_sort_by_name(struct weir_runs *runs)
{
    qsort(runs->run, runs->count, sizeof(*runs->run), compare_names);
}

void weir_runs_sort_for_page(struct weir_runs *runs)
{
    qsort(runs->run, runs->count, sizeof(*runs->run), compare_runs);
}

const char *weir_run_value_name(enum weir_run_value value)
{
    return value_names[value];
}

size_t weir_runs_set(const struct weir_run *run, size_t count)
{
    size_t n = 1;
    while (n < count && run[n].set == run->set)
        n++;
    return n;
}

/* Tests whether a path equals `end`, or ends with '/' and `end`. */
static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length >= tail && strcmp(path + length - tail, end) == 0 &&
           (length == tail || path[length - tail - 1] == '/');
}

static bool is_only_one(const struct weir_runs *runs, const struct weir_db *db, const char *end)
{
    for (size_t i = 0; i < runs->db_count; i++)
        if (&runs->db[i] != db && ends_with(runs->db[i].path, end))
            return false;
    return true;
}

const char *weir_runs_file(const struct weir_runs *runs, const struct weir_db *db)
{
    for (const char *at = db->path + strlen(db->path); at > db->path; at--)
        if (at[-1] == '/' && is_only_one(runs, db, at))
            return at;
    return db->path;
}
