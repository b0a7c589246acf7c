/* src/scenario/config/switches.c - see switches.h. An item keeps which keys it has, so that items that apply to one
 * switch can be laid over each other. */
#include "config/switches.h"
#include "config/features.h"
#include "config/keys.h"
#include "core/assert.h"
#include "core/feature.h"
#include "param/param.h"
#include <stdio.h>
#include <string.h>

enum { LABEL = 96, HINT = 128, KEYS_MAX = 64 /* bits of weir_switch_part.set */ };

static const struct weir_tree *list_of(const struct weir_tree *fabric)
{
    const struct weir_tree *list = weir_tree_find(fabric, WEIR_SWITCHES_KEY);
    return list != NULL && list->kind == WEIR_TREE_LIST ? list : NULL;
}

int weir_switches_widen(struct weir_load *l, const struct weir_tree *fabric)
{
    const struct weir_tree *list = list_of(fabric);
    int code = 0;
    for (const struct weir_tree *item = list != NULL ? list->first : NULL; item != NULL && code == 0;
         item = item->next) {
        if (item->kind != WEIR_TREE_MAP)
            continue; /* refused by weir_switches_read() */
        code = weir_features_widen(l, item);
        if (code == 0)
            code = weir_load_join_list(l, item, "at");
    }
    return code;
}

/* --- keys that all switches have in common --- */

static int fail_common(struct weir_load *l, const struct weir_tree *key, const char *label, const char *why)
{
    char hint[HINT];
    (void)snprintf(hint, sizeof(hint), "set it in fabric%s, for all switches",
                   strchr(label, '.') != strrchr(label, '.') ? strrchr(label, '.') : "");
    return weir_fail(l->err, WEIR_E_CONFLICT, &key->key, hint, "%s: %s is the same at all switches%s%s", label,
                     key->key.text, why != NULL ? ": " : "", why != NULL ? why : "");
}

/* Tests whether a key of `fabric` belongs to a feature: its section, its list, or a key without a section. */
static bool is_of(const struct weir_feature *row, const char *key)
{
    if (row->list != NULL && strcmp(row->list->key, key) == 0)
        return true;
    if (row->section != NULL)
        return strcmp(row->section, key) == 0;
    return row->params != NULL && weir_param_find(row->params, key) != NULL;
}

/* Refuses keys in a map that the feature has in common for all switches. */
static int check_common_keys(struct weir_load *l, const struct weir_feature *row, const struct weir_tree *map,
                             const char *label)
{
    for (const struct weir_tree *key = map->first; row->common_keys != NULL && key != NULL; key = key->next)
        if (key->key.text != NULL && weir_keys_listed(row->common_keys, key->key.text))
            return fail_common(l, key, label, NULL);
    return 0;
}

/* Refuses a key of an item that all switches have in common: of `fabric` itself, of a feature, or of a feature's
 * section. */
static int check_common(struct weir_load *l, const struct weir_tree *key, const char *label)
{
    const char *name = key->key.text;
    char inner[2 * LABEL];
    if (strcmp(name, "routing") == 0 || strcmp(name, "order") == 0)
        return fail_common(l, key, label, NULL);
    for (const struct weir_feature *const *row = weir_features; *row != NULL; row++) {
        bool is_list = (*row)->list != NULL && strcmp((*row)->list->key, name) == 0;
        if (!is_of(*row, name))
            continue;
        if ((*row)->everywhere != NULL || is_list)
            return fail_common(l, key, label, (*row)->everywhere);
        (void)snprintf(inner, sizeof(inner), "%s.%s", label, name);
        if ((*row)->section != NULL && key->kind == WEIR_TREE_MAP && check_common_keys(l, *row, key, inner) != 0)
            return l->err->code;
        if ((*row)->section == NULL && (*row)->common_keys != NULL && weir_keys_listed((*row)->common_keys, name))
            return fail_common(l, key, label, NULL);
    }
    return 0;
}

/* --- reading --- */

/* Reads the keys of a feature without a section from the item. */
static int read_own(struct weir_load *l, const struct weir_tree *item, const struct weir_feature *row, void *config)
{
    for (const struct weir_tree *key = item->first; key != NULL; key = key->next) {
        const struct weir_param *param = weir_param_find(row->params, key->key.text);
        int code;
        if (param == NULL)
            continue;
        if (key->kind != WEIR_TREE_VALUE)
            return weir_keys_fail_kind(key, key->key.text, "a single value", l->err);
        code = weir_param_set(param, &key->at, config, l->err);
        if (code != 0)
            return code;
    }
    return 0;
}

/* Reads the keys that an item has of a feature. part->config stays NULL if there are none. */
static int read_part(struct weir_load *l, const struct weir_tree *item, const struct weir_feature *row,
                     const char *label, struct weir_switch_part *part)
{
    const struct weir_tree *map = row->section != NULL ? weir_tree_find(item, row->section) : item;
    char inner[2 * LABEL];
    bool has = row->section != NULL && map != NULL;
    if (row->params == NULL || map == NULL)
        return 0;
    for (uint32_t i = 0; row->params[i].key != NULL; i++) {
        WEIR_ASSERT(i < KEYS_MAX);
        if (weir_tree_find(map, row->params[i].key) != NULL)
            part->set |= UINT64_C(1) << i;
    }
    if (!has && part->set == 0)
        return 0;
    part->config = weir_tree_arena_take(l->arena, row->config_bytes);
    if (part->config == NULL)
        return weir_fail_memory(l->err);
    weir_param_defaults(row->params, part->config);
    if (row->section == NULL)
        return read_own(l, item, row, part->config);
    (void)snprintf(inner, sizeof(inner), "%s.%s", label, row->section);
    return map->is_empty ? 0 : weir_keys_apply(map, row->params, NULL, inner, part->config, l->err);
}

