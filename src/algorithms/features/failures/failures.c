/* src/algorithms/features/failures/failures.c - keys, the draws, and the row. */
#include "features/failures/failures.h"
#include "core/assert.h"
#include "core/err.h"
#include "core/feature.h"
#include "core/math.h"
#include "core/rng.h"

#define MEAN_MAX_PS (100000 * WEIR_PS_PER_S) /* 10^17, below 2^57 */
#define SWITCHES_MAX 4096u

static const struct weir_keyword at_end = { "end", UINT64_MAX };

static const struct weir_param failures_params[] = {
    WEIR_PARAM_TEXT("cables", struct weir_failures_config, cables, 0, "",
                    "which fail: core (between switches), hosts, all, or names, 'leaf 0 - spine 1, leaf 1 - spine 0'; "
                    "empty = core if no switches are given, else none"),
    WEIR_PARAM_TEXT("switches", struct weir_failures_config, switches, 0, "",
                    "which fail: switches or tiers as in fabric.switches, 'spine 0..3' or 'spine'; empty = none"),
    WEIR_PARAM_NAMED("mtbf", struct weir_failures_config, mtbf_ps, WEIR_KIND_TIME, 1, MEAN_MAX_PS, 10 * WEIR_PS_PER_MS,
                     "mean time that each of them is up before it fails; exponential"),
    WEIR_PARAM_NAMED("mttr", struct weir_failures_config, mttr_ps, WEIR_KIND_TIME, 1, MEAN_MAX_PS, WEIR_PS_PER_MS,
                     "mean time that it is down; exponential"),
    WEIR_PARAM_KEYWORD("until", struct weir_failures_config, until_ps, WEIR_KIND_TIME, 0, MEAN_MAX_PS, UINT64_MAX,
                       &at_end, "no failure begins from then on; required with run.measure: all"),
    { 0 },
};

static const char *const core[] = { "failures.mtbf: 200 us", "failures.mttr: 20 us", "failures.until: 1 ms", NULL };
static const struct weir_preset failures_examples[] = { { "core", "cables between switches", core }, { 0 } };

struct drawing { /* the set-up of a run: draws the failures of one part after the other */
    const struct weir_failures_config *cfg;
    const struct weir_fabric_env *env;
    struct weir_failures_model *m;
    struct weir_err *err;
    uint64_t until_ps;
};

/* Returns a time with a mean, drawn from 64 random bits: at least 1 ps. */
static uint64_t draw_ps(uint64_t mean_ps, uint64_t bits)
{
    WEIR_ASSERT(mean_ps > 0);
    WEIR_ASSERT(mean_ps <= MEAN_MAX_PS);
    return weir_max_u64(1, weir_exponential(mean_ps, bits));
}

/* Draws the failures of one part: it is up, then down, by turns. link: lower link of a cable; UINT32_MAX = the part is
 * switch `node`. @return 0, or WEIR_E_RANGE with err: there are more than WEIR_FAILURES_MAX in all */
static int draw_part(struct drawing *d, uint32_t link, uint32_t node)
{
    bool is_switch = link == UINT32_MAX;
    uint64_t key = weir_rng_key(d->env->seed, is_switch ? node : link, WEIR_RNG_FAILURE, is_switch), at_ps = 0;
    for (uint64_t k = 0;; k += 2) {
        struct weir_failure failure = { .link = link, .node = node };
        failure.down_ps = at_ps + draw_ps(d->cfg->mtbf_ps, weir_rng_at(key, k));
        if (failure.down_ps >= d->until_ps)
            return 0;
        WEIR_ASSERT(failure.down_ps > at_ps);
        failure.up_ps = at_ps = failure.down_ps + draw_ps(d->cfg->mttr_ps, weir_rng_at(key, k + 1));
        if (d->m->count == WEIR_FAILURES_MAX)
            return weir_fail(d->err, WEIR_E_RANGE, d->env->where, "a longer mtbf, fewer cables, or an earlier until",
                             "fabric.failures: the process makes more than %u failures", WEIR_FAILURES_MAX);
        d->m->failure[d->m->count++] = failure;
    }
}

/* Draws the failures of all cables of hosts, or between switches. @return 0, or a code with err */
static int draw_cables_of(struct drawing *d, bool hosts)
{
    const struct weir_fabric_env *env = d->env;
    int code = 0;
    for (uint32_t sw = 0; sw < env->switch_count; sw++) {
        for (uint32_t p = 0; p < env->network->ports(env, sw) && code == 0; p++) {
            struct weir_fabric_port port;
            env->network->port(env, sw, p, &port);
            WEIR_ASSERT(!port.from_host && port.cable < env->link_count);
            if (port.to_host == hosts && (hosts || port.link == port.cable)) /* the cable's other port is of a switch */
                code = draw_part(d, port.cable, UINT32_MAX);
        }
    }
    return code;
}

