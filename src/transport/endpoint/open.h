/* src/transport/endpoint/open.h - opens an endpoint over a driver that is open already, for tests. */
#ifndef WEIR_ENDPOINT_OPEN_H
#define WEIR_ENDPOINT_OPEN_H
#include "endpoint/endpoint.h"

/**
 * Opens an endpoint as weir_open() does, over a driver that is open already. On success the endpoint owns net; on
 * failure the caller still does.
 * @param seed  makes the endpoint's secrets, so that tests repeat; 0 = random secrets from the kernel
 * @return 0 and *out; or a negative errno and *out NULL, with one sentence in err if the option or resource at fault is
 * known
 */
int weir_ep_open_net(struct weir_ep **out, const struct weir_opts *opts, struct weir_net *net, uint64_t seed,
                     struct weir_err *err);
#endif
