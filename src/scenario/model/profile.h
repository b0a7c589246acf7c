/* src/scenario/model/profile.h - the work of each thread of a run, and how long threads wait for each other, in
 * packet-hops: counts that are the same on every machine. */
#ifndef WEIR_MODEL_PROFILE_H
#define WEIR_MODEL_PROFILE_H
#include "model/model.h"

struct weir_profile_thread {
    uint32_t hosts, switches; /* that it owns */
    uint64_t hops;            /* packets received at its nodes, one count per node */
    uint64_t waited_hops;     /* sum over windows: hops of the thread that had the most, less its own */
    uint64_t empty_windows;   /* windows in which no packet came to its nodes */
};

struct weir_profile_rank {        /* what it sent to all others together; zeros if there is one process */
    uint64_t rounds, bytes, pkts; /* rounds: after each window, or boundary, one message to each other rank */
};

struct weir_profile {
    uint32_t threads; /* of all ranks */
    uint32_t ranks;   /* 1 = one process */
    uint64_t windows;
    uint64_t busiest_hops; /* sum over windows: hops of the thread that had the most */
    struct weir_profile_rank rank[WEIR_SIM_RANKS_MAX];
    struct weir_profile_thread thread[WEIR_WORKERS_MAX];
};
#endif
