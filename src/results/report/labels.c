/* src/results/report/labels.c - see labels.h. */
#include "report/labels.h"
#include "report/differ.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct labelled { /* a run of one part of the page */
    struct weir_run *run;
    char *same; /* a text, equal for runs that differ only in the seed; owned; NULL = the run is a set of its own */
    const char *given;   /* the label in the file; "" = none, or only the name of the scenario */
    size_t given_length; /* length of given, without the seed at its end after take_off_seeds() has removed the seed */
};

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the labels of runs");
}

char *weir_label_scenario(const char *scenario)
{
    char *copy = strdup(scenario), *at = copy != NULL ? strstr(copy, "\nrun:") : NULL, *end, *seed;
    if (at == NULL)
        return copy;
    at++;
    end = at + strcspn(at, "\n");
    while (end[0] == '\n' && (end[1] == ' ' || end[1] == '#')) /* indented lines belong to the section */
        end += 1 + strcspn(end + 1, "\n");
    seed = strstr(at, "seed:");
    if (seed != NULL && seed < end && strchr(" {", seed[-1]) != NULL) {
        char *after = seed + strcspn(seed, ",}\n");
        memmove(seed, after, strlen(after) + 1);
    }
    return copy;
}

size_t weir_label_without_seed(const char *label, const char *seed)
{
    size_t length = strlen(label), digits = strlen(seed), end;
    if (digits == 0 || length <= digits || strcmp(label + length - digits, seed) != 0 ||
        isalnum((unsigned char)label[length - digits - 1]) || label[length - digits - 1] == '.')
        return length;
    end = length - digits;
    while (end > 0 && strchr(" -_=:#,", label[end - 1]) != NULL)
        end--;
    if (end > 4 && strncmp(label + end - 4, "seed", 4) == 0 && !isalnum((unsigned char)label[end - 5]))
        end -= 4;
    while (end > 0 && strchr(" -_=:#,", label[end - 1]) != NULL)
        end--;
    return end > 0 ? end : length;
}

/* Sets l->same, l->given and l->given_length. l->same is the scenario without its seed, followed by version and commit
 * of Weir. l->same stays NULL if the run is not `done`, measured nothing or has no scenario: such a run is a set of its
 * own. Returns 0, or WEIR_E_MEMORY with err. */
static int describe(struct labelled *l, struct weir_err *err)
{
    const char *status = weir_run_text_of(l->run, WEIR_RUN_STATUS), *label = l->run->text[WEIR_RUN_LABEL];
    char *scenario;
    size_t size;
    l->given = strcmp(label, weir_run_text_of(l->run, WEIR_RUN_NAME)) == 0 ? "" : label;
    l->given_length = strlen(l->given);
    if (strcmp(status, "done") != 0 || isnan(l->run->value[WEIR_RUN_GOODPUT]) ||
        weir_run_text_of(l->run, WEIR_RUN_SCENARIO)[0] == '\0')
        return 0;
    scenario = weir_label_scenario(l->run->text[WEIR_RUN_SCENARIO]);
    size = scenario != NULL ? strlen(scenario) + strlen(weir_run_text_of(l->run, WEIR_RUN_VERSION)) +
                                  strlen(weir_run_text_of(l->run, WEIR_RUN_COMMIT)) + 3
                            : 0;
    l->same = scenario != NULL ? malloc(size) : NULL;
    if (l->same != NULL)
        (void)snprintf(l->same, size, "%s\n%s\n%s", scenario, weir_run_text_of(l->run, WEIR_RUN_VERSION),
                       weir_run_text_of(l->run, WEIR_RUN_COMMIT));
    free(scenario);
    return l->same != NULL ? 0 : no_memory(err);
}

static bool same_given(const struct labelled *a, const struct labelled *b)
{
    return a->given_length == b->given_length && strncmp(a->given, b->given, a->given_length) == 0;
}

static int compare_given(const struct labelled *a, const struct labelled *b)
{
    size_t least = a->given_length < b->given_length ? a->given_length : b->given_length;
    int order = strncmp(a->given, b->given, least);
    return order != 0 ? order : (a->given_length > b->given_length) - (a->given_length < b->given_length);
}

/* Compares runs by `same` (NULL comes last), then by given label, seed, file and id. */
static int compare_labelled(const void *left, const void *right)
{
    const struct labelled *a = left, *b = right;
    int order = (a->same == NULL) - (b->same == NULL);
    if (order == 0 && a->same != NULL)
        order = strcmp(a->same, b->same);
    if (order == 0)
        order = compare_given(a, b);
    if (order == 0)
        order = weir_natural_compare(weir_run_text_of(a->run, WEIR_RUN_SEED), weir_run_text_of(b->run, WEIR_RUN_SEED));
    if (order == 0)
        order = a->run->db != b->run->db ? (a->run->db < b->run->db ? -1 : 1) : 0;
    return order != 0 ? order : (a->run->id > b->run->id) - (a->run->id < b->run->id);
}

