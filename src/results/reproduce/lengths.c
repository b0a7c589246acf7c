/* src/results/reproduce/lengths.c - see lengths.h. */
#include "reproduce/lengths.h"
#include "core/units.h"
#include "reproduce/results.h"
#include "text/commit.h"
#include "text/format.h"
#include "text/version.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTING = 64, SHOWN = 12 };

struct lengths { /* what the points with `measure: auto` ask for */
    struct weir_plan *whole;
    struct weir_plan plan;     /* a point for each of them, of a figure of its own */
    struct weir_figure figure; /* WEIR_STORE_LENGTHS */
    uint32_t *of;              /* of each point of `plan`: its index in whole->point */
    struct weir_err *err;
};

/* Tests whether a line begins with one of some texts; NULL ends them. */
static bool begins_with(const char *line, const char *const *text)
{
    for (; *text != NULL; text++)
        if (strncmp(line, *text, strlen(*text)) == 0)
            return true;
    return false;
}

/* Tests whether a section may differ between runs that are compared: laws have their own networks' switches. */
static bool is_own(const char *line)
{
    static const char *const section[] = { "protocol:", "framing:", "host:", "fabric:", NULL };
    return begins_with(line, section);
}

/* Tests whether a line has a key of another section that a law chooses: by its preset, or run.stall by its timers. */
static bool is_of_law(const char *line)
{
    static const char *const key[] = { "  bdp: ", "  stall: ", "  complete_at: ", NULL };
    return begins_with(line, key);
}

/* Returns the next line of a resolved scenario that is shared by all runs that are compared, from *at on, and moves *at
 * behind it. length: of the line; 0 at the end of the text */
static const char *next_shared(const char **at, size_t *length)
{
    bool own = false;
    while (**at != '\0') {
        const char *line = *at;
        *length = strcspn(line, "\n");
        *at += *length + (line[*length] == '\n');
        if (line[0] != ' ')
            own = is_own(line);
        if (!own && *length > 0 && !is_of_law(line))
            return line;
    }
    *length = 0;
    return *at;
}

/* Tests whether two runs have the same network, traffic, and run with its seed. */
static bool are_compared(const char *a, const char *b)
{
    size_t m, n;
    do {
        const char *x = next_shared(&a, &m), *y = next_shared(&b, &n);
        if (m != n || memcmp(x, y, m) != 0)
            return false;
    } while (m > 0);
    return true;
}

bool weir_lengths_wants(const struct weir_point *p)
{
    return p->resolved != NULL && p->state == WEIR_POINT_PENDING && strstr(p->resolved, "\n  measure: auto\n") != NULL;
}

/* Makes the plan of lengths. @return 0, or WEIR_E_MEMORY with err */
static int plan_lengths(struct lengths *l, struct weir_plan *whole, struct weir_err *err)
{
    struct weir_tree_arena *arena = whole->exp->arena;
    uint32_t count = whole->point_count;
    *l = (struct lengths){ .whole = whole, .plan = *whole, .err = err };
    l->figure = (struct weir_figure){ .name = WEIR_STORE_LENGTHS, .title = WEIR_STORE_LENGTHS };
    l->figure.runs = &l->figure;
    l->plan.point_count = 0;
    l->plan.keep_messages = 0;
    l->plan.finds_lengths = true;
    l->plan.point = weir_tree_arena_take(arena, (count + 1) * sizeof(*l->plan.point));
    l->of = weir_tree_arena_take(arena, (count + 1) * sizeof(*l->of));
    if (l->plan.point == NULL || l->of == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        if (!weir_lengths_wants(&whole->point[i]))
            continue;
        l->of[l->plan.point_count] = i;
        l->plan.point[l->plan.point_count] = whole->point[i];
        l->plan.point[l->plan.point_count++].figure = &l->figure;
    }
    return 0;
}

static int adopt(struct lengths *l, struct weir_store *store)
{
    static const struct weir_results_by by = { .version = WEIR_VERSION, .commit = WEIR_COMMIT };
    struct weir_results_found found; /* runs of another Weir are left alone: another length replaces them */
    return weir_results_adopt(&l->plan, store, &by, &found, l->err);
}

/* Returns a number of a length's run in ps; 0 = there is none. */
static uint64_t number_ps(const struct weir_point *p, const char *path)
{
    const struct weir_reading reading = { .path = path, .divide = 1 };
    const struct weir_value value = weir_results_measured.read(p, &reading);
    return value.state == WEIR_VALUE_NUMBER && value.lo > 0 ? (uint64_t)llround(value.lo * 1e12) : 0;
}

/* Adds a setting with a time to a point, which has room for it. @return 0, or WEIR_E_MEMORY with err */
static int add_setting(struct lengths *l, struct weir_point *p, const char *key, uint64_t ps)
{
    char text[SETTING];
    (void)snprintf(text, sizeof(text), "%s=%" PRIu64 " ps", key, ps);
    p->set[p->set_count] =
        (struct weir_override){ .text = weir_tree_arena_text(l->whole->exp->arena, text, strlen(text)) };
    return p->set[p->set_count++].text != NULL ? 0 : weir_fail_memory(l->err);
}

