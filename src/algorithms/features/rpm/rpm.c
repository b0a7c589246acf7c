/* src/algorithms/features/rpm/rpm.c - RPM: keys, set-up, the hooks and the row. */
#include "core/feature.h"
#include "core/hook_coupled.h"
#include "features/rpm/rpm_core.h"

#define ENTRIES_MAX (1u << 24)
#define EXPIRY_MAX (100 * WEIR_PS_PER_S)

static const char *const modes[] = { "off", "on", NULL };
static const char *const cells[] = { [WEIR_RPM_PER_FLOW] = "flow", [WEIR_RPM_PER_PORT] = "port", NULL };
static const char *const counters[] = { [WEIR_RPM_8_BIT] = "8 bit", [WEIR_RPM_BIT] = "bit", NULL };

static const struct weir_param rpm_params[] = {
    WEIR_PARAM_CHOICE("mode", struct weir_rpm_config, mode, modes, 1,
                      "on: what would mark a packet is reported in the flow's next ACK instead; off: not even if a "
                      "preset says so"),
    WEIR_PARAM_CHOICE("cells", struct weir_rpm_config, cells, cells, WEIR_RPM_PER_FLOW,
                      "flow: events are counted by a hash of the flow; port: by port, and any ACK that comes back over "
                      "its cable may be marked"),
    WEIR_PARAM_U32(struct weir_rpm_config, entries, 1, ENTRIES_MAX, 65536,
                   "M, cells of a switch where they are of flows; flows that share one share its count"),
    WEIR_PARAM_NAMED("expiry", struct weir_rpm_config, expiry_ps, WEIR_KIND_TIME, 1, EXPIRY_MAX, WEIR_PS_PER_S,
                     "a cell is cleared when no ACK has come to it for so long"),
    WEIR_PARAM_CHOICE("counter", struct weir_rpm_config, counter, counters, WEIR_RPM_8_BIT,
                      "how many events a cell holds: 8 bit: 255, bit: one"),
    { 0 },
};

static const char *const per_flow[] = { "ecn.threshold: 20 KB", "rpm.mode: on", "rpm.entries: 64", NULL };
static const char *const per_port[] = { "codel.variant: p4", "codel.target: 5 us", "codel.interval: 20 us",
                                        "rpm.cells: port",   "rpm.expiry: 20 us",  NULL };
static const struct weir_preset rpm_examples[] = {
    { "flow", "a count for each flow, in place of marks at a threshold", per_flow },
    { "port", "a count for each port, with CoDel", per_port },
    { 0 },
};

static int rpm_setup(const void *config, const struct weir_fabric_env *env, void *model, struct weir_feature_plan *plan,
                     struct weir_err *err)
{
    const struct weir_rpm_config *cfg = config;
    struct weir_rpm_model *m = model;
    WEIR_ASSERT(cfg->entries > 0);
    WEIR_ASSERT(cfg->entries <= ENTRIES_MAX);
    WEIR_ASSERT(cfg->expiry_ps > 0);
    WEIR_ASSERT(cfg->expiry_ps <= EXPIRY_MAX);
    *m = (struct weir_rpm_model){ .expiry_ps = cfg->expiry_ps,
                                  .entries = cfg->cells == WEIR_RPM_PER_FLOW ? cfg->entries : 0,
                                  .count_max = cfg->counter == WEIR_RPM_BIT ? 1 : UINT8_MAX };
    plan->on = env->is_set && cfg->mode != 0;
    if (!plan->on)
        return 0;
    if (!env->receiver_driven && !env->has_ecn)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set another protocol.name, or leave host.ecn out",
                         "fabric: RPM needs a protocol with ECN, and %s has none here", env->protocol);
    plan->node_bytes = sizeof(struct weir_rpm_node) + (size_t)m->entries * sizeof(struct weir_rpm_cell);
    if (!weir_fabric_returns(env))
        plan->warning = env->nics_spread
                            ? "fabric.rpm: ACKs may leave by another NIC than their data came to, and then packets are "
                              "marked as without it; see features.rpm.forward, or set host.nics: flow-hash"
                            : "fabric.rpm: ACKs may take another way than their data, and then packets are marked as "
                              "without it; see features.rpm.forward, or set fabric.routing: symmetric";
    return 0;
}

static bool rpm_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    (void)here;
    return !port->from_host;
}

/* Returns the cell of a flow whose DATA goes from src to dst. here->port: the port at which the event happens, or by
 * whose cable the ACK came */
static struct weir_rpm_cell *cell_of(const struct weir_here *here, uint32_t src, uint32_t dst, uint32_t conn)
{
    const struct weir_rpm_model *m = here->model;
    struct weir_rpm_node *node = here->node;
    struct weir_rpm_port *port = here->port;
    return m->entries == 0 ? &port->cell : &node->cell[weir_rpm_index(src, dst, conn, m->entries)];
}

