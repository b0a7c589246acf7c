/* src/results/reproduce/axes.c - see axes.h. */
#include "reproduce/axes.h"
#include "param/suggest.h"
#include "reproduce/fields.h"
#include "reproduce/seeds.h"
#include <string.h>

enum { HINT = 512 };

/* The characters of a label. Labels are parts of the names of points and of --sweep: so '/' and characters that are
 * special in a shell or a file name are not allowed. */
static const char name_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+";

bool weir_label_is_plain(const char *text)
{
    return text[0] != '\0' && strlen(text) < WEIR_LABEL_BYTES && strspn(text, name_chars) == strlen(text);
}

/* Refuses the value 0 of a key in the map: the value would make a run without length, or a division by 0. */
static int check_above(const struct weir_tree *map, const char *key, uint64_t value, struct weir_err *err)
{
    const struct weir_tree *node = weir_tree_find(map, key);
    return node != NULL && value == 0 ? weir_fail(err, WEIR_E_RANGE, &node->at, NULL, "%s: must be above 0", key) : 0;
}

/* Returns "25%" for the text "$%" and the label "25". */
const char *weir_experiment_fill(struct weir_tree_arena *arena, const char *text, const char *label)
{
    size_t length = 1;
    char *out, *at;
    for (const char *c = text; *c != '\0'; c++)
        length += *c == '$' ? strlen(label) : 1;
    out = at = weir_tree_arena_take(arena, length);
    for (; out != NULL && *text != '\0'; text++) {
        if (*text != '$')
            *at++ = *text;
        else
            for (const char *c = label; *c != '\0'; c++)
                *at++ = *c;
    }
    return out;
}

static int check_set(const struct weir_tree *set, struct weir_err *err)
{
    for (const struct weir_tree *child = set->first; child != NULL; child = child->next) {
        if (child->kind != WEIR_TREE_VALUE)
            return weir_fail(err, WEIR_E_SYNTAX, &child->at, "write it as scenario key and value: protocol.g: 0.08",
                             "set: %.80s must be a single value", child->key.text);
    }
    return 0;
}

int weir_experiment_set(const struct weir_tree *map, const struct weir_tree **set, struct weir_err *err)
{
    int code = weir_field_node(map, "set", WEIR_TREE_MAP, set, err);
    return code != 0 || *set == NULL ? code : check_set(*set, err);
}

/* Reads `with: {homa: {protocol.preset: sird-wka}}`. check_with() checks the labels later, when all axes are known. */
static int read_with(const struct weir_tree *map, const struct weir_tree **with, struct weir_err *err)
{
    int code = weir_field_node(map, "with", WEIR_TREE_MAP, with, err);
    for (const struct weir_tree *child = code == 0 && *with != NULL ? (*with)->first : NULL; child != NULL && code == 0;
         child = child->next)
        code = child->kind == WEIR_TREE_MAP
                   ? check_set(child, err)
                   : weir_fail(err, WEIR_E_SYNTAX, &child->at, "for example with: {homa: {protocol.k: 5}}",
                               "with: %.80s must have scenario keys and values", child->key.text);
    return code;
}

static bool is_label(const struct weir_experiment *exp, const char *text)
{
    for (uint32_t a = 0; a < exp->axis_count; a++)
        for (uint32_t v = 0; v < exp->axis[a].count; v++)
            if (strcmp(exp->axis[a].value[v].label, text) == 0)
                return true;
    return false;
}

static int check_with(const struct weir_experiment *exp, const struct weir_axis_value *v, struct weir_err *err)
{
    for (const struct weir_tree *child = v->with != NULL ? v->with->first : NULL; child != NULL; child = child->next)
        if (!is_label(exp, child->key.text))
            return weir_fail(err, WEIR_E_UNKNOWN, &child->key, NULL, "with: %.80s: no axis has such a label",
                             child->key.text);
    return 0;
}

/* Reads the keys that an axis and a value may both have. Called first for the axis, then for the value: a key of the
 * value replaces the key of the axis. */
static int read_value_fields(struct weir_experiment *exp, const struct weir_tree *map, struct weir_axis_value *v,
                             struct weir_err *err)
{
    const char *load = NULL;
    int code;
    if ((code = weir_field_text(map, "published", &v->published, err)) != 0 ||
        (code = weir_field_text(map, "protocol", &v->protocol, err)) != 0 ||
        (code = weir_field_text(map, "scenario", &v->scenario, err)) != 0 ||
        (code = weir_field_time(map, "length", &v->length_ps, err)) != 0 ||
        (code = check_above(map, "length", v->length_ps, err)) != 0 ||
        (code = weir_field_ppm(map, "length_factor", &v->length_ppm, err)) != 0 ||
        (code = check_above(map, "length_factor", v->length_ppm, err)) != 0 ||
        (code = weir_field_ppm(map, "cost", &v->cost_ppm, err)) != 0 ||
        (code = weir_field_time(map, "warmup_min", &v->warmup_min_ps, err)) != 0 ||
        (code = weir_field_time(map, "measure_min", &v->measure_min_ps, err)) != 0 ||
        (code = weir_field_text(map, "load", &load, err)) != 0 || load == NULL)
        return code;
    load = weir_experiment_fill(exp->arena, load, v->text);
    if (load == NULL)
        return weir_fail_memory(err);
    code = weir_field_ppm_text(&weir_tree_find(map, "load")->at, load, &v->load_ppm, err);
    return code != 0 ? code : check_above(map, "load", v->load_ppm, err);
}

