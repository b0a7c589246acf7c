/* src/base/core/cable.h - events of cables and hosts. doc/model.md [cables], [restarts]. */
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

enum weir_cuttable { /* which cables a program may take down and up while a session is on; bits */
                     WEIR_CUTTABLE_NONE,
                     WEIR_CUTTABLE_CORE = 1, /* between switches */
                     WEIR_CUTTABLE_HOSTS = 2,
                     WEIR_CUTTABLE_ALL = 3,
};

struct weir_loss_step { /* a cable, in both directions, loses packets with another probability from a time on */
    uint64_t at_ps;
    uint32_t cable; /* the lower of the cable's two links */
    uint32_t loss_ppb;
};

struct weir_late {  /* a cable, in both directions, or all of them: by how much frames may be late */
    uint32_t cable; /* the lower of the cable's two links; UINT32_MAX = all cables */
    uint64_t up_to_ps;
};

/* Returns by how much a frame on a cable may be late: as the last of `count` items for it says. 0 if there is none. */
static inline uint64_t weir_late_most_ps(const struct weir_late *late, uint32_t count, uint32_t cable)
{
    uint64_t up_to_ps = 0;
    for (uint32_t i = 0; i < count; i++)
        if (late[i].cable == UINT32_MAX || late[i].cable == cable)
            up_to_ps = late[i].up_to_ps;
    return up_to_ps;
}

struct weir_rate_step { /* a cable, in both directions, sends no faster than this from a time on */
    uint64_t at_ps;
    uint64_t bps;   /* WEIR_RATE_MIN_BPS or more; a direction that was built slower keeps its rate */
    uint32_t cable; /* the lower of the cable's two links */
};

#define WEIR_FAILURES_MAX 512u /* most failures that a random process makes */

struct weir_failure { /* a cable or a switch is down from down_ps to up_ps, whatever else happens to it */
    uint64_t down_ps, up_ps;
    uint32_t link; /* the lower of the cable's two links; UINT32_MAX = a switch */
    uint32_t node; /* of a switch */
};

#define WEIR_RESTARTS_MAX 15u /* most restarts of a run: an epoch of two hosts has 4 bits */

struct weir_restart { /* a host loses its state, and begins anew */
    uint64_t at_ps;
    uint32_t host;
};
#endif
