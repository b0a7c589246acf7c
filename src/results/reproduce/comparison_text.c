/* src/results/reproduce/comparison_text.c - see comparison_text.h. */
#include "reproduce/comparison_text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *weir_comparison_number(char out[WEIR_COMPARISON_NUMBER], double value, bool is_whole)
{
    double size = fabs(value);
    int digits = is_whole && value == floor(value) ? 0 : size < 0.0995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    (void)snprintf(out, WEIR_COMPARISON_NUMBER, "%.*f", size == 0 ? 0 : digits, value);
    return out;
}

double weir_comparison_scale(const struct weir_comparison *c, uint32_t metric)
{
    return c->metric[metric].row.unit == WEIR_METRIC_BYTES ? 1e3 : 1;
}

const char *weir_comparison_title(char out[WEIR_COMPARISON_TITLE], const struct weir_comparison *c, uint32_t metric)
{
    static const char *const unit[WEIR_METRIC_UNITS] = { [WEIR_METRIC_BYTES] = " (KB)",
                                                         [WEIR_METRIC_GBPS] = " (Gbps)",
                                                         [WEIR_METRIC_GBYTES_PER_SECOND] = " (GB/s)",
                                                         [WEIR_METRIC_SECONDS] = " (s)",
                                                         [WEIR_METRIC_MICROSECONDS] = " (us)",
                                                         [WEIR_METRIC_PER_SECOND] = " (/s)" };
    const struct weir_metric *row = &c->metric[metric].row;
    const char *name = c->metric[metric].name, *bracket = strchr(name, ']'); /* of a law: "laws[1].goodput_gbps" */
    int length = bracket != NULL ? (int)(bracket - name) + 1 : 0;
    (void)snprintf(out, WEIR_COMPARISON_TITLE, "%.90s%s%.*s%s", row->title, length > 0 ? " of " : "", length, name,
                   unit[row->unit] != NULL ? unit[row->unit] : "");
    return out;
}

static bool has_numbers(const struct weir_comparison *c, uint32_t metric, bool of_all)
{
    uint32_t have = 0;
    for (uint32_t l = 0; l < c->law_count; l++)
        have += c->law[l].metric[metric].count > 0;
    return of_all ? have == c->law_count : have > 0;
}

bool weir_comparison_is_shown(const struct weir_comparison *c, uint32_t metric)
{
    uint32_t first = WEIR_COMPARISON_NONE, last = WEIR_COMPARISON_NONE;
    if (c->metric[metric].is_of_law)
        return false;
    if (c->metric[metric].is_asked)
        return true;
    if (!c->metric[metric].is_group)
        return has_numbers(c, metric, false);
    for (uint32_t m = 0; m < c->metric_count; m++) {
        if (c->metric[m].is_of_jobs)
            return false;
        if (!c->metric[m].is_group || !has_numbers(c, m, true))
            continue;
        first = first == WEIR_COMPARISON_NONE ? m : first;
        last = m;
    }
    return metric == first || metric == last;
}

uint32_t weir_comparison_sound_count(const struct weir_comparison *c)
{
    uint32_t sound = 0;
    for (uint32_t l = 0; l < c->law_count; l++)
        sound += weir_comparison_is_sound(c, l);
    return sound;
}

bool weir_comparison_is_marked(const struct weir_comparison *c, uint32_t law)
{
    return weir_comparison_sound_count(c) > 0 && !weir_comparison_is_sound(c, law);
}
