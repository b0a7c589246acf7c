/* src/scenario/config/features.c - see features.h. */
#include "config/features.h"
#include "config/keys.h"
#include "core/assert.h"
#include "core/feature.h"
#include <stdio.h>
#include <string.h>

enum { LABEL = 64 };

bool weir_feature_list_or_number(const struct weir_feature *row)
{
    return row->list != NULL && row->params != NULL && weir_param_find(row->params, row->list->key) != NULL;
}

/* Writes the names that features add to `fabric` into names; writes nothing if names is NULL. @return the number of
 * names */
static size_t put_names(const char **names)
{
    size_t n = 0;
    for (const struct weir_feature *const *row = weir_features; *row != NULL; row++) {
        bool has_list = (*row)->list != NULL && !weir_feature_list_or_number(*row);
        const char *own[] = { (*row)->section, has_list ? (*row)->list->key : NULL };
        for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
            if (own[i] != NULL && names != NULL)
                names[n] = own[i];
            n += own[i] != NULL;
        }
        for (const struct weir_param *p = (*row)->params; (*row)->section == NULL && p != NULL && p->key != NULL; p++) {
            if (names != NULL)
                names[n] = p->key;
            n++;
        }
    }
    return n;
}

const char **weir_features_names(struct weir_tree_arena *arena, const char *const *first)
{
    const char **names;
    size_t count = 0;
    while (first[count] != NULL)
        count++;
    names = weir_tree_arena_take(arena, (put_names(NULL) + count + 1) * sizeof(*names)); /* zeroed: NULL ends it */
    if (names == NULL)
        return NULL;
    memcpy(names, first, count * sizeof(*names));
    (void)put_names(names + count);
    return names;
}

/* Gives the keys of a map that have a former name their present one. renamed: NULL, or ended by a NULL name */
static int rename_keys(struct weir_load *l, struct weir_tree *map, const struct weir_renamed_key *renamed)
{
    int code = 0;
    for (const struct weir_renamed_key *r = renamed; r != NULL && r->key != NULL && code == 0; r++)
        code = weir_load_rename_key(l, map, r->former, r->key);
    return code;
}

/* Renames keys likewise in the items of a list. */
static int rename_in_items(struct weir_load *l, const struct weir_tree *items, const struct weir_feature_list *list)
{
    int code = 0;
    for (struct weir_tree *item = items != NULL ? items->first : NULL; item != NULL && code == 0; item = item->next)
        code = rename_keys(l, item, list->renamed);
    return code;
}

int weir_features_widen(struct weir_load *l, const struct weir_tree *fabric)
{
    int code = 0;
    for (const struct weir_feature *const *row = weir_features; *row != NULL && code == 0; row++) {
        if ((*row)->short_key != NULL)
            code = weir_load_widen_key(l, fabric, (*row)->section, (*row)->short_key);
        if (code == 0 && (*row)->renamed != NULL)
            code = rename_keys(l, weir_tree_find(fabric, (*row)->section), (*row)->renamed);
        if (code == 0 && (*row)->list_key != NULL)
            code = weir_load_join_list(l, weir_tree_find(fabric, (*row)->section), (*row)->list_key);
        if (code == 0 && (*row)->list != NULL)
            code = rename_in_items(l, weir_tree_find(fabric, (*row)->list->key), (*row)->list);
    }
    return code;
}

const struct weir_feature_keys *weir_scenario_feature(const struct weir_scenario *scn, const char *name)
{
    for (uint32_t i = 0; i < scn->feature_count; i++)
        if (strcmp(scn->feature[i].row->name, name) == 0)
            return &scn->feature[i];
    return NULL;
}

/* --- reading --- */

/* Reads the feature's own keys from the map into f->config, and sets f->is_set if the map has any of them. Ignores all
 * other keys: they belong to the section itself or to other features. map: may be NULL. @return 0, or a code with
 * l->err */
static int set_own(struct weir_load *l, const struct weir_tree *map, struct weir_feature_keys *f)
{
    int code = 0;
    for (const struct weir_tree *key = map != NULL ? map->first : NULL; key != NULL && code == 0; key = key->next) {
        const struct weir_param *row = key->key.text != NULL ? weir_param_find(f->row->params, key->key.text) : NULL;
        if (row == NULL)
            continue;
        f->is_set = true;
        if (key->kind == WEIR_TREE_LIST && weir_feature_list_or_number(f->row) &&
            strcmp(key->key.text, f->row->list->key) == 0)
            continue; /* read_list() reads it */
        if (key->kind != WEIR_TREE_VALUE)
            return weir_keys_fail_kind(key, key->key.text, "a single value", l->err);
        code = weir_param_set(row, &key->at, f->config, l->err);
    }
    return code;
}

static int set_section(struct weir_load *l, const struct weir_tree *section, struct weir_feature_keys *f)
{
    char where[LABEL];
    if (section == NULL)
        return 0;
    f->is_set = true;
    (void)snprintf(where, sizeof(where), "fabric.%s", f->row->section);
    return section->is_empty ? 0 : weir_keys_apply(section, f->row->params, NULL, where, f->config, l->err);
}