static int read_item(struct weir_load *l, const struct weir_tree *item, uint32_t index, const char *const *more)
{
    static const char *const hint = "for example fabric: {switches: [{at: leaf 0, rpm: on}]}";
    struct weir_scenario *scn = l->scn;
    struct weir_switch_item *to = &scn->switches[index];
    char label[LABEL];
    int code = 0;
    (void)snprintf(label, sizeof(label), "fabric." WEIR_SWITCHES_KEY "[%u]", (unsigned)index);
    to->where = item->at;
    to->where.text = WEIR_SWITCHES_KEY;
    weir_param_defaults(weir_switch_item_params, to);
    to->part = weir_tree_arena_take(l->arena, scn->feature_count * sizeof(*to->part));
    if (to->part == NULL)
        return weir_fail_memory(l->err);
    if (item->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(item, label, "a map", l->err);
    for (const struct weir_tree *key = item->first; key != NULL && code == 0; key = key->next)
        code = check_common(l, key, label);
    if (code == 0)
        code = weir_keys_apply(item, weir_switch_item_params, more, label, to, l->err);
    if (code == 0 && to->at[0] == '\0')
        code = weir_fail(l->err, WEIR_E_SYNTAX, &to->where, hint, "%s: at is missing", label);
    to->has_buffer = weir_tree_find(item, "buffer") != NULL;
    for (uint32_t f = 0; f < scn->feature_count && code == 0; f++)
        code = read_part(l, item, scn->feature[f].row, label, &to->part[f]);
    return code;
}

int weir_switches_read(struct weir_load *l)
{
    const struct weir_tree *list = weir_tree_find(weir_tree_find(l->file, "fabric"), WEIR_SWITCHES_KEY);
    static const char *const none[] = { NULL };
    const char **more = weir_features_names(l->arena, none);
    uint32_t index = 0;
    int code = 0;
    if (more == NULL)
        return weir_fail_memory(l->err);
    if (list == NULL || list->is_empty)
        return 0;
    if (list->kind != WEIR_TREE_LIST)
        return weir_keys_fail_kind(list, "fabric." WEIR_SWITCHES_KEY, "a list", l->err);
    if (list->count > WEIR_SWITCH_ITEMS_MAX)
        return weir_fail(l->err, WEIR_E_RANGE, &list->at, "an item may name several switches, and tiers",
                         "fabric." WEIR_SWITCHES_KEY ": %u items, at most %u are possible", (unsigned)list->count,
                         WEIR_SWITCH_ITEMS_MAX);
    l->scn->switches = weir_tree_arena_take(l->arena, list->count * sizeof(*l->scn->switches) + 1);
    if (l->scn->switches == NULL)
        return weir_fail_memory(l->err);
    for (const struct weir_tree *item = list->first; item != NULL && code == 0; item = item->next, index++)
        code = read_item(l, item, index, more);
    l->scn->switches_count = index;
    return code;
}

/* --- use --- */

/* Lays the keys of an item over the feature's keys in config. A key that replaces others (struct weir_alternative)
 * resets them. */
static void lay_over(const struct weir_feature *row, const struct weir_switch_part *part, void *config)
{
    for (const struct weir_alternative *a = row->alternatives; a != NULL && a->key != NULL; a++) {
        bool has = false, has_others = false;
        for (uint32_t i = 0; row->params[i].key != NULL; i++) {
            bool in_item = (part->set >> i & 1) != 0;
            has = has || (in_item && strcmp(row->params[i].key, a->key) == 0);
            for (uint32_t k = 0; k < 2; k++)
                has_others = has_others ||
                             (in_item && a->instead_of[k] != NULL && strcmp(row->params[i].key, a->instead_of[k]) == 0);
        }
        for (uint32_t k = 0; has && !has_others && k < 2; k++)
            if (a->instead_of[k] != NULL)
                weir_param_default(weir_param_find(row->params, a->instead_of[k]), config);
    }
    for (uint32_t i = 0; row->params[i].key != NULL; i++)
        if ((part->set >> i & 1) != 0)
            weir_param_copy(&row->params[i], part->config, config);
}

bool weir_scenario_feature_at(const struct weir_scenario *scn, uint32_t feature, uint64_t items, void *config)
{
    const struct weir_feature_keys *f = &scn->feature[feature];
    bool is_set = f->is_set;
    WEIR_ASSERT(feature < scn->feature_count);
    if (f->config == NULL)
        return is_set;
    memcpy(config, f->config, f->row->config_bytes);
    for (uint32_t i = 0; i < scn->switches_count; i++) {
        const struct weir_switch_part *part = &scn->switches[i].part[feature];
        if ((items >> i & 1) == 0 || part->config == NULL)
            continue;
        is_set = true;
        lay_over(f->row, part, config);
    }
    return is_set;
}

int weir_scenario_resolve_switches(struct weir_scenario *scn, const struct weir_scenario_path *path,
                                   struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < scn->switches_count; i++) {
        for (uint32_t f = 0; f < scn->feature_count && code == 0; f++) {
            const struct weir_feature *row = scn->feature[f].row;
            struct weir_switch_part *part = &scn->switches[i].part[f];
            char label[LABEL];
            if (part->config == NULL)
                continue;
            (void)snprintf(label, sizeof(label), "fabric." WEIR_SWITCHES_KEY "[%u].%s", (unsigned)i, row->name);
            weir_param_resolve_bdp(row->params, part->config, path->bdp_bytes);
            weir_param_resolve_rtt(row->params, part->config, path->base_rtt_ps);
            code = weir_param_check_relative(row->params, part->config, &scn->switches[i].where, label, err);
        }
    }
    return code;
}
