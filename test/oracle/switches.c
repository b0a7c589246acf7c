/* test/oracle/switches.c - the oracle's own reading of fabric.switches: names are compared with the names of nodes, and keys are looked up from
 * the last item to the first. Set-up must have made the same of it, and the chains of ports must hold it. */
#include "core/feature.h"
#include "hooks/chain.h"
#include "param/param.h"
#include "test/oracle/oracle_impl.h"
#include "test/oracle/twin.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Is the node at this one location? A tier is a name without its number. In a graph first-hop switches are `edge`. */
static bool is_at_location(const struct weir_topology *topo, uint32_t node, const char *location)
{
    char name[WEIR_NODE_NAME];
    const char *number, *dots = strstr(location, "..");
    size_t tier;
    weir_topology_node_name(topo, node, name, sizeof(name));
    if (strcmp(name, location) == 0)
        return true;
    if (topo->name != NULL)
        return (strcmp(location, "edge") == 0 && topo->node[node].tier == 1) ||
               (strcmp(location, "core") == 0 && topo->node[node].tier > 1);
    number = strrchr(name, ' ');
    tier = (size_t)(number - name);
    if (strncmp(location, name, tier) != 0)
        return false;
    if (location[tier] == '\0')
        return true;
    return dots != NULL && location[tier] == ' ' && atoi(number) >= atoi(location + tier) &&
           atoi(number) <= atoi(dots + 2);
}

static bool item_is_at(const struct weir_topology *topo, const struct weir_switch_item *item, uint32_t node)
{
    char list[WEIR_TEXT_MAX];
    char *next = list;
    (void)snprintf(list, sizeof(list), "%s", item->at);
    while (next != NULL) {
        char *location = next, *comma = strstr(location, ", ");
        next = comma != NULL ? comma + 2 : NULL;
        if (comma != NULL)
            *comma = '\0';
        if (node >= topo->host_count && is_at_location(topo, node, location))
            return true;
    }
    return false;
}

/* Does a key of the item reset this one? */
static bool resets(const struct weir_feature *row, const struct weir_switch_part *part, const char *key)
{
    bool reset = false;
    for (const struct weir_alternative *a = row->alternatives; a != NULL && a->key != NULL; a++) {
        uint32_t set = 0;
        for (uint32_t i = 0; row->params[i].key != NULL; i++)
            if (strcmp(row->params[i].key, a->key) == 0)
                set = part->set >> i & 1;
        for (uint32_t k = 0; k < 2; k++)
            reset = reset || (set && a->instead_of[k] != NULL && strcmp(a->instead_of[k], key) == 0);
    }
    return reset;
}

/* The value that a key of feature f has at a node, as a text. */
static void value_at(const struct weir_setup *s, uint32_t f, const struct weir_param *key, uint32_t node, char *out,
                     size_t size)
{
    const struct weir_feature *row = s->scn->feature[f].row;
    for (uint32_t i = s->scn->switches_count; i-- > 0;) {
        const struct weir_switch_part *part = &s->scn->switches[i].part[f];
        if (part->config == NULL || !item_is_at(&s->topo, &s->scn->switches[i], node))
            continue;
        if ((part->set >> (key - row->params) & 1) != 0) {
            weir_param_print(key, part->config, out, size);
            return;
        }
        if (resets(row, part, key->key)) {
            weir_param_print_default(key, out, size);
            return;
        }
    }
    weir_param_print(key, s->scn->feature[f].config, out, size);
}

/* Is what set-up made of feature f for a node what the items say? */
static bool feature_holds(const struct weir_setup *s, uint32_t f, uint32_t node)
{
    const struct weir_variants *p = &s->variants[f];
    const struct weir_feature *row = s->scn->feature[f].row;
    uint32_t v = p->count > 0 ? p->variant_of[node] : 0;
    const void *config = v > 0 ? p->config + v * p->config_stride : s->scn->feature[f].config;
    for (const struct weir_param *key = row->params; key != NULL && key->key != NULL; key++) {
        char is[WEIR_TEXT_MAX], must[WEIR_TEXT_MAX];
        weir_param_print(key, config, is, sizeof(is));
        value_at(s, f, key, node, must, sizeof(must));
        if (strcmp(is, must) == 0)
            continue;
        (void)fprintf(stderr, "    node %" PRIu32 ": %s.%s is %s, must be %s\n", node, row->name, key->key, is, must);
        return false;
    }
    return true;
}

static uint64_t memory_at(const struct weir_setup *s, uint32_t node)
{
    for (uint32_t i = s->scn->switches_count; i-- > 0;)
        if (s->scn->switches[i].has_buffer && item_is_at(&s->topo, &s->scn->switches[i], node))
            return s->scn->switches[i].buffer_bytes;
    return s->model.memory_bytes;
}

bool twin_switches_hold(const struct weir_setup *s)
{
    for (uint32_t n = 0; s->variants != NULL && n < s->topo.node_count; n++) {
        for (uint32_t f = 0; f < s->scn->feature_count; f++)
            if (!feature_holds(s, f, n))
                return false;
        if (n >= s->topo.host_count && weir_model_memory_bytes(&s->model, n) != memory_at(s, n)) {
            (void)fprintf(stderr, "    node %" PRIu32 ": memory is not what fabric.switches says\n", n);
            return false;
        }
    }
    return true;
}

void oracle_check_chain(const struct oracle *o, const struct weir_chain *chain, uint32_t node)
{
    const struct weir_features *features = &o->model->features;
    for (uint32_t f = 0; f < features->count; f++) {
        const struct weir_feature_on *on = &features->on[f];
        const struct weir_chain_state *state = weir_chain_find(chain, f);
        if (on->variant_of == NULL)
            continue;
        const struct weir_feature_variant *variant = &on->variant[on->variant_of[node]];
        WEIR_ASSERT(state == NULL || variant->on);
        WEIR_ASSERT(state == NULL || state->here.model == variant->model);
    }
}
