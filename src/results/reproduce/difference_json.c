/* src/results/reproduce/difference_json.c - prints what differs between two result files as JSON, and its JSON Schema;
 * see difference_print.h. */
#include "output/metrics.h"
#include "reproduce/difference_print.h"
#include "text/json.h"
#include "text/schema.h"
#include <math.h>

static const char *const file_keys[] = { "before", "after" };

static void put_file(struct weir_json *json, const struct weir_difference *d, uint32_t s)
{
    weir_json_open(json, file_keys[s]);
    weir_json_string(json, "file", d->file[s].path);
    weir_json_string(json, "program", d->file[s].program);
    weir_json_u64(json, "older_runs", d->file[s].older);
    weir_json_u64(json, "doubtful_runs", d->file[s].doubtful);
    weir_json_string(json, "doubt", d->file[s].doubted != NULL ? d->file[s].doubt : NULL);
    weir_json_open_list(json, "alone");
    for (uint32_t i = 0; i < d->alone_count[s]; i++) {
        const struct weir_difference_run *run = d->alone[s][i];
        weir_json_open(json, NULL);
        weir_json_u64(json, "run", (uint64_t)run->id);
        weir_json_string(json, "label", run->label);
        weir_json_u64(json, "seed", run->seed);
        weir_json_string(json, "partner", run->partner);
        weir_json_close(json);
    }
    weir_json_close_list(json);
    weir_json_open_list(json, "numbers_alone");
    for (uint32_t m = 0; m < d->metric_count; m++)
        if (d->metric[m].has[s] && !d->metric[m].has[1 - s])
            weir_json_string(json, NULL, d->metric[m].name);
    weir_json_close_list(json);
    weir_json_close(json);
}

static void put_keys(struct weir_json *json, const struct weir_difference *d)
{
    weir_json_open(json, "differs");
    for (uint32_t i = 0; i < d->key_count; i++) {
        weir_json_open(json, d->key[i].path);
        weir_json_string(json, "before", d->key[i].before);
        weir_json_string(json, "after", d->key[i].after);
        weir_json_u64(json, "points", d->key[i].groups);
        weir_json_close(json);
    }
    weir_json_close(json);
}

static void put_number(struct weir_json *json, const struct weir_difference_metric *metric,
                       const struct weir_difference_number *n)
{
    bool any = n->change.count > 0;
    weir_json_open(json, metric->name);
    weir_json_string(json, "unit", weir_metric_unit_names[metric->row.unit]);
    weir_json_string(json, "better",
                     metric->row.better == WEIR_METRIC_NEITHER    ? NULL
                     : metric->row.better == WEIR_METRIC_GREATEST ? "greatest"
                                                                  : "least");
    weir_json_exact(json, "before", any ? n->before : (double)NAN);
    weir_json_exact(json, "after", any ? n->after : (double)NAN);
    weir_json_exact(json, "change", any ? n->change.mean : (double)NAN);
    weir_json_exact(json, "half_width", n->change.count >= 3 ? n->change.half_width : (double)NAN);
    weir_json_u64(json, "pairs", n->change.count);
    weir_json_u64(json, "one_sided", n->one_sided);
    weir_json_bool(json, "moved", n->moved);
    weir_json_close(json);
}

static void put_group(struct weir_json *json, const struct weir_difference *d,
                      const struct weir_difference_group *group)
{
    weir_json_open(json, NULL);
    weir_json_string(json, "label", group->label);
    weir_json_open_list(json, "seeds");
    for (uint32_t i = 0; i < group->count; i++)
        weir_json_u64(json, NULL, d->pair[group->first + i].before->seed);
    weir_json_close_list(json);
    weir_json_u64(json, "digests_differ", group->digests);
    weir_json_u64(json, "compared", group->compared);
    weir_json_u64(json, "moved", group->moved);
    weir_json_open(json, "numbers");
    for (uint32_t m = 0; m < d->metric_count; m++)
        if (group->number[m].change.count > 0 || group->number[m].one_sided > 0)
            put_number(json, &d->metric[m], &group->number[m]);
    weir_json_close(json);
    weir_json_close(json);
}

void weir_difference_json(FILE *out, const struct weir_difference *d)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    put_file(&json, d, 0);
    put_file(&json, d, 1);
    put_keys(&json, d);
    weir_json_real(&json, "tolerance", (double)d->tolerance_ppm / 1e6);
    weir_json_u64(&json, "pairs", d->pair_count);
    weir_json_u64(&json, "digests_differ", d->digests);
    weir_json_u64(&json, "compared", d->compared);
    weir_json_u64(&json, "moved", d->moved);
    weir_json_open_list(&json, "points");
    for (uint32_t g = 0; g < d->group_count; g++)
        put_group(&json, d, &d->group[g]);
    weir_json_close_list(&json);
    weir_json_close(&json);
}

