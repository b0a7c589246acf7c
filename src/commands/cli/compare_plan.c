/* src/commands/cli/compare_plan.c - plans the runs of `weir compare`; see compare_plan.h. */
#include "cli/compare_plan.h"
#include "cli/warnings.h"
#include "config/recommended.h"
#include "text/print.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512 };
#define HOP_PS 40000u /* rough processor time per packet-hop, for the estimate before any run */

struct build { /* arguments that the functions below share */
    struct weir_compare_plan *plan;
    struct weir_campaign *c;
    const struct weir_compare_args *args;
    struct weir_err *err;
};

/* --- settings --- */

/* Adds a setting to a law. where: its position, whose file an error message names. @return 0, or a code with err */
static int add_at(struct build *b, struct weir_compare_law *law, const struct weir_tok *where, const char *text)
{
    char *copy = weir_tree_arena_text(b->c->exp.arena, text, strlen(text));
    if (copy == NULL)
        return weir_fail_memory(b->err);
    if (law->set_count + 1 >= WEIR_POINT_SETTINGS_MAX) /* leaves room for the seed */
        return weir_fail(b->err, WEIR_E_RANGE, NULL, "write them into the scenario", "more than %u settings of one law",
                         WEIR_POINT_SETTINGS_MAX - 1);
    law->set[law->set_count++] = (struct weir_override){ .text = copy, .where = *where };
    return 0;
}

/* Adds a setting as add_at() does. from: the origin that an error message names; NULL = the command line */
static int add(struct build *b, struct weir_compare_law *law, const char *from, const char *text)
{
    return add_at(b, law, &(struct weir_tok){ .file = from }, text);
}

/* Returns the protocol of law number `law`; of a share the background. */
static const char *law_name(const struct build *b, uint32_t law)
{
    return b->plan->law[law].protocol->name;
}

static bool is_own(const struct build *b, uint32_t law)
{
    return strcmp(law_name(b, law), b->plan->own_law) == 0;
}

/* Adds the settings of --set for one law; index WEIR_COMPARISON_NONE = those for all laws. */
static int add_set(struct build *b, struct weir_compare_law *law, uint32_t index)
{
    int code = 0;
    for (uint32_t i = 0; i < b->args->set_count && code == 0; i++)
        if (b->args->set[i].law == index)
            code = add(b, law, NULL, b->args->set[i].text);
    return code;
}

/* Adds the settings that a law was given: those of --set for all laws, those of a variant of the file, and those of
 * --set for this law. */
static int add_given(struct build *b, struct weir_compare_law *law, uint32_t index)
{
    int code = add_set(b, law, WEIR_COMPARISON_NONE);
    for (uint32_t i = 0; i < law->own_count && code == 0; i++)
        code = add_at(b, law, &law->own[i].where, law->own[i].text);
    return code != 0 ? code : add_set(b, law, index);
}

static bool is_preset_given(const struct build *b, uint32_t law)
{
    static const char key[] = "protocol.preset";
    for (uint32_t i = 0; i < b->args->set_count; i++)
        if ((b->args->set[i].law == WEIR_COMPARISON_NONE || b->args->set[i].law == law) &&
            strncmp(b->args->set[i].text, key, sizeof(key) - 1) == 0)
            return true;
    for (uint32_t i = 0; i < b->plan->law[law].own_count; i++)
        if (strncmp(b->plan->law[law].own[i].text, key, sizeof(key) - 1) == 0)
            return true;
    return false;
}

/* Adds the recommended settings of a law: the line "fabric.ecn.threshold: 1 BDP" becomes "fabric.ecn.threshold=1
 * BDP". */
static int add_recommended(struct build *b, struct weir_compare_law *law, const struct weir_protocol *protocol,
                           const struct weir_preset *preset)
{
    const char *line;
    int code = 0;
    for (uint32_t i = 0; code == 0 && (line = weir_recommended_line(protocol, preset, i)) != NULL; i++) {
        const char *colon = strstr(line, ": ");
        char text[TEXT];
        (void)snprintf(text, sizeof(text), "%.*s=%s", (int)(colon - line), line, colon + 2);
        code = add(b, law, "recommended", text);
    }
    return code;
}

