/* src/transport/endpoint/open.h - an endpoint over a driver that is open already, for tests. */
#ifndef WEIR_ENDPOINT_OPEN_H
#define WEIR_ENDPOINT_OPEN_H
#include "endpoint/endpoint.h"

/**
 * Opens an endpoint as weir_open() does, over a driver that is open already; it is the endpoint's from success on.
 * @param seed  of its secrets, so that tests repeat; 0 = from the system
 * @return 0, or a negative errno with one sentence in err
 */
int weir_ep_open_net(struct weir_ep **out, const struct weir_opts *opts, struct weir_net *net, uint64_t seed,
                     struct weir_err *err);
#endif