/* --- schema --- */

static const struct weir_schema text = { .type = WEIR_SCHEMA_STRING };
static const struct weir_schema whole = { .type = WEIR_SCHEMA_INTEGER };
static const struct weir_schema alone_fields[] = {
    WEIR_FIELD("run", INTEGER),
    WEIR_FIELD("label", STRING),
    WEIR_FIELD("seed", INTEGER),
    { .key = "partner",
      .text = "status of the run of this label and seed in the other file; null: there is none",
      .or_null = true },
    { .key = NULL },
};
static const struct weir_schema alone = { .type = WEIR_SCHEMA_OBJECT, .fields = alone_fields };
static const struct weir_schema file_fields[] = {
    WEIR_FIELD("file", STRING),
    { .key = "program", .text = "version and commit; null: of several", .or_null = true },
    { .key = "older_runs", .text = "left out: a newer one has the same label and seed", .type = WEIR_SCHEMA_INTEGER },
    { .key = "doubtful_runs", .text = "of those with a partner", .type = WEIR_SCHEMA_INTEGER },
    { .key = "doubt", .text = "why the numbers of the first of them are not to be relied on", .or_null = true },
    { .key = "alone", .text = "runs that only this file has", .type = WEIR_SCHEMA_LIST, .each = &alone },
    { .key = "numbers_alone",
      .text = "numbers that only this file has: not compared",
      .type = WEIR_SCHEMA_LIST,
      .each = &text },
    { .key = NULL },
};
static const struct weir_schema key_fields[] = {
    { .key = "before", .text = "- = no such key" },
    { .key = "after", .text = "- = no such key" },
    { .key = "points", .text = "that differ in it; values are of the first", .type = WEIR_SCHEMA_INTEGER },
    { .key = NULL },
};
static const struct weir_schema key = { .type = WEIR_SCHEMA_OBJECT, .fields = key_fields };
static const struct weir_schema number_fields[] = {
    WEIR_FIELD("unit", STRING),
    { .key = "better", .text = "least or greatest; null: neither", .or_null = true },
    WEIR_FIELD_OR_NULL("before", NUMBER),
    WEIR_FIELD_OR_NULL("after", NUMBER),
    { .key = "change", .text = "mean of the paired differences", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = "half_width",
      .text = "of its 95 % interval, Student's t; null: fewer than three pairs",
      .type = WEIR_SCHEMA_NUMBER,
      .or_null = true },
    { .key = "pairs", .text = "of which both runs have the number", .type = WEIR_SCHEMA_INTEGER },
    { .key = "one_sided", .text = "pairs of which one run alone has it", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("moved", BOOL),
    { .key = NULL },
};
static const struct weir_schema number = { .type = WEIR_SCHEMA_OBJECT, .fields = number_fields };
static const struct weir_schema group_fields[] = {
    { .key = "label", .text = "without the seed" },
    { .key = "seeds", .type = WEIR_SCHEMA_LIST, .each = &whole },
    { .key = "digests_differ", .text = "pairs", .type = WEIR_SCHEMA_INTEGER },
    { .key = "compared", .text = "numbers", .type = WEIR_SCHEMA_INTEGER },
    { .key = "moved", .text = "numbers", .type = WEIR_SCHEMA_INTEGER },
    { .key = "numbers", .text = "by the names of weir list metrics", .type = WEIR_SCHEMA_OBJECT, .each = &number },
    { .key = NULL },
};
static const struct weir_schema group = { .type = WEIR_SCHEMA_OBJECT, .fields = group_fields };
static const struct weir_schema fields[] = {
    { .key = "before", .type = WEIR_SCHEMA_OBJECT, .fields = file_fields },
    { .key = "after", .type = WEIR_SCHEMA_OBJECT, .fields = file_fields },
    { .key = "differs", .text = "keys of scenarios that differ", .type = WEIR_SCHEMA_OBJECT, .each = &key },
    { .key = "tolerance", .text = "share of the number before", .type = WEIR_SCHEMA_NUMBER },
    WEIR_FIELD("pairs", INTEGER),
    { .key = "digests_differ", .text = "pairs", .type = WEIR_SCHEMA_INTEGER },
    { .key = "compared", .text = "numbers of all points", .type = WEIR_SCHEMA_INTEGER },
    { .key = "moved", .text = "numbers of all points", .type = WEIR_SCHEMA_INTEGER },
    { .key = "points", .type = WEIR_SCHEMA_LIST, .each = &group },
    { .key = NULL },
};

void weir_difference_schema(FILE *out)
{
    weir_schema_print(out, "diff", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = fields });
}
