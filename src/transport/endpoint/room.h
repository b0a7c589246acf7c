/* src/transport/endpoint/room.h - messages that wait for memory of the receiver: NO_ROOM says so to their senders, and
 * ROOM when there is memory again. */
#ifndef WEIR_ENDPOINT_ROOM_H
#define WEIR_ENDPOINT_ROOM_H
#include "endpoint/endpoint.h"

/* Tests whether a new message may take memory of the rx budget now. What was promised to others is not for it. */
bool ep_room_is_for(const struct weir_ep *ep, const struct weir_peer *peer, uint32_t conn, uint64_t bytes);

/* Lists the message of a packet that was dropped because there is no memory for it, and answers NO_ROOM. Answers of one
 * peer are rationed. bytes: length of the message without the endpoint's header */
void ep_room_refuse(struct weir_ep *ep, struct weir_peer *peer, const struct weir_pkt *pkt, uint64_t bytes);

/* Takes a message off the list: it has memory now, or its sender has aborted it. */
void ep_room_taken(struct weir_ep *ep, const struct weir_peer *peer, uint32_t conn);

/* Takes all messages of a peer off the list. */
void ep_room_forget(struct weir_ep *ep, const struct weir_peer *peer);

/* Promises free memory to messages of the list, in their order, and sends ROOM. A ROOM whose message does not come is
 * repeated. */
void ep_room_run(struct weir_ep *ep);

/* Returns the time of the next ep_room_run() if no memory becomes free before; WEIR_NEVER = none. */
uint64_t ep_room_next_ps(const struct weir_ep *ep);
#endif
