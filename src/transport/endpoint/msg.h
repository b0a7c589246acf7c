/* src/transport/endpoint/msg.h - inbound messages: their records and memory, their completion, and their end. */
#ifndef WEIR_ENDPOINT_MSG_H
#define WEIR_ENDPOINT_MSG_H
#include "endpoint/tx.h"

/* Returns the incomplete message with number `conn` from this peer; NULL = there is none. */
struct ep_msg *ep_msg_find(const struct weir_ep *ep, const struct weir_peer *peer, uint32_t conn);

/**
 * Makes a record for the new message of a packet.
 * @param pkt    DATA or REQUEST; its message has at least EP_HEAD_BYTES
 * @param offer  memory of the application into which the message fits; NULL = use memory of the rx budget
 * @return NULL = no memory now
 */
struct ep_msg *ep_msg_begin(struct weir_ep *ep, struct weir_peer *peer, const struct weir_pkt *pkt,
                            struct ep_op *offer);

/* Tests whether ep_msg_begin() would find memory of the rx budget for a message of `bytes` bytes, without the
 * endpoint's header, if `promised` bytes more were in use. */
bool ep_msg_fits(const struct weir_ep *ep, uint64_t bytes, uint64_t promised);

/* Returns the length of a message for which there is memory now, rounded down, in 1024 bytes; UINT32_MAX = not known.
 * Shares of peers (share.h) are not considered. */
uint32_t ep_msg_window_kib(const struct weir_ep *ep);

/* Copies the payload of DATA to its place in the message. The host must have accepted the packet as new, and so have
 * checked its place. mss: payload of a full packet. */
void ep_msg_store(struct ep_msg *msg, const struct weir_pkt *pkt, const unsigned char *payload, uint32_t mss);

/* Processes a message of which all bytes have arrived. Depending on its header, the message gets an event, ends the
 * call that it answers, or is dropped. */
void ep_msg_complete(struct weir_ep *ep, struct ep_msg *msg);

/* Drops a message: its sender aborted it, the connection ended, or its header is not valid. A request cannot be
 * answered any more. If the message is QUEUED or LENT, it keeps its memory until the application has released it.
 * Otherwise its memory is freed, and an offer that it uses returns to the list. If a part of it was handed over, the
 * offer ends with result instead. */
void ep_msg_lost(struct weir_ep *ep, struct ep_msg *msg, int result);

/* Rejects a message with PARTS, of which not all has arrived: its operation ends with result, or with 0 goes back to
 * the list. The caller has the host credit no more of it, and refuses it. */
void ep_msg_reject(struct weir_ep *ep, struct ep_msg *msg, int result);

/* Frees memory and record of a message; does nothing while the message is ARRIVING, QUEUED or LENT. A REQUEST keeps its
 * record until it is answered. An OWED joins the queue of released messages: call ep_msg_answer() soon. */
void ep_msg_settle(struct weir_ep *ep, struct ep_msg *msg);

/* Takes back a message whose memory was lent to the application. Asserts that it is lent. */
void ep_msg_release(struct weir_ep *ep, struct ep_msg *msg);

/* Ends a request whose reply was accepted. */
void ep_msg_answered(struct weir_ep *ep, struct ep_msg *msg);

/* Begins the answers of released messages whose senders wait for them. Those for which there is no memory, or no record
 * of an operation, wait until released_again_ps. Calls the host. */
void ep_msg_answer(struct weir_ep *ep);

/* Returns the request that weir_reply() names by rpc; NULL: no such request, or it was answered. */
struct ep_msg *ep_msg_of_rpc(const struct weir_ep *ep, uint64_t rpc);

/* Returns how much of the rx budget large messages must leave free. */
uint64_t ep_msg_reserve(const struct weir_ep *ep);

/* Returns the length of the longest message that may use the rx budget: three quarters of the budget. The rest may be
 * needed for records. */
uint64_t ep_msg_most(const struct weir_ep *ep);

/* Returns the number by which REFUSE names the message of a packet. */
static inline uint32_t ep_pkt_number(const struct weir_ep *ep, const struct weir_pkt *pkt)
{
    return ep->stream ? ep_stream_number(pkt->conn, pkt->ack) : pkt->conn;
}

/* Returns how much of the rx budget a peer's messages that are not complete take, or were promised. */
static inline uint64_t ep_peer_rx_bytes(const struct weir_peer *p)
{
    return p->arriving_bytes + p->promised_bytes;
}

/* Returns the number of a request, by which weir_reply() names it; never 0. */
static inline uint64_t ep_msg_rpc(const struct ep_msg *msg)
{
    return (uint64_t)msg->generation << 32 | (msg->index + 1);
}
#endif