/* Returns a label made from the text of a value: "0.5_BDP" from "0.5 BDP", "50" from "50%". NULL = no memory. */
static const char *make_label(struct weir_tree_arena *arena, const char *text)
{
    char *label = weir_tree_arena_take(arena, strlen(text) + 1), *end = label;
    for (; label != NULL && *text != '\0'; text++) {
        if (strchr(name_chars, *text) != NULL)
            *end++ = *text;
        else if (end > label && end[-1] != '_')
            *end++ = '_';
    }
    while (end > label && end[-1] == '_')
        *--end = '\0';
    return label;
}

/* Sets *v to the defaults of a value, then reads v->label and v->text. @return 0, or a code with err */
static int read_label(struct weir_experiment *exp, const struct weir_tree *node, struct weir_axis_value *v,
                      struct weir_err *err)
{
    static const char *const keys[] = { "label",  "value", "published",     "protocol", "scenario",   "set",
                                        "length", "load",  "length_factor", "cost",     "warmup_min", "measure_min",
                                        "with",   NULL };
    int code = 0;
    *v = (struct weir_axis_value){ .length_ppm = 1000000, .load_ppm = 1000000, .cost_ppm = 1000000 };
    if (node->kind == WEIR_TREE_VALUE && !node->is_empty) {
        v->text = node->at.text;
        v->label = make_label(exp->arena, v->text);
        if (v->label == NULL)
            return weir_fail_memory(err);
    } else if ((code = weir_field_keys(node, "a value", keys, err)) != 0 ||
               (code = weir_field_text(node, "label", &v->label, err)) != 0 ||
               (code = weir_field_text(node, "value", &v->text, err)) != 0) {
        return code;
    }
    if (v->label == NULL)
        return weir_field_missing(node, "a value", "label", err);
    if (v->text == NULL)
        v->text = v->label;
    return weir_label_is_plain(v->label)
               ? 0
               : weir_fail(err, WEIR_E_SYNTAX, &node->at, "letters, digits and . _ +, at most 63",
                           "%.80s: cannot be a label", v->label);
}

static int read_value(struct weir_experiment *exp, const struct weir_tree *axis, const struct weir_tree *node,
                      struct weir_axis_value *v, struct weir_err *err)
{
    int code = read_label(exp, node, v, err);
    if (code != 0)
        return code;
    if ((code = weir_experiment_set(axis, &v->set[0], err)) != 0 ||
        (code = weir_experiment_set(node, &v->set[1], err)) != 0 || (code = read_value_fields(exp, axis, v, err)) != 0)
        return code;
    if (node->kind == WEIR_TREE_MAP &&
        ((code = read_with(node, &v->with, err)) != 0 || (code = read_value_fields(exp, node, v, err)) != 0))
        return code;
    if (v->published == NULL)
        v->published = v->label;
    return 0;
}

static int read_axis(struct weir_experiment *exp, const struct weir_tree *node, struct weir_err *err)
{
    static const char *const keys[] = { "name",     "values",        "set",        "load",        "length",
                                        "scenario", "length_factor", "warmup_min", "measure_min", NULL };
    struct weir_axis *axis = &exp->axis[exp->axis_count];
    const struct weir_tree *values;
    int code = weir_field_keys(node, "an axis", keys, err);
    if (code != 0 || (code = weir_field_text(node, "name", &axis->name, err)) != 0 ||
        (code = weir_field_node(node, "values", WEIR_TREE_LIST, &values, err)) != 0)
        return code;
    if (axis->name == NULL || values == NULL)
        return weir_field_missing(node, "an axis", axis->name == NULL ? "name" : "values", err);
    if (values->count < 1 || values->count > WEIR_AXIS_VALUES_MAX)
        return weir_fail(err, WEIR_E_RANGE, &values->at, NULL, "%.80s: must have 1 to %u values", axis->name,
                         WEIR_AXIS_VALUES_MAX);
    axis->value = weir_tree_arena_take(exp->arena, values->count * sizeof(*axis->value));
    if (axis->value == NULL)
        return weir_fail_memory(err);
    for (const struct weir_tree *child = values->first; child != NULL && code == 0; child = child->next) {
        struct weir_axis_value *v = &axis->value[axis->count];
        code = read_value(exp, node, child, v, err);
        for (uint32_t i = 0; i < axis->count && code == 0; i++)
            if (strcmp(axis->value[i].label, v->label) == 0)
                code = weir_field_twice(child, v->label, "values of an axis", err);
        axis->count++;
    }
    for (uint32_t a = 0; a < exp->axis_count && code == 0; a++)
        if (strcmp(exp->axis[a].name, axis->name) == 0)
            code = weir_field_twice(node, axis->name, "axes", err);
    exp->axis_count++;
    return code;
}

