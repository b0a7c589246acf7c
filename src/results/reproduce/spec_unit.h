/* src/results/reproduce/spec_unit.h - compares the unit that a table shows with that of a number in it. */
#ifndef WEIR_REPRODUCE_SPEC_UNIT_H
#define WEIR_REPRODUCE_SPEC_UNIT_H
#include "core/err.h"
#include <stdint.h>

struct weir_spec_number {
    const char *name, *unit; /* as weir_metric_unit_names has it, or that of a series, or "ps" */
    uint64_t divide;         /* at least 1 */
};

/* Compares the unit at `at` with a number's. One that is not divided is in its own unit; of "KB per host" only the
 * measure is known. A unit that is not of time, size or rate fits all. @return 0, or WEIR_E_UNIT, with what to say as
 * hint */
int weir_spec_unit(const struct weir_tok *at, const struct weir_spec_number *number, struct weir_err *err);
#endif
