/* src/cli/deadlock.c - see deadlock.h. */
#include "cli/deadlock.h"
#include "cli/format.h"
#include "topology/cycle.h"
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 16 }; /* links of a cycle */

static void print_cycle(const struct weir_topology *topo, const uint32_t *cycle, uint32_t count, FILE *out)
{
    char name[WEIR_LINK_NAME];
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        weir_topology_link_name(topo, cycle[i], name, sizeof(name));
        (void)fprintf(out, "%s%s", i > 0 ? ", " : "", name);
    }
    if (count > SHOWN)
        (void)fprintf(out, " and %u more", (unsigned)(count - SHOWN));
}

/* event: after which the routes are those; NULL = before any. @return true if something was said */
static bool warn_of_routes(const struct weir_setup *s, const struct weir_topology *topo,
                           const struct weir_cable_event *event, FILE *out)
{
    struct weir_routes routes;
    struct weir_err err;
    uint32_t cycle[SHOWN], count = 0;
    int code;
    if (weir_route_goes_up_and_down(topo))
        return false;
    code = weir_routes_build(&routes, topo, s->model.routing, s->model.metric, s->model.seed, &err);
    if (code != 0)
        return true; /* the run will say so */
    code = weir_route_cycle(&routes, topo, cycle, SHOWN, &count, &err);
    weir_routes_free(&routes);
    if (code != 0) {
        (void)fprintf(out, "weir: %s\n", err.text);
        return true;
    }
    if (count == 0)
        return false;
    (void)fprintf(out, "weir: cyclic buffer dependency: PFC may stop these links for good, each waiting for the next");
    if (event != NULL)
        (void)fprintf(out, ", with the routes from %s on",
                      weir_format_ps(event->at_ps + s->model.reroute_delay_ps).text);
    (void)fputs(": ", out);
    print_cycle(topo, cycle, count, out);
    (void)fputc('\n', out);
    return true;
}

void weir_deadlock_warn(const struct weir_setup *s, FILE *out)
{
    const struct weir_model *m = &s->model;
    struct weir_topology topo = s->topo; /* its own links, which go down and come up */
    bool said;
    if (m->features.lossless == 0)
        return;
    topo.link = malloc(topo.link_count * sizeof(*topo.link));
    if (topo.link == NULL)
        return; /* the run will say so */
    memcpy(topo.link, s->topo.link, topo.link_count * sizeof(*topo.link));
    said = warn_of_routes(s, &topo, NULL, out);
    for (uint32_t i = 0; i < m->event_count && !said; i++) {
        struct weir_link *link = &topo.link[m->event[i].link];
        link->up = topo.link[link->reverse].up = m->event[i].up;
        if (i + 1 == m->event_count || m->event[i + 1].at_ps != m->event[i].at_ps)
            said = warn_of_routes(s, &topo, &m->event[i], out);
    }
    free(topo.link);
}