enum { RULE_EVENT };
static const struct weir_rule rpm_rules[] = {
    [RULE_EVENT] = { "event", "rpm.event", WEIR_FATE_UNMARKED, "RPM counts the event in place of the mark" }, { 0 }
};

static uint32_t rpm_on_mark(const struct weir_here *here, const struct weir_mark *mark)
{
    const struct weir_pkt *pkt = mark->pkt;
    struct weir_rpm_cell *cell = cell_of(here, pkt->src, pkt->dst, pkt->conn);
    return weir_rpm_event(here->model, cell, here->port, mark->now_ps) ? WEIR_TAKE | WEIR_RULE(RULE_EVENT) : 0;
}

static uint32_t rpm_on_arrive(const struct weir_here *here, const struct weir_pkt *pkt, uint64_t now_ps)
{
    struct weir_rpm_cell *cell = cell_of(here, pkt->dst, pkt->src, pkt->conn);
    return weir_rpm_ack(here->model, cell, here->port, now_ps) ? WEIR_ECHO : 0;
}

static void end_cell(const struct weir_rpm_model *m, struct weir_rpm_cell *cell, struct weir_rpm_port *counts,
                     uint64_t end_ps)
{
    WEIR_ASSERT(cell->new_events <= cell->count);
    WEIR_ASSERT(cell->count <= m->count_max);
    weir_rpm_expire(m, cell, counts, end_ps);
    counts->left += cell->count;
    *cell = (struct weir_rpm_cell){ 0 };
}

/* Ends the cell of the port. The call for a switch's first port also ends the cells of flows, which belong to the
 * switch. */
static void rpm_on_end(const struct weir_here *here, uint64_t end_ps)
{
    const struct weir_rpm_model *m = here->model;
    struct weir_rpm_node *node = here->node;
    struct weir_rpm_port *port = here->port;
    end_cell(m, &port->cell, port, end_ps);
    for (uint32_t i = 0; i < m->entries && !node->ended; i++)
        if (node->cell[i].count > 0)
            end_cell(m, &node->cell[i], port, end_ps);
    node->ended = true;
}

/* Checks whether all events are accounted for. @return NULL, or a sentence about the failed check */
static const char *rpm_broken(const struct weir_here *here, uint32_t ports)
{
    const struct weir_rpm_model *m = here->model;
    const struct weir_rpm_node *node = here->node;
    uint64_t events = 0, accounted = 0;
    for (uint32_t i = 0; i < ports; i++) {
        const struct weir_rpm_port *p = weir_port_state(here, i, sizeof(*p));
        events += p->events;
        accounted += p->marked + p->left + p->saturated + p->expired + p->forward + p->cell.count;
    }
    for (uint32_t i = 0; i < m->entries; i++)
        accounted += node->cell[i].count;
    return events == accounted ? NULL : "RPM: events are not marked ACKs + left + saturated + expired + marked forward";
}

static const struct weir_feature_counter rpm_counters[] = {
    WEIR_COUNTER(struct weir_rpm_port, events, "events", "congestion events"),
    WEIR_COUNTER(struct weir_rpm_port, marked, "marked", "ACKs marked"),
    WEIR_COUNTER(struct weir_rpm_port, forward, "forward", "packets marked forward"),
    WEIR_COUNTER(struct weir_rpm_port, saturated, "saturated", "lost in full cells"),
    WEIR_COUNTER(struct weir_rpm_port, expired, "expired", "expired"),
    WEIR_COUNTER(struct weir_rpm_port, left, "left", "left at the end"),
    { 0 },
};

const struct weir_feature weir_rpm_feature = {
    .name = "rpm",
    .title = "RPM",
    .hint = "reverse path congestion marking: sets ECE in an ACK that passes instead of CE in the packet",
    .source = "Baganal-Krishna et al., arXiv 2307.09639",
    .section = "rpm",
    .section_text =
        "RPM: congestion is reported in ACKs that pass the switch. `rpm: on` is short for `rpm: {mode: on}`.",
    .section_enables = true,
    .short_key = "mode",
    .params = rpm_params,
    .examples = rpm_examples,
    .config_bytes = sizeof(struct weir_rpm_config),
    .model_bytes = sizeof(struct weir_rpm_model),
    .setup = rpm_setup,
    .host_needs = WEIR_FEATURE_NEEDS_SENDERS,
    .needs_marks = true,
    .rules = rpm_rules,
    .when = WEIR_WHEN_COUPLED,
    .port_bytes = sizeof(struct weir_rpm_port),
    .node_bytes = sizeof(struct weir_rpm_node),
    .port_init = rpm_port_init,
    .counters = rpm_counters,
    .arrive_kinds = WEIR_PKT_KIND_BIT(WEIR_PKT_ACK),
    .on_arrive = rpm_on_arrive,
    .on_mark = rpm_on_mark,
    .on_end = rpm_on_end,
    .broken = rpm_broken,
};
