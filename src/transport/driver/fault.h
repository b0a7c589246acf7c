/* src/transport/driver/fault.h - a bad network in front of a good driver: datagrams lost, doubled, overtaken and
 * changed, times without room and without any answer, a clock that jumps. For tests, because not every kernel has netem
 * and none jumps its clock on demand.
 *
 * All chance comes from one seed, so a failure repeats. What happened is counted: a test of a fault that never
 * struck proves nothing. */
#ifndef WEIR_DRIVER_FAULT_H
#define WEIR_DRIVER_FAULT_H
#include "driver/net.h"

#define WEIR_FAULT_DATAGRAM_MAX 9216u /* longer ones pass untouched */
#define WEIR_FAULT_HELD_MAX 256u      /* held back at once, per direction; when all are taken datagrams pass in order */

struct weir_fault_path { /* one direction; chances in millionths per datagram, 0 .. 1000000, each drawn on its own */
    uint32_t loss_ppm;
    uint32_t copy_ppm;    /* comes once more, behind the next 0 .. hold_pkts */
    uint32_t hold_ppm;    /* is overtaken by the next 1 .. hold_pkts */
    uint32_t hold_pkts;   /* 0 = 1 */
    uint32_t corrupt_ppm; /* 1 .. 3 of its bits are turned over */
};

struct weir_fault_config {
    struct weir_fault_path out, in;
    uint32_t block_ppm; /* chance per send() that a time without room (ENOBUFS) begins .. */
    uint64_t block_ns;  /* .. which lasts so long */
    uint64_t hold_ns;   /* nothing is held back longer, even if nothing follows; 0 = 1 ms */
    uint64_t seed;
};

struct weir_fault_counts { /* of one direction, datagrams */
    uint64_t passed;       /* handed on in order, changed or not; not the copies and not what was held */
    uint64_t lost, copied, held, corrupted;
    uint64_t swallowed; /* during a black hole */
    uint64_t crowded;   /* should have been held or copied, but WEIR_FAULT_HELD_MAX were */
};

struct weir_fault_stats {
    struct weir_fault_counts out, in;
    uint64_t blocks, blocked_calls; /* times without room; sends refused during them */
    uint64_t jumps;
};

/* Puts the shim in front of an open driver, which belongs to it from now on (also if this fails).
 * @return 0 and *net, or -ENOMEM */
int weir_fault_wrap(struct weir_net **net, struct weir_net *inner, const struct weir_fault_config *cfg,
                    struct weir_err *err);

/* Sets other faults from now on; what is held stays held, the random stream continues. */
void weir_fault_set(struct weir_net *net, const struct weir_fault_config *cfg);
/* Swallows everything, both ways, from .. until of the inner driver's clock. */
void weir_fault_hole(struct weir_net *net, uint64_t from_ns, uint64_t until_ns);
/* Makes now_ns() so much later, or earlier, from now on; jumps add up. */
void weir_fault_jump(struct weir_net *net, int64_t by_ns);
/* Returns when, by the inner clock, something held will be handed on although nothing follows; UINT64_MAX = nothing
 * is held. */
uint64_t weir_fault_due_ns(const struct weir_net *net);
const struct weir_fault_stats *weir_fault_stats(const struct weir_net *net);
#endif
