/* src/results/report/jobs_time.c - draws jobs and coflows over time: when each began and ended, in each set. */
#include "report/gantt.h"
#include "report/html.h"
#include "report/sections.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, LANES = 8, NAME = 96 }; /* most jobs; most sets */

/* Start and completion of each job of run ?1, or of each coflow; in the order of the file. */
static const char *const sql[] = {
    "SELECT json_extract(value, '$.name'), json_extract(value, '$.start_s'), json_extract(value, '$.completion_s') "
    "FROM "
    "run, json_each(CASE WHEN json_valid(run.json) THEN run.json END, '$.jobs') WHERE run.id = ?1 AND type = 'object'",
    "SELECT coalesce(json_extract(value, '$.job') || ' ', '') || json_extract(value, '$.name'), json_extract(value, "
    "'$.start_s'), json_extract(value, '$.completion_s') FROM run, json_each(CASE WHEN json_valid(run.json) THEN "
    "run.json END, '$.coflows') WHERE run.id = ?1 AND type = 'object'",
};

struct rows { /* bars of several sets */
    char name[ROWS][NAME];
    const char *row[ROWS], *lane[LANES];
    struct weir_line_style style[LANES];
    struct weir_gantt_bar bar[ROWS * LANES];
    size_t rows, lanes, bars, left_out;
};

/* Returns the number of the row of a job, which is added if there is room; ROWS = there is none. */
static size_t row_of(struct rows *r, const char *name)
{
    for (size_t i = 0; i < r->rows; i++)
        if (strncmp(r->name[i], name, NAME - 1) == 0)
            return i;
    if (r->rows == ROWS)
        return ROWS;
    (void)snprintf(r->name[r->rows], NAME, "%s", name);
    r->row[r->rows] = r->name[r->rows];
    return r->rows++;
}

static void add_bar(struct rows *r, const char *name, double from_s, double took_s, double end_s)
{
    size_t row = row_of(r, name);
    if (row == ROWS) {
        r->left_out++;
        return;
    }
    for (size_t i = 0; i < r->bars; i++)
        if (r->bar[i].row == row && r->bar[i].lane == r->lanes)
            return; /* two jobs of one name: the first */
    r->bar[r->bars++] = (struct weir_gantt_bar){ .row = row,
                                                 .lane = r->lanes,
                                                 .from_s = from_s,
                                                 .to_s = isnan(took_s) ? fmax(end_s, from_s) : from_s + took_s,
                                                 .open = isnan(took_s) };
}

/* Adds the jobs of the first run of a set. */
static int add_set(struct rows *r, const struct weir_set *set, const char *query, struct weir_err *err)
{
    const struct weir_run *run = set->run;
    size_t before = r->bars;
    sqlite3_stmt *stmt;
    int code = weir_db_prepare(run->db, query, &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(stmt, 1, run->id);
    while (weir_db_step(run->db, stmt, &code, err)) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        double from_s = weir_db_double(stmt, 1);
        if (name != NULL && from_s >= 0)
            add_bar(r, name, from_s, weir_db_double(stmt, 2), run->value[WEIR_RUN_SIM_S]);
    }
    (void)sqlite3_finalize(stmt);
    if (r->bars == before)
        return code;
    r->lane[r->lanes] = run->text[WEIR_RUN_LABEL];
    r->style[r->lanes++] = run->style;
    return code;
}

static int draw(struct weir_page *page, const struct rows *r, const char *title, bool seeds, bool *open,
                struct weir_err *err)
{
    char caption[256];
    struct weir_gantt gantt = { .title = title,
                                .caption = caption,
                                .row = r->row,
                                .lane = r->lane,
                                .style = r->style,
                                .bar = r->bar,
                                .rows = r->rows,
                                .lanes = r->lanes,
                                .bars = r->bars };
    (void)snprintf(caption, sizeof(caption), "From start to end%s. Hollow: had not ended.",
                   seeds ? ", of the first seed of each set" : "");
    if (r->left_out > 0)
        (void)snprintf(caption + strlen(caption), sizeof(caption) - strlen(caption),
                       " %zu more are in the table below.", r->left_out / r->lanes);
    return weir_grid_gantt(page, "Jobs", open, &gantt, err);
}

int weir_section_jobs_time(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    static const char *const title[] = { "Jobs over time", "Coflows over time" };
    struct rows *r = malloc(sizeof(*r));
    bool open = false, seeds = weir_set_count(group->run, group->count) < group->count;
    int code = 0;
    if (r == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for jobs");
    for (size_t k = 0; k < 2 && code == 0; k++) {
        *r = (struct rows){ 0 };
        for (size_t i = 0; i < group->count && r->lanes < LANES && code == 0;) {
            const struct weir_set set = weir_set_first(&group->run[i], group->count - i);
            code = add_set(r, &set, sql[k], err);
            i += set.count;
        }
        if (code == 0 && r->bars > 0)
            code = draw(page, r, title[k], seeds, &open, err);
    }
    weir_grid_end(page, &open);
    free(r);
    return code;
}
