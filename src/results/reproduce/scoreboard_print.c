/* src/results/reproduce/scoreboard_print.c - prints the scoreboard as a page of Markdown. */
#include "reproduce/cell_text.h"
#include "reproduce/scoreboard.h"
#include "text/print.h"
#include <string.h>

enum { SEED_SHOWN = 20, COMMIT_SHOWN = 9, KEY = 512 }; /* the first two in bytes */

static const char *const heads[] = { "printed numbers", "within", "weak", "outside", "not checked", "not tried" };
static const char *const verdicts[] = { "", "within", "weak", "outside", "not checked", "not tried" };
_Static_assert(sizeof(heads) / sizeof(heads[0]) == WEIR_BOARD_KINDS, "a word for each");

/* --- totals --- */

/* Prints "5 of 7": the cells in their band of all of a class. */
static void print_share(FILE *out, const uint32_t count[WEIR_BOARD_KINDS])
{
    (void)fprintf(out, " %u of %u |", (unsigned)(count[WEIR_BOARD_WITHIN] + count[WEIR_BOARD_WEAK]),
                  (unsigned)count[WEIR_BOARD_PUBLISHED]);
}

static void print_counts(FILE *out, const char *name, uint32_t count[WEIR_CLASSES][WEIR_BOARD_KINDS])
{
    (void)fprintf(out, "| %s |", name);
    for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++)
        (void)fprintf(out, " %u |", (unsigned)count[WEIR_CLASS_PRINTED][k]);
    for (uint32_t c = WEIR_CLASS_ORDER; c < WEIR_CLASSES; c++)
        print_share(out, count[c]);
    (void)fprintf(out, "\n");
}

static void print_totals(FILE *out, const struct weir_board *board, uint32_t count)
{
    uint32_t sum[WEIR_CLASSES][WEIR_BOARD_KINDS] = { { 0 } };
    (void)fprintf(out, "| paper |");
    for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++)
        (void)fprintf(out, " %s |", heads[k]);
    (void)fprintf(out, " orders that hold | model checks within | other readings within |\n"
                       "|---|---|---|---|---|---|---|---|---|---|\n");
    for (uint32_t b = 0; b < count; b++) {
        print_counts(out, board[b].exp.origin.id, (uint32_t(*)[WEIR_BOARD_KINDS])board[b].count);
        for (uint32_t c = 0; c < WEIR_CLASSES; c++)
            for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++)
                sum[c][k] += board[b].count[c][k];
    }
    print_counts(out, "all", sum);
}

/* --- numbers --- */

static void print_band(FILE *out, const struct weir_table_spec *spec)
{
    if (spec->band_ppm == 0)
        (void)fprintf(out, " - |");
    else
        (void)fprintf(out, " %g %s |", (double)spec->band_ppm / 1e4, spec->reduction ? "points" : "%");
}

/* Prints the other readings of a number: "3: 9.12 to 14.00, 1 within". digits: decimals of the main reading */
static void print_others(FILE *out, const struct weir_board *b, const struct weir_cell *cell, uint32_t digits)
{
    struct weir_board_others others = { 0 };
    if (cell->printed != NULL && cell->printed->id != NULL)
        others = weir_board_others(b, cell->printed->id);
    if (others.count == 0) {
        (void)fprintf(out, " - |\n");
        return;
    }
    (void)fprintf(out, " %u", (unsigned)others.count);
    if (others.least <= others.most)
        (void)fprintf(out, ": %.*f to %.*f, %u within", (int)digits, others.least, (int)digits, others.most,
                      (unsigned)others.within);
    (void)fprintf(out, " |\n");
}

static void print_cell(FILE *out, const struct weir_board *b, const struct weir_cells *cells,
                       const struct weir_cell *cell)
{
    const struct weir_table_spec *spec = cells->spec;
    uint32_t digits = spec->reading[cell->reading].digits;
    char key[KEY], measured[WEIR_CELL_TEXT], published[WEIR_CELL_TEXT], deviation[WEIR_CELL_TEXT];
    weir_cell_key(key, sizeof(key), &b->plan, cells, cell);
    weir_value_text(measured, &cell->measured, digits);
    weir_value_text(published, &cell->published, digits);
    weir_deviation_text(deviation, spec, cell);
    (void)fprintf(out, "| %s | %s %s%s%s | %s | %s | %s |",
                  cell->printed != NULL && cell->printed->id != NULL ? cell->printed->id : "-", cells->figure->name,
                  spec->name, key[0] != '\0' ? ", " : "", key, measured, published, deviation);
    print_band(out, spec);
    (void)fprintf(out, " %s |", verdicts[weir_board_kind_of(cell)]);
    print_others(out, b, cell, digits);
}

/* Prints a table of all cells of a class, under a heading, unless there are none. only: only cells of that kind;
 * WEIR_BOARD_PUBLISHED = all */
static void print_class(FILE *out, const struct weir_board *b, const char *heading, enum weir_cell_class class,
                        enum weir_board_kind only)
{
    bool has_head = false;
    for (const struct weir_board_row *row = b->row; row < b->row + b->row_count; row++) {
        for (uint32_t i = 0; i < row->cells->count; i++) {
            const struct weir_cell *cell = &row->cells->cell[i];
            if (cell->published.state == WEIR_VALUE_NONE || cell->class != class ||
                (only != WEIR_BOARD_PUBLISHED && weir_board_kind_of(cell) != only))
                continue;
            if (!has_head)
                (void)fprintf(
                    out,
                    "\n%s\n\n| number | read from | measured | published | deviation | band | verdict | other "
                    "readings |\n|---|---|---|---|---|---|---|---|\n",
                    heading);
            has_head = true;
            print_cell(out, b, row->cells, cell);
        }
    }
}

