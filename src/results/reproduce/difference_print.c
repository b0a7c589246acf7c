/* src/results/reproduce/difference_print.c - see difference_print.h. */
#include "reproduce/difference_print.h"
#include "text/print.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CELL = 64, NUMBER = 24, NAME_LEAST = 12 }; /* bytes; columns */

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

/* --- before the numbers --- */

static void print_file(FILE *out, const char *title, const struct weir_difference_file *file)
{
    (void)fprintf(out, "%-7s ", title);
    weir_cli_text(out, file->path);
    (void)fprintf(out, "  weir ");
    weir_cli_text(out, file->program != NULL ? file->program : "of several versions");
    if (file->older > 0)
        (void)fprintf(out, "; %u older run%s of the same name left out", (unsigned)file->older, plural(file->older));
    (void)fputc('\n', out);
}

static void print_keys(FILE *out, const struct weir_difference *d)
{
    if (d->key_count == 0) {
        (void)fprintf(out, "keys    none differs\n");
        return;
    }
    (void)fprintf(out, "keys that differ\n");
    for (uint32_t i = 0; i < d->key_count; i++) {
        const struct weir_difference_key *key = &d->key[i];
        (void)fputs("  ", out);
        weir_cli_text(out, key->path);
        (void)fputs(": ", out);
        weir_cli_text(out, key->before);
        (void)fputs(" -> ", out);
        weir_cli_text(out, key->after);
        if (d->group_count > 1)
            (void)fprintf(out, "  (in %u of %u points%s)", (unsigned)key->groups, (unsigned)d->group_count,
                          key->groups > 1 ? "; of the first" : "");
        (void)fputc('\n', out);
    }
    if (d->keys_cut)
        (void)fprintf(out, "  and more keys: more than %u\n", WEIR_DIFFERENCE_KEYS_MAX);
}

static void print_run(FILE *out, const struct weir_difference_run *run)
{
    weir_cli_text(out, run->label);
    (void)fprintf(out, ", seed %" PRIu64, run->seed);
}

static void print_alone(FILE *out, const struct weir_difference *d, uint32_t s)
{
    for (uint32_t i = 0; i < d->alone_count[s] && i < WEIR_DIFFERENCE_LINES; i++) {
        const struct weir_difference_run *run = d->alone[s][i];
        (void)fputs("  only in ", out);
        weir_cli_text(out, d->file[s].path);
        (void)fputs(": ", out);
        print_run(out, run);
        if (run->partner != NULL) {
            (void)fputs("; in the other file it is ", out);
            weir_cli_text(out, run->partner);
        }
        (void)fputc('\n', out);
    }
    if (d->alone_count[s] > WEIR_DIFFERENCE_LINES)
        (void)fprintf(out, "  and %u more; --json has them all\n",
                      (unsigned)(d->alone_count[s] - WEIR_DIFFERENCE_LINES));
}

static void print_runs(FILE *out, const struct weir_difference *d)
{
    (void)fprintf(out, "runs    %u pair%s of %u point%s", (unsigned)d->pair_count, plural(d->pair_count),
                  (unsigned)d->group_count, plural(d->group_count));
    for (uint32_t s = 0; s < 2; s++)
        if (d->alone_count[s] > 0) {
            (void)fprintf(out, ", %u only in ", (unsigned)d->alone_count[s]);
            weir_cli_text(out, d->file[s].path);
        }
    (void)fputc('\n', out);
    print_alone(out, d, 0);
    print_alone(out, d, 1);
}

/* Names the numbers that one file alone has, as a newer Weir adds some. */
static void print_one_sided(FILE *out, const struct weir_difference *d)
{
    for (uint32_t s = 0; s < 2; s++) {
        uint32_t count = 0;
        const char *first = NULL;
        for (uint32_t m = 0; m < d->metric_count; m++)
            if (d->metric[m].has[s] && !d->metric[m].has[1 - s]) {
                first = count++ == 0 ? d->metric[m].name : first;
            }
        if (count == 0)
            continue;
        (void)fprintf(out, "not compared: %u number%s that only ", (unsigned)count, plural(count));
        weir_cli_text(out, d->file[s].path);
        (void)fprintf(out, " has, as %s\n", first);
    }
}

