/* src/transport/driver/udp_trouble.h - reads what ICMP packets and the kernel report about datagrams of a UDP socket
 * (IP_RECVERR of Linux). */
#ifndef WEIR_DRIVER_UDP_TROUBLE_H
#define WEIR_DRIVER_UDP_TROUBLE_H
#include "driver/net.h"

/* Asks for reports on datagrams of a socket. Without them, in an old kernel, the endpoint's time-outs decide. */
void weir_udp_trouble_ask(int fd, bool six);

/* Tests whether an errno of sending or receiving may be the report on an earlier datagram, so that the call is to be
 * made again. */
bool weir_udp_trouble_is(int error);

/* Reads one report of the socket. @return false = there is none */
bool weir_udp_trouble_read(int fd, struct weir_net_trouble *out);
#endif
