/* src/scenario/config/dump.h - a scenario back as text: every key with the value it came to have, wherever that was
 * set. */
#ifndef WEIR_CONFIG_DUMP_H
#define WEIR_CONFIG_DUMP_H
#include "config/scenario.h"
#include <stdio.h>

/**
 * Writes YAML that weir_scenario_parse() reads to the same scenario. A size given in BDP has its bytes behind it as a
 * comment. Left out: what was never given and has no default, and what the kind of topology or traffic does not use.
 * @param scn  its BDP sizes resolved
 */
void weir_scenario_dump(FILE *out, const struct weir_scenario *scn);
#endif
