/* src/results/reproduce/comparison_json.c - prints a comparison of laws as JSON, and its JSON Schema; see
 * comparison_print.h. */
#include "output/metrics.h"
#include "reproduce/comparison_jobs.h"
#include "reproduce/comparison_print.h"
#include "reproduce/deployment.h"
#include "text/json.h"
#include "text/schema.h"
#include <math.h>

void weir_comparison_put_estimate(struct weir_json *json, const struct weir_estimate *e)
{
    weir_json_real(json, "mean", e->count > 0 ? e->mean : (double)NAN);
    weir_json_real(json, "half_width", weir_estimate_has_interval(e) ? e->half_width : (double)NAN);
    weir_json_u64(json, "seeds", e->count);
}

static void put_metric(struct weir_json *json, const struct weir_comparison *c, uint32_t metric)
{
    const struct weir_comparison_metric *row = &c->metric[metric];
    uint32_t base = weir_comparison_base(c, metric);
    weir_json_open(json, row->name);
    weir_json_string(json, "title", row->row.title);
    weir_json_string(json, "unit", weir_metric_unit_names[row->row.unit]);
    weir_json_string(json, "better",
                     !row->judged                              ? NULL
                     : row->row.better == WEIR_METRIC_GREATEST ? "greatest"
                                                               : "least");
    if (row->judged) {
        uint32_t best = c->best[metric];
        weir_json_string(json, "best", best != WEIR_COMPARISON_NONE ? c->law[best].name : NULL);
        weir_json_bool(json, "best_is_doubtful", best != WEIR_COMPARISON_NONE && !weir_comparison_is_sound(c, best));
        weir_json_string(json, "base", base != WEIR_COMPARISON_NONE ? c->law[base].name : NULL);
    }
    weir_json_open(json, "laws");
    for (uint32_t l = 0; l < c->law_count; l++) {
        weir_json_open(json, c->law[l].name);
        weir_comparison_put_estimate(json, &c->law[l].metric[metric]);
        if (row->judged && base != WEIR_COMPARISON_NONE && l != base) {
            weir_json_open(json, "difference");
            weir_comparison_put_estimate(json, &c->law[l].difference[metric]);
            weir_json_bool(json, "exceeds_interval", c->law[l].is_beyond[metric]);
            weir_json_close(json);
        }
        weir_json_close(json);
    }
    weir_json_close(json);
    weir_json_close(json);
}

static void put_law(struct weir_json *json, const struct weir_comparison_page *page, uint32_t law)
{
    const struct weir_comparison_law *l = &page->comparison->law[law];
    weir_json_open(json, l->name);
    weir_json_string(json, "protocol", page->protocol[law]);
    weir_json_string(json, "preset", page->preset[law]);
    weir_json_bool(json, "doubtful", !weir_comparison_is_sound(page->comparison, law));
    weir_json_open_list(json, "runs");
    for (uint32_t s = 0; s < page->comparison->seed_count; s++) {
        weir_json_open(json, NULL);
        weir_json_u64(json, "seed", page->first_seed + s);
        weir_json_bool(json, "done", l->run[s].is_done);
        weir_json_string(json, "doubt", l->run[s].doubt[0] != '\0' ? l->run[s].doubt : NULL);
        for (int k = 0; k < WEIR_FULLEST_KINDS; k++)
            weir_json_string(json, weir_fullest_keys[k], l->run[s].fullest[k][0] != '\0' ? l->run[s].fullest[k] : NULL);
        for (uint32_t m = 0; m < page->comparison->metric_count; m++)
            weir_json_real(json, page->comparison->metric[m].name,
                           l->run[s].is_done ? l->run[s].value[m] : (double)NAN);
        weir_json_close(json);
    }
    weir_json_close_list(json);
    weir_json_close(json);
}

static void put_keys(struct weir_json *json, const struct weir_comparison_page *page)
{
    weir_json_open(json, "differs");
    for (uint32_t k = 0; k < page->keys->count; k++) {
        const struct weir_comparison_key *key = &page->keys->key[k];
        weir_json_open(json, key->path);
        weir_json_string(json, "file", key->value[0]);
        for (uint32_t l = 0; l < page->comparison->law_count; l++)
            weir_json_string(json, page->comparison->law[l].name, key->value[l + 1]);
        weir_json_close(json);
    }
    weir_json_close(json);
}

