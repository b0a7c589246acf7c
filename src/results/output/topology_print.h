/* src/results/output/topology_print.h - the answers of `weir topology`: the audit as a table or JSON, the list of
 * cables, the drawing. */
#ifndef WEIR_OUTPUT_TOPOLOGY_PRINT_H
#define WEIR_OUTPUT_TOPOLOGY_PRINT_H
#include "setup/setup.h"
#include "text/format.h"
#include "topology/audit.h"
#include <stdio.h>

#define WEIR_DRAWING_SWITCHES_MAX 4096u
#define WEIR_DRAWING_HOSTS_MAX 512u /* more are one box for each first-hop switch */

struct weir_topology_answer {
    const char *file;
    const struct weir_setup *setup; /* by weir_setup_network() */
    const struct weir_audit *audit;
};

void weir_topology_print(FILE *out, const struct weir_topology_answer *answer);
void weir_topology_print_json(FILE *out, const struct weir_topology_answer *answer);
void weir_topology_schema(FILE *out); /* of that */

/* Prints a line for each cable, under a header: its name as fabric.events takes it, then rate and delay each way. */
void weir_topology_print_cables(FILE *out, const struct weir_topology *topo);

/* Prints a warning about what in the topology's file has no effect; nothing if all has. */
void weir_topology_warn(FILE *out, const struct weir_setup *setup);

/* Writes what the nodes of a tier are called in a table, as "leaf", and returns out. */
const char *weir_topology_tier_label(const struct weir_topology *topo, uint32_t tier, char out[WEIR_NODE_NAME]);

/* Returns down / up with two decimals: "4.00". */
struct weir_text weir_topology_ratio(uint64_t down_bps, uint64_t up_bps);

/**
 * Draws the network as SVG: hosts below, switches tier by tier above them, cables coloured by rate.
 * @return 0, or a code with err: too many switches to be readable, no memory
 */
int weir_topology_svg(FILE *out, const struct weir_topology_answer *answer, struct weir_err *err);
#endif
