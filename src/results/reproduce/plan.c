/* src/results/reproduce/plan.c - see plan.h. */
#include "reproduce/plan.h"
#include "core/units.h"
#include "param/suggest.h"
#include "registry.h"
#include "reproduce/axes.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HINT = 512, NAME_MAX_BYTES = 200, SETTING_BYTES = 512 }; /* a name has to fit into `weir run --label` */
#define ONE_PPM 1e6

struct build { /* the point being made */
    struct weir_plan *plan;
    const struct weir_plan_request *request;
    struct weir_point point;
    struct weir_override set[WEIR_POINT_SETTINGS_MAX];
    uint64_t length_ps, warmup_min_ps, measure_min_ps;
    double length_factor, load, cost;
    struct weir_err *err;
};

/* --- the choice of figures and protocols --- */

static int fail_figure(const struct weir_experiment *exp, const char *name, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, name);
    for (uint32_t f = 0; f < exp->figure_count; f++)
        weir_suggest_add(&near, exp->figure[f].name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%.80s: no such figure of %s", name, exp->origin.id);
}

static int choose_figures(struct weir_plan *plan, const struct weir_plan_request *request, struct weir_err *err)
{
    const struct weir_experiment *exp = plan->exp;
    uint32_t unnamed = request->all_figures || exp->all_figures ? exp->figure_count : 1;
    uint32_t most = request->figure_count > 0 ? request->figure_count : unnamed;
    plan->figure = weir_tree_arena_take(exp->arena, most * sizeof(const struct weir_figure *));
    if (plan->figure == NULL)
        return weir_fail_memory(err);
    for (uint32_t f = 0; request->figure_count == 0 && f < unnamed; f++)
        if (request->all_figures || !exp->figure[f].on_request)
            plan->figure[plan->figure_count++] = &exp->figure[f];
    if (request->figure_count == 0 && plan->figure_count == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir list experiments shows them",
                         "%s: its figures run on request only: name one", exp->origin.id);
    for (uint32_t i = 0; i < request->figure_count; i++) {
        const struct weir_figure *figure = weir_experiment_figure(exp, request->figure[i]);
        bool twice = false;
        if (figure == NULL)
            return fail_figure(exp, request->figure[i], err);
        for (uint32_t f = 0; f < plan->figure_count; f++)
            twice = twice || plan->figure[f] == figure;
        if (!twice)
            plan->figure[plan->figure_count++] = figure;
    }
    return 0;
}

/* Tests whether --protocol NAME means the value: its protocol, or its label, which variants of one protocol have. */
static bool is_meant(const struct weir_axis_value *value, const char *name)
{
    return value->protocol != NULL && (strcmp(value->protocol, name) == 0 || strcmp(value->label, name) == 0);
}

static int check_protocol(const struct weir_experiment *exp, const char *name, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, name);
    for (uint32_t a = 0; a < exp->axis_count; a++) {
        for (uint32_t v = 0; v < exp->axis[a].count; v++) {
            const struct weir_axis_value *value = &exp->axis[a].value[v];
            if (is_meant(value, name))
                return 0;
            if (value->protocol != NULL) {
                weir_suggest_add(&near, value->protocol);
                weir_suggest_add(&near, value->label);
            }
        }
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "--protocol %.80s: no such protocol in %s", name, exp->origin.id);
}

static bool is_built(const char *protocol)
{
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++)
        if (strcmp(row->name, protocol) == 0)
            return true;
    return false;
}

static bool is_wanted(const struct weir_plan_request *request, const struct weir_axis_value *value)
{
    for (uint32_t i = 0; i < request->protocol_count; i++)
        if (is_meant(value, request->protocol[i]))
            return true;
    return request->protocol_count == 0;
}

static void note_missing(struct weir_plan *plan, const struct weir_figure *figure, const char *protocol)
{
    for (uint32_t i = 0; i < plan->missing_count; i++)
        if (plan->missing[i].figure == figure && strcmp(plan->missing[i].protocol, protocol) == 0)
            return;
    if (plan->missing_count < sizeof(plan->missing) / sizeof(plan->missing[0]))
        plan->missing[plan->missing_count++] = (struct weir_missing){ figure, protocol };
}

