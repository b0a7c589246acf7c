/* src/reproduce/spec.c - one item of a figure's `tables` to a struct. */
#include "reproduce/spec.h"
#include "reproduce/fields.h"
#include <string.h>

enum { DIGITS_MAX = 6 };
static const uint64_t divide_max = 1000000000;

static int fail_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "out of memory");
}

/* `value: path`, or `values: {label: path, ..}`. */
static int read_readings(struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                         struct weir_err *err)
{
    const struct weir_tree *one, *many;
    int code;
    if ((code = weir_field_node(node, "value", WEIR_TREE_VALUE, &one, err)) != 0 ||
        (code = weir_field_node(node, "values", WEIR_TREE_MAP, &many, err)) != 0)
        return code;
    if ((one == NULL) == (many == NULL))
        return weir_fail(err, WEIR_E_SYNTAX, &node->at, "for example value: goodput_completed_gbps",
                         "a table: either 'value' or 'values' says what is read off");
    spec->reading_count = one != NULL ? 1 : many->count;
    spec->reading = weir_tree_arena_take(exp->arena, spec->reading_count * sizeof(*spec->reading));
    if (spec->reading == NULL)
        return fail_memory(err);
    if (one != NULL) {
        spec->reading[0] = (struct weir_reading){ .label = "", .path = one->at.text };
        return 0;
    }
    one = many->first;
    for (uint32_t i = 0; one != NULL; i++, one = one->next) {
        if (one->kind != WEIR_TREE_VALUE)
            return weir_fail(err, WEIR_E_SYNTAX, &one->at, NULL, "%.80s: a key of a run's JSON belongs here",
                             one->key.text);
        spec->reading[i] = (struct weir_reading){ .label = one->key.text, .path = one->at.text };
    }
    return 0;
}

/* `relative_to: {protocol: dctcp}` */
static int read_base(const struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                     struct weir_err *err)
{
    const struct weir_tree *map;
    int code = weir_field_node(node, "relative_to", WEIR_TREE_MAP, &map, err);
    if (code != 0 || map == NULL)
        return code;
    if (map->count != 1 || map->first->kind != WEIR_TREE_VALUE)
        return weir_fail(err, WEIR_E_SYNTAX, &map->at, "for example relative_to: {protocol: dctcp}",
                         "relative_to: one axis with one label belongs here");
    code = weir_experiment_axis(exp, &map->first->key, &spec->base_axis, err);
    return code != 0 ? code : weir_experiment_value(exp, spec->base_axis, &map->first->at, &spec->base_value, err);
}

static int read_unstable(const struct weir_tree *node, struct weir_table_spec *spec, struct weir_err *err)
{
    static const char *const word[] = { "out", "keep", "growing" };
    const struct weir_tree *value;
    int code = weir_field_node(node, "unstable", WEIR_TREE_VALUE, &value, err);
    if (code != 0 || value == NULL)
        return code;
    for (int i = 0; i < 3; i++) {
        if (strcmp(value->at.text, word[i]) == 0) {
            spec->unstable = (enum weir_unstable)i;
            return 0;
        }
    }
    return weir_fail(err, WEIR_E_UNKNOWN, &value->at, "known: out, keep, growing", "unstable: %.80s: no such treatment",
                     value->at.text);
}

static int read_published(const struct weir_tree *node, struct weir_table_spec *spec, struct weir_err *err)
{
    static const char *const keys[] = { "file", "metric", NULL };
    const struct weir_tree *map;
    int code = weir_field_node(node, "published", WEIR_TREE_MAP, &map, err);
    if (code != 0 || map == NULL)
        return code;
    if ((code = weir_field_keys(map, "published", keys, err)) != 0 ||
        (code = weir_field_text(map, "file", &spec->published_file, err)) != 0 ||
        (code = weir_field_text(map, "metric", &spec->published_metric, err)) != 0)
        return code;
    if (spec->published_file == NULL || spec->published_metric == NULL)
        return weir_field_missing(map, "published", spec->published_file == NULL ? "file" : "metric", err);
    return 0;
}

/* What counts: `where`, `over`, `relative_to`, `unstable`. */
static int read_choice(struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                       struct weir_err *err)
{
    const struct weir_tree *where, *over;
    int code;
    if ((code = weir_field_node(node, "where", WEIR_TREE_MAP, &where, err)) != 0 ||
        (code = weir_field_node(node, "over", WEIR_TREE_VALUE, &over, err)) != 0)
        return code;
    if (where != NULL && (code = weir_experiment_choice(exp, where, spec->filters, spec->where, err)) != 0)
        return code;
    if (over != NULL && (code = weir_experiment_axis(exp, &over->at, &spec->over, err)) != 0)
        return code;
    code = read_base(exp, node, spec, err);
    return code != 0 ? code : read_unstable(node, spec, err);
}

/* How it is shown: units, decimals, notes. */
static int read_looks(const struct weir_tree *node, struct weir_table_spec *spec, struct weir_err *err)
{
    uint64_t digits = spec->digits;
    int code;
    if ((code = weir_field_text(node, "name", &spec->name, err)) != 0 ||
        (code = weir_field_text(node, "title", &spec->title, err)) != 0 ||
        (code = weir_field_text(node, "unit", &spec->unit, err)) != 0 ||
        (code = weir_field_text(node, "note", &spec->note, err)) != 0 ||
        (code = weir_field_whole(node, "divide", divide_max, &spec->divide, err)) != 0 ||
        (code = weir_field_whole(node, "digits", DIGITS_MAX, &digits, err)) != 0)
        return code;
    spec->digits = (uint32_t)digits;
    if (spec->name == NULL || spec->title == NULL)
        return weir_field_missing(node, "a table", spec->name == NULL ? "name" : "title", err);
    return spec->divide == 0 ? weir_fail(err, WEIR_E_RANGE, &node->at, NULL, "divide: must be above 0") : 0;
}

int weir_spec_read(struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                   struct weir_err *err)
{
    static const char *const keys[] = { "name",   "title",       "unit",     "note",   "value",     "values",
                                        "where",  "over",        "unstable", "growth", "published", "band",
                                        "divide", "relative_to", "digits",   "peak",   NULL };
    int code;
    *spec = (struct weir_table_spec){
        .unit = "", .over = WEIR_AXIS_NONE, .base_axis = WEIR_AXIS_NONE, .divide = 1, .digits = 2, .growth_ppm = 1500000
    };
    if ((code = weir_field_keys(node, "a table", keys, err)) != 0 || (code = read_looks(node, spec, err)) != 0 ||
        (code = read_readings(exp, node, spec, err)) != 0 || (code = read_choice(exp, node, spec, err)) != 0 ||
        (code = read_published(node, spec, err)) != 0 ||
        (code = weir_field_ppm(node, "band", &spec->band_ppm, err)) != 0 ||
        (code = weir_field_ppm(node, "growth", &spec->growth_ppm, err)) != 0)
        return code;
    return weir_field_flag(node, "peak", &spec->peak, err);
}
