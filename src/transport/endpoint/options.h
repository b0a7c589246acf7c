/* src/transport/endpoint/options.h - reads the options of weir_open(), and computes the host's configuration from
 * them. */
#ifndef WEIR_ENDPOINT_OPTIONS_H
#define WEIR_ENDPOINT_OPTIONS_H
#include "core/param.h"
#include "endpoint/endpoint.h"

/* One row per option of struct weir_opts except `size` and `flags`. A field that is 0 or NULL is not set and gets the
 * default of its row. The name of a number that has a unit ends with the unit. weir_param_set() and
 * weir_param_defaults() do not work with these rows, because the field of a TEXT row is a pointer. */
extern const struct weir_param ep_option_rows[];

/* Writes an amount of an option to out, in the largest unit of which it is a multiple: "256 MiB", "20 s", "65536". */
void ep_option_print(const struct weir_param *row, uint64_t amount, char *out, size_t size);

/* Writes the range of an option to out, as error messages have it: "64 KiB to 64 TiB", "at most one second". */
void ep_option_print_range(const struct weir_param *row, char *out, size_t size);

/* Copies the caller's options to out, checks them, and fills in defaults. `in` may be of any version of weir.h, or
 * NULL. mtu and rate_bps stay as they are, because their defaults come from the device: see ep_options_limits().
 * @return 0, or -EINVAL with err */
int ep_options_read(struct weir_opts *out, const struct weir_opts *in, struct weir_err *err);

/* Sets mtu, mss, and framing and path of host_config, from ep->opts and the open driver ep->net. @return 0, or -EINVAL
 * with err: MTU or rate is out of range */
int ep_options_limits(struct weir_ep *ep, struct weir_err *err);

/* Tests whether packets are sent with CHECKED, our own checksum over the payload. Packets without payload carry that
 * flag too. So an endpoint that demands the check receives nothing from an endpoint without it, and operations of both
 * time out. If DATA alone were refused, the receiver would request it again for ever. */
static inline bool ep_is_checked(const struct weir_ep *ep)
{
    return ep->keys == NULL && (ep->opts.flags & WEIR_OPEN_CHECKED) != 0;
}
#endif
