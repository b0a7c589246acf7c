/* src/simulator/setup/sizes.h - the sizes of a workload's messages, each with its share of all messages. */
#ifndef WEIR_SETUP_SIZES_H
#define WEIR_SETUP_SIZES_H
#include "core/sizes.h"
#include "workload/workload.h"

struct weir_programs;

#define WEIR_SIZES_LISTED_MAX 65536u /* most listed messages and flows that count; of more, every k-th one */

/* Returns the sizes of a run's messages with their shares, which add up to about WEIR_SIZES_ONE. If the workload has
 * items of kind poisson, collectives or traces, only their messages count, in proportion to their expected number. In
 * an item's distribution the size of a point gets the probability between the point before it and itself, as published
 * simulators read distribution files. Without such items, messages of lists and flows of jobs count, all equally.
 * @param items  bit i = messages of item i count
 * @return *count entries, to be freed by the caller; NULL = no memory */
struct weir_size_share *weir_setup_sizes(const struct weir_workload *wl, const struct weir_programs *programs,
                                         uint32_t items, uint32_t *count);
#endif
