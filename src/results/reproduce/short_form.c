/* src/results/reproduce/short_form.c - see short_form.h. */
#include "reproduce/short_form.h"
#include "config/yaml.h"
#include "core/assert.h"
#include "reproduce/axes.h"
#include "reproduce/fields.h"
#include "reproduce/seeds.h"
#include "reproduce/spec.h"
#include <stdio.h>
#include <string.h>

enum { TABLE = 1024 };

#define AVERAGED                                                                                                       \
    "average: " WEIR_SEED_AXIS ", note: \"means over seeds; of 3 or more +- half the 95 % interval (Student's t)\", "

/* The table of the usual numbers, as YAML. Each %s is nothing, or AVERAGED, OF_JOBS, OF_COLLECTIVES, OF_LAWS. Numbers
 * of unstable runs count too; a remark on the line reports such runs. */
static const char summary[] =
    "{name: summary, title: Summary, columns: true, unstable: keep, %s"
    "values: {%s%sgoodput Gbps: goodput_gbps, slowdown p50: slowdown.all.p50, p99: slowdown.all.p99,"
    " ToR max KB: {path: tor_queue_bytes.max, divide: 1000, digits: 1}, unfinished: {path: unfinished, digits: 0}%s}}";
#define OF_JOBS                                                                                                        \
    "job us: {path: job_completion_us.mean, digits: 1}, job p99 us: {path: job_completion_us.p99, digits: 1},"         \
    " job max us: {path: job_completion_us.max, digits: 1}, "
#define OF_COLLECTIVES "algbw GB/s: algbw_gbytes_s.mean, busbw GB/s: busbw_gbytes_s.mean, "
#define OF_LAWS ", fairness of laws: {path: laws_jain, digits: 3}"

/* The table of a law: its number, AVERAGED or nothing, then its number four times. */
static const char of_law[] =
    "{name: law-%u, title: Law, columns: true, unstable: keep, %s"
    "values: {goodput Gbps: 'laws[%u].goodput_gbps', of demand: {path: 'laws[%u].demand_met', digits: 3},"
    " slowdown p50: 'laws[%u].slowdown.all.p50', p99: 'laws[%u].slowdown.all.p99'}}";

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

/* Returns AVERAGED if there is an axis of seeds, else "". */
static const char *averaged(const struct weir_experiment *exp)
{
    for (uint32_t a = 0; a < exp->axis_count; a++)
        if (strcmp(exp->axis[a].name, WEIR_SEED_AXIS) == 0)
            return AVERAGED;
    return "";
}

/* Reads a table from YAML, with one line for each combination of axis values. */
static int read_table(struct weir_experiment *exp, const char *text, struct weir_table_spec *spec, struct weir_err *err)
{
    struct weir_tree *node;
    int code = weir_yaml_read(exp->arena, "summary", text, strlen(text), WEIR_TREE_CHILDREN_MAX, &node, err);
    return code != 0 ? code : weir_spec_read(exp, node, spec, err);
}

/* Makes the table of the usual numbers the first of a figure. If there is an axis of seeds, the numbers are means over
 * the seeds. */
static int make_summary(struct weir_experiment *exp, struct weir_figure *figure, const struct weir_experiment_has *has,
                        struct weir_err *err)
{
    char text[TABLE];
    (void)snprintf(text, sizeof(text), summary, averaged(exp), has->jobs ? OF_JOBS : "",
                   has->collectives ? OF_COLLECTIVES : "", has->laws > 0 ? OF_LAWS : "");
    figure->table_count = 1;
    exp->has_summary = true;
    return read_table(exp, text, &figure->table[0], err);
}

int weir_experiment_extend(struct weir_experiment *exp, const struct weir_experiment_has *has, struct weir_err *err)
{
    int code = 0;
    if (!exp->has_summary)
        return 0;
    WEIR_ASSERT(has->laws < WEIR_TABLES_MAX);
    code = make_summary(exp, exp->figure, has, err);
    for (unsigned k = 0; k < has->laws && code == 0; k++) {
        struct weir_table_spec *spec = &exp->figure->table[exp->figure->table_count++];
        char text[TABLE];
        (void)snprintf(text, sizeof(text), of_law, k, averaged(exp), k, k, k, k);
        code = read_table(exp, text, spec, err);
        if (code == 0 && (spec->title = weir_tree_arena_text(exp->arena, has->title[k], strlen(has->title[k]))) == NULL)
            code = weir_fail_memory(err);
    }
    return code;
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
    return tables != NULL ? weir_spec_tables(exp, tables, figure, err)
                          : make_summary(exp, figure, &(struct weir_experiment_has){ 0 }, err);
}
