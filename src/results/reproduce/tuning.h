/* src/results/reproduce/tuning.h - the results of `weir tune`: the searches of its keys, and the runs of every value.
 * Prints them as text and as JSON. */
#ifndef WEIR_REPRODUCE_TUNING_H
#define WEIR_REPRODUCE_TUNING_H
#include "reproduce/comparison.h"
#include "reproduce/search.h"
#include "reproduce/tuning_key.h"
#include <stdio.h>

#define WEIR_TUNING_KEYS_MAX 3u
#define WEIR_TUNING_PASSES 2u
#define WEIR_TUNING_SEARCHES_MAX (WEIR_TUNING_KEYS_MAX * WEIR_TUNING_PASSES)
#define WEIR_TUNING_TRIALS_MAX (WEIR_TUNING_SEARCHES_MAX * WEIR_SEARCH_VALUES_MAX)

struct weir_tuning_trial { /* a value of every key, and its runs */
    uint64_t at[WEIR_TUNING_KEYS_MAX];
    struct weir_comparison_run *run; /* one for each seed; value[0] is the number */
    double *number;                  /* one for each seed; NAN = none */
    uint32_t first_point;            /* its points in the plan */
    uint32_t done, doubtful;         /* runs */
};

struct weir_tuning_search { /* of one key */
    uint32_t key;
    uint64_t at[WEIR_TUNING_KEYS_MAX]; /* values of the other keys meanwhile */
    struct weir_search search;
};

struct weir_tuning {
    struct weir_tuning_key key[WEIR_TUNING_KEYS_MAX];
    struct weir_tuning_search search[WEIR_TUNING_SEARCHES_MAX]; /* in the order in which they were made */
    struct weir_tuning_trial trial[WEIR_TUNING_TRIALS_MAX];
    uint64_t best[WEIR_TUNING_KEYS_MAX]; /* values of the best trial */
    struct weir_comparison metric;       /* metric[0] is what is searched for; no laws */
    uint32_t key_count, search_count, trial_count, seeds;
    uint64_t first_seed;
    const char *scenario, *file, *out; /* name of the scenario, its file, the result file */
    const char *version, *commit;      /* of Weir */
};

/* Returns the trial with these values; NULL = it was not made. */
struct weir_tuning_trial *weir_tuning_find(struct weir_tuning *t, const uint64_t at[WEIR_TUNING_KEYS_MAX]);

/* Computes from trial->run: its counts, and the numbers for the search. */
void weir_tuning_settle(const struct weir_tuning *t, struct weir_tuning_trial *trial);

/* Returns the last search of which some value has a number, so that its best values are t->best; NULL = there is
 * none. */
const struct weir_tuning_search *weir_tuning_last(const struct weir_tuning *t);

/* Tests whether all runs of a trial are done, and none is doubtful. */
bool weir_tuning_is_sound(const struct weir_tuning *t, const struct weir_tuning_trial *trial);

/* Prints the curve of each search, the best values with their interval, and whether noise decides. */
void weir_tuning_print(FILE *out, const struct weir_tuning *t);

void weir_tuning_json(FILE *out, const struct weir_tuning *t);
void weir_tuning_schema(FILE *out); /* prints the JSON Schema of weir_tuning_json() */
#endif