static int read_item(struct weir_load *l, const struct weir_tree *item, const struct weir_feature_list *list,
                     uint32_t index, void *out)
{
    struct weir_tok where = item->at;
    char label[LABEL];
    (void)snprintf(label, sizeof(label), "fabric.%s[%u]", list->key, (unsigned)index);
    where.text = list->key;
    weir_param_defaults(list->params, out);
    memcpy((char *)out + list->where_offset, &where, sizeof(where));
    if (item->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(item, label, "a map", l->err);
    for (const char *const *key = list->required; *key != NULL; key++) {
        char hint[2 * LABEL];
        (void)snprintf(hint, sizeof(hint), "for example %s", list->example);
        if (weir_tree_find(item, *key) == NULL)
            return weir_fail(l->err, WEIR_E_SYNTAX, &item->at, hint, "%s: '%s' is missing", label, *key);
    }
    return item->is_empty ? 0 : weir_keys_apply(item, list->params, NULL, label, out, l->err);
}

/* Reads a feature's list, as `fabric.events`, from the file; presets have no lists. node: may be NULL */
static int read_list(struct weir_load *l, const struct weir_tree *node, struct weir_feature_keys *f)
{
    const struct weir_feature_list *list = f->row->list;
    char label[LABEL];
    uint32_t index = 0;
    int code = 0;
    (void)snprintf(label, sizeof(label), "fabric.%s", list->key);
    if (node == NULL || node->is_empty || (node->kind == WEIR_TREE_VALUE && weir_feature_list_or_number(f->row)))
        return 0;
    if (node->kind != WEIR_TREE_LIST)
        return weir_keys_fail_kind(node, label, "a list", l->err);
    if (node->count > list->max)
        return weir_fail(l->err, WEIR_E_RANGE, &node->at, NULL, "%s: %u items, at most %u are possible", label,
                         (unsigned)node->count, (unsigned)list->max);
    f->is_set = true;
    for (const struct weir_tree *item = node->first; item != NULL && code == 0; item = item->next, index++)
        code = read_item(l, item, list, index, (char *)f->config + list->offset + (size_t)index * list->bytes);
    memcpy((char *)f->config + list->count_offset, &index, sizeof(index));
    return code;
}

/* Sets the keys of a feature. fabric: the section `fabric` of a preset or of the file; NULL = it has none */
static int set_keys(struct weir_load *l, const struct weir_tree *fabric, struct weir_feature_keys *f)
{
    if (f->row->section == NULL)
        return set_own(l, fabric, f);
    return set_section(l, weir_tree_find(fabric, f->row->section), f);
}

/* Lets a key of the file replace other keys of the feature to which it is an alternative (struct weir_alternative). If
 * the file sets none of those other keys, their values come from a preset, and are reset to their defaults. file: keys
 * of the feature in the file; NULL = there are none */
static void reset_alternatives(const struct weir_tree *file, struct weir_feature_keys *f)
{
    for (const struct weir_alternative *a = f->row->alternatives; a != NULL && a->key != NULL; a++) {
        bool replaces = weir_tree_find(file, a->key) != NULL;
        for (uint32_t i = 0; i < 2; i++)
            replaces = replaces && (a->instead_of[i] == NULL || weir_tree_find(file, a->instead_of[i]) == NULL);
        for (uint32_t i = 0; i < 2 && replaces; i++)
            if (a->instead_of[i] != NULL)
                weir_param_default(weir_param_find(f->row->params, a->instead_of[i]), f->config);
    }
}

static int read_feature(struct weir_load *l, struct weir_feature_keys *f)
{
    const struct weir_tree *fabric = weir_tree_find(l->file, "fabric"), *keys = fabric;
    const struct weir_feature *row = f->row;
    int code;
    weir_param_defaults(row->params, f->config);
    if (row->section != NULL)
        keys = weir_tree_find(fabric, row->section);
    f->where = keys != NULL ? keys->at : (struct weir_tok){ .file = l->path };
    f->where.text = row->section != NULL ? row->section : "fabric";
    code = set_keys(l, weir_tree_find(&l->preset, "fabric"), f);
    if (code == 0)
        code = set_keys(l, fabric, f);
    if (code == 0 && row->list != NULL)
        code = read_list(l, weir_tree_find(fabric, row->list->key), f);
    if (code != 0)
        return code;
    reset_alternatives(keys, f);
    return row->check != NULL ? row->check(f->config, &f->where, l->err) : 0;
}

int weir_features_read(struct weir_load *l)
{
    struct weir_scenario *scn = l->scn;
    int code = 0;
    scn->feature = weir_tree_arena_take(l->arena, weir_features_rows() * sizeof(*scn->feature));
    if (scn->feature == NULL)
        return weir_fail_memory(l->err);
    for (const struct weir_feature *const *row = weir_features; *row != NULL && code == 0; row++) {
        struct weir_feature_keys *f = &scn->feature[scn->feature_count++];
        *f = (struct weir_feature_keys){ .row = *row };
        if ((*row)->params == NULL && (*row)->list == NULL)
            continue;
        f->config = weir_tree_arena_take(l->arena, (*row)->config_bytes);
        code = f->config != NULL ? read_feature(l, f) : weir_fail_memory(l->err);
    }
    return code;
}

int weir_features_resolve(struct weir_scenario *scn, const struct weir_scenario_path *path, struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < scn->feature_count && code == 0; i++) {
        const struct weir_feature_keys *f = &scn->feature[i];
        char where[LABEL];
        if (f->config == NULL)
            continue;
        (void)snprintf(where, sizeof(where), "fabric%s%s", f->row->section != NULL ? "." : "",
                       f->row->section != NULL ? f->row->section : "");
        weir_param_resolve_bdp(f->row->params, f->config, path->bdp_bytes);
        weir_param_resolve_rtt(f->row->params, f->config, path->base_rtt_ps);
        code = weir_param_check_relative(f->row->params, f->config, &f->where, where, err);
    }
    return code;
}
