/* src/results/reproduce/scoreboard.c - finds the newest runs and computes the cells of the scoreboard; see
 * scoreboard.h. */
#include "reproduce/scoreboard.h"
#include "core/units.h"
#include "param/number.h"
#include "reproduce/experiment_load.h"
#include "reproduce/mains.h"
#include "reproduce/results.h"
#include <sqlite3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS_MAX = 64 };

static const char newest_sql[] = "SELECT id, started_utc, commit_id, CAST(seed AS TEXT), sim_s, digest,"
                                 " json_extract(json, '$.measured_s'), scenario FROM run"
                                 " WHERE experiment = ?1 AND figure = ?2 AND point = ?3 AND label = point AND status = "
                                 "'done' ORDER BY started_utc DESC, id DESC LIMIT 1";

struct found { /* the run of a point; NULL and 0 = there is no run */
    const char *started, *commit, *seed, *digest;
    double sim_s, measured_s;
};

/* --- runs --- */

static const char *keep(struct weir_tree_arena *arena, sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);
    return weir_tree_arena_text(arena, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

/* Sets *found and the run of point p to the run of this row. Leaves them unchanged if the run from a file that was
 * searched before is as new or newer. */
static int take_row(struct weir_tree_arena *arena, struct weir_store *store, sqlite3_stmt *stmt, struct weir_point *p,
                    struct found *found, struct weir_err *err)
{
    const char *started = keep(arena, stmt, 1), *scenario = (const char *)sqlite3_column_text(stmt, 7);
    if (found->started != NULL && started != NULL && strcmp(started, found->started) <= 0)
        return 0;
    *found = (struct found){ started,
                             keep(arena, stmt, 2),
                             keep(arena, stmt, 3),
                             keep(arena, stmt, 5),
                             sqlite3_column_double(stmt, 4),
                             sqlite3_column_double(stmt, 6) };
    p->store = store;
    p->is_sampled = scenario != NULL && weir_results_are_sampled(scenario);
    p->run = sqlite3_column_int64(stmt, 0);
    p->state = WEIR_POINT_DONE;
    return started == NULL || found->commit == NULL || found->seed == NULL || found->digest == NULL
               ? weir_fail_memory(err)
               : 0;
}

static int search(const struct weir_experiment *exp, struct weir_store *store, struct weir_point *p,
                  struct found *found, struct weir_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int code = 0, step = sqlite3_prepare_v2(weir_store_db(store), newest_sql, -1, &stmt, NULL);
    if (step == SQLITE_OK) {
        (void)sqlite3_bind_text(stmt, 1, exp->origin.id, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(stmt, 2, p->figure->name, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(stmt, 3, p->name, -1, SQLITE_STATIC);
        step = sqlite3_step(stmt);
    }
    if (step == SQLITE_ROW)
        code = take_row(exp->arena, store, stmt, p, found, err);
    (void)sqlite3_finalize(stmt);
    return step == SQLITE_ROW || step == SQLITE_DONE ? code : weir_store_fail(store, "cannot be read", err);
}

/* Finds the newest run of each point in any of the files. found: one entry for each point, zeroed */
static int find_runs(struct weir_plan *plan, struct weir_store *const *store, uint32_t store_count, struct found *found,
                     struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < plan->point_count; i++)
        for (uint32_t s = 0; s < store_count && code == 0; s++)
            code = search(plan->exp, store[s], &plan->point[i], &found[i], err);
    return code;
}

static bool is_new(const char *const *seen, uint32_t count, const char *text)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(seen[i], text) == 0)
            return false;
    return count < SEEDS_MAX;
}

/* Returns the length of a point's run as a factor, 1 = as published. */
static double scale_of(const struct weir_point *p, const struct found *f)
{
    return p->length_us > 0 ? f->sim_s * 1e6 / (double)p->length_us : 1;
}

/* Returns the same of its measured part; of the whole run if its JSON does not say. */
static double measure_scale_of(const struct weir_point *p, const struct found *f)
{
    return p->measure_us > 0 && f->measured_s > 0 ? f->measured_s * 1e6 / (double)p->measure_us : scale_of(p, f);
}

static struct weir_board_made made_of(const struct weir_plan *plan, const struct found *found,
                                      const struct weir_figure *figure, const struct weir_table_spec *spec)
{
    const char *seed[SEEDS_MAX], *commit[SEEDS_MAX];
    struct weir_board_made made = { 0 };
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct weir_point *p = &plan->point[i];
        const struct found *f = &found[i];
        if (p->store == NULL || p->figure != figure->runs || !weir_plan_counts(spec, p->value))
            continue;
        double scale = scale_of(p, f), measure_scale = measure_scale_of(p, f);
        if (made.scale_least == 0 || scale < made.scale_least)
            made.scale_least = scale;
        if (made.measure_scale_least == 0 || measure_scale < made.measure_scale_least)
            made.measure_scale_least = measure_scale;
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

enum weir_board_kind weir_board_kind_of(const struct weir_cell *cell)
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

/* Computes the cells of a table, and adds a row for the table to the scoreboard if a cell has a published number.
 * found: the run of each point */
static int add_row(struct weir_board *b, const struct found *found, const struct weir_figure *figure,
                   const struct weir_table_spec *spec, struct weir_err *err)
{
    struct weir_cells *cells = weir_tree_arena_take(b->exp.arena, sizeof(*cells));
    struct weir_board_row *row = &b->row[b->row_count];
    int code;
    if (cells == NULL)
        return weir_fail_memory(err);
    *row = (struct weir_board_row){ .cells = cells, .made = made_of(&b->plan, found, figure, spec) };
    /* the peak of a measured part that is shorter than the published one is not comparable */
    b->plan.measure_ppm =
        row->made.measure_scale_least > 0 ? (uint64_t)(row->made.measure_scale_least * 1e6 + 0.5) : 1000000;
    code = weir_cells_make(cells, &b->plan, figure, spec, &weir_results_measured, err);
    for (uint32_t i = 0; i < cells->count && code == 0; i++) {
        if (cells->cell[i].published.state == WEIR_VALUE_NONE)
            continue;
        row->count[cells->cell[i].class][WEIR_BOARD_PUBLISHED]++;
        row->count[cells->cell[i].class][weir_board_kind_of(&cells->cell[i])]++;
        row->sampled += cells->cell[i].is_sampled;
    }
    bool any = false;
    for (uint32_t c = 0; c < WEIR_CLASSES; c++)
        for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++) {
            b->count[c][k] += row->count[c][k];
            any |= row->count[c][k] > 0;
        }
    b->row_count += any;
    return code;
}

