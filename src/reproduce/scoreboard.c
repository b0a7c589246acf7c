/* src/reproduce/scoreboard.c - see scoreboard.h: the runs that there are, and their cells. */
#include "reproduce/scoreboard.h"
#include "core/units.h"
#include "param/number.h"
#include "reproduce/experiment_load.h"
#include "reproduce/results.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS_MAX = 64 };

static const char newest_sql[] = "SELECT id, started_utc, commit_id, CAST(seed AS TEXT), sim_s FROM run"
                                 " WHERE experiment = ?1 AND figure = ?2 AND point = ?3 AND label = point AND status = "
                                 "'done' ORDER BY started_utc DESC, id DESC LIMIT 1";

struct found { /* the run of a point */
    struct weir_store *store;
    const char *started, *commit, *seed;
    double sim_s;
};

struct make {
    struct weir_board *board;
    struct weir_store *const *store;
    uint32_t store_count;
    struct found *found; /* by point */
    struct weir_err *err;
};

static const char *keep(struct make *m, sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);
    return weir_tree_arena_text(m->board->exp.arena, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

/* --- runs --- */

static int search(struct make *m, struct weir_point *p, struct weir_store *store)
{
    struct found *f = &m->found[p - m->board->plan.point];
    sqlite3_stmt *stmt = NULL;
    int step = sqlite3_prepare_v2(weir_store_db(store), newest_sql, -1, &stmt, NULL);
    if (step == SQLITE_OK) {
        (void)sqlite3_bind_text(stmt, 1, m->board->exp.origin.id, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(stmt, 2, p->figure->name, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(stmt, 3, p->name, -1, SQLITE_STATIC);
        step = sqlite3_step(stmt);
    }
    if (step == SQLITE_ROW) {
        const char *started = keep(m, stmt, 1);
        if (f->store == NULL || (started != NULL && strcmp(started, f->started) > 0)) {
            *f = (struct found){ store, started, keep(m, stmt, 2), keep(m, stmt, 3), sqlite3_column_double(stmt, 4) };
            p->run = sqlite3_column_int64(stmt, 0);
            p->state = WEIR_POINT_DONE;
        }
    }
    (void)sqlite3_finalize(stmt);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return weir_store_fail(store, "cannot be read", m->err);
    return f->store != NULL && (f->started == NULL || f->commit == NULL || f->seed == NULL) ? weir_fail_memory(m->err)
                                                                                            : 0;
}

/* Returns how long the published run is, in seconds, where the experiment says so; else 0. */
static double published_s(const struct weir_point *p)
{
    static const char *const key[] = { "run.warmup=", "run.measure=" };
    double us = 0;
    for (uint32_t i = 0; i < p->set_count; i++)
        for (size_t k = 0; k < 2; k++)
            if (strncmp(p->set[i].text, key[k], strlen(key[k])) == 0)
                us += strtod(p->set[i].text + strlen(key[k]), NULL);
    return us / 1e6;
}

static bool is_new(const char *const *seen, uint32_t count, const char *text)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(seen[i], text) == 0)
            return false;
    return count < SEEDS_MAX;
}

static struct weir_board_made made_of(const struct make *m, const struct weir_cells *cells)
{
    const char *seed[SEEDS_MAX], *commit[SEEDS_MAX];
    const struct weir_plan *plan = &m->board->plan;
    struct weir_board_made made = { 0 };
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct weir_point *p = &plan->point[i];
        const struct found *f = &m->found[i];
        if (f->store == NULL || p->figure != cells->figure->runs || !weir_plan_counts(plan->exp, cells->spec, p->value))
            continue;
        double full_s = published_s(p), scale = full_s > 0 ? f->sim_s / full_s : 1;
        if (made.scale_least == 0 || scale < made.scale_least)
            made.scale_least = scale;
        if (scale > made.scale_most)
            made.scale_most = scale;
        if (is_new(seed, made.seeds, f->seed))
            seed[made.seeds++] = f->seed;
        if (is_new(commit, made.commits, f->commit))
            commit[made.commits++] = f->commit;
    }
    made.seed = made.seeds > 0 ? seed[0] : "";
    made.commit = made.commits > 0 ? commit[0] : "";
    return made;
}

/* --- numbers --- */

static struct weir_store *store_of(const struct make *m, const struct weir_point *p)
{
    return m->found[p - m->board->plan.point].store;
}

static struct weir_value read_number(void *ctx, const struct weir_point *p, const struct weir_reading *reading)
{
    return weir_results_read(store_of(ctx, p), p, reading);
}

