/* src/results/reproduce/comparison_keys.c - see comparison_keys.h. */
#include "reproduce/comparison_keys.h"
#include "config/settings.h"
#include <string.h>

static bool is_left_out(const char *path)
{
    static const char *const start[] = { "name", "protocol.name", "protocol.preset", "run.seed", "run.group_" };
    for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++)
        if (strncmp(path, start[i], strlen(start[i])) == 0)
            return true;
    return strstr(path, "].deploy.") != NULL; /* the law that has a share, which the table names */
}

/* Tests whether two laws of the same protocol differ in a key. The first of the `count` scenarios is the file. */
static bool differs_within_protocol(const struct weir_settings *of, uint32_t count, const char *path)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            const char *a = weir_settings_find(&of[i], "protocol.name"),
                       *b = weir_settings_find(&of[j], "protocol.name");
            const char *x = weir_settings_find(&of[i], path), *y = weir_settings_find(&of[j], path);
            if (a != NULL && b != NULL && strcmp(a, b) == 0 && x != NULL && y != NULL && strcmp(x, y) != 0)
                return true;
        }
    return false;
}

/* Adds the key `path` to *keys if the `count` scenarios differ in the value of the key. The bytes of a size in BDP are
 * a comment in the scenario, not a part of the value. Returns 0 or WEIR_E_MEMORY. */
static int add_path(struct weir_comparison_keys *keys, const char *path, const struct weir_settings *of, uint32_t count,
                    struct weir_tree_arena *arena)
{
    static const char section[] = "protocol.";
    const char *value[WEIR_COMPARISON_LAWS_MAX + 1];
    bool differs = false;
    for (uint32_t i = 0; i < count; i++) {
        const char *found = weir_settings_find(&of[i], path);
        value[i] = found != NULL ? found : "-";
        differs |= strcmp(value[i], value[0]) != 0;
    }
    if (strncmp(path, section, sizeof(section) - 1) == 0) /* each protocol has its own keys */
        differs = differs_within_protocol(of, count, path);
    keys->is_cut |= differs && keys->count == WEIR_COMPARISON_KEYS_MAX;
    if (!differs || keys->is_cut)
        return 0;
    struct weir_comparison_key *key = &keys->key[keys->count++];
    bool room = (key->path = weir_tree_arena_text(arena, path, strlen(path))) != NULL;
    for (uint32_t i = 0; i < count; i++)
        room &= (key->value[i] = weir_tree_arena_text(arena, value[i], strlen(value[i]))) != NULL;
    return room ? 0 : WEIR_E_MEMORY;
}

/* Tests whether one of the first `count` scenarios has the key `path`. */
static bool is_there(const struct weir_settings *of, uint32_t count, const char *path)
{
    for (uint32_t i = 0; i < count; i++)
        if (weir_settings_find(&of[i], path) != NULL)
            return true;
    return false;
}

int weir_comparison_keys_find(struct weir_comparison_keys *keys, const char *const *text, uint32_t count,
                              struct weir_tree_arena *arena, struct weir_err *err)
{
    struct weir_settings of[WEIR_COMPARISON_LAWS_MAX + 1] = { 0 };
    int code = 0;
    *keys = (struct weir_comparison_keys){ 0 };
    for (uint32_t i = 0; i < count && code == 0; i++)
        code = weir_settings_read(&of[i], text[i], err);
    for (uint32_t i = 0; i < count && code == 0; i++) /* a section may be in one scenario only */
        for (size_t k = 0; k < of[i].count && code == 0; k++) {
            const char *path = of[i].item[k].key;
            if (!is_left_out(path) && !is_there(of, i, path) && add_path(keys, path, of, count, arena) != 0)
                code = weir_fail_memory(err);
        }
    for (uint32_t i = 0; i < count; i++)
        weir_settings_free(&of[i]);
    return code;
}
