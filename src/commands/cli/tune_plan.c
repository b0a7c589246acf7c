/* src/commands/cli/tune_plan.c - see tune_plan.h. */
#include "cli/tune_plan.h"
#include "cli/warnings.h"
#include "core/assert.h"
#include "text/commit.h"
#include "text/version.h"
#include <inttypes.h>
#include <string.h>

enum { TEXT = 512 };
#define HOP_PS 40000u /* rough processor time per packet-hop, for the estimate before any run */

static int load(struct weir_tune_plan *p, const struct weir_override *set, uint32_t set_count, struct weir_err *err)
{
    return weir_scenario_load(&p->c->scn, p->args->file, set, set_count, err);
}

/* --- keys --- */

/* Replaces err, about a key that no row describes, by the scenario's own refusal, which names the keys that there are.
 * If the scenario accepts the key, as protocol.name, err stays. text: "PATH=LO..HI" @return the code of err */
static int fail_unknown(struct weir_tune_plan *p, const char *text, struct weir_err *err)
{
    struct weir_override set[WEIR_TUNE_SETTINGS_MAX + 1];
    struct weir_err why;
    char setting[TEXT];
    const char *dots = strstr(text, "..");
    int length = dots != NULL ? (int)(dots - text) : (int)strlen(text);
    (void)snprintf(setting, sizeof(setting), "%.*s", length, text);
    memcpy(set, p->args->set, p->args->set_count * sizeof(*set));
    set[p->args->set_count] = (struct weir_override){ .text = setting, .where = { .file = "--key" } };
    weir_scenario_free(&p->c->scn);
    if (load(p, set, p->args->set_count + 1, &why) == 0)
        return err->code; /* the caller frees the scenario */
    p->c->scn = (struct weir_scenario){ .name = "" };
    *err = why;
    return err->code;
}

static int read_keys(struct weir_tune_plan *p, const char *resolved, struct weir_err *err)
{
    struct weir_tuning *t = p->tuning;
    int code = 0;
    for (uint32_t i = 0; i < p->args->key_count && code == 0; i++) {
        code = weir_tuning_key_read(&t->key[i], &p->c->scn, resolved, p->args->key[i], err);
        if (code == WEIR_E_UNKNOWN)
            code = fail_unknown(p, p->args->key[i], err);
    }
    t->key_count = p->args->key_count;
    return code;
}

static int choose_metric(struct weir_tune_plan *p, struct weir_err *err)
{
    struct weir_comparison *c = &p->tuning->metric;
    int code;
    if (strchr(p->args->metric, ',') != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example --for slowdown.all.p99",
                         "--for %.80s: one number, not several", p->args->metric);
    code = weir_comparison_choose(c, p->args->metric, err);
    if (code != 0) {
        (void)snprintf(err->file, sizeof(err->file), "--for");
        return code;
    }
    if (!c->metric[0].judged)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir list metrics says of which numbers less or more is better",
                         "--for %.80s: neither less nor more of it is better", c->metric[0].name);
    return 0;
}

/* --- the scenario and the plan --- */

/* Sets the name of the figure, "first" for the file "a/first.yaml", and the stem of the result file, "first-tune". */
static int name_figure(struct weir_tune_plan *p, struct weir_err *err)
{
    const char *slash = strrchr(p->args->file, '/'), *name = slash != NULL ? slash + 1 : p->args->file;
    const char *dot = strrchr(name, '.');
    size_t length = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    char *copy = weir_tree_arena_text(p->c->exp.arena, name, length);
    if (copy == NULL)
        return weir_fail_memory(err);
    p->figure.name = p->figure.title = copy;
    (void)snprintf(p->stem, sizeof(p->stem), "%.4000s-tune", copy);
    return 0;
}

static int keep_scenario(struct weir_tune_plan *p, struct weir_err *err)
{
    const struct weir_scenario *scn = &p->c->scn;
    struct weir_tuning *t = p->tuning;
    t->first_seed = scn->run.seed;
    t->seeds = p->args->seeds;
    t->file = p->args->file;
    t->version = WEIR_VERSION;
    t->commit = WEIR_COMMIT;
    t->scenario = weir_tree_arena_text(p->c->exp.arena, scn->name, strlen(scn->name));
    if (t->first_seed > UINT64_MAX - (t->seeds - 1))
        return weir_fail(err, WEIR_E_RANGE, &scn->where_run, NULL,
                         "run.seed: %u seeds from there on go beyond the largest", (unsigned)t->seeds);
    return t->scenario != NULL ? 0 : weir_fail_memory(err);
}

static int read_scenario(struct weir_tune_plan *p, struct weir_err *err)
{
    const char *resolved = NULL;
    int code = load(p, p->args->set, p->args->set_count, err);
    if (code != 0)
        return code;
    weir_cli_warnings(&p->c->scn);
    if (p->c->scn.run.measure_ps == WEIR_MEASURE_AUTO) {
        code = weir_fail(err, WEIR_E_CONFLICT, &p->c->scn.where_run,
                         "weir run --find-length finds one; --set run.warmup=.. and --set run.measure=..",
                         "run.measure: auto: values are compared by runs of one length");
        weir_scenario_free(&p->c->scn);
        return code;
    }
    code = weir_setup_init(&p->c->setup, &p->c->scn, err);
    if (code == 0) {
        weir_setup_free(&p->c->setup);
        resolved = weir_campaign_dump(p->c);
        code = resolved != NULL ? keep_scenario(p, err) : weir_fail_memory(err);
    }
    if (code == 0)
        code = read_keys(p, resolved, err);
    weir_scenario_free(&p->c->scn);
    return code;
}

