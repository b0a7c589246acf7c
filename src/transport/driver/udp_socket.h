/* src/transport/driver/udp_socket.h - opens the sockets of a UDP port: one for peers, a second one for strangers, and a
 * name that marks the port as not shared. */
#ifndef WEIR_DRIVER_UDP_SOCKET_H
#define WEIR_DRIVER_UDP_SOCKET_H
#include "driver/net.h"

/**
 * Opens and binds the first socket of a port.
 * @param fd     set to the socket, also after an error; the caller closes it; -1 = there is none
 * @param local  set to the bound address with its port
 * @param gso    set to whether the kernel supports UDP_SEGMENT, by which one call sends several datagrams
 * @return 0, or a negative errno with its sentence in err
 */
int weir_udp_socket_open(const struct weir_net_config *cfg, int *fd, struct weir_net_addr *local, bool *gso,
                         struct weir_err *err);

/**
 * Opens a second socket of the port. The kernel gives it the datagrams for which weir_net_is_stranger() holds. The
 * first socket was bound without SO_REUSEPORT, so that a port in use was noticed; here both get that option.
 * @param peers_fd  the first socket
 * @param local     its address and port
 * @param tag, last  the valid tags of the endpoint's tokens
 * @param fd        set to the second socket, also after an error; the caller closes it; -1 = there is none
 * @return 0, or a negative errno
 */
int weir_udp_socket_strangers(int peers_fd, const struct weir_net_addr *local, uint16_t tag, uint16_t last, int *fd);

/* Replaces the tags of weir_udp_socket_strangers(). No datagram is lost meanwhile. @return 0, or a negative errno */
int weir_udp_socket_tags(int peers_fd, uint16_t tag, uint16_t last);

/* Returns how many bytes of datagrams the socket's receive queue can hold at least. The kernel charges a datagram for
 * its buffers, which are up to four times as large. @return 0 = unknown */
uint64_t weir_udp_socket_room(int fd);
/* Sets SO_REUSEPORT: whether other sockets may bind the port of fd. @return 0, or a negative errno */
int weir_udp_socket_reuse(int fd, bool on);

/* Marks a port as not shared, by binding a local socket to a name made of addr. Without this mark an endpoint that
 * shares its port could join the port, because both sockets have SO_REUSEPORT. weir_udp_socket_open() refuses to share
 * a port whose name is held. @return a descriptor, which holds the name until the caller closes it; or a negative
 * errno */
int weir_udp_name_hold(const struct weir_net_addr *addr);
#endif
