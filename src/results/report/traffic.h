/* src/results/report/traffic.h - a short description of a run's traffic, from the text of its scenario. */
#ifndef WEIR_REPORT_TRAFFIC_H
#define WEIR_REPORT_TRAFFIC_H
#include <stddef.h>

/* Writes "poisson wkc 50%, incast 30 500 KB 7%": of each item its kind, sizes and share. Not a parser: what the
 * scenario's writer made of it is understood, anything else gives less. out ends with "..." if it is full. size >= 8 */
void weir_traffic_text(char *out, size_t size, const char *scenario);
#endif
