/* src/transport/endpoint/options.h - the options of weir_open(): read, and made into what the host needs. */
#ifndef WEIR_ENDPOINT_OPTIONS_H
#define WEIR_ENDPOINT_OPTIONS_H
#include "core/param.h"
#include "endpoint/endpoint.h"

/* One row per option of struct weir_opts but `size` and `flags`. The field that is 0 or NULL is not set: it has the
 * default of its row. The unit of a number ends its name. A TEXT row's field is a pointer, so weir_param_set() and
 * weir_param_defaults() are not for these rows. */
extern const struct weir_param ep_option_rows[];

/* Prints an amount of an option in the largest unit of which it is a multiple: "256 MiB", "20 s", "65536". */
void ep_option_print(const struct weir_param *row, uint64_t amount, char *out, size_t size);

/* Prints the range of an option as a refusal has it: "64 KiB to 64 TiB", "at most one second". */
void ep_option_print_range(const struct weir_param *row, char *out, size_t size);

/* Reads the caller's options, of whatever version, and fills in defaults. @return 0, or -EINVAL with err */
int ep_options_read(struct weir_opts *out, const struct weir_opts *in, struct weir_err *err);

/* Sets MTU, framing, rate and BDP, from the options and what the driver knows. @return 0, or -EINVAL with err */
int ep_options_limits(struct weir_ep *ep, struct weir_err *err);

#endif
