/* src/algorithms/features/failures/failures.h - failures by a random process: cables and switches that fail and are
 * repaired, drawn from the seed before the run. The row cable-events makes events of them: doc/model.md
 * [cables.failures]. */
#ifndef WEIR_FEATURES_FAILURES_FAILURES_H
#define WEIR_FEATURES_FAILURES_FAILURES_H
#include "core/cable.h"
#include "core/param.h"

struct weir_feature;

struct weir_failures_config { /* keys of section `fabric.failures` */
    uint64_t mtbf_ps;         /* mean time that a part is up between two failures */
    uint64_t mttr_ps;         /* mean time that it is down */
    uint64_t until_ps;        /* no failure begins at this time or later; UINT64_MAX = at the end of the run */
    char cables[WEIR_TEXT_MAX];
    char switches[WEIR_TEXT_MAX];
};

struct weir_failures_model {
    struct weir_failure failure[WEIR_FAILURES_MAX]; /* part by part, of each by time; count of them */
    uint32_t count;
};

extern const struct weir_feature weir_failures_feature;
#endif
