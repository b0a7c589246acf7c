/* src/results/reproduce/short_form.c - see short_form.h. */
#include "reproduce/short_form.h"
#include "config/yaml.h"
#include "reproduce/axes.h"
#include "reproduce/fields.h"
#include "reproduce/seeds.h"
#include "reproduce/spec.h"
#include <stdio.h>
#include <string.h>

enum { TABLE = 1024 };

#define AVERAGED                                                                                                       \
    "average: " WEIR_SEED_AXIS ", note: \"means over seeds; of 3 or more +- half the 95 % interval (Student's t)\", "

/* The table of the usual numbers, as YAML; %s is AVERAGED or nothing. Numbers of unstable runs count too; a remark on
 * the line reports such runs. */
static const char summary[] =
    "{name: summary, title: Summary, columns: true, unstable: keep, %s"
    "values: {goodput Gbps: goodput_gbps, slowdown p50: slowdown.all.p50, p99: slowdown.all.p99,"
    " ToR max KB: {path: tor_queue_bytes.max, divide: 1000, digits: 1}, unfinished: {path: unfinished, digits: 0}}}";

/* Refuses a '$' other than in "${axis}" in the settings of all points: these settings belong to no axis value that
 * could replace '$'. */
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

/* Adds the table of the usual numbers to a figure, with one line for each combination of axis values. If there is an
 * axis of seeds, the numbers are means over the seeds. */
static int add_summary(struct weir_experiment *exp, struct weir_figure *figure, struct weir_err *err)
{
    char text[TABLE];
    struct weir_tree *node;
    bool seeds = false;
    int length, code;
    for (uint32_t a = 0; a < exp->axis_count; a++)
        seeds = seeds || strcmp(exp->axis[a].name, WEIR_SEED_AXIS) == 0;
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
    return tables != NULL ? weir_spec_tables(exp, tables, figure, err) : add_summary(exp, figure, err);
}