static int add_groups(struct build *b, struct weir_compare_law *law)
{
    int code = 0;
    for (int i = 0; i < 3 && code == 0; i++) {
        char text[TEXT];
        (void)snprintf(text, sizeof(text), "run.group_%c=%" PRIu64 " B", 'a' + i, b->plan->group_bytes[i]);
        code = add(b, law, "size groups", text);
    }
    return code;
}

static int add_law(struct build *b, struct weir_compare_law *law, uint32_t index, const char *preset)
{
    char text[TEXT];
    int code = 0;
    law->set_count = 0;
    if (is_own(b, index))
        return 0;
    (void)snprintf(text, sizeof(text), "protocol=%s", law_name(b, index));
    code = add(b, law, b->args->background != NULL ? "--background" : "--protocols", text);
    if (code != 0 || preset == NULL)
        return code;
    (void)snprintf(text, sizeof(text), "protocol.preset=%s", preset);
    return add(b, law, "recommended", text);
}

/* Adds the settings of a share: each traffic item without a law of its own has a part of the deployed one. preset: of
 * the deployed law; NULL = its first */
static int add_share(struct build *b, struct weir_compare_law *law, uint32_t index, const char *preset)
{
    int code = 0;
    for (uint32_t i = 0; i < WEIR_TRAFFIC_MAX && code == 0; i++) {
        char text[TEXT];
        if ((b->plan->shared_items >> i & 1) == 0)
            continue;
        (void)snprintf(text, sizeof(text), "traffic[%u].deploy.protocol.name=%s", (unsigned)i, b->args->deployed);
        code = add(b, law, "--protocols", text);
        (void)snprintf(text, sizeof(text), "traffic[%u].deploy.protocol.preset=%s", (unsigned)i,
                       preset != NULL ? preset : "");
        if (code == 0 && preset != NULL)
            code = add(b, law, "recommended", text);
        (void)snprintf(text, sizeof(text), "traffic[%u].deploy.share=%" PRIu32 ".%04" PRIu32 "%%", (unsigned)i,
                       b->args->share_ppm[index] / 10000, b->args->share_ppm[index] % 10000);
        if (code == 0)
            code = add(b, law, "--share", text);
        (void)snprintf(text, sizeof(text), "traffic[%u].deploy.by=%s", (unsigned)i, b->args->share_by);
        if (code == 0)
            code = add(b, law, "--share-by", text);
    }
    return code;
}

static int load(struct build *b, const struct weir_override *set, uint32_t set_count)
{
    return weir_scenario_load(&b->c->scn, b->args->file, set, set_count, b->err);
}

/* Makes all settings of a law with this preset, and checks that the law can run with them. preset: NULL = the preset of
 * args->set or of the file if there is one, else the first of the law. @return 0, or a code with err */
static int try_preset(struct build *b, uint32_t index, const char *preset)
{
    struct weir_compare_law *law = &b->plan->law[index];
    const struct weir_protocol *protocol;
    const struct weir_preset *used;
    int code = add_law(b, law, index, preset);
    uint32_t kept = law->set_count;
    if (code == 0)
        code = add_given(b, law, index);
    if (code == 0)
        code = load(b, law->set, law->set_count);
    if (code != 0)
        return code;
    protocol = b->c->scn.protocol;
    used = b->c->scn.preset;
    law->preset = used != NULL ? used->name : NULL;
    weir_scenario_free(&b->c->scn);
    law->set_count = kept;
    if (!b->args->same_fabric)
        code = add_recommended(b, law, protocol, used);
    if (code == 0)
        code = add_given(b, law, index);
    if (code == 0)
        code = add_groups(b, law);
    if (code == 0)
        code = load(b, law->set, law->set_count);
    if (code != 0)
        return code;
    code = weir_setup_init(&b->c->setup, &b->c->scn, b->err);
    if (code == 0)
        weir_setup_free(&b->c->setup);
    weir_scenario_free(&b->c->scn);
    return code;
}

/* Refuses traffic whose numbers would be counted with those of the share or of the rest: of another item with an equal
 * law, or of hosts that have one. @return 0, or WEIR_E_CONFLICT with err */
