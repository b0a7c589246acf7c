/* test/unit/output/topology_rig.h - a scenario's network with its audit, and what is printed of it. */
#ifndef WEIR_TEST_TOPOLOGY_RIG_H
#define WEIR_TEST_TOPOLOGY_RIG_H
#include "test/unit/refusal.h"
#include "output/topology_print.h"
#include <stdlib.h>
#include <string.h>

struct topology_rig {
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_audit audit;
    struct weir_topology_answer answer;
    char *text; /* what was printed last */
};

static struct topology_rig *rig;

static inline int rig_free(void **state)
{
    (void)state;
    if (rig == NULL)
        return 0;
    weir_setup_free(&rig->setup);
    weir_scenario_free(&rig->scn);
    free(rig->text);
    free(rig);
    rig = NULL;
    return 0;
}

static inline void rig_load(const char *topology)
{
    char scenario[600];
    struct weir_routes routes;
    struct weir_err err;
    rig = calloc(1, sizeof(*rig));
    assert_non_null(rig);
    (void)snprintf(scenario, sizeof(scenario),
                   "topology: {%s}\nprotocol: dctcp\ntraffic: [{kind: permutation, size: 1 B}]\n", topology);
    if (weir_scenario_parse(&rig->scn, "s.yaml", scenario, strlen(scenario), NULL, 0, &err) != 0 ||
        weir_setup_network(&rig->setup, &rig->scn, &err) != 0 ||
        weir_routes_build(&routes, &rig->setup.topo, WEIR_ROUTE_ECMP, WEIR_METRIC_HOPS, 0, &err) != 0 ||
        weir_audit(&rig->audit, &rig->setup.topo, &routes, &err) != 0)
        fail_msg("%s", err.text);
    weir_routes_free(&routes);
    rig->answer = (struct weir_topology_answer){ .file = "a<b>.yaml", .setup = &rig->setup, .audit = &rig->audit };
}

static inline FILE *rig_open(size_t *size)
{
    FILE *memory;
    free(rig->text);
    rig->text = NULL;
    memory = open_memstream(&rig->text, size);
    assert_non_null(memory);
    return memory;
}

static inline uint32_t rig_count(const char *what)
{
    uint32_t count = 0;
    for (const char *at = rig->text; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

static inline void rig_says(const char *what)
{
    if (strstr(rig->text, what) == NULL)
        fail_msg("no '%s' in: %s", what, rig->text);
}
#endif
