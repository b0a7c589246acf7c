/* src/results/reproduce/advice.c - see advice.h. */
#include "reproduce/advice.h"
#include "core/math.h"
#include "core/units.h"
#include "output/findings.h"
#include "param/number.h"
#include "text/print.h"

enum { TEXT = 64, NAMES_MAX = 6 }; /* NAMES_MAX: most runs that a line names */

struct totals {
    uint64_t warmup_ps, measure_ps;         /* the longest that a run needs */
    uint64_t own_warmup_ps, own_measure_ps; /* the longest that a run has */
    uint32_t ends, unknown;                 /* runs that measure: all settles; of these, those of no known length */
    bool goes_on;                           /* a run is known to have traffic that does not end */
};

static void take_run(struct weir_advice *a, struct totals *t, uint32_t i)
{
    const struct weir_point *p = &a->point[i];
    const struct weir_settle need = weir_settle_of(p);
    a->kind[i] = need.kind;
    t->own_warmup_ps = weir_max_u64(t->own_warmup_ps, weir_settle_time(p, "warmup_s"));
    t->own_measure_ps = weir_max_u64(t->own_measure_ps, weir_settle_time(p, "measured_s"));
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
    for (uint32_t i = 0; i < a->count; i++)
        if (a->kind[i] == WEIR_ADVICE_LENGTH && weir_settle_of(&a->point[i]).measure_ps == 0) {
            a->kind[i] = WEIR_ADVICE_UNKNOWN;
            a->runs--;
        }
}

void weir_advice_of(struct weir_advice *a, const struct weir_point *point, uint32_t count, enum weir_advice_kind *kind,
                    bool was_auto)
{
    struct totals t = { 0 };
    *a = (struct weir_advice){ .point = point, .count = count, .kind = kind, .without_auto = was_auto };
    for (uint32_t i = 0; i < count; i++) {
        kind[i] = point[i].state == WEIR_POINT_FAILED ? WEIR_ADVICE_FAILED : WEIR_ADVICE_NOTHING;
        if (point[i].state == WEIR_POINT_DONE)
            take_run(a, &t, i);
    }
    a->measure_all = a->runs > 0 && t.ends == a->runs && !t.goes_on;
    if (!a->measure_all && t.unknown > 0)
        leave_out_ending(a);
    for (uint32_t i = 0; i < count; i++) {
        a->failed += a->kind[i] == WEIR_ADVICE_FAILED;
        a->hopeless += a->kind[i] >= WEIR_ADVICE_OVERLOADED;
    }
    if (a->runs == 0 || a->measure_all)
        return;
    a->measure_ps = weir_finding_rounded_up(weir_min_u64(t.measure_ps, WEIR_LENGTH_MAX_PS));
    a->measure_ps = weir_max_u64(a->measure_ps, t.own_measure_ps);
    a->warmup_ps = t.warmup_ps > 0 || was_auto ? weir_max_u64(t.warmup_ps, t.own_warmup_ps) : 0;
}

int weir_advice_find(struct weir_advice *a, const struct weir_plan *plan, bool was_auto, struct weir_err *err)
{
    enum weir_advice_kind *kind =
        weir_tree_arena_take(plan->exp->arena, (plan->point_count + (size_t)1) * sizeof(*kind));
    if (kind == NULL)
        return weir_fail_memory(err);
    weir_advice_of(a, plan->point, plan->point_count, kind, was_auto);
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
    for (uint32_t i = 0; i < a->count; i++)
        count += a->kind[i] == kind;
    if (count == 0)
        return;
    (void)fprintf(out, "no length settles %u run%s (%s)", (unsigned)count, count == 1 ? "" : "s",
                  weir_settle_why(kind));
    for (uint32_t i = 0; i < a->count && named < NAMES_MAX; i++) {
        if (a->kind[i] != kind)
            continue;
        (void)fputs(between, out);
        weir_cli_text(out, a->point[i].name);
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
    for (uint32_t i = 0; i < a->count; i++)
        if (a->kind[i] >= WEIR_ADVICE_OVERLOADED)
            weir_json_string(json, a->point[i].name, weir_settle_why(a->kind[i]));
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
