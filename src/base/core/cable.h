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

struct weir_loss_step { /* a cable, in both directions, loses packets with another probability from a time on */
    uint64_t at_ps;
    uint32_t cable; /* the lower of the cable's two links */
    uint32_t loss_ppb;
};
#endif
