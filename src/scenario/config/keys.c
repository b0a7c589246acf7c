/* src/scenario/config/keys.c - see keys.h. */
#include "config/keys.h"
#include <stdio.h>
#include <string.h>

enum { LIST_TEXT = 512 }; /* bytes for the joined values of a list */

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

/* Joins the values of a list by commas into out. @return the position of the list, with out as text; text NULL if the
 * values do not fit or an item is no single value */
static struct weir_tok keys_join(const struct weir_tree *list, char out[LIST_TEXT])
{
    struct weir_tok tok = list->at;
    size_t used = 0;
    out[0] = '\0';
    for (const struct weir_tree *item = list->first; item != NULL; item = item->next) {
        if (used < LIST_TEXT && item->kind == WEIR_TREE_VALUE)
            used += (size_t)snprintf(out + used, LIST_TEXT - used, "%s%s", used > 0 ? ", " : "", item->at.text);
        else
            used = LIST_TEXT;
    }
    tok.text = used < LIST_TEXT ? out : NULL;
    return tok;
}

int weir_keys_apply(const struct weir_tree *map, const struct weir_param *rows, const char *const *more,
                    const char *where, void *config, struct weir_err *err)
{
    if (map->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(map, where, "a map", err);
    for (const struct weir_tree *child = map->first; child != NULL; child = child->next) {
        const struct weir_param *row = weir_param_find(rows, child->key.text);
        struct weir_tok tok = child->at;
        char text[LIST_TEXT];
        int code;
        if (weir_keys_listed(more, child->key.text))
            continue;
        if (row == NULL)
            return weir_param_unknown(rows, more, &child->key, where, err);
        if (child->kind == WEIR_TREE_LIST && (row->kind == WEIR_KIND_SIZES || row->kind == WEIR_KIND_NUMBERS))
            tok = keys_join(child, text);
        else if (child->kind != WEIR_TREE_VALUE)
            return weir_keys_fail_kind(child, child->key.text, "a single value", err);
        if (tok.text == NULL)
            return weir_keys_fail_kind(child, child->key.text,
                                       row->kind == WEIR_KIND_SIZES ? "a list of sizes" : "a list of numbers", err);
        code = weir_param_set(row, &tok, config, err);
        if (code != 0)
            return code;
    }
    return 0;
}