/* Lists the runs that were found. */
static int list_runs(struct weir_board *b, const struct found *found, struct weir_err *err)
{
    b->run = weir_tree_arena_take(b->exp.arena, (b->plan.point_count + 1) * sizeof(*b->run));
    if (b->run == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < b->plan.point_count; i++) {
        const struct weir_point *p = &b->plan.point[i];
        if (p->store != NULL)
            b->run[b->run_count++] = (struct weir_board_run){ p,
                                                              found[i].digest,
                                                              found[i].commit,
                                                              found[i].seed,
                                                              scale_of(p, &found[i]),
                                                              measure_scale_of(p, &found[i]) };
    }
    return 0;
}

/* Refuses a printed number without a main reading, or with two. */
static int check_mains(const struct weir_board *b, struct weir_err *err)
{
    const struct weir_cells **cells = weir_tree_arena_take(b->exp.arena, (b->row_count + 1) * sizeof(*cells));
    if (cells == NULL)
        return weir_fail_memory(err);
    for (uint32_t r = 0; r < b->row_count; r++)
        cells[r] = b->row[r].cells;
    return weir_mains_check(&b->plan, cells, b->row_count, err);
}

struct weir_board_others weir_board_others(const struct weir_board *board, const char *id)
{
    struct weir_board_others others = { .least = HUGE_VAL, .most = -HUGE_VAL };
    for (const struct weir_board_row *row = board->row; row < board->row + board->row_count; row++) {
        const struct weir_cells *cells = row->cells;
        for (const struct weir_cell *c = cells->cell; c < cells->cell + cells->count; c++) {
            if (c->class != WEIR_CLASS_VARIANT || c->printed == NULL || c->printed->id == NULL ||
                strcmp(c->printed->id, id) != 0)
                continue;
            others.count++;
            others.within += c->verdict == WEIR_CELL_WITHIN || c->verdict == WEIR_CELL_WEAK;
            others.spec = cells->spec;
            if (c->measured.state == WEIR_VALUE_NUMBER) {
                others.least = fmin(others.least, c->measured.lo);
                others.most = fmax(others.most, c->measured.lo);
            }
        }
    }
    return others;
}

static int add_rows(struct weir_board *b, const struct found *found, struct weir_err *err)
{
    int code = 0;
    b->row = weir_tree_arena_take(b->exp.arena, (size_t)(b->exp.figure_count + 1) * WEIR_TABLES_MAX * sizeof(*b->row));
    if (b->row == NULL)
        return weir_fail_memory(err);
    for (const struct weir_figure *f = b->exp.figure; f < b->exp.figure + b->exp.figure_count; f++)
        for (const struct weir_table_spec *t = f->table; t < f->table + f->table_count && code == 0; t++)
            if (t->published_file != NULL && f->runs != NULL)
                code = add_row(b, found, f, t, err);
    return code;
}

static int fill(struct weir_board *b, struct weir_store *const *store, uint32_t store_count, struct weir_err *err)
{
    const struct weir_plan_request request = { .scale_ppm = 1000000, .all_figures = true };
    struct found *found;
    int code = weir_plan_make(&b->plan, &b->exp, &request, err);
    if (code != 0)
        return code;
    found = weir_tree_arena_take(b->exp.arena, (b->plan.point_count + 1) * sizeof(*found));
    if (found == NULL)
        return weir_fail_memory(err);
    code = find_runs(&b->plan, store, store_count, found, err);
    if (code != 0 || (code = list_runs(b, found, err)) != 0 || (code = add_rows(b, found, err)) != 0)
        return code;
    return check_mains(b, err);
}

int weir_board_make(struct weir_board *board, const char *name, struct weir_store *const *store, uint32_t store_count,
                    struct weir_err *err)
{
    int code;
    *board = (struct weir_board){ 0 };
    code = weir_experiment_load(&board->exp, name, err);
    if (code != 0)
        return code;
    code = fill(board, store, store_count, err);
    if (code != 0)
        weir_board_free(board);
    return code;
}

void weir_board_free(struct weir_board *board)
{
    weir_experiment_free(&board->exp);
    *board = (struct weir_board){ 0 };
}
