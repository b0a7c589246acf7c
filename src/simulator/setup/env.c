/* src/simulator/setup/env.c - fills struct weir_fabric_env: the parts of a scenario that the set-up of switch features
 * may read. */
#include "core/credit_ops.h"
#include "core/feature_setup.h"
#include "setup/features.h"
#include "core/math.h"
#include "registry.h"
#include <stdlib.h>

/* ---- the network ---- */

static const struct weir_setup *setup_of(const struct weir_fabric_env *env)
{
    return env->ctx;
}

static uint64_t env_link_rate_bps(const struct weir_fabric_env *env, uint32_t link)
{
    return setup_of(env)->topo.link[link].rate_bps;
}

static uint32_t env_ports(const struct weir_fabric_env *env, uint32_t sw)
{
    const struct weir_topology *topo = &setup_of(env)->topo;
    return topo->node[topo->host_count + sw].out_count;
}

static void env_port(const struct weir_fabric_env *env, uint32_t sw, uint32_t index, struct weir_fabric_port *out)
{
    const struct weir_topology *topo = &setup_of(env)->topo;
    *out = weir_topology_port(topo, topo->node[topo->host_count + sw].first_out + index);
    out->seed = setup_of(env)->scn->run.seed;
    out->has_queue = true;
}

static void env_name(const struct weir_fabric_env *env, uint32_t sw, char *out, size_t size)
{
    const struct weir_topology *topo = &setup_of(env)->topo;
    weir_topology_node_name(topo, topo->host_count + sw, out, size);
}

static uint32_t env_cable(const struct weir_fabric_env *env, const char *name)
{
    const struct weir_topology *topo = &setup_of(env)->topo;
    uint32_t link = weir_topology_find_link(topo, name);
    return link == UINT32_MAX ? link : weir_topology_cable(topo, link);
}

static uint32_t env_node(const struct weir_fabric_env *env, const char *name)
{
    return weir_topology_find_node(&setup_of(env)->topo, name);
}

static bool env_is_host(const struct weir_fabric_env *env, uint32_t node)
{
    return node < setup_of(env)->topo.host_count;
}

static uint32_t env_cables(const struct weir_fabric_env *env, uint32_t node)
{
    return setup_of(env)->topo.node[node].out_count;
}

static uint32_t env_node_cable(const struct weir_fabric_env *env, uint32_t node, uint32_t i)
{
    const struct weir_topology *topo = &setup_of(env)->topo;
    return weir_topology_cable(topo, topo->node[node].first_out + i);
}

static void env_ends(const struct weir_fabric_env *env, uint32_t link, uint32_t node[2])
{
    node[0] = setup_of(env)->topo.link[link].src;
    node[1] = setup_of(env)->topo.link[link].dst;
}

static uint32_t env_switches_at(const struct weir_fabric_env *env, const char *at, uint32_t *node, uint32_t max)
{
    const struct weir_topology *topo = &setup_of(env)->topo;
    bool *is_at = calloc(topo->node_count, sizeof(*is_at));
    char name[WEIR_TEXT_MAX];
    uint32_t count = 0;
    if (is_at == NULL || weir_topology_mark_switches(topo, at, is_at, name) != WEIR_LOCATION_SWITCHES)
        count = UINT32_MAX;
    for (uint32_t n = topo->host_count; n < topo->node_count && count != UINT32_MAX; n++) {
        if (is_at[n] && count < max)
            node[count] = n;
        count += is_at[n];
    }
    free(is_at);
    return count;
}

static uint64_t env_cable_rate_bps(const struct weir_fabric_env *env, uint32_t link)
{
    const struct weir_link *all = setup_of(env)->topo.link;
    return weir_max_u64(all[link].rate_bps, all[all[link].reverse].rate_bps);
}

