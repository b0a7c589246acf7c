/* src/simulator/setup/traces.h - the traces of a scenario: read before its programs are built. */
#ifndef WEIR_SETUP_TRACES_H
#define WEIR_SETUP_TRACES_H
#include "config/scenario.h"
#include "workload/ranks.h"

/* Reads the traces that traffic items name. graph: gets an array with an entry for each item, or NULL if none names a
 * trace. @return 0, or a code with err; weir_setup_free_traces() frees what has been read in either case */
int weir_setup_traces(struct weir_ranks **graph, const struct weir_scenario *scn,
                      const struct weir_workload_limits *limits, struct weir_err *err);
/* Frees an array of weir_setup_traces(), which may be NULL, and sets it to NULL. */
void weir_setup_free_traces(struct weir_ranks **graph);
#endif
