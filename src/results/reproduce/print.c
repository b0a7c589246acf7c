/* src/results/reproduce/print.c - prints results as tables; see print.h. */
#include "reproduce/print.h"
#include "reproduce/cell_text.h"
#include <stdio.h>
#include <string.h>

enum { CELL = WEIR_CELL_TEXT, COLUMNS_MAX = WEIR_AXES_MAX + WEIR_COLUMNS_MAX + 1, LABELS = 512 };
_Static_assert(WEIR_COLUMNS_MAX >= 4, "value, measured, published, deviation");

/* A line of a table. right: the column is aligned on the right. The last column has the remarks, and is not padded. */
struct line {
    char text[COLUMNS_MAX][CELL];
    bool right[COLUMNS_MAX];
    uint32_t columns;
};

static char *add(struct line *line, bool right)
{
    char *cell = line->text[line->columns];
    line->right[line->columns++] = right;
    cell[0] = '\0';
    return cell;
}

static void remark(char *out, const char *text)
{
    size_t used = strlen(out);
    (void)snprintf(out + used, CELL - used, "%s%s", used > 0 ? "; " : "", text);
}

static void remark_mean(char *out, const struct weir_cell *cell, int digits)
{
    char text[CELL], interval[48] = ""; /* shorter than text: gcc's sanitizers check the sum */
    if (weir_cell_has_interval(cell))
        (void)snprintf(interval, sizeof(interval), " +- %.*f (95 %%)", digits, cell->half_width);
    (void)snprintf(text, sizeof(text), "mean of %u%s, %.*f to %.*f", (unsigned)cell->averaged, interval, digits,
                   cell->least, digits, cell->most);
    remark(out, text);
}

/* Adds how many cases of a cell have a number, if not all have one. Of a median always adds it, with the least and the
 * greatest number. */
static void remark_cases(char *out, const struct weir_table_spec *spec, const struct weir_cell *cell)
{
    static const char *const of[] = { [WEIR_CASES_APART] = "",
                                      [WEIR_CASES_MEAN] = "mean",
                                      [WEIR_CASES_MEDIAN] = "median",
                                      [WEIR_CASES_MOST] = "largest" };
    char text[CELL];
    if (spec->fold == WEIR_CASES_MEDIAN && cell->cases > 0) {
        int digits = (int)spec->reading[cell->reading].digits;
        (void)snprintf(text, sizeof(text), "median of %u, %.*f to %.*f", (unsigned)cell->cases, digits, cell->least,
                       digits, cell->most);
        remark(out, text);
    }
    if (cell->cases < cell->cases_of) {
        (void)snprintf(text, sizeof(text), "%s of %u of %u cases", of[spec->fold], (unsigned)cell->cases,
                       (unsigned)cell->cases_of);
        remark(out, text);
    }
}

static void remarks(char *out, const struct weir_plan *plan, const struct weir_cells *cells,
                    const struct weir_cell *cell)
{
    const struct weir_table_spec *spec = cells->spec;
    const char *unstable =
        plan->exp->implied ? "not stable" : "unstable"; /* runs of a sweep are often just too short to know */
    char text[CELL];
    if (cell->verdict == WEIR_CELL_OUTSIDE)
        remark(out, "OUTSIDE");
    if (cell->verdict == WEIR_CELL_WEAK)
        remark(out, "so would no effect be");
    if (cell->published.state == WEIR_VALUE_NONE && spec->published_file != NULL)
        remark(out, "no published number");
    if (cell->at != NULL && spec->over != WEIR_AXIS_NONE) {
        const struct weir_axis *axis = &plan->exp->axis[spec->over];
        (void)snprintf(text, sizeof(text), "at %s %s%s", axis->name, axis->value[cell->at->value[spec->over]].label,
                       cell->at_unstable ? ", unstable there" : "");
        remark(out, text);
    } else if (cell->averaged > 1 && cell->doubtful > 0) {
        (void)snprintf(text, sizeof(text), "%u of %u in doubt", (unsigned)cell->doubtful, (unsigned)cell->averaged);
        remark(out, text);
    } else if (cell->at != NULL && cell->at->doubt != NULL) {
        remark(out, "in doubt");
    } else if (cell->averaged > 1 && cell->unstable > 0 && cell->measured.state == WEIR_VALUE_NUMBER) {
        (void)snprintf(text, sizeof(text), "%u of %u %s", (unsigned)cell->unstable, (unsigned)cell->averaged, unstable);
        remark(out, text);
    } else if (cell->at_unstable && cell->measured.state == WEIR_VALUE_NUMBER) {
        remark(out, unstable);
    }
    if (cell->averaged > 1 && !spec->columns)
        remark_mean(out, cell, (int)spec->reading[cell->reading].digits);
    remark_cases(out, spec, cell);
    if (weir_cell_has_unstable(cell)) {
        (void)snprintf(text, sizeof(text), "then %.*f", (int)spec->reading[cell->reading].digits, cell->measured.lo);
        remark(out, text);
    }
    if (cell->not_built != NULL) {
        (void)snprintf(text, sizeof(text), "%.40s is not built", cell->not_built);
        remark(out, text);
    } else if (cell->runs_done < cell->runs) {
        (void)snprintf(text, sizeof(text), "%u of %u runs", (unsigned)cell->runs_done, (unsigned)cell->runs);
        remark(out, text);
    }
}

