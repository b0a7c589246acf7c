/* src/results/reproduce/tuning_key.h - a key of a scenario that is tuned, and its range: "protocol.g=0.01..0.5". */
#ifndef WEIR_REPRODUCE_TUNING_KEY_H
#define WEIR_REPRODUCE_TUNING_KEY_H
#include "config/scenario.h"
#include "core/err.h"
#include "core/param.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_TUNING_PATH 96u  /* bytes of a path, with its NUL */
#define WEIR_TUNING_VALUE 48u /* bytes of a value as text, with its NUL */

struct weir_tuning_key {
    char path[WEIR_TUNING_PATH];
    struct weir_param row; /* of the key, with offset 0 */
    uint64_t lo, hi;       /* in the unit of the key's field, or in thousandths of a BDP */
    uint64_t own;          /* value of the file; counts only if has_own */
    bool is_bdp;
    bool has_own; /* the file has a number of the same unit within the range */
};

/**
 * Reads "PATH=LO..HI". A unit may be left out of LO: it is that of HI.
 * @param scn      the scenario; decides which protocol's keys there are
 * @param resolved its text with every key
 * @return 0, or a code with err: no range, not a number, an empty or reversed range, run.seed. WEIR_E_UNKNOWN: no row
 *         has this path, as an unknown key or protocol.name
 */
int weir_tuning_key_read(struct weir_tuning_key *key, struct weir_scenario *scn, const char *resolved, const char *text,
                         struct weir_err *err);

/* Writes a value as --set takes it: "0.65 BDP". Returns out. */
const char *weir_tuning_key_text(char out[WEIR_TUNING_VALUE], const struct weir_tuning_key *key, uint64_t value);
#endif
