/* src/transport/endpoint/event.h - the queue of events for the application. Any layer adds events; report.c alone takes
 * them. */
#ifndef WEIR_ENDPOINT_EVENT_H
#define WEIR_ENDPOINT_EVENT_H
#include "endpoint/endpoint.h"

/* Adds an operation that has ended, or a message that has arrived, to the end of the queue. link: member of its
 * record. */
void ep_event_add(struct weir_ep *ep, struct ep_link *link);

/* Adds WEIR_EV_PEER_UP to the end of the queue, if the application wants such events and none waits for this peer. */
void ep_event_add_up(struct weir_ep *ep, struct weir_peer *peer);

/* Adds WEIR_EV_PEER_DOWN as ep_event_add_up() does. One that waits already gets the result. */
void ep_event_add_down(struct weir_ep *ep, struct weir_peer *peer, int result);

/* Returns the peer of an event WEIR_EV_PEER_UP or WEIR_EV_PEER_DOWN, link, that was taken. Adds the other one if the
 * peer's state has changed since, so that both take turns. */
struct weir_peer *ep_event_peer(struct weir_ep *ep, const struct ep_link *link);

/* Makes one WEIR_EV_WRITABLE due, however often -EAGAIN was returned. It is handed over behind all other events. */
void ep_event_add_writable(struct weir_ep *ep);

/* Removes the first record from the queue and returns it; NULL = the queue is empty. From now on the application has
 * the handle of the peer that the event names. */
struct ep_link *ep_event_take(struct weir_ep *ep);

/* Clears a WEIR_EV_WRITABLE that is due. @return true if it was due */
bool ep_event_take_writable(struct weir_ep *ep);
#endif
