/* src/config/keys.c - see keys.h. */
#include "config/keys.h"
#include <string.h>

bool weir_keys_listed(const char *const *names, const char *name)
{
    while (names != NULL && *names != NULL && strcmp(*names, name) != 0)
        names++;
    return names != NULL && *names != NULL;
}

int weir_keys_fail_kind(const struct weir_tree *node, const char *what, const char *wanted, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_SYNTAX, &node->at, NULL, "%.80s: %s belongs here, not %s", what, wanted,
                     weir_tree_kind_text(node));
}

int weir_keys_apply(const struct weir_tree *map, const struct weir_param *rows, const char *const *more,
                    const char *where, void *config, struct weir_err *err)
{
    if (map->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(map, where, "a map", err);
    for (const struct weir_tree *child = map->first; child != NULL; child = child->next) {
        const struct weir_param *row = weir_param_find(rows, child->key.text);
        int code;
        if (weir_keys_listed(more, child->key.text))
            continue;
        if (row == NULL)
            return weir_param_unknown(rows, more, &child->key, where, err);
        if (child->kind != WEIR_TREE_VALUE)
            return weir_keys_fail_kind(child, child->key.text, "a single value", err);
        code = weir_param_set(row, &child->at, config, err);
        if (code != 0)
            return code;
    }
    return 0;
}
