/* src/results/reproduce/series_spec.c - reads a map {series: port_queue, read: max, ..} of an experiment.yaml; see
 * series.h. */
#include "output/series.h"
#include "reproduce/fields.h"
#include "param/number.h"
#include "reproduce/series.h"
#include <string.h>

/* Reads a number without a unit, to six decimal places. @return false = it is none, and *out is unchanged */
static bool read_number(const struct weir_tree *node, double *out)
{
    struct weir_number n;
    uint64_t millionths;
    if (weir_number_read(&n, node->at.text) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        weir_number_scale(&n, 1000000, &millionths) != WEIR_NUMBER_OK)
        return false;
    *out = (double)millionths / 1e6;
    return true;
}

/* Reads key `of`: before, fair, previous, or a number. */
static int read_of(const struct weir_tree *map, struct weir_series_spec *spec, struct weir_err *err)
{
    const struct weir_tree *node;
    int code = weir_field_node(map, "of", WEIR_TREE_VALUE, &node, err);
    if (code != 0)
        return code;
    if (node == NULL)
        return weir_field_missing(map, "a series read by below or above", "of", err);
    if (strcmp(node->at.text, "before") == 0) {
        spec->of = WEIR_SERIES_OF_BEFORE;
        return 0;
    }
    if (strcmp(node->at.text, "fair") == 0) {
        spec->of = WEIR_SERIES_OF_FAIR;
        return 0;
    }
    if (strcmp(node->at.text, "previous") == 0) {
        spec->of = WEIR_SERIES_OF_PREVIOUS;
        return 0;
    }
    if (!read_number(node, &spec->of_value))
        return weir_fail(err, WEIR_E_SYNTAX, &node->at, "before, fair, previous, or a number in the unit of the series",
                         "of: %.80s: what the mark is a share of belongs here", node->at.text);
    return 0;
}

static int read_window(const struct weir_tree *map, struct weir_series_spec *spec, struct weir_err *err)
{
    int code;
    spec->has_from = weir_tree_find(map, "from") != NULL;
    spec->has_to = weir_tree_find(map, "to") != NULL;
    if ((code = weir_field_time(map, "from", &spec->from_ps, err)) != 0 ||
        (code = weir_field_time(map, "to", &spec->to_ps, err)) != 0 ||
        (code = weir_field_time(map, "smooth", &spec->smooth_ps, err)) != 0)
        return code;
    return spec->has_from && spec->has_to && spec->to_ps <= spec->from_ps
               ? weir_fail(err, WEIR_E_RANGE, &map->at, NULL, "to: must be later than from")
               : 0;
}

/* Reads the keys that belong to `read: below` and `read: above`, and refuses them with another `read`. Refuses fold and
 * smooth with `read: jain` and `read: distance`. */
static int read_mark(const struct weir_tree *map, struct weir_series_spec *spec, struct weir_err *err)
{
    static const char *const keys[] = { "share", "of", "before", "for" };
    int code;
    if (weir_series_is_of_means(spec->what) &&
        (weir_tree_find(map, "fold") != NULL || weir_tree_find(map, "smooth") != NULL))
        return weir_fail(err, WEIR_E_CONFLICT, &map->at, NULL,
                         "read: jain and distance are over places' means: no fold, no smooth");
    if (spec->what == WEIR_SERIES_BELOW || spec->what == WEIR_SERIES_ABOVE) {
        if ((code = weir_field_ppm(map, "share", &spec->share_ppm, err)) != 0 ||
            (code = weir_field_time(map, "before", &spec->before_ps, err)) != 0 ||
            (code = weir_field_time(map, "for", &spec->hold_ps, err)) != 0)
            return code;
        return read_of(map, spec, err);
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct weir_tree *node = weir_tree_find(map, keys[i]);
        if (node != NULL)
            return weir_fail(err, WEIR_E_CONFLICT, &node->key, NULL, "%s: goes with read: below or above only",
                             keys[i]);
    }
    return 0;
}

