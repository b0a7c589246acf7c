/* src/commands/cli/tune.c - `weir tune`: searches values of keys for which a number is best. reproduce/search.h decides
 * which values to try, campaign.c runs them. */
#include "cli/cli.h"
#include "cli/tune_plan.h"
#include "core/assert.h"
#include "reproduce/comparison_read.h"
#include <stdlib.h>
#include <string.h>

/* Most values of a search: of the first pass over the keys, and of the second. */
#define FIRST_MOST 11u
#define SECOND_MOST 7u
_Static_assert(FIRST_MOST <= WEIR_SEARCH_VALUES_MAX && SECOND_MOST >= WEIR_SEARCH_FIRST_MAX, "search.h has room");

struct tune { /* state of `weir tune`; large, so on the heap */
    struct weir_tune_args args;
    struct weir_tune_plan plan;
    struct weir_tuning tuning;
    struct weir_campaign *c;
    struct weir_sweep_outcome swept;
};

/* Runs what is missing of the points from `first` trial on, and reads the numbers. @return WEIR_EXIT_DONE, or the exit
 * status of the command. After a signal or a failed run it is WEIR_EXIT_DONE, and t->swept says so */
static int run_trials(struct tune *t, uint32_t first)
{
    struct weir_err err;
    int status;
    if (weir_campaign_resolve(t->c, &err) != 0)
        return weir_cli_refused(&err);
    status = weir_campaign_interrupted(t->c);
    if (status == WEIR_EXIT_DONE && t->c->store == NULL)
        status = weir_campaign_open(t->c, &t->args.common);
    if (status == WEIR_EXIT_DONE)
        status = weir_campaign_run(t->c, &t->args.common, &t->swept);
    for (uint32_t i = first; status == WEIR_EXIT_DONE && i < t->tuning.trial_count; i++) {
        struct weir_tuning_trial *trial = &t->tuning.trial[i];
        for (uint32_t s = 0; s < t->tuning.seeds; s++)
            weir_comparison_read(&t->c->plan.point[trial->first_point + s], &t->tuning.metric, &trial->run[s]);
        weir_tuning_settle(&t->tuning, trial);
    }
    if (status == WEIR_EXIT_DONE && weir_store_check(t->c->store, &err) != 0)
        status = weir_cli_failed(&err);
    return status;
}

/* Makes the trials of the values that a search asks for, and gives it their numbers. */
static int make_trials(struct tune *t, struct weir_tuning_search *search, const uint64_t *value, uint32_t count)
{
    struct weir_tuning *tuning = &t->tuning;
    uint64_t at[WEIR_TUNING_KEYS_MAX];
    uint32_t first = tuning->trial_count;
    struct weir_err err;
    int status;
    memcpy(at, search->at, sizeof(at));
    for (uint32_t i = 0; i < count; i++) {
        at[search->key] = value[i];
        if (weir_tuning_find(tuning, at) == NULL && weir_tune_plan_add(&t->plan, at, &err) != 0)
            return weir_cli_failed(&err);
    }
    status = tuning->trial_count > first ? run_trials(t, first) : WEIR_EXIT_DONE;
    for (uint32_t i = 0; i < count && status == WEIR_EXIT_DONE; i++) {
        const struct weir_tuning_trial *trial;
        at[search->key] = value[i];
        trial = weir_tuning_find(tuning, at);
        WEIR_ASSERT(trial != NULL);
        if (t->swept.signal == 0 || trial->done == tuning->seeds) /* a value that was broken off says nothing */
            weir_search_add(&search->search, value[i], trial->number, weir_tuning_is_sound(tuning, trial));
    }
    return status;
}

/* Makes one search to its end, and takes its best value over. */
static int search(struct tune *t, uint32_t key, uint64_t lo, uint64_t hi, uint32_t most)
{
    struct weir_tuning *tuning = &t->tuning;
    struct weir_tuning_search *s = &tuning->search[tuning->search_count++];
    uint64_t value[WEIR_SEARCH_FIRST_MAX];
    uint32_t count, best;
    int status = WEIR_EXIT_DONE;
    *s = (struct weir_tuning_search){ .key = key,
                                      .search = { .lo = lo,
                                                  .hi = hi,
                                                  .also = tuning->best[key],
                                                  .seeds = tuning->seeds,
                                                  .most = most,
                                                  .is_greatest =
                                                      tuning->metric.metric[0].row.better == WEIR_METRIC_GREATEST } };
    memcpy(s->at, tuning->best, sizeof(s->at));
    while (status == WEIR_EXIT_DONE && t->swept.signal == 0 && (count = weir_search_ask(&s->search, value)) > 0)
        status = make_trials(t, s, value, count);
    best = weir_search_best(&s->search);
    if (best != UINT32_MAX)
        tuning->best[key] = s->search.value[best].at;
    return status;
}

