/* src/scenario/topology/hosts.c - hosts and switches by location, and what `hosts` says of hosts. */
#include "core/param.h"
#include "core/units.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

static const struct weir_keyword topology_rate = { "topology", 0 };

const struct weir_param weir_host_item_params[] = {
    WEIR_PARAM_TEXT("at", struct weir_host_item, at, 1, "",
                    "which hosts: host 3, host 0..7, rack 3, or a first-hop switch, leaf 3; required"),
    WEIR_PARAM_KEYWORD("link", struct weir_host_item, link_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 0,
                       &topology_rate,
                       "rate of their links, each direction; of several NICs those that lead to the switch or rack, if "
                       "`at` is one; topology = as that says"),
    { 0 },
};

/* Reads a decimal number of at most 9 digits, and moves *at behind it. @return false = there is none */
static bool read_number(const char **at, uint32_t *out)
{
    enum { DIGITS_MAX = 9 }; /* such a number fits 32 bits */
    size_t digits = strspn(*at, "0123456789");
    if (digits == 0 || digits > DIGITS_MAX)
        return false;
    *out = (uint32_t)strtoul(*at, NULL, 10);
    *at += digits;
    return true;
}

/* Reads "host 3..7" or "rack 3" with the given noun; a single number is both first and last. @return false = it is
 * neither */
static bool read_range(const char *at, const char *noun, uint32_t *first, uint32_t *last)
{
    size_t length = strlen(noun);
    if (strncmp(at, noun, length) != 0 || at[length] != ' ')
        return false;
    at += length + 1;
    if (!read_number(&at, first))
        return false;
    *last = *first;
    if (strncmp(at, "..", 2) == 0) {
        at += 2;
        if (!read_number(&at, last))
            return false;
    }
    return *at == '\0';
}

struct location { /* nodes by number, both ends included: hosts, or by_edge the hosts of first-hop switches */
    bool by_edge;
    uint32_t first, last;
};

/* Reads "rack 3..7". Racks that do not exist have no hosts. @return false = it is something else */
static bool read_racks(const struct weir_topology *topo, const char *at, struct location *out)
{
    uint32_t first, last;
    if (!read_range(at, "rack", &first, &last))
        return false;
    if (last >= topo->edge_count)
        last = topo->edge_count - 1;
    *out = (struct location){ .by_edge = true, .first = UINT32_MAX };
    if (topo->edge_count > 0 && first <= last)
        *out = (struct location){ .by_edge = true, .first = topo->edge_node[first], .last = topo->edge_node[last] };
    return true;
}

/* Reads the name of a location; see weir_topology_host_is_at(). @return false = there is no such location */
static bool read_location(const struct weir_topology *topo, const char *at, struct location *out)
{
    uint32_t node = weir_topology_find_node(topo, at);
    *out = (struct location){ .by_edge = node != UINT32_MAX && node >= topo->host_count, .first = node, .last = node };
    return node != UINT32_MAX || read_racks(topo, at, out) || read_range(at, "host", &out->first, &out->last);
}

/* Tests whether a link of a host is one of the location's: all links of the hosts, or those to the switches. */
static bool has_link(const struct weir_topology *topo, const struct location *location, uint32_t link)
{
    uint32_t node = location->by_edge ? topo->link[link].dst : topo->link[link].src;
    return node >= location->first && node <= location->last;
}

/* Returns the number of links of a host that are the location's. Sets the rates of both directions, unless rate_bps is
 * 0. */
static uint32_t set_links(const struct weir_topology *topo, const struct location *location, uint32_t host,
                          uint64_t rate_bps)
{
    const struct weir_node *node = &topo->node[host];
    uint32_t count = 0;
    WEIR_ASSERT(host < topo->host_count);
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
        if (!has_link(topo, location, l))
            continue;
        count++;
        if (rate_bps != 0)
            topo->link[l].rate_bps = topo->link[topo->link[l].reverse].rate_bps = rate_bps;
    }
    return count;
}

