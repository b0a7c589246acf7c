/* src/simulator/session/given.h - what the calls of libweirsim share that take a scenario from another program. */
#ifndef WEIR_SESSION_GIVEN_H
#define WEIR_SESSION_GIVEN_H
#include "config/scenario.h"
#include <weir/sim.h>

/* Copies an error of other rooms. @return code */
int session_blame(struct weir_sim_error *to, int code, const struct weir_err *err);

/* Reads a scenario and its settings. name: for messages, NULL = "scenario"; set: "key=value", ends with NULL; NULL =
 * none. @return 0, then weir_scenario_free() frees it; or a code with err */
int session_parse(struct weir_scenario *scn, const char *name, const char *const *set, const char *text, size_t length,
                  struct weir_err *err);
#endif