/* Returns the last search of a key. */
static const struct weir_search *last_search(const struct weir_tuning *tuning, uint32_t key)
{
    for (uint32_t i = tuning->search_count; i > 0; i--)
        if (tuning->search[i - 1].key == key)
            return &tuning->search[i - 1].search;
    return NULL;
}

/* Searches once more between the neighbours of a key's best value, if another key has changed since. */
static int search_again(struct tune *t, uint32_t key, const uint64_t before[WEIR_TUNING_KEYS_MAX])
{
    const struct weir_search *last = last_search(&t->tuning, key);
    uint32_t best = weir_search_best(last);
    bool changed = false;
    for (uint32_t k = 0; k < t->tuning.key_count; k++)
        changed = changed || (k != key && t->tuning.best[k] != before[k]);
    if (!changed || best == UINT32_MAX || last->count < 2)
        return WEIR_EXIT_DONE;
    return search(t, key, last->value[best > 0 ? best - 1 : best].at,
                  last->value[best + 1 < last->count ? best + 1 : best].at, SECOND_MOST);
}

/* Prints on stderr how many runs there can be. */
static void print_most(const struct weir_tuning *tuning)
{
    uint32_t values = tuning->key_count * (FIRST_MOST + (tuning->key_count > 1 ? SECOND_MOST : 0));
    (void)fprintf(stderr, "weir: at most %u values, %u runs\n", (unsigned)values, (unsigned)(values * tuning->seeds));
}

/* Searches the keys one after another, twice. */
static int search_all(struct tune *t)
{
    struct weir_tuning *tuning = &t->tuning;
    uint64_t met[WEIR_TUNING_KEYS_MAX][WEIR_TUNING_KEYS_MAX]; /* values of all keys during the last search of each */
    int status = WEIR_EXIT_DONE;
    print_most(tuning);
    for (uint32_t k = 0; k < tuning->key_count; k++) {
        const struct weir_tuning_key *key = &tuning->key[k];
        tuning->best[k] = key->has_own            ? key->own
                          : tuning->key_count > 1 ? weir_search_middle(key->lo, key->hi)
                                                  : key->lo;
    }
    for (uint32_t k = 0; k < tuning->key_count && status == WEIR_EXIT_DONE && t->swept.signal == 0; k++) {
        memcpy(met[k], tuning->best, sizeof(met[k]));
        status = search(t, k, tuning->key[k].lo, tuning->key[k].hi, FIRST_MOST);
    }
    for (uint32_t k = 0; k < tuning->key_count && status == WEIR_EXIT_DONE && t->swept.signal == 0; k++)
        status = search_again(t, k, met[k]);
    return status;
}

static void print(FILE *out, const void *tune)
{
    weir_tuning_print(out, &((const struct tune *)tune)->tuning);
}

static int conclude(struct tune *t)
{
    struct weir_err err;
    int report, status;
    weir_campaign_print_adopted(t->c, t->c->plan.point_count);
    weir_campaign_close_store(t->c); /* files come first: the reader of stdout may have gone */
    weir_campaign_end_runs(t->c);
    report = weir_campaign_report(t->c, print, NULL, t);
    if (t->args.common.json)
        weir_tuning_json(stdout, &t->tuning);
    else
        weir_tuning_print(stdout, &t->tuning);
    (void)fflush(stdout);
    status = weir_campaign_status(&t->swept, t->args.common.fresh);
    if (status == WEIR_EXIT_DONE && weir_tuning_last(&t->tuning) == NULL) {
        (void)weir_fail(&err, WEIR_E_CONFLICT, NULL, "weir help NAME says when a run gives a number",
                        "--for %.80s: no run of this scenario gives it", t->tuning.metric.metric[0].name);
        status = weir_cli_refused(&err);
    }
    return weir_cli_finish(status != WEIR_EXIT_DONE ? status : report);
}

static int run_command(struct tune *t, int argc, char **argv)
{
    struct weir_err err;
    int status, code;
    if (weir_tune_args_parse(&t->args, argc, argv, &err) != 0)
        return weir_cli_refused(&err);
    if (t->args.common.help)
        return weir_cli_show_usage("tune");
    t->plan = (struct weir_tune_plan){ .args = &t->args, .c = t->c, .tuning = &t->tuning };
    code = weir_tune_plan_make(&t->plan, &err);
    if (code == 0)
        code = weir_campaign_name_files(t->c, t->plan.stem, t->args.common.out, t->args.common.report, &err);
    if (code != 0)
        return weir_cli_refused(&err);
    t->tuning.out = t->c->out;
    status = search_all(t);
    return status != WEIR_EXIT_DONE ? status : conclude(t);
}

int weir_cli_tune(int argc, char **argv)
{
    struct tune *t = calloc(1, sizeof(*t));
    int status = WEIR_EXIT_FAILURE;
    if (t != NULL)
        t->c = weir_campaign_new();
    if (t != NULL && t->c != NULL) {
        status = run_command(t, argc, argv);
        weir_campaign_free(t->c);
    }
    free(t);
    return status;
}
