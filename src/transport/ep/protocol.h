/* src/transport/ep/protocol.h - opts.cc: the protocol of an endpoint and its keys. */
#ifndef WEIR_EP_PROTOCOL_H
#define WEIR_EP_PROTOCOL_H
#include "ep/ep.h"

/* Reads the protocol and its keys into a config of its own, and into host_config; after ep_options_limits(), which
 * makes the BDP. @return 0; -EINVAL or -ENOTSUP with err; -ENOMEM */
int ep_protocol_read(struct weir_ep *ep, struct weir_err *err);
#endif
