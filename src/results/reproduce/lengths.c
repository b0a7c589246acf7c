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

/* Tests whether a line has a key of another section that a law chooses: by its preset, or run.stall by its timers. */
static bool is_of_law(const char *line)
{
    static const char *const key[] = { "  bdp: ", "  stall: ", "  complete_at: " };
    for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
        if (strncmp(line, key[i], strlen(key[i])) == 0)
            return true;
    return false;
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
            own = weir_variants_may_differ(line, strcspn(line, ":"));
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

/* Finds for each point the first one that it is compared with, which may be itself. The caller frees the array.
 * @return NULL = no memory */
static uint32_t *find_first(const struct lengths *l)
{
    uint32_t *first = calloc(l->plan.point_count + 1, sizeof(*first));
    for (uint32_t i = 0; first != NULL && i < l->plan.point_count; i++) {
        const struct weir_point *point = l->plan.point;
        while (first[i] < i &&
               (first[first[i]] != first[i] || !are_compared(point[first[i]].resolved, point[i].resolved)))
            first[i]++;
    }
    return first;
}

/* Sets the length of a point of a group. all: also if the lengths of the group are not all known; a point whose own is
 * not known has failed then. @return 0, or a code with err */
static int set_point(struct lengths *l, const struct group *g, uint32_t i, bool all)
{
    struct weir_point *p = &l->whole->point[l->of[i]];
    if (l->plan.point[i].state == WEIR_POINT_DONE && (all || g->known == g->count))
        return set_length(l, p, g->warmup_ps, g->measure_ps);
    if (all)
        p->state = WEIR_POINT_FAILED;
    return 0;
}

/* Sets the lengths of all points. all: as for set_point(). @return 0, or a code with err */
static int set_lengths(struct lengths *l, bool all)
{
    uint32_t *first = find_first(l), count = l->plan.point_count;
    int code = 0;
    if (first == NULL)
        return weir_fail_memory(l->err);
    for (uint32_t i = 0, shown = 0; i < count && code == 0; i++) {
        struct group g = { .count = 0 };
        for (uint32_t k = i; k < count && first[i] == i; k++)
            if (first[k] == i)
                add_to_group(&g, l, k);
        for (uint32_t k = i; k < count && code == 0 && g.count > 0; k++)
            if (first[k] == i)
                code = set_point(l, &g, k, all);
        if (all && g.known > 0)
            print_group(l, &g, shown++);
    }
    free(first);
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
