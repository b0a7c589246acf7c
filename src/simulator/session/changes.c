/* src/simulator/session/changes.c - a program takes cables, switches and hosts down and up. Each change becomes events
 * of cables of one instant, as fabric.events do before a run (features/cables/expand.c). A change is given so early
 * that no node has decided anything yet that it concerns: a frame knows when it starts whether its cable will cut it
 * off. */
#include "core/math.h"
#include "session/session.h"
#include <stdlib.h>

/* ---- how early ---- */

/* Returns the largest frame of a run, with the telemetry that it may collect on its way. */
static uint64_t largest_frame(const struct weir_setup *setup)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < setup->law_count; k++) {
        const struct weir_framing *f = &setup->law[k].framing;
        bytes = weir_max_u64(bytes, weir_max_u64(weir_framing_wire(f, f->payload_bytes), f->ack_wire_bytes));
    }
    WEIR_ASSERT(bytes > 0);
    return 2 * bytes;
}

/* Returns the lowest rate that a link ever has. */
static uint64_t lowest_bps(const struct weir_model *m, uint32_t link)
{
    uint64_t bps = m->topo->link[link].rate_bps;
    for (uint32_t i = 0; i < m->rate_count; i++)
        if (m->rate[i].cable == link || m->rate[i].cable == m->topo->link[link].reverse)
            bps = weir_min_u64(bps, m->rate[i].bps);
    return bps;
}

/* Adds the time of a frame on its way to that by which switches may be ahead of hosts: a cable for each group. */
uint64_t session_lead_ps(const struct weir_setup *setup)
{
    const struct weir_model *m = &setup->model;
    uint64_t longest_ps = 0, way_ps = 0, bits = 8 * largest_frame(setup);
    for (uint32_t l = 0; l < m->topo->link_count; l++) {
        uint64_t wire_ps = weir_mul_div_u64(bits, WEIR_PS_PER_S, lowest_bps(m, l));
        longest_ps = weir_max_u64(longest_ps, m->topo->link[l].delay_ps);
        way_ps = weir_max_u64(way_ps, wire_ps + m->topo->link[l].delay_ps);
    }
    return (SIM_GROUPS - 1) * longest_ps + way_ps + m->late_ps + 1;
}

/* ---- what is changed ---- */

/* Finds the switch, host or cable of a name. link: UINT32_MAX = a node. @return 0, or a code */
static int find(struct weir_sim *sim, const char *name, uint32_t *link, uint32_t *node)
{
    const struct weir_topology *topo = &sim->setup->topo;
    *node = weir_topology_find_node(topo, name);
    *link = *node == UINT32_MAX ? weir_topology_find_link(topo, name) : UINT32_MAX;
    if (*link != UINT32_MAX)
        *link = weir_topology_cable(topo, *link);
    if (*link != UINT32_MAX || *node != UINT32_MAX)
        return 0;
    return session_fail(sim, WEIR_SIM_E_ARGUMENT,
                        "'leaf 0 - spine 1', 'spine 1' or 'host 3'; weir topology --cables has all names",
                        "no cable, switch or host has the name '%.80s'", name);
}

static int check_cuttable(struct weir_sim *sim, const char *name, uint32_t link)
{
    if (weir_model_is_cuttable(&sim->setup->model, link))
        return 0;
    return session_fail(sim, WEIR_SIM_E_ARGUMENT, "for example fabric: {cuttable: all}",
                        "%s: fabric.cuttable of the scenario does not say that this may go down", name);
}

/* Tests whether the cables of a part may be taken down, at this time. @return 0, or a code */
static int check_change(struct weir_sim *sim, const char *name, uint32_t link, uint32_t node, uint64_t at_ps)
{
    const struct weir_topology *topo = &sim->setup->topo;
    uint64_t floor_ps = sim->floor_ps + sim->lead_ps;
    int code = link != UINT32_MAX ? check_cuttable(sim, name, link) : 0;
    for (uint32_t c = 0; link == UINT32_MAX && c < topo->node[node].out_count && code == 0; c++)
        code = check_cuttable(sim, name, topo->node[node].first_out + c);
    if (code == 0 && at_ps >= sim->floor_ps && at_ps < floor_ps)
        code = session_fail(sim, WEIR_SIM_E_PAST, "weir_sim_floor() + weir_sim_lead() is the earliest time",
                            "%llu ps is too soon: frames that arrive before %llu ps may be on their way",
                            (unsigned long long)at_ps, (unsigned long long)floor_ps);
    if (code == 0)
        code = session_check_time(sim, at_ps, sim->floor_ps);
    if (code == 0 && at_ps < sim->changed_ps)
        code = session_fail(sim, WEIR_SIM_E_PAST, NULL,
                            "%llu ps: a change at %llu ps is given already, and changes are given in the order of time",
                            (unsigned long long)at_ps, (unsigned long long)sim->changed_ps);
    return code;
}

