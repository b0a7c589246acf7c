/* src/transport/endpoint/enter.h - tests that no two calls of one endpoint run at once. */
#ifndef WEIR_ENDPOINT_ENTER_H
#define WEIR_ENDPOINT_ENTER_H
#include "endpoint/endpoint.h"
#include <errno.h>

/* EP_ENTER() and EP_LEAVE() enclose the calls of weir.h that change an endpoint, except weir_wake(), weir_post() and
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

/* Does as EP_ENTER(), in a call that belongs to the process which opened the endpoint. In a child of that process it
 * returns -ECHILD from the calling function instead. */
#define EP_ENTER_OR_RETURN(ep, name)                                                                                   \
    do {                                                                                                               \
        if (ep_is_forked(ep))                                                                                          \
            return -ECHILD;                                                                                            \
        EP_ENTER(ep, name);                                                                                            \
    } while (0)
#endif
