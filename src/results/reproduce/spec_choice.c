/* src/results/reproduce/spec_choice.c - see spec_choice.h. */
#include "reproduce/spec_choice.h"
#include "reproduce/axes.h"
#include "reproduce/fields.h"
#include <string.h>

/* Reads `relative_to: {protocol: dctcp}` or `reduction_to: {protocol: dctcp}`. Refuses both together. */
static int read_base(const struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                     struct weir_err *err)
{
    const char *key = weir_tree_find(node, "reduction_to") != NULL ? "reduction_to" : "relative_to";
    const struct weir_tree *map;
    int code = weir_field_node(node, key, WEIR_TREE_MAP, &map, err);
    if (code != 0 || map == NULL)
        return code;
    spec->reduction = strcmp(key, "reduction_to") == 0;
    if (spec->reduction && weir_tree_find(node, "relative_to") != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, &map->at, NULL, "reduction_to: not together with relative_to");
    if (map->count != 1 || map->first->kind != WEIR_TREE_VALUE)
        return weir_fail(err, WEIR_E_SYNTAX, &map->at, "for example {protocol: dctcp}",
                         "%s: one axis with one label belongs here", key);
    code = weir_experiment_axis(exp, &map->first->key, &spec->base_axis, err);
    return code != 0 ? code : weir_experiment_value(exp, spec->base_axis, &map->first->at, &spec->base_value, err);
}

static int read_unstable(const struct weir_tree *node, struct weir_table_spec *spec, struct weir_err *err)
{
    static const char *const name[] = { "out", "keep", "growing" };
    const struct weir_tree *value;
    int code = weir_field_node(node, "unstable", WEIR_TREE_VALUE, &value, err);
    if (code != 0 || value == NULL)
        return code;
    for (int i = 0; i < 3; i++) {
        if (strcmp(value->at.text, name[i]) == 0) {
            spec->unstable = (enum weir_unstable)i;
            return 0;
        }
    }
    return weir_fail(err, WEIR_E_UNKNOWN, &value->at, "known: out, keep, growing", "unstable: %.80s: no such treatment",
                     value->at.text);
}

/* Reads `over` or `average`. Refuses both together. */
static int read_axes(const struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                     struct weir_err *err)
{
    int code;
    if ((code = weir_experiment_axis_of(exp, node, "over", &spec->over, err)) != 0 ||
        (code = weir_experiment_axis_of(exp, node, "average", &spec->average, err)) != 0)
        return code;
    return spec->over != WEIR_AXIS_NONE && spec->average != WEIR_AXIS_NONE
               ? weir_fail(err, WEIR_E_CONFLICT, &node->at, NULL, "average: not together with over")
               : 0;
}

/* Reads `best: {protocol: least}`. */
static int read_best(const struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                     struct weir_err *err)
{
    static const char *const names[] = { "least", "greatest", NULL };
    const struct weir_tree *map;
    uint32_t chosen = 0;
    int code = weir_field_node(node, "best", WEIR_TREE_MAP, &map, err);
    if (code != 0 || map == NULL)
        return code;
    if (map->count != 1 || map->first->kind != WEIR_TREE_VALUE)
        return weir_fail(err, WEIR_E_SYNTAX, &map->at, "for example {protocol: least}",
                         "best: one axis with 'least' or 'greatest' belongs here");
    if ((code = weir_experiment_axis(exp, &map->first->key, &spec->best_axis, err)) != 0 ||
        (code = weir_field_choice(map, map->first->key.text, names, "known: least, greatest", &chosen, err)) != 0)
        return code;
    spec->best_is_most = chosen == 1;
    return spec->best_axis == spec->over || spec->best_axis == spec->average
               ? weir_fail(err, WEIR_E_CONFLICT, &map->at, NULL, "best: not along the axis of over or average")
               : 0;
}

/* Reads `order: {protocol: [a, b]}`. Refuses the axis of over, average or relative_to, and refuses a table with
 * best. */
static int read_order(const struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                      struct weir_err *err)
{
    const struct weir_tree *map, *list;
    int code = weir_field_node(node, "order", WEIR_TREE_MAP, &map, err);
    if (code != 0 || map == NULL)
        return code;
    list = map->first;
    if (map->count != 1 || list->kind != WEIR_TREE_LIST || list->count < 2 || list->count > WEIR_AXIS_VALUES_MAX)
        return weir_fail(err, WEIR_E_SYNTAX, &map->at, "for example {protocol: [homa, swift]}",
                         "order: one axis with two of its labels or more belongs here");
    if ((code = weir_experiment_axis(exp, &list->key, &spec->order_axis, err)) != 0)
        return code;
    if (spec->order_axis == spec->over || spec->order_axis == spec->average || spec->order_axis == spec->base_axis ||
        spec->best_axis != WEIR_AXIS_NONE)
        return weir_fail(err, WEIR_E_CONFLICT, &map->at, NULL,
                         "order: not along the axis of over, average or relative_to, and not with best");
    for (const struct weir_tree *item = list->first; item != NULL && code == 0; item = item->next) {
        uint32_t value = 0;
        code = weir_experiment_value(exp, spec->order_axis, &item->at, &value, err);
        spec->order[spec->order_count++] = (uint8_t)value;
    }
    return code;
}

