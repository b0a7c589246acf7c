/* src/results/reproduce/spec.c - see spec.h. */
#include "reproduce/spec.h"
#include "output/metrics.h"
#include "output/series.h"
#include "param/number.h"
#include "reproduce/axes.h"
#include "reproduce/fields.h"
#include "reproduce/published.h"
#include "reproduce/spec_choice.h"
#include "reproduce/spec_unit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 6, DIGITS = 2 };
static const uint64_t divide_max = 1000000000;

/* Refuses an axis with a label that is no number, or that is 0 unless zero_fits. axis WEIR_AXIS_NONE = nothing to
 * check. node, key: the key that names the axis, for err */
static int check_labels(const struct weir_experiment *exp, const struct weir_tree *node, const char *key, uint32_t axis,
                        bool zero_fits, struct weir_err *err)
{
    struct weir_number n;
    for (uint32_t v = 0; axis != WEIR_AXIS_NONE && v < exp->axis[axis].count; v++) {
        const char *label = exp->axis[axis].value[v].label;
        if (weir_number_read(&n, label) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
            (n.whole == 0 && n.fraction == 0 && !zero_fits))
            return weir_fail(err, WEIR_E_SYNTAX, &node->at, NULL, "%s: the label %.80s of axis %s is no number%s", key,
                             label, exp->axis[axis].name, zero_fits ? "" : " above 0");
    }
    return 0;
}

/* Reads `divide`, `per`, `less` and `digits` of a reading; or of a table, as defaults for all readings. */
static int read_scale(const struct weir_experiment *exp, const struct weir_tree *node, struct weir_reading *scale,
                      struct weir_err *err)
{
    uint64_t digits = scale->digits;
    int code;
    if ((code = weir_field_whole(node, "divide", divide_max, &scale->divide, err)) != 0 ||
        (code = weir_field_whole(node, "digits", DIGITS_MAX, &digits, err)) != 0 ||
        (code = weir_experiment_axis_of(exp, node, "per", &scale->per, err)) != 0 ||
        (code = weir_experiment_axis_of(exp, node, "less", &scale->less, err)) != 0)
        return code;
    scale->digits = (uint32_t)digits;
    if (scale->divide == 0)
        return weir_fail(err, WEIR_E_RANGE, &node->at, NULL, "divide: must be above 0");
    code = check_labels(exp, node, "per", scale->per, false, err);
    return code != 0 ? code : check_labels(exp, node, "less", scale->less, true, err);
}

/* Copies `length` bytes of the text of a node, from byte `from`, to name->text: the name behind "growth:" or
 * "quantile:". Sets the position in *name to that of the node. Returns the copy; NULL = no memory. */
static const char *name_within(struct weir_experiment *exp, const struct weir_tree *node, size_t from, size_t length,
                               struct weir_tok *name)
{
    *name = node->at;
    name->text = weir_tree_arena_text(exp->arena, node->at.text + from, length);
    return name->text;
}

/* Checks a path such as "quantile:tor_queue:99", whose name begins at byte `from`. Sets *unit to the unit of the
 * histogram. */
static int check_quantile(struct weir_experiment *exp, const struct weir_tree *node, size_t from, const char **unit,
                          struct weir_err *err)
{
    const char *path = node->at.text, *percent = strrchr(path, ':');
    struct weir_tok name;
    struct weir_number n;
    if ((size_t)(percent - path) <= from || weir_number_read(&n, percent + 1) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        n.whole > 100 || (n.whole == 100 && n.fraction > 0))
        return weir_fail(err, WEIR_E_SYNTAX, &node->at, "for example quantile:tor_queue:99",
                         "%.80s: a histogram's name and a percentage of 0 to 100 belong behind quantile:", path);
    if (name_within(exp, node, from, (size_t)(percent - path) - from, &name) == NULL)
        return weir_fail_memory(err);
    return weir_histogram_need(&name, unit, err);
}

/* Checks a path such as "growth:tor_queue_mean", whose name begins at byte `from`. The series must be of the whole
 * network: there is no sum over hosts, ports or flows in a result file. */
