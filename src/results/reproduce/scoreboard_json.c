/* src/results/reproduce/scoreboard_json.c - prints the scoreboard as JSON: every cell with a published number, and
 * every run that was read, with its digest. */
#include "reproduce/cell_text.h"
#include "reproduce/scoreboard.h"
#include "text/json.h"
#include <string.h>

static const char *const kinds[] = { "published", "within", "weak", "outside", "not_checked", "not_tried" };
static const char *const classes[] = { "printed", "orders", "model_checks", "other_readings" };
static const char *const class_of[] = { "printed", "order", "model check", "other reading" };
_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == WEIR_BOARD_KINDS, "a word for each");
_Static_assert(sizeof(classes) / sizeof(classes[0]) == WEIR_CLASSES, "a word for each");

enum { KEY = 512, NAME = 2 * WEIR_LABEL_BYTES + 64, LINES = 3 };

static void json_counts(struct weir_json *json, uint32_t count[WEIR_CLASSES][WEIR_BOARD_KINDS])
{
    for (uint32_t c = 0; c < WEIR_CLASSES; c++) {
        weir_json_open(json, classes[c]);
        for (uint32_t k = 0; k < WEIR_BOARD_KINDS; k++)
            weir_json_u64(json, kinds[k], count[c][k]);
        weir_json_close(json);
    }
}

static void json_value(struct weir_json *json, const char *key, const struct weir_value *v)
{
    if (v->state == WEIR_VALUE_NUMBER)
        weir_json_real(json, key, v->lo);
    else
        weir_json_string(json, key, v->state == WEIR_VALUE_UNSTABLE ? "unstable" : NULL);
}

static void json_cell(struct weir_json *json, const struct weir_board *b, const struct weir_board_row *row,
                      const struct weir_cell *cell)
{
    const struct weir_table_spec *spec = row->cells->spec;
    char name[NAME], key[KEY];
    (void)snprintf(name, sizeof(name), "%s %s", row->cells->figure->name, spec->name);
    weir_cell_key(key, sizeof(key), &b->plan, row->cells, cell);
    weir_json_open(json, NULL);
    weir_json_string(json, "id", cell->printed != NULL ? cell->printed->id : NULL);
    weir_json_string(json, "class", class_of[cell->class]);
    weir_json_string(json, "table", name);
    weir_json_string(json, "cell", key);
    json_value(json, "measured", &cell->measured);
    json_value(json, "published", &cell->published);
    if (cell->published.state == WEIR_VALUE_NUMBER && cell->published.hi > cell->published.lo)
        weir_json_real(json, "published_max", cell->published.hi);
    if (cell->has_deviation)
        weir_json_real(json, spec->reduction ? "deviation_points" : "deviation_percent", cell->deviation_percent);
    weir_json_string(json, "verdict", kinds[weir_board_kind_of(cell)]);
    weir_json_close(json);
}

static void json_table(struct weir_json *json, struct weir_board_row *row)
{
    const struct weir_table_spec *spec = row->cells->spec;
    char name[NAME];
    (void)snprintf(name, sizeof(name), "%s %s", row->cells->figure->name, spec->name);
    weir_json_open(json, name);
    json_counts(json, row->count);
    weir_json_u64(json, "seeds", row->made.seeds);
    weir_json_real(json, "scale_least", row->made.scale_least);
    weir_json_real(json, "scale_most", row->made.scale_most);
    weir_json_real(json, "measure_scale_least", row->made.measure_scale_least);
    weir_json_u64(json, "commits", row->made.commits);
    weir_json_string(json, "commit", row->made.commits > 0 ? row->made.commit : NULL);
    if (spec->band_ppm > 0)
        weir_json_real(json, spec->reduction ? "band_points" : "band_percent", (double)spec->band_ppm / 1e4);
    weir_json_string(json, "main_reason", spec->main_reason);
    weir_json_string(json, "fitted", spec->fitted);
    weir_json_string(json, "no_band", spec->no_band);
    weir_json_string(json, "missed", spec->missed);
    weir_json_close(json);
}

static void json_paper(struct weir_json *json, const struct weir_board *b)
{
    weir_json_open(json, "counts");
    json_counts(json, (uint32_t(*)[WEIR_BOARD_KINDS])b->count);
    weir_json_close(json);
    weir_json_open(json, "tables");
    for (uint32_t r = 0; r < b->row_count; r++)
        json_table(json, &b->row[r]);
    weir_json_close(json);
    weir_json_open_list(json, "numbers");
    for (uint32_t r = 0; r < b->row_count; r++)
        for (uint32_t i = 0; i < b->row[r].cells->count; i++)
            if (b->row[r].cells->cell[i].published.state != WEIR_VALUE_NONE)
                json_cell(json, b, &b->row[r], &b->row[r].cells->cell[i]);
    weir_json_close_list(json);
    weir_json_open_list(json, "runs");
    for (const struct weir_board_run *run = b->run; run < b->run + b->run_count; run++) {
        weir_json_open(json, NULL);
        weir_json_string(json, "figure", run->point->figure->name);
        weir_json_string(json, "point", run->point->name);
        weir_json_string(json, "seed", run->seed);
        weir_json_real(json, "scale", run->scale);
        weir_json_real(json, "measure_scale", run->measure_scale);
        weir_json_string(json, "commit", run->commit);
        weir_json_string(json, "digest", run->digest);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

void weir_board_json(FILE *out, const struct weir_board *board, uint32_t count)
{
    struct weir_json json = { .out = out, .levels = LINES };
    weir_json_open(&json, NULL);
    for (uint32_t b = 0; b < count; b++) {
        weir_json_open(&json, board[b].exp.origin.id);
        json_paper(&json, &board[b]);
        weir_json_close(&json);
    }
    weir_json_close(&json);
}
