/* src/transport/driver/udp_ports.h - further ports of an endpoint, from which it sends so that its packets take several
 * paths. Nothing is sent to them but RESET, which answers a packet where it came from; the kernel drops all else. */
#ifndef WEIR_DRIVER_UDP_PORTS_H
#define WEIR_DRIVER_UDP_PORTS_H
#include "driver/udp_queue.h"

/* The sockets of the ports after the first. */
struct weir_udp_ports {
    uint32_t count; /* 0 = the endpoint has one port */
    uint16_t first; /* the first port */
    int fd[WEIR_NET_PORTS_MAX - 1];
    int watch;                   /* readable when the strangers' socket or one of these is; -1 = not watched */
    struct weir_udp_queue queue; /* of the socket that was read last; its fd is none of its own */
};

/**
 * Opens the sockets of cfg->ports consecutive ports. The first is opened as weir_udp_socket_open() does. If
 * cfg->bind.port is 0, searches so many free ones.
 * @param ports  zeroed; to be closed by weir_udp_ports_close(), also after an error
 * @param fd, local, gso  set as weir_udp_socket_open() does, for the first port
 * @return 0, or a negative errno with its sentence in err
 */
int weir_udp_ports_open(struct weir_udp_ports *ports, const struct weir_net_config *cfg, int *fd,
                        struct weir_net_addr *local, bool *gso, struct weir_net_stats *stats, struct weir_err *err);

/* Opens ports->watch, which also watches the strangers' socket. @return it, or a negative errno */
int weir_udp_ports_watch(struct weir_udp_ports *ports, int stranger_fd);

/* Receives from one of the sockets, as recv_strangers() of struct weir_net_driver does. */
int weir_udp_ports_recv(struct weir_udp_ports *ports, struct weir_net_in *in, uint32_t count);

/* Reads one report on a datagram that one of the sockets has sent. @return false = there is none */
bool weir_udp_ports_trouble(const struct weir_udp_ports *ports, struct weir_net_trouble *out);

void weir_udp_ports_close(struct weir_udp_ports *ports);
#endif