static const struct weir_fabric_network network = { .link_rate_bps = env_link_rate_bps,
                                                    .cable_rate_bps = env_cable_rate_bps,
                                                    .ports = env_ports,
                                                    .port = env_port,
                                                    .name = env_name,
                                                    .cable = env_cable,
                                                    .node = env_node,
                                                    .is_host = env_is_host,
                                                    .cables = env_cables,
                                                    .node_cable = env_node_cable,
                                                    .switches_at = env_switches_at,
                                                    .ends = env_ends };

/* ---- all of it ---- */

static struct weir_fabric_law env_law(const struct weir_setup *s, uint32_t k)
{
    const struct weir_scenario_law law = weir_scenario_law(s->scn, k);
    const struct weir_credit_ops *credit = law.protocol->credit;
    return (
        struct weir_fabric_law){ .protocol = law.protocol->name,
                                 .needs = weir_protocol_needs(law.protocol),
                                 .telemetry = weir_protocol_telemetry(law.protocol, law.config),
                                 .delays = weir_protocol_delays(law.protocol, law.config),
                                 .mtu_bytes = weir_framing_wire(law.framing, law.framing->payload_bytes),
                                 .data_class = credit != NULL ? credit->data_class(law.config) : law.host->data_class,
                                 .ack_class = credit != NULL ? credit->control_class(law.config) : law.host->ack_class,
                                 .receiver_driven = credit != NULL };
}

/* Fills the fields of *env that are of all laws together. */
static void env_laws(struct weir_setup *s, struct weir_fabric_env *env)
{
    const uint32_t reading = WEIR_NEED_INT | WEIR_NEED_ACK_INT;
    env->law_count = s->law_count;
    env->receiver_driven = true;
    for (uint32_t k = 0; k < s->law_count; k++) {
        const struct weir_scenario_law keys = weir_scenario_law(s->scn, k);
        struct weir_fabric_law *law = &env->law[k];
        *law = env_law(s, k);
        if (k == 0 || ((law->needs & reading) != 0 && (env->needs & reading) == 0))
            env->telemetry = law->telemetry;
        env->needs |= law->needs;
        env->receiver_driven = env->receiver_driven && law->receiver_driven;
        env->has_ecn |= weir_host_ect(keys.host, law->needs);
        env->mtu_bytes = (uint32_t)weir_max_u64(env->mtu_bytes, law->mtu_bytes);
        env->ack_bytes = (uint32_t)weir_max_u64(env->ack_bytes, keys.framing->ack_wire_bytes);
    }
    env->protocol = s->law_names;
    env->data_class = env->law[0].data_class;
    env->ack_class = s->scn->host.ack_class;
}

struct weir_fabric_env weir_setup_env(struct weir_setup *s)
{
    const struct weir_scenario *scn = s->scn;
    struct weir_fabric_env env = { .where_topology = &scn->where_topology,
                                   .where_protocol = &scn->where_protocol,
                                   .where_fabric = &scn->where_fabric,
                                   .host_link_bps = s->topo.host_link_bps,
                                   .base_rtt_ps = s->base_rtt_ps,
                                   .memory_bytes = scn->fabric.buffer_bytes,
                                   .classes = 1,
                                   .mark_bytes = UINT64_MAX,
                                   .nics_pull = scn->host.nic_queue == WEIR_NIC_PULL,
                                   .routes_spray = weir_setup_sprays(s),
                                   .routes_shortest = scn->routing.mode != WEIR_ROUTE_TREES,
                                   .routes_symmetric = weir_routing_is_symmetric(scn->routing.mode),
                                   .nics_spread = weir_setup_spreads(s),
                                   .path_switches = s->path_links - 1,
                                   .link_count = s->topo.link_count,
                                   .switch_count = s->topo.switch_count,
                                   .seed = scn->run.seed,
                                   .end_ps =
                                       s->model.until_done ? UINT64_MAX : s->model.warmup_ps + s->model.measure_ps,
                                   .network = &network,
                                   .ctx = s };
    env_laws(s, &env);
    for (uint32_t i = 0; i < s->topo.link_count; i++)
        env.links_lose |= s->topo.link[i].loss_ppb > 0;
    return env;
}
