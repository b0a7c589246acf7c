/* src/results/reproduce/experiment_load.c - see experiment_load.h. */
#include "reproduce/experiment_load.h"
#include "config/yaml.h"
#include "reproduce/axes.h"
#include "reproduce/fields.h"
#include "reproduce/short_form.h"
#include "reproduce/spec.h"
#include <string.h>

/* Reads a list of choices of points, `sweeps` or `maxima`, into sweep[0 .. *count - 1]. */
static int read_sweeps(struct weir_experiment *exp, const struct weir_tree *list, struct weir_sweep *sweeps,
                       uint32_t *count, struct weir_err *err)
{
    int code = 0;
    if (list->count > WEIR_SWEEPS_MAX)
        return weir_fail(err, WEIR_E_RANGE, &list->at, NULL, "more than %u sweeps in one figure", WEIR_SWEEPS_MAX);
    for (const struct weir_tree *child = list->first; child != NULL && code == 0; child = child->next) {
        struct weir_sweep *sweep = &sweeps[(*count)++];
        if (child->kind != WEIR_TREE_MAP)
            return weir_fail(err, WEIR_E_SYNTAX, &child->at, "for example {protocol: [sird], load: all}",
                             "a sweep is a map of axes");
        code = weir_experiment_choice(exp, child, sweep->uses, sweep->values, err);
    }
    return code;
}

/* Reads the keys `sweeps` and `maxima` of a figure with runs of its own. */
static int read_own(struct weir_experiment *exp, const struct weir_tree *node, const struct weir_tree *sweeps,
                    const struct weir_tree *maxima, struct weir_figure *figure, struct weir_err *err)
{
    int code;
    if (sweeps == NULL)
        return weir_field_missing(node, "a figure", "sweeps", err);
    code = read_sweeps(exp, sweeps, figure->sweep, &figure->sweep_count, err);
    return code != 0 || maxima == NULL ? code : read_sweeps(exp, maxima, figure->maxima, &figure->maxima_count, err);
}

/* Sets figure->runs to the earlier figure that key `runs` names. Without that key sets it to the figure itself, and
 * reads the keys `sweeps` and `maxima`. */
static int read_runs(struct weir_experiment *exp, const struct weir_tree *node, struct weir_figure *figure,
                     struct weir_err *err)
{
    const struct weir_tree *sweeps, *maxima;
    const char *name = NULL;
    int code = weir_field_node(node, "sweeps", WEIR_TREE_LIST, &sweeps, err);
    if (code != 0 || (code = weir_field_node(node, "maxima", WEIR_TREE_LIST, &maxima, err)) != 0 ||
        (code = weir_field_text(node, "runs", &name, err)) != 0)
        return code;
    figure->runs = figure;
    if (name == NULL)
        return read_own(exp, node, sweeps, maxima, figure, err);
    if (sweeps != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, &node->at, "leave one of them out",
                         "%s: a figure has sweeps of its own, or the runs of another", figure->name);
    if (maxima != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, &maxima->at, "move it to that figure",
                         "%s: maxima belongs to the figure that has the sweeps", figure->name);
    for (const struct weir_figure *f = exp->figure; f < figure; f++)
        if (strcmp(f->name, name) == 0 && f->runs == f)
            figure->runs = f;
    if (figure->runs == figure)
        return weir_fail(err, WEIR_E_UNKNOWN, &weir_tree_find(node, "runs")->at, "a figure with sweeps",
                         "runs: %.80s: no such figure before this one", name);
    return 0;
}

static int read_figure(struct weir_experiment *exp, const struct weir_tree *node, struct weir_figure *figure,
                       struct weir_err *err)
{
    static const char *const keys[] = { "name", "title",  "skip",   "on_request", "run_time",
                                        "runs", "sweeps", "maxima", "tables",     NULL };
    const struct weir_tree *tables;
    int code = weir_field_keys(node, "a figure", keys, err);
    if (code != 0 || (code = weir_field_text(node, "name", &figure->name, err)) != 0 ||
        (code = weir_field_text(node, "title", &figure->title, err)) != 0 ||
        (code = weir_field_text(node, "skip", &figure->skip, err)) != 0 ||
        (code = weir_field_flag(node, "on_request", &figure->on_request, err)) != 0 ||
        (code = weir_field_time(node, "run_time", &figure->run_ps, err)) != 0 ||
        (code = weir_field_node(node, "tables", WEIR_TREE_LIST, &tables, err)) != 0)
        return code;
    if (figure->name == NULL || figure->title == NULL)
        return weir_field_missing(node, "a figure", figure->name == NULL ? "name" : "title", err);
    if (!weir_label_is_plain(figure->name))
        return weir_fail(err, WEIR_E_SYNTAX, &node->at, "letters, digits and . _ +, at most 63",
                         "%.80s: cannot be the name of a figure", figure->name);
    for (const struct weir_figure *f = exp->figure; f < figure; f++)
        if (strcmp(f->name, figure->name) == 0)
            return weir_field_twice(node, figure->name, "figures", err);
    figure->at = node->at;
    if (figure->skip != NULL)
        return 0;
    code = read_runs(exp, node, figure, err);
    return code != 0 || tables == NULL ? code : weir_spec_tables(exp, tables, figure, err);
}

