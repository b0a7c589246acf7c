/* src/transport/endpoint/protocol.h - reads opts.cc: the protocol of an endpoint and its keys. */
#ifndef WEIR_ENDPOINT_PROTOCOL_H
#define WEIR_ENDPOINT_PROTOCOL_H
#include "endpoint/endpoint.h"

/* Reads opts.cc. Allocates ep->cc_config with the keys of the protocol, and sets the protocol in ep->host_config. Must
 * be called after ep_options_limits(), which computes the BDP. @return 0; -EINVAL or -ENOTSUP with err; -ENOMEM */
int ep_protocol_read(struct weir_ep *ep, struct weir_err *err);
#endif
