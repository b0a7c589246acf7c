/* src/transport/endpoint/event.h - the queue of events for the application. Any layer adds events; report.c alone takes
 * them. */
#ifndef WEIR_ENDPOINT_EVENT_H
#define WEIR_ENDPOINT_EVENT_H
#include "endpoint/endpoint.h"

/* Adds an operation that has ended, or a message that has arrived, to the end of the queue. link: member of its
 * record. */
void ep_event_add(struct weir_ep *ep, struct ep_link *link);

/* Makes WEIR_EV_WRITABLE due, once, however often -EAGAIN was returned. It is handed over behind all other events. */
void ep_event_add_writable(struct weir_ep *ep);

/* Takes the first record of the queue. From now on the application has the handle of the peer that the event names.
 * @return NULL = the queue is empty */
struct ep_link *ep_event_take(struct weir_ep *ep);

/* Takes WEIR_EV_WRITABLE. @return true if it was due */
bool ep_event_take_writable(struct weir_ep *ep);
#endif
