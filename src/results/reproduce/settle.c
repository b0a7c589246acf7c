/* src/results/reproduce/settle.c - see settle.h. */
#include "reproduce/settle.h"
#include "core/math.h"
#include "core/units.h"
#include "reproduce/comparison_read.h"
#include "reproduce/results.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 64, FINDINGS_MAX = 64 };
#define SPARE 2 /* an estimate is of one run; of many, some need more than theirs */

static const struct {
    const char *why, *one, *many, *remedy;
} kinds[WEIR_ADVICE_KINDS] = {
    [WEIR_ADVICE_NOTHING] = { "", "", "", "" },
    [WEIR_ADVICE_LENGTH] = { "too short", "is too short", "are too short", "a longer run" },
    [WEIR_ADVICE_OVERLOADED] = { "overloaded", "is overloaded", "are overloaded", "lower the load" },
    [WEIR_ADVICE_BEHIND] = { "does not keep up", "does not keep up", "do not keep up", "lower the load" },
    [WEIR_ADVICE_QUEUE] = { "a queue grows", "has a queue that grows", "have a queue that grows",
                            "fewer endless flows" },
    [WEIR_ADVICE_BEYOND] = { "endless flows", "has endless flows", "have endless flows",
                             "read goodput, fairness and queues" },
    [WEIR_ADVICE_JOBS] = { "jobs had not ended", "has jobs that had not ended", "have jobs that had not ended",
                           "a longer run" },
    [WEIR_ADVICE_EMPTY] = { "nothing to measure", "measured nothing", "measured nothing", "a longer run" },
    [WEIR_ADVICE_UNKNOWN] = { "unknown", "is in doubt for another reason", "are in doubt for another reason", "" },
    [WEIR_ADVICE_FAILED] = { "failed", "failed", "failed", "" },
};

const char *weir_settle_why(enum weir_advice_kind kind)
{
    return kinds[kind].why;
}

const char *weir_settle_predicate(enum weir_advice_kind kind, bool many)
{
    return many ? kinds[kind].many : kinds[kind].one;
}

const char *weir_settle_remedy(enum weir_advice_kind kind)
{
    return kinds[kind].remedy;
}

static double number_of(const struct weir_point *p, const char *path)
{
    const struct weir_reading reading = { .path = path };
    struct weir_value v = weir_results_read(p, &reading);
    return v.state == WEIR_VALUE_NUMBER ? v.lo : (double)NAN;
}

uint64_t weir_settle_time(const struct weir_point *p, const char *path)
{
    double seconds = number_of(p, path);
    return seconds > 0 && seconds < (double)WEIR_LENGTH_MAX_PS / (double)WEIR_PS_PER_S
               ? (uint64_t)llround(seconds * (double)WEIR_PS_PER_S)
               : 0;
}

static double of_finding(const struct weir_point *p, uint32_t index, const char *name)
{
    char path[TEXT];
    (void)snprintf(path, sizeof(path), "findings[%u].%s", (unsigned)index, name);
    return number_of(p, path);
}

static uint64_t time_of_finding(const struct weir_point *p, uint32_t index, const char *name)
{
    char path[TEXT];
    (void)snprintf(path, sizeof(path), "findings[%u].%s", (unsigned)index, name);
    return weir_settle_time(p, path);
}

/* Returns the measured part with which at most WEIR_UNFINISHED_MOST of the messages are unfinished at its end; 0 = none
 * is now. On average as many are under way as at the end of this run, and chance makes that two standard deviations
 * more. With so many messages the difference between the two ends of the measured part is small, too: the finding of a
 * short run knows of one end only. */
static uint64_t for_unfinished(const struct weir_point *p)
{
    double left = number_of(p, "unfinished.messages"), started = number_of(p, "messages_started");
    double messages = (left + 2 * sqrt(left)) / WEIR_UNFINISHED_MOST;
    if (!(left > 0) || !(started > 0))
        return 0;
    return (uint64_t)fmin((double)weir_settle_time(p, "sim_s") * messages / started, (double)WEIR_LENGTH_MAX_PS);
}

static void hopeless(struct weir_settle *need, enum weir_advice_kind kind)
{
    if (need->kind < WEIR_ADVICE_OVERLOADED) /* the first finding is the most important one */
        need->kind = kind;
}

/* Adds what a finding of the run says: its number in the list, and its kind. */
static void take_finding(struct weir_settle *need, const struct weir_point *p, uint32_t index, const char *kind)
{
    if (strcmp(kind, "overloaded") == 0)
        hopeless(need, WEIR_ADVICE_OVERLOADED);
    else if (strcmp(kind, "behind") == 0 || strcmp(kind, "growing") == 0)
        hopeless(need, WEIR_ADVICE_BEHIND);
    else if (strcmp(kind, "queue_grows") == 0)
        hopeless(need, WEIR_ADVICE_QUEUE);
    else if (strcmp(kind, "beyond") == 0)
        hopeless(need, WEIR_ADVICE_BEYOND);
    if (strcmp(kind, "too_short") == 0 || strcmp(kind, "no_slowdown") == 0) {
        need->measure_ps = weir_max_u64(need->measure_ps, SPARE * time_of_finding(p, index, "measure_s"));
        need->warmup_ps = weir_max_u64(need->warmup_ps, time_of_finding(p, index, "warmup_s"));
        if (need->measure_ps == 0)
            hopeless(need, WEIR_ADVICE_EMPTY);
        need->measure_ps = weir_max_u64(need->measure_ps, for_unfinished(p));
    }
    if (strcmp(kind, "unfinished") == 0 || strcmp(kind, "jobs_unfinished") == 0) {
        bool ends = of_finding(p, index, "ends") > 0;
        need->ends = need->ends || ends;
        need->goes_on = need->goes_on || !ends;
        if (strcmp(kind, "jobs_unfinished") == 0 && !ends)
            hopeless(need, WEIR_ADVICE_JOBS);
    }
}

struct weir_settle weir_settle_of(const struct weir_point *p)
{
    struct weir_settle need = { .kind = WEIR_ADVICE_LENGTH };
    char path[TEXT], kind[TEXT];
    for (uint32_t i = 0; i < FINDINGS_MAX; i++) {
        (void)snprintf(path, sizeof(path), "findings[%u].kind", (unsigned)i);
        if (!weir_results_text(p, path, kind, sizeof(kind)))
            break;
        take_finding(&need, p, i, kind);
    }
    if (need.measure_ps == 0)
        need.measure_ps = for_unfinished(p);
    if (need.measure_ps == 0 && !need.ends)
        hopeless(&need, WEIR_ADVICE_UNKNOWN);
    if (p->doubt == NULL)
        need.kind = WEIR_ADVICE_NOTHING;
    return need;
}
