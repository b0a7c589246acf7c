/* src/commands/cli/switch_plan.c - see switch_plan.h. */
#include "cli/switch_plan.h"
#include "bpf/option.h"
#include "core/feature.h"
#include "features/buffer/buffer.h"
#include "features/ecn/ecn.h"
#include "soft/hosts.h"
#include <stdlib.h>
#include <string.h>

#define KERNEL_HAS "a switch in the kernel has ecn, codel, rpm, maxqd, and buffers of ports"
#define QUEUE_MAX_BYTES UINT64_C(0x7fffffff) /* of qdisc tbf */

struct plan {
    struct weir_kernel_switch *sw;
    const struct weir_setup *setup;
    uint64_t limit_bytes; /* of every port */
    struct weir_err *err;
};

/* --- features --- */

static int plan_buffer(struct plan *p, const struct weir_buffer_model *m)
{
    if (m->alpha_q10 != 0)
        return weir_fail(p->err, WEIR_E_CONFLICT, &p->setup->scn->where_fabric, "set fabric.port_buffer instead",
                         "fabric.alpha: queues in the kernel share no memory");
    p->limit_bytes = weir_min_u64(p->limit_bytes, m->port_bytes);
    return 0;
}

static void plan_codel(struct plan *p, const struct weir_codel_model *m)
{
    p->sw->keys.codel = m->at != WEIR_AT_NICS;
    p->sw->keys.codel_model = *m;
}

/* Takes maxQD over. Its unit is that of the field, and all frames wait in one class. */
static void plan_maxqd(struct plan *p, const struct weir_maxqd_model *m)
{
    p->sw->keys.maxqd = m->at != WEIR_AT_NICS;
    p->sw->keys.maxqd_model = (struct weir_maxqd_model){ .at = m->at, .filter_ps = m->filter_ps };
}

static void plan_ecn(struct plan *p, const struct weir_ecn_model *m)
{
    p->sw->keys.ecn = m->where == WEIR_ECN_ALL;
    for (uint32_t i = 0; i < p->sw->keys.port_count; i++)
        p->sw->port[i].ramp = weir_ecn_scaled(&m->ramp, p->sw->port[i].rate_bps, m->at_bps);
}

static int plan_feature(struct plan *p, const struct weir_feature *row, const void *model)
{
    if (row == &weir_buffer_feature)
        return plan_buffer(p, model);
    if (row == &weir_codel_feature)
        plan_codel(p, model);
    else if (row == &weir_maxqd_feature)
        plan_maxqd(p, model);
    else if (row == &weir_ecn_feature)
        plan_ecn(p, model);
    else if (row == &weir_rpm_feature) {
        p->sw->keys.rpm = 1;
        p->sw->keys.rpm_model = *(const struct weir_rpm_model *)model;
    } else
        return weir_fail(p->err, WEIR_E_CONFLICT, &p->setup->scn->where_fabric, KERNEL_HAS,
                         "fabric: feature %s is on, and no switch in the kernel has it", row->name);
    return 0;
}

static int plan_features(struct plan *p)
{
    const struct weir_features *all = &p->setup->model.features;
    uint32_t node = p->setup->topo.host_count; /* the one switch */
    p->limit_bytes = p->setup->model.memory_bytes;
    if (p->setup->model.memory_of != NULL)
        p->limit_bytes = p->setup->model.memory_of[node];
    for (uint32_t i = 0; i < all->count; i++) {
        struct weir_feature_variant here = weir_feature_at(&all->on[i], node);
        int code = here.on ? plan_feature(p, all->on[i].row, here.model) : 0;
        if (code != 0)
            return code;
    }
    if (p->limit_bytes > QUEUE_MAX_BYTES)
        return weir_fail(p->err, WEIR_E_CONFLICT, &p->setup->scn->where_fabric, "for example fabric.port_buffer: 1 MB",
                         "fabric: a queue in the kernel has a limit, of 2 GB at most");
    for (uint32_t i = 0; i < p->sw->keys.port_count; i++)
        p->sw->port[i].limit_bytes = p->limit_bytes;
    return 0;
}

/* --- hosts --- */

/* Takes over where the hosts are. */
static int plan_hosts(struct plan *p)
{
    struct weir_soft_site site[WEIR_SWITCH_PORTS_MAX];
    int code = weir_soft_hosts(site, p->setup, false, p->err);
    for (uint32_t i = 0; i < p->sw->keys.port_count && code == 0; i++) {
        struct weir_switch_port *port = &p->sw->port[i];
        (void)snprintf(port->host, sizeof(port->host), "%s", site[i].host);
        (void)snprintf(port->device_name, sizeof(port->device_name), "%s", site[i].device);
        memcpy(&port->address, site[i].address.bytes, sizeof(port->address));
        p->sw->keys.learns = port->address == 0;
    }
    return code;
}

/* Fills in the rate of each port: that of the link from the switch to its host. */
static void plan_links(struct plan *p)
{
    const struct weir_topology *topo = &p->setup->topo;
    for (uint32_t host = 0; host < topo->host_count; host++) {
        struct weir_switch_port *port = &p->sw->port[host];
        const struct weir_link *up = &topo->link[topo->node[host].first_out];
        port->rate_bps = topo->link[up->reverse].rate_bps;
    }
}

static int check_shape(struct plan *p)
{
    const struct weir_topology *topo = &p->setup->topo;
    const struct weir_scenario *scn = p->setup->scn;
    if (scn->deployed == NULL)
        return weir_fail(p->err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = scn->where_topology.file },
                         "switch: {ports: {host 0: eth1, host 1: eth2}}",
                         "switch: the section is missing, which says where the hosts are");
    if (topo->switch_count != 1)
        return weir_fail(p->err, WEIR_E_CONFLICT, &scn->where_topology, "topology: {kind: star, hosts: 3}",
                         "topology: %u switches; a switch in the kernel is one", topo->switch_count);
    if (weir_topology_has_nics(topo))
        return weir_fail(p->err, WEIR_E_CONFLICT, &scn->where_topology, "topology: {kind: star, hosts: 3}",
                         "topology: hosts have several cables; a switch in the kernel has one to each host");
    if (scn->deployed_config.pfc_frames != 0)
        return weir_fail(p->err, WEIR_E_CONFLICT, &scn->where_fabric, "--engine user has it",
                         "switch.pfc_frames: a switch in the kernel has no pfc");
    if (topo->host_count > WEIR_SWITCH_PORTS_MAX)
        return weir_fail(p->err, WEIR_E_RANGE, &scn->where_topology, NULL,
                         "topology: %u hosts; a switch in the kernel has at most %u ports", topo->host_count,
                         WEIR_SWITCH_PORTS_MAX);
    return 0;
}

int weir_switch_plan(struct weir_kernel_switch *sw, const struct weir_setup *setup, struct weir_err *err)
{
    struct plan p = { .sw = sw, .setup = setup, .err = err };
    int code = check_shape(&p);
    *sw = (struct weir_kernel_switch){ 0 };
    if (code != 0)
        return code;
    sw->keys.port_count = setup->topo.host_count;
    sw->keys.udp_port = setup->scn->deployed_config.udp_port;
    plan_links(&p);
    if ((code = plan_hosts(&p)) == 0)
        code = plan_features(&p);
    return code;
}
