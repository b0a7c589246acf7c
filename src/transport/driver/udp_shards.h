/* src/transport/driver/udp_shards.h - an endpoint's place among those that share its port. Without a program the kernel
 * spreads datagrams over their sockets by a hash; with one it steers them (udp_steer.h). See doc/endpoint.md. */
#ifndef WEIR_DRIVER_UDP_SHARDS_H
#define WEIR_DRIVER_UDP_SHARDS_H
#include "driver/udp_name.h"
#include "driver/udp_steer.h"

struct weir_udp_shards {        /* one endpoint */
    int name_fd;                /* holds the endpoint's name; -1 = none */
    int table[WEIR_UDP_TABLES]; /* -1 = none: the port is not steered */
    uint32_t number;            /* of the shard */
    struct weir_net_addr local; /* of the port */
    char folder[160];           /* of the names of the tables; "" = none */
};

/* Sets a struct to nothing, which weir_udp_shards_close() takes. */
void weir_udp_shards_none(struct weir_udp_shards *s);

/**
 * Takes a place among the endpoints of a port.
 * @param fd     a bound socket of the port, which the shard has for peers
 * @param local  its address and port
 * @param steer  false = the kernel spreads datagrams by a hash
 * @return 0; or a negative errno with a sentence in err. The caller calls weir_udp_shards_close() in any case
 */
int weir_udp_shards_open(struct weir_udp_shards *s, int fd, const struct weir_net_addr *local, bool steer,
                         struct weir_err *err);

/* Makes a socket the one that the shard has for strangers. @return 0, or a negative errno */
int weir_udp_shards_guard(struct weir_udp_shards *s, int fd);

/* Sets the valid tags of the shard. @return 0, or a negative errno */
int weir_udp_shards_tags(struct weir_udp_shards *s, uint16_t tag, uint16_t last);

/* Gives the place back, before the sockets are closed: a name without sockets would be of another file system. The last
 * shard of a port removes the names of the tables. */
void weir_udp_shards_close(struct weir_udp_shards *s);
#endif