/* Copies the next of the names in *list, separated by commas, to name, and moves *list behind it. @return false = there
 * is none */
static bool next_name(const char **list, char name[WEIR_TEXT_MAX])
{
    size_t length = 0;
    while (**list == ' ')
        (*list)++;
    for (; **list != '\0' && **list != ','; (*list)++) {
        WEIR_ASSERT(length < WEIR_TEXT_MAX - 1); /* the list is no longer */
        name[length++] = **list;
    }
    *list += **list == ',';
    while (length > 0 && name[length - 1] == ' ')
        length--;
    name[length] = '\0';
    return length > 0;
}

/* Tests whether two texts are equal. */
static bool is_text(const char *a, const char *b)
{
    WEIR_ASSERT(a != NULL && b != NULL);
    for (; *a != '\0' && *a == *b; a++)
        b++;
    return *a == *b;
}

/* Draws the failures of cables by their names. One that is named twice fails once. @return 0, or a code with err */
static int draw_named(struct drawing *d)
{
    char name[WEIR_TEXT_MAX];
    const char *list = d->cfg->cables;
    int code = 0;
    while (code == 0 && next_name(&list, name)) {
        uint32_t link = d->env->network->cable(d->env, name);
        bool seen = false;
        if (link == UINT32_MAX)
            return weir_fail(d->err, WEIR_E_UNKNOWN, d->env->where,
                             "core, hosts, all, or the two ends of cables as in 'leaf 0 - spine 1'",
                             "fabric.failures: there is no cable '%.80s'", name);
        for (uint32_t i = 0; i < d->m->count; i++)
            seen = seen || d->m->failure[i].link == link;
        if (!seen)
            code = draw_part(d, link, UINT32_MAX);
    }
    return code;
}

static int draw_cables(struct drawing *d)
{
    const char *cables = d->cfg->cables;
    bool all = is_text(cables, "all");
    bool is_core = is_text(cables, "core") || (cables[0] == '\0' && d->cfg->switches[0] == '\0');
    bool is_hosts = is_text(cables, "hosts");
    int code = 0;
    if (all || is_core)
        code = draw_cables_of(d, false);
    if (code == 0 && (all || is_hosts))
        code = draw_cables_of(d, true);
    return code != 0 || all || is_core || is_hosts ? code : draw_named(d);
}

static int draw_switches(struct drawing *d)
{
    uint32_t node[SWITCHES_MAX], count;
    int code = 0;
    if (d->cfg->switches[0] == '\0')
        return 0;
    count = d->env->network->switches_at(d->env, d->cfg->switches, node, SWITCHES_MAX);
    if (count == UINT32_MAX)
        return weir_fail(d->err, WEIR_E_UNKNOWN, d->env->where,
                         "switches or tiers, as in 'spine 0, leaf'; weir topology --cables names all",
                         "fabric.failures: no switch is at '%.80s'", d->cfg->switches);
    if (count > SWITCHES_MAX)
        return weir_fail(d->err, WEIR_E_RANGE, d->env->where, "name fewer",
                         "fabric.failures: at most %u switches are possible", SWITCHES_MAX);
    for (uint32_t i = 0; i < count && code == 0; i++) {
        WEIR_ASSERT(!d->env->network->is_host(d->env, node[i]));
        code = draw_part(d, UINT32_MAX, node[i]);
    }
    return code;
}

static int failures_setup(const void *config, const struct weir_fabric_env *env, void *model,
                          struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_failures_config *cfg = config;
    struct drawing d = { .cfg = cfg, .env = env, .m = model, .err = err };
    int code;
    d.m->count = 0;
    if (!env->is_set)
        return 0;
    if (cfg->until_ps == UINT64_MAX && env->end_ps == UINT64_MAX)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "for example until: 10 ms",
                         "fabric.failures: a run with measure: all needs the key until, since it has no planned end");
    d.until_ps = weir_min_u64(cfg->until_ps, env->end_ps);
    code = draw_cables(&d);
    if (code == 0)
        code = draw_switches(&d);
    WEIR_ASSERT(d.m->count <= WEIR_FAILURES_MAX);
    plan->on = code == 0;
    plan->failure = d.m->failure;
    plan->failure_count = d.m->count;
    return code;
}

const struct weir_feature weir_failures_feature = {
    .name = "failures",
    .hint = "cables and switches fail and are repaired at random times, drawn from the seed before the run",
    .section = "failures",
    .section_text = "A random process of failures. It makes events like those of fabric.events.",
    .section_enables = true,
    .params = failures_params,
    .examples = failures_examples,
    .everywhere = "they are of cables and switches, by name",
    .config_bytes = sizeof(struct weir_failures_config),
    .model_bytes = sizeof(struct weir_failures_model),
    .setup = failures_setup,
};