static int read_figures(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err)
{
    const struct weir_tree *list, *tables = weir_tree_find(root, "tables");
    int code = weir_field_node(root, "figures", WEIR_TREE_LIST, &list, err);
    if (code != 0)
        return code;
    if (list == NULL)
        return weir_experiment_imply(exp, root, err);
    if (list->count == 0)
        return weir_field_missing(root, "the experiment", "figures", err);
    if (tables != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, &tables->key, "tables belong to a figure", "tables: there are figures");
    exp->figure = weir_tree_arena_take(exp->arena, list->count * sizeof(*exp->figure));
    if (exp->figure == NULL)
        return weir_fail_memory(err);
    for (const struct weir_tree *child = list->first; child != NULL && code == 0; child = child->next)
        code = read_figure(exp, child, &exp->figure[exp->figure_count++], err);
    return code;
}

static int read_head(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err)
{
    static const char *const keys[] = { "title", "about", "measured", "hop_time", "all_figures", "scenario",
                                        "set",   "seeds", "axes",     "figures",  "tables",      NULL };
    int code;
    if ((code = weir_field_keys(root, "the experiment", keys, err)) != 0 ||
        (code = weir_field_text(root, "title", &exp->title, err)) != 0 ||
        (code = weir_field_text(root, "about", &exp->about, err)) != 0 ||
        (code = weir_field_ppm(root, "measured", &exp->measured_ppm, err)) != 0 ||
        (code = weir_field_time(root, "hop_time", &exp->hop_ps, err)) != 0 ||
        (code = weir_field_flag(root, "all_figures", &exp->all_figures, err)) != 0 ||
        (code = weir_experiment_common(exp, root, err)) != 0)
        return code;
    if (exp->title == NULL && weir_tree_find(root, "figures") != NULL)
        return weir_field_missing(root, "the experiment", "title", err);
    if (exp->title == NULL)
        exp->title = exp->origin.id;
    if (exp->measured_ppm == 0 || exp->measured_ppm > 1000000)
        return weir_fail(err, WEIR_E_RANGE, &root->at, NULL, "measured: must be above 0, and at most 100%%");
    return 0;
}

/* Refuses a scenario, which has `topology` and no `axes`. Without this check err would only name the first key of the
 * file that is unknown here. */
static int check_kind(const struct weir_tree *root, struct weir_err *err)
{
    const struct weir_tree *topology = weir_tree_find(root, "topology");
    if (topology == NULL || weir_tree_find(root, "axes") != NULL)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &topology->key,
                     "weir run FILE runs it; a sweep names it, 'scenario: FILE', and has what varies: 'axes', 'seeds'",
                     "a scenario, which is one run; a sweep or an experiment belongs here");
}

static int read_experiment(struct weir_experiment *exp, struct weir_err *err)
{
    const char *path = weir_origin_path(&exp->origin, exp->arena, exp->origin.file), *text;
    struct weir_tree *root;
    int code;
    if (path == NULL)
        return weir_fail_memory(err);
    if ((code = weir_origin_read(&exp->origin, exp->arena, exp->origin.file, NULL, &text, err)) != 0 ||
        (code = weir_yaml_read(exp->arena, path, text, strlen(text), WEIR_TREE_CHILDREN_MAX, &root, err)) != 0 ||
        (code = check_kind(root, err)) != 0 || (code = read_head(exp, root, err)) != 0)
        return code;
    code = weir_experiment_axes(exp, root, err);
    return code != 0 ? code : read_figures(exp, root, err);
}

static int load(struct weir_experiment *exp, const char *name,
                int (*find)(struct weir_origin *, struct weir_tree_arena *, const char *, struct weir_err *),
                struct weir_err *err)
{
    int code;
    *exp = (struct weir_experiment){ .arena = weir_tree_arena_new(), .measured_ppm = 1000000 };
    if (exp->arena == NULL)
        return weir_fail_memory(err);
    code = find(&exp->origin, exp->arena, name, err);
    if (code == 0)
        code = read_experiment(exp, err);
    if (code != 0)
        weir_experiment_free(exp);
    return code;
}

int weir_experiment_load(struct weir_experiment *exp, const char *name, struct weir_err *err)
{
    return load(exp, name, weir_origin_find, err);
}

int weir_experiment_load_file(struct weir_experiment *exp, const char *path, struct weir_err *err)
{
    return load(exp, path, weir_origin_of_file, err);
}
