/* src/base/core/cable.h - events of cables. doc/model.md [cables]. */
#ifndef WEIR_CORE_CABLE_H
#define WEIR_CORE_CABLE_H
#include <stdbool.h>
#include <stdint.h>

struct weir_cable_event { /* a cable, in both directions, goes down or comes up */
    uint64_t at_ps;
    uint32_t link; /* one of the cable's two links */
    bool up;
    bool flush; /* of a cable that goes down: its ports drop what waits, and what comes until the cable is up */
};
#endif
