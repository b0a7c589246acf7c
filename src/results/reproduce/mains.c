/* src/results/reproduce/mains.c - see mains.h. */
#include "reproduce/mains.h"
#include "reproduce/cell_text.h"
#include "reproduce/results.h"
#include <stdio.h>
#include <string.h>

enum { KEY = 256, NAME = 3 * KEY };

struct search { /* the tables of an experiment */
    const struct weir_plan *plan;
    const struct weir_cells *const *cells;
    uint32_t count;
};

/* Tests whether the cell is the main reading of the number with that id. */
static bool is_main_of(const struct weir_cell *cell, const char *id)
{
    return (cell->class == WEIR_CLASS_PRINTED || cell->class == WEIR_CLASS_ORDER) && cell->printed->id != NULL &&
           strcmp(cell->printed->id, id) == 0;
}

static void name_cell(char name[NAME], const struct search *s, const struct weir_cells *cells,
                      const struct weir_cell *cell)
{
    char key[KEY];
    weir_cell_key(key, sizeof(key), s->plan, cells, cell);
    (void)snprintf(name, NAME, "%s %s %s", cells->figure->name, cells->spec->name, key);
}

/* Refuses a row whose id, of a printed number or order, has no main reading or two. Returns 0 or WEIR_E_CONFLICT. */
static int check_row(const struct search *s, const struct weir_printed *row, struct weir_err *err)
{
    const struct weir_tok at = { .file = row->file, .line = row->line };
    char first[NAME] = "", second[NAME];
    for (uint32_t t = 0; t < s->count; t++) {
        for (const struct weir_cell *c = s->cells[t]->cell; c < s->cells[t]->cell + s->cells[t]->count; c++) {
            bool is_second = first[0] != '\0';
            if (!is_main_of(c, row->id))
                continue;
            name_cell(is_second ? second : first, s, s->cells[t], c);
            if (is_second)
                return weir_fail(err, WEIR_E_CONFLICT, &at, "main: in a table says which reading counts",
                                 "%.80s: two main readings, %.120s and %.120s", row->id, first, second);
        }
    }
    if (first[0] != '\0')
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &at, "main: of a table with this metric says which reading counts",
                     "%.80s: no table has a main reading of this number", row->id);
}

int weir_mains_check(const struct weir_plan *plan, const struct weir_cells *const *cells, uint32_t count,
                     struct weir_err *err)
{
    const struct search s = { plan, cells, count };
    int code = 0;
    for (uint32_t t = 0; t < count; t++) {
        const struct weir_published *published = cells[t]->spec->published;
        bool seen = false;
        for (uint32_t before = 0; before < t; before++)
            seen |= cells[before]->spec->published == published;
        for (uint32_t i = 0; !seen && code == 0; i++) {
            const struct weir_printed *row = weir_published_row(published, i);
            if (row == NULL)
                break;
            if (row->id != NULL && row->kind != WEIR_NUMBER_DERIVED && row->value.state != WEIR_VALUE_NONE)
                code = check_row(&s, row, err);
        }
    }
    return code;
}

int weir_mains_of(struct weir_experiment *exp, struct weir_err *err)
{
    const struct weir_plan_request request = { .scale_ppm = 1000000, .all_figures = true };
    const struct weir_cells **tables;
    struct weir_plan plan;
    uint32_t count = 0;
    int code = weir_plan_make(&plan, exp, &request, err);
    if (code != 0)
        return code;
    tables = weir_tree_arena_take(exp->arena, (size_t)(exp->figure_count + 1) * WEIR_TABLES_MAX * sizeof(*tables));
    if (tables == NULL)
        return weir_fail_memory(err);
    for (const struct weir_figure *f = exp->figure; f < exp->figure + exp->figure_count; f++) {
        for (const struct weir_table_spec *t = f->table; t < f->table + f->table_count && code == 0; t++) {
            struct weir_cells *cells = weir_tree_arena_take(exp->arena, sizeof(*cells));
            if (cells == NULL)
                return weir_fail_memory(err);
            if (t->published_file == NULL || f->runs == NULL)
                continue;
            code = weir_cells_make(cells, &plan, f, t, &weir_results_measured, err);
            tables[count++] = cells;
        }
    }
    return code != 0 ? code : weir_mains_check(&plan, tables, count, err);
}
