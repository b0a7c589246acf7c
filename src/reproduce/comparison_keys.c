/* src/reproduce/comparison_keys.c - see comparison_keys.h. A dump has one key a line, two blanks for each level, "- " at the first key
 * of an item: no more of YAML is read here. */
#include "reproduce/comparison_keys.h"
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 128, LEVELS = 8 };

struct lines { /* walks one dump */
    const char *at;
    char name[LEVELS][PATH_BYTES / 2]; /* of the key at each level */
    uint32_t item[LEVELS];             /* how many items the list at this level had so far */
    char path[PATH_BYTES];
    const char *value;
    size_t value_length;
};

/* A list's items have the level of their keys; its name is two levels up. */
static void make_path(struct lines *l, uint32_t level)
{
    size_t used = 0;
    l->path[0] = '\0';
    for (uint32_t i = 0; i <= level && used < sizeof(l->path); i++) {
        if (l->name[i][0] == '\0')
            continue;
        used += (size_t)snprintf(l->path + used, sizeof(l->path) - used, "%s%s", used > 0 ? "." : "", l->name[i]);
        if (i < level && l->item[i + 1] > 0 && used < sizeof(l->path))
            used += (size_t)snprintf(l->path + used, sizeof(l->path) - used, "[%u]", (unsigned)(l->item[i + 1] - 1));
    }
}

/* The next key that has a value. @return false at the end */
static bool next_line(struct lines *l)
{
    while (*l->at != '\0') {
        const char *line = l->at, *end = line + strcspn(line, "\n"), *key = line + strspn(line, " ");
        bool is_item = strncmp(key, "- ", 2) == 0;
        uint32_t level = (uint32_t)(key - line) / 2;
        const char *colon;
        l->at = end + (*end == '\n');
        if (is_item) {
            key += 2;
            level++;
        }
        colon = memchr(key, ':', (size_t)(end - key));
        if (colon == NULL || level >= LEVELS)
            continue;
        if (is_item)
            l->item[level - 1]++;
        (void)snprintf(l->name[level], sizeof(l->name[level]), "%.*s", (int)(colon - key), key);
        for (uint32_t i = level + 1; i < LEVELS; i++) {
            l->name[i][0] = '\0';
            l->item[i] = 0;
        }
        l->item[level] = 0;
        make_path(l, level);
        l->value = colon + 1 + strspn(colon + 1, " ");
        if (l->value >= end)
            continue; /* a section */
        l->value_length = (size_t)(end - l->value);
        return true;
    }
    return false;
}

/* "1 BDP # 91555 B": what a BDP is follows from the frames, which are listed themselves. */
static size_t without_remark(const char *value, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (value[i] == ' ' && value[i + 1] == '#')
            return i;
    return length;
}

static bool is_left_out(const char *path)
{
    static const char *const start[] = { "name", "protocol.", "run.seed", "run.group_" };
    for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++)
        if (strncmp(path, start[i], strlen(start[i])) == 0)
            return true;
    return false;
}

/* The value of a path in a dump; NULL = it is not there. */
static const char *find(const char *text, const char *path, size_t *length)
{
    struct lines l = { .at = text };
    while (next_line(&l)) {
        if (strcmp(l.path, path) != 0)
            continue;
        *length = without_remark(l.value, l.value_length);
        return l.value;
    }
    return NULL;
}

static bool is_known(const struct weir_comparison_keys *keys, const char *path)
{
    for (uint32_t k = 0; k < keys->count; k++)
        if (strcmp(keys->key[k].path, path) == 0)
            return true;
    return false;
}

/* Adds the path if its values are not all the same. */
static int add_path(struct weir_comparison_keys *keys, const char *path, const char *const *text, uint32_t count,
                    struct weir_tree_arena *arena)
{
    struct weir_comparison_key *key = &keys->key[keys->count];
    bool differs = false;
    if (keys->count == WEIR_COMPARISON_KEYS_MAX) {
        keys->is_cut = true;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t length = 1;
        const char *value = find(text[i], path, &length);
        key->value[i] = weir_tree_arena_text(arena, value != NULL ? value : "-", length);
        if (key->value[i] == NULL)
            return WEIR_E_MEMORY;
        differs |= strcmp(key->value[i], key->value[0]) != 0;
    }
    if (!differs)
        return 0;
    key->path = weir_tree_arena_text(arena, path, strlen(path));
    keys->count++;
    return key->path != NULL ? 0 : WEIR_E_MEMORY;
}

int weir_comparison_keys_find(struct weir_comparison_keys *keys, const char *const *text, uint32_t count,
                              struct weir_tree_arena *arena, struct weir_err *err)
{
    *keys = (struct weir_comparison_keys){ 0 };
    for (uint32_t i = 0; i < count; i++) { /* a section may be in one of them only */
        struct lines l = { .at = text[i] };
        while (next_line(&l))
            if (!is_left_out(l.path) && !is_known(keys, l.path) && add_path(keys, l.path, text, count, arena) != 0)
                return weir_fail_memory(err);
    }
    return 0;
}