static bool part_room(struct weir_sim *sim)
{
    if (sim->cable == NULL)
        sim->cable = calloc(sim->setup->topo.link_count, sizeof(*sim->cable));
    if (sim->node == NULL)
        sim->node = calloc(sim->setup->topo.node_count, sizeof(*sim->node));
    return sim->cable != NULL && sim->node != NULL;
}

/* Returns the event of a cable: it is up unless it, or a node at one of its ends, is down. */
static struct weir_cable_event cable_now(const struct weir_sim *sim, uint32_t cable, uint64_t at_ps)
{
    const struct weir_link *l = &sim->setup->topo.link[cable];
    const struct session_part *part[3] = { &sim->cable[cable], &sim->node[l->src], &sim->node[l->dst] };
    struct weir_cable_event event = { .at_ps = at_ps, .link = cable, .up = true };
    for (uint32_t i = 0; i < 3; i++) {
        event.up &= !part[i]->is_down;
        event.flush |= part[i]->is_down && part[i]->flush_ps == at_ps;
    }
    return event;
}

/* Gives the engine the events of a part's cables. @return 0, or a code: the session has failed */
static int give_events(struct weir_sim *sim, uint32_t link, uint32_t node, uint64_t at_ps)
{
    const struct weir_topology *topo = &sim->setup->topo;
    uint32_t count = link != UINT32_MAX ? 1 : topo->node[node].out_count;
    struct weir_cable_event *event = calloc(count, sizeof(*event));
    struct weir_err err = { 0 };
    int code = event == NULL ? weir_fail_memory(&err) : 0;
    for (uint32_t c = 0; event != NULL && c < count; c++)
        event[c] = cable_now(sim, link != UINT32_MAX ? link : weir_topology_cable(topo, topo->node[node].first_out + c),
                             at_ps);
    if (code == 0)
        code = weir_sim_engine_change(sim->engine, event, count, &err);
    free(event);
    if (code == 0)
        return 0;
    sim->failed = true;
    return session_blame_run(sim, code, &err);
}

static int change(struct weir_sim *sim, const char *name, uint64_t at_ps, bool is_down, bool waits)
{
    uint32_t link = UINT32_MAX, node = UINT32_MAX;
    struct session_part *part;
    int code = session_check_run(sim);
    if (session_in_visit(sim))
        return session_fail(sim, WEIR_SIM_E_CALL, NULL, "a call-back cannot change the network");
    if (code == 0)
        code = find(sim, name, &link, &node);
    if (code == 0)
        code = check_change(sim, name, link, node, at_ps);
    if (code == 0 && waits && link == UINT32_MAX)
        code = session_fail(sim, WEIR_SIM_E_ARGUMENT, "cut its cables one by one",
                            "%s: what goes down as a whole has no queue in which packets could wait", name);
    if (code == 0 && !part_room(sim))
        code = session_fail(sim, WEIR_SIM_E_MEMORY, NULL, "not enough memory for a change of the network");
    if (code != 0)
        return code;
    part = link != UINT32_MAX ? &sim->cable[link] : &sim->node[node];
    part->is_down = is_down;
    if (is_down)
        part->flush_ps = waits ? WEIR_NEVER : at_ps;
    sim->changed_ps = at_ps;
    code = give_events(sim, link, node, at_ps);
    if (code == 0)
        session_record_call(sim->record,
                            !is_down ? WEIR_SESSION_MEND
                            : waits  ? WEIR_SESSION_HOLD
                                     : WEIR_SESSION_CUT,
                            &(struct weir_session_args){
                                .given = WEIR_SESSION_BIT(PART) | WEIR_SESSION_BIT(AT), .part = name, .at_ps = at_ps });
    return code;
}

int weir_sim_cut(struct weir_sim *sim, const char *name, uint64_t at_ps)
{
    return change(sim, name, at_ps, true, false);
}

int weir_sim_hold(struct weir_sim *sim, const char *cable, uint64_t at_ps)
{
    return change(sim, cable, at_ps, true, true);
}

int weir_sim_mend(struct weir_sim *sim, const char *name, uint64_t at_ps)
{
    return change(sim, name, at_ps, false, false);
}
