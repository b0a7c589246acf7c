/* src/results/reproduce/tuning_json.c - prints a tuning as JSON, and its JSON Schema; see tuning.h. */
#include "output/metrics.h"
#include "reproduce/tuning.h"
#include "text/json.h"
#include "text/schema.h"
#include <math.h>
#include <string.h>

static void put_estimate(struct weir_json *json, const struct weir_estimate *e)
{
    weir_json_exact(json, "mean", e->count > 0 ? e->mean : (double)NAN);
    weir_json_exact(json, "half_width", e->count >= 3 ? e->half_width : (double)NAN);
    weir_json_u64(json, "seeds", e->count);
}

/* Puts a value of a key as --set takes it. */
static void put_value(struct weir_json *json, const char *name, const struct weir_tuning_key *key, uint64_t value)
{
    char text[WEIR_TUNING_VALUE];
    weir_json_string(json, name, weir_tuning_key_text(text, key, value));
}

static void put_values(struct weir_json *json, const struct weir_tuning *t, const char *name,
                       const uint64_t at[WEIR_TUNING_KEYS_MAX], uint32_t leave_out)
{
    weir_json_open(json, name);
    for (uint32_t k = 0; k < t->key_count; k++)
        if (k != leave_out)
            put_value(json, t->key[k].path, &t->key[k], at[k]);
    weir_json_close(json);
}

static void put_search(struct weir_json *json, const struct weir_tuning *t, const struct weir_tuning_search *s)
{
    static const char *const end[] = {
        [WEIR_SEARCH_OPEN] = "interrupted",       [WEIR_SEARCH_CLOSE] = "close", [WEIR_SEARCH_BUDGET] = "budget",
        [WEIR_SEARCH_NO_VALUE] = "no_value_left", [WEIR_SEARCH_NOISE] = "noise", [WEIR_SEARCH_EQUAL] = "no_effect"
    };
    const struct weir_tuning_key *key = &t->key[s->key];
    uint32_t best = weir_search_best(&s->search), first = 0, last = 0;
    weir_json_open(json, NULL);
    weir_json_string(json, "key", key->path);
    put_value(json, "from", key, s->search.lo);
    put_value(json, "to", key, s->search.hi);
    weir_json_bool(json, "logarithm", weir_search_is_log(&s->search));
    put_values(json, t, "with", s->at, s->key);
    weir_json_string(json, "end", end[weir_search_end(&s->search)]);
    weir_json_open_list(json, "values");
    for (uint32_t i = 0; i < s->search.count; i++) {
        struct weir_estimate difference = weir_search_difference(&s->search, i);
        weir_json_open(json, NULL);
        put_value(json, "value", key, s->search.value[i].at);
        put_estimate(json, &s->search.value[i].mean);
        weir_json_bool(json, "doubtful", !s->search.value[i].is_sound);
        weir_json_bool(json, "best", i == best);
        weir_json_bool(json, "within_interval", i != best && weir_search_is_equal(&s->search, i));
        weir_json_open(json, "difference");
        put_estimate(json, &difference);
        weir_json_close(json);
        weir_json_close(json);
    }
    weir_json_close_list(json);
    if (best != UINT32_MAX)
        weir_search_range(&s->search, &first, &last);
    weir_json_bool(json, "noise", best != UINT32_MAX && first < last);
    if (best != UINT32_MAX) {
        put_value(json, "equal_from", key, s->search.value[first].at);
        put_value(json, "equal_to", key, s->search.value[last].at);
    } else {
        weir_json_null(json, "equal_from");
        weir_json_null(json, "equal_to");
    }
    weir_json_close(json);
}

static void put_trial(struct weir_json *json, const struct weir_tuning *t, const struct weir_tuning_trial *trial)
{
    weir_json_open(json, NULL);
    put_values(json, t, "set", trial->at, UINT32_MAX);
    weir_json_open_list(json, "runs");
    for (uint32_t s = 0; s < t->seeds; s++) {
        weir_json_open(json, NULL);
        weir_json_u64(json, "seed", t->first_seed + s);
        weir_json_bool(json, "done", trial->run[s].is_done);
        weir_json_string(json, "doubt", trial->run[s].doubt[0] != '\0' ? trial->run[s].doubt : NULL);
        weir_json_exact(json, "number", trial->run[s].is_done ? trial->run[s].value[0] : (double)NAN);
        weir_json_close(json);
    }
    weir_json_close_list(json);
    weir_json_close(json);
}

/* Puts the best values, and their number as the last search has it; null if no value has a number. */
static void put_best(struct weir_json *json, const struct weir_tuning *t)
{
    const struct weir_tuning_search *last = weir_tuning_last(t);
    const struct weir_search_value *v;
    if (last == NULL) {
        weir_json_null(json, "best");
        return;
    }
    v = &last->search.value[weir_search_best(&last->search)];
    weir_json_open(json, "best");
    put_values(json, t, "set", t->best, UINT32_MAX);
    put_estimate(json, &v->mean);
    weir_json_bool(json, "doubtful", !v->is_sound);
    weir_json_close(json);
}

