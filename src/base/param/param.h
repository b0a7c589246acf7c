/* src/base/param/param.h - converts the value of a scenario key from a text in human units to a field of a struct, and
 * back. */
#ifndef WEIR_PARAM_PARAM_H
#define WEIR_PARAM_PARAM_H
#include "core/err.h"
#include "core/param.h"
#include <stdbool.h>

/**
 * Converts one value, checks its range, and stores it.
 * @param tok     text of the value, and its position
 * @param config  struct of the section, to which row->offset refers; unchanged on error
 * @return 0, or a code with err: WEIR_E_SYNTAX (not a value of this kind, or too many decimals), WEIR_E_UNIT,
 * WEIR_E_RANGE, WEIR_E_UNKNOWN (no such choice)
 */
int weir_param_set(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err);

/* Writes the default of a row into its field of config. */
void weir_param_default(const struct weir_param *row, void *config);

/* Writes the defaults of all rows of a table into config. */
void weir_param_defaults(const struct weir_param *rows, void *config);

/* Copies the field of a row from one struct of its section to another. */
void weir_param_copy(const struct weir_param *row, const void *from, void *to);

/* Tests whether two structs of a section have the same value in the field of every row. */
bool weir_params_same(const struct weir_param *rows, const void *a, const void *b);

/* Returns the row of a key; NULL = no row has this key. */
const struct weir_param *weir_param_find(const struct weir_param *rows, const char *key);

/**
 * Fills err for a key that no row has.
 * @param rows   rows of the section; may be NULL
 * @param more   further keys of the section that have no row, NULL-terminated; may be NULL
 * @param where  name of the section for the user: "traffic[0]"
 * @return WEIR_E_UNKNOWN; the hint names the nearest key, or else all keys
 */
int weir_param_unknown(const struct weir_param *rows, const char *const *more, const struct weir_tok *key,
                       const char *where, struct weir_err *err);

/* Computes the field `bytes` of every size that was given in BDP. A result above UINT64_MAX becomes UINT64_MAX. */
void weir_param_resolve_bdp(const struct weir_param *rows, void *config, uint64_t bdp_bytes);

/* Computes the field `ps` of every time that was given in round trips, likewise. base_rtt_ps: 0 = it is not known */
void weir_param_resolve_rtt(const struct weir_param *rows, void *config, uint64_t base_rtt_ps);

/**
 * Tests whether the values given in BDP or round trips are in their ranges, and the round trip is known. Call it after
 * both.
 * @param where    position of the section; NULL = none
 * @param section  name of the section for the message: "protocol"
 * @return 0, or WEIR_E_RANGE with err for the first value out of range
 */
int weir_param_check_relative(const struct weir_param *rows, const void *config, const struct weir_tok *where,
                              const char *section, struct weir_err *err);

/* Prints the value that config has for a row, as a text that weir_param_set() converts back to the same value. The text
 * is cut to `size` bytes, which include the NUL. */
void weir_param_print(const struct weir_param *row, const void *config, char *out, size_t size);

/* Prints the default of a row for help, as weir_param_print() does; "" if the row has no default. Cut to size. */
void weir_param_print_default(const struct weir_param *row, char *out, size_t size);

/* Prints the range of a row for help, "1 ns to 1 ms"; "" if the row has no range. Cut to size. */
void weir_param_print_range(const struct weir_param *row, char *out, size_t size);

/* Prints the kind of a row for help, "size or BDP"; for a choice its names, "ecmp | spray". Cut to size. */
void weir_param_print_kind(const struct weir_param *row, char *out, size_t size);
#endif
