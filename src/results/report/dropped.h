/* src/results/report/dropped.h - says what was dropped or lost, how much of what was sent, and why. */
#ifndef WEIR_REPORT_DROPPED_H
#define WEIR_REPORT_DROPPED_H
#include "report/sections.h"

/* Writes a paragraph about the done runs of a group. It names the set of which most packets were dropped or lost, their
 * share of what links carried, and why. Then other sets with drops, and sets without any. Says so if nothing was
 * dropped. Writes nothing if no file has the number of drops. */
void weir_dropped_sentences(FILE *out, const struct weir_group *group);
#endif
