/* src/transport/driver/udp_socket.h - opens the sockets of a UDP port: one for peers, one for strangers. */
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
 * Opens a second socket of the port. A first socket that was bound without SO_REUSEPORT, so that a port in use was
 * noticed, gets that option here, as the second does.
 * @param peers_fd  the first socket
 * @param local     its address and port
 * @param fd        set to the second socket, also after an error; the caller closes it; -1 = there is none
 * @return 0, or a negative errno
 */
int weir_udp_socket_strangers(int peers_fd, const struct weir_net_addr *local, int *fd);

/* Sets the valid tags of the endpoint's tokens: the kernel gives the second socket the datagrams for which
 * weir_net_is_stranger() holds. When tags are replaced no datagram is lost. @return 0, or a negative errno */
int weir_udp_socket_tags(int peers_fd, uint16_t tag, uint16_t last);

struct sock_filter;
/* Attaches a classic BPF program of `count` instructions to a socket. option: SO_ATTACH_FILTER or
 * SO_ATTACH_REUSEPORT_CBPF. @return 0, or a negative errno */
int weir_udp_socket_attach(int fd, int option, struct sock_filter *rule, uint16_t count);

/* Returns how many bytes of datagrams the socket's receive queue can hold at least. The kernel charges a datagram for
 * its buffers, which are up to four times as large. @return 0 = unknown */
uint64_t weir_udp_socket_room(int fd);
/* Sets SO_REUSEPORT: whether other sockets may bind the port of fd. @return 0, or a negative errno */
int weir_udp_socket_reuse(int fd, bool on);
#endif
