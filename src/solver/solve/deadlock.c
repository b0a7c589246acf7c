/* src/solver/solve/deadlock.c - see deadlock.h. */
#include "solve/deadlock.h"
#include "core/cable.h"
#include "topology/cycle.h"
#include <stdlib.h>
#include <string.h>

/* Builds the routes of topo and searches them for a cycle. @return true if no further search is needed: a cycle was
 * found, *code is not 0, or the run itself will be refused */
static bool search_routes(const struct weir_setup *s, const struct weir_topology *topo, struct weir_deadlock *out,
                          int *code, struct weir_err *err)
{
    struct weir_routes routes;
    bool every_nic = s->model.nics != NULL && s->model.nics->choice == WEIR_NICS_RAIL;
    if (weir_route_goes_up_and_down(topo))
        return false;
    if (weir_routes_build(&routes, topo, s->model.routing, s->model.metric, s->model.seed, err) != 0)
        return true; /* the run will report it */
    *code = weir_route_cycle(&routes, topo, every_nic, out->link, WEIR_DEADLOCK_LINKS, &out->count, err);
    weir_routes_free(&routes);
    return *code != 0 || out->count > 0;
}

int weir_deadlock_find(const struct weir_setup *s, struct weir_deadlock *out, struct weir_err *err)
{
    const struct weir_model *m = &s->model;
    struct weir_topology topo = s->topo; /* a copy, to whose links the cable events are applied */
    bool over;
    int code = 0;
    *out = (struct weir_deadlock){ .count = 0 };
    if (m->features.lossless == 0)
        return 0;
    topo.link = malloc(topo.link_count * sizeof(*topo.link));
    if (topo.link == NULL)
        return 0; /* the run will report it */
    memcpy(topo.link, s->topo.link, topo.link_count * sizeof(*topo.link));
    over = search_routes(s, &topo, out, &code, err);
    for (uint32_t i = 0; i < m->event_count && !over; i++) {
        struct weir_link *link = &topo.link[m->event[i].link];
        link->up = topo.link[link->reverse].up = m->event[i].up;
        if (i + 1 < m->event_count && m->event[i + 1].at_ps == m->event[i].at_ps)
            continue;
        over = search_routes(s, &topo, out, &code, err);
        out->event = &m->event[i];
    }
    free(topo.link);
    return code;
}
