/* src/simulator/setup/switches.c - the list `fabric.switches`: which of its items apply to which switch, and the
 * variants of features that follow. A variant is a feature with the keys of one set of items. Switches to which the
 * same items apply share it. */
#include "core/feature.h"
#include "core/math.h"
#include "setup/features.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HINT = 256 };

/* ---- which items apply ---- */

/* Writes the names of the tiers of switches to out, cut to size: "leaf, spine". */
static void list_tiers(const struct weir_topology *topo, char *out, size_t size)
{
    size_t used = 0;
    (void)snprintf(out, size, "%s", "edge, core");
    for (uint32_t t = 1; topo->tier_name != NULL && t < WEIR_TIERS_MAX && used < size; t++)
        if (topo->tier_name[t] != NULL)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", topo->tier_name[t]);
}

/* Refuses a location in the `at` of item i that is none of switches. @return WEIR_E_UNKNOWN or WEIR_E_CONFLICT, with
 * err */
static int fail_location(const struct weir_setup *s, uint32_t i, enum weir_location what, const char *name,
                         struct weir_err *err)
{
    const struct weir_tok *where = &s->scn->switches[i].where;
    char tiers[HINT / 2], hint[HINT];
    list_tiers(&s->topo, tiers, sizeof(tiers));
    (void)snprintf(hint, sizeof(hint), "tiers are %s; weir topology --cables names all switches", tiers);
    if (what == WEIR_LOCATION_HOSTS)
        return weir_fail(err, WEIR_E_CONFLICT, where, hint,
                         "fabric.switches[%u]: '%.80s' is of hosts, and the list is of switches", (unsigned)i, name);
    return weir_fail(err, WEIR_E_UNKNOWN, where, hint, "fabric.switches[%u]: no switch is at '%.80s'", (unsigned)i,
                     name);
}

/* Sets bit i of s->items_at of each switch at which item i is. is_at: room for an entry per node */
static int mark_items(struct weir_setup *s, bool *is_at, struct weir_err *err)
{
    char name[WEIR_TEXT_MAX];
    for (uint32_t i = 0; i < s->scn->switches_count; i++) {
        enum weir_location what;
        memset(is_at, 0, s->topo.node_count * sizeof(*is_at));
        what = weir_topology_mark_switches(&s->topo, s->scn->switches[i].at, is_at, name);
        if (what != WEIR_LOCATION_SWITCHES)
            return fail_location(s, i, what, name, err);
        for (uint32_t n = s->topo.host_count; n < s->topo.node_count; n++)
            s->items_at[n] |= (uint64_t)is_at[n] << i;
    }
    return 0;
}

int weir_setup_switches(struct weir_setup *s, struct weir_err *err)
{
    bool *is_at;
    int code;
    if (s->scn->switches_count == 0)
        return 0;
    is_at = calloc(s->topo.node_count, sizeof(*is_at));
    s->items_at = calloc(s->topo.node_count, sizeof(*s->items_at));
    s->variants = calloc((size_t)s->scn->feature_count + 1, sizeof(*s->variants));
    code =
        is_at != NULL && s->items_at != NULL && s->variants != NULL ? mark_items(s, is_at, err) : weir_fail_memory(err);
    free(is_at);
    return code;
}

void weir_setup_free_switches(struct weir_setup *s)
{
    for (uint32_t f = 0; s->variants != NULL && f < s->scn->feature_count; f++)
        free(s->variants[f].block);
    free(s->variants);
    free(s->items_at);
    free(s->memory_of);
    s->variants = NULL;
    s->items_at = s->memory_of = NULL;
}

/* ---- memory ---- */

/* Returns the memory that the last of some items sets; `otherwise` if none does. */
static uint64_t memory_of(const struct weir_scenario *scn, uint64_t items, uint64_t otherwise)
{
    for (uint32_t i = scn->switches_count; i-- > 0;)
        if ((items >> i & 1) != 0 && scn->switches[i].has_buffer)
            return scn->switches[i].buffer_bytes;
    return otherwise;
}

int weir_setup_switch_memory(struct weir_setup *s, struct weir_err *err)
{
    bool any = false;
    for (uint32_t i = 0; i < s->scn->switches_count; i++)
        any = any || s->scn->switches[i].has_buffer;
    if (!any)
        return 0;
    s->memory_of = malloc(s->topo.node_count * sizeof(*s->memory_of));
    if (s->memory_of == NULL)
        return weir_fail_memory(err);
    for (uint32_t n = 0; n < s->topo.node_count; n++)
        s->memory_of[n] = memory_of(s->scn, s->items_at[n], s->model.memory_bytes);
    s->model.memory_of = s->memory_of;
    return 0;
}

/* ---- variants of a feature ---- */

/* Returns the items that change feature f: those with a key of it, and those with a memory if it decides about
 * memory. */
static uint64_t items_of(const struct weir_scenario *scn, uint32_t f)
{
    uint64_t items = 0;
    for (uint32_t i = 0; i < scn->switches_count; i++) {
        bool changes = scn->switches[i].part[f].config != NULL ||
                       (scn->switches[i].has_buffer && scn->feature[f].row->admit != NULL);
        items |= (uint64_t)changes << i;
    }
    return items;
}

static size_t whole_units(size_t bytes)
{
    return (bytes + 15u) & ~(size_t)15;
}

/* Finds the sets of items that change feature f at some switch, each once, the empty set first. sets: room for one more
 * than there are switches. of: NULL, or gets the index of each node's set. @return how many sets there are */
