/* src/commands/cli/switch_places.h - the section `switch` of a scenario: where the hosts of a switch of real frames are. */
#ifndef WEIR_CLI_SWITCH_PLACES_H
#define WEIR_CLI_SWITCH_PLACES_H
#include "setup/setup.h"

#define WEIR_PLACE_DEVICE 16u

struct weir_place {                 /* of one host */
    char device[WEIR_PLACE_DEVICE]; /* network device of this machine that leads to it */
    struct weir_tok where_address;  /* where the scenario gives the address */
    uint8_t address[16];            /* network byte order; of IPv4 the first four, the others 0 */
    uint8_t version;                /* of IP: 4 or 6; 0 = no address is given */
};

/**
 * Reads the maps `ports` and `addresses`.
 * @param place  one per host of the topology
 * @return 0, or a code with err: the section is missing, a host has no device, some hosts have an address and some have
 * none, two have the same, or a name or address is none
 */
int weir_places_read(struct weir_place *place, const struct weir_setup *setup, struct weir_err *err);
#endif
