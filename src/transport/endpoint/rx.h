/* src/transport/endpoint/rx.h - datagrams that came: whose they are, whether there is memory for what they bring, and
 * on to the host. */
#ifndef WEIR_ENDPOINT_RX_H
#define WEIR_ENDPOINT_RX_H
#include "endpoint/endpoint.h"

/* Takes one batch of datagrams. @return how many there were */
uint32_t ep_rx_run(struct weir_ep *ep);

/* Receives a batch of strangers' datagrams, to be taken after those that peers sent before them. @return how many
 * there are */
uint32_t ep_rx_strangers(struct weir_ep *ep);

/* Takes what ep_rx_strangers() received. */
void ep_rx_take_strangers(struct weir_ep *ep, uint32_t count);

/* Serves the sink of the host: the packet in hand completed its message. */
void ep_rx_delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks);

/* Serves the sink of the host: the sender of a message gave it up. */
void ep_rx_dropped(void *ctx, uint32_t src, uint32_t conn, uint64_t now_ps);
#endif
