/* src/results/reproduce/print_schema.c - prints the JSON Schemas of the output of weir_reproduce_json() and
 * weir_board_json(). */
#include "reproduce/print.h"
#include "reproduce/scoreboard.h"
#include "text/schema.h"

#define OPTIONAL_NUMBER(name)                                                                                          \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_NUMBER, .optional = true                                                    \
    }

/* --- tables of experiments --- */

static const struct weir_schema number_of_run = { .type = WEIR_SCHEMA_NUMBER, .or_null = true };
static const struct weir_schema cell_fields[] = {
    { .key = "measured", .text = "a number, or unstable", .type = WEIR_SCHEMA_EITHER, .or_null = true },
    OPTIONAL_NUMBER("measured_unstable"),
    { .key = "published", .text = "a number, or unstable", .type = WEIR_SCHEMA_EITHER, .or_null = true },
    { .key = "published_max", .text = "of a range", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = "class",
      .text = "printed or order: the main reading of it; model_check or other_reading; null: nothing was published",
      .or_null = true },
    { .key = "digits", .text = "decimals that are shown", .type = WEIR_SCHEMA_INTEGER },
    { .key = "deviation_percent", .type = WEIR_SCHEMA_NUMBER, .or_null = true, .optional = true },
    { .key = "deviation_points",
      .text = "of a reduction",
      .type = WEIR_SCHEMA_NUMBER,
      .or_null = true,
      .optional = true },
    { .key = "numbers",
      .text = "of the runs of the mean, in the order of the axis; null: of one that is not done or has none",
      .type = WEIR_SCHEMA_LIST,
      .optional = true,
      .each = &number_of_run },
    { .key = "averaged", .text = "runs of the mean", .type = WEIR_SCHEMA_INTEGER, .optional = true },
    OPTIONAL_NUMBER("least"),
    OPTIONAL_NUMBER("most"),
    { .key = "half_width_95",
      .text = "null: of runs in doubt",
      .type = WEIR_SCHEMA_NUMBER,
      .or_null = true,
      .optional = true },
    { .key = "cases",
      .text = "with a number, of which it is the mean, the median or the largest",
      .type = WEIR_SCHEMA_INTEGER,
      .optional = true },
    { .key = "cases_of", .text = "all cases", .type = WEIR_SCHEMA_INTEGER, .optional = true },
    { .key = "verdict", .text = "within, weak or outside", .or_null = true },
    { .key = "at", .text = "the point whose number it is", .or_null = true },
    { .key = "not_built", .text = "a protocol that is not built", .or_null = true },
    WEIR_FIELD("runs", INTEGER),
    WEIR_FIELD("runs_done", INTEGER),
    { .key = NULL },
};
static const struct weir_schema cell = { .type = WEIR_SCHEMA_OBJECT, .fields = cell_fields };
static const struct weir_schema table_fields[] = {
    WEIR_FIELD("title", STRING),
    WEIR_FIELD_OR_NULL("unit", STRING),
    WEIR_FIELD("comparable", BOOL),
    WEIR_FIELD_OR_NULL("band_percent", NUMBER),
    WEIR_FIELD_OR_NULL("no_band", STRING),
    WEIR_FIELD_OR_NULL("fitted", STRING),
    { .key = "main_reason", .text = "why these cells are the main reading", .or_null = true },
    { .key = "missed", .text = "why cells are outside", .or_null = true },
    { .key = "cells", .type = WEIR_SCHEMA_OBJECT, .each = &cell },
    { .key = NULL },
};
static const struct weir_schema table = { .type = WEIR_SCHEMA_OBJECT, .fields = table_fields };
static const struct weir_schema figure_fields[] = {
    WEIR_FIELD_OR_NULL("title", STRING),
    { .key = "skipped", .text = "why it cannot be run", .or_null = true },
    WEIR_FIELD_OR_NULL("not_built", STRING),
    { .key = NULL },
};
static const struct weir_schema figure = {
    .type = WEIR_SCHEMA_OBJECT, .text = "and its tables by their names", .fields = figure_fields, .each = &table
};
static const struct weir_schema job_fields[] = {
    WEIR_FIELD("name", STRING),
    { .key = "completion_us", .text = "null: it had not ended", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = "algbw_gbytes_s", .text = "of a collective operation", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = "busbw_gbytes_s", .text = "likewise", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = NULL },
};
static const struct weir_schema job = { .type = WEIR_SCHEMA_OBJECT, .fields = job_fields };
static const struct weir_schema point_fields[] = {
    WEIR_FIELD("number", INTEGER),
    WEIR_FIELD("name", STRING),
    WEIR_FIELD("done", BOOL),
    { .key = "run", .text = "in the result file", .type = WEIR_SCHEMA_INTEGER, .or_null = true },
    { .key = "doubt", .text = "why its numbers are not to be relied on", .or_null = true, .optional = true },
    { .key = "jobs",
      .text = "jobs, graphs, and steps of collective operations by each group",
      .type = WEIR_SCHEMA_LIST,
      .optional = true,
      .each = &job },
    { .key = "jobs_left_out", .text = "further ones", .type = WEIR_SCHEMA_INTEGER, .optional = true },
    { .key = NULL },
};
static const struct weir_schema point = { .type = WEIR_SCHEMA_OBJECT, .fields = point_fields };

#define COUNTS                                                                                                         \
    WEIR_FIELD("within", INTEGER), WEIR_FIELD("weak", INTEGER), WEIR_FIELD("outside", INTEGER),                        \
        WEIR_FIELD("not_checked", INTEGER)
