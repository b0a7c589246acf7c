/* src/scenario/config/settings.c - see settings.h. */
#include "config/settings.h"
#include "config/yaml.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX_BYTES 256 /* longer paths of keys are cut; no scenario has one */
#define LIST_MAX 100000u  /* most entries of one list of a scenario */
#define ROOM_FIRST 256

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the settings of a run");
}

static int add(struct weir_settings *s, size_t *room, const char *key, const char *value, struct weir_err *err)
{
    if (s->count == *room) {
        size_t more = *room > 0 ? 2 * *room : ROOM_FIRST;
        struct weir_setting *grown = realloc(s->item, more * sizeof(*grown));
        if (grown == NULL)
            return no_memory(err);
        s->item = grown;
        *room = more;
    }
    s->item[s->count] =
        (struct weir_setting){ .key = weir_tree_arena_text(s->arena, key, strlen(key)), .value = value };
    return s->item[s->count++].key != NULL ? 0 : no_memory(err);
}

/* Adds all values below a node, whose path is key. Recurses, at most WEIR_TREE_DEPTH_MAX deep. *room: entries that
 * s->item has room for */
static int flatten(struct weir_settings *s, size_t *room, const struct weir_tree *node, const char *key,
                   struct weir_err *err)
{
    uint32_t number = 0;
    int code = 0;
    if (node->kind == WEIR_TREE_VALUE)
        return add(s, room, key, node->at.text, err);
    for (const struct weir_tree *child = node->first; child != NULL && code == 0; child = child->next) {
        char inner[KEY_MAX_BYTES];
        if (node->kind == WEIR_TREE_LIST)
            (void)snprintf(inner, sizeof(inner), "%.200s[%u]", key, number++);
        else
            (void)snprintf(inner, sizeof(inner), "%.160s%s%.80s", key, key[0] != '\0' ? "." : "", child->key.text);
        code = flatten(s, room, child, inner, err);
    }
    return code;
}

static int compare_keys(const void *left, const void *right)
{
    const struct weir_setting *const *a = left, *const *b = right;
    return strcmp((*a)->key, (*b)->key);
}

static int sort_keys(struct weir_settings *s, struct weir_err *err)
{
    if (s->count == 0)
        return 0;
    s->by_key = malloc(s->count * sizeof(*s->by_key));
    if (s->by_key == NULL)
        return no_memory(err);
    for (size_t i = 0; i < s->count; i++)
        s->by_key[i] = &s->item[i];
    qsort(s->by_key, s->count, sizeof(*s->by_key), compare_keys);
    return 0;
}

int weir_settings_read(struct weir_settings *settings, const char *scenario, struct weir_err *err)
{
    struct weir_err unread;
    struct weir_tree *root = NULL;
    size_t room = 0;
    int code;
    *settings = (struct weir_settings){ .arena = weir_tree_arena_new() };
    if (settings->arena == NULL)
        return no_memory(err);
    code = weir_yaml_read(settings->arena, "scenario", scenario, strlen(scenario), LIST_MAX, &root, &unread);
    if (code != 0)
        return code == WEIR_E_MEMORY ? no_memory(err) : 0;
    code = root->kind == WEIR_TREE_MAP ? flatten(settings, &room, root, "", err) : 0;
    if (code == 0)
        code = sort_keys(settings, err);
    if (code != 0)
        weir_settings_free(settings); /* so that a caller who goes on finds none, not some that cannot be looked up */
    return code;
}

void weir_settings_free(struct weir_settings *settings)
{
    free(settings->item);
    free(settings->by_key);
    if (settings->arena != NULL)
        weir_tree_arena_free(settings->arena);
    *settings = (struct weir_settings){ 0 };
}

const char *weir_settings_find(const struct weir_settings *settings, const char *key)
{
    const struct weir_setting wanted = { .key = key }, *at = &wanted, *const * found;
    if (settings->count == 0)
        return NULL;
    found = bsearch(&at, settings->by_key, settings->count, sizeof(*settings->by_key), compare_keys);
    return found != NULL ? (*found)->value : NULL;
}

bool weir_setting_fits(const char *key, const char *end)
{
    size_t length = strlen(key), tail = strlen(end);
    return length >= tail && strcmp(key + length - tail, end) == 0 && (length == tail || key[length - tail - 1] == '.');
}

void weir_setting_text(char *out, size_t size, const struct weir_setting *setting)
{
    char *end;
    double share = strtod(setting->value, &end);
    bool is_share = weir_setting_fits(setting->key, "load") || weir_setting_fits(setting->key, "share");
    if (is_share && end != setting->value && *end == '\0')
        (void)snprintf(out, size, "%.4g%%", share * 100);
    else
        (void)snprintf(out, size, "%s", setting->value);
}