static int check_growth(struct weir_experiment *exp, const struct weir_tree *node, size_t from, struct weir_err *err)
{
    struct weir_tok name;
    const char *unit;
    bool of_network;
    int code;
    if (name_within(exp, node, from, strlen(node->at.text) - from, &name) == NULL)
        return weir_fail_memory(err);
    code = weir_series_need(&name, &unit, &of_network, err);
    return code == 0 && !of_network
               ? weir_fail(err, WEIR_E_CONFLICT, &name, "for example growth:tor_queue_mean",
                           "growth:%.80s: each host, port or flow has one; growth is of a series of the whole network",
                           name.text)
               : code;
}

/* Reads the path of a reading and sets the unit of the reading. A path is the name of a number, the growth of a series,
 * or a quantile of a histogram. */
static int read_path(struct weir_experiment *exp, const struct weir_tree *node, struct weir_reading *reading,
                     struct weir_err *err)
{
    static const char quantile[] = "quantile:", growth[] = "growth:";
    struct weir_metric row;
    int code;
    reading->path = node->at.text;
    if (strncmp(reading->path, quantile, sizeof(quantile) - 1) == 0)
        return check_quantile(exp, node, sizeof(quantile) - 1, &reading->unit, err);
    if (strncmp(reading->path, growth, sizeof(growth) - 1) == 0) {
        reading->unit = weir_metric_unit_names[WEIR_METRIC_RATIO];
        return check_growth(exp, node, sizeof(growth) - 1, err);
    }
    code = weir_metric_need(&node->at, &row, err);
    if (code != 0)
        return code;
    reading->path = row.name; /* replaces an older name by the present one */
    reading->unit = weir_metric_unit_names[row.unit];
    return 0;
}

/* Reads the name of the number that divides the number of a reading. A quotient of numbers with one unit is a ratio; of
 * others the unit is not known. */
static int read_divisor(const struct weir_tree *node, struct weir_reading *reading, struct weir_err *err)
{
    struct weir_metric row;
    int code = weir_metric_need(&node->at, &row, err);
    if (code != 0)
        return code;
    reading->by = row.name;
    reading->unit = reading->unit != NULL && strcmp(reading->unit, weir_metric_unit_names[row.unit]) == 0
                        ? weir_metric_unit_names[WEIR_METRIC_RATIO]
                        : NULL;
    return 0;
}

/* Reads one reading: a path, or a map. The map has a path, or is about a series or about jobs. */
static int read_reading(struct weir_experiment *exp, const struct weir_tree *node, struct weir_reading *reading,
                        struct weir_err *err)
{
    static const char *const keys[] = { "path", "by", "divide", "per", "less", "digits", NULL };
    const struct weir_tree *path, *by;
    int code;
    if (node->kind == WEIR_TREE_VALUE)
        return read_path(exp, node, reading, err);
    if (node->kind != WEIR_TREE_MAP)
        return weir_fail(err, WEIR_E_SYNTAX, &node->at, NULL,
                         "%.80s: a key of a run's JSON, or a map about a series or about jobs belongs here",
                         node->key.text);
    if ((code = read_scale(exp, node, reading, err)) != 0)
        return code;
    if (weir_tree_find(node, "each") != NULL)
        return weir_each_spec_read(exp->arena, node, &reading->each, err);
    if (weir_tree_find(node, "path") == NULL) {
        code = weir_series_spec_read(exp->arena, node, &reading->series, err);
        reading->unit = code == 0 ? reading->series->unit : NULL;
        return code;
    }
    code = weir_field_keys(node, "a value", keys, err);
    if (code == 0)
        code = weir_field_node(node, "path", WEIR_TREE_VALUE, &path, err);
    if (code == 0)
        code = weir_field_node(node, "by", WEIR_TREE_VALUE, &by, err);
    if (code == 0)
        code = read_path(exp, path, reading, err);
    return code != 0 || by == NULL ? code : read_divisor(by, reading, err);
}

