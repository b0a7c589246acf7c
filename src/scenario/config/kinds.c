/* src/scenario/config/kinds.c - see kinds.h. A row's `kinds` says which kinds use its key. */
#include "config/kinds.h"
#include "config/names.h"
#include "param/param.h"
#include <stdio.h>
#include <string.h>

enum { LABEL = 32, NAMES = 320 };

struct section { /* a section, or an item of a list, in which the kind decides which keys have an effect */
    const struct weir_tree *tree;
    const struct weir_param *rows;
    const char *label, *noun; /* "topology", "a network" */
    const char *const *kinds; /* names of the kinds */
    uint32_t kind;
    const char *also; /* a key that is allowed although its row excludes this kind; NULL = none */
};

static bool is_override(const struct weir_tree *node)
{
    return node->at.file != NULL && strcmp(node->at.file, "--set") == 0;
}

/* Returns the row of a key that the section's kind does not use; NULL = the kind uses the key, or no row has the
 * key. */
static const struct weir_param *stray(const struct section *s, const struct weir_tree *key)
{
    const struct weir_param *row = weir_param_find(s->rows, key->key.text);
    bool has = row == NULL || weir_section_uses(row, s->kind) || (s->also != NULL && strcmp(s->also, row->key) == 0);
    return has ? NULL : row;
}

/* Adds a warning to the scenario about keys of the file that have no effect. first: the first of them, where the
 * warning points; NULL = there are none, and nothing is added. names: all of them, as text; many: more than one */
static void warn(struct weir_load *l, const struct section *s, const struct weir_tree *first, const char *names,
                 bool many)
{
    struct weir_err *warning = first != NULL ? weir_load_warning(l) : NULL;
    if (warning != NULL)
        (void)weir_fail(warning, WEIR_E_CONFLICT, &first->key, NULL, "%s: %s %s no effect in %s of kind %s", s->label,
                        names, many ? "have" : "has", s->noun, s->kinds[s->kind]);
}

static int check(struct weir_load *l, const struct section *s)
{
    const struct weir_tree *first = NULL, *key = s->tree != NULL ? s->tree->first : NULL;
    uint32_t count = 0;
    char names[NAMES] = "";
    size_t used = 0;
    for (; key != NULL; key = key->next) {
        const struct weir_param *row = stray(s, key);
        if (row == NULL)
            continue;
        if (is_override(key))
            return weir_fail(l->err, WEIR_E_CONFLICT, &key->at, row->hint, "%s.%s: %s of kind %s has none", s->label,
                             row->key, s->noun, s->kinds[s->kind]);
        first = first != NULL ? first : key;
        count++;
        if (used < sizeof(names)) /* the names of all keys together are shorter */
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "", row->key);
    }
    warn(l, s, first, names, count > 1);
    return 0;
}

/* Tests whether the topology is a fat-tree whose key `hosts` equals the number of hosts from its other keys.
 * Experiments state `hosts` next to these, so that is allowed. */
static bool is_hosts_of_fat_tree(const struct weir_topology_config *cfg)
{
    uint64_t k = cfg->k, hosts = k * k * k / 4 * cfg->oversubscription; /* k <= 100 */
    if (cfg->kind != WEIR_FAT_TREE)
        return false;
    if (cfg->pods != 0)
        hosts = (uint64_t)cfg->pods * cfg->edges * cfg->edge_hosts;
    return cfg->hosts == hosts;
}

int weir_kinds_check_topology(struct weir_load *l, const struct weir_tree *section)
{
    const struct weir_topology_config *cfg = &l->scn->topology;
    return check(l, &(struct section){ .tree = section,
                                       .rows = weir_topology_params,
                                       .label = "topology",
                                       .noun = "a network",
                                       .kinds = weir_topology_kinds,
                                       .kind = cfg->kind,
                                       .also = is_hosts_of_fat_tree(cfg) ? "hosts" : NULL });
}

int weir_kinds_check_traffic(struct weir_load *l, const struct weir_tree *item, uint32_t index)
{
    char label[LABEL];
    (void)snprintf(label, sizeof(label), "traffic[%u]", (unsigned)index);
    return check(l, &(struct section){ .tree = item,
                                       .rows = weir_traffic_params,
                                       .label = label,
                                       .noun = "an item",
                                       .kinds = weir_traffic_kinds,
                                       .kind = l->scn->traffic[index].kind });
}