/* Says what is not compared where one run of a pair alone has exact statistics. */
static void print_unlike(FILE *out, const struct weir_difference *d)
{
    if (d->unlike > 0)
        (void)fprintf(out,
                      "not compared: longest queues of %u of %u pairs, since run.statistics is sampled on one side: a "
                      "longest sample is no longest queue\n",
                      (unsigned)d->unlike, (unsigned)d->pair_count);
}

/* Prints how many runs are in doubt, and the reason of the first of each file. */
static void print_doubts(FILE *out, const struct weir_difference *d)
{
    for (uint32_t s = 0; s < 2; s++) {
        const struct weir_difference_file *file = &d->file[s];
        if (file->doubted == NULL)
            continue;
        (void)fprintf(out, "! %u of %u runs of ", (unsigned)file->doubtful, (unsigned)d->pair_count);
        weir_cli_text(out, file->path);
        (void)fputs(" are in doubt; ", out);
        print_run(out, file->doubted);
        (void)fputs(": ", out);
        weir_cli_text(out, file->doubt);
        (void)fputc('\n', out);
    }
}

/* --- the numbers --- */

/* Writes a number with up to six digits; "none" for NAN. */
static const char *number_text(char out[NUMBER], double value, const char *sign)
{
    if (isnan(value))
        (void)snprintf(out, NUMBER, "none");
    else
        (void)snprintf(out, NUMBER, "%s%.6g", value > 0 ? sign : "", value);
    return out;
}

static const char *change_text(char out[CELL], const struct weir_difference_number *n)
{
    char mean[NUMBER];
    if (n->change.count == 0)
        (void)snprintf(out, CELL, "%u of one file alone", (unsigned)n->one_sided);
    else if (n->change.count >= 3)
        (void)snprintf(out, CELL, n->change.half_width < 1000 ? "%s +- %.3g" : "%s +- %.0f",
                       number_text(mean, n->change.mean, "+"), n->change.half_width);
    else
        (void)snprintf(out, CELL, "%s", number_text(mean, n->change.mean, "+"));
    return out;
}

/* Returns a remark: by how many percent the number moved, and whether that is better. */
static const char *remark(char out[CELL], const struct weir_difference_metric *metric,
                          const struct weir_difference_number *n)
{
    bool is_less = n->change.mean < 0;
    const char *judged = metric->row.better == WEIR_METRIC_NEITHER || n->change.mean == 0 ? ""
                         : is_less == (metric->row.better == WEIR_METRIC_LEAST)           ? "better"
                                                                                          : "worse";
    out[0] = '\0';
    if (n->change.count > 0 && n->before != 0)
        (void)snprintf(out, CELL, "%+.3g %%  %s", 100 * n->change.mean / fabs(n->before), judged);
    else if (n->change.count > 0)
        (void)snprintf(out, CELL, "%s", judged);
    if (n->change.count > 0 && n->one_sided > 0)
        (void)snprintf(out + strlen(out), CELL - strlen(out), "  (%u of one file alone)", (unsigned)n->one_sided);
    for (size_t end = strlen(out); end > 0 && out[end - 1] == ' '; end--)
        out[end - 1] = '\0';
    return out;
}

enum { NAME, BEFORE, AFTER, CHANGE, COLUMNS };

static void cell_text(char out[CELL], const struct weir_difference *d, const struct weir_difference_number *n,
                      uint32_t metric, int column)
{
    bool none = n->change.count == 0;
    if (column == NAME)
        (void)snprintf(out, CELL, "%s", d->metric[metric].name);
    else if (column == CHANGE)
        (void)change_text(out, n);
    else
        (void)number_text(out, none ? (double)NAN : column == BEFORE ? n->before : n->after, "");
}