static int check_shared(const struct build *b)
{
    const struct weir_scenario *scn = &b->c->scn;
    for (uint32_t i = 0; i < scn->hosts_count; i++)
        if (scn->law_of_hosts[i] != WEIR_LAW_NONE)
            return weir_fail(b->err, WEIR_E_CONFLICT, &scn->where_hosts[i], "leave it out",
                             "--background: hosts[%u] has a protocol, and a share is of all hosts", (unsigned)i);
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        if ((b->plan->shared_items >> i & 1) == 0 &&
            (scn->law_of_item[i] == 0 || scn->law_of_item[i] == b->plan->deployed_law))
            return weir_fail(b->err, WEIR_E_CONFLICT, &scn->where_traffic[i], "give it another protocol, or none",
                             "--background: traffic[%u] has the protocol and keys of a share, and would count in it",
                             (unsigned)i);
    return 0;
}

/* Makes all settings of a share with these presets of background and deployed law, NULL = the first, and checks that
 * the run can be made. @return 0, or a code with err */
static int try_share(struct build *b, uint32_t index, const char *background, const char *deployed)
{
    struct weir_compare_law *law = &b->plan->law[index];
    int code = add_law(b, law, index, background);
    if (code == 0)
        code = add_share(b, law, index, deployed);
    if (code == 0)
        code = add_given(b, law, index);
    if (code == 0)
        code = add_groups(b, law);
    if (code == 0)
        code = load(b, law->set, law->set_count);
    if (code != 0)
        return code;
    law->preset = b->c->scn.preset != NULL ? b->c->scn.preset->name : NULL;
    b->plan->deployed_law = b->c->scn.law_of_deploy[__builtin_ctz(b->plan->shared_items)];
    code = check_shared(b);
    if (code == 0 && (code = weir_setup_init(&b->c->setup, &b->c->scn, b->err)) == 0)
        weir_setup_free(&b->c->setup);
    weir_scenario_free(&b->c->scn);
    return code;
}

/* Finds settings with which a law can run. If the first preset conflicts with the scenario, for instance because its
 * thresholds are for another link rate, tries the others, unless the file or args->set determines the preset. @return
 * 0, or the code of the first try with err; the error of that try was printed unless it is WEIR_E_MEMORY */
static int settle_law(struct build *b, uint32_t index)
{
    const struct weir_protocol *row = b->plan->law[index].protocol;
    bool is_free = !is_own(b, index) && !is_preset_given(b, index);
    const char *first = is_free && !b->args->same_fabric ? weir_recommended_preset(row) : NULL;
    char hint[TEXT];
    int code = try_preset(b, index, first);
    struct weir_err why = *b->err;
    for (const struct weir_preset *preset = row->presets;
         code == WEIR_E_CONFLICT && is_free && preset != NULL && preset->name != NULL; preset++)
        if (try_preset(b, index, preset->name) == 0)
            return 0;
    *b->err = why;
    if (code == 0 || code == WEIR_E_MEMORY)
        return code;
    weir_cli_error(b->err);
    (void)snprintf(hint, sizeof(hint), "--set %s:key=value changes what it gets", b->args->laws.name[index]);
    return weir_fail(b->err, (enum weir_err_code)code, NULL, hint, "so %s cannot be compared here",
                     b->args->laws.name[index]);
}

/* Finds settings of a share. If the first preset of the deployed law conflicts with the scenario, tries the others.
 * @return as settle_law() */
static int settle_share(struct build *b, uint32_t index)
{
    const struct weir_protocol *row = weir_variants_protocol(b->args->deployed);
    bool is_free = !is_own(b, index) && !is_preset_given(b, index);
    const char *background = is_free ? weir_recommended_preset(b->plan->law[index].protocol) : NULL;
    int code = try_share(b, index, background, weir_recommended_preset(row));
    struct weir_err why = *b->err;
    for (const struct weir_preset *preset = row->presets;
         code == WEIR_E_CONFLICT && preset != NULL && preset->name != NULL; preset++)
        if (try_share(b, index, background, preset->name) == 0)
            return 0;
    *b->err = why;
    if (code == 0 || code == WEIR_E_MEMORY)
        return code;
    weir_cli_error(b->err);
    return weir_fail(b->err, (enum weir_err_code)code, NULL, "--set key=value changes the network for both",
                     "so %s cannot be deployed beside %s here", b->args->deployed, b->args->background);
}

/* --- the scenario file with the settings for all laws --- */

