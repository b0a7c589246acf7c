/* src/simulator/setup/env.c - fills struct weir_fabric_env: the parts of a scenario that the set-up of switch features
 * may read. */
#include "core/credit_ops.h"
#include "core/feature_setup.h"
#include "setup/features.h"
#include "registry.h"

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
    return link == UINT32_MAX || link < topo->link[link].reverse ? link : topo->link[link].reverse;
}

static const struct weir_fabric_network network = {
    .link_rate_bps = env_link_rate_bps, .ports = env_ports, .port = env_port, .name = env_name, .cable = env_cable
};

/* ---- all of it ---- */

static uint32_t env_data_class(const struct weir_scenario *scn)
{
    const struct weir_credit_ops *credit = scn->protocol->credit;
    return credit != NULL ? credit->data_class(scn->protocol_config) : scn->host.data_class;
}

struct weir_fabric_env weir_setup_env(const struct weir_setup *s)
{
    const struct weir_scenario *scn = s->scn;
    uint32_t needs = weir_protocol_needs(scn->protocol);
    return (struct weir_fabric_env){ .where_topology = &scn->where_topology,
                                     .where_protocol = &scn->where_protocol,
                                     .where_fabric = &scn->where_fabric,
                                     .protocol = scn->protocol->name,
                                     .needs = needs,
                                     .telemetry = weir_protocol_telemetry(scn->protocol, scn->protocol_config),
                                     .host_link_bps = s->topo.host_link_bps,
                                     .base_rtt_ps = s->base_rtt_ps,
                                     .memory_bytes = scn->fabric.buffer_bytes,
                                     .mtu_bytes = weir_framing_wire(&scn->framing, scn->framing.payload_bytes),
                                     .ack_bytes = scn->framing.ack_wire_bytes,
                                     .classes = 1,
                                     .data_class = env_data_class(scn),
                                     .ack_class = scn->host.ack_class,
                                     .receiver_driven = scn->protocol->credit != NULL,
                                     .has_ecn = weir_host_ect(&scn->host, needs),
                                     .mark_bytes = UINT64_MAX,
                                     .nics_pull = scn->host.nic_queue == WEIR_NIC_PULL,
                                     .routes_spray = scn->routing.mode == WEIR_ROUTE_SPRAY,
                                     .routes_shortest = scn->routing.mode != WEIR_ROUTE_TREES,
                                     .routes_symmetric = weir_routing_is_symmetric(scn->routing.mode),
                                     .path_switches = s->path_links - 1,
                                     .link_count = s->topo.link_count,
                                     .switch_count = s->topo.switch_count,
                                     .network = &network,
                                     .ctx = s };
}