/* Reads `value: path`, or `values: {label: path, ..}`, into spec->reading. */
static int read_readings(struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                         struct weir_err *err)
{
    const struct weir_tree *one = weir_tree_find(node, "value"), *many;
    struct weir_reading all = {
        .label = "", .divide = 1, .per = WEIR_AXIS_NONE, .less = WEIR_AXIS_NONE, .digits = DIGITS
    };
    int code = weir_field_node(node, "values", WEIR_TREE_MAP, &many, err);
    if (code != 0)
        return code;
    if ((one == NULL) == (many == NULL))
        return weir_fail(err, WEIR_E_SYNTAX, &node->at, "for example value: goodput_completed_gbps",
                         "a table: either 'value' or 'values' says what is read off");
    code = read_scale(exp, node, &all, err);
    spec->reading_count = one != NULL ? 1 : many->count;
    spec->reading = weir_tree_arena_take(exp->arena, spec->reading_count * sizeof(*spec->reading));
    if (spec->reading == NULL)
        return weir_fail_memory(err);
    one = one != NULL ? one : many->first;
    for (uint32_t i = 0; i < spec->reading_count && code == 0; i++, one = one->next) {
        spec->reading[i] = all;
        if (many != NULL)
            spec->reading[i].label = one->key.text;
        code = read_reading(exp, one, &spec->reading[i], err);
    }
    return code;
}

/* Returns the published numbers of a file that another table has read already; NULL = none has. */
static const struct weir_published *find_published(const struct weir_experiment *exp, const char *file)
{
    for (const struct weir_figure *f = exp->figure; f < exp->figure + exp->figure_count; f++)
        for (const struct weir_table_spec *t = f->table; t < f->table + f->table_count; t++)
            if (t->published != NULL && strcmp(t->published_file, file) == 0)
                return t->published;
    return NULL;
}

static int read_published(const struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                          struct weir_err *err)
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
    spec->published = find_published(exp, spec->published_file);
    if (spec->published == NULL)
        code = weir_published_read(&spec->published, exp, &weir_tree_find(map, "file")->at, err);
    return code != 0 ? code : weir_published_metric(spec->published, &weir_tree_find(map, "metric")->at, err);
}

/* Refuses keys that do not fit a number of jobs, for which each job is divided by itself in the other run first. These
 * are best, mean, median, most, relative_of, reduction_of and reduction_to. Also refuses `fold: less` without
 * relative_to. */
static int check_each(const struct weir_tree *node, const struct weir_table_spec *spec, struct weir_err *err)
{
    for (uint32_t r = 0; r < spec->reading_count; r++) {
        const struct weir_each_spec *each = spec->reading[r].each;
        if (each != NULL && (spec->best_axis != WEIR_AXIS_NONE || spec->fold != WEIR_CASES_APART))
            return weir_fail(err, WEIR_E_CONFLICT, &node->at, NULL,
                             "best, mean, median and most: not with what is read off jobs");
        if (each != NULL && spec->of_axis != WEIR_AXIS_NONE)
            return weir_fail(err, WEIR_E_CONFLICT, &node->at, "say relative_to",
                             "relative_of and reduction_of: not with what is read off jobs");
        if (each != NULL && spec->reduction)
            return weir_fail(err, WEIR_E_CONFLICT, &node->at, "say relative_to",
                             "reduction_to: not with what is read off jobs");
        if (each != NULL && each->fold == WEIR_EACH_LESS && spec->base_axis == WEIR_AXIS_NONE)
            return weir_fail(err, WEIR_E_CONFLICT, &node->at, "say relative_to", "fold: less: less than in which run?");
    }
    return 0;
}

static const char *name_of(const struct weir_reading *reading)
{
    return reading->path != NULL ? reading->path : reading->series != NULL ? reading->series->name : "a number of jobs";
}

/* Checks the unit of the table against the units of its numbers. Skips quotients (relative_to, reduction_to, best) and
 * numbers with `per`, whose unit is another one, and numbers of jobs, whose unit is not known. */
