/* src/ep/options.h - the options of weir_open(): read, and made into what the host needs. */
#ifndef WEIR_EP_OPTIONS_H
#define WEIR_EP_OPTIONS_H
#include "ep/ep.h"

/* Reads the caller's options, of whatever version, and fills in defaults. @return 0, or -EINVAL with err */
int ep_options_read(struct weir_opts *out, const struct weir_opts *in, struct weir_err *err);

/* Sets MTU, framing, rate and BDP, from the options and what the driver knows. @return 0, or -EINVAL with err */
int ep_options_limits(struct weir_ep *ep, struct weir_err *err);

/* Reads the protocol and its keys, opts.cc, into a config of its own; after ep_options_limits(), which makes the BDP.
 * @return 0; -EINVAL or -ENOTSUP with err; -ENOMEM */
int ep_options_protocol(struct weir_ep *ep, struct weir_err *err);
#endif