/* Copies the settings of a variant of the file, which is freed before the laws are settled. */
static int keep_variant(struct build *b, struct weir_compare_law *law, const struct weir_law_variant *variant)
{
    struct weir_tree_arena *arena = b->c->exp.arena;
    law->own = weir_tree_arena_take(arena, (variant->set_count + 1) * sizeof(*law->own));
    if (law->own == NULL)
        return weir_fail_memory(b->err);
    for (uint32_t i = 0; i < variant->set_count; i++) {
        const struct weir_override *from = &variant->set[i];
        struct weir_override *to = &law->own[law->own_count++];
        *to = *from;
        to->text = weir_tree_arena_text(arena, from->text, strlen(from->text));
        to->where.file = b->args->file;
        if (to->text == NULL)
            return weir_fail_memory(b->err);
    }
    return 0;
}

/* Finds the protocol of each law, and the settings of those that are variants of the file. */
static int keep_laws(struct build *b)
{
    int code = 0;
    for (uint32_t l = 0; l < b->args->laws.count && code == 0; l++) {
        struct weir_compare_law *law = &b->plan->law[l];
        const struct weir_law_variant *variant = NULL;
        if (b->args->background != NULL)
            law->protocol = weir_variants_protocol(b->args->background);
        else
            code = weir_compare_laws_settle(&b->args->laws, l, b->args->file, &b->c->scn, &law->protocol, &variant,
                                            b->err);
        if (code == 0 && variant != NULL)
            code = keep_variant(b, law, variant);
    }
    return code;
}

static int keep_own(struct build *b)
{
    const struct weir_scenario *scn = &b->c->scn;
    struct weir_compare_plan *p = b->plan;
    p->own_law = scn->protocol->name;
    p->first_seed = scn->run.seed;
    p->scenario = weir_tree_arena_text(b->c->exp.arena, scn->name, strlen(scn->name));
    memcpy(p->group_bytes, b->c->setup.model.group_edge, sizeof(p->group_bytes));
    if (p->scenario == NULL)
        return weir_fail_memory(b->err);
    if (p->first_seed > UINT64_MAX - (b->args->seeds - 1))
        return weir_fail(b->err, WEIR_E_RANGE, &scn->where_run, NULL,
                         "run.seed: %u seeds from there on go beyond the largest", (unsigned)b->args->seeds);
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        p->shared_items |= (uint32_t)!scn->own_law[i] << i;
    if (b->args->background != NULL && p->shared_items == 0)
        return weir_fail(b->err, WEIR_E_CONFLICT, &scn->where_traffic[0], "leave protocol, host and class out of one",
                         "--background: all traffic items have a protocol of their own");
    p->own_text = weir_campaign_dump(b->c);
    return p->own_text != NULL ? keep_laws(b) : weir_fail_memory(b->err);
}

static int read_own(struct build *b)
{
    struct weir_compare_law given = { .set_count = 0 };
    int code = add_set(b, &given, WEIR_COMPARISON_NONE);
    if (code == 0)
        code = load(b, given.set, given.set_count);
    if (code != 0)
        return code;
    weir_cli_warnings(&b->c->scn);
    code = weir_setup_init(&b->c->setup, &b->c->scn, b->err);
    if (code == 0) {
        code = keep_own(b);
        weir_setup_free(&b->c->setup);
    }
    weir_scenario_free(&b->c->scn);
    return code;
}

/* --- points --- */

static int add_point(struct build *b, uint32_t index, uint32_t seed)
{
    const struct weir_compare_law *law = &b->plan->law[index];
    struct weir_tree_arena *arena = b->c->exp.arena;
    struct weir_point *point = &b->c->plan.point[b->c->plan.point_count++];
    char name[TEXT], text[TEXT];
    (void)snprintf(name, sizeof(name), "%s%s%s seed %" PRIu64, b->args->background != NULL ? b->args->deployed : "",
                   b->args->background != NULL ? " " : "", b->args->laws.name[index], b->plan->first_seed + seed);
    (void)snprintf(text, sizeof(text), "run.seed=%" PRIu64, b->plan->first_seed + seed);
    *point = (struct weir_point){ .figure = &b->plan->figure, .cost = 1, .wanted = true };
    memset(point->value, WEIR_AXIS_NONE, sizeof(point->value));
    point->value[0] = (uint8_t)index;
    point->name = weir_tree_arena_text(arena, name, strlen(name));
    point->scenario = strrchr(b->args->file, '/') != NULL ? strrchr(b->args->file, '/') + 1 : b->args->file;
    point->set = weir_tree_arena_take(arena, (law->set_count + 1) * sizeof(*point->set));
    if (point->name == NULL || point->set == NULL)
        return weir_fail_memory(b->err);
    memcpy(point->set, law->set, law->set_count * sizeof(*point->set));
    point->set_count = law->set_count + 1;
    point->set[law->set_count].text = weir_tree_arena_text(arena, text, strlen(text));
    return point->set[law->set_count].text != NULL ? 0 : weir_fail_memory(b->err);
}

