/* src/sim/coupled_diagnose.c - a stall explained: which ports are paused (have closed classes), and which wait for
 * each other in a cycle.
 * Port a waits for port b if three conditions hold. a is paused. The switch at a's other end paused it because of
 * packets that came from a. Such packets wait there in b, which is paused too. A cycle of such ports never moves
 * again. */
#include "sim/coupled.h"
#include <inttypes.h>
#include <stdlib.h>

static bool port_is_stuck(const struct sim_engine *e, uint32_t i)
{
    const struct sim_link *link = &e->link[i];
    uint32_t paused = link->control->closed;
    if (link->src < e->model->topo->host_count) /* what waits, waits in the host */
        return paused != 0;
    return link->waiting_classes != 0 && (link->waiting_classes & ~paused) == 0;
}

/* Is anything in port b that came by link a? */
static bool port_holds_of(const struct sim_engine *e, uint32_t a, uint32_t b)
{
    uint32_t in = e->model->topo->link[a].in_index;
    const struct sim_port *port = e->link[b].port;
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        for (uint32_t i = 0; i < port->waiting[c].count; i++)
            if (((const struct coupled_queued *)ring_at(&port->waiting[c], sizeof(struct coupled_queued), i))->in == in)
                return true;
    return false;
}

/* The port that a waits for; UINT32_MAX = none. */
static uint32_t port_waits_for(const struct sim_engine *e, uint32_t a, uint32_t after)
{
    const struct weir_topology *topo = e->model->topo;
    const struct weir_node *node = &topo->node[e->link[a].dst];
    uint32_t b = after == UINT32_MAX ? node->first_out : after + 1;
    if (e->link[a].dst < topo->host_count || !port_is_stuck(e, a))
        return UINT32_MAX;
    for (; b < node->first_out + node->out_count; b++)
        if (port_is_stuck(e, b) && port_holds_of(e, a, b))
            return b;
    return UINT32_MAX;
}

static void tell_port(const struct sim_engine *e, const char *before, uint32_t i, FILE *out)
{
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    weir_topology_node_name(e->model->topo, e->link[i].src, from, sizeof(from));
    weir_topology_node_name(e->model->topo, e->link[i].dst, to, sizeof(to));
    (void)fprintf(out, "%sport of %s to %s", before, from, to);
}

static void tell_circle(const struct sim_engine *e, const uint32_t *path, uint32_t first, uint32_t count, FILE *out)
{
    (void)fprintf(out, "  ports wait for each other in a circle:\n");
    for (uint32_t i = first; i < count; i++) {
        tell_port(e, "    ", path[i], out);
        (void)fprintf(out, ", paused since %" PRIu64 " ps\n", e->link[path[i]].control->closed_ps);
    }
}

struct circle_search {             /* depth first, without recursion */
    uint32_t *path, *next, *place; /* link_count each; place: 0 = not seen, UINT32_MAX = done, else index in path + 1 */
};

/* @return true if a cycle was found from here, and reported */
static bool circle_from(const struct sim_engine *e, struct circle_search *s, uint32_t from, FILE *out)
{
    uint32_t depth = 1;
    s->path[0] = from, s->next[0] = UINT32_MAX, s->place[from] = 1;
    while (depth > 0) {
        uint32_t at = s->path[depth - 1], b = port_waits_for(e, at, s->next[depth - 1]);
        s->next[depth - 1] = b;
        if (b == UINT32_MAX) {
            s->place[at] = UINT32_MAX;
            depth--;
        } else if (s->place[b] == 0) {
            s->path[depth] = b, s->next[depth] = UINT32_MAX;
            s->place[b] = ++depth;
        } else if (s->place[b] != UINT32_MAX) {
            tell_circle(e, s->path, s->place[b] - 1, depth, out);
            return true;
        }
    }
    return false;
}

static void diagnose_circle(const struct sim_engine *e, FILE *out)
{
    uint32_t links = e->model->topo->link_count;
    uint32_t *memory = calloc((size_t)links * 3, sizeof(*memory));
    struct circle_search s = { .path = memory, .next = memory + links, .place = memory + 2 * (size_t)links };
    bool found = false;
    for (uint32_t i = 0; memory != NULL && i < links && !found; i++)
        if (s.place[i] == 0)
            found = circle_from(e, &s, i, out);
    free(memory);
}

void weir_sim_coupled_diagnose(const struct sim_engine *e, FILE *out)
{
    enum { SHOWN = 10 };
    uint32_t paused = 0;
    if (!weir_features_have_control(&e->model->features))
        return;
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        if (e->link[i].control->closed == 0 || paused++ >= SHOWN)
            continue;
        tell_port(e, "  paused: ", i, out);
        (void)fprintf(out, ", %" PRIu32 " packets wait\n", e->link[i].waiting_pkts);
    }
    if (paused > 0)
        (void)fprintf(out, "  %" PRIu32 " ports are paused\n", paused);
    diagnose_circle(e, out);
}