/* --- one point --- */

static int add_setting(struct build *b, const char *text, const struct weir_tok *where)
{
    if (text == NULL)
        return weir_fail_memory(b->err);
    if (b->point.set_count == WEIR_POINT_SETTINGS_MAX)
        return weir_fail(b->err, WEIR_E_RANGE, NULL, NULL, "%s: more than %u settings", b->plan->exp->origin.id,
                         WEIR_POINT_SETTINGS_MAX);
    b->set[b->point.set_count++] = (struct weir_override){ .text = text, .where = *where };
    return 0;
}

/* Returns the text of the point's value on an axis, for "${axis}" in a setting. name: `length` bytes, the name of the
 * axis. NULL with err = the point has no such axis */
static const char *label_of(struct build *b, const char *name, size_t length)
{
    const struct weir_experiment *exp = b->plan->exp;
    for (uint32_t a = 0; a < exp->axis_count; a++)
        if (strncmp(exp->axis[a].name, name, length) == 0 && exp->axis[a].name[length] == '\0' &&
            b->point.value[a] != WEIR_AXIS_NONE)
            return exp->axis[a].value[b->point.value[a]].text;
    (void)weir_fail(b->err, WEIR_E_UNKNOWN, NULL, "${axis} stands for the label of another axis of the same sweep",
                    "figure %s: ${%.*s} in a setting: no such axis here", b->point.figure->name,
                    length < 64 ? (int)length : 64, name);
    return NULL;
}

/* Returns the text with every "${axis}" replaced by the text of the point's value on that axis: "paper-${rate}g" gives
 * "paper-100g". NULL with err */
static const char *fill_axes(struct build *b, const char *text)
{
    char out[SETTING_BYTES];
    size_t used = 0;
    for (const char *open; (open = strstr(text, "${")) != NULL;) {
        size_t length = strcspn(open + 2, "}");
        const char *label = label_of(b, open + 2, length);
        if (label == NULL)
            return NULL;
        used += (size_t)snprintf(out + used, sizeof(out) - used, "%.*s%s", (int)(open - text), text, label);
        if (used >= sizeof(out))
            break;
        text = open + 2 + length + (open[2 + length] == '}');
    }
    if (used + strlen(text) >= sizeof(out)) {
        (void)weir_fail(b->err, WEIR_E_RANGE, NULL, NULL, "a setting is longer than %d bytes", SETTING_BYTES - 1);
        return NULL;
    }
    (void)snprintf(out + used, sizeof(out) - used, "%s", text);
    text = weir_tree_arena_text(b->plan->exp->arena, out, strlen(out));
    if (text == NULL)
        (void)weir_fail_memory(b->err);
    return text;
}

/* Adds a setting for each child of the map `set`, which may be NULL: key "protocol.B" and value "$ BDP" give
 * "protocol.B=1.5 BDP". label: replaces '$' */
static int add_set(struct build *b, const struct weir_tree *set, const char *label)
{
    struct weir_tree_arena *arena = b->plan->exp->arena;
    int code = 0;
    for (const struct weir_tree *child = set != NULL ? set->first : NULL; child != NULL && code == 0;
         child = child->next) {
        const char *filled = fill_axes(b, child->at.text);
        const char *value = filled != NULL ? weir_experiment_fill(arena, filled, label) : NULL;
        size_t length = value != NULL ? strlen(child->key.text) + 1 + strlen(value) : 0;
        char *text = value != NULL ? weir_tree_arena_take(arena, length + 1) : NULL;
        if (text != NULL)
            (void)snprintf(text, length + 1, "%s=%s", child->key.text, value);
        code = filled != NULL ? add_setting(b, text, &child->at) : (int)b->err->code;
    }
    return code;
}

/* Adds the settings that v->with has for the labels of the point. */
static int add_with(struct build *b, const struct weir_axis_value *v)
{
    const struct weir_experiment *exp = b->plan->exp;
    int code = 0;
    for (const struct weir_tree *child = v->with != NULL ? v->with->first : NULL; child != NULL && code == 0;
         child = child->next)
        for (uint32_t a = 0; a < exp->axis_count && code == 0; a++)
            if (b->point.value[a] != WEIR_AXIS_NONE &&
                strcmp(exp->axis[a].value[b->point.value[a]].label, child->key.text) == 0)
                code = add_set(b, child, v->text);
    return code;
}

