/* src/scenario/config/preset.c - expands short forms, and turns presets into trees. */
#include "config/features.h"
#include "config/keys.h"
#include "config/laws.h"
#include "config/load.h"
#include "config/switches.h"
#include "core/assert.h"
#include "param/suggest.h"
#include <stdio.h>
#include <string.h>

enum { HINT = 512, PATH = 200 };

const char *const weir_load_sections[] = { "name",   "topology", "framing", "protocol", "host",     "hosts",
                                           "fabric", "traffic",  "run",     "switch",   "variants", NULL };

static int fail_memory(struct weir_load *l)
{
    return weir_fail_memory(l->err);
}

int weir_load_widen_key(struct weir_load *l, const struct weir_tree *parent, const char *section, const char *key)
{
    struct weir_tree *node = weir_tree_find(parent, section), *child;
    if (node == NULL || node->kind != WEIR_TREE_VALUE || node->is_empty)
        return 0;
    child = weir_tree_add(l->arena, node);
    if (child == NULL)
        return fail_memory(l);
    child->key = child->at = node->at;
    child->key.text = key;
    node->kind = WEIR_TREE_MAP;
    node->at.text = "";
    return 0;
}

int weir_load_join_list(struct weir_load *l, const struct weir_tree *parent, const char *key)
{
    struct weir_tree *list = weir_tree_find(parent, key);
    size_t size = 1, used = 0;
    char *text;
    if (list == NULL || list->kind != WEIR_TREE_LIST)
        return 0;
    for (const struct weir_tree *node = list->first; node != NULL; node = node->next) {
        if (node->kind != WEIR_TREE_VALUE)
            return weir_fail(l->err, WEIR_E_SYNTAX, &node->at, NULL, "%s: a list of single values belongs here", key);
        size += strlen(node->at.text) + 2;
    }
    text = weir_tree_arena_take(l->arena, size);
    if (text == NULL)
        return fail_memory(l);
    for (const struct weir_tree *node = list->first; node != NULL; node = node->next)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", node->at.text);
    *list = (struct weir_tree){ .key = list->key, .at = list->at, .next = list->next, .is_empty = list->count == 0 };
    list->at.text = text;
    return 0;
}

int weir_load_rename_key(struct weir_load *l, struct weir_tree *map, const char *former, const char *key)
{
    struct weir_tree *old = weir_tree_find(map, former), *now = weir_tree_find(map, key), **at;
    if (old == NULL)
        return 0;
    old->key.text = key;
    if (now == NULL)
        return 0;
    if (strcmp(old->at.file, l->path) == 0)
        return weir_fail(l->err, WEIR_E_CONFLICT, &old->key, "leave one of the two out",
                         "%s: it is the former name of %s, which is given too", former, key);
    for (at = &map->first; *at != now; at = &(*at)->next) {
    }
    *at = now->next; /* old is newer, so it comes later and stays the last child */
    map->count--;
    return 0;
}

/* Puts the keys of a map `parallel` of a traffic item among those of the item. @return 0, or a code with l->err */
static int widen_parallel(struct weir_load *l, struct weir_tree *item)
{
    static const char *const keys[] = { "tp", "pp", "dp", "ep" };
    struct weir_tree *map = weir_tree_find(item, "parallel"), **at = &item->first;
    if (map == NULL)
        return 0;
    if (map->kind != WEIR_TREE_MAP || map->count == 0)
        return weir_fail(l->err, WEIR_E_SYNTAX, &map->at, "for example parallel: {tp: 8, pp: 4, dp: 16}",
                         "parallel: %s%s, and a map of tp, pp, dp and ep belongs here",
                         map->kind == WEIR_TREE_MAP ? "is empty" : "is ",
                         map->kind == WEIR_TREE_MAP ? "" : weir_tree_kind_text(map));
    for (const struct weir_tree *key = map->first; key != NULL; key = key->next) {
        bool known = false;
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
            known |= strcmp(key->key.text, keys[i]) == 0;
        if (!known)
            return weir_fail(l->err, WEIR_E_UNKNOWN, &key->key, "known: tp, pp, dp, ep", "parallel: no key '%.80s'",
                             key->key.text);
        if (weir_tree_find(item, key->key.text) != NULL)
            return weir_fail(l->err, WEIR_E_CONFLICT, &key->key, "leave one of the two out",
                             "parallel: %s is also a key of the item", key->key.text);
    }
    while (*at != map)
        at = &(*at)->next;
    *at = map->first;
    map->last->next = map->next;
    if (item->last == map)
        item->last = map->last;
    item->count += map->count - 1;
    return 0;
}

