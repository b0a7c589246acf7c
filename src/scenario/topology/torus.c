/* src/scenario/topology/torus.c - switches in a grid of 1 to 5 dimensions, each a ring (a k-ary n-cube, but dimensions
 * may differ). Source: Dally, "Performance analysis of k-ary n-cube interconnection networks", IEEE Transactions on
 * Computers, 1990. The switch at coordinates (x, y, z) has number x + dims[0] * (y + dims[1] * z). A dimension of two
 * switches has one cable between them, not two. */
#include "core/assert.h"
#include "topology/plan.h"
#include <inttypes.h>

static uint32_t switch_count(const struct weir_topology_config *cfg)
{
    uint64_t count = 1;
    for (uint32_t d = 0; d < cfg->dims.count; d++)
        count *= cfg->dims.value[d];
    WEIR_ASSERT(count <= WEIR_EDGES_MAX); /* check_torus() has refused more */
    return (uint32_t)count;
}

static struct weir_shape torus_shape(const struct weir_topology_config *cfg)
{
    uint32_t switches = switch_count(cfg), hosts = switches * cfg->hosts, cables = hosts;
    for (uint32_t d = 0; d < cfg->dims.count; d++)
        cables += cfg->dims.value[d] == 2 ? switches / 2 : switches;
    return (struct weir_shape){ { hosts, switches }, cables };
}

static void lay_torus(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    uint32_t first = plan->shape.tier[0], stride = 1; /* stride: from a switch to the next one of the dimension */
    weir_plan_hosts(cfg, plan, weir_switch_of_equal);
    for (uint32_t d = 0; d < cfg->dims.count; d++) {
        uint32_t length = (uint32_t)cfg->dims.value[d];
        for (uint32_t s = 0; s < plan->shape.tier[1]; s++) {
            uint32_t at = s / stride % length, next = at + 1 < length ? s + stride : s - at * stride;
            if (length > 2 || at == 0)
                weir_plan_core(cfg, plan, first + s, first + next);
        }
        stride *= length;
    }
    WEIR_ASSERT(stride == plan->shape.tier[1]);
}

static int check_torus(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    uint64_t switches = 1, cables, links = 2; /* links: of the longest path, those of the two hosts included */
    int code;
    if (cfg->dims.count == 0 || cfg->dims.count > WEIR_TORUS_DIMS_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "dims: [8, 8, 8] are 512 switches in three dimensions",
                         "dims has %u numbers: a torus has 1 to %u dimensions", (unsigned)cfg->dims.count,
                         WEIR_TORUS_DIMS_MAX);
    for (uint32_t d = 0; d < cfg->dims.count; d++) {
        if (cfg->dims.value[d] < 2)
            return weir_fail(to->err, WEIR_E_RANGE, to->where, "leave the dimension out; one switch is a star",
                             "dims has a %u: each dimension of a torus has at least 2 switches",
                             (unsigned)cfg->dims.value[d]);
        if (cfg->dims.value[d] <= WEIR_EDGES_MAX && switches <= WEIR_EDGES_MAX)
            switches *= cfg->dims.value[d]; /* 2^16 * 2^16 fits */
        else
            switches = WEIR_EDGES_MAX + UINT64_C(1);
        links += cfg->dims.value[d] / 2;
    }
    cables = switches * cfg->dims.count;
    code = weir_check_switches(to, switches, cfg->hosts, cables);
    if (code == 0 && links > WEIR_TOPOLOGY_HOPS_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "shorter dimensions, or more of them",
                         "dims: the longest path has %u links, the two of hosts included, and at most %u are possible",
                         (unsigned)links, WEIR_TOPOLOGY_HOPS_MAX);
    return code != 0 ? code : weir_check_ports(to, cfg->hosts, 2 * WEIR_TORUS_DIMS_MAX);
}

const struct weir_kind weir_kind_torus = {
    .tier = { "host", "switch" },
    .own_hosts = true,
    .check = check_torus,
    .shape = torus_shape,
    .lay = lay_torus,
};