static bool may_be_one_set(const struct labelled *a, const struct labelled *b)
{
    return a->same != NULL && b->same != NULL && strcmp(a->same, b->same) == 0;
}

static size_t end_of_same(const struct labelled *l, size_t first, size_t count)
{
    size_t end = first + 1;
    while (end < count && may_be_one_set(&l[first], &l[end]))
        end++;
    return end;
}

/* Shortens given_length by the seed at the end of each given label. Does so only if the labels differ, but are equal
 * without the seeds, as in a sweep. l: count runs with the same `same` */
static void take_off_seeds(struct labelled *l, size_t count)
{
    bool whole = true, bare = true;
    for (size_t i = 0; i < count; i++) {
        const char *seed = weir_run_text_of(l[i].run, WEIR_RUN_SEED);
        size_t length = weir_label_without_seed(l[i].given, seed), length_0;
        length_0 = weir_label_without_seed(l[0].given, weir_run_text_of(l[0].run, WEIR_RUN_SEED));
        whole = whole && strcmp(l[i].given, l[0].given) == 0;
        bare = bare && length == length_0 && strncmp(l[i].given, l[0].given, length) == 0;
    }
    for (size_t i = 0; i < count && bare && !whole; i++)
        l[i].given_length = weir_label_without_seed(l[i].given, weir_run_text_of(l[i].run, WEIR_RUN_SEED));
}

/* Sets the set number of each of the sorted runs, from *set on, and sets *set to the next free number. A run that
 * repeats a seed of its set goes to another set: the same seed counted twice would make the confidence interval too
 * narrow. */
static void number_sets(struct labelled *l, size_t count, size_t *set)
{
    size_t again = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        bool joins = i > 0 && may_be_one_set(&l[i - 1], &l[i]) && same_given(&l[i - 1], &l[i]);
        bool repeats = joins && strcmp(weir_run_text_of(l[i - 1].run, WEIR_RUN_SEED),
                                       weir_run_text_of(l[i].run, WEIR_RUN_SEED)) == 0;
        if (!joins && i > 0) {
            *set += most + 1;
            most = 0;
        }
        again = repeats ? again + 1 : 0;
        most = again > most ? again : most;
        l[i].run->set = *set + again;
    }
    *set += most + 1;
}

/* Moves the first run of each set to the front of `l`. Returns the number of sets. */
static size_t keep_first_of_sets(struct labelled *l, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < kept && l[k].run->set != l[i].run->set)
            k++;
        if (k < kept)
            continue;
        struct labelled swap = l[kept];
        l[kept] = l[i];
        l[i] = swap;
        kept++;
    }
    return kept;
}

static int compare_sets(const void *left, const void *right)
{
    const struct labelled *a = left, *b = right;
    int order = compare_given(a, b);
    return order != 0 ? order : (a->run->set > b->run->set) - (a->run->set < b->run->set);
}

/* Sets the label of a run to its given label and the difference, as "given, difference". If one of the two is empty,
 * the label is the other one. If both are empty, it is the name of the scenario. Returns 0, or WEIR_E_MEMORY with
 * err. */
static int put_label(const struct labelled *l, const char *difference, struct weir_err *err)
{
    const char *name = l->run->text[WEIR_RUN_LABEL];
    size_t length = l->given_length, size = length + strlen(difference) + strlen(name) + 3;
    char *label = malloc(size);
    if (label == NULL)
        return no_memory(err);
    (void)snprintf(label, size, "%.*s%s%s", (int)length, l->given, length > 0 && difference[0] != '\0' ? ", " : "",
                   difference);
    if (label[0] == '\0')
        (void)snprintf(label, size, "%s", name);
    free(l->run->text[WEIR_RUN_LABEL]);
    l->run->text[WEIR_RUN_LABEL] = label;
    return 0;
}

enum { PROGRAM_MAX_BYTES = 96 };

static int fill_differences(struct weir_differing *d, char (*program)[PROGRAM_MAX_BYTES], const struct labelled *l,
                            size_t count, struct weir_err *err)
{
    int code = 0;
    for (size_t i = 0; i < count && code == 0 && count > 1; i++) {
        const struct weir_run *run = l[i].run;
        (void)snprintf(program[i], sizeof(program[i]), "%.40s %.40s", weir_run_text_of(run, WEIR_RUN_VERSION),
                       weir_run_text_of(run, WEIR_RUN_COMMIT));
        d[i].name = weir_run_text_of(run, WEIR_RUN_NAME);
        d[i].program = program[i];
        d[i].given = run->text[WEIR_RUN_SETTINGS];
        code = weir_settings_read(&d[i].settings, weir_run_text_of(run, WEIR_RUN_SCENARIO), err);
    }
    return code == 0 ? weir_differ(d, count, err) : code;
}

