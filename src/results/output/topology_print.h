/* src/results/output/topology_print.h - prints the results of `weir topology`: the audit of a network as a table or as
 * JSON, the list of cables, and the drawing. */
#ifndef WEIR_OUTPUT_TOPOLOGY_PRINT_H
#define WEIR_OUTPUT_TOPOLOGY_PRINT_H
#include "setup/setup.h"
#include "text/format.h"
#include "topology/audit.h"
#include <stdio.h>

#define WEIR_DRAWING_SWITCHES_MAX 4096u
/* Most hosts of a drawing that shows each host. If there are more, the hosts of a first-hop switch are drawn as one
 * box. */
#define WEIR_DRAWING_HOSTS_MAX 512u

struct weir_topology_answer {       /* the result of `weir topology`; all is lent */
    const char *file;               /* as the user named it */
    const struct weir_setup *setup; /* by weir_setup_network() */
    const struct weir_audit *audit;
};

/* Prints the audit as a table. */
void weir_topology_print(FILE *out, const struct weir_topology_answer *answer);
/* Prints the audit as a JSON object. */
void weir_topology_print_json(FILE *out, const struct weir_topology_answer *answer);
/* Prints the JSON Schema of the object that weir_topology_print_json() prints. */
void weir_topology_schema(FILE *out);

/* Prints a header and a line for each cable: its name as in fabric.events, then rate and delay of each direction. */
void weir_topology_print_cables(FILE *out, const struct weir_topology *topo);

/* Prints a warning if a part of the topology's file has no effect (topo.note); else nothing. */
void weir_topology_warn(FILE *out, const struct weir_setup *setup);

/* Writes the name of a tier as tables show it, such as "leaf", to out. Returns out. */
const char *weir_topology_tier_label(const struct weir_topology *topo, uint32_t tier, char out[WEIR_NODE_NAME]);

/* Returns down_bps / up_bps, rounded to two decimals: "4.00". up_bps must not be 0. */
struct weir_text weir_topology_ratio(uint64_t down_bps, uint64_t up_bps);

/**
 * Draws the network as SVG: hosts at the bottom, switches tier by tier above them, cables coloured by rate.
 * @return 0, or with err: WEIR_E_RANGE = more than WEIR_DRAWING_SWITCHES_MAX switches, WEIR_E_MEMORY
 */
int weir_topology_svg(FILE *out, const struct weir_topology_answer *answer, struct weir_err *err);
#endif
