/* src/transport/endpoint/ack.h - ACKs of sender-driven protocols: what they carry besides what struct weir_pkt has. */
#ifndef WEIR_ENDPOINT_ACK_H
#define WEIR_ENDPOINT_ACK_H
#include "endpoint/endpoint.h"

/* Keeps the records that an ACK carries back, which the host has until its next call, until the ACK has left txq. */
void ep_ack_keep_echo(struct weir_ep *ep, struct weir_pkt *ack);

/* Adds the records of an ACK of txq to its header, and what has arrived out of order on its connection by now. The
 * header is to be encoded before the next call. */
void ep_ack_complete(struct weir_ep *ep, const struct weir_pkt *ack, struct weir_wire_head *head);

/* Gives an ACK that came from a peer to the host, with the ranges that it reports. Its records are in ep->hop. */
void ep_ack_to_host(struct weir_ep *ep, struct weir_peer *peer, const struct weir_wire_head *head);
#endif