void weir_tuning_json(FILE *out, const struct weir_tuning *t)
{
    const struct weir_comparison_metric *metric = &t->metric.metric[0];
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", t->version);
    weir_json_string(&json, "commit", t->commit);
    weir_json_string(&json, "scenario", t->scenario);
    weir_json_string(&json, "results", t->out);
    weir_json_string(&json, "number", metric->name);
    weir_json_string(&json, "title", metric->row.title);
    weir_json_string(&json, "unit", weir_metric_unit_names[metric->row.unit]);
    weir_json_string(&json, "better", metric->row.better == WEIR_METRIC_GREATEST ? "greatest" : "least");
    weir_json_u64(&json, "first_seed", t->first_seed);
    weir_json_u64(&json, "seeds", t->seeds);
    put_best(&json, t);
    weir_json_open_list(&json, "searches");
    for (uint32_t i = 0; i < t->search_count; i++)
        put_search(&json, t, &t->search[i]);
    weir_json_close_list(&json);
    weir_json_open_list(&json, "trials");
    for (uint32_t i = 0; i < t->trial_count; i++)
        put_trial(&json, t, &t->trial[i]);
    weir_json_close_list(&json);
    weir_json_close(&json);
}

/* --- schema --- */

#define ESTIMATE                                                                                                       \
    WEIR_FIELD_OR_NULL("mean", NUMBER),                                                                                \
        { .key = "half_width",                                                                                         \
          .text = "of the 95 % interval, Student's t",                                                                 \
          .type = WEIR_SCHEMA_NUMBER,                                                                                  \
          .or_null = true },                                                                                           \
        WEIR_FIELD("seeds", INTEGER)

static const struct weir_schema text = { .type = WEIR_SCHEMA_STRING };
static const struct weir_schema difference_fields[] = { ESTIMATE, { .key = NULL } };
static const struct weir_schema value_fields[] = {
    { .key = "value", .text = "as --set takes it" },
    ESTIMATE,
    WEIR_FIELD("doubtful", BOOL),
    WEIR_FIELD("best", BOOL),
    { .key = "within_interval", .text = "its difference is within its interval", .type = WEIR_SCHEMA_BOOL },
    { .key = "difference",
      .text = "from the best value, paired by seed",
      .type = WEIR_SCHEMA_OBJECT,
      .fields = difference_fields },
    { .key = NULL },
};
static const struct weir_schema value = { .type = WEIR_SCHEMA_OBJECT, .fields = value_fields };
static const struct weir_schema search_fields[] = {
    WEIR_FIELD("key", STRING),
    WEIR_FIELD("from", STRING),
    WEIR_FIELD("to", STRING),
    { .key = "logarithm", .text = "values are spread by their logarithms", .type = WEIR_SCHEMA_BOOL },
    { .key = "with", .text = "values of the other keys", .type = WEIR_SCHEMA_OBJECT, .each = &text },
    { .key = "end", .text = "close, budget, no_value_left, noise, no_effect or interrupted" },
    { .key = "values", .type = WEIR_SCHEMA_LIST, .each = &value },
    { .key = "noise", .text = "more than one value is equally good", .type = WEIR_SCHEMA_BOOL },
    { .key = "equal_from", .text = "values from here on are equally good", .or_null = true },
    { .key = "equal_to", .or_null = true },
    { .key = NULL },
};
static const struct weir_schema search = { .type = WEIR_SCHEMA_OBJECT, .fields = search_fields };
static const struct weir_schema run_fields[] = {
    WEIR_FIELD("seed", INTEGER),
    WEIR_FIELD("done", BOOL),
    { .key = "doubt", .text = "why its numbers are not to be relied on", .or_null = true },
    WEIR_FIELD_OR_NULL("number", NUMBER),
    { .key = NULL },
};
static const struct weir_schema run = { .type = WEIR_SCHEMA_OBJECT, .fields = run_fields };
static const struct weir_schema trial_fields[] = {
    { .key = "set", .text = "a value of each key", .type = WEIR_SCHEMA_OBJECT, .each = &text },
    { .key = "runs", .type = WEIR_SCHEMA_LIST, .each = &run },
    { .key = NULL },
};
static const struct weir_schema trial = { .type = WEIR_SCHEMA_OBJECT, .fields = trial_fields };
static const struct weir_schema best_fields[] = {
    { .key = "set", .text = "a value of each key", .type = WEIR_SCHEMA_OBJECT, .each = &text },
    ESTIMATE,
    WEIR_FIELD("doubtful", BOOL),
    { .key = NULL },
};
static const struct weir_schema fields[] = {
    { .key = "version", .text = "of Weir" },
    { .key = "commit", .text = "of Weir" },
    { .key = "scenario", .text = "its name" },
    { .key = "results", .text = "the result file" },
    { .key = "number", .text = "what is searched for, by its name in weir list metrics" },
    WEIR_FIELD("title", STRING),
    WEIR_FIELD("unit", STRING),
    { .key = "better", .text = "least or greatest" },
    WEIR_FIELD("first_seed", INTEGER),
    WEIR_FIELD("seeds", INTEGER),
    { .key = "best", .type = WEIR_SCHEMA_OBJECT, .or_null = true, .fields = best_fields },
    { .key = "searches", .type = WEIR_SCHEMA_LIST, .each = &search },
    { .key = "trials", .text = "all that was run", .type = WEIR_SCHEMA_LIST, .each = &trial },
    { .key = NULL },
};

void weir_tuning_schema(FILE *out)
{
    weir_schema_print(out, "tune", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = fields });
}
