/* src/simulator/engine/change.c - changes of the network by a program, while the run pauses: events of cables, which in
 * other runs are known before (nodes.c, engine.c). */
#include "coupled/coupled.h"
#include "engine/engine.h"
#include <stdlib.h>
#include <string.h>

/* Adds an event of its cable to a port. @return false = no memory */
static bool port_add(struct sim_thread *th, struct sim_port *port, const struct weir_cable_event *event)
{
    struct weir_cable_event *last = port->event_count > 0 ? &port->event[port->event_count - 1] : NULL;
    WEIR_ASSERT(last == NULL || last->at_ps <= event->at_ps);
    if (last != NULL && last->at_ps == event->at_ps) {
        WEIR_ASSERT(port->events_done < port->event_count);
        *last = *event;
        return true;
    }
    if (port->event_count == port->event_room) {
        uint32_t room = port->event_room == 0 ? 4 : 2 * port->event_room;
        struct weir_cable_event *larger = weir_arena_take(&th->arena, room * sizeof(*larger));
        if (larger == NULL)
            return false;
        if (port->event_count > 0)
            memcpy(larger, port->event, port->event_count * sizeof(*larger));
        port->event = larger;
        port->event_room = room;
    }
    port->event[port->event_count++] = *event;
    return true;
}

/* Makes a node due at an event of one of its cables: it may have nothing else to do then. */
static void wake(struct sim_engine *e, uint32_t node, uint64_t at_ps)
{
    uint32_t hosts = e->model->topo->host_count;
    if (node < hosts && e->host[node].pull) /* it may wait for a cable that nobody knew would be up again */
        e->host[node].nic_ps = weir_min_u64(e->host[node].nic_ps, at_ps);
    else if (node >= hosts && e->sw[node - hosts].coupled != NULL)
        weir_sim_coupled_cable(&e->sw[node - hosts], at_ps);
    sim_due_between(e, node, at_ps);
}

static bool link_change(struct sim_engine *e, uint32_t link, const struct weir_cable_event *event)
{
    uint32_t src = e->link[link].src;
    WEIR_ASSERT(weir_model_is_cuttable(e->model, link));
    WEIR_ASSERT(e->link[link].kind.cable && e->link[link].port != NULL);
    e->changed[link].up = event->up;
    wake(e, src, event->at_ps);
    return port_add(&e->thread[e->owner[src]], e->link[link].port, event);
}

/* Frees the routes that no thread uses any more, and makes room for one more table. All threads have crossed the same
 * boundaries. @return false = no memory */
static bool route_room(struct sim_engine *e)
{
    uint32_t used = (uint32_t)e->thread[0].next_route - 1;
    struct sim_reroute *larger;
    for (uint32_t i = 0; i < used; i++)
        weir_routes_free(&e->reroute[i].routes);
    memmove(e->reroute, e->reroute + used, (e->reroute_count - used) * sizeof(*e->reroute));
    e->reroute_count -= used;
    larger = realloc(e->reroute, (e->reroute_count + 1u) * sizeof(*larger));
    e->reroute = larger != NULL ? larger : e->reroute;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        WEIR_ASSERT(e->thread[t].next_route == used + 1u);
        e->thread[t].next_route = 1;
        e->thread[t].routes = &e->reroute[0].routes;
    }
    return larger != NULL;
}

/* Computes the routes over the cables that are up after a change, in force reroute_delay later. */
static int reroute(struct sim_engine *e, uint64_t event_ps, struct weir_err *err)
{
    const struct weir_model *m = e->model;
    uint64_t at_ps = event_ps + m->reroute_delay_ps;
    struct weir_topology topo = *m->topo;
    struct sim_reroute *next;
    topo.link = e->changed;
    if (!route_room(e))
        return weir_fail_memory(err);
    if (e->reroute_count > 1 && e->reroute[e->reroute_count - 1].at_ps == at_ps) /* another change of this instant */
        weir_routes_free(&e->reroute[--e->reroute_count].routes);
    next = &e->reroute[e->reroute_count];
    WEIR_ASSERT(e->reroute_count == 1 || e->reroute[e->reroute_count - 1].at_ps < at_ps);
    *next = (struct sim_reroute){ .at_ps = at_ps };
    int code = weir_routes_build(&next->routes, &topo, m->routing, m->metric, m->seed, err);
    e->reroute_count += code == 0;
    return code;
}

int weir_sim_engine_change(struct sim_engine *e, const struct weir_cable_event *event, uint32_t count,
                           struct weir_err *err)
{
    const struct weir_topology *topo = e->model->topo;
    WEIR_ASSERT(count > 0 && e->model->event_count == 0);
    if (e->changed == NULL) {
        e->changed = malloc(topo->link_count * sizeof(*e->changed));
        if (e->changed == NULL)
            return weir_fail_memory(err);
        memcpy(e->changed, topo->link, topo->link_count * sizeof(*e->changed));
    }
    for (uint32_t i = 0; i < count; i++)
        if (!link_change(e, event[i].link, &event[i]) || !link_change(e, topo->link[event[i].link].reverse, &event[i]))
            return weir_fail_memory(err);
    return reroute(e, event[0].at_ps, err);
}
