/* src/commands/soft/hosts.h - where the hosts of a scenario are, by its section `switch`. */
#ifndef WEIR_SOFT_HOSTS_H
#define WEIR_SOFT_HOSTS_H
#include "mapping/mapping.h"
#include "setup/setup.h"
#include <net/if.h>

struct weir_soft_site {
    char host[32];                       /* its name */
    char device[IF_NAMESIZE];            /* "" = the section names none */
    struct weir_mapping_address address; /* version 0 = it has none */
};

/**
 * Fills one site per host.
 * @param may_be_made  for a switch in user space: without `ports` and `addresses` no host has either, and addresses may
 *                     be of IPv6. Else each host has a device, and all have an address or none has
 * @return 0, or a code with err
 */
int weir_soft_hosts(struct weir_soft_site *site, const struct weir_setup *setup, bool may_be_made,
                    struct weir_err *err);
#endif