static int add_value(struct build *b, const struct weir_axis_value *v)
{
    int code = add_set(b, v->set[0], v->text);
    if (v->scenario != NULL)
        b->point.scenario = v->scenario;
    if (v->length_ps != 0)
        b->length_ps = v->length_ps;
    if (v->warmup_min_ps != 0)
        b->warmup_min_ps = v->warmup_min_ps;
    if (v->measure_min_ps != 0)
        b->measure_min_ps = v->measure_min_ps;
    b->length_factor *= (double)v->length_ppm / ONE_PPM;
    b->load *= (double)v->load_ppm / ONE_PPM;
    b->cost *= (double)v->cost_ppm / ONE_PPM;
    if (code == 0)
        code = add_set(b, v->set[1], v->text);
    return code != 0 ? code : add_with(b, v);
}

/* Returns the scaled length of a part of a run, rounded to microseconds: full_ps x scale, but not less than the smaller
 * of full_ps and least_ps. */
static uint64_t scaled_us(double full_ps, double scale, uint64_t least_ps)
{
    double scaled = full_ps * scale;
    if (scaled < (double)least_ps)
        scaled = (double)least_ps < full_ps ? (double)least_ps : full_ps;
    return (uint64_t)(scaled / (double)WEIR_PS_PER_US + 0.5);
}

static int add_length(struct build *b)
{
    double part = (double)b->plan->exp->measured_ppm / ONE_PPM;
    double full_ps = (double)b->length_ps * b->length_factor / b->load;
    uint64_t warmup_us = scaled_us(full_ps * (1 - part), (double)b->plan->scale_ppm / ONE_PPM, b->warmup_min_ps);
    uint64_t measure_us = scaled_us(full_ps * part, (double)b->plan->measure_ppm / ONE_PPM, b->measure_min_ps);
    struct weir_tree_arena *arena = b->plan->exp->arena;
    char text[64];
    int code;
    b->point.cost = b->load * b->cost;
    if (b->length_ps == 0)
        return 0; /* the scenario sets the length */
    b->point.length_us = warmup_us + measure_us;
    b->point.measure_us = measure_us;
    (void)snprintf(text, sizeof(text), "run.warmup=%" PRIu64 " us", warmup_us);
    code = add_setting(b, weir_tree_arena_text(arena, text, strlen(text)), &b->point.figure->at);
    if (code != 0)
        return code;
    (void)snprintf(text, sizeof(text), "run.measure=%" PRIu64 " us", measure_us);
    return add_setting(b, weir_tree_arena_text(arena, text, strlen(text)), &b->point.figure->at);
}

static int finish_point(struct build *b)
{
    struct weir_point *p = &b->point;
    char name[WEIR_AXES_MAX * WEIR_LABEL_BYTES] = "";
    int code;
    for (uint32_t a = 0; a < b->plan->exp->axis_count; a++) {
        size_t used = strlen(name);
        if (p->value[a] != WEIR_AXIS_NONE)
            (void)snprintf(name + used, sizeof(name) - used, "%s%s", used > 0 ? "-" : "",
                           b->plan->exp->axis[a].value[p->value[a]].label);
    }
    if (strlen(name) > NAME_MAX_BYTES)
        return weir_fail(b->err, WEIR_E_RANGE, &p->figure->at, "shorter labels, or fewer axes",
                         "%.80s..: the name of a point is longer than %d bytes", name, NAME_MAX_BYTES);
    p->name = weir_tree_arena_text(b->plan->exp->arena, name, strlen(name));
    if (p->name == NULL)
        return weir_fail_memory(b->err);
    if (p->scenario == NULL)
        return weir_fail(b->err, WEIR_E_SYNTAX, &p->figure->at,
                         "say scenario: FILE.yaml for all points, or in an axis or a value", "%s/%s/%s: no scenario",
                         b->plan->exp->origin.id, p->figure->name, name);
    code = add_length(b);
    for (uint32_t i = 0; i < b->request->set_count && code == 0; i++)
        code = add_setting(b, b->request->set[i], &(struct weir_tok){ 0 });
    if (code != 0)
        return code;
    p->set = weir_tree_arena_take(b->plan->exp->arena, (p->set_count + 1) * sizeof(*p->set));
    if (p->set == NULL)
        return weir_fail_memory(b->err);
    memcpy(p->set, b->set, p->set_count * sizeof(*p->set));
    return 0;
}

