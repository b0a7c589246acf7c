/* src/reproduce/short_form.c - what an experiment may write in a shorter form. Scenario and settings stand once for all
 * points, `seeds` is an axis. Without figures there is one of every combination, with a table of the usual numbers. */
#include "config/yaml.h"
#include "param/number.h"
#include "reproduce/fields.h"
#include "reproduce/spec.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TABLE = 1024 };

#define SEED_AXIS "seed"
#define AVERAGED                                                                                                       \
    "average: " SEED_AXIS ", note: \"means over seeds; of 3 or more +- half the 95 % interval (Student's t)\", "

/* Every number is kept, be it of an unstable run: the line says so. */
static const char summary[] =
    "{name: summary, title: Summary, columns: true, unstable: keep, %s"
    "values: {goodput Gbps: goodput_gbps, slowdown p50: slowdown.all.p50, p99: slowdown.all.p99,"
    " ToR max KB: {path: tor_queue_bytes.max, divide: 1000, digits: 1}, unfinished: {path: unfinished, digits: 0}}}";

/* Refuses a lone `$` in the settings of all points: there is no label that it could stand for. */
static int check_common(const struct weir_tree *set, struct weir_err *err)
{
    for (const struct weir_tree *child = set != NULL ? set->first : NULL; child != NULL; child = child->next) {
        const char *dollar = child->kind == WEIR_TREE_VALUE ? strchr(child->at.text, '$') : NULL;
        while (dollar != NULL && dollar[1] == '{')
            dollar = strchr(dollar + 1, '$');
        if (dollar != NULL)
            return weir_fail(err, WEIR_E_SYNTAX, &child->at, "${axis} stands for the label on an axis",
                             "set: %.80s: '$' has a meaning in the settings of an axis only", child->key.text);
    }
    return 0;
}

int weir_experiment_common(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err)
{
    int code = weir_field_text(root, "scenario", &exp->scenario, err);
    if (code == 0)
        code = weir_experiment_set(root, &exp->set, err);
    return code != 0 ? code : check_common(exp->set, err);
}

/* --- seeds --- */

/* Makes the map {run.seed: $}, as if it were written where `seeds` is. NULL = no memory */
static const struct weir_tree *seed_setting(struct weir_experiment *exp, const struct weir_tree *seeds)
{
    struct weir_tree *map = weir_tree_arena_take(exp->arena, sizeof(*map));
    struct weir_tree *child = map != NULL ? weir_tree_add(exp->arena, map) : NULL;
    if (child == NULL)
        return NULL;
    map->kind = WEIR_TREE_MAP;
    map->at = seeds->at;
    child->kind = WEIR_TREE_VALUE;
    child->key = child->at = seeds->at;
    child->key.text = "run.seed";
    child->at.text = "$";
    return map;
}

/* Reads a whole number: "1" and "01" would be one run that counts twice in a mean. */
static bool is_seed(const char *text, uint64_t *seed)
{
    struct weir_number n;
    return weir_number_read(&n, text) == WEIR_NUMBER_OK && n.unit[0] == '\0' &&
           weir_number_scale(&n, 1, seed) == WEIR_NUMBER_OK;
}

static int add_seed(struct weir_axis *axis, const char *text, const struct weir_tree *set, const struct weir_tok *at,
                    struct weir_err *err)
{
    uint64_t seed, other;
    if (text == NULL)
        return weir_fail_memory(err);
    if (!is_seed(text, &seed) || strlen(text) >= WEIR_LABEL_BYTES)
        return weir_fail(err, WEIR_E_RANGE, at, "for example [1, 2, 7]", "seeds: %.80s: must be a whole number", text);
    for (uint32_t v = 0; v < axis->count; v++)
        if (is_seed(axis->value[v].label, &other) && other == seed)
            return weir_fail(err, WEIR_E_CONFLICT, at, "each seed is one run", "seeds: %s: given twice", text);
    axis->value[axis->count++] = (struct weir_axis_value){ .label = text,
                                                           .text = text,
                                                           .published = text,
                                                           .set = { set, NULL },
                                                           .length_ppm = 1000000,
                                                           .load_ppm = 1000000,
                                                           .cost_ppm = 1000000 };
    return 0;
}

