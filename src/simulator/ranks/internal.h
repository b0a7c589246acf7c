/* src/simulator/ranks/internal.h - the state of a rank, and the parts of a message between ranks. */
#ifndef WEIR_RANKS_INTERNAL_H
#define WEIR_RANKS_INTERNAL_H
#include "ranks/ranks.h"
#include "state/wake.h"

/* The parts of messages to other ranks that one thread has packed. */
struct ranks_away {
    struct weir_buffer *to; /* by rank */
    /* by group of the source: links of the thread's nodes that end at another rank */
    uint32_t *cut[SIM_GROUPS], cuts[SIM_GROUPS];
    uint64_t pkts; /* packed so far */
};

struct sim_ranks {
    struct weir_carrier *carrier;
    uint32_t threads; /* of each rank */
    struct weir_sim_options options;
    uint8_t *tap; /* of options, at ranks other than 0; owned */
    uint64_t snapshot_every_ps;
    struct ranks_away *away;      /* by own thread */
    struct weir_buffer *out, *in; /* by rank */
    uint64_t rounds, sent_bytes;  /* at the ends of windows */
    struct weir_err err;
    bool failed;      /* err has a code, and no message is exchanged any more */
    char broken[256]; /* a sentence of another rank */
};

/* A message at the end of a window: what the threads of the rank have published, then parts, of which each begins with
 * its kind, and an END. */
enum ranks_part {
    RANKS_END,
    RANKS_LINK,    /* struct ranks_link, then packets, each with its telemetry records behind it */
    RANKS_CONTROL, /* struct ranks_link, then control frames */
    RANKS_START,   /* struct ranks_start: a message to a host of the rank */
    RANKS_ENDED,   /* struct ranks_ended: of a message of a host of the rank, all bytes have arrived */
    RANKS_UNBLOCK, /* struct ranks_unblock */
};

struct ranks_link {
    uint32_t link, lane, pkts;
};

struct ranks_start {
    uint32_t src, handle;
    bool has_row; /* of an inbox, which follows: a program reads it when the message arrives */
    struct weir_account_msg msg;
};

struct ranks_ended {
    uint32_t src, handle;
    uint64_t end_ps;
    uint32_t marks;
    uint8_t in_use;
};

struct ranks_unblock {
    uint32_t flow;
    uint64_t ready_ps;
};

/* Returns the rank of a node. */
static inline uint32_t ranks_of(const struct sim_engine *e, uint32_t node)
{
    return e->owner[node] / e->ranks->threads;
}

/* Exchanges ranks->out with the others. If that fails, notes the error; later calls do nothing. @return false = it
 * failed, and ranks->in may not be read */
bool weir_sim_ranks_swap(struct sim_ranks *r);
/* Sends *own to rank 0, where ranks->in[q] gets what rank q sent. @return true at rank 0, if nothing failed */
bool weir_sim_ranks_to_first(struct sim_ranks *r, const struct weir_buffer *own);
/* The callbacks of the bookkeeping: struct weir_account.started and .ended (away.c). */
void weir_sim_ranks_started(void *ctx, const struct weir_account_host *from, uint32_t handle, uint32_t dst);
void weir_sim_ranks_ended(void *ctx, const struct weir_account_host *self, uint32_t src, uint32_t handle);
#endif