#define OUTCOME                                                                                                        \
    { .key = "version", .text = "of Weir" }, { .key = "commit", .text = "of Weir" }, WEIR_FIELD("experiment", STRING), \
        WEIR_FIELD_OR_NULL("title", STRING),                                                                           \
        { .key = "scale", .text = "length of warm-ups, 1 as published", .type = WEIR_SCHEMA_NUMBER },                  \
        { .key = "measure_scale", .text = "of measured parts, 1 as published", .type = WEIR_SCHEMA_NUMBER },           \
        { .key = "figures", .type = WEIR_SCHEMA_OBJECT, .each = &figure }, COUNTS

static const struct weir_schema reproduce_fields[] = {
    OUTCOME,
    { .key = "points", .text = "of a sweep", .type = WEIR_SCHEMA_LIST, .optional = true, .each = &point },
    { .key = NULL },
};
static const struct weir_schema sweep_fields[] = {
    OUTCOME,
    { .key = "points", .text = "every run", .type = WEIR_SCHEMA_LIST, .each = &point },
    WEIR_ADVICE_SCHEMA,
    { .key = NULL },
};

void weir_reproduce_schema(FILE *out)
{
    weir_schema_print(out, "reproduce",
                      &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = reproduce_fields });
}

void weir_sweep_schema(FILE *out)
{
    weir_schema_print(out, "sweep", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = sweep_fields });
}

/* --- the scoreboard --- */

#define PARTS WEIR_FIELD("published", INTEGER), COUNTS, WEIR_FIELD("not_tried", INTEGER)

static const struct weir_schema counts_fields[] = { PARTS, { .key = NULL } };
#define CLASS(name, hint)                                                                                              \
    {                                                                                                                  \
        .key = (name), .text = (hint), .type = WEIR_SCHEMA_OBJECT, .fields = counts_fields                             \
    }
#define CLASSES                                                                                                        \
    CLASS("printed", "main readings of printed numbers"), CLASS("orders", "main readings of printed orders"),          \
        CLASS("model_checks", "numbers that we derived"), CLASS("other_readings", "shown, not counted")

static const struct weir_schema class_fields[] = { CLASSES, { .key = NULL } };
static const struct weir_schema board_table_fields[] = {
    CLASSES,
    WEIR_FIELD("seeds", INTEGER),
    WEIR_FIELD_OR_NULL("scale_least", NUMBER),
    WEIR_FIELD_OR_NULL("scale_most", NUMBER),
    WEIR_FIELD_OR_NULL("measure_scale_least", NUMBER),
    WEIR_FIELD("commits", INTEGER),
    WEIR_FIELD_OR_NULL("commit", STRING),
    OPTIONAL_NUMBER("band_percent"),
    OPTIONAL_NUMBER("band_points"),
    { .key = "main_reason", .text = "why a reading is the main one", .or_null = true },
    WEIR_FIELD_OR_NULL("fitted", STRING),
    WEIR_FIELD_OR_NULL("no_band", STRING),
    WEIR_FIELD_OR_NULL("missed", STRING),
    { .key = NULL },
};
static const struct weir_schema board_table = { .type = WEIR_SCHEMA_OBJECT, .fields = board_table_fields };
static const struct weir_schema number_fields[] = {
    { .key = "id", .text = "of the printed number", .or_null = true },
    { .key = "class", .text = "printed, order, model check or other reading" },
    WEIR_FIELD("table", STRING),
    WEIR_FIELD("cell", STRING),
    { .key = "measured", .text = "a number, or unstable", .type = WEIR_SCHEMA_EITHER, .or_null = true },
    { .key = "published", .text = "a number, or unstable", .type = WEIR_SCHEMA_EITHER, .or_null = true },
    { .key = "published_max",
      .text = "of a range; null = no upper end",
      .type = WEIR_SCHEMA_NUMBER,
      .or_null = true,
      .optional = true },
    OPTIONAL_NUMBER("deviation_percent"),
    OPTIONAL_NUMBER("deviation_points"),
    { .key = "verdict", .text = "within, weak, outside, not_checked or not_tried" },
    { .key = NULL },
};
static const struct weir_schema number = { .type = WEIR_SCHEMA_OBJECT, .fields = number_fields };
static const struct weir_schema run_fields[] = {
    WEIR_FIELD("figure", STRING),
    WEIR_FIELD("point", STRING),
    WEIR_FIELD("seed", STRING),
    { .key = "scale", .text = "length of the run, 1 as published", .type = WEIR_SCHEMA_NUMBER },
    { .key = "measure_scale", .text = "of its measured part, 1 as published", .type = WEIR_SCHEMA_NUMBER },
    { .key = "commit", .text = "of the program" },
    WEIR_FIELD("digest", STRING),
    { .key = NULL },
};
static const struct weir_schema run = { .type = WEIR_SCHEMA_OBJECT, .fields = run_fields };
static const struct weir_schema paper_fields[] = {
    { .key = "counts", .type = WEIR_SCHEMA_OBJECT, .fields = class_fields },
    { .key = "tables", .type = WEIR_SCHEMA_OBJECT, .each = &board_table },
    { .key = "numbers", .text = "every cell with a published number", .type = WEIR_SCHEMA_LIST, .each = &number },
    { .key = "runs", .text = "every run that was read", .type = WEIR_SCHEMA_LIST, .each = &run },
    { .key = NULL },
};

static const struct weir_schema paper = { .type = WEIR_SCHEMA_OBJECT, .fields = paper_fields };

void weir_board_schema(FILE *out)
{
    weir_schema_print(out, "scoreboard", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .each = &paper });
}
