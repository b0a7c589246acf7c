/* src/reproduce/comparison_read.c - see comparison_read.h. */
#include "reproduce/comparison_read.h"
#include "reproduce/results.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double read_number(struct weir_store *store, const struct weir_point *p, const char *path)
{
    const struct weir_reading reading = { .path = path };
    struct weir_value v = weir_results_read(store, p, &reading);
    return v.state == WEIR_VALUE_NUMBER ? v.lo : (double)NAN;
}

/* What the run says of itself. JSON's true is read as 1. */
static void read_verdict(struct weir_store *store, const struct weir_point *p, struct weir_comparison_run *run)
{
    char verdict[WEIR_COMPARISON_WHY];
    bool has_verdict = weir_results_text(store, p, "verdict", verdict, sizeof(verdict));
    bool kept_up = has_verdict ? strcmp(verdict, "stable") == 0 || strcmp(verdict, "so_far") == 0
                               : read_number(store, p, "stable") == 1;
    if (kept_up || weir_results_text(store, p, "findings[0].text", run->doubt, sizeof(run->doubt)) ||
        weir_results_text(store, p, "unstable_why", run->doubt, sizeof(run->doubt)))
        return;
    (void)snprintf(run->doubt, sizeof(run->doubt), "%s", has_verdict ? verdict : "unstable");
}

static void read_unfinished(struct weir_store *store, const struct weir_point *p, struct weir_comparison_run *run)
{
    double measured = read_number(store, p, "messages_measured");
    double left = read_number(store, p, "messages_started") - read_number(store, p, "messages_completed");
    if (!(read_number(store, p, "slowdown.all.count") > 0))
        (void)snprintf(run->doubt, sizeof(run->doubt), "no message that counts was complete in the measured part");
    else if (left > WEIR_UNFINISHED_MOST * (measured + left))
        (void)snprintf(run->doubt, sizeof(run->doubt),
                       "%.0f messages had not ended, and %.0f are measured: p99 may be one of the former; measure for "
                       "longer",
                       left, measured);
}

void weir_comparison_read(struct weir_store *store, const struct weir_point *point, struct weir_comparison_run *run)
{
    *run = (struct weir_comparison_run){ .is_done = point->state == WEIR_POINT_DONE };
    if (!run->is_done)
        return;
    read_verdict(store, point, run);
    if (run->doubt[0] == '\0')
        read_unfinished(store, point, run);
    for (uint32_t i = 0; weir_comparison_metrics[i].path != NULL; i++) {
        const struct weir_comparison_metric *metric = &weir_comparison_metrics[i];
        double less = metric->less != NULL ? read_number(store, point, metric->less) : 0;
        run->value[i] = (read_number(store, point, metric->path) - (isnan(less) ? 0 : less)) / metric->divide;
    }
}
