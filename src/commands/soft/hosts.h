/* src/commands/soft/hosts.h - hosts of a switch that are network namespaces of this machine, which the switch makes:
 * weir-h0, weir-h1, .. Each has a device eth0 with an address, 10.77.0.1 and so on. Its other end, weirs0, .., is the
 * switch's port. Their offloads are off: a switch of real frames must be given frames. */
#ifndef WEIR_SOFT_HOSTS_H
#define WEIR_SOFT_HOSTS_H
#include "core/err.h"
#include <stdint.h>

#define WEIR_SOFT_DEVICE 16u

/* Makes the namespaces, and devices in the caller's. After an error all is as before. device: gets the name of each
 * host's port. @return 0, or WEIR_E_CONFLICT (one of the names is taken) or WEIR_E_RUN with err */
int weir_soft_hosts_make(uint32_t hosts, char (*device)[WEIR_SOFT_DEVICE], struct weir_err *err);

/* Removes all namespaces and devices of these names. @return how many there were */
uint32_t weir_soft_hosts_remove(void);

/* Writes the address of a host, as a number in host byte order. */
uint32_t weir_soft_host_address(uint32_t host);
#endif
