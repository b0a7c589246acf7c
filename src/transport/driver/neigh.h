/* src/transport/driver/neigh.h - finds the Ethernet address of the next hop to a destination, for drivers that bypass
 * the kernel. Reads the kernel's routes and neighbour table by rtnetlink. It never starts neighbour discovery: the
 * kernel does that when a datagram is sent through it. */
#ifndef WEIR_DRIVER_NEIGH_H
#define WEIR_DRIVER_NEIGH_H
#include <stdint.h>

/* Opens the rtnetlink socket for weir_neigh_find(). @return a descriptor, which the caller closes; or a negative
 * errno */
int weir_neigh_open(void);
/**
 * Finds the Ethernet address of the next hop to ip. Makes at most four system calls, none of which waits: a request and
 * its answer for the route, then for the neighbour.
 * @param fd      from weir_neigh_open()
 * @param device  index of the device that the route must use
 * @return 0 and mac; -ENOENT: the kernel does not know the address, or not yet; -ENETUNREACH: no route, or none over
 * this device to an IPv4 next hop
 */
int weir_neigh_find(int fd, uint32_t device, const uint8_t ip[4], uint8_t mac[6]);
#endif
