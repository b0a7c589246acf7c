/* src/fabric/pfc.c - circles among waiting ports: what waits for nothing that waits is taken away until nothing changes. Square in the
 * number of ports at worst, once, when a run has come to a stop. */
#include "fabric/pfc.h"

#define NO_PORT UINT32_MAX

/* The lowest stuck port that this one waits for; NO_PORT = none. */
static uint32_t waits_for(const struct weir_pfc_wait *wait, uint32_t count, const bool *stuck, uint32_t port)
{
    uint32_t lowest = NO_PORT;
    for (uint32_t i = 0; i < count; i++)
        if (wait[i].port == port && stuck[wait[i].for_port] && wait[i].for_port < lowest)
            lowest = wait[i].for_port;
    return lowest;
}

/* @return whether any was */
static bool free_those_that_can_move(const struct weir_pfc_wait *wait, uint32_t count, uint32_t port_count, bool *stuck)
{
    bool any = false;
    for (uint32_t p = 0; p < port_count; p++) {
        if (stuck[p] && waits_for(wait, count, stuck, p) == NO_PORT) {
            stuck[p] = false;
            any = true;
        }
    }
    return any;
}

uint32_t weir_pfc_cycle(const struct weir_pfc_wait *wait, uint32_t count, uint32_t port_count, bool *stuck,
                        uint32_t *cycle, uint32_t max)
{
    uint32_t first = 0, lowest, length = 0, p;
    for (p = 0; p < port_count; p++)
        stuck[p] = false;
    for (uint32_t i = 0; i < count; i++)
        stuck[wait[i].port] = true;
    while (free_those_that_can_move(wait, count, port_count, stuck))
        continue;
    while (first < port_count && !stuck[first])
        first++;
    if (first == port_count)
        return 0;
    for (uint32_t i = 0; i < port_count; i++) /* after so many steps we are on the circle */
        first = waits_for(wait, count, stuck, first);
    lowest = first;
    for (p = waits_for(wait, count, stuck, first); p != first; p = waits_for(wait, count, stuck, p))
        lowest = p < lowest ? p : lowest;
    p = lowest;
    do {
        if (length < max)
            cycle[length] = p;
        length++;
        p = waits_for(wait, count, stuck, p);
    } while (p != lowest);
    return length;
}
