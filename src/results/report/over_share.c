/* src/results/report/over_share.c - draws goodput and slowdown of each law over the share of the traffic that a
 * deployed law has: the deployment curve of `weir compare --share`. */
#include "report/sections.h"
#include "core/pkt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES = 3, NAME = 32 };

static const struct {
    const char *title, *what, *axis;
    enum weir_unit unit;
} figures[FIGURES] = {
    { "Goodput of each law over the share", "Payload of each law that arrived for the first time, per host", "Goodput",
      WEIR_UNIT_GBPS },
    { "Median slowdown of each law over the share", "Slowdown of all messages of each law, median", "Slowdown",
      WEIR_UNIT_RATIO },
    { "99th percentile of each law's slowdown over the share", "Slowdown of all messages of each law, 99th percentile",
      "Slowdown", WEIR_UNIT_RATIO },
};

struct mean { /* of a number over the runs of a set that have it */
    double sum, low, high;
    size_t count;
};

struct shared {   /* a set of runs with a deployed law */
    double share; /* percent */
    size_t runs;
    struct mean value[WEIR_LAWS_MAX][FIGURES];
};

struct shares {
    struct shared *set;
    size_t count;
    char name[WEIR_LAWS_MAX][NAME]; /* protocol of each law; "" = there is no such law */
};

/* Returns the share of the first item with a deployed law, in percent. settings: values of --set, one per line; NULL =
 * none. NaN = there is no such setting */
static double share_of(const char *settings)
{
    static const char key[] = ".deploy.share=";
    const char *at = settings != NULL ? strstr(settings, key) : NULL;
    double value;
    char *end;
    if (at == NULL)
        return (double)NAN;
    value = strtod(at + sizeof(key) - 1, &end);
    return *end == '%' ? value : 100 * value;
}

static void add_value(struct mean *m, double value)
{
    if (isnan(value))
        return;
    m->low = m->count == 0 || value < m->low ? value : m->low;
    m->high = m->count == 0 || value > m->high ? value : m->high;
    m->sum += value;
    m->count++;
}

/* Adds the numbers of all laws of a run to its set. */
static int read_run(struct shares *all, struct shared *to, const struct weir_run *run, struct weir_err *err)
{
    static const char sql[] =
        "SELECT json_extract(value, '$.protocol'), json_extract(value, '$.goodput_gbps'), json_extract(value, "
        "'$.slowdown.all.p50'), json_extract(value, '$.slowdown.all.p99') FROM run, json_each(CASE WHEN "
        "json_valid(run.json) THEN run.json END, '$.laws') WHERE run.id = ?1";
    sqlite3_stmt *stmt;
    int code = weir_db_prepare(run->db, sql, &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(stmt, 1, run->id);
    for (size_t k = 0; weir_db_step(run->db, stmt, &code, err) && k < WEIR_LAWS_MAX; k++) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        (void)snprintf(all->name[k], NAME, "%s", name != NULL ? name : "");
        for (int f = 0; f < FIGURES; f++)
            add_value(&to->value[k][f], weir_db_double(stmt, 1 + f));
    }
    (void)sqlite3_finalize(stmt);
    to->runs++;
    return code;
}

static int compare_shares(const void *left, const void *right)
{
    const struct shared *a = left, *b = right;
    return (a->share > b->share) - (a->share < b->share);
}

/* Fills *all with the sets of a group that have a deployed law, by share. */
static int read_group(struct shares *all, const struct weir_group *group, struct weir_err *err)
{
    int code = 0;
    for (size_t i = 0; i < group->count && code == 0;) {
        struct weir_set set = weir_set_first(&group->run[i], group->count - i);
        double share = share_of(set.run->text[WEIR_RUN_SETTINGS]);
        i += set.count;
        if (isnan(share))
            continue;
        all->set[all->count].share = share;
        for (size_t r = 0; r < set.count && code == 0; r++)
            code = read_run(all, &all->set[all->count], &set.run[r], err);
        all->count++;
    }
    qsort(all->set, all->count, sizeof(*all->set), compare_shares);
    return code;
}

static int add_curve(struct weir_plot *plot, const struct shares *all, uint32_t law, int figure, struct weir_err *err)
{
    struct weir_curve *curve = weir_plot_curve(plot, all->name[law], err);
    int code = 0;
    if (curve == NULL)
        return (int)err->code;
    curve->style = weir_line_style_of(all->name[law], 0, 1);
    for (size_t i = 0; i < all->count && code == 0; i++) {
        const struct mean *m = &all->set[i].value[law][figure];
        struct weir_plot_point p = { .x = all->set[i].share / 100, .low = m->low, .high = m->high };
        if (m->count == 0)
            continue;
        p.y = m->sum / (double)m->count;
        code = weir_curve_add(curve, &p, err);
        curve->runs = m->count > curve->runs ? m->count : curve->runs;
    }
    return code;
}

static int plot_figure(struct weir_page *page, const struct shares *all, int figure, bool *open, struct weir_err *err)
{
    struct weir_plot plot = {
        .title = figures[figure].title,
        .kind = WEIR_PLOT_MARKS,
        .x = { .title = "Share of the deployed law", .unit = WEIR_UNIT_SHARE },
        .y = { .title = figures[figure].axis,
               .unit = figures[figure].unit,
               .log = figures[figure].unit == WEIR_UNIT_RATIO,
               .least = 1 },
        .order = "by number of the law",
    };
    int code = 0;
    for (uint32_t k = 0; k < WEIR_LAWS_MAX && code == 0; k++)
        if (all->name[k][0] != '\0')
            code = add_curve(&plot, all, k, figure, err);
    (void)snprintf(plot.caption, sizeof(plot.caption),
                   "%s, over the share of the traffic that has the deployed law; the measured part of each run.",
                   figures[figure].what);
    if (code == 0)
        return weir_grid_plot(page, "Over the share of a law", open, &plot, err);
    weir_plot_free(&plot);
    return code;
}

int weir_section_share(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    struct shares all = { .set = calloc(group->count, sizeof(*all.set)) };
    bool open = false;
    int code;
    if (all.set == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to put runs in order of share");
    code = read_group(&all, group, err);
    for (int f = 0; f < FIGURES && code == 0 && all.count > 1 && all.set[0].share < all.set[all.count - 1].share; f++)
        code = plot_figure(page, &all, f, &open, err);
    weir_grid_end(page, &open);
    free(all.set);
    return code;
}
