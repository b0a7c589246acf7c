/* src/transport/endpoint/msg.h - inbound messages: their records and memory, what they turn out to be, and their end.
 * */
#ifndef WEIR_ENDPOINT_MSG_H
#define WEIR_ENDPOINT_MSG_H
#include "endpoint/endpoint.h"

/* Returns the message that arrives under this number of the peer's; NULL = none. */
struct ep_msg *ep_msg_find(const struct weir_ep *ep, const struct weir_peer *peer, uint32_t conn);

/**
 * Makes a record for the message that a packet announces.
 * @param pkt    DATA or REQUEST, of at least EP_HEAD_BYTES
 * @param offer  memory of the application that it fits; NULL = ours is wanted
 * @return NULL = no memory now
 */
struct ep_msg *ep_msg_begin(struct weir_ep *ep, struct weir_peer *peer, const struct weir_pkt *pkt,
                            struct ep_op *offer);

/* Stores the payload of a packet that the host has taken as new: its header was checked against its message. */
void ep_msg_store(struct ep_msg *msg, const struct weir_pkt *pkt, const unsigned char *payload, uint32_t mss);

/* Ends the arrival: all of it is here, and becomes an event, ends its call, or is refused. */
void ep_msg_complete(struct weir_ep *ep, struct ep_msg *msg);

/* Drops a message: aborted by its sender, whose connection may be gone, or not what we take. */
void ep_msg_lost(struct weir_ep *ep, struct ep_msg *msg);

/* Frees a message that neither side needs; of a request that only waits for its answer, the memory. */
void ep_msg_settle(struct weir_ep *ep, struct ep_msg *msg);

/* Takes a message back that was lent to the application. */
void ep_msg_release(struct weir_ep *ep, struct ep_msg *msg);

/* Ends a request that was answered. */
void ep_msg_answered(struct weir_ep *ep, struct ep_msg *msg);

/* Returns the request that a weir_reply() names; NULL = there is none, or it was answered. */
struct ep_msg *ep_msg_of_rpc(const struct weir_ep *ep, uint64_t rpc);

/* Returns the most bytes of a message that lies in our memory: what records of messages can never take. */
uint64_t ep_msg_most(const struct weir_ep *ep);
#endif
