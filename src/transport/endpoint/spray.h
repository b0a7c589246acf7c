/* src/transport/endpoint/spray.h - the ports that packets leave from, where opts.spray_ports is above 1. */
#ifndef WEIR_ENDPOINT_SPRAY_H
#define WEIR_ENDPOINT_SPRAY_H
#include "endpoint/endpoint.h"

/* Chooses the ports that the packets of txq leave from, sets tx_port, and sorts the packets by it, those of one port in
 * their order. */
void ep_spray_sort(struct weir_ep *ep);

/* Makes packets to a connected peer leave from the first port alone. @return false = they do already */
bool ep_spray_stop(struct weir_peer *peer);
#endif
