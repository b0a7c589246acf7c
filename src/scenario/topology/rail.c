/* src/scenario/topology/rail.c - servers of GPUs behind NVSwitches, in a rail-optimised network. Every GPU is a host:
 * host = server * gpus + g. NIC 0 leads to the NVSwitch of its server, NIC 1 to the leaf of its rail, which is
 * g mod rails. Spines join the leaves. NVSwitches and leaves are both first-hop switches, and no cable joins the two.
 * Source: the rail-optimised templates of SimAI (Wang et al., NSDI 2025), which have one NVSwitch per server.
 * Departs from them: rails may be fewer than the GPUs of a server. */
#include "core/assert.h"
#include "topology/plan.h"
#include <inttypes.h>

static uint32_t rails_of(const struct weir_topology_config *cfg)
{
    return cfg->rails != 0 ? cfg->rails : cfg->gpus;
}

/* Returns the number of NVSwitches. A server of one GPU has nothing to join. */
static uint32_t nvswitches_of(const struct weir_topology_config *cfg)
{
    return cfg->gpus > 1 ? cfg->servers : 0;
}

static struct weir_shape rail_shape(const struct weir_topology_config *cfg)
{
    uint32_t hosts = cfg->servers * cfg->gpus, nvswitches = nvswitches_of(cfg), rails = rails_of(cfg);
    return (struct weir_shape){ { hosts, nvswitches, rails, cfg->spines },
                                nvswitches * cfg->gpus + hosts + rails * cfg->spines };
}

static void lay_rail(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    uint32_t hosts = plan->shape.tier[0], nvswitches = plan->shape.tier[1], rails = plan->shape.tier[2];
    uint32_t leaf = hosts + nvswitches, spine = leaf + rails;
    WEIR_ASSERT(cfg->gpus % rails == 0);
    for (uint32_t h = 0; h < hosts; h++) {
        if (nvswitches > 0)
            weir_plan_cable(plan, h, hosts + h / cfg->gpus, cfg->server_link_bps, cfg->server_delay_ps);
        weir_plan_host(cfg, plan, h, nvswitches + h % cfg->gpus % rails);
    }
    for (uint32_t l = 0; l < rails; l++)
        for (uint32_t s = 0; s < cfg->spines; s++)
            weir_plan_core(cfg, plan, leaf + l, spine + s);
}

/* Refuses numbers of GPUs, rails and spines that do not fit each other. */
static int check_rails(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    uint32_t rails = rails_of(cfg);
    if (cfg->servers == 0 || cfg->gpus == 0 || cfg->servers > WEIR_EDGES_MAX || cfg->gpus > WEIR_PORTS_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "servers, and GPUs of each",
                         "servers = %" PRIu32 ", gpus = %" PRIu32 ": each is 1 to %u", cfg->servers, cfg->gpus,
                         WEIR_EDGES_MAX);
    if (cfg->gpus % rails != 0)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "all rails have the same number of GPUs of a server",
                         "rails = %" PRIu32 ": does not divide gpus = %" PRIu32, rails, cfg->gpus);
    if (cfg->spines == 0 && rails > 1)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "spines: 1 or more, or rails: 1",
                         "rails = %" PRIu32 ", spines = 0: nothing joins the leaves", rails);
    if (cfg->spines > WEIR_SPINES_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "every leaf has one link to every spine",
                         "spines = %" PRIu32 ": at most %u", cfg->spines, WEIR_SPINES_MAX);
    return 0;
}
_Static_assert(WEIR_EDGES_MAX == WEIR_PORTS_MAX, "check_rails() names one bound for both");

static int check_rail(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    uint64_t hosts = (uint64_t)cfg->servers * cfg->gpus, leaf_hosts, cables;
    uint32_t rails, edges;
    int code = check_rails(cfg, to);
    if (code != 0)
        return code;
    rails = rails_of(cfg), edges = rails + nvswitches_of(cfg);
    leaf_hosts = hosts / rails;
    if (hosts < 2 || hosts > WEIR_HOSTS_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "a network has 2 to 1048575 hosts",
                         "servers x gpus = %" PRIu32 " x %" PRIu32 " hosts: 2 to %u are possible", cfg->servers,
                         cfg->gpus, WEIR_HOSTS_MAX);
    if (edges > WEIR_EDGES_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "fewer servers, with more GPUs each",
                         "servers = %" PRIu32 ", rails = %" PRIu32 ": more than %u switches with hosts", cfg->servers,
                         rails, WEIR_EDGES_MAX);
    if (leaf_hosts + cfg->spines > WEIR_PORTS_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "more rails, or fewer spines",
                         "servers x gpus / rails + spines = %" PRIu64 " ports on a leaf: at most %u",
                         leaf_hosts + cfg->spines, WEIR_PORTS_MAX);
    cables = 2 * hosts + (uint64_t)rails * cfg->spines; /* 2^16 * 2^12 fits */
    if (cables > WEIR_CABLES_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "fewer rails or spines",
                         "rails = %" PRIu32 ", spines = %" PRIu32 ": more than %u cables", rails, cfg->spines,
                         WEIR_CABLES_MAX);
    code = weir_check_rate(to, "server_link", cfg->server_link_bps);
    return code != 0 ? code : weir_check_delay(to, "server_delay", cfg->server_delay_ps);
}

const struct weir_kind weir_kind_rail = {
    .tier = { "host", "nvswitch", "leaf", "spine" },
    .layered = true,
    .own_hosts = true,
    .check = check_rail,
    .shape = rail_shape,
    .lay = lay_rail,
};
