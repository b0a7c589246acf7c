/* src/results/reproduce/comparison_read.c - see comparison_read.h. */
#include "reproduce/comparison_read.h"
#include "reproduce/results.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double read_number(const struct weir_point *p, const char *path)
{
    const struct weir_reading reading = { .path = path };
    struct weir_value v = weir_results_read(p, &reading);
    return v.state == WEIR_VALUE_NUMBER ? v.lo : (double)NAN;
}

/* Writes a doubt if the verdict of the run is neither stable nor so_far. A file of an older Weir has no verdict: there
 * the field `stable` decides, where 1 means true. */
static void read_verdict(const struct weir_point *p, char *doubt)
{
    char verdict[WEIR_COMPARISON_WHY];
    bool has_verdict = weir_results_text(p, "verdict", verdict, sizeof(verdict));
    bool kept_up =
        has_verdict ? strcmp(verdict, "stable") == 0 || strcmp(verdict, "so_far") == 0 : read_number(p, "stable") == 1;
    if (kept_up || weir_results_text(p, "findings[0].text", doubt, WEIR_COMPARISON_WHY) ||
        weir_results_text(p, "unstable_why", doubt, WEIR_COMPARISON_WHY))
        return;
    (void)snprintf(doubt, WEIR_COMPARISON_WHY, "%s", has_verdict ? verdict : "unstable");
}

enum { FINDINGS_MAX = 64 }; /* more than a run has; a foreign file may list a million */

/* Tests whether the slowdown of an unfinished message may already exceed the 99th percentile: if one does, the finding
 * `unfinished` has the number `slowest`. Returns true for a file of an older Weir, which has no findings, and if the
 * finding is not among the first FINDINGS_MAX. */
static bool may_be_slower(const struct weir_point *p)
{
    char path[32], kind[32];
    for (uint32_t i = 0; i < FINDINGS_MAX; i++) {
        (void)snprintf(path, sizeof(path), "findings[%u].kind", (unsigned)i);
        if (!weir_results_text(p, path, kind, sizeof(kind)))
            return !weir_results_text(p, "verdict", kind, sizeof(kind));
        (void)snprintf(path, sizeof(path), "findings[%u].slowest", (unsigned)i);
        if (strcmp(kind, "unfinished") == 0)
            return !isnan(read_number(p, path));
    }
    return true;
}

static void read_unfinished(const struct weir_point *p, char *doubt)
{
    double measured = read_number(p, "messages_measured");
    double left = read_number(p, "unfinished.all"); /* NAN in a file of an older Weir */
    if (isnan(left))
        left = read_number(p, "messages_started") - read_number(p, "messages_completed");
    if (!(read_number(p, "slowdown.all.count") > 0))
        (void)snprintf(doubt, WEIR_COMPARISON_WHY, "no message that counts was complete in the measured part");
    else if (left > WEIR_UNFINISHED_MOST * (measured + left) && may_be_slower(p))
        (void)snprintf(doubt, WEIR_COMPARISON_WHY,
                       "%.0f of %.0f messages had not ended, and p99 may be one of these; measure for longer", left,
                       measured + left);
}

/* Writes a doubt if jobs had not ended: completion times and bandwidths are then of the faster ones. */
static void read_jobs(const struct weir_point *p, char *doubt)
{
    double left = read_number(p, "job_completion_us.unfinished"), ended = read_number(p, "job_completion_us.count");
    if (left > 0) /* NAN without jobs */
        (void)snprintf(doubt, WEIR_COMPARISON_WHY, "%.0f of %.0f jobs had not ended", left, left + ended);
}

void weir_comparison_doubt(const struct weir_point *point, char doubt[WEIR_COMPARISON_WHY])
{
    doubt[0] = '\0';
    read_verdict(point, doubt);
    if (doubt[0] == '\0')
        read_unfinished(point, doubt);
    if (doubt[0] == '\0')
        read_jobs(point, doubt);
}

void weir_comparison_read(const struct weir_point *point, const struct weir_comparison *c,
                          struct weir_comparison_run *run)
{
    char kind[WEIR_COMPARISON_NAME]; /* a file of an older Weir has none: all its runs are exact */
    *run = (struct weir_comparison_run){ .is_done = point->state == WEIR_POINT_DONE };
    if (!run->is_done)
        return;
    run->is_sampled = weir_results_text(point, "statistics", kind, sizeof(kind)) && strcmp(kind, "sampled") == 0;
    weir_comparison_doubt(point, run->doubt);
    for (uint32_t i = 0; i < c->metric_count; i++) {
        double less = c->metric[i].less != NULL ? read_number(point, c->metric[i].less) : 0;
        const char *path = c->metric[i].path[0] != '\0' ? c->metric[i].path : c->metric[i].name;
        run->value[i] = read_number(point, path) - (isnan(less) ? 0 : less);
    }
    for (int k = 0; k < WEIR_FULLEST_KINDS; k++) {
        (void)weir_results_text(point, weir_fullest_keys[k], run->fullest[k], sizeof(run->fullest[k]));
        run->fullest_value[k] = read_number(point, weir_fullest_values[k]);
    }
}