static int check_unit(const struct weir_tree *node, const struct weir_table_spec *spec, struct weir_err *err)
{
    const struct weir_tree *unit = weir_tree_find(node, "unit");
    int code = 0;
    for (uint32_t r = 0; code == 0 && r < spec->reading_count && unit != NULL && !weir_spec_is_quotient(spec); r++) {
        const struct weir_reading *reading = &spec->reading[r];
        const struct weir_spec_number number = { .name = name_of(reading),
                                                 .unit = reading->unit,
                                                 .divide = reading->divide };
        if (reading->unit != NULL && reading->per == WEIR_AXIS_NONE)
            code = weir_spec_unit(&unit->at, &number, err);
    }
    return code;
}

/* Reads the keys about how the table is shown: name, title, unit, note and columns. */
static int read_display(const struct weir_tree *node, struct weir_table_spec *spec, struct weir_err *err)
{
    int code;
    if ((code = weir_field_text(node, "name", &spec->name, err)) != 0 ||
        (code = weir_field_text(node, "title", &spec->title, err)) != 0 ||
        (code = weir_field_text(node, "unit", &spec->unit, err)) != 0 ||
        (code = weir_field_text(node, "note", &spec->note, err)) != 0 ||
        (code = weir_field_flag(node, "columns", &spec->columns, err)) != 0)
        return code;
    if (spec->name == NULL || spec->title == NULL)
        return weir_field_missing(node, "a table", spec->name == NULL ? "name" : "title", err);
    if (spec->columns && spec->reading_count > WEIR_COLUMNS_MAX)
        return weir_fail(err, WEIR_E_RANGE, &node->at, NULL, "columns: more than %u values", WEIR_COLUMNS_MAX);
    return spec->columns && weir_tree_find(node, "published") != NULL
               ? weir_fail(err, WEIR_E_CONFLICT, &node->at, NULL, "columns: not together with published")
               : 0;
}

/* Reads `band`, `resolution`, `no_band`, `fitted` and `missed`. Published numbers need a band, which is not below the
 * resolution, or no_band. */
static int read_band(const struct weir_tree *node, struct weir_table_spec *spec, struct weir_err *err)
{
    uint64_t resolution_ppm = 0;
    int code;
    if ((code = weir_field_ppm(node, "band", &spec->band_ppm, err)) != 0 ||
        (code = weir_field_ppm(node, "resolution", &resolution_ppm, err)) != 0 ||
        (code = weir_field_text(node, "no_band", &spec->no_band, err)) != 0 ||
        (code = weir_field_text(node, "fitted", &spec->fitted, err)) != 0 ||
        (code = weir_field_text(node, "missed", &spec->missed, err)) != 0)
        return code;
    const struct weir_tree *band = weir_tree_find(node, "band");
    if (band != NULL && spec->published_file == NULL)
        return weir_fail(err, WEIR_E_CONFLICT, &band->at, "say published, or leave it out", "band: of what?");
    if (band != NULL && spec->no_band != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, &band->at, NULL, "band: not together with no_band");
    if (band != NULL && spec->band_ppm == 0)
        return weir_fail(err, WEIR_E_RANGE, &band->at, "no_band: REASON leaves a table unchecked",
                         "band: 0: nothing would pass");
    if (band != NULL && spec->band_ppm < resolution_ppm)
        return weir_fail(err, WEIR_E_RANGE, &band->at, NULL, "band: below the resolution of what was published, %g %%",
                         (double)resolution_ppm / 1e4);
    if (band == NULL && spec->no_band == NULL && spec->published_file != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, &node->at, "say band: 5%, or no_band: why there is none",
                         "table %.80s: has published numbers and no band", spec->name);
    return 0;
}

/* Tests whether the first reading is the share of the jobs that have less than in another run. If the mechanism has no
 * effect, the share is 0. */
static bool counts_less(const struct weir_table_spec *spec)
{
    return spec->reading[0].each != NULL && spec->reading[0].each->fold == WEIR_EACH_LESS;
}

/* Tests whether published numbers are checked against a reading whose unit is a ratio. */
static bool checks_a_ratio(const struct weir_table_spec *spec)
{
    bool any = false;
    for (uint32_t r = 0; r < spec->reading_count; r++)
        any |= spec->reading[r].unit != NULL && strcmp(spec->reading[r].unit, "ratio") == 0;
    return any && spec->band_ppm > 0;
}

