/* src/transport/endpoint/room.h - messages of sender-driven protocols for which there is no memory now: their senders
 * get a NOTICE, and another when there is room. */
#ifndef WEIR_ENDPOINT_ROOM_H
#define WEIR_ENDPOINT_ROOM_H
#include "endpoint/endpoint.h"

/* Answers DATA of a new message, which finds no memory, with a NOTICE. Its packets are then no loss to its sender
 * (host/stream/room.c). bytes: length of the message, without the endpoint's header */
void ep_room_refuse(struct weir_ep *ep, struct weir_peer *peer, const struct weir_pkt *pkt, uint64_t bytes);

/* Notes that a peer has refused a message of ours: packets that are sent again for it are not lost. */
void ep_room_heard(struct weir_ep *ep, const struct weir_peer *peer, const struct weir_pkt *notice);

/* Tests whether memory was given back since messages were refused. */
static inline bool ep_room_is_due(const struct weir_ep *ep)
{
    return ep->refused_peers > 0 && ep->rx.given != ep->refused_given;
}

/* Sends a NOTICE that there is room to each peer of which a message was refused that would find memory now. */
void ep_room_run(struct weir_ep *ep);
#endif
