/* src/results/reproduce/tuning_print.c - prints the curves of a tuning, the best values, and whether noise decides; see
 * tuning.h. */
#include "reproduce/comparison_text.h"
#include "reproduce/tuning.h"
#include "text/print.h"
#include <inttypes.h>
#include <string.h>

enum { CELL = 64, ESTIMATE = 128, LINE = 384 }; /* bytes */

/* Writes mean and half width of an estimate, each "" if there is none. sign: before a mean above 0 */
static void number_texts(char mean[CELL], char half[CELL], const struct weir_tuning *t, const struct weir_estimate *e,
                         const char *sign)
{
    double scale = weir_comparison_scale(&t->metric, 0);
    char number[WEIR_COMPARISON_NUMBER];
    mean[0] = half[0] = '\0';
    if (e->count > 0)
        (void)snprintf(mean, CELL, "%s%s", e->mean > 0 ? sign : "",
                       weir_comparison_number(number, e->mean / scale, false));
    if (e->count >= 3)
        (void)snprintf(half, CELL, "+- %s", weir_comparison_number(number, e->half_width / scale, false));
}

/* Writes "6.10 +- 0.20". Returns out. */
static const char *estimate_text(char out[ESTIMATE], const struct weir_tuning *t, const struct weir_estimate *e,
                                 const char *sign)
{
    char mean[CELL], half[CELL];
    number_texts(mean, half, t, e, sign);
    (void)snprintf(out, ESTIMATE, "%s%s%s", mean, half[0] != '\0' ? " " : "", half);
    return out;
}

/* Returns the trial of a value of a search. The trials of all its values were made. */
static const struct weir_tuning_trial *trial_of(const struct weir_tuning *t, const struct weir_tuning_search *s,
                                                uint64_t value)
{
    uint64_t at[WEIR_TUNING_KEYS_MAX];
    memcpy(at, s->at, sizeof(at));
    at[s->key] = value;
    for (uint32_t i = 0; i < t->trial_count; i++)
        if (memcmp(t->trial[i].at, at, t->key_count * sizeof(*at)) == 0)
            return &t->trial[i];
    return NULL;
}

/* --- curves --- */

static void print_head(FILE *out, const struct weir_tuning *t, const struct weir_tuning_search *s)
{
    const struct weir_tuning_key *key = &t->key[s->key];
    char lo[WEIR_TUNING_VALUE], hi[WEIR_TUNING_VALUE];
    (void)fprintf(out, "%s from %s to %s%s", key->path, weir_tuning_key_text(lo, key, s->search.lo),
                  weir_tuning_key_text(hi, key, s->search.hi),
                  weir_search_is_log(&s->search) ? ", on the logarithm" : "");
    for (uint32_t k = 0; k < t->key_count; k++)
        if (k != s->key)
            (void)fprintf(out, ", with %s=%s", t->key[k].path, weir_tuning_key_text(lo, &t->key[k], s->at[k]));
    (void)fputc('\n', out);
}

/* Writes the mark of a value: "*" for the best one, "~" for one that is as good, "!" for one in doubt. */
static const char *mark_of(const struct weir_search *s, uint32_t value)
{
    if (value == weir_search_best(s))
        return s->value[value].is_sound ? "*" : "*!";
    if (!s->value[value].is_sound)
        return "!";
    return weir_search_is_equal(s, value) ? "~" : "";
}

/* Prints a line without blanks at its end. */
static void print_trimmed(FILE *out, const char *line)
{
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        length--;
    (void)fprintf(out, "%.*s\n", (int)length, line);
}

