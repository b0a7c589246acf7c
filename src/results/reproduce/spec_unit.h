/* src/results/reproduce/spec_unit.h - checks the unit that a table shows against the unit of a number in the table. */
#ifndef WEIR_REPRODUCE_SPEC_UNIT_H
#define WEIR_REPRODUCE_SPEC_UNIT_H
#include "core/err.h"
#include <stdint.h>

struct weir_spec_number {
    const char *name, *unit; /* unit: one of weir_metric_unit_names, or that of a series or a histogram */
    uint64_t divide;         /* at least 1 */
};

/**
 * Checks that a table may show a number in the unit at->text. Both units have to be of the same kind: time, bytes or
 * rate; but bytes that are divided may become a time. A number that is not divided has to be shown in its own unit. If
 * at->text goes on behind the unit, as "KB per host", only the kind is checked. If at->text is of none of these kinds,
 * it fits every number.
 * @return 0, or WEIR_E_UNIT with err; the hint is what to write instead
 */
int weir_spec_unit(const struct weir_tok *at, const struct weir_spec_number *number, struct weir_err *err);
#endif
