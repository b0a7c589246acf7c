/* src/results/report/over_load.c - draws goodput, slowdown and ToR queue over the offered load. Sets of runs that
 * differ only in load form one curve. */
#include "report/html.h"
#include "report/sections.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS " ,;/|_-"
#define NAME_MAX_BYTES 256

struct loaded {                /* a set of runs, which is one point of a curve */
    char name[NAME_MAX_BYTES]; /* of the curve: the label without the load */
    struct weir_set set;
    double offered; /* mean offered load, Gbps */
};

static const struct {
    enum weir_run_value value;
    const char *title, *what;
} figures[] = {
    { WEIR_RUN_GOODPUT, "Goodput over load", "Payload that arrived for the first time, per host" },
    { WEIR_RUN_P50, "Median slowdown over load", "Slowdown of all messages, median" },
    { WEIR_RUN_P99, "99th percentile of slowdown over load", "Slowdown of all messages, 99th percentile" },
    { WEIR_RUN_TOR_MEAN, "Mean ToR queue over load", "Bytes queued at a first-hop switch, mean" },
    { WEIR_RUN_TOR_MAX, "Longest ToR queue over load", "Bytes queued at a first-hop switch, most" },
};

static bool is_number(const char *token, size_t length)
{
    size_t at = 0;
    while (at < length && (isdigit((unsigned char)token[at]) || token[at] == '.'))
        at++;
    return at > 0 && (at == length || (at + 1 == length && token[at] == '%'));
}

struct load {          /* the load that --set gave */
    const char *set;   /* its digits: "50" of 50%; lent */
    size_t set_length; /* 0 = --set gave no load */
};

/* Returns the digits of the first load in the settings: "50" of "traffic[0].load=50%". settings: values of --set, one
 * per line; NULL = none */
static struct load load_of(const char *settings)
{
    const char *at = settings != NULL ? strstr(settings, "load=") : NULL;
    if (at == NULL)
        return (struct load){ "", 0 };
    at += strlen("load=");
    return (struct load){ at, strspn(at, "0123456789.") };
}

/* Tests whether a token of a label is about the load: "50%", "load=50%", "load50" or "load". A number without % is
 * about the load if the token before it was "load" (after_load), or if it is the load that --set gave. */
static bool is_load(const struct load *load, const char *token, size_t length, bool after_load)
{
    if (length > 4 && strncmp(token, "load", 4) == 0) {
        size_t skip = 4 + (token[4] == '=' || token[4] == ':');
        return is_number(token + skip, length - skip);
    }
    if (is_number(token, length))
        return after_load || token[length - 1] == '%' ||
               (length == load->set_length && strncmp(token, load->set, length) == 0);
    return length == 4 && strncmp(token, "load", 4) == 0;
}

void weir_load_free_name(char *out, size_t size, const char *label, const char *settings)
{
    const struct load load = load_of(settings);
    bool after_load = false;
    size_t at = 0;
    out[0] = '\0';
    for (const char *token = label; *token != '\0';) {
        size_t gap = strspn(token, SEPARATORS), length = strcspn(token + gap, SEPARATORS);
        bool dropped = length > 0 && is_load(&load, token + gap, length, after_load);
        after_load = dropped && length == 4 && strncmp(token + gap, "load", 4) == 0;
        if (!dropped && length > 0) {
            size_t from = at > 0 ? 0 : gap, take = gap + length - from; /* no separator before the first part */
            if (at + take >= size)
                return;
            memcpy(out + at, token + from, take);
            at += take;
            out[at] = '\0';
        }
        token += gap + length;
    }
}

static int compare_loaded(const void *left, const void *right)
{
    const struct loaded *a = left, *b = right;
    int order = weir_natural_compare(a->name, b->name);
    if (order == 0)
        order = (a->offered > b->offered) - (a->offered < b->offered);
    return order != 0 ? order : (a->set.run > b->set.run) - (a->set.run < b->set.run);
}

static bool same_curve(const struct loaded *a, const struct loaded *b)
{
    return weir_natural_compare(a->name, b->name) == 0;
}

/* Returns the number of curves that `count` sorted sets form. Sets *rising to true if some curve has two different
 * loads, else to false. */
static size_t count_curves(const struct loaded *l, size_t count, bool *rising)
{
    size_t curves = count > 0;
    *rising = false;
    for (size_t i = 1; i < count; i++) {
        if (!same_curve(&l[i - 1], &l[i]))
            curves++;
        else if (l[i].offered > l[i - 1].offered)
            *rising = true;
    }
    return curves;
}

/* Returns the style of the curve that begins with l[at]: that of its law. Curves of one law differ in lightness, in
 * their order. */
