/* src/transport/endpoint/enter.c - tests that no two calls of one endpoint run at once. */
#include "endpoint/enter.h"
#include <stdio.h>
#include <stdlib.h>

#ifndef NDEBUG
void ep_enter(struct weir_ep *ep, const char *name)
{
    if (!atomic_exchange_explicit(&ep->busy, true, memory_order_acquire))
        return;
    (void)fprintf(stderr,
                  "weir: %s() was called while another call on the same endpoint was under way. An endpoint belongs to "
                  "one thread; only weir_wake() may be called from other threads and from signal handlers.\n",
                  name);
    abort();
}
#endif
