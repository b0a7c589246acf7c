/* src/topology/name.c - what nodes are called in messages and scenario files, and back. */
#include "core/assert.h"
#include "topology/plan.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const words[][WEIR_TIERS_MAX] = {
    [WEIR_LEAF_SPINE] = { "host", "leaf", "spine" },
    [WEIR_FAT_TREE] = { "host", "edge", "agg", "core" },
    [WEIR_DUMBBELL] = { "host", "switch" },
    [WEIR_CHAIN] = { "host", "switch" },
    [WEIR_STAR] = { "host", "switch" },
};

void weir_topology_node_name(const struct weir_topology *topo, const struct weir_topology_config *cfg, uint32_t node,
                             char *out, size_t size)
{
    struct weir_shape shape = weir_topology_shape(cfg);
    uint32_t tier, number = node;
    WEIR_ASSERT(node < topo->node_count);
    for (tier = 0; number >= shape.tier[tier]; tier++)
        number -= shape.tier[tier];
    (void)snprintf(out, size, "%s %" PRIu32, words[cfg->kind][tier], number);
}

/* Digits and then nothing but blanks; false also when it is limit or more. */
static bool parse_number(const char *text, uint32_t limit, uint32_t *number)
{
    uint64_t value = 0;
    size_t digits = strspn(text, "0123456789");
    for (size_t i = 0; i < digits && value < limit; i++)
        value = 10 * value + (uint32_t)(text[i] - '0');
    *number = (uint32_t)value;
    return digits > 0 && value < limit && text[digits + strspn(text + digits, " ")] == '\0';
}

uint32_t weir_topology_find_node(const struct weir_topology *topo, const struct weir_topology_config *cfg,
                                 const char *name)
{
    struct weir_shape shape = weir_topology_shape(cfg);
    uint32_t first = 0, number;
    const char *text = name + strspn(name, " ");
    for (uint32_t tier = 0; tier < WEIR_TIERS_MAX; first += shape.tier[tier++]) {
        const char *word = words[cfg->kind][tier];
        size_t length = word != NULL ? strlen(word) : 0;
        if (length == 0 || strncmp(text, word, length) != 0 || text[length] != ' ')
            continue;
        if (!parse_number(text + length + strspn(text + length, " "), shape.tier[tier], &number))
            return UINT32_MAX;
        WEIR_ASSERT(first + number < topo->node_count);
        return first + number;
    }
    return UINT32_MAX;
}