/* Compares jobs or coflows of two runs, which have to be in one file: those of one command are. */
static struct weir_value compare_numbers(void *ctx, const struct weir_point *p, const struct weir_point *base,
                                         const struct weir_reading *reading)
{
    if (store_of(ctx, p) != store_of(ctx, base))
        return (struct weir_value){ .state = WEIR_VALUE_NONE };
    return weir_results_compare(store_of(ctx, p), p, base, reading);
}

static enum weir_board_kind kind_of(const struct weir_cell *cell)
{
    if (cell->runs_done < cell->runs || cell->measured.state == WEIR_VALUE_MISSING)
        return WEIR_BOARD_UNTRIED;
    switch (cell->verdict) {
    case WEIR_CELL_WITHIN:
        return WEIR_BOARD_WITHIN;
    case WEIR_CELL_WEAK:
        return WEIR_BOARD_WEAK;
    case WEIR_CELL_OUTSIDE:
        return WEIR_BOARD_OUTSIDE;
    default:
        return WEIR_BOARD_UNCHECKED;
    }
}

static int add_row(struct make *m, const struct weir_figure *figure, const struct weir_table_spec *spec)
{
    const struct weir_measured measured = { .read = read_number, .compare = compare_numbers, .ctx = m };
    struct weir_board *b = m->board;
    struct weir_cells *cells = weir_tree_arena_take(b->exp.arena, sizeof(*cells));
    struct weir_board_row *row = &b->row[b->row_count];
    int code;
    if (cells == NULL)
        return weir_fail_memory(m->err);
    *cells = (struct weir_cells){ .figure = figure, .spec = spec };
    *row = (struct weir_board_row){ .cells = cells, .made = made_of(m, cells) };
    /* peaks of runs that are shorter than the published ones do not compare */
    b->plan.scale_ppm = row->made.scale_least > 0 ? (uint64_t)(row->made.scale_least * 1e6 + 0.5) : 1000000;
    code = weir_cells_make(cells, &b->plan, figure, spec, &measured, m->err);
    for (uint32_t i = 0; i < cells->count && code == 0; i++) {
        if (cells->cell[i].published.state == WEIR_VALUE_NONE)
            continue;
        row->count[WEIR_BOARD_PUBLISHED]++;
        row->count[kind_of(&cells->cell[i])]++;
    }
    for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++)
        b->count[k] += row->count[k];
    b->row_count += row->count[WEIR_BOARD_PUBLISHED] > 0;
    return code;
}

static int fill(struct make *m)
{
    struct weir_board *b = m->board;
    struct weir_plan_request request = { .scale_ppm = 1000000, .figure_count = b->exp.figure_count };
    const char **name = weir_tree_arena_take(b->exp.arena, (b->exp.figure_count + 1) * sizeof(*name));
    int code;
    if (name == NULL)
        return weir_fail_memory(m->err);
    for (uint32_t f = 0; f < b->exp.figure_count; f++)
        name[f] = b->exp.figure[f].name;
    request.figure = name;
    code = weir_plan_make(&b->plan, &b->exp, &request, m->err);
    if (code != 0)
        return code;
    m->found = weir_tree_arena_take(b->exp.arena, (b->plan.point_count + 1) * sizeof(*m->found));
    b->row = weir_tree_arena_take(b->exp.arena, (size_t)(b->exp.figure_count + 1) * WEIR_TABLES_MAX * sizeof(*b->row));
    if (m->found == NULL || b->row == NULL)
        return weir_fail_memory(m->err);
    memset(m->found, 0, b->plan.point_count * sizeof(*m->found));
    for (uint32_t i = 0; i < b->plan.point_count; i++)
        for (uint32_t s = 0; s < m->store_count && code == 0; s++)
            code = search(m, &b->plan.point[i], m->store[s]);
    for (uint32_t f = 0; f < b->exp.figure_count; f++)
        for (uint32_t t = 0; t < b->exp.figure[f].table_count && code == 0; t++)
            if (b->exp.figure[f].table[t].published_file != NULL && b->exp.figure[f].runs != NULL)
                code = add_row(m, &b->exp.figure[f], &b->exp.figure[f].table[t]);
    return code;
}

int weir_board_make(struct weir_board *board, const char *name, struct weir_store *const *store, uint32_t store_count,
                    struct weir_err *err)
{
    struct make m = { .board = board, .store = store, .store_count = store_count, .err = err };
    int code;
    *board = (struct weir_board){ 0 };
    code = weir_experiment_load(&board->exp, name, err);
    if (code != 0)
        return code;
    code = fill(&m);
    if (code != 0)
        weir_board_free(board);
    return code;
}

void weir_board_free(struct weir_board *board)
{
    weir_experiment_free(&board->exp);
    *board = (struct weir_board){ 0 };
}