static void put_given(struct weir_json *json, const struct weir_comparison_page *page)
{
    weir_json_open_list(json, "set");
    for (uint32_t i = 0; i < page->given_count; i++) {
        uint32_t law = page->given[i].law;
        weir_json_open(json, NULL);
        weir_json_string(json, "law", law != WEIR_COMPARISON_NONE ? page->comparison->law[law].name : NULL);
        weir_json_string(json, "key", page->given[i].text);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

void weir_comparison_json(FILE *out, const struct weir_comparison_page *page)
{
    static const char *const edge[] = { "group_a_bytes", "group_b_bytes", "group_c_bytes" };
    const struct weir_comparison *c = page->comparison;
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", page->version);
    weir_json_string(&json, "commit", page->commit);
    weir_json_string(&json, "scenario", page->scenario);
    weir_json_string(&json, "results", page->out);
    weir_json_bool(&json, "same_fabric", page->same_fabric);
    weir_json_string(&json, "deployed", page->deployment != NULL ? page->deployment->deployed : NULL);
    weir_json_string(&json, "background", page->deployment != NULL ? page->deployment->background : NULL);
    weir_json_string(&json, "share_by", page->deployment != NULL ? page->deployment->by : NULL);
    weir_json_u64(&json, "first_seed", page->first_seed);
    weir_json_u64(&json, "seeds", c->seed_count);
    weir_json_string(&json, "baseline", c->baseline != WEIR_COMPARISON_NONE ? c->law[c->baseline].name : NULL);
    for (uint32_t i = 0; i < 3; i++)
        weir_json_u64(&json, edge[i], page->group_bytes[i]);
    put_keys(&json, page);
    put_given(&json, page);
    weir_json_open(&json, "metrics");
    for (uint32_t m = 0; m < c->metric_count; m++)
        put_metric(&json, c, m);
    weir_json_close(&json);
    weir_comparison_jobs_json(&json, c, page->jobs != NULL ? page->jobs : &(struct weir_comparison_jobs){ 0 });
    weir_advice_json(&json, page->advice);
    weir_json_open(&json, "laws");
    for (uint32_t l = 0; l < c->law_count; l++)
        put_law(&json, page, l);
    weir_json_close(&json);
    weir_json_close(&json);
}

/* --- schema --- */

#define ESTIMATE                                                                                                       \
    WEIR_FIELD_OR_NULL("mean", NUMBER),                                                                                \
        { .key = "half_width",                                                                                         \
          .text = "of the 95 % interval, Student's t; null: fewer than three seeds, or runs in doubt",                 \
          .type = WEIR_SCHEMA_NUMBER,                                                                                  \
          .or_null = true },                                                                                           \
        WEIR_FIELD("seeds", INTEGER)

static const struct weir_schema text = { .type = WEIR_SCHEMA_STRING };
static const struct weir_schema difference_fields[] = {
    ESTIMATE,
    WEIR_FIELD("exceeds_interval", BOOL),
    { .key = NULL },
};
static const struct weir_schema estimate_fields[] = {
    ESTIMATE,
    { .key = "difference",
      .text = "from `base`, paired by seed",
      .type = WEIR_SCHEMA_OBJECT,
      .optional = true,
      .fields = difference_fields },
    { .key = NULL },
};
static const struct weir_schema estimate = { .type = WEIR_SCHEMA_OBJECT, .fields = estimate_fields };
static const struct weir_schema metric_fields[] = {
    WEIR_FIELD("title", STRING),
    WEIR_FIELD("unit", STRING),
    { .key = "better", .text = "least or greatest; null: it is shown, and not judged", .or_null = true },
    { .key = "best", .or_null = true, .optional = true },
    { .key = "best_is_doubtful", .type = WEIR_SCHEMA_BOOL, .optional = true },
    { .key = "base", .text = "the law that differences are from", .or_null = true, .optional = true },
    { .key = "laws", .type = WEIR_SCHEMA_OBJECT, .each = &estimate },
    { .key = NULL },
};
static const struct weir_schema metric = { .type = WEIR_SCHEMA_OBJECT, .fields = metric_fields };
static const struct weir_schema value = { .type = WEIR_SCHEMA_NUMBER, .or_null = true };
static const struct weir_schema run_fields[] = {
    WEIR_FIELD("seed", INTEGER),
    WEIR_FIELD("done", BOOL),
    { .key = "doubt", .text = "why its numbers are not to be relied on", .or_null = true },
    { .key = "fullest_port", .text = "as in weir run --json; null: the run names none", .or_null = true },
    { .key = "fullest_link", .text = "likewise", .or_null = true },
    { .key = NULL },
};
static const struct weir_schema run = {
    .type = WEIR_SCHEMA_OBJECT, .text = "and each metric by its name", .fields = run_fields, .each = &value
};
static const struct weir_schema law_fields[] = {
    { .key = "protocol", .text = "the law's name, unless it is a variant; null: it is a share", .or_null = true },
    WEIR_FIELD_OR_NULL("preset", STRING),
    WEIR_FIELD("doubtful", BOOL),
    { .key = "runs", .type = WEIR_SCHEMA_LIST, .each = &run },
    { .key = NULL },
};
static const struct weir_schema law = { .type = WEIR_SCHEMA_OBJECT, .fields = law_fields };
static const struct weir_schema key = { .type = WEIR_SCHEMA_OBJECT, .each = &text };
static const struct weir_schema given_fields[] = {
    { .key = "law", .text = "null: of all", .or_null = true },
    WEIR_FIELD("key", STRING),
    { .key = NULL },
};
static const struct weir_schema given = { .type = WEIR_SCHEMA_OBJECT, .fields = given_fields };
static const struct weir_schema mean_fields[] = { ESTIMATE, { .key = NULL } };
static const struct weir_schema job_law_fields[] = {
    { .key = "completion_us", .type = WEIR_SCHEMA_OBJECT, .fields = mean_fields },
    { .key = "algbw_gbytes_s",
      .text = "of a collective operation; the mean of others is null",
      .type = WEIR_SCHEMA_OBJECT,
      .fields = mean_fields },
    { .key = "busbw_gbytes_s", .text = "likewise", .type = WEIR_SCHEMA_OBJECT, .fields = mean_fields },
    { .key = NULL },
};
static const struct weir_schema job_law = { .type = WEIR_SCHEMA_OBJECT, .fields = job_law_fields };
static const struct weir_schema job_fields[] = {
    WEIR_FIELD("name", STRING),
    { .key = "laws", .type = WEIR_SCHEMA_OBJECT, .each = &job_law },
    { .key = NULL },
};
static const struct weir_schema job = { .type = WEIR_SCHEMA_OBJECT, .fields = job_fields };
static const struct weir_schema fields[] = {
    { .key = "version", .text = "of Weir" },
    { .key = "commit", .text = "of Weir" },
    { .key = "scenario", .text = "its name" },
    { .key = "results", .text = "the result file" },
    WEIR_FIELD("same_fabric", BOOL),
    { .key = "deployed",
      .text = "protocol of a share of the traffic; then `laws` are shares; null: they are protocols",
      .or_null = true },
    { .key = "background", .text = "protocol of the rest", .or_null = true },
    { .key = "share_by", .text = "messages or hosts", .or_null = true },
    WEIR_FIELD("first_seed", INTEGER),
    WEIR_FIELD("seeds", INTEGER),
    WEIR_FIELD_OR_NULL("baseline", STRING),
    WEIR_FIELD("group_a_bytes", INTEGER),
    WEIR_FIELD("group_b_bytes", INTEGER),
    WEIR_FIELD("group_c_bytes", INTEGER),
    { .key = "differs",
      .text = "keys that differ: of the file, and of each law",
      .type = WEIR_SCHEMA_OBJECT,
      .each = &key },
    { .key = "set", .text = "keys of protocols that were given", .type = WEIR_SCHEMA_LIST, .each = &given },
    { .key = "metrics", .text = "by the names of weir list metrics", .type = WEIR_SCHEMA_OBJECT, .each = &metric },
    { .key = "jobs",
      .text = "jobs, graphs, and steps of collective operations by each group; none: the traffic has none",
      .type = WEIR_SCHEMA_LIST,
      .each = &job },
    { .key = "jobs_left_out", .text = "further ones", .type = WEIR_SCHEMA_INTEGER },
    WEIR_ADVICE_SCHEMA,
    { .key = "laws", .type = WEIR_SCHEMA_OBJECT, .each = &law },
    { .key = NULL },
};

void weir_comparison_schema(FILE *out)
{
    weir_schema_print(out, "compare", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = fields });
}