/* Reads `parts`, a list of numbers above 0, which `read: distance` needs and no other has. */
static int read_parts(struct weir_tree_arena *arena, const struct weir_tree *map, struct weir_series_spec *spec,
                      struct weir_err *err)
{
    const struct weir_tree *list;
    double *part;
    int code = weir_field_node(map, "parts", WEIR_TREE_LIST, &list, err);
    if (code != 0)
        return code;
    if (list == NULL)
        return spec->what == WEIR_SERIES_DISTANCE ? weir_field_missing(map, "read: distance", "parts", err) : 0;
    if (spec->what != WEIR_SERIES_DISTANCE)
        return weir_fail(err, WEIR_E_CONFLICT, &list->key, NULL, "parts: goes with read: distance only");
    if (list->count > WEIR_SERIES_PARTS_MAX)
        return weir_fail(err, WEIR_E_RANGE, &list->key, NULL, "parts: more than %u", WEIR_SERIES_PARTS_MAX);
    spec->part = part = weir_tree_arena_take(arena, list->count * sizeof(*part));
    if (part == NULL)
        return weir_fail_memory(err);
    for (const struct weir_tree *child = list->first; child != NULL; child = child->next, spec->part_count++)
        if (!read_number(child, &part[spec->part_count]) || part[spec->part_count] == 0)
            return weir_fail(err, WEIR_E_SYNTAX, &child->at, "for example parts: [2, 1, 1]",
                             "parts: %.80s: must be a number above 0", child->at.text);
    return 0;
}

/* Returns the unit of the number that `what` reads from a series of the given unit. */
static const char *unit_of(enum weir_series_what what, const char *unit)
{
    if (what == WEIR_SERIES_BELOW || what == WEIR_SERIES_ABOVE)
        return "ps";
    return what == WEIR_SERIES_VARIATION || weir_series_is_of_means(what) ? "ratio" : unit;
}

int weir_series_spec_read(struct weir_tree_arena *arena, const struct weir_tree *map,
                          const struct weir_series_spec **out, struct weir_err *err)
{
    static const char *const keys[] = { "series", "place", "read",   "fold", "from", "to",     "smooth", "share", "of",
                                        "before", "for",   "divide", "per",  "less", "digits", "parts",  NULL };
    static const char *const whats[] = {
        "mean", "max", "min", "below", "above", "variation", "jain", "distance", NULL
    };
    static const char *const folds[] = { "mean", "min", "max", "sum", NULL };
    struct weir_series_spec *spec = weir_tree_arena_take(arena, sizeof(*spec));
    uint32_t what = WEIR_SERIES_MEAN, fold = WEIR_SERIES_FOLD_MEAN;
    const char *unit;
    bool of_network;
    int code;
    if (spec == NULL)
        return weir_fail_memory(err);
    *spec = (struct weir_series_spec){ .share_ppm = 1000000, .before_ps = WEIR_SERIES_BEFORE_PS };
    if ((code = weir_field_keys(map, "a series", keys, err)) != 0 ||
        (code = weir_field_text(map, "series", &spec->name, err)) != 0 ||
        (code = weir_field_text(map, "place", &spec->element, err)) != 0 ||
        (code = weir_field_choice(map, "read", whats, "known: mean, max, min, below, above, jain, distance", &what,
                                  err)) != 0 ||
        (code = weir_field_choice(map, "fold", folds, "known: mean, min, max, sum", &fold, err)) != 0)
        return code;
    if (spec->name == NULL)
        return weir_field_missing(map, "what is read off a series", "series", err);
    if ((code = weir_series_need(&weir_tree_find(map, "series")->at, &unit, &of_network, err)) != 0)
        return code;
    spec->what = (enum weir_series_what)what;
    spec->unit = unit_of(spec->what, unit);
    spec->fold = (enum weir_series_fold)fold;
    if ((code = read_window(map, spec, err)) != 0 || (code = read_mark(map, spec, err)) != 0 ||
        (code = read_parts(arena, map, spec, err)) != 0)
        return code;
    *out = spec;
    return 0;
}
