/* src/simulator/switch/init.c - sets a plain switch up. */
#include "core/feature.h"
#include "hooks/features.h"
#include "model/model.h"
#include "switch/internal.h"

bool weir_switch_needs_more(const struct weir_model *model)
{
    return weir_features_are_coupled(&model->features);
}

void weir_switch_set_routes(struct weir_switch *sw, const struct weir_routes *routes)
{
    WEIR_ASSERT(sw->of_switch);
    sw->routes = routes;
    sw->route = weir_route_here(routes, sw->node);
    sw->way = weir_route_way(&sw->route);
}

/* Makes the hooks of all ports. @return false = no memory */
static bool init_chains(struct weir_switch *sw, const struct weir_mem *mem)
{
    const struct weir_model *m = sw->model;
    const struct weir_node *n = &m->topo->node[sw->node];
    struct weir_fabric_port *port = mem->grow(mem->ctx, sw->ports * sizeof(*port));
    struct weir_chain *chain = mem->grow(mem->ctx, sw->ports * sizeof(*chain));
    if (port == NULL || chain == NULL)
        return false;
    for (uint32_t p = 0; p < sw->ports; p++) {
        port[p] = weir_topology_port(m->topo, n->first_out + p);
        port[p].seed = m->seed;
        port[p].has_queue = sw->of_switch || m->host.params.nic_queue != WEIR_NIC_PULL;
        sw->port[p].has_queue = port[p].has_queue;
    }
    if (!weir_chains_init(chain, &m->features, port, sw->ports, sw->of_switch ? sw->waiting_bytes : NULL, mem))
        return false;
    for (uint32_t p = 0; p < sw->ports; p++)
        sw->port[p].chain = chain[p];
    return true;
}

/* Sets a port up, with its cable up; its chain is made already. */
static void init_port(const struct weir_switch *sw, struct switch_port *port, uint32_t index)
{
    uint32_t link = sw->model->topo->node[sw->node].first_out + index;
    uint64_t rate_bps = weir_model_link_bps(sw->model, link);
    port->clock = weir_tx_clock_of(rate_bps);
    port->index = index;
    port->link = link;
    port->rate_bps = rate_bps;
    port->up = true;
    port->sending_in = WEIR_PORT_NONE;
    port->at_once = sw->classes == 1 && !sw->coupled && port->chain.dequeue_count == 0 && port->chain.gate.classes == 0;
    sw->opens_ps[index] = WEIR_NEVER;
}

/* Takes memory for the tables of a switch. @return false = no memory */
static bool init_tables(struct weir_switch *sw, const struct weir_mem *mem)
{
    size_t features = sw->model->features.count;
    sw->port = mem->grow(mem->ctx, sw->ports * sizeof(*sw->port));
    sw->waiting_bytes = mem->grow(mem->ctx, sw->ports * sizeof(*sw->waiting_bytes));
    sw->opens_ps = mem->grow(mem->ctx, sw->ports * sizeof(*sw->opens_ps));
    sw->tick_ps = mem->grow(mem->ctx, (features + 1) * sizeof(*sw->tick_ps));
    sw->due = mem->grow(mem->ctx, (sw->ports + 63) / 64 * sizeof(*sw->due));
    sw->ends.entry = mem->grow(mem->ctx, sw->ports * sizeof(*sw->ends.entry));
    sw->ends.capacity = sw->ports; /* a port has one transmission at a time */
    return sw->port != NULL && sw->waiting_bytes != NULL && sw->opens_ps != NULL && sw->tick_ps != NULL &&
           sw->due != NULL && sw->ends.entry != NULL;
}

struct weir_switch *weir_switch_init(const struct weir_switch_config *cfg)
{
    const struct weir_model *m = cfg->model;
    struct weir_switch *sw = cfg->mem->grow(cfg->mem->ctx, sizeof(*sw));
    bool of_switch = cfg->node >= m->topo->host_count;
    WEIR_ASSERT(cfg->node < m->topo->node_count);
    WEIR_ASSERT(cfg->sink->send != NULL && cfg->sink->drop != NULL);
    WEIR_ASSERT(!weir_switch_needs_more(m) || cfg->pool->has_more);
    if (sw == NULL)
        return NULL;
    *sw = (struct weir_switch){ .model = m,
                                .sink = cfg->sink,
                                .pool = cfg->pool,
                                .memory_bytes = of_switch ? weir_model_memory_bytes(m, cfg->node) : UINT64_MAX,
                                .gate_ps = WEIR_NEVER,
                                .node = cfg->node,
                                .ports = m->topo->node[cfg->node].out_count,
                                .classes = m->classes,
                                .of_switch = of_switch,
                                .nic_waits = cfg->nic_waits,
                                .coupled = weir_switch_needs_more(m),
                                .hops_max = (uint8_t)m->features.records_max };
    if (!init_tables(sw, cfg->mem) || !init_chains(sw, cfg->mem))
        return NULL;
    for (uint32_t p = 0; p < sw->ports; p++)
        init_port(sw, &sw->port[p], p);
    for (uint32_t f = 0; f < m->features.count; f++) {
        const struct weir_feature_on *on = &m->features.on[f];
        sw->tick_ps[f] = of_switch && on->row->on_timer != NULL ? on->period_ps : WEIR_NEVER;
    }
    weir_switch_plan_timers(sw);
    return sw;
}
