/* src/results/reproduce/advice.c - see advice.h. */
#include "reproduce/advice.h"
#include "core/math.h"
#include "core/units.h"
#include "output/findings.h"
#include "param/number.h"
#include "reproduce/comparison_read.h"
#include "reproduce/results.h"
#include "text/print.h"
#include <math.h>
#include <string.h>

enum { TEXT = 64, FINDINGS_MAX = 64, NAMES_MAX = 6 }; /* NAMES_MAX: most runs that a line names */
#define SPARE 2                                /* an estimate is of one run; of many, some need more than theirs */
#define LENGTH_MAX_PS (100000 * WEIR_PS_PER_S) /* most that run.warmup and run.measure may be */

struct need { /* what one run needs */
    enum weir_advice_kind kind;
    uint64_t warmup_ps, measure_ps; /* LENGTH: 0 = not known */
    bool ends;                      /* the traffic ends, so that measure: all waits for the last message */
    bool goes_on;                   /* it does not end. Both false = not known */
};

static const char *const why[WEIR_ADVICE_KINDS] = {
    [WEIR_ADVICE_OVERLOADED] = "overloaded",   [WEIR_ADVICE_BEHIND] = "does not keep up",
    [WEIR_ADVICE_QUEUE] = "a queue grows",     [WEIR_ADVICE_BEYOND] = "endless flows",
    [WEIR_ADVICE_JOBS] = "jobs had not ended", [WEIR_ADVICE_EMPTY] = "nothing to measure",
    [WEIR_ADVICE_UNKNOWN] = "unknown",         [WEIR_ADVICE_FAILED] = "failed",
};

/* --- one run --- */

static double number_of(const struct weir_point *p, const char *path)
{
    const struct weir_reading reading = { .path = path };
    struct weir_value v = weir_results_read(p, &reading);
    return v.state == WEIR_VALUE_NUMBER ? v.lo : (double)NAN;
}

/* Returns a time of the JSON of a run, given there in seconds; 0 if it has no such number. */
static uint64_t time_of(const struct weir_point *p, const char *path)
{
    double seconds = number_of(p, path);
    return seconds > 0 && seconds < (double)LENGTH_MAX_PS / (double)WEIR_PS_PER_S
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
    return time_of(p, path);
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
    return (uint64_t)fmin((double)time_of(p, "sim_s") * messages / started, (double)LENGTH_MAX_PS);
}

static void hopeless(struct need *need, enum weir_advice_kind kind)
{
    if (need->kind < WEIR_ADVICE_OVERLOADED) /* the first finding is the most important one */
        need->kind = kind;
}

/* Adds what a finding of the run says: its number in the list, and its kind. */
static void take_finding(struct need *need, const struct weir_point *p, uint32_t index, const char *kind)
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