static int set_length(struct lengths *l, struct weir_point *p, uint64_t warmup_ps, uint64_t measure_ps)
{
    struct weir_override *set = weir_tree_arena_take(l->whole->exp->arena, (p->set_count + 2) * sizeof(*set));
    int code;
    if (set == NULL)
        return weir_fail_memory(l->err);
    memcpy(set, p->set, p->set_count * sizeof(*set));
    p->set = set;
    p->resolved = NULL;
    code = add_setting(l, p, "run.warmup", warmup_ps);
    return code != 0 ? code : add_setting(l, p, "run.measure", measure_ps);
}

struct group { /* points that are compared */
    uint64_t warmup_ps, measure_ps;
    uint32_t count, known, longest; /* longest: index of the point that asks for the longest run */
    uint64_t longest_ps;
};

static void add_to_group(struct group *g, const struct lengths *l, uint32_t i)
{
    const struct weir_point *p = &l->plan.point[i];
    uint64_t warmup_ps, measure_ps;
    g->count++;
    if (p->state != WEIR_POINT_DONE)
        return;
    warmup_ps = number_ps(p, "warmup_s");
    measure_ps = number_ps(p, "measured_s");
    g->known += measure_ps > 0;
    g->warmup_ps = warmup_ps > g->warmup_ps ? warmup_ps : g->warmup_ps;
    g->measure_ps = measure_ps > g->measure_ps ? measure_ps : g->measure_ps;
    if (warmup_ps + measure_ps <= g->longest_ps)
        return;
    g->longest_ps = warmup_ps + measure_ps;
    g->longest = i;
}

static void print_group(const struct lengths *l, const struct group *g, uint32_t shown)
{
    if (shown < SHOWN)
        (void)fprintf(stderr,
                      "weir: run.measure: auto: warm-up %s, measured for %s: %u run%s, %s asks for the longest\n",
                      weir_format_ps(g->warmup_ps).text, weir_format_ps(g->measure_ps).text, (unsigned)g->known,
                      g->known == 1 ? "" : "s", l->plan.point[g->longest].name);
    else if (shown == SHOWN)
        (void)fprintf(stderr, "weir: run.measure: auto: and so on\n");
}

/* Sets the lengths of all points. all: also of groups whose points are not all known; points that are not are marked as
 * failed then. @return 0, or a code with err */
static int set_lengths(struct lengths *l, bool all)
{
    bool *is_set = calloc(l->plan.point_count + 1, sizeof(*is_set));
    int code = 0;
    if (is_set == NULL)
        return weir_fail_memory(l->err);
    for (uint32_t i = 0, shown = 0; i < l->plan.point_count && code == 0; i++) {
        struct group g = { .count = 0 };
        if (is_set[i])
            continue;
        for (uint32_t k = i; k < l->plan.point_count; k++)
            if (are_compared(l->plan.point[i].resolved, l->plan.point[k].resolved))
                add_to_group(&g, l, k);
        for (uint32_t k = i; k < l->plan.point_count && code == 0; k++) {
            struct weir_point *p = &l->whole->point[l->of[k]];
            if (is_set[k] || !are_compared(l->plan.point[i].resolved, l->plan.point[k].resolved))
                continue;
            is_set[k] = true;
            if (l->plan.point[k].state == WEIR_POINT_DONE && (all || g.known == g.count))
                code = set_length(l, p, g.warmup_ps, g.measure_ps);
            else if (all)
                p->state = WEIR_POINT_FAILED;
        }
        if (all && g.known > 0)
            print_group(l, &g, shown++);
    }
    free(is_set);
    return code;
}

int weir_lengths_find(struct weir_plan *plan, const struct weir_sweep_options *options, bool fresh,
                      struct weir_sweep_outcome *outcome, struct weir_err *err)
{
    struct lengths l;
    uint32_t left = 0;
    int code = plan_lengths(&l, plan, err);
    *outcome = (struct weir_sweep_outcome){ 0 };
    if (code != 0 || l.plan.point_count == 0)
        return code;
    code = fresh ? weir_results_forget(&l.plan, options->store, err) : adopt(&l, options->store);
    for (uint32_t i = 0; i < l.plan.point_count; i++)
        left += l.plan.point[i].state == WEIR_POINT_PENDING;
    if (code == 0 && left > 0) {
        (void)fprintf(stderr, "weir: run.measure: auto: how long must %u run%s be?\n", (unsigned)left,
                      left == 1 ? "" : "s");
        code = weir_sweep_run(&l.plan, options, outcome, err);
    }
    return code != 0 || outcome->signal != 0 ? code : set_lengths(&l, true);
}

int weir_lengths_read(struct weir_plan *plan, struct weir_store *store, struct weir_err *err)
{
    struct lengths l;
    int code = plan_lengths(&l, plan, err);
    if (code != 0 || l.plan.point_count == 0)
        return code;
    code = adopt(&l, store);
    return code != 0 ? code : set_lengths(&l, false);
}