static void print_value(FILE *out, const struct weir_tuning *t, const struct weir_tuning_search *s, uint32_t value)
{
    const struct weir_tuning_key *key = &t->key[s->key];
    const struct weir_search_value *v = &s->search.value[value];
    struct weir_estimate difference = weir_search_difference(&s->search, value);
    char name[WEIR_TUNING_VALUE], mean[CELL], half[CELL], from[CELL] = "", from_half[CELL] = "", line[LINE];
    number_texts(mean, half, t, &v->mean, "");
    if (value != weir_search_best(&s->search))
        number_texts(from, from_half, t, &difference, "+");
    (void)snprintf(line, sizeof(line), "  %-14s %-2s %8s %-9s  %8s %-9s  %s", weir_tuning_key_text(name, key, v->at),
                   mark_of(&s->search, value), mean[0] != '\0' ? mean : "-", half, from, from_half,
                   key->has_own && key->own == v->at ? "the file" : "");
    print_trimmed(out, line);
}

/* Prints how many values have runs that are not done or in doubt, and the reason of the first. */
static void print_doubts(FILE *out, const struct weir_tuning *t, const struct weir_tuning_search *s)
{
    const struct weir_tuning_trial *first = NULL;
    char name[WEIR_TUNING_VALUE] = "";
    uint32_t values = 0, seed = 0;
    for (uint32_t i = 0; i < s->search.count; i++) {
        const struct weir_tuning_trial *trial = trial_of(t, s, s->search.value[i].at);
        if (trial == NULL || s->search.value[i].is_sound || values++ > 0)
            continue;
        first = trial;
        (void)weir_tuning_key_text(name, &t->key[s->key], s->search.value[i].at);
    }
    if (first == NULL)
        return;
    (void)fprintf(out, "! %u of %u values have runs that failed or are in doubt; %s: ", (unsigned)values,
                  (unsigned)s->search.count, name);
    if (first->doubtful == 0) {
        (void)fprintf(out, "%u of %u runs are done\n", (unsigned)first->done, (unsigned)t->seeds);
        return;
    }
    while (!first->run[seed].is_done || first->run[seed].doubt[0] == '\0')
        seed++;
    weir_cli_text(out, first->run[seed].doubt);
    (void)fputc('\n', out);
}

static void print_search(FILE *out, const struct weir_tuning *t, const struct weir_tuning_search *s)
{
    print_head(out, t, s);
    (void)fprintf(out, "  %-14s    %8s %-9s  %s\n", "value", "mean", t->seeds >= 3 ? "+- 95 %" : "", "from the best");
    for (uint32_t i = 0; i < s->search.count; i++)
        print_value(out, t, s, i);
    print_doubts(out, t, s);
    (void)fputc('\n', out);
}

/* --- sentences --- */

static const struct weir_tuning_search *last_search(const struct weir_tuning *t, uint32_t key)
{
    const struct weir_tuning_search *last = NULL;
    for (uint32_t i = 0; i < t->search_count; i++)
        if (t->search[i].key == key && t->search[i].search.count > 0)
            last = &t->search[i];
    return last;
}

/* Prints the best values and their number. @return false = no value has a number */
static bool print_best(FILE *out, const struct weir_tuning *t)
{
    const struct weir_tuning_search *last = weir_tuning_last(t);
    uint32_t best;
    char text[ESTIMATE], title[WEIR_COMPARISON_TITLE], value[WEIR_TUNING_VALUE];
    if (last == NULL) {
        (void)fprintf(out, "no value has a number\n");
        return false;
    }
    best = weir_search_best(&last->search);
    (void)fprintf(out, "best: ");
    for (uint32_t k = 0; k < t->key_count; k++)
        (void)fprintf(out, "%s%s = %s", k > 0 ? ", " : "", t->key[k].path,
                      weir_tuning_key_text(value, &t->key[k], t->best[k]));
    (void)fprintf(out, "; %s %s%s\n", weir_comparison_title(title, &t->metric, 0),
                  estimate_text(text, t, &last->search.value[best].mean, ""),
                  last->search.value[best].is_sound ? "" : " (!)");
    if (!last->search.value[best].is_sound)
        (void)fprintf(out, "! no value is without doubt\n");
    return true;
}

