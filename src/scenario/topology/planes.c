/* src/scenario/topology/planes.c - networks side by side: every plane is a leaf-spine with the same racks, and every
 * host has a NIC in each. Leaves are numbered plane by plane, so NIC i of a host is the one in plane i; so are spines.
 * Source: Qian et al., "Alibaba HPN: A Data Center Network for Large Language Model Training", SIGCOMM 2024, has two
 * such planes. */
#include "core/assert.h"
#include "topology/plan.h"
#include <inttypes.h>

static struct weir_shape planes_shape(const struct weir_topology_config *cfg)
{
    uint32_t leaves = cfg->planes * cfg->racks, spines = cfg->planes * cfg->spines;
    return (struct weir_shape){ { cfg->hosts, leaves, spines }, cfg->planes * cfg->hosts + leaves * cfg->spines };
}

static void lay_plane(const struct weir_topology_config *cfg, struct weir_plan *plan, uint32_t plane)
{
    uint32_t leaf = plane * cfg->racks, first = plan->shape.tier[0], per_rack = cfg->hosts / cfg->racks;
    uint32_t spine = first + plan->shape.tier[1] + plane * cfg->spines;
    for (uint32_t h = 0; h < cfg->hosts; h++)
        weir_plan_host(cfg, plan, h, leaf + h / per_rack);
    for (uint32_t l = 0; l < cfg->racks; l++)
        for (uint32_t s = 0; s < cfg->spines; s++)
            weir_plan_core(cfg, plan, first + leaf + l, spine + s);
}

static void lay_planes(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    WEIR_ASSERT(cfg->planes <= WEIR_NICS_MAX);
    WEIR_ASSERT(cfg->hosts % cfg->racks == 0);
    for (uint32_t p = 0; p < cfg->planes; p++)
        lay_plane(cfg, plan, p);
}

/* Refuses a plane that is neither a leaf-spine nor a star. */
static int check_plane(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    if (cfg->spines == 0 && cfg->racks == 1)
        return weir_check_ports(to, cfg->hosts, 0);
    if (cfg->spines == 0)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "spines: 1 or more, or racks: 1",
                         "racks = %" PRIu32 ", spines = 0: nothing joins the leaves of a plane", cfg->racks);
    return weir_check_leaf_spine(cfg, to);
}

static int check_planes(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    uint64_t leaves = (uint64_t)cfg->planes * cfg->racks, cables = cfg->planes * (uint64_t)cfg->hosts;
    int code;
    if (cfg->planes < 2)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "one plane is a leaf-spine, or a star",
                         "planes = %" PRIu32 ": there are at least 2", cfg->planes);
    if (cfg->planes > WEIR_PLANES_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "a host has a NIC in each plane",
                         "planes = %" PRIu32 ": a host has at most %u NICs", cfg->planes, WEIR_NICS_MAX);
    code = check_plane(cfg, to);
    if (code != 0)
        return code;
    cables += leaves * cfg->spines; /* 2^20 * 2^12 fits */
    if (leaves > WEIR_EDGES_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "fewer racks or planes",
                         "planes x racks = %" PRIu32 " x %" PRIu32 ": more than %u switches with hosts", cfg->planes,
                         cfg->racks, WEIR_EDGES_MAX);
    if (cables > WEIR_CABLES_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "fewer hosts, racks, spines or planes",
                         "planes = %" PRIu32 " of %" PRIu32 " hosts, %" PRIu32 " racks and %" PRIu32
                         " spines: more than %u cables",
                         cfg->planes, cfg->hosts, cfg->racks, cfg->spines, WEIR_CABLES_MAX);
    return 0;
}

const struct weir_kind weir_kind_planes = {
    .tier = { "host", "leaf", "spine" },
    .layered = true,
    .check = check_planes,
    .shape = planes_shape,
    .lay = lay_planes,
};