/* Collects the numbers of a group that moved: first those of the usual comparison, then the others. @return how many */
static uint32_t order_moved(const struct weir_difference *d, const struct weir_difference_group *group,
                            uint32_t metric[WEIR_DIFFERENCE_LINES])
{
    struct weir_comparison usual;
    uint32_t count = 0;
    weir_comparison_usual(&usual);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t m = 0; m < d->metric_count && count < WEIR_DIFFERENCE_LINES; m++) {
            bool is_usual = false;
            for (uint32_t i = 0; i < usual.metric_count; i++)
                is_usual = is_usual || strcmp(usual.metric[i].name, d->metric[m].name) == 0;
            if (group->number[m].moved && is_usual == (pass == 0))
                metric[count++] = m;
        }
    return count;
}

static void print_moved(FILE *out, const struct weir_difference *d, const struct weir_difference_group *group)
{
    uint32_t metric[WEIR_DIFFERENCE_LINES], count = order_moved(d, group, metric);
    int width[COLUMNS] = { NAME_LEAST, 6, 5, 6 };
    char text[CELL];
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < COLUMNS; k++) {
            cell_text(text, d, &group->number[metric[i]], metric[i], k);
            width[k] = (int)strlen(text) > width[k] ? (int)strlen(text) : width[k];
        }
    (void)fprintf(out, "  %-*s  %*s  %*s  %*s\n", width[NAME], "number", width[BEFORE], "before", width[AFTER], "after",
                  width[CHANGE], "change");
    for (uint32_t i = 0; i < count; i++) {
        const struct weir_difference_number *n = &group->number[metric[i]];
        for (int k = 0; k < COLUMNS; k++) {
            cell_text(text, d, n, metric[i], k);
            (void)fprintf(out, "  %*s", k == NAME ? -width[k] : width[k], text);
        }
        (void)fprintf(out, "%s%s\n", remark(text, &d->metric[metric[i]], n)[0] != '\0' ? "  " : "", text);
    }
    if (group->moved > count)
        (void)fprintf(out, "  and %u more; --json has them all, --metrics chooses\n", (unsigned)(group->moved - count));
}

static void print_group(FILE *out, const struct weir_difference *d, const struct weir_difference_group *group)
{
    if (group->moved == 0)
        return;
    (void)fputc('\n', out);
    weir_cli_text(out, group->label);
    if (group->count == 1)
        (void)fprintf(out, ", seed %" PRIu64, d->pair[group->first].before->seed);
    else
        (void)fprintf(out, ", %u seeds", (unsigned)group->count);
    (void)fprintf(out, ": %u of %u numbers moved%s\n", (unsigned)group->moved, (unsigned)group->compared,
                  group->count >= 3 ? " beyond the 95 % interval of the paired difference" : "");
    print_moved(out, d, group);
}

static void print_digests(FILE *out, const struct weir_difference *d)
{
    if (d->digests == 0)
        (void)fprintf(out, "digests: every pair has the same one, so both runs of it did the same\n");
    else if (d->moved == 0)
        (void)fprintf(out,
                      "digests: those of %u pair%s differ, though no number moved: messages or ports did "
                      "something else\n",
                      (unsigned)d->digests, plural(d->digests));
    else
        (void)fprintf(out, "digests: those of %u of %u pairs differ\n", (unsigned)d->digests, (unsigned)d->pair_count);
}

void weir_difference_print(FILE *out, const struct weir_difference *d)
{
    uint32_t groups = 0;
    print_file(out, "before", &d->file[0]);
    print_file(out, "after", &d->file[1]);
    print_keys(out, d);
    print_runs(out, d);
    print_one_sided(out, d);
    print_unlike(out, d);
    print_doubts(out, d);
    for (uint32_t g = 0; g < d->group_count; g++) {
        groups += d->group[g].moved > 0;
        print_group(out, d, &d->group[g]);
    }
    (void)fputc('\n', out);
    print_digests(out, d);
    if (d->moved == 0)
        (void)fprintf(out, "nothing moved: %u number%s compared\n", (unsigned)d->compared, plural(d->compared));
    else
        (void)fprintf(out, "moved: %u of %u numbers, in %u of %u points\n", (unsigned)d->moved, (unsigned)d->compared,
                      (unsigned)groups, (unsigned)d->group_count);
}
