/* src/simulator/setup/traces.h - the traces of a scenario: read before its programs are built. */
#ifndef WEIR_SETUP_TRACES_H
#define WEIR_SETUP_TRACES_H
#include "setup/setup.h"

/* Reads the traces that traffic items name into s->graph. @return 0, or a code with err; weir_setup_free_traces() frees
 * what has been read in either case */
int weir_setup_traces(struct weir_setup *s, const struct weir_workload_limits *limits, struct weir_err *err);
/* Frees s->graph, which may be NULL, and sets it to NULL. */
void weir_setup_free_traces(struct weir_setup *s);
#endif
