/* src/transport/driver/udp_name.h - names that say how the endpoints of a UDP port use it.
 *
 * Sockets with SO_REUSEPORT can join a port whatever the others there do. So each endpoint holds a name of its port: an
 * abstract address of a local socket in the network namespace. The kernel gives a name back when its holder ends,
 * however it ends. */
#ifndef WEIR_DRIVER_UDP_NAME_H
#define WEIR_DRIVER_UDP_NAME_H
#include "driver/net.h"

enum weir_udp_name {
    WEIR_UDP_NAME_ALONE,  /* the port is not shared; number 0 */
    WEIR_UDP_NAME_SPREAD, /* the kernel spreads datagrams by a hash; numbers below WEIR_NET_SHARDS */
    WEIR_UDP_NAME_SHARD,  /* a program steers datagrams to shards; numbers below WEIR_NET_SHARDS: the shard's */
};

/* Takes a name of a port. @return a descriptor, which holds the name until the caller closes it; or a negative errno:
 * -EADDRINUSE = another holds it */
int weir_udp_name_hold(const struct weir_net_addr *addr, enum weir_udp_name kind, uint32_t number);

/* Takes the name of the lowest free number. Sets *number, WEIR_NET_SHARDS if none is free. @return as
 * weir_udp_name_hold() */
int weir_udp_name_hold_any(const struct weir_net_addr *addr, enum weir_udp_name kind, uint32_t *number);

bool weir_udp_name_is_held(const struct weir_net_addr *addr, enum weir_udp_name kind, uint32_t number);

/* Returns the set of numbers whose names are held, as bits. */
uint64_t weir_udp_name_held(const struct weir_net_addr *addr, enum weir_udp_name kind);
#endif
