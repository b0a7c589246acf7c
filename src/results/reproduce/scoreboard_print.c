/* src/results/reproduce/scoreboard_print.c - prints the scoreboard as a page of Markdown, and as JSON. */
#include "reproduce/cell_text.h"
#include "reproduce/scoreboard.h"
#include "text/json.h"
#include "text/print.h"
#include <string.h>

static const char *const heads[] = { "published", "within", "weak", "outside", "not checked", "not tried" };
static const char *const keys[] = { "published", "within", "weak", "outside", "not_checked", "not_tried" };
_Static_assert(sizeof(heads) / sizeof(heads[0]) == WEIR_BOARD_KINDS, "a word for each");

static void print_head(FILE *out, const char *first, const char *last)
{
    (void)fprintf(out, "| %s |", first);
    for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++)
        (void)fprintf(out, " %s |", heads[k]);
    (void)fprintf(out, "%s\n|---|", last);
    for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++)
        (void)fprintf(out, "---|");
    for (; *last != '\0'; last++)
        if (*last == '|')
            (void)fprintf(out, "---|");
    (void)fprintf(out, "\n");
}

static void print_counts(FILE *out, const uint32_t *count)
{
    for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++)
        (void)fprintf(out, " %u |", (unsigned)count[k]);
}

static void print_totals(FILE *out, const struct weir_board *board, uint32_t count)
{
    uint32_t sum[WEIR_BOARD_KINDS] = { 0 };
    print_head(out, "paper", "");
    for (uint32_t b = 0; b < count; b++) {
        (void)fprintf(out, "| %s |", board[b].exp.origin.id);
        print_counts(out, board[b].count);
        (void)fprintf(out, "\n");
        for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++)
            sum[k] += board[b].count[k];
    }
    (void)fprintf(out, "| all |");
    print_counts(out, sum);
    (void)fprintf(out, "\n");
}

enum { SEED_SHOWN = 20, COMMIT_SHOWN = 9 }; /* bytes */

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
        (void)fprintf(out, " %.3g |", made->scale_least);
    else
        (void)fprintf(out, " %.3g to %.3g |", made->scale_least, made->scale_most);
    print_first(out, " ", made->commit, COMMIT_SHOWN, made->commits);
    (void)fputc('\n', out);
}

static void print_outside(FILE *out, const struct weir_board *b, const struct weir_board_row *row)
{
    const struct weir_cells *cells = row->cells;
    const struct weir_table_spec *spec = cells->spec;
    for (uint32_t i = 0; i < cells->count; i++) {
        const struct weir_cell *cell = &cells->cell[i];
        char key[512], measured[WEIR_CELL_TEXT], published[WEIR_CELL_TEXT], deviation[WEIR_CELL_TEXT];
        if (cell->verdict != WEIR_CELL_OUTSIDE)
            continue;
        weir_cell_key(key, sizeof(key), &b->plan, cells, cell);
        weir_value_text(measured, &cell->measured, spec->reading[cell->reading].digits);
        weir_value_text(published, &cell->published, spec->reading[cell->reading].digits);
        weir_deviation_text(deviation, spec, cell);
        (void)fprintf(out, "| %s %s | %s | %s | %s | %s | %g %s | %s |\n", cells->figure->name, spec->name, key,
                      measured, published, deviation, (double)spec->band_ppm / 1e4, spec->reduction ? "points" : "%",
                      spec->missed != NULL ? spec->missed : "not explained");
    }
}

static void print_paper(FILE *out, const struct weir_board *b)
{
    (void)fprintf(out, "\n## %s\n\n%s\n\n", b->exp.origin.id, b->exp.title);
    print_head(out, "figure, table", " seeds | scale | commit |");
    for (uint32_t r = 0; r < b->row_count; r++) {
        const struct weir_board_row *row = &b->row[r];
        (void)fprintf(out, "| %s %s%s |", row->cells->figure->name, row->cells->spec->name,
                      row->cells->spec->fitted != NULL ? " (fitted)" : "");
        print_counts(out, row->count);
        print_made(out, &row->made);
    }
    for (uint32_t r = 0; r < b->row_count; r++)
        if (b->row[r].cells->spec->no_band != NULL)
            (void)fprintf(out, "%s* %s %s is not checked: %s.\n",
                          r == 0 || b->row[r - 1].cells->spec->no_band == NULL ? "\n" : "",
                          b->row[r].cells->figure->name, b->row[r].cells->spec->name, b->row[r].cells->spec->no_band);
    if (b->count[WEIR_BOARD_OUTSIDE] == 0)
        return;
    (void)fprintf(out, "\nOutside the band:\n\n| table | cell | measured | published | deviation | band | why |\n"
                       "|---|---|---|---|---|---|---|\n");
    for (uint32_t r = 0; r < b->row_count; r++)
        print_outside(out, b, &b->row[r]);
}

void weir_board_print(FILE *out, const struct weir_board *board, uint32_t count)
{
    (void)fprintf(
        out, "# Scoreboard\n\nWhat the papers printed, and what Weir measures. Made by `weir scoreboard` from result "
             "files; do not edit.\n\n"
             "* within: in the band of its table. weak: so would a run be in which nothing has an effect. outside: not "
             "in the band.\n"
             "* not checked: the table has no band, and says why, or a peak of a run that is shorter than the "
             "published one.\n"
             "* not tried: not all runs that the number needs are in the files.\n"
             "* scale: length of the runs, 1 as published. Figures that share runs may show a number twice.\n\n");
    print_totals(out, board, count);
    for (uint32_t b = 0; b < count; b++)
        print_paper(out, &board[b]);
}

/* --- JSON --- */

static void json_counts(struct weir_json *json, const uint32_t *count)
{
    for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++)
        weir_json_u64(json, keys[k], count[k]);
}

static void json_row(struct weir_json *json, const struct weir_board *b, const struct weir_board_row *row)
{
    const struct weir_cells *cells = row->cells;
    char name[2 * WEIR_LABEL_BYTES + 64], key[512];
    (void)snprintf(name, sizeof(name), "%s %s", cells->figure->name, cells->spec->name);
    weir_json_open(json, name);
    json_counts(json, row->count);
    weir_json_u64(json, "seeds", row->made.seeds);
    weir_json_real(json, "scale_least", row->made.scale_least);
    weir_json_real(json, "scale_most", row->made.scale_most);
    weir_json_u64(json, "commits", row->made.commits);
    weir_json_string(json, "commit", row->made.commits > 0 ? row->made.commit : NULL);
    weir_json_string(json, "fitted", cells->spec->fitted);
    weir_json_string(json, "no_band", cells->spec->no_band);
    weir_json_string(json, "missed", cells->spec->missed);
    weir_json_open_list(json, "outside_cells");
    for (uint32_t i = 0; i < cells->count; i++) {
        if (cells->cell[i].verdict != WEIR_CELL_OUTSIDE)
            continue;
        weir_cell_key(key, sizeof(key), &b->plan, cells, &cells->cell[i]);
        weir_json_string(json, NULL, key);
    }
    weir_json_close_list(json);
    weir_json_close(json);
}

void weir_board_json(FILE *out, const struct weir_board *board, uint32_t count)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    for (uint32_t b = 0; b < count; b++) {
        weir_json_open(&json, board[b].exp.origin.id);
        json_counts(&json, board[b].count);
        weir_json_open(&json, "tables");
        for (uint32_t r = 0; r < board[b].row_count; r++)
            json_row(&json, &board[b], &board[b].row[r]);
        weir_json_close(&json);
        weir_json_close(&json);
    }
    weir_json_close(&json);
}
