/* src/results/report/traffic.h - a short description of a run's traffic, from the text of its scenario. */
#ifndef WEIR_REPORT_TRAFFIC_H
#define WEIR_REPORT_TRAFFIC_H
#include <stddef.h>

/* Writes kind, sizes, fan-in, size, load and share of each traffic item: "poisson wkc 50%, incast 30 500 KB 7%". Keys
 * that an item does not have are left out. Reads the YAML that weir_scenario_dump() writes; other YAML may give a
 * shorter text. A text that does not fit ends with "...". size: 8 or more. scenario: NULL = "" */
void weir_traffic_text(char *out, size_t size, const char *scenario);
#endif