/* Makes the labels of `count` sets whose given labels are equal; all may be empty. l: the first run of each set */
static int label_class(struct labelled *l, size_t count, struct weir_err *err)
{
    struct weir_differing *d = calloc(count, sizeof(*d));
    char(*program)[PROGRAM_MAX_BYTES] = calloc(count, sizeof(*program));
    int code;
    if (d == NULL || program == NULL) {
        free(d);
        free(program);
        return no_memory(err);
    }
    code = fill_differences(d, program, l, count, err);
    for (size_t i = 0; i < count && code == 0; i++)
        code = put_label(&l[i], d[i].text, err);
    for (size_t i = 0; i < count; i++)
        weir_settings_free(&d[i].settings);
    free(program);
    free(d);
    return code;
}

/* Makes labels unique: if several sets still have the same label, appends file and id of their first run to each of
 * these labels. That happens if a scenario was run twice with one seed. The file is only appended on a page of several
 * files. l: the first run of each set */
static int make_unique(const struct weir_runs *runs, struct labelled *l, size_t count, struct weir_err *err)
{
    bool *again = calloc(count, sizeof(*again));
    if (again == NULL)
        return no_memory(err);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(l[i].run->text[WEIR_RUN_LABEL], l[k].run->text[WEIR_RUN_LABEL]) == 0)
                again[i] = again[k] = true;
    for (size_t i = 0; i < count; i++) {
        struct weir_run *r = l[i].run;
        const char *file = runs->db_count > 1 ? weir_runs_file(runs, r->db) : "";
        size_t size = strlen(r->text[WEIR_RUN_LABEL]) + strlen(file) + 32;
        char *longer = again[i] ? malloc(size) : NULL;
        if (!again[i])
            continue;
        if (longer == NULL) {
            free(again);
            return no_memory(err);
        }
        (void)snprintf(longer, size, "%s (%s%s#%lld)", r->text[WEIR_RUN_LABEL], file, file[0] != '\0' ? " " : "",
                       (long long)r->id);
        free(r->text[WEIR_RUN_LABEL]);
        r->text[WEIR_RUN_LABEL] = longer;
    }
    free(again);
    return 0;
}

/* Copies the label of the first run of each set to the other runs of the set. l: count runs; l[0] to l[sets - 1] are
 * the first runs of the sets */
static int spread(struct labelled *l, size_t sets, size_t count, struct weir_err *err)
{
    for (size_t i = sets; i < count; i++) {
        size_t k = 0;
        char *label;
        while (l[k].run->set != l[i].run->set)
            k++;
        label = strdup(l[k].run->text[WEIR_RUN_LABEL]);
        if (label == NULL)
            return no_memory(err);
        free(l[i].run->text[WEIR_RUN_LABEL]);
        l[i].run->text[WEIR_RUN_LABEL] = label;
    }
    return 0;
}

/* Sets the set numbers and labels of the runs of one part of the page. *set: on entry the number of the first set; on
 * return the first number of the next part */
static int label_part(const struct weir_runs *runs, struct labelled *l, size_t count, size_t *set, struct weir_err *err)
{
    size_t sets;
    int code = 0;
    qsort(l, count, sizeof(*l), compare_labelled);
    for (size_t first = 0, end; first < count; first = end) {
        end = end_of_same(l, first, count);
        take_off_seeds(l + first, end - first);
    }
    qsort(l, count, sizeof(*l), compare_labelled);
    number_sets(l, count, set);
    sets = keep_first_of_sets(l, count);
    qsort(l, sets, sizeof(*l), compare_sets);
    for (size_t first = 0, end; first < sets && code == 0; first = end) {
        for (end = first + 1; end < sets && same_given(&l[first], &l[end]);)
            end++;
        code = label_class(l + first, end - first, err);
    }
    if (code == 0)
        code = make_unique(runs, l, sets, err);
    return code == 0 ? spread(l, sets, count, err) : code;
}

int weir_labels_make(struct weir_runs *runs, struct weir_err *err)
{
    struct labelled *l = calloc(runs->count, sizeof(*l));
    size_t set = 0;
    int code = 0;
    if (l == NULL)
        return no_memory(err);
    for (size_t i = 0; i < runs->count && code == 0; i++) {
        l[i].run = &runs->run[i];
        code = describe(&l[i], err);
    }
    for (size_t first = 0, end; first < runs->count && code == 0; first = end) {
        end = weir_runs_group_end(runs, first);
        code = label_part(runs, l + first, end - first, &set, err);
    }
    for (size_t i = 0; i < runs->count; i++)
        free(l[i].same);
    free(l);
    return code;
}