static bool is_twin(const struct weir_plan *plan, const struct weir_point *p)
{
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].figure == p->figure && memcmp(plan->point[i].value, p->value, sizeof(p->value)) == 0)
            return true;
    return false;
}

bool weir_plan_counts(const struct weir_table_spec *spec, const uint8_t *value)
{
    return weir_experiment_chosen(spec->filters, spec->where, value);
}

bool weir_plan_requires(const struct weir_figure *figure, const struct weir_table_spec *spec, const uint8_t *value)
{
    if (spec->over == WEIR_AXIS_NONE || figure->maxima_count == 0)
        return true;
    for (uint32_t i = 0; i < figure->maxima_count; i++)
        if (weir_experiment_chosen(figure->maxima[i].uses, figure->maxima[i].values, value))
            return true;
    return false;
}

/* Tests whether a chosen figure needs point p. A figure needs all points of the figure's own sweeps. With `runs` it
 * needs the points of the other figure that one of the tables uses. */
static bool is_needed(const struct weir_plan *plan, const struct weir_point *p)
{
    for (uint32_t f = 0; f < plan->figure_count; f++) {
        const struct weir_figure *figure = plan->figure[f];
        if (figure == p->figure)
            return true;
        for (uint32_t t = 0; figure->runs == p->figure && t < figure->table_count; t++)
            if (weir_plan_counts(&figure->table[t], p->value) &&
                weir_plan_requires(figure->runs, &figure->table[t], p->value))
                return true;
    }
    return false;
}

/* Marks a point whose protocol this program lacks. If the point is wanted, notes the protocol for its figure. The point
 * stays wanted, and so has a line in tables, only if the request names protocols. */
static void mark_not_built(struct build *b, const char *protocol)
{
    if (b->point.wanted)
        note_missing(b->plan, b->point.figure, protocol);
    b->point.state = WEIR_POINT_NOT_BUILT;
    b->point.not_built = protocol;
    b->point.wanted = b->point.wanted && b->request->protocol_count > 0;
}

/* Adds the point with the values at->value, unless the plan has that point already. */
static int add_point(struct weir_plan *plan, const struct weir_plan_request *request, const struct weir_point *at,
                     struct weir_err *err)
{
    struct build b = {
        .plan = plan, .request = request, .point = *at, .length_factor = 1, .load = 1, .cost = 1, .err = err
    };
    int code;
    b.point.wanted = is_needed(plan, at);
    b.point.scenario = plan->exp->scenario;
    code = add_set(&b, plan->exp->set, "");
    for (uint32_t a = 0; a < plan->exp->axis_count && code == 0; a++) {
        const struct weir_axis_value *v =
            at->value[a] == WEIR_AXIS_NONE ? NULL : &plan->exp->axis[a].value[at->value[a]];
        if (v == NULL)
            continue;
        if (v->protocol != NULL && !is_wanted(request, v))
            b.point.wanted = false;
        if (v->protocol != NULL && !is_built(v->protocol))
            mark_not_built(&b, v->protocol);
        code = add_value(&b, v);
    }
    if (code != 0 || is_twin(plan, at))
        return code;
    code = finish_point(&b);
    if (code == 0 && plan->point_count == WEIR_PLAN_POINTS_MAX)
        return weir_fail(err, WEIR_E_RANGE, &at->figure->at, "fewer values, or several files", "more than %u runs",
                         WEIR_PLAN_POINTS_MAX);
    b.point.number = plan->point_count + 1;
    if (code == 0)
        plan->point[plan->point_count++] = b.point;
    return code;
}

/* Adds the points of all combinations of the chosen values on axis `axis` and the following ones. at->value has the
 * values on the axes before. */