static void add_labels(struct line *line, const struct weir_plan *plan, const struct weir_cells *cells,
                       const struct weir_cell *cell)
{
    line->columns = 0;
    for (uint32_t a = 0; a < plan->exp->axis_count; a++)
        if (cells->varies[a])
            (void)snprintf(add(line, false), CELL, "%s",
                           cell->value[a] != WEIR_AXIS_NONE ? plan->exp->axis[a].value[cell->value[a]].label : "-");
}

/* Writes the measured number of a cell. After a mean with an interval, also writes half the 95 % interval: "41.20
 * +-0.31". */
static void interval_text(char out[WEIR_CELL_TEXT], const struct weir_cell *cell, uint32_t digits)
{
    size_t used;
    weir_value_text(out, &cell->measured, digits);
    used = strlen(out);
    if (weir_cell_has_interval(cell) && cell->measured.state == WEIR_VALUE_NUMBER)
        (void)snprintf(out + used, CELL - used, " +-%.*f", (int)digits, cell->half_width);
}

/* Makes a line with a column for each reading of a run. cell: the first of reading_count cells. Remarks are about the
 * run, so the line has only those of the last cell. */
static void make_wide_line(struct line *line, const struct weir_plan *plan, const struct weir_cells *cells,
                           const struct weir_cell *cell)
{
    uint32_t count = cells->spec->reading_count;
    add_labels(line, plan, cells, cell);
    for (uint32_t r = 0; r < count; r++)
        interval_text(add(line, true), &cell[r], cells->spec->reading[r].digits);
    remarks(add(line, false), plan, cells, &cell[count - 1]);
}

static void make_line(struct line *line, const struct weir_plan *plan, const struct weir_cells *cells,
                      const struct weir_cell *cell)
{
    const struct weir_table_spec *spec = cells->spec;
    if (spec->columns) {
        make_wide_line(line, plan, cells, cell);
        return;
    }
    add_labels(line, plan, cells, cell);
    if (spec->reading_count > 1)
        (void)snprintf(add(line, false), CELL, "%s", spec->reading[cell->reading].label);
    if (cell->not_built != NULL && cell->measured.state == WEIR_VALUE_MISSING)
        (void)snprintf(add(line, true), CELL, "not built");
    else
        weir_value_text(add(line, true), &cell->measured, spec->reading[cell->reading].digits);
    if (spec->published_file != NULL) {
        weir_value_text(add(line, true), &cell->published, spec->reading[cell->reading].digits);
        weir_deviation_text(add(line, true), spec, cell);
    }
    remarks(add(line, false), plan, cells, cell);
}