/* Adds seeds 1 to 5 of `seeds: 5`. */
static int count_seeds(struct weir_experiment *exp, struct weir_axis *axis, const struct weir_tree *node,
                       const struct weir_tree *set, struct weir_err *err)
{
    struct weir_number n;
    uint64_t count;
    int code = 0;
    if (weir_number_read(&n, node->at.text) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        weir_number_scale(&n, 1, &count) != WEIR_NUMBER_OK || count < 1 || count > WEIR_AXIS_VALUES_MAX)
        return weir_fail(err, WEIR_E_RANGE, &node->at, "how many seeds, or a list of them: [1, 2, 7]",
                         "seeds: %.80s: must be a whole number, 1 to %u", node->at.text, WEIR_AXIS_VALUES_MAX);
    for (uint64_t seed = 1; seed <= count && code == 0; seed++) {
        char text[24];
        int length = snprintf(text, sizeof(text), "%" PRIu64, seed);
        code = add_seed(axis, weir_tree_arena_text(exp->arena, text, (size_t)length), set, &node->at, err);
    }
    return code;
}

int weir_experiment_seeds(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err)
{
    const struct weir_tree *node = weir_tree_find(root, "seeds"), *set;
    struct weir_axis *axis = &exp->axis[exp->axis_count];
    int code = 0;
    if (node == NULL)
        return 0;
    if (exp->axis_count == WEIR_AXES_MAX)
        return weir_fail(err, WEIR_E_RANGE, &node->at, NULL, "more than %u axes", WEIR_AXES_MAX);
    for (uint32_t a = 0; a < exp->axis_count; a++)
        if (strcmp(exp->axis[a].name, SEED_AXIS) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, &node->at, "leave one of them out",
                             "seeds: there is an axis " SEED_AXIS " as well");
    if (node->kind == WEIR_TREE_MAP || node->is_empty ||
        (node->kind == WEIR_TREE_LIST && (node->count < 1 || node->count > WEIR_AXIS_VALUES_MAX)))
        return weir_fail(err, WEIR_E_RANGE, &node->at, "seeds: 5 are 1 to 5, or [1, 2, 7]",
                         "seeds: a number of seeds or a list of 1 to %u belongs here", WEIR_AXIS_VALUES_MAX);
    axis->name = SEED_AXIS;
    axis->value = weir_tree_arena_take(exp->arena, WEIR_AXIS_VALUES_MAX * sizeof(*axis->value));
    set = seed_setting(exp, node);
    if (axis->value == NULL || set == NULL)
        return weir_fail_memory(err);
    if (node->kind == WEIR_TREE_VALUE)
        code = count_seeds(exp, axis, node, set, err);
    for (const struct weir_tree *item = node->first; item != NULL && code == 0; item = item->next)
        code = item->kind == WEIR_TREE_VALUE && !item->is_empty
                   ? add_seed(axis, item->at.text, set, &item->at, err)
                   : weir_fail(err, WEIR_E_SYNTAX, &item->at, NULL, "seeds: a whole number belongs here");
    exp->axis_count++;
    return code;
}

/* --- the figure --- */

/* Adds a table of the numbers that most people want, one line for each combination. */
static int add_summary(struct weir_experiment *exp, struct weir_figure *figure, struct weir_err *err)
{
    char text[TABLE];
    struct weir_tree *node;
    bool seeds = false;
    int length, code;
    for (uint32_t a = 0; a < exp->axis_count; a++)
        seeds = seeds || strcmp(exp->axis[a].name, SEED_AXIS) == 0;
    length = snprintf(text, sizeof(text), summary, seeds ? AVERAGED : "");
    code = weir_yaml_read(exp->arena, "summary", text, (size_t)length, WEIR_TREE_CHILDREN_MAX, &node, err);
    return code != 0 ? code : weir_spec_read(exp, node, &figure->table[figure->table_count++], err);
}

int weir_experiment_imply(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err)
{
    struct weir_figure *figure = weir_tree_arena_take(exp->arena, sizeof(*figure));
    struct weir_sweep *sweep;
    const struct weir_tree *tables;
    int code = weir_field_node(root, "tables", WEIR_TREE_LIST, &tables, err);
    if (code != 0)
        return code;
    if (figure == NULL)
        return weir_fail_memory(err);
    exp->implied = true;
    exp->figure = figure;
    exp->figure_count = 1;
    *figure = (struct weir_figure){ .name = "all", .title = exp->title, .at = root->at, .runs = figure };
    sweep = &figure->sweep[figure->sweep_count++];
    for (uint32_t a = 0; a < exp->axis_count; a++) {
        sweep->uses[a] = true;
        sweep->values[a] = UINT64_MAX >> (64 - exp->axis[a].count);
    }
    return tables != NULL ? weir_experiment_tables(exp, tables, figure, err) : add_summary(exp, figure, err);
}