static uint32_t find_sets(const struct weir_setup *s, uint64_t items, uint64_t *sets, uint16_t *of)
{
    uint32_t count = 1;
    sets[0] = 0;
    for (uint32_t n = s->topo.host_count; n < s->topo.node_count; n++) {
        uint32_t k = 0;
        while (k < count && sets[k] != (s->items_at[n] & items))
            k++;
        if (k == count && count == WEIR_VARIANTS_MAX)
            return count + 1;
        if (k == count)
            sets[count++] = s->items_at[n] & items;
        of[n] = (uint16_t)k;
    }
    return count;
}

/* Allocates the variants of feature f, and fills in the items of each. @return 0, or a code with err */
static int alloc_variants(struct weir_setup *s, uint32_t f, uint64_t items, struct weir_err *err)
{
    const struct weir_feature_keys *keys = &s->scn->feature[f];
    struct weir_variants *p = &s->variants[f];
    uint64_t sets[WEIR_VARIANTS_MAX + 1];
    size_t of_bytes = whole_units(s->topo.node_count * sizeof(*p->variant_of)), config_bytes, model_bytes;
    uint16_t *of = calloc(1, of_bytes);
    uint32_t count = of != NULL ? find_sets(s, items, sets, of) : 0;
    if (count == 0)
        return weir_fail_memory(err);
    if (count > WEIR_VARIANTS_MAX) {
        free(of);
        return weir_fail(err, WEIR_E_RANGE, &s->scn->switches[0].where, "let items name tiers",
                         "fabric.switches: %s differs in more than %u ways", keys->row->name, WEIR_VARIANTS_MAX - 1);
    }
    config_bytes = whole_units(keys->row->config_bytes), model_bytes = whole_units(keys->row->model_bytes);
    p->block = calloc(1, of_bytes +
                             count * (whole_units(sizeof(*p->variant)) + whole_units(sizeof(*p->items)) + config_bytes +
                                      model_bytes) +
                             16);
    if (p->block == NULL) {
        free(of);
        return weir_fail_memory(err);
    }
    p->count = count;
    p->variant_of = p->block;
    memcpy(p->variant_of, of, of_bytes);
    free(of);
    p->variant = (struct weir_feature_variant *)((char *)p->block + of_bytes);
    p->items = (uint64_t *)((char *)p->variant + count * whole_units(sizeof(*p->variant)));
    memcpy(p->items, sets, count * sizeof(*sets));
    p->config = (unsigned char *)p->items + count * whole_units(sizeof(*p->items));
    p->model = p->config + count * config_bytes;
    p->config_stride = config_bytes, p->model_stride = model_bytes;
    return 0;
}

/* Returns the position of the last item of a set that changes feature f. */
static const struct weir_tok *where_of(const struct weir_scenario *scn, uint64_t items)
{
    uint32_t last = scn->switches_count - 1;
    while ((items >> last & 1) == 0)
        last--;
    return &scn->switches[last].where;
}

/* Adds the plan of one variant to that of the feature. */
static void merge(struct weir_feature_plan *all, const struct weir_feature_plan *plan)
{
    if (!plan->on)
        return;
    if (!all->on) {
        *all = *plan;
        return;
    }
    WEIR_ASSERT(all->period_ps == plan->period_ps);
    WEIR_ASSERT(all->qdelay_unit_ps == plan->qdelay_unit_ps);
    WEIR_ASSERT(all->classes == plan->classes);
    all->offers |= plan->offers;
    all->marks_by_queue |= plan->marks_by_queue;
    all->mark_bytes = weir_min_u64(all->mark_bytes, plan->mark_bytes);
    all->skips_joined = all->skips_joined && plan->skips_joined;
    all->late_start = all->late_start && plan->late_start;
    all->other_port_kinds |= plan->other_port_kinds;
    all->coupled = all->coupled || plan->coupled;
    all->warning = all->warning != NULL ? all->warning : plan->warning;
}

static struct weir_feature_variant variant_of(const struct weir_feature_plan *plan, const void *model)
{
    return (struct weir_feature_variant){
        .model = model, .node_bytes = plan->node_bytes, .offers = plan->on ? plan->offers : 0, .on = plan->on
    };
}

/* Sets up variant v of feature f, from 1 on. @return 0, or a code with err */
static int plan_variant(struct weir_setup *s, struct weir_fabric_env *env, uint32_t f, uint32_t v,
                        struct weir_feature_plan *all, struct weir_err *err)
{
    const struct weir_feature *row = s->scn->feature[f].row;
    struct weir_variants *p = &s->variants[f];
    struct weir_fabric_env here = *env;
    struct weir_feature_plan plan = { 0 };
    void *config = p->config + v * p->config_stride, *model = p->model + v * p->model_stride;
    int code;
    here.is_set = weir_scenario_feature_at(s->scn, f, p->items[v], config);
    here.where = where_of(s->scn, p->items[v]);
    here.memory_bytes = memory_of(s->scn, p->items[v], env->memory_bytes);
    code = row->check != NULL ? row->check(config, here.where, err) : 0;
    if (code == 0)
        code = row->setup(config, &here, model, &plan, err);
    p->variant[v] = variant_of(&plan, model);
    merge(all, &plan);
    return code;
}

int weir_setup_variants(struct weir_setup *s, struct weir_fabric_env *env, uint32_t f, const void *model,
                        struct weir_feature_plan *plan, struct weir_err *err)
{
    uint64_t items = s->variants != NULL ? items_of(s->scn, f) : 0;
    struct weir_feature_plan base = *plan;
    int code;
    if (items == 0)
        return 0;
    code = alloc_variants(s, f, items, err);
    for (uint32_t v = 1; code == 0 && v < s->variants[f].count; v++)
        code = plan_variant(s, env, f, v, plan, err);
    if (code == 0)
        s->variants[f].variant[0] = variant_of(&base, model);
    return code;
}