static void make_title(struct line *line, const struct weir_plan *plan, const struct weir_cells *cells)
{
    line->columns = 0;
    for (uint32_t a = 0; a < plan->exp->axis_count; a++)
        if (cells->varies[a])
            (void)snprintf(add(line, false), CELL, "%s", plan->exp->axis[a].name);
    for (uint32_t r = 0; cells->spec->columns && r < cells->spec->reading_count; r++)
        (void)snprintf(add(line, true), CELL, "%s", cells->spec->reading[r].label);
    if (cells->spec->columns) {
        (void)add(line, false);
        return;
    }
    if (cells->spec->reading_count > 1)
        (void)snprintf(add(line, false), CELL, "value");
    (void)snprintf(add(line, true), CELL, "measured");
    if (cells->spec->published_file != NULL) {
        (void)snprintf(add(line, true), CELL, "published");
        (void)snprintf(add(line, true), CELL, "deviation");
    }
    (void)add(line, false);
}

static void print_line(FILE *out, const struct line *line, const size_t *width)
{
    uint32_t last = line->columns - 1;
    char text[COLUMNS_MAX * (CELL + 2)];
    size_t at = 0;
    for (uint32_t c = 0; c < line->columns; c++) {
        int pad = c == last ? 0 : (int)width[c];
        at += (size_t)snprintf(text + at, sizeof(text) - at, "  %*s", line->right[c] ? pad : -pad, line->text[c]);
    }
    while (at > 0 && text[at - 1] == ' ')
        at--;
    (void)fprintf(out, "%.*s\n", (int)at, text);
}

static void widen(size_t *width, const struct line *line)
{
    for (uint32_t c = 0; c < line->columns; c++)
        if (strlen(line->text[c]) > width[c])
            width[c] = strlen(line->text[c]);
}

static void print_notes(FILE *out, const struct weir_plan *plan, const struct weir_cells *cells)
{
    if (cells->spec->note != NULL)
        (void)fprintf(out, "  %s\n", cells->spec->note);
    if (cells->spec->published_file == NULL && !plan->exp->implied)
        (void)fprintf(out, "  no published numbers\n");
    if (cells->spec->no_band != NULL)
        (void)fprintf(out, "  not checked: %s\n", cells->spec->no_band);
    if (cells->spec->fitted != NULL)
        (void)fprintf(out, "  fitted: %s\n", cells->spec->fitted);
    for (uint32_t i = 0; i < cells->count && cells->spec->missed != NULL; i++)
        if (cells->cell[i].verdict == WEIR_CELL_OUTSIDE) {
            (void)fprintf(out, "  outside: %s\n", cells->spec->missed);
            break;
        }
    if (!cells->comparable)
        (void)fprintf(out,
                      "  at scale %g of the measured part peaks are not comparable: they grow with its length "
                      "(--measure-scale 1)\n",
                      (double)plan->measure_ppm / 1e6);
}

/* Tests whether `count` cells have no number because none of their runs is done. Returns false if the protocol of a
 * cell is not built: that line is printed. */
static bool is_not_run(const struct weir_cell *cell, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (cell[i].measured.state != WEIR_VALUE_MISSING || cell[i].runs_done > 0 || cell[i].not_built != NULL)
            return false;
    return true;
}

/* Prints the lines of a table, without those of which no run is done although the protocol is built. Then prints the
 * number of the lines left out: a sweep that was interrupted early has hundreds of them. step: cells in a line */
static void print_lines(FILE *out, const struct weir_plan *plan, const struct weir_cells *cells, uint32_t step)
{
    size_t width[COLUMNS_MAX] = { 0 };
    uint32_t not_run = 0;
    struct line line;
    make_title(&line, plan, cells);
    widen(width, &line);
    for (uint32_t i = 0; i < cells->count; i += step) {
        if (is_not_run(&cells->cell[i], step)) {
            not_run++;
            continue;
        }
        make_line(&line, plan, cells, &cells->cell[i]);
        widen(width, &line);
    }
    if (not_run * step < cells->count) {
        make_title(&line, plan, cells);
        print_line(out, &line, width);
    }
    for (uint32_t i = 0; i < cells->count; i += step) {
        if (is_not_run(&cells->cell[i], step))
            continue;
        make_line(&line, plan, cells, &cells->cell[i]);
        print_line(out, &line, width);
    }
    if (not_run > 0)
        (void)fprintf(out, "  not run: %u of %u lines\n", (unsigned)not_run, (unsigned)(cells->count / step));
}

