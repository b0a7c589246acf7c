/* src/scenario/topology/graph.c - checks whether a graph is a network, and builds its topology. */
#include "topology/graph.h"
#include "core/parts.h"
#include "core/utf8.h"
#include "topology/plan.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct check {
    const struct weir_graph *graph;
    const struct weir_graph_where *where;
    struct weir_err *err;
    uint32_t *cables; /* cables of each node so far */
    uint32_t *part;   /* of each node: core/parts.h */
};

const char *weir_graph_name_flaw(const char *name)
{
    static const char *const separators[] = { " - ", " > ", " #", ".." };
    size_t length = strlen(name);
    if (length == 0 || length >= WEIR_NODE_NAME)
        return "a name has 1 to 31 bytes";
    if (name[0] == ' ' || name[length - 1] == ' ')
        return "a name neither begins nor ends with a blank";
    for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]); i++)
        if (strstr(name, separators[i]) != NULL)
            return "' - ', ' > ', ' #' and '..' stand between names, not in them";
    while (*name != '\0' && !weir_is_control(*name))
        name++;
    return *name != '\0' ? "a name has no control characters" : NULL;
}
_Static_assert(WEIR_NODE_NAME == 32, "weir_graph_name_flaw() says so");

/* --- how many --- */

static int check_counts(const struct check *c)
{
    const struct weir_graph *g = c->graph;
    if (g->host_count < 2)
        return weir_fail(c->err, WEIR_E_RANGE, c->where->all, "for example hosts: [h0, h1] or hosts: [h0..h15]",
                         "hosts: %" PRIu32 " of them: a network needs at least 2", g->host_count);
    if (g->host_count > WEIR_HOSTS_MAX)
        return weir_fail(c->err, WEIR_E_RANGE, c->where->all, NULL, "hosts: %" PRIu32 " of them: at most %u",
                         g->host_count, WEIR_HOSTS_MAX);
    if (g->switch_count > WEIR_GRAPH_SWITCHES_MAX)
        return weir_fail(c->err, WEIR_E_RANGE, c->where->all, NULL, "switches: %" PRIu32 " of them: at most %u",
                         g->switch_count, WEIR_GRAPH_SWITCHES_MAX);
    if (g->cable_count > WEIR_CABLES_MAX)
        return weir_fail(c->err, WEIR_E_RANGE, c->where->all, NULL, "cables: %" PRIu32 " of them: at most %u",
                         g->cable_count, WEIR_CABLES_MAX);
    return 0;
}

/* --- each cable, each host --- */

static bool is_host(const struct weir_graph *g, uint32_t node)
{
    return node < g->host_count;
}

static int count_end(struct check *c, uint32_t node, uint32_t i)
{
    const struct weir_graph *g = c->graph;
    c->cables[node]++;
    if (is_host(g, node) && c->cables[node] > WEIR_NICS_MAX)
        return weir_fail(c->err, WEIR_E_CONFLICT, &c->where->cable[i], "a host has a NIC for each of its cables",
                         "host %s has more than %u cables", g->name[node], WEIR_NICS_MAX);
    if (c->cables[node] > WEIR_PORTS_MAX)
        return weir_fail(c->err, WEIR_E_RANGE, &c->where->cable[i], NULL, "switch %s has more than %u cables",
                         g->name[node], WEIR_PORTS_MAX);
    return 0;
}

static int check_cable(struct check *c, uint32_t i)
{
    const struct weir_graph *g = c->graph;
    const struct weir_cable *cable = &g->cable[i];
    int code;
    if (cable->a == cable->b)
        return weir_fail(c->err, WEIR_E_CONFLICT, &c->where->cable[i], NULL, "a cable joins %s to itself",
                         g->name[cable->a]);
    code = count_end(c, cable->a, i);
    return code != 0 ? code : count_end(c, cable->b, i);
}

static int check_hosts(const struct check *c)
{
    for (uint32_t h = 0; h < c->graph->host_count; h++)
        if (c->cables[h] == 0)
            return weir_fail(c->err, WEIR_E_CONFLICT, &c->where->node[h], NULL, "host %s has no cable",
                             c->graph->name[h]);
    return 0;
}

/* --- the whole --- */

static int check_joined(struct check *c)
{
    const struct weir_graph *g = c->graph;
    uint32_t nodes = g->host_count + g->switch_count;
    for (uint32_t n = 0; n < nodes; n++)
        c->part[n] = n;
    for (uint32_t i = 0; i < g->cable_count; i++)
        weir_part_join(c->part, g->cable[i].a, g->cable[i].b);
    for (uint32_t n = 1; n < nodes; n++)
        if (weir_part_of(c->part, n) != 0)
            return weir_fail(c->err, WEIR_E_CONFLICT, &c->where->node[n], "a cable is missing between the two parts",
                             "no cables lead from host %s to %s %s", g->name[0], is_host(g, n) ? "host" : "switch",
                             g->name[n]);
    return 0;
}

static int check_all(struct check *c)
{
    int code = 0;
    for (uint32_t i = 0; i < c->graph->cable_count && code == 0; i++)
        code = check_cable(c, i);
    if (code == 0)
        code = check_hosts(c);
    return code != 0 ? code : check_joined(c);
}

int weir_graph_check(const struct weir_graph *graph, const struct weir_graph_where *where, struct weir_err *err)
{
    struct check c = { .graph = graph, .where = where, .err = err };
    int code = check_counts(&c);
    if (code != 0)
        return code;
    c.cables = calloc(2 * ((size_t)graph->host_count + graph->switch_count), sizeof(*c.cables));
    if (c.cables == NULL)
        return weir_fail_memory(err);
    c.part = c.cables + graph->host_count + graph->switch_count;
    code = check_all(&c);
    free(c.cables);
    return code;
}

/* --- building --- */

int weir_graph_build(struct weir_topology *topo, const struct weir_graph *graph, struct weir_err *err)
{
    const struct weir_plan plan = { .shape = { { graph->host_count, graph->switch_count }, graph->cable_count },
                                    .cable = graph->cable,
                                    .laid = graph->cable_count };
    int code = weir_topology_index(topo, &plan, err);
    if (code != 0)
        return code;
    topo->name = calloc(topo->node_count, sizeof(*topo->name));
    if (topo->name == NULL) {
        weir_topology_free(topo);
        return weir_fail_memory(err);
    }
    memcpy(topo->name, graph->name, topo->node_count * sizeof(*topo->name));
    return 0;
}
