/* src/scenario/program/placement.h - orders of hosts, in which ranks are placed. For this room. */
#ifndef WEIR_PROGRAM_PLACEMENT_H
#define WEIR_PROGRAM_PLACEMENT_H
#include "program/program.h"

/* Orders hosts from server to server. Next to each other are hosts of the next server: for RAIL_ALIGNED those with the
 * same number in their server, for SPREAD those with the next one.
 * @param placement  WEIR_PLACEMENT_SPREAD or WEIR_PLACEMENT_RAIL_ALIGNED
 * @param at         `count` hosts, ascending; gets them in that order
 * @return 0, or WEIR_E_CONFLICT (there are no rails) or WEIR_E_MEMORY with err */
int weir_placement_order(uint32_t placement, const struct weir_programs_from *from, uint32_t count, uint32_t *at,
                         struct weir_err *err);

/* Reads the hosts of ranks from a file, one in each row.
 * @param at  gets `ranks` hosts, all different
 * @return 0, or a code with err: another number of rows, a wrong host, a host twice, or a file that cannot be read */
int weir_placement_read(const char *file, const struct weir_programs_from *from, uint32_t ranks, uint32_t *at,
                        struct weir_err *err);
#endif
