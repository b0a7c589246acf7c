/* src/results/reproduce/spec_choice.c - see spec_choice.h. */
#include "reproduce/spec_choice.h"
#include "reproduce/axes.h"
#include "reproduce/fields.h"
#include <string.h>

/* The keys by which numbers are divided by others. A table has at most one of them. */
static const struct {
    const char *key;
    bool of,
        reduction; /* of: the number at the label is divided, else it divides. reduction: 100 % minus the quotient */
} divisions[] = {
    { "relative_to", false, false },
    { "reduction_to", false, true },
    { "relative_of", true, false },
    { "reduction_of", true, true },
};
#define DIVISIONS (sizeof(divisions) / sizeof(divisions[0]))

bool weir_spec_is_quotient(const struct weir_table_spec *spec)
{
    return spec->base_axis != WEIR_AXIS_NONE || spec->of_axis != WEIR_AXIS_NONE || spec->best_axis != WEIR_AXIS_NONE;
}

/* Reads `relative_to: {protocol: dctcp}` or another key of divisions[]. Refuses two of them. */
static int read_base(const struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                     struct weir_err *err)
{
    const struct weir_tree *map = NULL;
    size_t row = 0;
    uint32_t axis, value;
    int code = 0;
    for (size_t i = 0; i < DIVISIONS && code == 0; i++) {
        const struct weir_tree *found;
        code = weir_field_node(node, divisions[i].key, WEIR_TREE_MAP, &found, err);
        if (code != 0 || found == NULL)
            continue;
        if (map != NULL)
            return weir_fail(err, WEIR_E_CONFLICT, &found->at, NULL, "%s: not together with %s", divisions[i].key,
                             divisions[row].key);
        map = found;
        row = i;
    }
    if (code != 0 || map == NULL)
        return code;
    if (map->count != 1 || map->first->kind != WEIR_TREE_VALUE)
        return weir_fail(err, WEIR_E_SYNTAX, &map->at, "for example {protocol: dctcp}",
                         "%s: one axis with one label belongs here", divisions[row].key);
    if ((code = weir_experiment_axis(exp, &map->first->key, &axis, err)) != 0 ||
        (code = weir_experiment_value(exp, axis, &map->first->at, &value, err)) != 0)
        return code;
    spec->reduction = divisions[row].reduction;
    *(divisions[row].of ? &spec->of_axis : &spec->base_axis) = axis;
    *(divisions[row].of ? &spec->of_value : &spec->base_value) = value;
    if (divisions[row].of && (axis == spec->over || axis == spec->average))
        return weir_fail(err, WEIR_E_CONFLICT, &map->at, NULL, "%s: not along the axis of over or average",
                         divisions[row].key);
    return 0;
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
    if (spec->of_axis != WEIR_AXIS_NONE)
        return weir_fail(err, WEIR_E_CONFLICT, &map->at, NULL, "best: not together with relative_of or reduction_of");
    return spec->best_axis == spec->over || spec->best_axis == spec->average
               ? weir_fail(err, WEIR_E_CONFLICT, &map->at, NULL, "best: not along the axis of over or average")
               : 0;
}

/* Adds one label of an order, which has this rank. */
static int add_ordered(const struct weir_experiment *exp, const struct weir_tree *item, uint8_t rank,
                       struct weir_table_spec *spec, struct weir_err *err)
{
    uint32_t value = 0;
    int code = weir_experiment_value(exp, spec->order_axis, &item->at, &value, err);
    if (code == 0 && spec->order_count == WEIR_AXIS_VALUES_MAX)
        code = weir_fail(err, WEIR_E_RANGE, &item->at, NULL, "order: more than %d labels", WEIR_AXIS_VALUES_MAX);
    if (code != 0)
        return code;
    spec->order_rank[spec->order_count] = rank;
    spec->order[spec->order_count++] = (uint8_t)value;
    return 0;
}

/* Adds an item of an order: a label, or a list of labels that share the rank. */
static int add_rank(const struct weir_experiment *exp, const struct weir_tree *item, uint8_t rank,
                    struct weir_table_spec *spec, struct weir_err *err)
{
    int code = 0;
    if (item->kind != WEIR_TREE_LIST)
        return add_ordered(exp, item, rank, spec, err);
    if (item->count == 0)
        return weir_fail(err, WEIR_E_SYNTAX, &item->at, "for example [homa, [swift, dctcp]]",
                         "order: an empty list of labels");
    for (const struct weir_tree *label = item->first; label != NULL && code == 0; label = label->next)
        code = add_ordered(exp, label, rank, spec, err);
    return code;
}

/* Reads `order: {protocol: [a, [b, c]]}`: labels, and lists of labels among which there is no order. Refuses the axis
 * of over, average or relative_to, and refuses a table with best. */
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
        spec->order_axis == spec->of_axis || spec->best_axis != WEIR_AXIS_NONE)
        return weir_fail(err, WEIR_E_CONFLICT, &map->at, NULL,
                         "order: not along the axis of over, average, relative_to or relative_of, and not with best");
    uint8_t rank = 0;
    for (const struct weir_tree *item = list->first; item != NULL && code == 0; item = item->next)
        code = add_rank(exp, item, rank++, spec, err);
    return code;
}

/* The keys that make one cell of several cases. A table has at most one of them. */
static const char *const fold_keys[] = {
    [WEIR_CASES_APART] = NULL, [WEIR_CASES_MEAN] = "mean", [WEIR_CASES_MEDIAN] = "median", [WEIR_CASES_MOST] = "most"
};

/* Reads `mean: [config, workload]`, or the same with another key of fold_keys[]. Refuses a second such key, and an axis
 * that has another use in the table. */
static int read_fold(const struct weir_experiment *exp, const struct weir_tree *node, enum weir_cases_fold fold,
                     struct weir_table_spec *spec, struct weir_err *err)
{
    const char *key = fold_keys[fold];
    const struct weir_tree *list;
    int code = weir_field_node(node, key, WEIR_TREE_LIST, &list, err);
    if (code != 0 || list == NULL)
        return code;
    if (spec->fold != WEIR_CASES_APART)
        return weir_fail(err, WEIR_E_CONFLICT, &list->at, "a second table may have the other",
                         "%s: not together with %s", key, fold_keys[spec->fold]);
    spec->fold = fold;
    for (const struct weir_tree *item = list->first; item != NULL; item = item->next) {
        uint32_t axis;
        code = weir_experiment_axis(exp, &item->at, &axis, err);
        if (code != 0)
            return code;
        if (axis == spec->over || axis == spec->average || axis == spec->best_axis || axis == spec->base_axis ||
            axis == spec->order_axis)
            return weir_fail(err, WEIR_E_CONFLICT, &item->at, NULL, "%s: axis %.80s has another use in this table", key,
                             item->at.text);
        spec->folds[axis] = true;
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
        (code = read_order(exp, node, spec, err)) != 0)
        return code;
    for (int fold = WEIR_CASES_MEAN; fold <= WEIR_CASES_MOST; fold++)
        if ((code = read_fold(exp, node, (enum weir_cases_fold)fold, spec, err)) != 0)
            return code;
    if ((code = read_main(exp, node, spec, err)) != 0)
        return code;
    return read_unstable(node, spec, err);
}
