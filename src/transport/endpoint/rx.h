/* src/transport/endpoint/rx.h - processes received datagrams: finds the peer of a packet and the memory for its
 * message, and gives it to the host. */
#ifndef WEIR_ENDPOINT_RX_H
#define WEIR_ENDPOINT_RX_H
#include "endpoint/endpoint.h"

/* Receives and processes one batch of datagrams, at most WEIR_NET_BATCH. @return how many; 0 also after an error of the
 * driver, which ep->failed holds */
uint32_t ep_rx_run(struct weir_ep *ep);

/* Receives one batch of strangers' datagrams. Receives none if strangers have no queue of their own, or if it is too
 * early for the next read (ep->strangers_ps). ep_rx_take_strangers() must process the batch, after the datagrams of
 * peers that were sent before it. @return how many, at most WEIR_NET_STRANGERS; 0 also after an error of the driver,
 * which ep->failed holds */
uint32_t ep_rx_strangers(struct weir_ep *ep);

/* Processes the datagrams that ep_rx_strangers() received; count is its return value. */
void ep_rx_take_strangers(struct weir_ep *ep, uint32_t count);

/* Sets ep->delivered: the current packet has completed its message. A function of the host's sink; ctx is the
 * endpoint. */
void ep_rx_delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks);

/* Drops message `conn` of peer `src`, because its sender aborted it. Does nothing if there is no such message. A
 * function of the host's sink; ctx is the endpoint. */
void ep_rx_dropped(void *ctx, uint32_t src, uint32_t conn, uint64_t now_ps);

/* Returns one past the last packet of message `conn` of peer `src` that may be credited; UINT32_MAX = all may. A
 * function of the host's sink; ctx is the endpoint. */
uint32_t ep_rx_bound(void *ctx, uint32_t src, uint32_t conn);

/* Lets messages that wait for memory have what has become free. */
void ep_rx_waiting(struct weir_ep *ep);

/* Returns the time of the next ep_rx_waiting() if no memory becomes free before; WEIR_NEVER = none. */
uint64_t ep_rx_waiting_ps(const struct weir_ep *ep);
#endif
