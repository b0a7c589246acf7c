/* src/transport/endpoint/protocol.h - opts.cc: the protocol of an endpoint and its keys. */
#ifndef WEIR_ENDPOINT_PROTOCOL_H
#define WEIR_ENDPOINT_PROTOCOL_H
#include "endpoint/endpoint.h"

/* Reads the protocol and its keys into a config of its own, and into host_config; after ep_options_limits(), which
 * makes the BDP. @return 0; -EINVAL or -ENOTSUP with err; -ENOMEM */
int ep_protocol_read(struct weir_ep *ep, struct weir_err *err);
#endif
