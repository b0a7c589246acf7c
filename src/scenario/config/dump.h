/* src/scenario/config/dump.h - writes a scenario as text: every key with its final value, whether from a default, a
 * preset, the file or an override. */
#ifndef WEIR_CONFIG_DUMP_H
#define WEIR_CONFIG_DUMP_H
#include "config/scenario.h"
#include <stdio.h>

/**
 * Writes YAML that weir_scenario_parse() reads to the same scenario. Behind a size given in BDP its bytes follow as a
 * comment. Keys that are not set and have no default are left out, and so are keys that the kind of topology
 * or traffic does not use.
 * @param scn  a scenario after weir_scenario_resolve()
 */
void weir_scenario_dump(FILE *out, const struct weir_scenario *scn);
#endif
