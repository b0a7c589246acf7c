/* src/commands/cli/switch_hosts.h - the section `switch` of a scenario: where the hosts of a switch are. */
#ifndef WEIR_CLI_SWITCH_HOSTS_H
#define WEIR_CLI_SWITCH_HOSTS_H
#include "setup/setup.h"

#define WEIR_DEPLOYED_DEVICE 16u

struct weir_deployed {                 /* of one host */
    char device[WEIR_DEPLOYED_DEVICE]; /* network device of this machine that leads to it */
    struct weir_tok where_address;     /* where the scenario gives the address */
    uint8_t address[16];               /* network byte order; of IPv4 the first four, the others 0 */
    uint8_t version;                   /* of IP: 4 or 6; 0 = no address is given */
};

/**
 * Reads the maps `ports` and `addresses`.
 * @param host  one per host of the topology
 * @return 0, or a code with err. The section is missing, or a host has no device. Some hosts have an address and some
 * have none, or two have the same. A name or an address is none.
 */
int weir_deployed_read(struct weir_deployed *host, const struct weir_setup *setup, struct weir_err *err);
#endif