/* Sets spec->no_effect, the number that a run without the mechanism would give, from key `no_effect`. Without the key
 * the number is 1 of a quotient, 0 of a reduction or a share of jobs, and else unknown. A checked ratio that is read
 * off a run needs the key, if only to say that there is no one such number: a band that contains it proves little. */
static int read_no_effect(const struct weir_tree *node, struct weir_table_spec *spec, struct weir_err *err)
{
    const char *text = NULL;
    char *end;
    int code = weir_field_text(node, "no_effect", &text, err);
    if (code != 0)
        return code;
    spec->has_no_effect = weir_spec_is_quotient(spec);
    spec->no_effect = spec->reduction || counts_less(spec) ? 0 : 1;
    if (text == NULL && !spec->has_no_effect && spec->order_axis == WEIR_AXIS_NONE && checks_a_ratio(spec))
        return weir_fail(err, WEIR_E_SYNTAX, &node->at, "for example 1; or none, if it differs from cell to cell",
                         "table %.80s compares a ratio: no_effect, what a run without the mechanism would measure, is "
                         "missing",
                         spec->name);
    if (text == NULL)
        return 0;
    spec->has_no_effect = false;
    if (strcmp(text, "none") == 0)
        return 0;
    spec->no_effect = strtod(text, &end);
    spec->has_no_effect = true;
    if (end == text || *end != '\0' || !isfinite(spec->no_effect))
        return weir_fail(err, WEIR_E_RANGE, &weir_tree_find(node, "no_effect")->at, NULL,
                         "no_effect: %.80s: must be a number in the table's unit, or none", text);
    return 0;
}

int weir_spec_read(struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                   struct weir_err *err)
{
    static const char *const keys[] = { "name",        "title",        "unit",       "note",    "value",
                                        "values",      "where",        "over",       "per",     "divide",
                                        "relative_to", "reduction_to", "published",  "band",    "average",
                                        "peak",        "digits",       "unstable",   "growth",  "columns",
                                        "best",        "mean",         "resolution", "no_band", "no_effect",
                                        "fitted",      "missed",       "less",       "median",  "order",
                                        "relative_of", "reduction_of", "main",       "most",    NULL };
    int code;
    *spec = (struct weir_table_spec){
        .unit = "",
        .over = WEIR_AXIS_NONE,
        .average = WEIR_AXIS_NONE,
        .best_axis = WEIR_AXIS_NONE,
        .base_axis = WEIR_AXIS_NONE,
        .of_axis = WEIR_AXIS_NONE,
        .order_axis = WEIR_AXIS_NONE,
        .growth_ppm = 1500000,
    };
    if ((code = weir_field_keys(node, "a table", keys, err)) != 0 ||
        (code = read_readings(exp, node, spec, err)) != 0 || (code = read_display(node, spec, err)) != 0 ||
        (code = weir_spec_choice(exp, node, spec, err)) != 0 || (code = check_unit(node, spec, err)) != 0 ||
        (code = check_each(node, spec, err)) != 0 || (code = read_published(exp, node, spec, err)) != 0 ||
        (code = read_band(node, spec, err)) != 0 || (code = read_no_effect(node, spec, err)) != 0 ||
        (code = weir_field_ppm(node, "growth", &spec->growth_ppm, err)) != 0)
        return code;
    return weir_field_flag(node, "peak", &spec->peak, err);
}

int weir_spec_tables(struct weir_experiment *exp, const struct weir_tree *list, struct weir_figure *figure,
                     struct weir_err *err)
{
    int code = 0;
    if (list->count > WEIR_TABLES_MAX)
        return weir_fail(err, WEIR_E_RANGE, &list->at, NULL, "more than %u tables in one figure", WEIR_TABLES_MAX);
    for (const struct weir_tree *child = list->first; child != NULL && code == 0; child = child->next) {
        struct weir_table_spec *table = &figure->table[figure->table_count++];
        code = weir_spec_read(exp, child, table, err);
        for (const struct weir_table_spec *t = figure->table; t < table && code == 0; t++)
            if (strcmp(t->name, table->name) == 0)
                code = weir_field_twice(child, table->name, "tables of a figure", err);
    }
    return code;
}