bool weir_topology_host_is_at(const struct weir_topology *topo, uint32_t host, const char *at)
{
    struct location location;
    return read_location(topo, at, &location) && set_links(topo, &location, host, 0) > 0;
}

uint32_t weir_topology_set_host_link(struct weir_topology *topo, const char *at, uint64_t rate_bps)
{
    struct location location;
    uint32_t count = 0;
    WEIR_ASSERT(rate_bps == 0 || (rate_bps >= WEIR_RATE_MIN_BPS && rate_bps <= WEIR_RATE_MAX_BPS));
    if (!read_location(topo, at, &location))
        return 0;
    for (uint32_t h = 0; h < topo->host_count; h++)
        count += set_links(topo, &location, h, rate_bps) > 0;
    if (count > 0)
        weir_topology_find_host_rates(topo);
    return count;
}

/* ---- switches ---- */

struct switches { /* switches by node number, both ends included, or those of some tiers, likewise */
    uint32_t first, last;
    uint32_t first_tier, last_tier; /* weir_node.tier */
};

/* Reads the name of a tier, or some switches of a tier by number, "leaf 0..3". @return false = it is neither */
static bool read_tier(const struct weir_topology *topo, const char *at, struct switches *out)
{
    uint32_t begin = topo->tier_count[0], first, last;
    for (uint32_t tier = 1; topo->tier_name != NULL && tier < WEIR_TIERS_MAX; begin += topo->tier_count[tier++]) {
        if (topo->tier_name[tier] == NULL || topo->tier_count[tier] == 0)
            continue;
        if (strcmp(at, topo->tier_name[tier]) == 0) {
            out->first = begin, out->last = begin + topo->tier_count[tier] - 1;
            return true;
        }
        if (read_range(at, topo->tier_name[tier], &first, &last) && first <= last && last < topo->tier_count[tier]) {
            out->first = begin + first, out->last = begin + last;
            return true;
        }
    }
    if (topo->name == NULL || (strcmp(at, "edge") != 0 && strcmp(at, "core") != 0))
        return false;
    out->first_tier = at[0] == 'e' ? 1 : 2;
    out->last_tier = at[0] == 'e' ? 1 : UINT32_MAX;
    return true;
}

static enum weir_location read_switches(const struct weir_topology *topo, const char *at, struct switches *out)
{
    struct location location;
    *out = (struct switches){ .first = topo->host_count, .last = topo->node_count - 1, .last_tier = UINT32_MAX };
    uint32_t node = weir_topology_find_node(topo, at);
    if (node != UINT32_MAX && node >= topo->host_count) {
        out->first = out->last = node;
        return WEIR_LOCATION_SWITCHES;
    }
    if (node == UINT32_MAX && read_tier(topo, at, out))
        return WEIR_LOCATION_SWITCHES;
    return strcmp(at, "host") == 0 || read_location(topo, at, &location) ? WEIR_LOCATION_HOSTS : WEIR_LOCATION_UNKNOWN;
}

enum weir_location weir_topology_mark_switches(const struct weir_topology *topo, const char *at, bool *is_at,
                                               char name[WEIR_TEXT_MAX])
{
    while (*at != '\0') {
        size_t length;
        struct switches some;
        enum weir_location what;
        at += strspn(at, " ");
        length = strcspn(at, ",");
        WEIR_ASSERT(length < WEIR_TEXT_MAX);
        memcpy(name, at, length);
        at += length + (at[length] == ',');
        while (length > 0 && name[length - 1] == ' ')
            length--;
        name[length] = '\0';
        what = read_switches(topo, name, &some);
        if (what != WEIR_LOCATION_SWITCHES)
            return what;
        for (uint32_t n = some.first; n <= some.last; n++)
            is_at[n] = is_at[n] || (topo->node[n].tier >= some.first_tier && topo->node[n].tier <= some.last_tier);
    }
    return WEIR_LOCATION_SWITCHES;
}