static int add_combinations(struct weir_plan *plan, const struct weir_plan_request *request,
                            const struct weir_sweep *sweep, uint32_t axis, struct weir_point *at, struct weir_err *err)
{
    int code = 0;
    if (axis == plan->exp->axis_count)
        return add_point(plan, request, at, err);
    at->value[axis] = WEIR_AXIS_NONE;
    if (!sweep->uses[axis])
        return add_combinations(plan, request, sweep, axis + 1, at, err);
    for (uint32_t v = 0; v < plan->exp->axis[axis].count && code == 0; v++) {
        if ((sweep->values[axis] >> v & 1) == 0)
            continue;
        at->value[axis] = (uint8_t)v;
        code = add_combinations(plan, request, sweep, axis + 1, at, err);
    }
    return code;
}

static bool is_chosen(const struct weir_plan_request *request, uint32_t number)
{
    for (uint32_t i = 0; i < request->only_count; i++)
        if (number >= request->only[i].first && number <= request->only[i].last)
            return true;
    return false;
}

static int fail_point(const struct weir_plan *plan, uint32_t number, struct weir_err *err)
{
    const struct weir_origin *origin = &plan->exp->origin;
    const struct weir_tok where = { .file = weir_origin_path(origin, plan->exp->arena, origin->file) };
    uint32_t count = plan->point_count;
    return weir_fail(err, WEIR_E_RANGE, &where, "--list shows them", "point %u: there %s %u", (unsigned)number,
                     count == 1 ? "is" : "are", (unsigned)count);
}

/* Removes the points that no range of request->only contains; without ranges keeps all points. Refuses a range beyond
 * the last point. */
static int choose_points(struct weir_plan *plan, const struct weir_plan_request *request, struct weir_err *err)
{
    uint32_t kept = 0, count = plan->point_count;
    for (uint32_t i = 0; i < request->only_count; i++)
        if (request->only[i].last > count)
            return fail_point(plan, request->only[i].last, err);
    for (uint32_t i = 0; i < count && request->only_count > 0; i++)
        if (is_chosen(request, plan->point[i].number))
            plan->point[kept++] = plan->point[i];
    if (request->only_count > 0)
        plan->point_count = kept;
    return 0;
}

int weir_plan_make(struct weir_plan *plan, const struct weir_experiment *exp, const struct weir_plan_request *request,
                   struct weir_err *err)
{
    int code = 0;
    *plan = (struct weir_plan){ .exp = exp,
                                .scale_ppm = request->scale_ppm,
                                .measure_ppm = request->measure_ppm > 0 ? request->measure_ppm : request->scale_ppm };
    plan->point = weir_tree_arena_take(exp->arena, WEIR_PLAN_POINTS_MAX * sizeof(*plan->point));
    if (plan->point == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < request->protocol_count && code == 0; i++)
        code = check_protocol(exp, request->protocol[i], err);
    if (code == 0)
        code = choose_figures(plan, request, err);
    for (uint32_t f = 0; f < plan->figure_count && code == 0; f++) {
        const struct weir_figure *runs = plan->figure[f]->runs; /* NULL = skipped */
        struct weir_point at = { .figure = runs };
        memset(at.value, WEIR_AXIS_NONE, sizeof(at.value));
        for (uint32_t s = 0; runs != NULL && s < runs->sweep_count && code == 0; s++)
            code = add_combinations(plan, request, &runs->sweep[s], 0, &at, err);
    }
    return code != 0 ? code : choose_points(plan, request, err);
}

void weir_plan_weigh(struct weir_point *point, uint64_t simulated_ps)
{
    point->weight = (uint64_t)((double)simulated_ps / (double)WEIR_PS_PER_US * point->cost) + 1;
}

struct weir_point *weir_plan_next(struct weir_plan *plan)
{
    struct weir_point *longest = NULL;
    for (uint32_t i = 0; i < plan->point_count; i++) {
        struct weir_point *p = &plan->point[i];
        if (p->wanted && p->state == WEIR_POINT_PENDING && (longest == NULL || p->weight > longest->weight))
            longest = p;
    }
    return longest;
}
