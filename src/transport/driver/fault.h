/* src/transport/driver/fault.h - a driver for tests that adds faults to another driver. It loses, duplicates, reorders
 * and corrupts datagrams, refuses to send, drops everything for a while, and lets its clock jump. Tests need it because
 * not every kernel has netem, and no kernel makes its clock jump on demand.
 *
 * All random choices come from one seed, so a failure repeats. Faults are counted, so that a test can check that they
 * occurred. */
#ifndef WEIR_DRIVER_FAULT_H
#define WEIR_DRIVER_FAULT_H
#include "driver/net.h"

#define WEIR_FAULT_DATAGRAM_MAX 9216u /* longer datagrams are not held or copied, and not changed when sent */
#define WEIR_FAULT_HELD_MAX 256u      /* most datagrams held at once, per direction; further ones pass in order */

/* faults of one direction; probabilities in millionths per datagram, 0 .. 1000000. A datagram that is lost or delayed
 * gets no other fault */
struct weir_fault_path {
    uint32_t loss_ppm;
    uint32_t copy_ppm;    /* duplicated; the copy comes after the next 0 .. hold_pkts datagrams */
    uint32_t hold_ppm;    /* delayed until the next 1 .. hold_pkts datagrams have passed */
    uint32_t hold_pkts;   /* 0 means 1; below UINT32_MAX */
    uint32_t corrupt_ppm; /* 1 .. 3 bits are flipped */
};

struct weir_fault_config {
    struct weir_fault_path out, in;
    uint32_t block_ppm; /* probability per send() that a period without room (ENOBUFS) begins .. */
    uint64_t block_ns;  /* .. and its length */
    uint64_t hold_ns;   /* longest time that a datagram is held, even if none follow; 0 = 1 ms */
    uint64_t seed;
};

struct weir_fault_counts { /* datagrams of one direction */
    uint64_t passed;       /* handed on without delay, corrupted or not; without copies and held datagrams */
    uint64_t lost, copied, held, corrupted;
    uint64_t swallowed; /* dropped between the times of weir_fault_hole() */
    /* could not be held or copied: WEIR_FAULT_HELD_MAX were held already, or the datagram is too long */
    uint64_t crowded;
};

struct weir_fault_stats {
    struct weir_fault_counts out, in;
    uint64_t blocks, blocked_calls; /* periods without room; sends refused during them */
    uint64_t jumps;
};

/* Makes a driver *net that adds faults to the open driver inner. *net owns inner from now on; if this fails, inner is
 * closed. @return 0 and *net, or -ENOMEM with err */
int weir_fault_wrap(struct weir_net **net, struct weir_net *inner, const struct weir_fault_config *cfg,
                    struct weir_err *err);

/* Replaces the faults. Held datagrams stay held. The random stream continues: cfg->seed is ignored here. */
void weir_fault_set(struct weir_net *net, const struct weir_fault_config *cfg);
/* Drops all datagrams of both directions from from_ns (included) to until_ns (not included) of the inner driver's
 * clock. */
void weir_fault_hole(struct weir_net *net, uint64_t from_ns, uint64_t until_ns);
/* Adds by_ns, which may be negative, to the clock now_ns(). Jumps add up; the clock never goes below 0. */
void weir_fault_jump(struct weir_net *net, int64_t by_ns);
/* Returns the earliest time, by the inner driver's clock, at which a held datagram is handed on even if no other
 * follows; UINT64_MAX = none is held. */
uint64_t weir_fault_due_ns(const struct weir_net *net);
/* Returns the counters of faults; valid until the driver is closed. */
const struct weir_fault_stats *weir_fault_stats(const struct weir_net *net);
#endif