/* Prints the values of a key that are as good as the best one, and whether the best value is an end of the range. */
static void print_noise(FILE *out, const struct weir_tuning *t, uint32_t key)
{
    const struct weir_tuning_search *s = last_search(t, key);
    char from[WEIR_TUNING_VALUE], to[WEIR_TUNING_VALUE];
    uint32_t first, last, best = s != NULL ? weir_search_best(&s->search) : UINT32_MAX;
    const char *path = t->key[key].path;
    if (best == UINT32_MAX)
        return;
    weir_search_range(&s->search, &first, &last);
    (void)weir_tuning_key_text(from, &t->key[key], s->search.value[first].at);
    (void)weir_tuning_key_text(to, &t->key[key], s->search.value[last].at);
    if (weir_search_end(&s->search) == WEIR_SEARCH_EQUAL)
        (void)fprintf(out, "noise: these seeds do not tell %s = %s to %s apart: all values give the same numbers\n",
                      path, from, to);
    else if (first < last)
        (void)fprintf(out, "noise: these seeds do not tell %s = %s to %s apart\n", path, from, to);
    if (weir_search_end(&s->search) != WEIR_SEARCH_EQUAL &&
        (s->search.value[best].at == t->key[key].lo || s->search.value[best].at == t->key[key].hi))
        (void)fprintf(out, "%s = %s is an end of the range: beyond it there may be a better value\n", path,
                      weir_tuning_key_text(from, &t->key[key], s->search.value[best].at));
}

/* Prints how far the value of the file is from the best one, if the only key has it. */
static void print_own(FILE *out, const struct weir_tuning *t)
{
    const struct weir_search *s = &t->search[0].search;
    char value[WEIR_TUNING_VALUE], text[ESTIMATE];
    for (uint32_t i = 0; t->key_count == 1 && t->key[0].has_own && i < s->count; i++) {
        struct weir_estimate d = weir_search_difference(s, i);
        if (s->value[i].at != t->key[0].own || i == weir_search_best(s) || d.count == 0)
            continue;
        (void)fprintf(out, "the file has %s: %s from the best%s\n",
                      weir_tuning_key_text(value, &t->key[0], t->key[0].own), estimate_text(text, t, &d, "+"),
                      weir_search_is_equal(s, i) ? ", within its interval" : "");
    }
}

/* Prints the options by which a run gets the best values. */
static void print_options(FILE *out, const struct weir_tuning *t)
{
    char value[WEIR_TUNING_VALUE];
    (void)fprintf(out, "weir run takes it by");
    for (uint32_t k = 0; k < t->key_count; k++)
        (void)fprintf(out, " --set '%s=%s'", t->key[k].path, weir_tuning_key_text(value, &t->key[k], t->best[k]));
    (void)fputc('\n', out);
}

void weir_tuning_print(FILE *out, const struct weir_tuning *t)
{
    const struct weir_comparison_metric *metric = &t->metric.metric[0];
    char title[WEIR_COMPARISON_TITLE];
    weir_cli_text(out, t->scenario);
    (void)fprintf(out, ": %s, %s is best; seed%s %" PRIu64, weir_comparison_title(title, &t->metric, 0),
                  metric->row.better == WEIR_METRIC_GREATEST ? "the greatest" : "the least", t->seeds > 1 ? "s" : "",
                  t->first_seed);
    if (t->seeds > 1)
        (void)fprintf(out, " to %" PRIu64, t->first_seed + t->seeds - 1);
    (void)fprintf(out, "; %u runs\n\n", (unsigned)(t->trial_count * t->seeds));
    for (uint32_t i = 0; i < t->search_count; i++)
        if (t->search[i].search.count > 0)
            print_search(out, t, &t->search[i]);
    (void)fprintf(out, "* best, ~ within its interval of the best, ! runs that failed or are in doubt\n");
    if (t->seeds < 3)
        (void)fprintf(out, "no intervals: they need three seeds\n");
    if (!print_best(out, t))
        return;
    for (uint32_t k = 0; k < t->key_count; k++)
        print_noise(out, t, k);
    print_own(out, t);
    print_options(out, t);
}
