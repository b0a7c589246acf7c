/* src/fabric/pfc.h - who waits for whom when nothing moves any more. */
#ifndef WEIR_FABRIC_PFC_H
#define WEIR_FABRIC_PFC_H
#include <stdbool.h>
#include <stdint.h>

/* A paused port waits for the ports, at the other end of its link, that hold what came by it in the paused class. */
struct weir_pfc_wait {
    uint32_t port, for_port; /* link ids, below port_count */
};

/**
 * Finds ports that wait for each other in a circle (a cyclic buffer dependency), if there are any.
 * @param wait   count of them, in any order
 * @param stuck  port_count entries of the caller's; afterwards true where a port waits for a circle, or is in one
 * @param cycle  max entries: the ports in order, each waiting for the next and the last for the first, beginning with the lowest of them
 * @return how many ports the circle has, even if more than max; 0 = none. Of several, the one that the lowest stuck port leads to
 */
uint32_t weir_pfc_cycle(const struct weir_pfc_wait *wait, uint32_t count, uint32_t port_count, bool *stuck,
                        uint32_t *cycle, uint32_t max);
#endif
