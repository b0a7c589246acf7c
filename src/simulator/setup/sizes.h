/* src/simulator/setup/sizes.h - the sizes of a workload's messages as a list of weights. */
#ifndef WEIR_SETUP_SIZES_H
#define WEIR_SETUP_SIZES_H
#include "core/sizes.h"
#include "workload/workload.h"

#define WEIR_SIZES_LISTED_MAX 65536u /* of a list so many messages at most count, evenly spread over it */

/* Finds the sizes of a run's messages. Poisson items: the sizes of their distributions' points, each with the share
 * between the point before and it. So published simulators read such files. Items weigh as they send. Only without such
 * an item: messages of lists and flows of jobs.
 * @return count of them, to be freed by the caller; NULL = no memory */
struct weir_size_share *weir_setup_sizes(const struct weir_workload *wl, uint32_t *count);
#endif
