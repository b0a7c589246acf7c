/* src/base/param/param.h - the value of one scenario key: text in human units -> field of a struct, and back. */
#ifndef WEIR_PARAM_PARAM_H
#define WEIR_PARAM_PARAM_H
#include "core/err.h"
#include "core/param.h"

/**
 * Converts, checks and stores one value.
 * @param tok     its text and its position
 * @param config  the struct the row's offset refers to; untouched on error
 * @return 0, or a code with err: WEIR_E_SYNTAX (no number, too many digits), WEIR_E_UNIT, WEIR_E_RANGE,
 * WEIR_E_UNKNOWN (choice)
 */
int weir_param_set(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err);

/* Writes the default of one row, of every row. */
void weir_param_default(const struct weir_param *row, void *config);
void weir_param_defaults(const struct weir_param *rows, void *config);

/* Returns the row of a key, or NULL. */
const struct weir_param *weir_param_find(const struct weir_param *rows, const char *key);

/**
 * Refuses a key that no row has.
 * @param more   further keys of the section that are no rows, NULL-terminated; may be NULL
 * @param where  the section as the user knows it: "traffic[0]"
 * @return WEIR_E_UNKNOWN, err with the nearest key or else all of them
 */
int weir_param_unknown(const struct weir_param *rows, const char *const *more, const struct weir_tok *key,
                       const char *where, struct weir_err *err);

/* Gives every size that was given in BDP its bytes; saturates. */
void weir_param_resolve_bdp(const struct weir_param *rows, void *config, uint64_t bdp_bytes);

/**
 * Tests whether the sizes given in BDP are in their ranges, now that they have bytes.
 * @param where    the section's position; NULL = none
 * @param section  for the message: "protocol"
 * @return 0, or WEIR_E_RANGE with err
 */
int weir_param_check_bdp(const struct weir_param *rows, const void *config, const struct weir_tok *where,
                         const char *section, struct weir_err *err);

/* Prints the value of a row as text that weir_param_set() reads to the same bits; cut to size. */
void weir_param_print(const struct weir_param *row, const void *config, char *out, size_t size);

/* Prints the default, the range or the kind of a row for help, cut to size:
 * - the default as weir_param_print() prints it, empty if it lies outside the range ("not given");
 * - the range, "1 ns to 1 ms", empty where there is none;
 * - the kind, "size or BDP", or the names of a choice, "ecmp | spray". */
void weir_param_print_default(const struct weir_param *row, char *out, size_t size);
void weir_param_print_range(const struct weir_param *row, char *out, size_t size);
void weir_param_print_kind(const struct weir_param *row, char *out, size_t size);
#endif