static void print_cells(FILE *out, const struct weir_plan *plan, const struct weir_cells *cells)
{
    const struct weir_table_spec *spec = cells->spec;
    uint32_t step = spec->columns ? spec->reading_count : 1; /* cells in a line; the cells of a run follow each other */
    (void)fprintf(out, "\n%s%s%s", spec->title, spec->unit[0] != '\0' ? ", " : "", spec->unit);
    if (spec->band_ppm > 0)
        (void)fprintf(out, " (band %g %s)", (double)spec->band_ppm / 1e4, spec->reduction ? "points" : "%");
    (void)fputc('\n', out);
    print_notes(out, plan, cells);
    if (cells->count == 0) {
        (void)fprintf(out, "  no runs\n");
        return;
    }
    print_lines(out, plan, cells, step);
}

/* Tests whether a table has cells, and none of their runs is done. A sweep that was interrupted early has many such
 * tables. */
static bool is_table_not_run(const struct weir_cells *cells)
{
    return cells->count > 0 && is_not_run(cells->cell, cells->count);
}

/* Tests whether a figure is not skipped, has tables, and none of their runs is done. */
static bool is_figure_not_run(const struct weir_outcome *o, const struct weir_figure *figure)
{
    uint32_t tables = 0;
    for (uint32_t i = 0; i < o->cells_count; i++) {
        if (o->cells[i].figure != figure)
            continue;
        if (!is_table_not_run(&o->cells[i]))
            return false;
        tables++;
    }
    return tables > 0 && figure->skip == NULL;
}

static void print_tables(FILE *out, const struct weir_outcome *o, const struct weir_figure *figure)
{
    uint32_t not_run = 0;
    for (uint32_t i = 0; i < o->cells_count; i++) {
        if (o->cells[i].figure != figure)
            continue;
        if (is_table_not_run(&o->cells[i]))
            not_run++;
        else
            print_cells(out, o->plan, &o->cells[i]);
    }
    if (not_run > 0 && figure->skip == NULL)
        (void)fprintf(out, "\n  not run: %u more table%s\n", (unsigned)not_run, not_run == 1 ? "" : "s");
}

static void print_figure(FILE *out, const struct weir_outcome *o, const struct weir_figure *figure)
{
    char missing[LABELS];
    if (!o->plan->exp->implied)
        (void)fprintf(out, "\n%s: %s\n", figure->name, figure->title);
    if (figure->skip != NULL)
        (void)fprintf(out, "  skipped: %s\n", figure->skip);
    weir_missing_text(missing, sizeof(missing), o->plan, figure);
    if (missing[0] != '\0')
        (void)fprintf(out, "  not built yet: %s\n", missing);
    print_tables(out, o, figure);
}

/* Prints the names of the figures of which no run is done. The figure of a sweep is printed as "all". */
static void print_not_run(FILE *out, const struct weir_outcome *o)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < o->plan->figure_count; f++) {
        const struct weir_figure *figure = o->plan->figure[f];
        if (is_figure_not_run(o, figure))
            (void)fprintf(out, "%s%s",
                          count++ > 0 ? ", " : "\nnot run: ", o->plan->exp->implied ? "all" : figure->name);
    }
    if (count > 0)
        (void)fputc('\n', out);
}

void weir_reproduce_print(FILE *out, const struct weir_outcome *o)
{
    const struct weir_experiment *exp = o->plan->exp;
    (void)fprintf(out, "%s\n", exp->title);
    if (exp->about != NULL)
        (void)fprintf(out, "%s\n", exp->about);
    if (exp->implied && o->plan->scale_ppm == 1000000)
        (void)fprintf(out, "weir %s (%s)\n", o->version, o->commit);
    else if (o->plan->measure_ppm != o->plan->scale_ppm)
        (void)fprintf(out, "scale %g, of the measured part %g, weir %s (%s)\n", (double)o->plan->scale_ppm / 1e6,
                      (double)o->plan->measure_ppm / 1e6, o->version, o->commit);
    else
        (void)fprintf(out, "scale %g, weir %s (%s)\n", (double)o->plan->scale_ppm / 1e6, o->version, o->commit);
    for (uint32_t f = 0; f < o->plan->figure_count; f++)
        if (!is_figure_not_run(o, o->plan->figure[f]))
            print_figure(out, o, o->plan->figure[f]);
    print_not_run(out, o);
}
