/* src/results/reproduce/seeds.c - see seeds.h. */
#include "reproduce/seeds.h"
#include "param/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns the map {run.seed: $}, with the position of `seeds` for errors; NULL = no memory. */
static const struct weir_tree *seed_setting(struct weir_experiment *exp, const struct weir_tree *seeds)
{
    struct weir_tree *map = weir_tree_arena_take(exp->arena, sizeof(*map));
    struct weir_tree *child = map != NULL ? weir_tree_add(exp->arena, map) : NULL;
    if (child == NULL)
        return NULL;
    map->kind = WEIR_TREE_MAP;
    map->at = seeds->at;
    child->kind = WEIR_TREE_VALUE;
    child->key = child->at = seeds->at;
    child->key.text = "run.seed";
    child->at.text = "$";
    return map;
}

/* Tests whether a text is a whole number, and sets *seed to the number. Seeds are compared as numbers: compared as
 * texts, "1" and "01" would be the same run twice in a mean. */
static bool is_seed(const char *text, uint64_t *seed)
{
    struct weir_number n;
    return weir_number_read(&n, text) == WEIR_NUMBER_OK && n.unit[0] == '\0' &&
           weir_number_scale(&n, 1, seed) == WEIR_NUMBER_OK;
}

static int add_seed(struct weir_axis *axis, const char *text, const struct weir_tree *set, const struct weir_tok *at,
                    struct weir_err *err)
{
    uint64_t seed, other;
    if (text == NULL)
        return weir_fail_memory(err);
    if (!is_seed(text, &seed) || strlen(text) >= WEIR_LABEL_BYTES)
        return weir_fail(err, WEIR_E_RANGE, at, "for example [1, 2, 7]", "seeds: %.80s: must be a whole number", text);
    for (uint32_t v = 0; v < axis->count; v++)
        if (is_seed(axis->value[v].label, &other) && other == seed)
            return weir_fail(err, WEIR_E_CONFLICT, at, "each seed is one run", "seeds: %s: given twice", text);
    axis->value[axis->count++] = (struct weir_axis_value){ .label = text,
                                                           .text = text,
                                                           .published = text,
                                                           .set = { set, NULL },
                                                           .length_ppm = 1000000,
                                                           .load_ppm = 1000000,
                                                           .cost_ppm = 1000000 };
    return 0;
}

/* Adds the seeds 1 to N to the axis, for `seeds: N`. */
static int count_seeds(struct weir_experiment *exp, struct weir_axis *axis, const struct weir_tree *node,
                       const struct weir_tree *set, struct weir_err *err)
{
    struct weir_number n;
    uint64_t count;
    int code = 0;
    if (weir_number_read(&n, node->at.text) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        weir_number_scale(&n, 1, &count) != WEIR_NUMBER_OK || count < 1 || count > WEIR_AXIS_VALUES_MAX)
        return weir_fail(err, WEIR_E_RANGE, &node->at, "how many seeds, or a list of them: [1, 2, 7]",
                         "seeds: %.80s: must be a whole number, 1 to %u", node->at.text, WEIR_AXIS_VALUES_MAX);
    for (uint64_t seed = 1; seed <= count && code == 0; seed++) {
        char text[24];
        int length = snprintf(text, sizeof(text), "%" PRIu64, seed);
        code = add_seed(axis, weir_tree_arena_text(exp->arena, text, (size_t)length), set, &node->at, err);
    }
    return code;
}

int weir_experiment_seeds(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err)
{
    const struct weir_tree *node = weir_tree_find(root, "seeds"), *set;
    struct weir_axis *axis = &exp->axis[exp->axis_count];
    int code = 0;
    if (node == NULL)
        return 0;
    if (exp->axis_count == WEIR_AXES_MAX)
        return weir_fail(err, WEIR_E_RANGE, &node->at, NULL, "more than %u axes", WEIR_AXES_MAX);
    for (uint32_t a = 0; a < exp->axis_count; a++)
        if (strcmp(exp->axis[a].name, WEIR_SEED_AXIS) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, &node->at, "leave one of them out",
                             "seeds: there is an axis " WEIR_SEED_AXIS " as well");
    if (node->kind == WEIR_TREE_MAP || node->is_empty ||
        (node->kind == WEIR_TREE_LIST && (node->count < 1 || node->count > WEIR_AXIS_VALUES_MAX)))
        return weir_fail(err, WEIR_E_RANGE, &node->at, "seeds: 5 are 1 to 5, or [1, 2, 7]",
                         "seeds: a number of seeds or a list of 1 to %u belongs here", WEIR_AXIS_VALUES_MAX);
    axis->name = WEIR_SEED_AXIS;
    axis->value = weir_tree_arena_take(exp->arena, WEIR_AXIS_VALUES_MAX * sizeof(*axis->value));
    set = seed_setting(exp, node);
    if (axis->value == NULL || set == NULL)
        return weir_fail_memory(err);
    if (node->kind == WEIR_TREE_VALUE)
        code = count_seeds(exp, axis, node, set, err);
    for (const struct weir_tree *item = node->first; item != NULL && code == 0; item = item->next)
        code = item->kind == WEIR_TREE_VALUE && !item->is_empty
                   ? add_seed(axis, item->at.text, set, &item->at, err)
                   : weir_fail(err, WEIR_E_SYNTAX, &item->at, NULL, "seeds: a whole number belongs here");
    exp->axis_count++;
    return code;
}