/* Makes the experiment of the plan. The laws are values of an axis, so that the cost of a run is estimated from runs of
 * the same law. */
static int make_experiment(struct build *b)
{
    struct weir_experiment *exp = &b->c->exp;
    const char *slash = strrchr(b->args->file, '/');
    struct weir_axis_value *value = weir_tree_arena_take(exp->arena, b->args->laws.count * sizeof(*value));
    exp->origin.id = "compare";
    exp->origin.dir = slash == NULL ? "."
                      : slash == b->args->file
                          ? "/"
                          : weir_tree_arena_text(exp->arena, b->args->file, (size_t)(slash - b->args->file));
    if (value == NULL || exp->origin.dir == NULL)
        return weir_fail_memory(b->err);
    for (uint32_t l = 0; l < b->args->laws.count; l++)
        value[l] = (struct weir_axis_value){ .label = b->args->laws.name[l], .protocol = law_name(b, l) };
    exp->title = b->plan->scenario;
    exp->hop_ps = HOP_PS;
    exp->axis[0] = (struct weir_axis){ .name = b->args->background != NULL ? "share" : "law",
                                       .value = value,
                                       .count = b->args->laws.count };
    exp->axis_count = 1;
    return 0;
}

static int make_plan(struct build *b)
{
    struct weir_plan *plan = &b->c->plan;
    int code = make_experiment(b);
    if (code != 0)
        return code;
    *plan = (struct weir_plan){ .exp = &b->c->exp, .scale_ppm = 1000000, .measure_ppm = 1000000 };
    plan->figure = weir_tree_arena_take(b->c->exp.arena, sizeof(*plan->figure));
    plan->point =
        weir_tree_arena_take(b->c->exp.arena, (size_t)b->args->laws.count * b->args->seeds * sizeof(*plan->point));
    if (plan->figure == NULL || plan->point == NULL)
        return weir_fail_memory(b->err);
    b->plan->figure.runs = plan->figure[plan->figure_count++] = &b->plan->figure;
    for (uint32_t l = 0; l < b->args->laws.count; l++)
        for (uint32_t s = 0; s < b->args->seeds && code == 0; s++)
            code = add_point(b, l, s);
    return code;
}

/* Sets the name of the figure, "first" for the file "a/first.yaml", and the stem of the result file,
 * "first-compare". */
static int name_figure(struct build *b)
{
    const char *slash = strrchr(b->args->file, '/'), *name = slash != NULL ? slash + 1 : b->args->file;
    const char *dot = strrchr(name, '.');
    size_t length = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    char *copy = weir_tree_arena_text(b->c->exp.arena, name, length);
    if (copy == NULL)
        return weir_fail_memory(b->err);
    b->plan->figure.name = b->plan->figure.title = copy;
    (void)snprintf(b->plan->stem, sizeof(b->plan->stem), "%s-compare", copy);
    return 0;
}

int weir_compare_plan_make(struct weir_compare_plan *p, struct weir_campaign *c, const struct weir_compare_args *args,
                           struct weir_err *err)
{
    struct build b = { .plan = p, .c = c, .args = args, .err = err };
    int code;
    *p = (struct weir_compare_plan){ 0 };
    c->exp.arena = weir_tree_arena_new();
    if (c->exp.arena == NULL)
        return weir_fail_memory(err);
    code = name_figure(&b);
    if (code == 0)
        code = read_own(&b);
    for (uint32_t l = 0; l < args->laws.count && code == 0; l++)
        code = args->background != NULL ? settle_share(&b, l) : settle_law(&b, l);
    return code != 0 ? code : make_plan(&b);
}
