/* src/transport/driver/neigh.h - whose Ethernet address a datagram must carry: asks the kernel's routes and neighbour
 * table (rtnetlink), for drivers that go around the kernel. It only reads: what makes the kernel find a neighbour is a
 * datagram sent through it. */
#ifndef WEIR_DRIVER_NEIGH_H
#define WEIR_DRIVER_NEIGH_H
#include <stdint.h>

int weir_neigh_open(void); /* @return a descriptor, to be closed by close(); or a negative errno */
/**
 * The next hop to ip. Two system calls per question and answer, none of which waits.
 * @param device  index of the device that it must be behind
 * @return 0 and mac; -ENOENT: the kernel does not know it (yet); -ENETUNREACH: no route, or not through this device
 */
int weir_neigh_find(int fd, uint32_t device, const uint8_t ip[4], uint8_t mac[6]);
#endif
