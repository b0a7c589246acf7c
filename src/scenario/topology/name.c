/* src/scenario/topology/name.c - names of nodes and links in messages and scenario files: from number to name, and
 * back. */
#include "core/assert.h"
#include "topology/plan.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint32_t weir_topology_tier(const struct weir_topology *topo, uint32_t node)
{
    uint32_t tier = 0;
    WEIR_ASSERT(node < topo->node_count);
    if (topo->tier_name == NULL)
        return topo->node[node].tier;
    for (; node >= topo->tier_count[tier]; tier++)
        node -= topo->tier_count[tier];
    WEIR_ASSERT(tier < WEIR_TIERS_MAX);
    return tier;
}

void weir_topology_node_name(const struct weir_topology *topo, uint32_t node, char *out, size_t size)
{
    uint32_t tier, number = node;
    WEIR_ASSERT(node < topo->node_count);
    if (topo->name != NULL) {
        (void)snprintf(out, size, "%s", topo->name[node]);
        return;
    }
    if (topo->tier_name == NULL) {
        (void)snprintf(out, size, "node %" PRIu32, node);
        return;
    }
    tier = weir_topology_tier(topo, node);
    for (uint32_t below = 0; below < tier; below++)
        number -= topo->tier_count[below];
    (void)snprintf(out, size, "%s %" PRIu32, topo->tier_name[tier], number);
}

/* Parses a decimal number that only blanks follow. @return false = text has another form, or the number is not below
 * limit */
static bool parse_number(const char *text, uint32_t limit, uint32_t *number)
{
    uint64_t value = 0;
    size_t digits = strspn(text, "0123456789");
    for (size_t i = 0; i < digits && value < limit; i++)
        value = 10 * value + (uint32_t)(text[i] - '0');
    *number = (uint32_t)value;
    return digits > 0 && value < limit && text[digits + strspn(text + digits, " ")] == '\0';
}

static uint32_t find_by_name(const struct weir_topology *topo, const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (uint32_t n = 0; n < topo->node_count; n++)
        if (strncmp(topo->name[n], text, length) == 0 && topo->name[n][length] == '\0')
            return n;
    return UINT32_MAX;
}

uint32_t weir_topology_find_node(const struct weir_topology *topo, const char *name)
{
    uint32_t first = 0, number;
    const char *text = name + strspn(name, " ");
    if (topo->name != NULL)
        return find_by_name(topo, text);
    if (topo->tier_name == NULL)
        return UINT32_MAX;
    for (uint32_t tier = 0; tier < WEIR_TIERS_MAX; first += topo->tier_count[tier++]) {
        const char *tier_name = topo->tier_name[tier];
        size_t length = tier_name != NULL ? strlen(tier_name) : 0;
        if (length == 0 || strncmp(text, tier_name, length) != 0 || text[length] != ' ')
            continue;
        if (!parse_number(text + length + strspn(text + length, " "), topo->tier_count[tier], &number))
            return UINT32_MAX;
        WEIR_ASSERT(first + number < topo->node_count);
        return first + number;
    }
    return UINT32_MAX;
}

void weir_topology_link_name(const struct weir_topology *topo, uint32_t link, char *out, size_t size)
{
    const struct weir_link *l = &topo->link[link];
    uint32_t parallel = link - topo->node[l->src].first_out;
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME], number[16] = "";
    for (uint32_t first = topo->node[l->src].first_out; topo->link[first].dst != l->dst; first++)
        parallel--;
    if (parallel > 0)
        (void)snprintf(number, sizeof(number), " #%" PRIu32, parallel + 1);
    weir_topology_node_name(topo, l->src, from, sizeof(from));
    weir_topology_node_name(topo, l->dst, to, sizeof(to));
    (void)snprintf(out, size, "%s > %s%s", from, to, number);
}

/* Splits text, as "leaf 0 - spine 1 #2", into the names of the two ends and the number behind " #", 1 if there is none.
 * text then holds the first name; *second points into it. @return false = text has another form */
static bool split_ends(char *text, char **second, uint32_t *parallel)
{
    char *dash = strstr(text, " - "), *hash = strstr(text, " #");
    *parallel = 1;
    if (dash == NULL || (hash != NULL && (hash < dash || !parse_number(hash + 2, UINT16_MAX, parallel))))
        return false;
    *dash = '\0';
    *second = dash + 3;
    if (hash != NULL)
        *hash = '\0';
    return *parallel > 0;
}

uint32_t weir_topology_find_link(const struct weir_topology *topo, const char *name)
{
    char text[WEIR_TEXT_MAX], *second;
    uint32_t a, b, parallel;
    (void)snprintf(text, sizeof(text), "%s", name);
    if (!split_ends(text, &second, &parallel))
        return UINT32_MAX;
    a = weir_topology_find_node(topo, text);
    b = weir_topology_find_node(topo, second);
    if (a == UINT32_MAX || b == UINT32_MAX)
        return UINT32_MAX;
    for (uint32_t l = topo->node[a].first_out; l < topo->node[a].first_out + topo->node[a].out_count; l++)
        if (topo->link[l].dst == b && --parallel == 0)
            return l;
    return UINT32_MAX;
}