/* --- tables --- */

/* Prints `before`, then a text of a result file, cut to `shown` bytes (SEED_SHOWN at most), then " and N more" if count
 * is above 1, where N is count - 1. */
static void print_first(FILE *out, const char *before, const char *text, int shown, uint32_t count)
{
    char cut[SEED_SHOWN + 1];
    (void)snprintf(cut, sizeof(cut), "%.*s", shown, text);
    (void)fputs(before, out);
    weir_cli_text(out, cut);
    if (count > 1)
        (void)fprintf(out, " and %u more", (unsigned)count - 1);
    (void)fputs(" |", out);
}

static void print_made(FILE *out, const struct weir_board_made *made)
{
    if (made->seeds == 0) {
        (void)fprintf(out, " - | - | - |\n");
        return;
    }
    print_first(out, made->seeds == 1 ? " seed " : " ", made->seed, SEED_SHOWN, made->seeds);
    if (made->scale_most - made->scale_least < 0.005)
        (void)fprintf(out, " %.3g", made->scale_least);
    else
        (void)fprintf(out, " %.3g to %.3g", made->scale_least, made->scale_most);
    if (made->measure_scale_least - made->scale_least > 0.005)
        (void)fprintf(out, ", measured %.3g", made->measure_scale_least);
    (void)fprintf(out, " |");
    print_first(out, " ", made->commit, COMMIT_SHOWN, made->commits);
    (void)fputc('\n', out);
}

static void print_tables(FILE *out, const struct weir_board *b)
{
    (void)fprintf(out,
                  "\nTables:\n\n| figure, table | main, in band | orders | model checks | other readings | seeds | "
                  "scale | commit |\n|---|---|---|---|---|---|---|---|\n");
    for (const struct weir_board_row *row = b->row; row < b->row + b->row_count; row++) {
        (void)fprintf(out, "| %s %s%s |", row->cells->figure->name, row->cells->spec->name,
                      row->cells->spec->fitted != NULL ? " (fitted)" : "");
        for (uint32_t c = 0; c < WEIR_CLASSES; c++) {
            if (row->count[c][WEIR_BOARD_PUBLISHED] == 0)
                (void)fprintf(out, " - |");
            else
                print_share(out, row->count[c]);
        }
        print_made(out, &row->made);
    }
}

/* Prints the reasons of the tables as a list: why a reading is the main one, why there is no band, and why cells are
 * outside. */
static void print_reasons(FILE *out, const struct weir_board *b)
{
    static const char sampled[] =
        "a run has run.statistics: sampled, and the longest queue of its samples is not compared "
        "with a longest queue";
    bool any = false;
    for (const struct weir_board_row *row = b->row; row < b->row + b->row_count; row++) {
        const struct weir_table_spec *spec = row->cells->spec;
        const struct {
            const char *what, *why;
        } reason[] = { { spec->main_none ? "another reading" : "main reading", spec->main_reason },
                       { "not checked", spec->no_band },
                       { "not checked", row->sampled > 0 ? sampled : NULL },
                       { "outside", row->count[WEIR_CLASS_PRINTED][WEIR_BOARD_OUTSIDE] +
                                                row->count[WEIR_CLASS_ORDER][WEIR_BOARD_OUTSIDE] +
                                                row->count[WEIR_CLASS_MODEL][WEIR_BOARD_OUTSIDE] >
                                            0
                                        ? (spec->missed != NULL ? spec->missed : "not explained")
                                        : NULL } };
        for (size_t i = 0; i < sizeof(reason) / sizeof(reason[0]); i++) {
            if (reason[i].why == NULL)
                continue;
            (void)fprintf(out, "%s* %s %s, %s: %s.\n", any ? "" : "\n", row->cells->figure->name, spec->name,
                          reason[i].what, reason[i].why);
            any = true;
        }
    }
}

static void print_paper(FILE *out, const struct weir_board *b)
{
    (void)fprintf(out, "\n## %s\n\n%s\n", b->exp.origin.id, b->exp.title);
    print_class(out, b, "Printed numbers:", WEIR_CLASS_PRINTED, WEIR_BOARD_PUBLISHED);
    print_class(out, b, "Orders, 100 where they hold:", WEIR_CLASS_ORDER, WEIR_BOARD_PUBLISHED);
    print_class(out, b, "Model checks outside their band:", WEIR_CLASS_MODEL, WEIR_BOARD_OUTSIDE);
    print_tables(out, b);
    print_reasons(out, b);
}

void weir_board_print(FILE *out, const struct weir_board *board, uint32_t count)
{
    (void)fprintf(
        out,
        "# Scoreboard\n\nWhat the papers printed, and what Weir measures. Made by `weir scoreboard` from result "
        "files; do not edit. scoreboard.json has\nevery number and every run with its digest.\n\n"
        "* A printed number counts once, by its main reading, which was chosen before the run; data/published has "
        "the numbers. Orders are claims\n  such as \"A is below B\". Model checks are numbers that we derived from "
        "the papers' equations. Other readings are shown and not counted.\n"
        "* within: in the band of its table. weak: so would a run be in which nothing has an effect. outside: not "
        "in the band.\n"
        "* not checked: the table has no band, and says why, or a peak of a measured part that is shorter than "
        "the published one.\n"
        "* not tried: not all runs that the number needs are in the files.\n"
        "* scale: length of the runs, 1 as published; and of their measured parts, if these are not shortened "
        "alike.\n\n");
    print_totals(out, board, count);
    for (uint32_t b = 0; b < count; b++)
        print_paper(out, &board[b]);
}