static struct weir_line_style style_of(const struct loaded *l, size_t count, size_t at)
{
    const char *law = weir_run_text_of(l[at].set.run, WEIR_RUN_PROTOCOL);
    size_t before = 0, curves = 0;
    for (size_t i = 0; i < count; i++) {
        bool same_law = strcmp(weir_run_text_of(l[i].set.run, WEIR_RUN_PROTOCOL), law) == 0;
        if (!same_law || (i > 0 && same_curve(&l[i - 1], &l[i])))
            continue;
        curves++;
        before += i < at;
    }
    return weir_line_style_of(law, before, curves);
}

/* Adds some of the curves of the sorted sets l to a figure: curves first to first + most - 1, counted from 0. */
static int add_curves(struct weir_plot *plot, const struct loaded *l, size_t count, enum weir_run_value value,
                      size_t first, size_t most, struct weir_err *err)
{
    struct weir_curve *curve = NULL;
    size_t number = 0; /* of the present curve, counted from 1 */
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        const struct weir_spread y = weir_set_spread(&l[i].set, value);
        struct weir_plot_point p = {
            .x = l[i].offered, .y = y.mean, .low = y.low, .high = y.high, .in_doubt = weir_set_any_doubtful(&l[i].set)
        };
        bool starts = i == 0 || !same_curve(&l[i - 1], &l[i]);
        number += starts;
        if (number <= first || number > first + most)
            continue;
        if (starts)
            curve = weir_plot_curve(plot, l[i].name[0] != '\0' ? l[i].name : "all runs", err);
        if (curve != NULL && starts)
            curve->style = style_of(l, count, i);
        if (curve == NULL)
            code = (int)err->code;
        else
            code = weir_curve_add(curve, &p, err);
        if (curve != NULL && l[i].set.count > curve->runs)
            curve->runs = l[i].set.count;
    }
    return code;
}

static int plot_load(struct weir_page *page, const struct loaded *l, size_t count, size_t figure, size_t first,
                     size_t most, bool *open, struct weir_err *err)
{
    enum weir_run_value value = figures[figure].value;
    const struct weir_run_value_info info = weir_run_value_info(value);
    struct weir_plot plot = {
        .title = figures[figure].title,
        .kind = WEIR_PLOT_MARKS,
        .x = { .title = "Offered load per host", .unit = WEIR_UNIT_GBPS },
        .y = { .title = info.title, .unit = info.unit, .log = info.unit == WEIR_UNIT_RATIO, .least = 1 },
        .order = "by label",
    };
    int code = add_curves(&plot, l, count, value, first, most, err);
    (void)snprintf(plot.caption, sizeof(plot.caption), "%s, over what the hosts were offered.%s", figures[figure].what,
                   info.needs_stable ? " Longer runs would have other values where runs are in doubt." : "");
    if (code == 0)
        return weir_grid_plot(page, "Over load", open, &plot, err);
    weir_plot_free(&plot);
    return code;
}

/* Draws all curves; nothing if no curve has two different loads. If there are more than WEIR_PLOT_CURVES_MAX curves,
 * they are divided into several figures in the order of their names, about the same number in each. */
static int plot_all(struct weir_page *page, const struct loaded *l, size_t count, struct weir_err *err)
{
    bool open = false, rising;
    size_t curves = count_curves(l, count, &rising);
    size_t panels = (curves + WEIR_PLOT_CURVES_MAX - 1) / WEIR_PLOT_CURVES_MAX;
    size_t most = panels > 0 ? (curves + panels - 1) / panels : 0;
    int code = 0;
    for (size_t f = 0; f < sizeof(figures) / sizeof(figures[0]) && rising; f++)
        for (size_t first = 0; first < curves && code == 0; first += most)
            code = plot_load(page, l, count, f, first, most, &open, err);
    weir_grid_end(page, &open);
    return code;
}

int weir_section_load(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    struct loaded *l = calloc(group->count, sizeof(*l));
    size_t count = 0;
    int code;
    if (l == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to put runs in order of load");
    for (size_t i = 0; i < group->count;) {
        l[count].set = weir_set_first(&group->run[i], group->count - i);
        l[count].offered = weir_set_spread(&l[count].set, WEIR_RUN_OFFERED).mean;
        i += l[count].set.count;
        if (isnan(l[count].offered))
            continue;
        weir_load_free_name(l[count].name, sizeof(l[count].name), l[count].set.run->text[WEIR_RUN_LABEL],
                            l[count].set.run->text[WEIR_RUN_SETTINGS]);
        count++;
    }
    qsort(l, count, sizeof(*l), compare_loaded);
    code = plot_all(page, l, count, err);
    free(l);
    return code;
}
