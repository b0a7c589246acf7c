/* src/transport/driver/udp_socket.h - the sockets of a UDP port: how they are made and bound, a second one for
 * strangers, and the name of a port that is not shared. */
#ifndef WEIR_DRIVER_UDP_SOCKET_H
#define WEIR_DRIVER_UDP_SOCKET_H
#include "driver/net.h"

/**
 * Opens and binds a socket.
 * @param fd   the socket, also after an error: the caller closes it; -1 = there is none
 * @param gso  the kernel takes runs (UDP_SEGMENT)
 * @return 0 and *local, with the port it got; or a negative errno with its sentence in err
 */
int weir_udp_socket_open(const struct weir_net_config *cfg, int *fd, struct weir_net_addr *local, bool *gso,
                         struct weir_err *err);

/**
 * Opens a second socket of the port, which gets what weir_net_is_stranger() names. The first was bound without
 * SO_REUSEPORT, so that a port in use was noticed.
 * @param fd  as of weir_udp_socket_open()
 * @return 0, or a negative errno
 */
int weir_udp_socket_strangers(int peers_fd, const struct weir_net_addr *local, uint16_t tag, int *fd);

/* Sets whether other sockets may join the port. @return 0, or a negative errno */
int weir_udp_socket_reuse(int fd, bool on);

/* Holds the name of a port that is not shared. Both its sockets have SO_REUSEPORT, so one of an endpoint that shares
 * could join them; weir_udp_socket_open() refuses where the name is held. @return a descriptor, or a negative errno */
int weir_udp_name_hold(const struct weir_net_addr *addr);
#endif
