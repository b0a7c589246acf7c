/* src/transport/driver/udp_steer.h - the program in the kernel that gives each datagram of a port to the shard that it
 * belongs to, and the two tables that it reads. Privileged: CAP_BPF. By the system call alone, without libbpf.
 *
 * A shard is one of up to WEIR_NET_SHARDS endpoints of a port. The high bits of its tags, and of the cookies that it
 * gives, are its number. Each shard has two sockets, as an endpoint alone has: for peers and for strangers.
 *
 * A datagram with a valid tag of a shard goes to that shard's socket for peers. One with another tag, as an expired
 * one, goes to the socket for strangers of the shard that the tag names. An OPEN goes to that of the shard that its
 * cookie names. For a HELLO, for all others, and where there is no such shard, the hash of the addresses chooses one.
 *
 * A socket leaves the table of sockets by itself when it is closed, so nothing else lists which shards there are. */
#ifndef WEIR_DRIVER_UDP_STEER_H
#define WEIR_DRIVER_UDP_STEER_H
#include "driver/net.h"

/* A table in the kernel. */
enum weir_udp_table {
    WEIR_UDP_SOCKETS, /* two of each shard: see weir_udp_steer_put() */
    WEIR_UDP_TAGS,    /* the valid tags of each shard */
    WEIR_UDP_TABLES
};

/* Makes a table. @return a descriptor, or a negative errno; -EPERM = not allowed */
int weir_udp_steer_make(enum weir_udp_table which);
/* Tests whether the map of a descriptor is such a table. */
bool weir_udp_steer_is(int map, enum weir_udp_table which);
/* Gives a table a name in a BPF file system. @return 0, or a negative errno; -EEXIST = the name is taken */
int weir_udp_steer_pin(int map, const char *path);
/* Opens a table by its name. @return a descriptor, or a negative errno */
int weir_udp_steer_get(const char *path);

/* Attaches the program to the port of a socket, in place of the one that it has; no datagram is lost.
 * @param table  descriptors of both tables
 * @param most   the largest number of a shard that there is
 * @return 0, or a negative errno */
int weir_udp_steer_attach(int fd, const int table[WEIR_UDP_TABLES], uint32_t most);

/* Makes a socket the one of a shard, in place of any that it had. @return 0, or a negative errno */
int weir_udp_steer_put(int sockets, uint32_t shard, bool strangers, int fd);
/* Tests whether a shard has a socket for peers. */
bool weir_udp_steer_has(int sockets, uint32_t shard);
/* Sets the valid tags of a shard. @return 0, or a negative errno */
int weir_udp_steer_tags(int tags, uint32_t shard, uint16_t tag, uint16_t last);
#endif
