/* src/scenario/topology/dragonfly.c - groups of switches that are all joined to each other; cables join the groups.
 * Source: Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008. The cables
 * between groups are in its consecutive arrangement (the name is that of Camarero, Vallejo and Beivide, ACM TACO 2014).
 *
 * Port p of a group is cable p % global_links of the group's switch p / global_links. Of g groups the first g - 1 ports
 * of a group lead to the other groups in the order of their numbers, the next g - 1 again, and so on. The paper has one
 * such round. Ports that remain are not in the paper: they lead to the groups at distances +1, -1, +2, -2 and so on,
 * modulo g. If their number is odd and g is even, the last one leads to distance g / 2. If both are odd, the last port
 * has no cable.
 */
#include "core/assert.h"
#include "topology/plan.h"
#include <inttypes.h>

/* Returns the number of ports of a group that complete rounds do not use. */
static uint32_t ports_left(const struct weir_topology_config *cfg)
{
    WEIR_ASSERT(cfg->groups > 1);
    return cfg->switches * cfg->global_links % (cfg->groups - 1);
}

static uint32_t global_cables(const struct weir_topology_config *cfg)
{
    uint32_t g = cfg->groups, rounds = cfg->switches * cfg->global_links / (g - 1), left = ports_left(cfg);
    return rounds * (g * (g - 1) / 2) + g * (left / 2) + (left % 2 == 1 && g % 2 == 0 ? g / 2 : 0);
}

static struct weir_shape dragonfly_shape(const struct weir_topology_config *cfg)
{
    uint32_t switches = cfg->groups * cfg->switches, hosts = switches * cfg->hosts;
    return (struct weir_shape){ { hosts, switches }, hosts + switches * (cfg->switches - 1) / 2 + global_cables(cfg) };
}

/* Joins port p of group i with port q of group j. */
static void lay_global(const struct weir_topology_config *cfg, struct weir_plan *plan, uint32_t i, uint32_t p,
                       uint32_t j, uint32_t q)
{
    uint32_t first = plan->shape.tier[0];
    WEIR_ASSERT(p < cfg->switches * cfg->global_links);
    WEIR_ASSERT(q < cfg->switches * cfg->global_links);
    weir_plan_core(cfg, plan, first + i * cfg->switches + p / cfg->global_links,
                   first + j * cfg->switches + q / cfg->global_links);
}

/* Lays one round: a cable between each two groups. base: the first port of the round, in each group */
static void lay_round(const struct weir_topology_config *cfg, struct weir_plan *plan, uint32_t base)
{
    for (uint32_t i = 0; i < cfg->groups; i++)
        for (uint32_t j = i + 1; j < cfg->groups; j++) /* no group has a port to itself, so i's to j is j - 1 */
            lay_global(cfg, plan, i, base + j - 1, j, base + i);
}

/* Lays the cables of the ports that complete rounds do not use. base: the first of them, in each group */
static void lay_rest(const struct weir_topology_config *cfg, struct weir_plan *plan, uint32_t base)
{
    uint32_t g = cfg->groups, left = ports_left(cfg);
    for (uint32_t d = 0; d < left / 2; d++)
        for (uint32_t i = 0; i < g; i++)
            lay_global(cfg, plan, i, base + 2 * d, (i + d + 1) % g, base + 2 * d + 1);
    for (uint32_t i = 0; i < g / 2 && left % 2 == 1 && g % 2 == 0; i++)
        lay_global(cfg, plan, i, base + left - 1, i + g / 2, base + left - 1);
}

static void lay_dragonfly(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    uint32_t first = plan->shape.tier[0], ports = cfg->switches * cfg->global_links, base = 0;
    weir_plan_hosts(cfg, plan, weir_switch_of_equal);
    for (uint32_t s = 0; s < plan->shape.tier[1]; s++)
        for (uint32_t t = s + 1; t < (s / cfg->switches + 1) * cfg->switches; t++)
            weir_plan_core(cfg, plan, first + s, first + t);
    for (; base + cfg->groups - 1 <= ports; base += cfg->groups - 1)
        lay_round(cfg, plan, base);
    lay_rest(cfg, plan, base);
}

static int check_dragonfly(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    uint64_t switches = (uint64_t)cfg->groups * cfg->switches, ports = (uint64_t)cfg->switches * cfg->global_links;
    int code;
    if (cfg->groups < 2)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "a dragonfly of one group has no cables between groups",
                         "groups = %" PRIu32 ": a dragonfly has at least 2", cfg->groups);
    if (cfg->switches == 0 || cfg->switches > WEIR_GROUP_SWITCHES_MAX || cfg->global_links == 0 ||
        cfg->global_links > WEIR_GLOBAL_LINKS_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "switches of each group, and cables of each to other groups",
                         "switches = %" PRIu32 ", global_links = %" PRIu32 ": a dragonfly has 1 to %u and 1 to %u",
                         cfg->switches, cfg->global_links, WEIR_GROUP_SWITCHES_MAX, WEIR_GLOBAL_LINKS_MAX);
    if (ports < cfg->groups - 1)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where,
                         "each group needs a cable to every other: groups is at most switches x global_links + 1",
                         "switches x global_links = %" PRIu32 " x %" PRIu32
                         " cables of a group do not reach all %" PRIu32 " other groups",
                         cfg->switches, cfg->global_links, cfg->groups - 1);
    code = weir_check_switches(to, switches, cfg->hosts, switches * (cfg->switches - 1) / 2 + cfg->groups * ports / 2);
    return code != 0 ? code : weir_check_ports(to, cfg->hosts, cfg->switches - 1 + cfg->global_links);
}

const struct weir_kind weir_kind_dragonfly = {
    .tier = { "host", "switch" },
    .own_hosts = true,
    .check = check_dragonfly,
    .shape = dragonfly_shape,
    .lay = lay_dragonfly,
};
