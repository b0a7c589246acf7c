/* src/reproduce/print_schema.c - JSON Schemas of what weir_reproduce_json() and weir_board_json() print. */
#include "reproduce/print.h"
#include "reproduce/scoreboard.h"
#include "term/schema.h"

#define NUMBER(name)                                                                                                   \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_NUMBER, .optional = true                                                    \
    }
#define NUMBER_OR_NULL(name)                                                                                           \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_NUMBER, .or_null = true                                                     \
    }
#define COUNT(name)                                                                                                    \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_INTEGER                                                                     \
    }
#define TEXT_OR_NULL(name)                                                                                             \
    {                                                                                                                  \
        .key = (name), .or_null = true                                                                                 \
    }
#define FLAG(name)                                                                                                     \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_BOOL                                                                        \
    }

/* --- tables of experiments --- */

static const struct weir_schema cell_fields[] = {
    { .key = "measured", .text = "a number, or unstable", .type = WEIR_SCHEMA_EITHER, .or_null = true },
    NUMBER("measured_unstable"),
    { .key = "published", .text = "a number, or unstable", .type = WEIR_SCHEMA_EITHER, .or_null = true },
    { .key = "published_max", .text = "of a range", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = "deviation_percent", .type = WEIR_SCHEMA_NUMBER, .or_null = true, .optional = true },
    { .key = "deviation_points",
      .text = "of a reduction",
      .type = WEIR_SCHEMA_NUMBER,
      .or_null = true,
      .optional = true },
    { .key = "averaged", .text = "runs of the mean", .type = WEIR_SCHEMA_INTEGER, .optional = true },
    NUMBER("least"),
    NUMBER("most"),
    NUMBER("half_width_95"),
    { .key = "cases", .type = WEIR_SCHEMA_INTEGER, .optional = true },
    { .key = "cases_of", .type = WEIR_SCHEMA_INTEGER, .optional = true },
    { .key = "verdict", .text = "within, weak or outside", .or_null = true },
    { .key = "at", .text = "the point whose number it is", .or_null = true },
    { .key = "not_built", .text = "a protocol that is not built", .or_null = true },
    COUNT("runs"),
    COUNT("runs_done"),
    { .key = NULL },
};
static const struct weir_schema cell = { .type = WEIR_SCHEMA_OBJECT, .fields = cell_fields };
static const struct weir_schema table_fields[] = {
    { .key = "title" },
    TEXT_OR_NULL("unit"),
    FLAG("comparable"),
    NUMBER_OR_NULL("band_percent"),
    TEXT_OR_NULL("no_band"),
    TEXT_OR_NULL("fitted"),
    { .key = "cells", .type = WEIR_SCHEMA_OBJECT, .each = &cell },
    { .key = NULL },
};
static const struct weir_schema table = { .type = WEIR_SCHEMA_OBJECT, .fields = table_fields };
static const struct weir_schema figure_fields[] = {
    { .key = "skipped", .text = "why it cannot be run", .or_null = true },
    TEXT_OR_NULL("not_built"),
    { .key = NULL },
};
static const struct weir_schema figure = {
    .type = WEIR_SCHEMA_OBJECT, .text = "and its tables by their names", .fields = figure_fields, .each = &table
};
static const struct weir_schema point_fields[] = {
    COUNT("number"),
    { .key = "name" },
    FLAG("done"),
    { .key = "run", .text = "in the result file", .type = WEIR_SCHEMA_INTEGER, .or_null = true },
    { .key = "doubt", .text = "why its numbers are not to be relied on", .or_null = true, .optional = true },
    { .key = NULL },
};
static const struct weir_schema point = { .type = WEIR_SCHEMA_OBJECT, .fields = point_fields };

#define COUNTS COUNT("within"), COUNT("weak"), COUNT("outside"), COUNT("not_checked")
#define OUTCOME                                                                                                        \
    { .key = "version", .text = "of Weir" }, { .key = "commit", .text = "of Weir" }, { .key = "experiment" },          \
        { .key = "scale", .text = "length of the runs, 1 as published", .type = WEIR_SCHEMA_NUMBER },                  \
        { .key = "figures", .type = WEIR_SCHEMA_OBJECT, .each = &figure }, COUNTS

static const struct weir_schema reproduce_fields[] = {
    OUTCOME,
    { .key = "points", .text = "of a sweep", .type = WEIR_SCHEMA_LIST, .optional = true, .each = &point },
    { .key = NULL },
};
static const struct weir_schema sweep_fields[] = {
    OUTCOME,
    { .key = "points", .text = "every run", .type = WEIR_SCHEMA_LIST, .each = &point },
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

static const struct weir_schema text = { .type = WEIR_SCHEMA_STRING };
#define BOARD COUNT("published"), COUNTS, COUNT("not_tried")

static const struct weir_schema row_fields[] = {
    BOARD,
    COUNT("seeds"),
    NUMBER_OR_NULL("scale_least"),
    NUMBER_OR_NULL("scale_most"),
    COUNT("commits"),
    TEXT_OR_NULL("commit"),
    TEXT_OR_NULL("fitted"),
    TEXT_OR_NULL("no_band"),
    TEXT_OR_NULL("missed"),
    { .key = "outside_cells", .type = WEIR_SCHEMA_LIST, .each = &text },
    { .key = NULL },
};
static const struct weir_schema row = { .type = WEIR_SCHEMA_OBJECT, .fields = row_fields };
static const struct weir_schema paper_fields[] = {
    BOARD,
    { .key = "tables", .type = WEIR_SCHEMA_OBJECT, .each = &row },
    { .key = NULL },
};

static const struct weir_schema paper = { .type = WEIR_SCHEMA_OBJECT, .fields = paper_fields };

void weir_board_schema(FILE *out)
{
    weir_schema_print(out, "scoreboard", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .each = &paper });
}
