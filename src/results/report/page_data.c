/* src/results/report/page_data.c - see page_data.h. */
#include "report/page_data.h"
#include "core/assert.h"
#include "report/figure_data.h"
#include "report/sections.h"
#include "text/memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DISTRIBUTION_POINTS 400
#define DISTRIBUTION_MANY 60 /* on a page of more than SETS_MANY sets */
#define SETS_MANY 24

struct data { /* what the page is made of */
    struct weir_json json;
    const struct weir_runs *runs;
    struct weir_data_table metrics, keys, groups;
    FILE *left_out; /* a sentence on each line */
    bool thinned;   /* a distribution */
};

static void put_runs(struct data *data)
{
    struct weir_json *json = &data->json;
    weir_json_open_list(json, "runs");
    for (size_t i = 0; i < data->runs->count; i++) {
        const struct weir_run *run = &data->runs->run[i];
        weir_json_open(json, NULL);
        weir_json_string(json, "seed", run->text[WEIR_RUN_SEED]);
        weir_json_string(json, "status", run->text[WEIR_RUN_STATUS]);
        weir_json_string(json, "verdict", run->text[WEIR_RUN_VERDICT]);
        weir_json_string(json, "note", weir_run_note(run));
        weir_json_string(json, "why", run->doubt != NULL ? weir_settle_why(run->settles) : NULL);
        weir_json_string(json, "digest", run->text[WEIR_RUN_DIGEST]);
        weir_json_string(json, "file", weir_runs_file(data->runs, run->db));
        weir_json_u64(json, "id", (uint64_t)run->id);
        weir_data_put_texts(json, "keys", &data->keys, i);
        weir_data_put_texts(json, "groups", &data->groups, i);
        weir_json_open_list(json, "values");
        for (size_t c = 0; c < data->metrics.columns; c++)
            weir_json_exact(json, NULL, data->metrics.value[i * data->metrics.columns + c]);
        weir_json_close_list(json);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

/* Puts the distribution of slowdown of a set, as the figure of the static page has it. */
static int put_distribution(struct data *data, const struct weir_set *set, size_t points_max, struct weir_err *err)
{
    const struct weir_curve_source source = { .kind = WEIR_SOURCE_HISTOGRAM, .name = "slowdown" };
    struct weir_plot plot = { .kind = WEIR_PLOT_CDF, .x = { .log = true } };
    struct weir_curve *curve = weir_section_curve(&plot, set, err);
    int code;
    if (curve == NULL)
        return (int)err->code;
    code = weir_set_curve(curve, set, &source, err);
    if (code == 0 && curve->count > 0) {
        weir_json_open(&data->json, "slowdown");
        data->thinned = weir_data_curve(&data->json, &plot, curve, NULL, points_max) || data->thinned;
        weir_json_close(&data->json);
    }
    weir_plot_free(&plot);
    return code;
}

static int put_set(struct data *data, size_t first, const struct weir_set *set, size_t part, size_t points_max,
                   struct weir_err *err)
{
    struct weir_json *json = &data->json;
    int code;
    WEIR_ASSERT(set->count > 0);
    weir_json_open(json, NULL);
    weir_json_u64(json, "part", part);
    weir_json_u64(json, "first", first);
    weir_json_u64(json, "count", set->count);
    weir_json_string(json, "label", set->run->text[WEIR_RUN_LABEL]);
    weir_json_string(json, "protocol", weir_run_text_of(set->run, WEIR_RUN_PROTOCOL));
    weir_data_style(json, &set->run->style);
    weir_json_open(json, "law"); /* the style of its law, where the shades of variants would differ */
    const struct weir_line_style law = weir_line_style_of(weir_run_text_of(set->run, WEIR_RUN_PROTOCOL), 0, 1);
    weir_data_style(json, &law);
    weir_json_close(json);
    weir_data_put_spread(json, &data->metrics, data->runs, first, set->count);
    code = put_distribution(data, set, points_max, err);
    weir_json_close(json);
    return code;
}

static int put_sets(struct data *data, struct weir_err *err)
{
    const struct weir_runs *runs = data->runs;
    size_t part = 0, sets = weir_set_count(runs->run, runs->count);
    struct weir_set set;
    int code = 0;
    weir_json_open_list(&data->json, "sets");
    for (size_t i = 0; i < runs->count && code == 0; i += set.count) {
        set = weir_set_first(&runs->run[i], runs->count - i);
        part += i > 0 && !weir_runs_same_group(&runs->run[i - 1], &runs->run[i]);
        code = put_set(data, i, &set, part, sets > SETS_MANY ? DISTRIBUTION_MANY : DISTRIBUTION_POINTS, err);
    }
    weir_json_close_list(&data->json);
    return code;
}

/* Puts the titles of the parts of the page. */
static void put_parts(struct data *data)
{
    const struct weir_runs *runs = data->runs;
    weir_json_open_list(&data->json, "parts");
    for (size_t i = 0; i < runs->count; i++) {
        const char *experiment = weir_run_text_of(&runs->run[i], WEIR_RUN_EXPERIMENT);
        const char *figure = weir_run_text_of(&runs->run[i], WEIR_RUN_FIGURE);
        char title[256];
        if (i > 0 && weir_runs_same_group(&runs->run[i - 1], &runs->run[i]))
            continue;
        (void)snprintf(title, sizeof(title), "%.120s%s%.120s", experiment,
                       experiment[0] != '\0' && figure[0] != '\0' ? ", " : "", figure);
        weir_json_string(&data->json, NULL, title[0] != '\0' ? title : "Results");
    }
    weir_json_close_list(&data->json);
}

static void put_names(struct data *data)
{
    weir_json_open_list(&data->json, "keys");
    for (size_t i = 0; i < data->keys.columns; i++)
        weir_json_string(&data->json, NULL, data->keys.name[i]);
    weir_json_close_list(&data->json);
    if (data->keys.left_out > 0)
        (void)fprintf(data->left_out, "settings: runs differ in more than the %u that can be chosen\n",
                      WEIR_DATA_KEYS_MAX);
    if (data->metrics.left_out > 0)
        (void)fprintf(data->left_out, "numbers: the page has %u of them\n", WEIR_DATA_METRICS_MAX);
    if (data->thinned)
        (void)fprintf(data->left_out, "distributions: each curve has %d points\n", DISTRIBUTION_MANY);
}

/* Puts the sentences about what the page does not hold. */
static int put_left_out(struct data *data, char *lines, struct weir_err *err)
{
    char *line, *rest = lines;
    if (lines == NULL)
        return weir_fail_memory(err);
    weir_json_open_list(&data->json, "left_out");
    while ((line = strtok_r(rest, "\n", &rest)) != NULL)
        weir_json_string(&data->json, NULL, line);
    weir_json_close_list(&data->json);
    return 0;
}

static int put_data(struct data *data, struct weir_err *err)
{
    struct weir_json *json = &data->json;
    struct weir_memory lines;
    int code;
    data->left_out = weir_memory_open(&lines);
    if (data->left_out == NULL)
        return weir_fail_memory(err);
    weir_json_open(json, NULL);
    put_parts(data);
    weir_data_put_metrics(json, &data->metrics);
    code = put_sets(data, err);
    put_runs(data);
    if (code == 0)
        code = weir_data_put_messages(json, data->runs, data->left_out, err);
    if (code == 0)
        code = weir_data_put_ports(json, data->runs, data->left_out, err);
    put_names(data);
    if (!weir_memory_close(&lines) && code == 0)
        code = weir_fail_memory(err);
    if (code == 0)
        code = put_left_out(data, lines.bytes, err);
    weir_json_close(json);
    free(lines.bytes);
    return code;
}

int weir_page_data(char **text, const struct weir_runs *runs, struct weir_err *err)
{
    struct weir_memory memory;
    struct data data = { .json = weir_json_line(weir_memory_open(&memory)), .runs = runs };
    int code;
    WEIR_ASSERT(runs->count > 0);
    code = memory.file != NULL ? weir_data_metrics(&data.metrics, runs, err) : weir_fail_memory(err);
    if (code == 0)
        code = weir_data_keys(&data.keys, &data.groups, runs, err);
    if (code == 0)
        code = put_data(&data, err);
    weir_data_table_free(&data.metrics, runs->count);
    weir_data_table_free(&data.keys, runs->count);
    weir_data_table_free(&data.groups, runs->count);
    if (!weir_memory_close(&memory) && code == 0)
        code = weir_fail_memory(err);
    *text = memory.bytes;
    return code;
}
