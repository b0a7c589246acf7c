/* src/transport/endpoint/event.h - the queue of events for the application. Any layer puts one; report.c alone takes
 * them. */
#ifndef WEIR_ENDPOINT_EVENT_H
#define WEIR_ENDPOINT_EVENT_H
#include "endpoint/endpoint.h"

/* Puts an operation that has ended, or a message that has arrived, at the end of the queue. */
void ep_event_add(struct weir_ep *ep, struct ep_link *link);

/* Puts WEIR_EV_WRITABLE, which goes behind all others; it is due once, however many times -EAGAIN was returned. */
void ep_event_add_writable(struct weir_ep *ep);

/* Takes the first of the queue: its peer's handle is the application's from now on. @return NULL = it is empty */
struct ep_link *ep_event_take(struct weir_ep *ep);

/* Takes WEIR_EV_WRITABLE. @return false = it is not due */
bool ep_event_take_writable(struct weir_ep *ep);
#endif