/* Reads `mean: [config, workload]`, or `median: [..]`. key: "mean" or "median". Refuses an axis that has another use in
 * the table. */
static int read_mean(const struct weir_experiment *exp, const struct weir_tree *node, const char *key,
                     struct weir_table_spec *spec, struct weir_err *err)
{
    const struct weir_tree *list;
    int code = weir_field_node(node, key, WEIR_TREE_LIST, &list, err);
    if (code != 0 || list == NULL)
        return code;
    if (spec->has_mean)
        return weir_fail(err, WEIR_E_CONFLICT, &list->at, NULL, "median: not together with mean");
    spec->has_mean = true;
    spec->is_median = strcmp(key, "median") == 0;
    for (const struct weir_tree *item = list->first; item != NULL; item = item->next) {
        uint32_t axis;
        code = weir_experiment_axis(exp, &item->at, &axis, err);
        if (code != 0)
            return code;
        if (axis == spec->over || axis == spec->average || axis == spec->best_axis || axis == spec->base_axis ||
            axis == spec->order_axis)
            return weir_fail(err, WEIR_E_CONFLICT, &item->at, NULL, "%s: axis %.80s has another use in this table", key,
                             item->at.text);
        spec->mean[axis] = true;
    }
    return list->count > 0 ? 0
                           : weir_fail(err, WEIR_E_SYNTAX, &list->at, "for example [config, workload]",
                                       "%s: the list is empty", key);
}

/* Reads the value of a main reading, which is the label of one of the table's readings. */
static int read_main_value(const struct weir_tree *map, struct weir_table_spec *spec, struct weir_err *err)
{
    int code = weir_field_text(map, "value", &spec->main_value, err);
    bool known = spec->main_value == NULL;
    for (uint32_t r = 0; r < spec->reading_count && !known; r++)
        known = strcmp(spec->reading[r].label, spec->main_value) == 0;
    return code != 0 || known ? code
                              : weir_fail(err, WEIR_E_UNKNOWN, &weir_tree_find(map, "value")->at, NULL,
                                          "value: %.80s: no value of this table", spec->main_value);
}

/* Reads `main: {where: {law: published}, value: flow 0, reason: WHY}`, or `main: {where: none, reason: WHY}`. */
static int read_main(const struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                     struct weir_err *err)
{
    static const char *const keys[] = { "where", "value", "reason", NULL };
    const struct weir_tree *map, *where;
    int code = weir_field_node(node, "main", WEIR_TREE_MAP, &map, err);
    if (code != 0 || map == NULL)
        return code;
    if ((code = weir_field_keys(map, "main", keys, err)) != 0 ||
        (code = weir_field_text(map, "reason", &spec->main_reason, err)) != 0 ||
        (code = read_main_value(map, spec, err)) != 0)
        return code;
    where = weir_tree_find(map, "where");
    if ((where == NULL && spec->main_value == NULL) || spec->main_reason == NULL)
        return weir_field_missing(map, "main", spec->main_reason == NULL ? "reason" : "where", err);
    if (weir_tree_find(node, "published") == NULL)
        return weir_fail(err, WEIR_E_CONFLICT, &map->at, "say published, or leave it out", "main: reading of what?");
    if (where == NULL)
        return 0;
    spec->main_none = where->kind == WEIR_TREE_VALUE && strcmp(where->at.text, "none") == 0;
    if (spec->main_none)
        return 0;
    if (where->kind != WEIR_TREE_MAP)
        return weir_fail(err, WEIR_E_SYNTAX, &where->at, "for example {law: published}",
                         "where: axes with their labels, or none, belong here");
    return weir_experiment_choice(exp, where, spec->main_filters, spec->main_where, err);
}

int weir_spec_choice(struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                     struct weir_err *err)
{
    const struct weir_tree *where;
    int code = weir_field_node(node, "where", WEIR_TREE_MAP, &where, err);
    if (code != 0)
        return code;
    if (where != NULL && (code = weir_experiment_choice(exp, where, spec->filters, spec->where, err)) != 0)
        return code;
    if ((code = read_axes(exp, node, spec, err)) != 0)
        return code;
    if ((code = read_base(exp, node, spec, err)) != 0 || (code = read_best(exp, node, spec, err)) != 0 ||
        (code = read_order(exp, node, spec, err)) != 0 || (code = read_mean(exp, node, "mean", spec, err)) != 0 ||
        (code = read_mean(exp, node, "median", spec, err)) != 0)
        return code;
    if ((code = read_main(exp, node, spec, err)) != 0)
        return code;
    return read_unstable(node, spec, err);
}
