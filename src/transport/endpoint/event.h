/* src/transport/endpoint/event.h - the queue of events for the application. Any layer adds events; report.c alone takes
 * them. */
#ifndef WEIR_ENDPOINT_EVENT_H
#define WEIR_ENDPOINT_EVENT_H
#include "endpoint/endpoint.h"

/* Adds an operation that has ended, or a message that has arrived, to the end of the queue. link: member of its
 * record. */
void ep_event_add(struct weir_ep *ep, struct ep_link *link);

/* Makes one WEIR_EV_WRITABLE due, however often -EAGAIN was returned. It is handed over behind all other events. */
void ep_event_add_writable(struct weir_ep *ep);

/* Removes the first record from the queue and returns it; NULL = the queue is empty. From now on the application has
 * the handle of the peer that the event names. */
struct ep_link *ep_event_take(struct weir_ep *ep);

/* Clears a WEIR_EV_WRITABLE that is due. @return true if it was due */
bool ep_event_take_writable(struct weir_ep *ep);
#endif
