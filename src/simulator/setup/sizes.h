/* src/simulator/setup/sizes.h - the sizes of a workload's messages, each with its share of all messages. */
#ifndef WEIR_SETUP_SIZES_H
#define WEIR_SETUP_SIZES_H
#include "core/sizes.h"
#include "workload/workload.h"

#define WEIR_SIZES_LISTED_MAX 65536u /* largest number of listed messages that count; of more, evenly spaced ones */

/* Returns the sizes of a run's messages with their shares, which add up to about WEIR_SIZES_ONE.
 * With poisson items, only these count, by their expected number of messages. Each point of an item's size distribution
 * has the probability between the point before and itself, as published simulators read such files. Without such items,
 * messages of lists and flows of jobs count, all equally.
 * @return *count entries, to be freed by the caller; NULL = no memory */
struct weir_size_share *weir_setup_sizes(const struct weir_workload *wl, uint32_t *count);
#endif
