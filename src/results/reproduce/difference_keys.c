/* src/results/reproduce/difference_keys.c - finds the keys in which the runs of two result files differ; see
 * difference.h. */
#include "config/settings.h"
#include "reproduce/difference.h"
#include <string.h>

/* Tests whether a key is of the law of traffic or hosts: "traffic[0].protocol.g", "hosts[1].host.rto_min". */
static bool is_of_law(const char *path)
{
    static const char *const part[] = { "].protocol", "].host.", "].deploy" };
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        if (strstr(path, part[i]) != NULL)
            return true;
    return false;
}

/* Returns what cannot be compared if this key differs; NULL = it can. */
static const char *kind_of(const char *path)
{
    if (is_of_law(path))
        return NULL;
    if (strncmp(path, "topology.", 9) == 0 || strncmp(path, "hosts[", 6) == 0)
        return "the same network";
    return strncmp(path, "traffic[", 8) == 0 ? "the same traffic" : NULL;
}

/* Adds a key that differs, or counts one more group, once. @return 0, or WEIR_E_MEMORY with err */
static int add_key(struct weir_difference *d, const struct weir_difference_group *group, const char *path,
                   const char *before, const char *after, struct weir_err *err)
{
    struct weir_difference_key *key = d->key;
    while (key < d->key + d->key_count && strcmp(key->path, path) != 0)
        key++;
    if (key < d->key + d->key_count) {
        key->groups += key->last_first != group->first;
        key->last_first = group->first;
        return 0;
    }
    d->keys_cut = d->keys_cut || d->key_count == WEIR_DIFFERENCE_KEYS_MAX;
    if (d->keys_cut)
        return 0;
    key->path = weir_tree_arena_text(d->arena, path, strlen(path));
    key->before = weir_tree_arena_text(d->arena, before, strlen(before));
    key->after = weir_tree_arena_text(d->arena, after, strlen(after));
    key->groups = 1;
    key->last_first = group->first;
    d->key_count++;
    return key->path != NULL && key->before != NULL && key->after != NULL ? 0 : weir_fail_memory(err);
}

static int refuse(const struct weir_difference *d, const struct weir_difference_group *group, const char *path,
                  const char *const value[2], struct weir_err *err)
{
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "--any compares them nevertheless",
                     "%.80s: %s and %s do not have %s: %.60s is %.60s, and then %.60s", group->label, d->file[0].path,
                     d->file[1].path, kind_of(path), path, value[0], value[1]);
}

/* Compares one key. The name of the scenario and the seed do not count. */
static int compare(struct weir_difference *d, const struct weir_difference_group *group, const char *path,
                   const struct weir_settings of[2], bool any, struct weir_err *err)
{
    const char *value[2];
    for (int i = 0; i < 2; i++) {
        value[i] = weir_settings_find(&of[i], path);
        value[i] = value[i] != NULL ? value[i] : "-";
    }
    if (strcmp(value[0], value[1]) == 0 || strcmp(path, "name") == 0 || strcmp(path, "run.seed") == 0)
        return 0;
    if (!any && kind_of(path) != NULL)
        return refuse(d, group, path, value, err);
    return add_key(d, group, path, value[0], value[1], err);
}

/* Compares the scenarios of a pair of a group. */
static int compare_pair(struct weir_difference *d, const struct weir_difference_group *group,
                        const struct weir_difference_pair *pair, bool any, struct weir_err *err)
{
    struct weir_settings of[2] = { { 0 } };
    int code;
    if (strcmp(pair->before->scenario, pair->after->scenario) == 0)
        return 0;
    code = weir_settings_read(&of[0], pair->before->scenario, err);
    if (code == 0)
        code = weir_settings_read(&of[1], pair->after->scenario, err);
    for (size_t i = 0; code == 0 && i < of[0].count; i++)
        code = compare(d, group, of[0].item[i].key, of, any, err);
    for (size_t i = 0; code == 0 && i < of[1].count; i++)
        if (weir_settings_find(&of[0], of[1].item[i].key) == NULL)
            code = compare(d, group, of[1].item[i].key, of, any, err);
    weir_settings_free(&of[0]);
    weir_settings_free(&of[1]);
    return code;
}

int weir_difference_keys(struct weir_difference *d, bool any, struct weir_err *err)
{
    int code = 0;
    for (uint32_t g = 0; g < d->group_count && code == 0; g++)
        for (uint32_t i = 0; i < d->group[g].count && code == 0; i++)
            code = compare_pair(d, &d->group[g], &d->pair[d->group[g].first + i], any, err);
    return code;
}
