/* src/transport/endpoint/enter.h - tests that no two calls of one endpoint run at once. */
#ifndef WEIR_ENDPOINT_ENTER_H
#define WEIR_ENDPOINT_ENTER_H
#include "endpoint/endpoint.h"

/* EP_ENTER() and EP_LEAVE() enclose the calls of weir.h that change an endpoint, except weir_wake() and
 * weir_peer_set_context(). Two such calls at once are a bug of the program: the process ends with a message. With
 * NDEBUG there is no test. */
#ifdef NDEBUG
#define EP_ENTER(ep, name) ((void)0)
#define EP_LEAVE(ep) ((void)0)
#else
/* Marks the endpoint as busy with the call `name`. If another call is in progress, prints an error and aborts the
 * process. */
void ep_enter(struct weir_ep *ep, const char *name);
#define EP_ENTER(ep, name) ep_enter(ep, name)
#define EP_LEAVE(ep) atomic_store_explicit(&(ep)->busy, false, memory_order_release)
#endif
#endif