static struct need need_of(const struct weir_point *p)
{
    struct need need = { .kind = WEIR_ADVICE_LENGTH };
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

/* --- all of them --- */

struct totals {
    uint64_t warmup_ps, measure_ps;         /* the longest that a run needs */
    uint64_t own_warmup_ps, own_measure_ps; /* the longest that a run has */
    uint32_t ends, unknown;                 /* runs that measure: all settles; of these, those of no known length */
    bool goes_on;                           /* a run is known to have traffic that does not end */
};

static void take_run(struct weir_advice *a, struct totals *t, uint32_t i)
{
    const struct weir_point *p = &a->plan->point[i];
    const struct need need = need_of(p);
    a->kind[i] = need.kind;
    t->own_warmup_ps = weir_max_u64(t->own_warmup_ps, time_of(p, "warmup_s"));
    t->own_measure_ps = weir_max_u64(t->own_measure_ps, time_of(p, "measured_s"));
    t->goes_on = t->goes_on || need.goes_on;
    if (need.kind != WEIR_ADVICE_LENGTH)
        return;
    a->runs++;
    t->ends += need.ends;
    t->unknown += need.measure_ps == 0;
    t->warmup_ps = weir_max_u64(t->warmup_ps, need.warmup_ps);
    t->measure_ps = weir_max_u64(t->measure_ps, need.measure_ps);
}

/* Leaves out the runs that only measure: all would settle, where others have traffic that does not end. */
static void leave_out_ending(struct weir_advice *a)
{
    for (uint32_t i = 0; i < a->plan->point_count; i++)
        if (a->kind[i] == WEIR_ADVICE_LENGTH && need_of(&a->plan->point[i]).measure_ps == 0) {
            a->kind[i] = WEIR_ADVICE_UNKNOWN;
            a->runs--;
        }
}

int weir_advice_find(struct weir_advice *a, const struct weir_plan *plan, bool was_auto, struct weir_err *err)
{
    struct totals t = { 0 };
    *a = (struct weir_advice){ .plan = plan, .without_auto = was_auto };
    a->kind = weir_tree_arena_take(plan->exp->arena, (plan->point_count + (size_t)1) * sizeof(*a->kind));
    if (a->kind == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < plan->point_count; i++) {
        a->kind[i] = plan->point[i].state == WEIR_POINT_FAILED ? WEIR_ADVICE_FAILED : WEIR_ADVICE_NOTHING;
        if (plan->point[i].state == WEIR_POINT_DONE)
            take_run(a, &t, i);
    }
    a->measure_all = a->runs > 0 && t.ends == a->runs && !t.goes_on;
    if (!a->measure_all && t.unknown > 0)
        leave_out_ending(a);
    for (uint32_t i = 0; i < plan->point_count; i++) {
        a->failed += a->kind[i] == WEIR_ADVICE_FAILED;
        a->hopeless += a->kind[i] >= WEIR_ADVICE_OVERLOADED;
    }
    if (a->runs == 0 || a->measure_all)
        return 0;
    a->measure_ps = weir_finding_rounded_up(weir_min_u64(t.measure_ps, LENGTH_MAX_PS));
    a->measure_ps = weir_max_u64(a->measure_ps, t.own_measure_ps);
    a->warmup_ps = t.warmup_ps > 0 || was_auto ? weir_max_u64(t.warmup_ps, t.own_warmup_ps) : 0;
    return 0;
}

bool weir_advice_setting(const struct weir_advice *a, uint32_t index, char *out, size_t size)
{
    char time[TEXT];
    bool has_warmup = a->warmup_ps > 0;
    if (a->measure_all) {
        (void)snprintf(out, size, "run.measure=all");
        return index == 0;
    }
    if (index > (uint32_t)has_warmup || a->measure_ps == 0)
        return false;
    weir_number_print_unit(time, sizeof(time), has_warmup && index == 0 ? a->warmup_ps : a->measure_ps, WEIR_UNIT_TIME);
    (void)snprintf(out, size, "run.%s=%s", has_warmup && index == 0 ? "warmup" : "measure", time);
    return true;
}

/* --- printing --- */

/* Prints the runs that no length settles, a line for each reason. */
static void print_hopeless(FILE *out, const struct weir_advice *a, enum weir_advice_kind kind)
{
    const char *between = ": ";
    uint32_t count = 0, named = 0;
    for (uint32_t i = 0; i < a->plan->point_count; i++)
        count += a->kind[i] == kind;
    if (count == 0)
        return;
    (void)fprintf(out, "no length settles %u run%s (%s)", (unsigned)count, count == 1 ? "" : "s", why[kind]);
    for (uint32_t i = 0; i < a->plan->point_count && named < NAMES_MAX; i++) {
        if (a->kind[i] != kind)
            continue;
        (void)fputs(between, out);
        weir_cli_text(out, a->plan->point[i].name);
        between = ", ";
        named++;
    }
    if (named < count)
        (void)fprintf(out, " and %u more", (unsigned)(count - named));
    (void)fputc('\n', out);
}

void weir_advice_print(FILE *out, const struct weir_advice *a)
{
    uint32_t all = a->runs + a->hopeless - a->failed;
    if (a->runs > 0 && a->command != NULL) {
        if (a->runs < all)
            (void)fprintf(out, "to settle %u of %u runs in doubt", (unsigned)a->runs, (unsigned)all);
        else if (all == 1)
            (void)fprintf(out, "to settle the run in doubt");
        else
            (void)fprintf(out, "to settle all %u runs in doubt", (unsigned)all);
        (void)fprintf(out, " (--fresh replaces the runs in the result file):\n    %s\n", a->command);
        if (!a->measure_all && !a->without_auto)
            (void)fputs("or with --set run.measure=auto in place of these lengths: as long as each mean needs\n", out);
    }
    for (enum weir_advice_kind kind = WEIR_ADVICE_OVERLOADED; kind < WEIR_ADVICE_KINDS; kind++)
        print_hopeless(out, a, kind);
}

static void json_time(struct weir_json *json, const char *key, uint64_t ps)
{
    if (ps > 0)
        weir_json_real(json, key, (double)ps / (double)WEIR_PS_PER_S);
    else
        weir_json_null(json, key);
}

void weir_advice_json(struct weir_json *json, const struct weir_advice *a)
{
    if (a == NULL || a->runs + a->hopeless == 0) {
        weir_json_null(json, "advice");
        return;
    }
    weir_json_open(json, "advice");
    json_time(json, "warmup_s", a->warmup_ps);
    json_time(json, "measure_s", a->measure_ps);
    weir_json_bool(json, "measure_all", a->measure_all);
    weir_json_u64(json, "runs", a->runs);
    weir_json_string(json, "command", a->runs > 0 ? a->command : NULL);
    weir_json_u64(json, "hopeless_runs", a->hopeless);
    weir_json_open(json, "hopeless");
    for (uint32_t i = 0; i < a->plan->point_count; i++)
        if (a->kind[i] >= WEIR_ADVICE_OVERLOADED)
            weir_json_string(json, a->plan->point[i].name, why[a->kind[i]]);
    weir_json_close(json);
    weir_json_close(json);
}

static const struct weir_schema reason = { .type = WEIR_SCHEMA_STRING };
const struct weir_schema weir_advice_fields[] = {
    { .key = "warmup_s",
      .text = "the longest warm-up that a run in doubt needs; null: as it is",
      .type = WEIR_SCHEMA_NUMBER,
      .or_null = true },
    { .key = "measure_s", .text = "likewise, the measured part", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = "measure_all", .text = "run.measure: all is what they need", .type = WEIR_SCHEMA_BOOL },
    { .key = "runs", .text = "runs in doubt that these lengths settle", .type = WEIR_SCHEMA_INTEGER },
    { .key = "command", .text = "this command with these lengths, for a shell; null: no run", .or_null = true },
    { .key = "hopeless_runs", .text = "runs that no length settles, or that failed", .type = WEIR_SCHEMA_INTEGER },
    { .key = "hopeless",
      .text = "the reason, by the names of these runs",
      .type = WEIR_SCHEMA_OBJECT,
      .each = &reason },
    { .key = NULL },
};