int weir_experiment_axes(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err)
{
    const struct weir_tree *list;
    int code = weir_field_node(root, "axes", WEIR_TREE_LIST, &list, err);
    if (code != 0)
        return code;
    if (list == NULL)
        return weir_tree_find(root, "seeds") != NULL ? weir_experiment_seeds(exp, root, err)
                                                     : weir_field_missing(root, "the experiment", "axes", err);
    if (list->count > WEIR_AXES_MAX)
        return weir_fail(err, WEIR_E_RANGE, &list->at, NULL, "more than %u axes", WEIR_AXES_MAX);
    for (const struct weir_tree *child = list->first; child != NULL && code == 0; child = child->next)
        code = read_axis(exp, child, err);
    if (code == 0)
        code = weir_experiment_seeds(exp, root, err);
    for (uint32_t a = 0; a < exp->axis_count && code == 0; a++)
        for (uint32_t v = 0; v < exp->axis[a].count && code == 0; v++)
            code = check_with(exp, &exp->axis[a].value[v], err);
    return code;
}

/* --- names of axes and values --- */

static int fail_axis(const struct weir_experiment *exp, const struct weir_tok *tok, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, tok->text);
    for (uint32_t a = 0; a < exp->axis_count; a++)
        weir_suggest_add(&near, exp->axis[a].name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, tok, hint, "%.80s: no such axis", tok->text);
}

int weir_experiment_axis(const struct weir_experiment *exp, const struct weir_tok *tok, uint32_t *axis,
                         struct weir_err *err)
{
    for (*axis = 0; *axis < exp->axis_count; ++*axis)
        if (strcmp(exp->axis[*axis].name, tok->text) == 0)
            return 0;
    return fail_axis(exp, tok, err);
}

int weir_experiment_axis_of(const struct weir_experiment *exp, const struct weir_tree *map, const char *key,
                            uint32_t *axis, struct weir_err *err)
{
    const struct weir_tree *name;
    int code = weir_field_node(map, key, WEIR_TREE_VALUE, &name, err);
    return code != 0 || name == NULL ? code : weir_experiment_axis(exp, &name->at, axis, err);
}

int weir_experiment_value(const struct weir_experiment *exp, uint32_t axis, const struct weir_tok *tok, uint32_t *value,
                          struct weir_err *err)
{
    const struct weir_axis *a = &exp->axis[axis];
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, tok->text);
    for (*value = 0; *value < a->count; ++*value) {
        if (strcmp(a->value[*value].label, tok->text) == 0)
            return 0;
        weir_suggest_add(&near, a->value[*value].label);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, tok, hint, "%.80s: no such value of axis %s", tok->text, a->name);
}

int weir_experiment_choice(const struct weir_experiment *exp, const struct weir_tree *map, bool *uses, uint64_t *values,
                           struct weir_err *err)
{
    for (const struct weir_tree *child = map->first; child != NULL; child = child->next) {
        const struct weir_tree *item = child->kind == WEIR_TREE_LIST ? child->first : child;
        uint32_t axis, value;
        int code = weir_experiment_axis(exp, &child->key, &axis, err);
        if (code != 0)
            return code;
        uses[axis] = true;
        if (child->kind == WEIR_TREE_LIST && item == NULL)
            return weir_fail(err, WEIR_E_SYNTAX, &child->at, "labels of the axis, or all", "%.80s: the list is empty",
                             child->key.text);
        if (child->kind == WEIR_TREE_VALUE && strcmp(child->at.text, "all") == 0) {
            values[axis] = UINT64_MAX >> (64 - exp->axis[axis].count);
            continue;
        }
        for (; item != NULL; item = child->kind == WEIR_TREE_LIST ? item->next : NULL) {
            if (item->kind != WEIR_TREE_VALUE)
                return weir_fail(err, WEIR_E_SYNTAX, &item->at, NULL, "%.80s: labels belong here", child->key.text);
            code = weir_experiment_value(exp, axis, &item->at, &value, err);
            if (code != 0)
                return code;
            values[axis] |= UINT64_C(1) << value;
        }
    }
    return 0;
}

bool weir_experiment_chosen(const bool *uses, const uint64_t *values, const uint8_t *value)
{
    for (uint32_t a = 0; a < WEIR_AXES_MAX; a++)
        if (uses[a] && (value[a] == WEIR_AXIS_NONE || (values[a] >> value[a] & 1) == 0))
            return false;
    return true;
}
