/* src/results/reproduce/fields.c - see fields.h. */
#include "reproduce/fields.h"
#include "param/number.h"
#include "param/suggest.h"
#include <string.h>

enum { HINT = 512 };

int weir_field_node(const struct weir_tree *map, const char *key, enum weir_tree_kind kind,
                    const struct weir_tree **out, struct weir_err *err)
{
    static const char *const wanted[] = { "a single value", "a map", "a list" };
    *out = weir_tree_find(map, key);
    if (*out != NULL && ((*out)->kind != kind || (*out)->is_empty))
        return weir_fail(err, WEIR_E_SYNTAX, &(*out)->at, NULL, "%.80s: %s belongs here, not %s", key, wanted[kind],
                         weir_tree_kind_text(*out));
    return 0;
}

int weir_field_text(const struct weir_tree *map, const char *key, const char **out, struct weir_err *err)
{
    const struct weir_tree *node;
    int code = weir_field_node(map, key, WEIR_TREE_VALUE, &node, err);
    if (code == 0 && node != NULL)
        *out = node->at.text;
    return code;
}

int weir_field_whole(const struct weir_tree *map, const char *key, uint64_t most, uint64_t *out, struct weir_err *err)
{
    const struct weir_tree *node;
    struct weir_number n;
    uint64_t value;
    int code = weir_field_node(map, key, WEIR_TREE_VALUE, &node, err);
    if (code != 0 || node == NULL)
        return code;
    if (weir_number_read(&n, node->at.text) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        weir_number_scale(&n, 1, &value) != WEIR_NUMBER_OK || value > most)
        return weir_fail(err, WEIR_E_RANGE, &node->at, NULL, "%s: %.80s: must be a whole number, 0 to %llu", key,
                         node->at.text, (unsigned long long)most);
    *out = value;
    return 0;
}

int weir_field_flag(const struct weir_tree *map, const char *key, bool *out, struct weir_err *err)
{
    const struct weir_tree *node;
    int code = weir_field_node(map, key, WEIR_TREE_VALUE, &node, err);
    if (code != 0 || node == NULL)
        return code;
    *out = strcmp(node->at.text, "true") == 0;
    if (!*out && strcmp(node->at.text, "false") != 0)
        return weir_fail(err, WEIR_E_SYNTAX, &node->at, NULL, "%s: %.80s: must be true or false", key, node->at.text);
    return 0;
}

int weir_field_ppm_text(const struct weir_tok *tok, const char *text, uint64_t *out, struct weir_err *err)
{
    static const uint64_t most = 1000000000; /* a factor of 1000 */
    struct weir_number n;
    if (weir_number_read(&n, text) != WEIR_NUMBER_OK || (n.unit[0] != '\0' && strcmp(n.unit, "%") != 0) ||
        weir_number_scale(&n, n.unit[0] == '%' ? 10000 : 1000000, out) != WEIR_NUMBER_OK || *out > most)
        return weir_fail(err, WEIR_E_RANGE, tok, "for example 0.5 or 50%, at most 1000, at most six decimals",
                         "%.80s: must be a share or a factor", text);
    return 0;
}

int weir_field_ppm(const struct weir_tree *map, const char *key, uint64_t *out, struct weir_err *err)
{
    const struct weir_tree *node;
    int code = weir_field_node(map, key, WEIR_TREE_VALUE, &node, err);
    return code != 0 || node == NULL ? code : weir_field_ppm_text(&node->at, node->at.text, out, err);
}

int weir_field_time(const struct weir_tree *map, const char *key, uint64_t *out_ps, struct weir_err *err)
{
    const struct weir_tree *node;
    const struct weir_unit *unit;
    struct weir_number n;
    int code = weir_field_node(map, key, WEIR_TREE_VALUE, &node, err);
    if (code != 0 || node == NULL)
        return code;
    if (weir_number_read(&n, node->at.text) == WEIR_NUMBER_OK) {
        unit = weir_unit_find(n.unit);
        if (unit != NULL && unit->kind == WEIR_UNIT_TIME &&
            weir_number_scale(&n, unit->scale, out_ps) == WEIR_NUMBER_OK)
            return 0;
    }
    return weir_fail(err, WEIR_E_UNIT, &node->at, weir_unit_kind_example(WEIR_UNIT_TIME), "%s: %.80s: must be a time",
                     key, node->at.text);
}

int weir_field_choice(const struct weir_tree *map, const char *key, const char *const *names, const char *known,
                      uint32_t *out, struct weir_err *err)
{
    const struct weir_tree *node;
    int code = weir_field_node(map, key, WEIR_TREE_VALUE, &node, err);
    if (code != 0 || node == NULL)
        return code;
    for (*out = 0; names[*out] != NULL; ++*out)
        if (strcmp(names[*out], node->at.text) == 0)
            return 0;
    return weir_fail(err, WEIR_E_UNKNOWN, &node->at, known, "%s: %.80s: no such word", key, node->at.text);
}

static int fail_key(const struct weir_tree *child, const char *what, const char *const *names, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, child->key.text);
    for (; *names != NULL; names++)
        weir_suggest_add(&near, *names);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, &child->key, hint, "%.80s: no such key of %s", child->key.text, what);
}

int weir_field_keys(const struct weir_tree *map, const char *what, const char *const *names, struct weir_err *err)
{
    if (map->kind != WEIR_TREE_MAP)
        return weir_fail(err, WEIR_E_SYNTAX, &map->at, NULL, "%s: a map belongs here, not %s", what,
                         weir_tree_kind_text(map));
    for (const struct weir_tree *child = map->first; child != NULL; child = child->next) {
        const char *const *name = names;
        while (*name != NULL && strcmp(*name, child->key.text) != 0)
            name++;
        if (*name == NULL)
            return fail_key(child, what, names, err);
    }
    return 0;
}

int weir_field_missing(const struct weir_tree *map, const char *what, const char *key, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_SYNTAX, &map->at, NULL, "%s: '%s' is missing", what, key);
}

int weir_field_twice(const struct weir_tree *node, const char *name, const char *what, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_CONFLICT, &node->at, NULL, "%.80s: the name of two %s", name, what);
}