static int make_plan(struct weir_tune_plan *p, struct weir_err *err)
{
    struct weir_experiment *exp = &p->c->exp;
    struct weir_plan *plan = &p->c->plan;
    const char *slash = strrchr(p->args->file, '/');
    exp->origin.id = "tune";
    exp->origin.dir = slash == NULL ? "."
                      : slash == p->args->file
                          ? "/"
                          : weir_tree_arena_text(exp->arena, p->args->file, (size_t)(slash - p->args->file));
    exp->title = p->tuning->scenario;
    exp->hop_ps = HOP_PS;
    exp->implied = true;
    *plan = (struct weir_plan){ .exp = exp, .scale_ppm = 1000000, .measure_ppm = 1000000 };
    plan->figure = weir_tree_arena_take(exp->arena, sizeof(*plan->figure));
    plan->point =
        weir_tree_arena_take(exp->arena, (size_t)WEIR_TUNING_TRIALS_MAX * p->args->seeds * sizeof(*plan->point));
    if (exp->origin.dir == NULL || plan->figure == NULL || plan->point == NULL)
        return weir_fail_memory(err);
    p->figure.runs = plan->figure[plan->figure_count++] = &p->figure;
    return 0;
}

int weir_tune_plan_make(struct weir_tune_plan *p, struct weir_err *err)
{
    int code = choose_metric(p, err);
    if (code != 0)
        return code;
    p->c->exp.arena = weir_tree_arena_new();
    if (p->c->exp.arena == NULL)
        return weir_fail_memory(err);
    code = name_figure(p, err);
    if (code == 0)
        code = read_scenario(p, err);
    return code != 0 ? code : make_plan(p, err);
}

/* --- points --- */

/* Makes the settings of a trial and the name that its points begin with: "protocol.g=0.0741 ". */
static int make_settings(struct weir_tune_plan *p, const uint64_t at[WEIR_TUNING_KEYS_MAX], struct weir_override *set,
                         char name[TEXT], struct weir_err *err)
{
    char value[WEIR_TUNING_VALUE], text[WEIR_TUNING_PATH + WEIR_TUNING_VALUE];
    name[0] = '\0';
    memcpy(set, p->args->set, p->args->set_count * sizeof(*set));
    for (uint32_t k = 0; k < p->tuning->key_count; k++) {
        struct weir_override *own = &set[p->args->set_count + k];
        size_t used = strlen(name);
        (void)snprintf(text, sizeof(text), "%s=%s", p->tuning->key[k].path,
                       weir_tuning_key_text(value, &p->tuning->key[k], at[k]));
        (void)snprintf(name + used, TEXT - used, "%.120s ", text);
        *own = (struct weir_override){ .text = weir_tree_arena_text(p->c->exp.arena, text, strlen(text)),
                                       .where = { .file = "--key" } };
        if (own->text == NULL)
            return weir_fail_memory(err);
    }
    return 0;
}

static int add_point(struct weir_tune_plan *p, const struct weir_override *set, uint32_t set_count, const char *name,
                     uint32_t seed, struct weir_err *err)
{
    struct weir_tree_arena *arena = p->c->exp.arena;
    struct weir_point *point = &p->c->plan.point[p->c->plan.point_count++];
    char text[TEXT + 32];
    *point = (struct weir_point){ .figure = &p->figure, .number = p->c->plan.point_count, .cost = 1, .wanted = true };
    memset(point->value, WEIR_AXIS_NONE, sizeof(point->value));
    point->scenario = strrchr(p->args->file, '/') != NULL ? strrchr(p->args->file, '/') + 1 : p->args->file;
    (void)snprintf(text, sizeof(text), "%sseed %" PRIu64, name, p->tuning->first_seed + seed);
    point->name = weir_tree_arena_text(arena, text, strlen(text));
    (void)snprintf(text, sizeof(text), "run.seed=%" PRIu64, p->tuning->first_seed + seed);
    point->set_count = set_count + 1;
    point->set = weir_tree_arena_take(arena, point->set_count * sizeof(*point->set));
    if (point->name == NULL || point->set == NULL)
        return weir_fail_memory(err);
    memcpy(point->set, set, set_count * sizeof(*set));
    point->set[set_count].text = weir_tree_arena_text(arena, text, strlen(text));
    return point->set[set_count].text != NULL ? 0 : weir_fail_memory(err);
}

int weir_tune_plan_add(struct weir_tune_plan *p, const uint64_t at[WEIR_TUNING_KEYS_MAX], struct weir_err *err)
{
    struct weir_override set[WEIR_TUNE_SETTINGS_MAX + WEIR_TUNING_KEYS_MAX];
    struct weir_tuning *t = p->tuning;
    struct weir_tuning_trial *trial = &t->trial[t->trial_count];
    char name[TEXT];
    int code = make_settings(p, at, set, name, err);
    WEIR_ASSERT(t->trial_count < WEIR_TUNING_TRIALS_MAX);
    *trial = (struct weir_tuning_trial){ .first_point = p->c->plan.point_count };
    memcpy(trial->at, at, sizeof(trial->at));
    trial->run = weir_tree_arena_take(p->c->exp.arena, t->seeds * sizeof(*trial->run));
    trial->number = weir_tree_arena_take(p->c->exp.arena, t->seeds * sizeof(*trial->number));
    if (code == 0 && (trial->run == NULL || trial->number == NULL))
        code = weir_fail_memory(err);
    for (uint32_t s = 0; s < t->seeds && code == 0; s++)
        code = add_point(p, set, p->args->set_count + t->key_count, name, s, err);
    t->trial_count += code == 0;
    return code;
}