/* Widens the maps `parallel` of all items of a list, which may be NULL. @return 0, or a code with l->err */
static int widen_parallels(struct weir_load *l, const struct weir_tree *list)
{
    int code = 0;
    for (struct weir_tree *item = list != NULL ? list->first : NULL; item != NULL && code == 0; item = item->next)
        if (item->kind == WEIR_TREE_MAP)
            code = widen_parallel(l, item);
    return code;
}

int weir_load_widen(struct weir_load *l, struct weir_tree *root)
{
    const struct weir_tree *fabric = weir_tree_find(root, "fabric");
    int code = weir_load_widen_key(l, root, "protocol", "name");
    if (code == 0)
        code = weir_load_widen_key(l, root, "framing", "preset");
    if (code == 0)
        code = weir_load_widen_key(l, fabric, "routing", "mode");
    if (code == 0)
        code = weir_laws_widen(l, weir_tree_find(root, "traffic"));
    if (code == 0)
        code = widen_parallels(l, weir_tree_find(root, "traffic"));
    if (code == 0)
        code = weir_laws_widen(l, weir_tree_find(root, "hosts"));
    if (code == 0)
        code = weir_features_widen(l, fabric);
    if (code == 0)
        code = weir_switches_widen(l, fabric);
    return code != 0 ? code : weir_load_join_list(l, fabric, "order");
}

int weir_load_find_preset(struct weir_load *l, const struct weir_preset *rows, const struct weir_tok *name,
                          const char *whose, const struct weir_preset **found)
{
    struct weir_suggest near;
    char hint[HINT];
    *found = rows != NULL && rows->name != NULL ? rows : NULL;
    if (name->text == NULL)
        return 0;
    weir_suggest_init(&near, name->text);
    for (; rows != NULL && rows->name != NULL; rows++) {
        if (strcmp(rows->name, name->text) == 0) {
            *found = rows;
            return 0;
        }
        weir_suggest_add(&near, rows->name);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(l->err, WEIR_E_UNKNOWN, name, *found != NULL ? hint : "it has no presets",
                     "unknown preset '%.80s' of %s", name->text, whose);
}

int weir_load_plant_preset(struct weir_load *l, const struct weir_preset *preset, const char *own,
                           struct weir_tree *root)
{
    char label[PATH];
    struct weir_tok tok = { .text = "" };
    (void)snprintf(label, sizeof(label), "preset %s", preset->name);
    tok.file = weir_tree_arena_text(l->arena, label, strlen(label));
    for (const char *const *line = preset->values; line != NULL && *line != NULL; line++) {
        const char *colon = strchr(*line, ':');
        char path[PATH], first[PATH];
        int code;
        WEIR_ASSERT(colon != NULL && colon - *line < PATH / 2);
        (void)snprintf(path, sizeof(path), "%.*s", (int)(colon - *line), *line);
        (void)snprintf(first, sizeof(first), "%.*s", (int)strcspn(path, ".["), path);
        if (!weir_keys_listed(weir_load_sections, first))
            (void)snprintf(path, sizeof(path), "%s.%.*s", own, (int)(colon - *line), *line);
        tok.text = colon + 1 + strspn(colon + 1, " ");
        code = weir_tree_set(l->arena, root, path, &tok, l->err);
        if (code == 0)
            code = weir_load_widen(l, root);
        if (code != 0)
            return code;
    }
    return 0;
}
